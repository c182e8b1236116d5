"""Exact numbers, and the one way in which they print (spec 5)."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.columns import ColumnType
from engine.facts import (
    add_doubles,
    average_text,
    cell_text,
    decimals_text,
    divide_half_even,
    double_text,
    exact,
    exact_text,
    scaled_text,
)

MONEY = ColumnType("v", "number", scale=2)
DOUBLE = ColumnType("v", "number", double=True)

SCALED = [
    (873, 1, "87.3"),
    (42389100, 2, "423891"),
    (42389150, 2, "423891.5"),
    (-42389150, 2, "-423891.5"),
    (0, 2, "0"),
    (5, 3, "0.005"),
    (-5, 3, "-0.005"),
    (100, 0, "100"),
    (10**30, 2, "1" + "0" * 28),
]


@pytest.mark.parametrize(("value", "scale", "expected"), SCALED)
def test_a_number_prints_in_full_without_trailing_zeros(value, scale, expected):
    assert scaled_text(value, scale) == expected


DOUBLES = [
    (1e-07, None, "0.0000001"),
    (1e21, None, "1000000000000000000000"),
    (0.1, None, "0.1"),
    (-0.0, None, "0"),
    (-0.0, 15, "0"),
    (2 / 3, 15, "0.666666666666667"),
    (1e15 / 3, 15, "333333333333333"),
    (5e-324, None, "0." + "0" * 323 + "5"),
]


@pytest.mark.parametrize(("value", "digits", "expected"), DOUBLES)
def test_a_double_prints_in_full(value, digits, expected):
    assert double_text(value, digits) == expected


AVERAGES = [
    # total (cents), cells, expected
    (100, 3, "0.33"),
    (200, 3, "0.67"),
    (1, 2, "0"),  # 0.005 → even
    (3, 2, "0.02"),  # 0.015 → even
    (-1, 2, "0"),
    (-3, 2, "-0.02"),
    (21101657, 23, "9174.63"),
]


@pytest.mark.parametrize(("total", "cells", "expected"), AVERAGES)
def test_an_average_is_rounded_half_even_from_the_exact_sum(total, cells, expected):
    assert average_text(total, cells, MONEY) == expected


DECIMALS = [(0, "9.33"), (1, "0.93"), (2, "0.09"), (4, "0.0009")]


@pytest.mark.parametrize(("scale", "expected"), DECIMALS)
def test_an_average_has_two_decimals_or_its_columns(scale, expected):
    assert average_text(28, 3, ColumnType("v", "number", scale=scale)) == expected


def test_a_cell_as_text():
    assert cell_text(True, MONEY) == "true"
    assert cell_text(False, MONEY) == "false"
    assert cell_text("", MONEY) == cell_text(None, MONEY) == ""
    assert cell_text(1250, MONEY) == "12.5"
    assert cell_text(0.1, DOUBLE) == "0.1"
    assert cell_text("060", MONEY) == "060"


def test_a_number_keeps_its_decimals_in_aggregates():
    assert exact(1250, MONEY) == Decimal("12.50")
    assert decimals_text(exact(1250, MONEY)) == "12.50"
    assert exact_text(1250, MONEY) == "12.5"


WHOLE = st.integers(-(10**40), 10**40)


@given(WHOLE, st.integers(0, 38))
def test_the_printed_number_is_the_number(value, scale):
    text = scaled_text(value, scale)
    assert Decimal(text) == Decimal(f"{value}E-{scale}")
    assert "e" not in text.lower()
    assert text != "-0"
    assert "." not in text or text[-1] != "0"


@given(WHOLE, st.integers(1, 10**12))
def test_division_rounds_as_decimals_do(dividend, divisor):
    with localcontext(prec=120):
        expected = (Decimal(dividend) / divisor).quantize(Decimal(1), ROUND_HALF_EVEN)
    assert divide_half_even(dividend, divisor) == int(expected)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_printed_double_reads_back(value):
    assert float(double_text(value)) == value


SUMS = [
    pytest.param([1e308, 1e308, -1e308], 1e308, id="past the largest double on the way"),
    pytest.param([1.5e308, 1.5e308], 2 * int(1.5e308), id="past the largest double in the end"),
    pytest.param([0.1] * 10, 1.0, id="rounded once"),
    pytest.param([], 0.0, id="nothing"),
]


@pytest.mark.parametrize(("values", "expected"), SUMS)
def test_doubles_add_up(values, expected):
    assert add_doubles(values) == expected


def test_a_sum_past_the_largest_double_prints_in_full():
    column = ColumnType("v", "number", double=True)
    total = add_doubles([1e308, 1e308])
    assert exact_text(total, column) == "2" + "0" * 308
    assert average_text(total, 2, column) == "1" + "0" * 308
