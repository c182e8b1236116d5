"""Many sums by many axes in few passes, exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cubes import BLOCK_ROWS, CELLS_MAX, AxisCodes, exact_sum, pack, sum_by_axes
from engine.states import DOUBLE_UNIT
from tests.kernels import by_both_ways, running

PACKED = [
    pytest.param({0: 3, 1: 4}, [[1, 0]], id="small axes share a bin"),
    pytest.param({0: 9_000}, [[0]], id="a large axis has its own"),
    pytest.param({0: 128, 1: 64, 2: 2}, [[0, 1], [2]], id="a full bin takes no more"),
    pytest.param({}, [], id="none"),
]


@pytest.mark.parametrize(("sizes", "expected"), PACKED)
def test_axes_are_packed(sizes, expected):
    assert pack(sizes) == expected


@given(st.dictionaries(st.integers(0, 20), st.integers(1, 9_000), max_size=12))
def test_every_axis_is_in_one_bin_that_fits(sizes):
    bins = pack(sizes)
    assert sorted(axis for members in bins for axis in members) == sorted(sizes)
    for members in bins:
        assert len(members) == 1 or np.prod([sizes[axis] for axis in members]) <= CELLS_MAX


INTEGERS = st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(-1_000, 1_000)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def by_group(codes, values, size):
    return [
        sum(value for code, value in zip(codes, values, strict=True) if code == group)
        for group in range(size)
    ]


@by_both_ways
@given(data=st.data(), rows=st.integers(0, 30), numbers=st.integers(1, 10), wide=st.booleans())
def test_sums_of_integers_are_exact_on_every_axis(way, data, rows, numbers, wide):
    sizes = {position: data.draw(st.integers(1, 5)) for position in range(data.draw(st.integers(1, 4)))}
    codes = {
        position: data.draw(st.lists(st.integers(0, size - 1), min_size=rows, max_size=rows))
        for position, size in sizes.items()
    }
    integers = INTEGERS if wide else st.integers(-(10**9), 10**9)
    measures = [data.draw(st.lists(integers, min_size=rows, max_size=rows)) for _ in range(numbers)]
    axes = {
        position: AxisCodes(np.array(codes[position], np.int32), size) for position, size in sizes.items()
    }
    with running(way):
        found = sum_by_axes(axes, [np.array(values, np.int64) for values in measures])
    for position, size in sizes.items():
        expected = zip(*(by_group(codes[position], values, size) for values in measures), strict=True)
        assert found[position] == [list(group) for group in expected]


@given(st.lists(st.tuples(st.integers(0, 2), FLOATS), max_size=25))
def test_sums_of_doubles_are_exact(pairs):
    codes, values = [code for code, _ in pairs], [value for _, value in pairs]
    units = [int(Fraction(value) * 2**DOUBLE_UNIT) for value in values]
    axes = {0: AxisCodes(np.array(codes, np.int32), 3)}
    found = sum_by_axes(axes, [np.array(values, np.float64)])
    assert found[0] == [[total] for total in by_group(codes, units, 3)]
    assert exact_sum(np.array(values, np.float64)) == sum(units)


@given(st.lists(INTEGERS, max_size=40))
def test_a_sum_of_integers_is_exact(values):
    assert exact_sum(np.array(values, np.int64)) == sum(values)


@by_both_ways
def test_rows_of_many_blocks_are_summed_together(way):
    rows = 2 * BLOCK_ROWS + 3
    codes = np.arange(rows, dtype=np.int32)
    axes = {0: AxisCodes(codes % 3, 3), 1: AxisCodes(codes % 7, 7), 2: AxisCodes(codes % 5_000, 5_000)}
    narrow, wide = np.arange(rows), np.arange(rows) << 40
    with running(way):
        sums = {width: sum_by_axes(axes, [one]) for width, one in (("narrow", narrow), ("wide", wide))}
        both = sum_by_axes(axes, [narrow, wide])
    for position, axis in axes.items():
        for group in (0, axis.size - 1):
            total = int(narrow[axis.codes == group].sum())
            assert both[position][group] == [total, total << 40]
            assert sums["narrow"][position][group] == [total]
            assert sums["wide"][position][group] == [total << 40]
