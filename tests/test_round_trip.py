"""What is written in any style is read back as exactly the same values, and printed in full."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasources.base import Lists, RawBand
from engine import Snapshot, materialize
from engine.columns import ColumnType
from engine.facts import average_text, divide_half_even, double_text, exact, scaled_text, scaled_texts

FEW = settings(max_examples=12)
"""For a property of which each of many styles is a test of its own."""
CENTS = st.integers(-(10**14), 10**14)
SIGNS = {
    "minus": "-{}",
    "true minus": "\u2212{}",
    "trailing": "{}-",
    "parentheses": "({})",
}
MONEY = {
    "none": ("{}", None),
    "reais": ("R$ {}", "R$"),
    "reais without a space": ("R${}", "R$"),
    "dollars": ("US$ {}", "US$"),
    "dollar": ("${}", "$"),
    "euros": ("€\u00a0{}", "€"),
    "pounds": ("£{}", "£"),
    "percent": ("{}%", "%"),
}
STYLES = {
    "plain": ("", "."),
    "br": (".", ","),
    "br without groups": ("", ","),
    "point": (",", "."),
    "space and comma": (" ", ","),
    "no-break space and point": ("\u00a0", "."),
    "narrow no-break space and comma": ("\u202f", ","),
    "apostrophe and point": ("'", "."),
}


def written(value: Decimal, places: int, style: str, sign: str, money: str) -> str:
    """*value* as a person writes it."""
    group, mark = STYLES[style]
    text = f"{abs(value):,.{places}f}".replace(",", "\0").replace(".", mark).replace("\0", group)
    pattern = MONEY[money][0]
    if value >= 0:
        return pattern.format(text)
    if SIGNS[sign].startswith("{") and money == "percent":
        sign = "minus"
    return SIGNS[sign].format(pattern.format(text))


def values_of(snapshot: Snapshot) -> list[Any]:
    (band,) = snapshot.bands
    return [cell for (cell,) in band.take(range(band.rows))]


def column_of(cells: list[str], name: str = "saldo", locale: str | None = None) -> Snapshot:
    return materialize([RawBand("b", (name,), Lists(([*cells],), len(cells)), "records", locale=locale)])


def unsure_cells_decided(places: int, style: str, money: str) -> list[str]:
    """Cells that fit one decimal mark only, where the others could leave it open."""
    mark = STYLES[style][1]
    return [MONEY[money][0].format(f"0{mark}{'0' * places}1")] if places == 3 else []


@pytest.mark.parametrize("money", MONEY)
@pytest.mark.parametrize("style", STYLES)
@FEW
@given(
    st.lists(CENTS, min_size=1, max_size=12), st.integers(0, 8), st.sampled_from(sorted(SIGNS)), st.randoms()
)
def test_numbers_of_every_style_are_read_back(style, money, cents, places, sign, random):
    if places == 0 and STYLES[style][0] in (".", ","):
        places = 2  # `1.234` alone leaves its mark open; that is decided by other rules
    values = [Decimal(one).scaleb(-places) for one in cents]
    cells = [written(value, places, style, sign, money) for value in values]
    decided = unsure_cells_decided(places, style, money)
    cells += decided
    values += [Decimal(1).scaleb(-places - 1)] * len(decided)
    snapshot = column_of(
        [random.choice(["", " ", "\u00a0"]) + cell + random.choice(["", "\t"]) for cell in cells]
    )
    (column,) = snapshot.bands[0].columns
    assert (column.type, column.unit) == ("number", MONEY[money][1])
    assert [exact(cell, column) for cell in values_of(snapshot)] == values
    (field,) = snapshot.profile.bands[0].fields
    with localcontext(prec=100):
        assert field.sum is None or Decimal(field.sum) == sum(values, Decimal(0))
    assert (Decimal(field.min or ""), Decimal(field.max or "")) == (min(values), max(values))


DATES = {
    "iso": ("%Y-%m-%d", None),
    "slashes": ("%d/%m/%Y", "pt-BR"),
    "dashes": ("%d-%m-%Y", None),
    "points": ("%d.%m.%Y", None),
    "month first": ("%m/%d/%Y", "en-US"),
    "compact": ("%Y%m%d", None),
}
DAYS = st.dates(date(1000, 1, 1), date(9999, 12, 31))
OFFSETS = st.sampled_from(["", "Z", "-03:00", "+0530"])


@pytest.mark.parametrize("style", DATES)
@given(st.lists(DAYS, min_size=1, max_size=12), st.booleans())
def test_dates_of_every_format_are_read_back(style, days, short):
    pattern, locale = DATES[style]
    cells = [day.strftime(pattern) for day in days]
    if short and "/" in pattern:
        cells = ["/".join(part.lstrip("0") for part in cell.split("/")) for cell in cells]
    snapshot = column_of(cells, "data", locale)
    assert snapshot.bands[0].columns[0].type == "date"
    assert values_of(snapshot) == [day.isoformat() for day in days]


@pytest.mark.parametrize("style", [style for style in DATES if style != "compact"])
@pytest.mark.parametrize("join", ["T", " ", "  "])
@FEW
@given(st.lists(st.datetimes(datetime(1000, 1, 1)), min_size=1, max_size=8), OFFSETS, st.integers(0, 3))  # noqa: DTZ001
def test_times_are_read_back_as_written(style, join, moments, offset, digits):
    pattern, locale = DATES[style]
    moments = [moment.replace(microsecond=0) + timedelta(milliseconds=digits) for moment in moments]
    if all(moment.time() == time() for moment in moments):
        moments[0] += timedelta(hours=1) * (1 if moments[0].hour < 23 else -1)
    fraction = f".{digits:03d}" if digits else ""
    cells = [
        f"{moment.strftime(pattern)}{join}{moment.strftime('%H:%M:%S')}{fraction}{offset}"
        for moment in moments
    ]
    snapshot = column_of(cells, "criado", locale)
    assert snapshot.bands[0].columns[0].type == "datetime"
    assert values_of(snapshot) == [f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}{offset}" for moment in moments]


@pytest.mark.parametrize("style", [style for style in DATES if style != "compact"])
@given(
    st.lists(DAYS, min_size=1, max_size=8), st.sampled_from(["T00:00", " 00:00:00", "T00:00:00.000"]), OFFSETS
)
def test_midnights_are_days_and_never_shifted(style, days, midnight, offset):
    pattern, locale = DATES[style]
    snapshot = column_of([day.strftime(pattern) + midnight + offset for day in days], "venc", locale)
    assert snapshot.bands[0].columns[0].type == "date"
    assert values_of(snapshot) == [day.isoformat() for day in days]


# Texts of numbers


def in_full(value: Decimal) -> str:
    text = f"{value:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


INTEGERS = st.one_of(
    st.integers(-(10**40), 10**40), st.integers(-(10**16), 10**16), st.integers(-2_000, 2_000)
)


@given(INTEGERS, st.integers(0, 30))
def test_scaled_integers_print_in_full(value, scale):
    with localcontext(prec=100):
        assert scaled_text(value, scale) == in_full(Decimal(value).scaleb(-scale))


@given(st.lists(INTEGERS, max_size=6), st.integers(0, 20))
def test_many_scaled_integers_print_as_one(values, scale):
    assert scaled_texts(values, scale) == [scaled_text(value, scale) for value in values]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_doubles_print_in_full_and_read_back(value):
    text = double_text(value)
    assert float(text) == value
    assert "e" not in text.lower()
    assert text == in_full(Decimal(repr(value)))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_statistics_of_doubles_have_fifteen_digits(value):
    with localcontext(prec=15, rounding=ROUND_HALF_EVEN):
        assert double_text(value, 15) == in_full(+Decimal(value))


@given(INTEGERS, st.integers(1, 10**6), st.integers(0, 9))
def test_averages_are_rounded_half_even_from_the_exact_sum(total, cells, scale):
    places = max(2, scale)
    rounded = round(Fraction(total, cells * 10**scale) * 10**places)
    with localcontext(prec=100):
        assert average_text(total, cells, ColumnType("x", "number", scale=scale)) == in_full(
            Decimal(rounded).scaleb(-places)
        )


@given(st.integers(-(10**30), 10**30), st.integers(1, 10**9))
def test_division_rounds_to_the_even_neighbour(dividend, divisor):
    assert divide_half_even(dividend, divisor) == round(Fraction(dividend, divisor))


@given(st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=30))
def test_halves_of_cents_go_to_the_even_cent(cents):
    """`avg` of what a column holds, with as many halves as there are."""
    doubled = [*cents, *[one + 1 for one in cents]]
    cells = [f"{Decimal(one).scaleb(-2):f}".replace(".", ",") for one in doubled]
    (field,) = column_of(cells).profile.bands[0].fields
    with localcontext(prec=100):
        assert Decimal(field.avg or "") == Decimal(round(Fraction(sum(doubled), len(doubled)))).scaleb(-2)
