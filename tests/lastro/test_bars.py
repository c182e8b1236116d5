"""Bars are as long as their numbers say, and what is not zero is seen."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.bars import AXIS, draw_bars


@pytest.mark.parametrize(
    ("numbers", "cells", "expected"),
    [
        pytest.param([4, 1, 0, None], 8, ["████████", "██", "", ""], id="above zero"),
        pytest.param([4, -2], 7, ["  │████", "██│"], id="on both sides"),
        pytest.param([-4, -1, 0, None], 5, ["████│", "   █│", "    │", ""], id="below zero"),
        pytest.param([1000, 1, -1], 8, [" │██████", " │▏", "▐│"], id="small ones are seen"),
        pytest.param([0, None], 8, ["", ""], id="nothing"),
        pytest.param([], 8, [], id="none"),
    ],
)
def test_bars(numbers, cells, expected):
    assert draw_bars([None if one is None else Decimal(one) for one in numbers], cells) == expected


@given(
    st.lists(st.decimals(allow_nan=False, allow_infinity=False) | st.none(), max_size=8),
    st.integers(8, 60),
)
def test_no_bar_is_wider_than_it_may_be(numbers, cells):
    bars = draw_bars(numbers, cells)
    assert all(len(bar) <= cells for bar in bars)
    assert all(bar.strip(f"{AXIS} ") for number, bar in zip(numbers, bars, strict=True) if number)
