"""Whole columns of numbers are written as each number alone is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.digit_pieces import SCALE_MAX, number_pieces
from engine.facts import scaled_text
from engine.json_pieces import Layout

LARGEST = 2**63 - 1


def texts_of(values, scale, texts_max=0):
    pieces = number_pieces(np.array(values, np.int64), scale, texts_max)
    return Layout.of(pieces, len(values)).texts().to_pylist()


@pytest.mark.parametrize(
    ("values", "scale", "texts"),
    [
        pytest.param([0, 7, 10, 9_999], 0, ["0", "7", "10", "9999"], id="one group"),
        pytest.param([0, -7, -10], 0, ["0", "-7", "-10"], id="signs"),
        pytest.param(
            [10_000, 12_345, 5, 100_000_000, 99_990_000],
            0,
            ["10000", "12345", "5", "100000000", "99990000"],
            id="inner groups keep their zeros",
        ),
        pytest.param([-5, 150, 100, -100_050], 2, ["-0.05", "1.5", "1", "-1000.5"], id="cents"),
        pytest.param(
            [1, 10_000, 10_001, 120_000, 1_000_000],
            6,
            ["0.000001", "0.01", "0.010001", "0.12", "1"],
            id="two groups behind the mark",
        ),
        pytest.param([LARGEST, -LARGEST], 0, [str(LARGEST), str(-LARGEST)], id="largest"),
        pytest.param(
            [LARGEST, -(10**17)], 18, ["9.223372036854775807", "-0.1"], id="largest with all decimals"
        ),
    ],
)
def test_numbers_in_full(values, scale, texts):
    assert texts_of(values, scale) == texts


NEAR = st.builds(
    lambda power, digit, step: digit * 10**power + step,
    st.integers(0, 17), st.integers(-9, 9), st.integers(-2, 2),
)  # fmt: skip
NUMBERS = NEAR | st.integers(-LARGEST, LARGEST) | st.integers(-(10**5), 10**5)


@given(st.lists(NUMBERS, min_size=1, max_size=40), st.integers(0, SCALE_MAX), st.sampled_from([0, 1_000]))
def test_a_column_is_written_as_its_numbers(values, scale, texts_max):
    assert texts_of(values, scale, texts_max) == [scaled_text(value, scale) for value in values]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("scale", [0, 2, 4, 5, 9])
def test_every_group_of_digits(sign, scale):
    values = [sign * number for number in range(0, 400_000, 7)]
    assert texts_of(values, scale) == texts_of(values, scale, 10**6)
    assert texts_of(values, scale) == [scaled_text(value, scale) for value in values]


def test_numbers_that_lie_close_together_are_one_piece():
    values = np.arange(1_000, 1_100).repeat(10)
    assert [len(piece.texts) for piece in number_pieces(values, 2, 100)] == [100]
    assert len(number_pieces(values, 2, 99)) > 1
