"""A double is found, and grouped, by what statistics print of it; with more digits, by itself."""

from __future__ import annotations

import math
import sys
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasources.filters import Condition
from engine import materialize
from engine.facts import DOUBLE_DIGITS, double_text
from engine.query.aggregate import aggregate
from engine.query.group_by import group_by
from engine.query.printed_doubles import printed_as
from engine.query.questions import Aggregate, GroupBy
from engine.query.session import QuerySession

doubles = st.floats(allow_nan=False, allow_infinity=False)
CELLS = [0.3, 0.1 + 0.2, 0.3, 2 / 3, 1e-7 / 3, -math.pi, 1e22 / 3, 0.0, -0.0, 123456789.123456789]


@given(doubles)
def test_what_a_double_prints_stands_for_it(double):
    found = printed_as(Decimal(double_text(double, DOUBLE_DIGITS)))
    assert double in found
    assert found == sorted(found)
    assert {double_text(one, DOUBLE_DIGITS) for one in found} == {double_text(double, DOUBLE_DIGITS)}
    for beyond in (math.nextafter(found[0], -math.inf), math.nextafter(found[-1], math.inf)):
        assert math.isinf(beyond) or double_text(beyond, DOUBLE_DIGITS) != double_text(double, DOUBLE_DIGITS)


@given(doubles)
def test_what_rows_print_of_a_double_finds_it(double):
    assert double in printed_as(Decimal(double_text(double)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("0.30000000000000004", [0.1 + 0.2], id="more digits are one double"),
        pytest.param("0", [0.0], id="zero"),
        pytest.param("5E-324", [5e-324], id="the least, as rows print it"),
        pytest.param("1E+400", [math.inf], id="none is so large"),
        pytest.param("-1E+400", [-math.inf], id="nor so small"),
    ],
)
def test_numbers(text, expected):
    assert printed_as(Decimal(text)) == expected


def test_the_largest_double_is_found_by_what_it_prints():
    assert sys.float_info.max in printed_as(Decimal("1.79769313486232E+308"))


@pytest.fixture(scope="module")
def session():
    snapshot = materialize({"medidas": [{"x": cell, "dia": 1} for cell in CELLS]})
    assert snapshot.bands[0].columns[0].double
    with QuerySession(snapshot) as session:
        yield session


def rows(session, op, value):
    where = Condition(field="x", op=op, value=value)
    return aggregate(session, Aggregate(None, "COUNT", None, where)).rows


@pytest.mark.parametrize("verb", ["MIN", "MAX"])
def test_the_row_of_an_extreme_is_found_by_it(session, verb):
    fact = aggregate(session, Aggregate(None, verb, "x")).fact
    assert fact is not None
    assert rows(session, "=", fact.value) == 1
    assert rows(session, "<" if verb == "MIN" else ">", fact.value) == 0


def test_every_group_is_found_by_its_name_and_has_its_rows(session):
    answer = group_by(session, GroupBy(None, ("x",), "COUNT"))
    assert len(answer.groups) == 7
    for group in answer.groups:
        assert rows(session, "=", group.keys[0].value) == group.rows


@pytest.mark.parametrize(
    ("op", "value", "expected"),
    [
        ("=", "0.3", 3),
        ("!=", "0.3", 7),
        ("<", "0.3", 4),
        ("<=", "0.3", 7),
        (">", "0.3", 3),
        (">=", "0.3", 6),
        ("=", "0.30000000000000004", 1),
        ("in", ("0.3", "7"), 3),
        ("in", ("0.3", "7", "8", "9", "0"), 5),
        ("not_in", ("0.3", "7"), 7),
        ("not_in", ("0.30000000000000004",), 9),
        ("between", ("0.3", "0.3"), 3),
    ],
)
def test_conditions(session, op, value, expected):
    assert rows(session, op, value) == expected


@given(st.lists(doubles, min_size=1, max_size=8))
@settings(max_examples=25, deadline=None)
def test_less_equal_and_greater_are_all_rows(cells):
    with QuerySession(materialize({"m": [{"x": cell, "y": 1 / 3} for cell in cells]})) as session:
        fact = aggregate(session, Aggregate(None, "MEDIAN", "y")).fact
        assert fact is not None
        for cell in {double_text(cell, DOUBLE_DIGITS) for cell in cells}:
            found = [rows(session, op, cell) for op in ("<", "=", ">")]
            assert sum(found) == len(cells)
            if session.snapshot.bands[0].columns[0].double:
                assert found[1] >= 1
