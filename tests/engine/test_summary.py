"""A summary prints what says something: no constants, identities or single rows, and lists within a budget."""

from __future__ import annotations

import pytest

from engine.profile import FieldProfile
from engine.summary import Summary, statistics_of, summary_of
from tests.engine.small import band_profile, raw_band

SALES = {
    "status": ["pago", "aberto", "pago"],
    "codigo": ["a", "b", "c"],
    "valor": ["10", "20", "-"],
    "igual": ["5", "5", "5"],
    "dia": ["2026-02-01", "2026-03-03", "2026-03-03"],
    "vez": ["2026-01-01", "2026-01-01", "2026-01-01"],
}


def labels(groups):
    return [(group.measure, group.by, group.kind) for group in groups]


def test_constants_and_identities_are_left_out():
    summary = summary_of(band_profile(raw_band(SALES)))
    assert (summary.numbers, summary.dates, summary.counts) == ((2,), (4,), (0,))
    assert labels(summary.groups) == [("valor", "status", "enum"), ("valor", "dia", "period")]
    assert summary.not_shown == ()


def test_a_single_row_has_no_summary():
    assert summary_of(band_profile(raw_band({"v": ["1"], "k": ["a"]}))) == Summary()
    assert summary_of(band_profile(raw_band({"v": [], "k": []}))) == Summary()


@pytest.mark.parametrize(
    ("numbers_max", "shown", "not_shown"),
    [
        pytest.param(4, 2, 0, id="all"),
        pytest.param(3, 1, 1, id="the second is too long"),
        pytest.param(1, 0, 2, id="both are"),
    ],
)
def test_lists_that_pass_the_budget_are_left_out_whole(numbers_max, shown, not_shown):
    summary = summary_of(band_profile(raw_band(SALES)), numbers_max)
    assert (len(summary.groups), len(summary.not_shown)) == (shown, not_shown)


def test_a_later_list_may_fit_where_an_earlier_one_did_not():
    columns = {"k": list("aabbcd"), "l": list("xxxyyy"), "v": ["1", "2", "3", "4", "5", "6"]}
    summary = summary_of(band_profile(raw_band(columns)), 2)
    assert labels(summary.groups) == [("v", "l", "enum")]
    assert labels(summary.not_shown) == [("v", "k", "enum")]


def field(kind, **values):
    return FieldProfile("x", kind, None, None, 2, None, None, False, **values)


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        pytest.param(
            field("number", sum="3", avg="1.5", min="1", max="2"),
            [("SUM", "3"), ("AVG", "1.5"), ("MIN", "1"), ("MAX", "2"), ("NULLS", "2")],
            id="a measure",
        ),
        pytest.param(
            field("number", min="1", max="2"), [("MIN", "1"), ("MAX", "2"), ("NULLS", "2")], id="a year"
        ),
        pytest.param(
            field("date", min="2026-01-01", max="2026-01-02"),
            [("MIN", "2026-01-01"), ("MAX", "2026-01-02")],
            id="a date, without its nulls",
        ),
    ],
)
def test_statistics_stand_in_order(one, expected):
    assert statistics_of(one) == expected
