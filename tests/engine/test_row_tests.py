"""A row rule means for a cell what a filter means for it, whatever other cells there are."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from datasources.base import Cell, Declared, Lists, RawBand
from datasources.exceptions import AccessError
from datasources.filters import Condition
from datasources.row_rules import RuleColumn
from engine.band import type_band
from engine.query.aggregate import aggregate
from engine.query.questions import Aggregate
from engine.query.session import QuerySession
from engine.row_tests import compile_test
from engine.snapshot import materialize

NUMBER, DAY, MOMENT = Declared("number"), Declared("date"), Declared("datetime")


def fits(cell, op, value, declared=None, **known):
    condition = Condition(field="x", op=op, value=value)
    return compile_test(condition, RuleColumn("x", declared, **known))(cell)


@pytest.mark.parametrize(
    ("cell", "op", "value", "declared", "expected"),
    [
        pytest.param(" Sul\u00a0", "=", "Sul", None, True, id="white space at the ends is none"),
        pytest.param("sul", "=", "Sul", None, False, id="case is told apart"),
        pytest.param(None, "!=", "Sul", None, False, id="null differs from nothing"),
        pytest.param("  ", "is_null", None, None, True, id="blank is null"),
        pytest.param("Sul", "is_null", False, None, True, id="not null"),
        pytest.param(5, "=", 5, None, True, id="a native number as its text"),
        pytest.param("05", "=", 5, None, False, id="texts are no numbers"),
        pytest.param("1.234,50", "=", Decimal("1234.5"), NUMBER, True, id="br"),
        pytest.param("1,234.50", "=", "1234.5", NUMBER, True, id="point proves itself"),
        pytest.param("R$ 12,00", "<", 13, NUMBER, True, id="currency"),
        pytest.param("x", "!=", 13, NUMBER, False, id="what does not fit is null"),
        pytest.param("-", "is_null", None, NUMBER, True, id="null token"),
        pytest.param(0.1, "=", Decimal("0.1"), NUMBER, True, id="double"),
        pytest.param(Decimal("2.50"), ">=", "2,5", NUMBER, True, id="decimal"),
        pytest.param("31/03/2026", "=", "2026-03", DAY, True, id="a month stands for its days"),
        pytest.param("01/04/2026", ">", "2026-03", DAY, True, id="after the month"),
        pytest.param("2026-03-05", "in", ("05/03/2026",), DAY, True, id="two formats"),
        pytest.param(date(2026, 3, 5), "between", ("2026-03-01", "2026-03-05"), DAY, True, id="native"),
        pytest.param("31/02/2026", "is_null", None, DAY, True, id="no day"),
        pytest.param("2026-03-05T10:30:00-03:00", "<=", "2026-03-05", MOMENT, True, id="all of a day"),
        pytest.param(datetime(2026, 3, 5, 10), "=", "2026-03-05 10:00", MOMENT, True, id="moment"),  # noqa: DTZ001
        pytest.param("sim", "=", True, Declared("boolean"), True, id="boolean"),
        pytest.param(1, "=", True, Declared("boolean"), True, id="1 is true"),
        pytest.param("abc", "contains", "b", None, True, id="contains"),
        pytest.param("abc", "starts_with", "b", None, False, id="starts_with"),
        pytest.param("b", "not_in", ("a", "c"), None, True, id="not in"),
    ],
)
def test_a_cell_fits(cell, op, value, declared, expected):
    assert fits(cell, op, value, declared) is expected


def test_what_is_ambiguous_is_read_by_locale_and_source_alone():
    assert fits("1.234", "=", 1234, NUMBER, locale="pt-BR")
    assert fits("1.234", "=", Decimal("1.234"), NUMBER)
    assert fits("1.234", "=", 1234, NUMBER, decimal_style="br")
    assert fits("03/04/2026", "=", "2026-03-04", DAY, locale="en-US")
    assert fits("25/12/2026", "=", "2026-12-25", DAY, locale="en-US")


@pytest.mark.parametrize(
    ("op", "value", "declared"),
    [
        pytest.param("=", "caro", NUMBER, id="no number"),
        pytest.param("=", "ontem", DAY, id="no day"),
        pytest.param("<", True, Declared("boolean"), id="no order"),
        pytest.param("contains", "1", NUMBER, id="no text"),
    ],
)
def test_what_the_field_cannot_have_is_refused_without_a_cell(op, value, declared):
    with pytest.raises(AccessError, match="compares “x” with a value that the field cannot have"):
        fits("1", op, value, declared)


CELLS = {
    "text": ("a", "b", " a ", "", None, "é", "B", "ab", "1"),
    "number": ("1.234,50", "-3,10", "0,00", "12", "", None, "x", "R$ 7,25", "1.000.000,01"),
    "date": ("01/03/2026", "31/03/2026", "2026-04-01", "", None, "x", "29/02/2024"),
    "datetime": ("2026-03-01T10:00:00", "01/03/2026 10:00:00.500", "2026-03-02T00:00:00-03:00", None, ""),
    "boolean": ("sim", "n", "true", "0", None, "x", ""),
}
VALUES = {
    "text": ("a", "b", "é", "A", " a", 1),
    "number": (0, "1.234,5", Decimal("-3.1"), "7,25", 12, Decimal("12.0001"), 10**30),
    "date": ("2026-03", "2026", "31/03/2026", "2024-02-29", 2026),
    "datetime": ("2026-03-01", "2026-03-01 10:00", "2026", "2026-03-01T10:00:00.5", "2026-03"),
    "boolean": (True, False, "sim", "n"),
}
OPS = ("=", "!=", ">", ">=", "<", "<=", "in", "not_in", "between", "is_null")


OPS_OF: dict[str, tuple[str, ...]] = {
    "boolean": ("=", "!=", "in", "not_in", "is_null"),
    "text": (*OPS, "contains", "starts_with"),
}


@pytest.mark.parametrize("kind", list(CELLS))
def test_rows_that_fit_are_those_that_the_engine_counts(kind):
    random = Random(kind)
    for _ in range(12):
        cells: list[Cell] = [random.choice(CELLS[kind]) for _ in range(12)]
        numbers: list[Cell] = list(range(12))
        op: Any = random.choice(OPS_OF.get(kind, OPS))
        picked = random.sample(VALUES[kind], 2)
        value = {"is_null": None, "in": tuple(picked), "not_in": tuple(picked), "between": tuple(picked)}.get(
            op, str(picked[0]) if op in ("contains", "starts_with") else picked[0]
        )
        condition = Condition(field="x", op=op, value=value)
        declared = {"x": Declared(kind)}
        raw = RawBand(
            "b", ("x", "n"), Lists((cells, numbers), 12), "records", locale="pt-BR", declared=declared
        )
        assert type_band(raw).columns[0].type == kind
        with QuerySession(materialize([raw])) as session:
            found = aggregate(session, Aggregate("b", "COUNT", None, condition))
        test = compile_test(condition, RuleColumn("x", declared["x"], locale="pt-BR"))
        assert sum(map(test, cells)) == found.rows, (condition, cells)
