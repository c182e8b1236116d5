"""Columns of native numbers, read whole or one by one, are the same numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.columns import ColumnType, read_cell
from engine.numeric import BLOCK_ROWS, native_numbers

DECIMALS = st.builds(
    lambda digits, scale: digits / 10**scale, st.integers(-(10**13), 10**13), st.integers(0, 4)
)


@given(
    st.lists(DECIMALS | st.sampled_from([0.0, -0.0, 0.1, 1e15, 5e-324]), min_size=1, max_size=20),
    st.integers(0, 6),
)
def test_doubles_of_few_decimals_are_integers_at_the_scale(values: list[float], scale: int) -> None:
    found = native_numbers(pa.chunked_array([pa.array(values)]), ColumnType("n", "number", scale=scale))
    (decimals,) = found.evidence.numbers.decimals.values()
    # With more decimals the guess is wrong: only the evidence counts.
    if decimals <= scale:
        expected = [read_cell(value, ColumnType("n", "number", scale=scale)) for value in values]
        assert found.values.tolist() == expected
        assert found.totals.sum == sum(expected)  # type: ignore[arg-type]
        assert (found.totals.minimum, found.totals.maximum) == (min(expected), max(expected))  # type: ignore[type-var]


@pytest.mark.parametrize(
    ("odd", "nulls", "not_finite", "decimals"),
    [(None, 1, 0, 2), (float("nan"), 1, 1, 2), (float("-inf"), 1, 1, 2), (0.125, 0, 0, 3)],
    ids=["null", "not a number", "infinite", "more decimals"],
)
def test_one_odd_cell_among_many_blocks_is_seen(
    odd: float | None, nulls: int, not_finite: int, decimals: int
) -> None:
    rows = BLOCK_ROWS + 5
    values: list[float | None] = [index / 100 for index in range(rows)]
    values[BLOCK_ROWS + 1] = odd
    found = native_numbers(
        pa.chunked_array([pa.array(values, pa.float64())]), ColumnType("n", "number", scale=2)
    )
    assert found.nulls == nulls
    assert found.evidence.not_finite == not_finite
    assert found.evidence.numbers.decimals == {"native": decimals}
    assert np.array_equal(found.values[:BLOCK_ROWS], np.arange(BLOCK_ROWS))


@pytest.mark.parametrize(
    ("values", "guessed", "decimals"),
    [
        ([0.5, 2.0], 4, 1),
        ([2.0, 0.0], 4, 0),
        ([1e17, 0.5], 0, 1),
        ([12345678.12345678], 2, 8),
        ([0.1, 1 / 3], 1, 10),
    ],
    ids=["fewer", "none", "beside a large one", "17 digits", "more than nine"],
)
@pytest.mark.parametrize("double", [False, True], ids=["as decimals", "as doubles"])
def test_the_evidence_does_not_hang_on_the_guess(
    values: list[float], guessed: int, decimals: int, double: bool
) -> None:
    guess = ColumnType("n", "number", scale=0 if double else guessed, double=double)
    found = native_numbers(pa.chunked_array([pa.array(values)]), guess)
    assert found.evidence.numbers.decimals == {"native": decimals}
