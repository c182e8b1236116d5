"""The loop that sums measures by the codes of axes, to be compiled (see `compiled`)."""

from __future__ import annotations

from datasources.words import Words, add_eight, half, word

LANES = 8
"""So many measures are added at a time."""
BLOCK_ROWS = 512
"""The measures of so many rows fit the fastest cache."""


def sum_by_codes(
    axes: Words,
    firsts: Words,
    axis_count: int,
    measures: Words,
    measure_count: int,
    rows: int,
    block: Words,
    sums: Words,
) -> int:
    """
    Add up to eight *measures* (of words) to *sums*, at each of *axes* (of half words).

    Sums stand eight words a group, those of an axis from its place in *firsts* on. *block* is room for
    `BLOCK_ROWS` times eight words, all 0.
    """
    for start in range(0, rows, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, rows)
        for lane in range(measure_count):
            for row in range(start, stop):
                block[LANES * (row - start) + lane] = word(measures[lane] + 8 * row)
        for axis in range(axis_count):
            first, codes = LANES * firsts[axis], axes[axis]
            for row in range(start, stop):
                add_eight(sums, first + LANES * half(codes + 4 * row), block, LANES * (row - start))
    return rows
