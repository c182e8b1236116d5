"""Counts how the values of a column spread over bins of equal width, for people to see its shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

from datasources.spaced_rows import spaced_rows
from engine.band import Band
from engine.columns import ColumnType, Typed
from engine.facts import double_text, scaled_text

if TYPE_CHECKING:
    from engine.snapshot import SnapshotBand

BINS = 10
SAMPLE_ROWS_MAX = 4_096
SAMPLE_CELLS_MAX = 400_000
"""Of a streamed band with very many columns fewer rows are looked at, since rows are read whole."""
EDGE_DIGITS = 6
"""Significant digits of the edges between the bins of a DOUBLE column."""


@dataclass(frozen=True, slots=True)
class ColumnSample:
    """The columns of a band: whole, or the cells of an evenly spaced sample of rows."""

    columns: tuple[Sequence[Typed], ...]
    rows: int
    """Rows looked at."""
    rows_of_band: int

    @property
    def is_whole(self) -> bool:
        """Whether every row was looked at."""
        return self.rows == self.rows_of_band


def sample_columns(band: SnapshotBand, rows_max: int = SAMPLE_ROWS_MAX) -> ColumnSample:
    """The columns of a band: whole where it is in memory, else of at most *rows_max* rows, evenly spaced."""
    if isinstance(band, Band) and band.values is not None:
        return ColumnSample(band.values, band.rows, band.rows)
    share = min(rows_max, max(1, SAMPLE_CELLS_MAX // max(1, len(band.columns))))
    positions = spaced_rows(band.rows, share)
    rows = band.take(positions) if positions else []
    columns = tuple(zip(*rows, strict=True)) if rows else tuple(() for _ in band.columns)
    return ColumnSample(columns, len(rows), band.rows)


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many cells are in each of some bins, side by side from the least value to the greatest."""

    starts: tuple[str, ...]
    """The least value of each bin, as facts print; the last bin ends with `end`."""
    end: str
    counts: tuple[int, ...]
    """Cells per bin; nulls are in none."""


def histogram_of(values: Sequence[Typed], column: ColumnType, low: str, high: str) -> Histogram | None:
    """
    The histogram of *values* between the column's least and greatest value, as its profile prints them.

    A column of few steps (days, units of its scale) has one bin for each; None where *low* is *high*, and
    for columns that are neither numbers nor dates.

    >>> histogram_of([0, 1, 1, 3], ColumnType("n", "number"), "0", "3").counts
    (1, 2, 0, 1)
    """
    if column.type in ("date", "datetime"):
        first, last = date.fromisoformat(low[:10]).toordinal(), date.fromisoformat(high[:10]).toordinal()
        return _of_steps(values, first, last, _day_of, lambda step: date.fromordinal(step).isoformat())
    if column.type != "number":
        return None
    if column.double:
        return _of_doubles(values, float(low), float(high))
    scale = column.scale
    return _of_steps(
        values,
        int(Fraction(low) * 10**scale),
        int(Fraction(high) * 10**scale),
        int,  # type: ignore[arg-type]  # the typed cells of such a column are integers
        lambda step: scaled_text(step, scale),
    )


def _day_of(value: Typed) -> int:
    return date.fromisoformat(str(value)[:10]).toordinal()


def _of_steps(
    values: Sequence[Typed],
    low: int,
    high: int,
    step_of: Callable[[Typed], int],
    text_of: Callable[[int], str],
) -> Histogram | None:
    span = high - low
    if span <= 0:
        return None
    bins = min(BINS, span + 1)
    # A bin for each step has no upper edge to share; else the greatest value belongs to the last bin.
    width = span + 1 if bins == span + 1 else span
    found: Counter[int] = Counter()
    for value, count in Counter(values).items():
        if value is not None:
            found[_inside((step_of(value) - low) * bins // width, bins)] += count
    starts = [low - (-index * width // bins) for index in range(bins)]
    return Histogram(tuple(map(text_of, starts)), text_of(high), tuple(found[index] for index in range(bins)))


def _of_doubles(values: Sequence[Typed], low: float, high: float) -> Histogram | None:
    # Halves, so that the distance of the two largest doubles does not overflow.
    width = high / 2 - low / 2
    if width <= 0:
        return None
    found: Counter[int] = Counter()
    for value, count in Counter(values).items():
        if value is not None:
            found[_inside(floor((float(value) / 2 - low / 2) / width * BINS), BINS)] += count
    edges = [low * (1 - index / BINS) + high * (index / BINS) for index in range(1, BINS)]
    starts = (double_text(low), *(double_text(edge, EDGE_DIGITS) for edge in edges))
    return Histogram(starts, double_text(high), tuple(found[index] for index in range(BINS)))


def _inside(index: int, bins: int) -> int:
    # Bounds printed with 15 digits may lie a little inside of the doubles that they stand for.
    return min(max(index, 0), bins - 1)
