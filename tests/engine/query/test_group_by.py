"""Groups come in order, and what is not named is one group more: the rows always add up."""

from __future__ import annotations

import pytest

from datasources.filters import Condition
from engine.band import type_band
from engine.exceptions import QueryError
from engine.profile import profile_bands
from engine.query.group_by import group_by
from engine.query.questions import GroupBy
from engine.query.session import QuerySession
from engine.snapshot import Snapshot
from tests.engine.small import raw_band

COLUMNS: dict[str, list[str | None]] = {
    "uf": ["SP", "RJ", "SP", None, "MG", "BA", "BA", "AC"],
    "valor": ["1,10", "2,25", "-0,05", "7,00", "3,00", "3,00", None, None],
    "taxa": ["1,5", "2,5", "3,5", None, "1,0", "1,0", "1,0", "1,0"],
    "ano": ["2024", "2025", "2026", "2026", "2026", "2024", "2025", "2025"],
    "dia": ["01/01/2026", "04/01/2026", "05/01/2026", "31/03/2026", "01/04/2026", "31/12/2025", None, None],
    "quando": [
        *("2026-01-01T10:00:00Z", "2026-01-01T23:59:59-03:00", "2026-02-01T00:00:00Z", None),
        *("2026-02-03T10:00:00Z", "2026-02-03T10:00:00Z", "2026-02-03T11:30:00Z", "2027-01-01T00:00:01Z"),
    ],
    "ok": ["true", "false", "true", None, "true", "false", "true", "true"],
    "rows": ["a", "b", "a", "b", "a", "b", "a", "b"],
}


@pytest.fixture(scope="module")
def session():
    band = type_band(raw_band(COLUMNS, "vendas", style="br", locale="pt-BR"))
    with QuerySession(Snapshot((band,), profile_bands([band]))) as opened:
        yield opened


def asked(session, *by, verb="SUM", field="valor", **more):
    answer = group_by(session, GroupBy(None, by, verb, field, **more))
    assert sum(group.rows for group in answer.groups) == answer.rows
    return [
        (
            f"(other {group.others})" if group.others else "+".join(str(key.value) for key in group.keys),
            group.fact and group.fact.value,
            group.rows,
        )
        for group in answer.groups
    ]


@pytest.mark.parametrize(
    ("by", "more", "expected"),
    [
        pytest.param(
            ("uf",),
            {},
            [
                ("BA", "3", 2),
                ("MG", "3", 1),
                ("RJ", "2.25", 1),
                ("SP", "1.05", 2),
                ("AC", None, 1),
                ("None", "7", 1),
            ],
            id="equal sums by name, no sum last, nulls behind",
        ),
        pytest.param(
            ("uf",),
            {"top": 1},
            [("BA", "3", 2), ("None", "7", 1), ("(other 4)", "6.3", 5)],
            id="the first and the rest",
        ),
        pytest.param(
            ("uf",),
            {"top": 2, "order": "asc"},
            [("SP", "1.05", 2), ("RJ", "2.25", 1), ("None", "7", 1), ("(other 3)", "6", 4)],
            id="the least first",
        ),
        pytest.param(
            ("uf",),
            {"order": "group", "top": 2},
            [("AC", None, 1), ("BA", "3", 2), ("None", "7", 1), ("(other 3)", "6.3", 4)],
            id="by name",
        ),
        pytest.param(
            ("uf",),
            {"verb": "AVG", "top": 2},
            [("BA", "3", 2), ("MG", "3", 1), ("None", "7", 1), ("(other 3)", "1.1", 4)],
            id="averages, of the rest too",
        ),
        pytest.param(
            ("uf",),
            {"verb": "COUNT", "field": None, "top": 2},
            [("BA", "2", 2), ("SP", "2", 2), ("None", "1", 1), ("(other 3)", "3", 3)],
            id="rows",
        ),
        pytest.param(
            ("uf",),
            {"verb": "COUNT", "top": 1, "order": "asc"},
            [("AC", "0", 1), ("None", "1", 1), ("(other 4)", "5", 6)],
            id="cells, of which a group may have none",
        ),
        pytest.param(
            ("uf",),
            {"verb": "DISTINCT", "field": "rows", "top": 2},
            [("BA", "2", 2), ("AC", "1", 1), ("None", "1", 1), ("(other 3)", "2", 4)],
            id="different values of the rest are counted once",
        ),
        pytest.param(
            ("uf",),
            {"verb": "MEDIAN", "top": 1},
            [("BA", "3", 2), ("None", "7", 1), ("(other 4)", "1.675", 5)],
            id="the median of the rest",
        ),
        pytest.param(
            ("uf",),
            {"verb": "STDDEV", "top": 1},
            [("SP", "0.81", 2), ("None", None, 1), ("(other 4)", "0.43", 5)],
            id="no deviation of one value",
        ),
        pytest.param(
            ("uf",),
            {"verb": "MAX", "field": "dia", "top": 1},
            [("MG", "2026-04-01", 1), ("None", "2026-03-31", 1), ("(other 4)", "2026-01-05", 6)],
            id="last days",
        ),
        pytest.param(
            ("uf",),
            {"verb": "MIN", "field": "quando", "top": 1, "order": "asc"},
            [
                ("SP", "2026-01-01T10:00:00Z", 2),
                ("None", None, 1),
                ("(other 4)", "2026-01-01T23:59:59-03:00", 5),
            ],
            id="first moments",
        ),
        pytest.param(
            ("uf",),
            {"verb": "SHARE", "top": 2},
            [("BA", "18.4", 2), ("MG", "18.4", 1), ("None", "42.94", 1), ("(other 3)", "20.25", 4)],
            id="shares of the whole",
        ),
        pytest.param(
            ("ano",), {}, [("2026", "9.95", 3), ("2024", "4.1", 2), ("2025", "2.25", 3)], id="years as names"
        ),
        pytest.param(
            ("ok",), {}, [("false", "5.25", 2), ("true", "4.05", 5), ("None", "7", 1)], id="true and false"
        ),
        pytest.param(
            ("taxa",),
            {"verb": "COUNT", "field": None, "top": 1},
            [("1", "4", 4), ("None", "1", 1), ("(other 3)", "3", 3)],
            id="numbers as names, without zeros at the end",
        ),
        pytest.param(
            ("dia",),
            {"period": "month"},
            [
                ("2025-12", "3", 1),
                ("2026-01", "3.3", 3),
                ("2026-03", "7", 1),
                ("2026-04", "3", 1),
                ("None", None, 2),
            ],
            id="months by time",
        ),
        pytest.param(
            ("dia",),
            {"period": "week"},
            [("2026-W01", "6.35", 3), ("2026-W02", "-0.05", 1), ("2026-W14", "10", 2), ("None", None, 2)],
            id="weeks of ISO 8601, across the year",
        ),
        pytest.param(
            ("dia",),
            {"period": "quarter", "order": "desc", "top": 1},
            [("2026-Q1", "10.3", 4), ("None", None, 2), ("(other 2)", "6", 2)],
            id="quarters by value",
        ),
        pytest.param(
            ("quando",),
            {"period": "day", "verb": "COUNT", "field": None},
            [
                ("2026-01-01", "2", 2),
                ("2026-02-01", "1", 1),
                ("2026-02-03", "3", 3),
                ("2027-01-01", "1", 1),
                ("None", "1", 1),
            ],
            id="days of moments, as written",
        ),
        pytest.param(
            ("quando",),
            {"period": "year", "verb": "COUNT", "field": None},
            [("2026", "6", 6), ("2027", "1", 1), ("None", "1", 1)],
            id="years of moments",
        ),
        pytest.param(
            ("uf", "rows"),
            {"top": 3},
            [("None+b", "7", 1), ("BA+b", "3", 1), ("MG+a", "3", 1), ("(other 4)", "3.3", 5)],
            id="of two fields a null is a name",
        ),
        pytest.param(
            ("dia", "rows"),
            {"period": "year", "order": "group"},
            [
                ("2025+b", "3", 1),
                ("2026+a", "4.05", 3),
                ("2026+b", "9.25", 2),
                ("None+a", None, 1),
                ("None+b", None, 1),
            ],
            id="a period and a field",
        ),
    ],
)
def test_values(session, by, more, expected):
    assert asked(session, *by, **more) == expected


