"""Chooses the rows that travel to a model: an evenly spaced sample under one budget for the report (spec 7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from datasources.spaced_rows import EXCERPT_ROWS_MAX, spaced_rows
from engine.columns import ColumnType, Typed

if TYPE_CHECKING:
    from engine.snapshot import SnapshotBand

ROWS_MAX = EXCERPT_ROWS_MAX
"""Rows of a whole report, unless the caller says otherwise."""


@dataclass(frozen=True, slots=True)
class BandExcerpt:
    """The rows of one band that travel."""

    name: str
    rows: int
    """Rows of the whole band."""
    columns: tuple[ColumnType, ...]
    positions: tuple[int, ...]
    """Which rows these are, 0-based, in source order."""
    cells: tuple[tuple[Typed, ...], ...]
    """One tuple a row, in column order."""
    more: Callable[[Sequence[int]], list[tuple[Typed, ...]]]
    """Fetches rows of the band by position: a smaller sample is another sample, not a part of this one."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The rows of every band that travel."""

    bands: tuple[BandExcerpt, ...]

    @property
    def shown(self) -> int:
        """How many rows travel."""
        return sum(len(band.cells) for band in self.bands)

    @property
    def rows(self) -> int:
        """How many rows the report has."""
        return sum(band.rows for band in self.bands)


def excerpt_bands(bands: Sequence[SnapshotBand], rows_max: int = ROWS_MAX) -> Excerpt:
    """The excerpt of *bands* with at most *rows_max* rows in all."""
    shares = share_rows([band.rows for band in bands], rows_max)
    return Excerpt(tuple(_excerpt(band, share) for band, share in zip(bands, shares, strict=True)))


def _excerpt(band: SnapshotBand, share: int) -> BandExcerpt:
    positions = spaced_rows(band.rows, share)
    return BandExcerpt(
        band.name,
        band.rows,
        band.columns,
        positions,
        tuple(band.take(positions)) if positions else (),
        band.take,
    )


def share_rows(sizes: Sequence[int], rows_max: int) -> list[int]:
    """
    How many rows each band may show.

    Equal shares, the first bands one more where it does not divide; what a small band does not use is
    shared again among the rest.

    >>> share_rows([3, 500, 500], 100)
    [3, 49, 48]
    """
    shares = [0] * len(sizes)
    left = max(rows_max, 0)
    hungry = [index for index, size in enumerate(sizes) if size]
    while left and hungry:
        each, extra = divmod(left, len(hungry))
        for order, index in enumerate(hungry):
            given = min(each + (order < extra), sizes[index] - shares[index])
            shares[index] += given
            left -= given
        hungry = [index for index in hungry if shares[index] < sizes[index]]
    return shares
