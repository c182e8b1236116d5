"""Quotients and roots are rounded once, half-even, from exact parts."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.columns import ColumnType
from engine.query.doubles import exact_squares, exact_total
from engine.query.measured import Measured

CENTS = ColumnType("valor", "number", "R$", 2)
DOUBLE = ColumnType("x", "number", double=True)


def deviation(cells, column=CENTS):
    total, squares = sum(cells), sum(cell * cell for cell in cells)
    return Measured("STDDEV", column, len(cells), len(cells), total, squares)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(Measured("SUM", CENTS, 2, 2, 150), "1.5", id="sum"),
        pytest.param(Measured("AVG", CENTS, 2, 2, 1), "0", id="half of a cent to the even one"),
        pytest.param(Measured("AVG", CENTS, 2, 2, 3), "0.02", id="half of three cents too"),
        pytest.param(Measured("MEDIAN", CENTS, 2, 2, middle=(1, 2)), "0.015", id="between two cents"),
        pytest.param(Measured("MEDIAN", CENTS, 3, 3, middle=(-7, -7)), "-0.07", id="the middle one"),
        pytest.param(deviation([0, 200]), "1.41", id="root of two"),
        pytest.param(deviation([5]), None, id="one value does not deviate"),
        pytest.param(deviation([7] * 9), "0", id="nor do equal ones"),
        pytest.param(Measured("COUNT", CENTS, 3, 0), "0", id="cells"),
        pytest.param(Measured("SUM", CENTS, 3, 0), None, id="nothing to add"),
        pytest.param(
            Measured("SHARE", CENTS, 1, 1, 1, whole=Measured("SHARE", CENTS, 3, 3, 800)),
            "0.12",
            id="an eighth of a percent, half-even",
        ),
        pytest.param(
            Measured("SHARE", CENTS, 1, 1, -50, whole=Measured("SHARE", CENTS, 3, 3, -200)),
            "25",
            id="of what is negative",
        ),
        pytest.param(
            Measured("SHARE", CENTS, 1, 1, 50, whole=Measured("SHARE", CENTS, 3, 3, 0)), None, id="of nothing"
        ),
        pytest.param(
            Measured("SHARE", None, 1, 1, whole=Measured("SHARE", None, 3, 3)), "33.33", id="of rows"
        ),
    ],
)
def test_values(found, expected):
    assert found.value == expected


@given(st.lists(st.integers(-(10**18), 10**18), min_size=2, max_size=30))
def test_a_deviation_is_the_root_that_exact_arithmetic_has(cells):
    value = Decimal(deviation(cells).value)
    square = Fraction(len(cells) * sum(c * c for c in cells) - sum(cells) ** 2) / (
        len(cells) * (len(cells) - 1) * 10**4
    )
    half = Fraction(1, 200)
    low, high = max(Fraction(value) - half, Fraction(0)), Fraction(value) + half
    assert low**2 <= square <= high**2


doubles = st.floats(allow_nan=False, allow_infinity=False, width=64)


@given(st.lists(doubles, max_size=40))
def test_sums_of_doubles_and_their_squares_are_exact(cells):
    assert exact_total(cells) == sum(map(Fraction, cells), Fraction(0))
    assert exact_squares(cells) == sum((Fraction(cell) ** 2 for cell in cells), Fraction(0))


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30))
def test_the_deviation_of_doubles_is_that_of_the_standard_library(cells):
    found = Measured("STDDEV", DOUBLE, len(cells), len(cells), exact_total(cells), exact_squares(cells))
    assert float(found.value or "nan") == pytest.approx(stdev(map(Fraction, cells)), rel=1e-14, abs=1e-300)
