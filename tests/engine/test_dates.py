"""Dates and times as people write them, and the one order of a column (spec 2)."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import dates
from tests.engine.small import codes, field_profile, typed

DATES = [
    pytest.param(["2026-04-30", "2026-05-01"], ["2026-04-30", "2026-05-01"], id="ISO"),
    pytest.param(["30/04/2026", "1/5/2026"], ["2026-04-30", "2026-05-01"], id="slashes, one or two digits"),
    pytest.param(["30-04-2026", "01-05-2026"], ["2026-04-30", "2026-05-01"], id="hyphens"),
    pytest.param(["30.04.2026", "01.05.2026"], ["2026-04-30", "2026-05-01"], id="points"),
    pytest.param(["04/30/2026", "05/01/2026"], ["2026-04-30", "2026-05-01"], id="a second part over 12"),
    pytest.param(["2024-02-29", "2026-01-01"], ["2024-02-29", "2026-01-01"], id="a leap day"),
    pytest.param(["30/04/2026", "", "00/00/0000"], ["2026-04-30", None, None], id="null tokens of dates"),
    pytest.param(["2026-04-30", "-", "N/D"], ["2026-04-30", None, None], id="null tokens"),
    pytest.param(["2026-04-30T00:00:00", "2026-05-01 00:00"], ["2026-04-30", "2026-05-01"], id="midnights"),
    pytest.param(
        ["2026-04-02T00:00:00.000Z", "2026-04-03T00:00:00-03:00"],
        ["2026-04-02", "2026-04-03"],
        id="midnights are never shifted",
    ),
    pytest.param(
        ["30/04/2026 00:00:00", "01/05/2026"], ["2026-04-30", "2026-05-01"], id="some with midnight"
    ),
    pytest.param([date(2026, 4, 30)], ["2026-04-30"], id="native dates"),
    pytest.param([datetime(2026, 4, 30)], ["2026-04-30"], id="native midnights"),  # noqa: DTZ001
]


@pytest.mark.parametrize(("cells", "expected"), DATES)
def test_a_column_is_dates(cells, expected):
    column, values, _ = typed(cells)
    assert (column.type, values) == ("date", expected)


DATETIMES = [
    pytest.param(
        ["2026-04-30T08:52:04-03:00", "2026-05-01T00:00:00-03:00"],
        ["2026-04-30T08:52:04-03:00", "2026-05-01T00:00:00-03:00"],
        id="an offset is kept as written",
    ),
    pytest.param(
        ["2026-04-30 8:05", "2026-05-01"], ["2026-04-30T08:05:00", "2026-05-01T00:00:00"], id="short"
    ),
    pytest.param(["30/04/2026  23:59:59.250"], ["2026-04-30T23:59:59.250"], id="a fraction"),
    pytest.param(["2026-04-30T10:00:00,500Z"], ["2026-04-30T10:00:00.500Z"], id="a fraction after a comma"),
    pytest.param(
        [datetime(2026, 4, 30, 8, 5, tzinfo=timezone(timedelta(hours=-3)))],
        ["2026-04-30T08:05:00-03:00"],
        id="native, with a zone",
    ),
]


@pytest.mark.parametrize(("cells", "expected"), DATETIMES)
def test_a_column_with_a_time_is_datetimes(cells, expected):
    column, values, _ = typed(cells)
    assert (column.type, values) == ("datetime", expected)


NOT_DATES = [
    pytest.param(["30/02/2026", "01/02/2026"], id="an impossible date"),
    pytest.param(["31/04/2026"], id="April has 30 days"),
    pytest.param(["2025-02-29"], id="no leap year"),
    pytest.param(["2026-04-30", "01/05/2026"], id="two formats"),
    pytest.param(["30/04/26"], id="a year of two digits"),
    pytest.param(["30/04-2026"], id="two separators"),
    pytest.param(["2026-4-30"], id="ISO with one digit"),
    pytest.param(["30/04/2026 25:00"], id="an hour past 23"),
    pytest.param(["09-Mar-11"], id="names of months"),
    pytest.param(["2026/Jul"], id="a month alone"),
    pytest.param(["2026-04-30 noon"], id="words after"),
]


@pytest.mark.parametrize("cells", NOT_DATES)
def test_a_column_stays_text(cells):
    column, values, _ = typed(cells)
    assert (column.type, values) == ("text", cells)


ORDERS = [
    pytest.param(["13/01/2026", "02/01/2026"], None, "day", [], id="a first part over 12"),
    pytest.param(["01/13/2026", "01/02/2026"], None, "month", [], id="a second part over 12"),
    pytest.param(["01/02/2026"], None, "day", ["assumed_day_first"], id="neither: day first, with a warning"),
    pytest.param(["01/02/2026"], "pt-BR", "day", [], id="the locale pt-BR"),
    pytest.param(["01/02/2026"], "en-US", "month", [], id="the locale en-US"),
    pytest.param(["13/01/2026"], "en-US", "day", [], id="a proof against the locale"),
]


@pytest.mark.parametrize(("cells", "locale", "first", "warned"), ORDERS)
def test_day_or_month_first(cells, locale, first, warned):
    column, _, band = typed(cells, locale=locale)
    assert (column.type, column.day_first) == ("date", first == "day")
    assert codes(band.warnings) == warned


def test_both_orders_proven_is_text_with_a_warning():
    column, _, band = typed(["13/01/2026", "01/13/2026"])
    assert column.type == "text"
    assert codes(band.warnings) == ["day_and_month"]


COMPACT = [
    pytest.param("dt_emissao", "date", id="dt"),
    pytest.param("Início", "date", id="inicio with an accent"),
    pytest.param("DATA_FIM", "date", id="data and fim"),
    pytest.param("codigo", "number", id="no token"),
    pytest.param("update", "number", id="date as a part of a token"),
]


@pytest.mark.parametrize(("name", "kind"), COMPACT)
def test_digits_are_dates_only_where_the_name_says_so(name, kind):
    column, values, _ = typed(["20060502", "20150928"], name=name)
    assert column.type == kind
    if kind == "date":
        assert values == ["2006-05-02", "2015-09-28"]


def test_zeros_are_no_date():
    assert typed(["20060502", "00000000"], name="data")[1] == ["2006-05-02", None]


def test_digits_that_are_no_days_are_numbers():
    assert typed(["20061399", "20150928"], name="data")[0].type == "number"


MOMENTS = [
    pytest.param(
        ["2026-01-01T10:00:00-03:00", "2026-01-01T11:00:00Z"],
        ("2026-01-01T10:00:00-03:00", "2026-01-01T11:00:00Z"),
        id="by local time as written",
    ),
    pytest.param(
        ["2026-01-01T10:00:00.5", "2026-01-01T10:00:00.25", "2026-01-01T10:00:00"],
        ("2026-01-01T10:00:00", "2026-01-01T10:00:00.5"),
        id="fractions by value",
    ),
    pytest.param(
        ["2026-01-01T10:00:00Z", "2026-01-01T10:00:00-03:00"],
        ("2026-01-01T10:00:00-03:00", "2026-01-01T10:00:00Z"),
        id="then by text",
    ),
]


@pytest.mark.parametrize(("cells", "bounds"), MOMENTS)
def test_moments_are_ordered(cells, bounds):
    field = field_profile(cells)
    assert (field.min, field.max) == bounds


DAYS = st.dates(date(1, 1, 1), date(9999, 12, 31))


@given(st.lists(DAYS, min_size=1, max_size=10), st.sampled_from(["%d/%m/%Y", "%d-%m-%Y", "%d.%m.%Y", "iso"]))
def test_dates_survive_every_format(days, pattern):
    def written(day: date) -> str:
        parts = {"%d": f"{day.day:02d}", "%m": f"{day.month:02d}", "%Y": f"{day.year:04d}"}
        return (
            day.isoformat() if pattern == "iso" else re.sub("%.", lambda part: parts[part.group()], pattern)
        )

    column, values, _ = typed([written(day) for day in days], locale="pt-BR")
    assert (column.type, values) == ("date", [day.isoformat() for day in days])


@given(st.integers(-5, 10_000), st.integers(-1, 14), st.integers(-1, 33))
def test_the_calendar_is_that_of_the_library(year, month, day):
    try:
        date(year, month, day)
        exists = True
    except ValueError:
        exists = False
    assert dates.is_day(year, month, day) == exists or year > 9999