def test_a_filter_chooses_the_rows(session):
    where = Condition(field="uf", op="in", value=("BA", "SP"))
    assert asked(session, "uf", where=where) == [("BA", "3", 2), ("SP", "1.05", 2)]
    assert asked(session, "uf", verb="SHARE", where=where) == [("BA", "74.07", 2), ("SP", "25.93", 2)]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        pytest.param(
            GroupBy(None, (), "SUM", "valor"), "One or two fields to group by are needed", id="none"
        ),
        pytest.param(GroupBy(None, ("uf", "ok", "ano"), "SUM", "valor"), "One or two fields", id="three"),
        pytest.param(GroupBy(None, ("uf", "uf"), "SUM", "valor"), "“uf” is named twice", id="twice"),
        pytest.param(GroupBy(None, ("uff",), "SUM", "valor"), 'Field "uff" does not exist.', id="unknown"),
        pytest.param(
            GroupBy(None, ("uf",), "SUM", "valor", 0), "top is a whole number from 1 to 200", id="0"
        ),
        pytest.param(GroupBy(None, ("uf",), "SUM", "valor", 201), "top is a whole number", id="201"),
        pytest.param(
            GroupBy(None, ("uf",), "SUM", "valor", period="month"), "A period needs a date", id="no date"
        ),
        pytest.param(
            GroupBy(None, ("dia", "quando"), "SUM", "valor", period="month"),
            "A period gathers one date, and dia, quando are dates",
            id="two dates",
        ),
        pytest.param(GroupBy(None, ("uf",), "SUM", "ano"), "“ano” is a year, so its sum", id="no sum"),
        pytest.param(GroupBy(None, ("uf",), "SUM"), "SUM needs a field: name one.", id="no field"),
    ],
)
def test_what_means_nothing_is_refused(session, question, message):
    with pytest.raises(QueryError) as raised:
        group_by(session, question)
    assert raised.value.message.startswith(message)


def notes(session, question):
    return [note.text("en") for note in group_by(session, question).notes]


def test_a_cut_between_equal_values_is_said(session):
    assert notes(session, GroupBy(None, ("uf",), "SUM", "valor", 1)) == [
        "2 groups or more have the value 3 where the list is cut: of these the first by name are listed.",
        "The group null holds the rows without a value in uf.",
        "2 of the 8 rows have no value in “valor” and are left out.",
        "(other 4) stands for the 4 groups that are not listed.",
    ]


def test_no_rows_are_no_groups(session):
    question = GroupBy(None, ("uf",), "SUM", "valor", where=Condition(field="uf", op="=", value="Bahia"))
    assert group_by(session, question).groups == ()
    assert notes(session, question)[0] == "No row matches the filter, so there is no sum."


def test_top_and_bottom_differ(session):
    top = [name for name, _, _ in asked(session, "uf", top=2)][:2]
    bottom = [name for name, _, _ in asked(session, "uf", top=2, order="asc")][:2]
    assert not set(top) & set(bottom)
