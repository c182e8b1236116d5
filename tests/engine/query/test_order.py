"""Groups stand in order of their exact values, and what decides an answer is never which rows there are."""

from __future__ import annotations

from decimal import Decimal

import pytest

from datasources.base import RawBand
from datasources.filters import Condition
from engine.band import type_band
from engine.exceptions import QueryError
from engine.profile import profile_bands
from engine.query.aggregate import aggregate
from engine.query.compare import compare
from engine.query.group_by import GroupByAnswer, group_by
from engine.query.questions import Aggregate, Compare, GroupBy
from engine.query.session import QuerySession
from engine.snapshot import Snapshot
from tests.engine.small import raw_band


def session_of(raw: RawBand) -> QuerySession:
    band = type_band(raw)
    return QuerySession(Snapshot((band,), profile_bands((band,))))


def values(answer: GroupByAnswer) -> list[tuple[str | None, str | None]]:
    return [(group.keys[0].value, group.fact.value if group.fact else None) for group in answer.groups]


SHARES = raw_band(
    {
        "uf": ["SP", "RJ", "BA", "AC"],
        "perda": ["-700,01", "-200,02", "-100,00", "0,00"],
        "saldo": ["1,50", "-1,50", "2,25", "-2,25"],
        "valor": ["10.000,01", "0,01", "0,02", "0,03"],
    },
    "b",
    style="br",
    locale="pt-BR",
)


@pytest.mark.parametrize(
    ("field", "order", "expected"),
    [
        pytest.param(
            "perda",
            "desc",
            [("SP", "70"), ("RJ", "20"), ("BA", "10"), ("AC", "0")],
            id="of less than nothing",
        ),
        pytest.param(
            "perda",
            "asc",
            [("AC", "0"), ("BA", "10"), ("RJ", "20"), ("SP", "70")],
            id="of less than nothing, least first",
        ),
        pytest.param(
            "saldo",
            "desc",
            [("AC", None), ("BA", None), ("RJ", None), ("SP", None)],
            id="of nothing, so by name",
        ),
        pytest.param(
            "valor",
            "desc",
            [("SP", "100"), ("AC", "0"), ("BA", "0"), ("RJ", "0")],
            id="before they are rounded",
        ),
    ],
)
def test_shares(field, order, expected):
    with session_of(SHARES) as session:
        assert values(group_by(session, GroupBy(None, ("uf",), "SHARE", field, order=order))) == expected


def test_shares_that_only_look_equal_are_no_tie():
    with session_of(SHARES) as session:
        answer = group_by(session, GroupBy(None, ("uf",), "SHARE", "valor", top=2))
    assert values(answer)[:2] == [("SP", "100"), ("AC", "0")]
    assert "ties" not in [note.code for note in answer.notes]


def test_the_last_moments_are_found_by_local_time_and_not_by_text():
    moments = ["2026-01-01T10:00:00Z", "2026-01-01T10:00:00.5Z", "2026-01-01T10:00:00.25Z"]
    with session_of(raw_band({"uf": ["a", "b", "c"], "quando": moments})) as session:
        answer = group_by(session, GroupBy(None, ("uf",), "MAX", "quando"))
        assert [name for name, _ in values(answer)] == ["b", "c", "a"]
        answer = group_by(session, GroupBy(None, ("quando",), "COUNT", order="group"))
        assert [name for name, _ in values(answer)] == [moments[0], moments[2], moments[1]]


def test_numbers_that_name_groups_are_ordered_by_size():
    with session_of(raw_band({"mes": ["2", "10", "1", "12", "1"], "x": list("abcde")})) as session:
        answer = group_by(session, GroupBy(None, ("mes",), "COUNT", order="group"))
    assert values(answer) == [("1", "2"), ("2", "1"), ("10", "1"), ("12", "1")]


@pytest.mark.parametrize(
    "where", [None, Condition(field="x", op="is_null", value=False)], ids=["all", "filter"]
)
def test_the_deviation_of_wide_decimals_is_exact(where):
    cells = [Decimal(f"{10**29 + number}.5") for number in (0, 3, 6)]
    with session_of(raw_band({"x": cells, "g": ["a", "b", "c"]}, origin="typed")) as session:
        fact = aggregate(session, Aggregate(None, "STDDEV", "x", where)).fact
    assert fact is not None
    assert fact.value == "3"


EMPTY: dict[str, list[str | None]] = {"uf": ["a", "b"], "dia": [None, None]}


def test_a_period_of_a_field_without_cells_is_the_null_group():
    with session_of(raw_band(EMPTY)) as session:
        answer = group_by(session, GroupBy(None, ("dia",), "COUNT", period="month"))
    assert values(answer) == [(None, "2")]


def test_the_share_of_a_field_without_cells_is_nothing():
    with session_of(raw_band(EMPTY)) as session:
        where = Condition(field="uf", op="=", value="a")
        answer = aggregate(session, Aggregate(None, "SHARE", "dia", where))
    assert (answer.rows, answer.fact) == (1, None)
    assert [note.code for note in answer.notes] == ["no_cells"]


@pytest.mark.parametrize("value", ["a", "nowhere"])
def test_whether_two_values_can_be_compared_does_not_depend_on_the_rows(value):
    where = Condition(field="uf", op="=", value=value)
    session = session_of(raw_band({"uf": ["a", "b"], "n": ["1", "2"]}))
    with session, pytest.raises(QueryError, match="is not a number"):
        compare(session, Compare(None, "MIN", "uf", where, where))
