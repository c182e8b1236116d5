"""A person reads a figure with the decimals of its column, and money with cents."""

from __future__ import annotations

import pytest

from engine.shown_figures import own_decimals, with_decimals


@pytest.mark.parametrize(
    ("verb", "unit", "scale", "expected"),
    [
        pytest.param("SUM", None, 2, 2, id="those of the column"),
        pytest.param("SUM", "R$", 0, 2, id="cents of money in whole units"),
        pytest.param("MAX", "US$", 4, 4, id="money with more"),
        pytest.param("DIFFERENCE", "€", 0, 2, id="money that was calculated"),
        pytest.param("AVG", None, 0, 0, id="of whole numbers none"),
        pytest.param("COUNT", None, 2, 0, id="rows are whole"),
        pytest.param("DISTINCT", None, 2, 0, id="values are counted"),
        pytest.param("SHARE", "%", 2, 0, id="a share is not in the column's unit"),
        pytest.param("SUM", "kg", 3, 3, id="another unit"),
    ],
)
def test_decimals(verb, unit, scale, expected):
    assert own_decimals(verb, unit, scale) == expected


@pytest.mark.parametrize(
    ("number", "decimals", "expected"),
    [
        ("2468518.7", 2, "2468518.70"),
        ("74824", 2, "74824.00"),
        ("-0.5", 2, "-0.50"),
        ("0.125", 2, "0.125"),
        ("7", 0, "7"),
        ("12345678901234567890", 2, "12345678901234567890.00"),
    ],
)
def test_no_digit_is_lost(number, decimals, expected):
    assert with_decimals(number, decimals) == expected
