"""A histogram counts each cell in one bin, by exact arithmetic."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.base import Lists, RawBand
from engine.band import type_band
from engine.columns import ColumnType
from engine.facts import exact_text
from engine.histogram import BINS, histogram_of, sample_columns

INTEGER = ColumnType("n", "number")
MONEY = ColumnType("n", "number", scale=2)
DOUBLE = ColumnType("n", "number", double=True)
DAY = ColumnType("d", "date")
MOMENT = ColumnType("d", "datetime")


@pytest.mark.parametrize(
    ("values", "column", "low", "high", "starts", "counts"),
    [
        pytest.param(
            [0, 3, 3, 1, None], INTEGER, "0", "3", "0 1 2 3", (1, 1, 0, 2), id="a bin for each number"
        ),
        pytest.param(
            list(range(101)), INTEGER, "0", "100", "0 10 20 30 40 50 60 70 80 90", (*(10,) * 9, 11), id="tens"
        ),
        pytest.param([-150, 50], MONEY, "-1.5", "0.5", None, (1, *(0,) * 8, 1), id="money"),
        pytest.param([10, 12], MONEY, "0.1", "0.12", "0.1 0.11 0.12", (1, 0, 1), id="cents"),
        pytest.param(
            ["2026-01-01", "2026-01-03", "2026-01-03"],
            DAY,
            "2026-01-01",
            "2026-01-03",
            "2026-01-01 2026-01-02 2026-01-03",
            (1, 0, 2),
            id="days",
        ),
        pytest.param(
            ["2026-01-01T10:00:00-03:00", "2026-01-02T00:00:00Z"],
            MOMENT,
            "2026-01-01T10:00:00-03:00",
            "2026-01-02T00:00:00Z",
            "2026-01-01 2026-01-02",
            (1, 1),
            id="times count by day",
        ),
        pytest.param([0.0, 0.5, 1.0], DOUBLE, "0", "1", None, (1, 0, 0, 0, 0, 1, 0, 0, 0, 1), id="doubles"),
        pytest.param(
            [-1.7e308, 1.7e308], DOUBLE, "-1.7e308", "1.7e308", None, (1, *(0,) * 8, 1), id="farthest doubles"
        ),
        pytest.param(
            [10**37, 10**37 + 10**9],
            INTEGER,
            str(10**37),
            str(10**37 + 10**9),
            None,
            (1, *(0,) * 8, 1),
            id="38 digits",
        ),
    ],
)
def test_cells_per_bin(values, column, low, high, starts, counts):
    found = histogram_of(values, column, low, high)
    assert found is not None
    assert found.counts == counts
    assert starts is None or found.starts == tuple(starts.split())


@pytest.mark.parametrize(
    ("values", "column", "low", "high"),
    [
        pytest.param([5, 5], INTEGER, "5", "5", id="one number"),
        pytest.param(["2026-01-01"], DAY, "2026-01-01", "2026-01-01", id="one day"),
        pytest.param([1.5, 1.5], DOUBLE, "1.5", "1.5", id="one double"),
        pytest.param(["a", "b"], ColumnType("t", "text"), "a", "b", id="text"),
    ],
)
def test_no_histogram_without_a_spread(values, column, low, high):
    assert histogram_of(values, column, low, high) is None


@given(st.lists(st.none() | st.integers(-(10**20), 10**20), min_size=2), st.integers(0, 6))
def test_every_cell_is_in_the_bin_that_starts_at_or_before_it(values, scale):
    column = ColumnType("n", "number", scale=scale)
    numbers = [value for value in values if value is not None]
    low, high = min(numbers, default=0), max(numbers, default=0)
    found = histogram_of(values, column, exact_text(low, column), exact_text(high, column))
    if low == high:
        assert found is None
        return
    assert found is not None
    starts = [int(Decimal(start).scaleb(scale)) for start in found.starts]
    assert len(starts) <= BINS
    assert found.counts == tuple(
        sum(start <= number and (end is None or number < end) for number in numbers)
        for start, end in zip(starts, [*starts[1:], None], strict=True)
    )


def lists_band(rows: int) -> RawBand:
    return RawBand("b", ("n",), Lists(([str(row) for row in range(rows)],), rows), "text")


def test_a_band_in_memory_is_looked_at_whole():
    found = sample_columns(type_band(lists_band(5_000)), rows_max=10)
    assert found.is_whole
    assert len(found.columns[0]) == found.rows == 5_000


class Stored:
    """A band of which rows are fetched by position."""

    names = ("b",)
    name = "b"
    rows = 100
    columns = (INTEGER, INTEGER)

    def take(self, rows):
        return [(row, -row) for row in rows]


def test_of_another_band_evenly_spaced_rows_are_looked_at():
    found = sample_columns(Stored(), rows_max=4)
    assert found.columns == ((0, 25, 50, 75), (0, -25, -50, -75))
    assert (found.rows, found.rows_of_band, found.is_whole) == (4, 100, False)
