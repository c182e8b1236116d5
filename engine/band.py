"""A typed band: the raw table, the verdict on its columns, and what was counted in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from datasources.base import Cell, DataWarning, Lists, RawBand
from engine import plain, total_rows
from engine.columns import ColumnType, Typed
from engine.declared import unknown_fields
from engine.enums import near_equal_warnings
from engine.not_summed import not_summed_warnings
from engine.statistics import BandStatistics
from engine.total_rows import TotalRow
from engine.uniform import read_cells


@dataclass(frozen=True, slots=True)
class Band:
    """A band of which every cell can be read as its column's type."""

    names: tuple[str, ...]
    """More than one when bands of equal content were merged."""
    raw: RawBand
    columns: tuple[ColumnType, ...]
    statistics: BandStatistics = field(repr=False)
    totals: tuple[TotalRow, ...] = field(repr=False)
    """Rows of the source that are totals, and no rows of the band."""
    warnings: tuple[DataWarning, ...]
    values: tuple[list[Typed], ...] | None = field(default=None, repr=False)
    """One list a column, where the band is in memory."""

    @property
    def name(self) -> str:
        """`canhoto+header` for merged bands."""
        return "+".join(self.names)

    @property
    def rows(self) -> int:
        """Rows without totals."""
        return self.statistics.rows

    @property
    def dropped(self) -> frozenset[int]:
        """Positions in the source of the rows that are totals."""
        return frozenset(total.row for total in self.totals)

    def take(self, rows: Sequence[int]) -> list[tuple[Typed, ...]]:
        """The typed rows at the ascending positions *rows*."""
        if not self.columns:
            return [()] * len(rows)
        if self.values is not None:
            return list(zip(*[map(column.__getitem__, rows) for column in self.values], strict=True))
        shift = 1 if 0 in self.dropped else 0
        found = raw_rows(self.raw, [row + shift for row in rows])
        typed = [
            read_cells(cells, column)
            for cells, column in zip(zip(*found, strict=True), self.columns, strict=False)
        ]
        return list(zip(*typed, strict=True))


def raw_rows(raw: RawBand, rows: Sequence[int]) -> list[tuple[Cell, ...]]:
    """The untyped rows at the ascending positions *rows* of the source."""
    if isinstance(raw.cells, Lists):
        return [tuple(column[row] for column in raw.cells.columns) for row in rows]
    from datasources.arrow_types import python_values

    table = raw.cells.take(rows)
    return list(zip(*map(python_values, table.columns), strict=True))


def type_band(raw: RawBand, *, complete: bool = True) -> Band:
    """
    Type a raw band, take its total rows out, and compute its statistics.

    Unless *complete*, a streamed band leaves out what the data context would not print: null counts and
    near misses of text columns that a sample proves to be no enumeration.
    """
    edges = _edges(raw)
    labelled = frozenset(row for row, cells in edges.items() if total_rows.is_labelled(cells))
    if len(labelled) == raw.rows:
        labelled = frozenset()
    analysed = _analyse(raw, labelled, complete)
    totals: tuple[TotalRow, ...] = ()
    if labelled:
        totals = total_rows.settle_labelled(edges, analysed.statistics, labelled, raw.name)
        if not totals:
            analysed = _analyse(raw, frozenset(), complete)
    dropped = frozenset(total.row for total in totals)
    for row in sorted(edges.keys() - dropped, reverse=True):
        if not total_rows.may_be_total(edges[row], analysed.statistics):
            continue
        others = _analyse(raw, dropped | {row}, complete)
        found = total_rows.settle_unlabelled(
            row, edges[row], analysed.statistics, others.statistics, raw.name
        )
        if found is not None:
            totals, analysed = (*totals, found), others
            break
    if raw.secured:
        totals = total_rows.without_values(totals)
    warnings = (
        *raw.warnings,
        *unknown_fields(raw),
        *analysed.warnings,
        *(warning for total in totals for warning in total.warnings),
        *near_equal_warnings(analysed.statistics, raw.name),
        *not_summed_warnings(analysed.statistics, raw.name),
    )
    return Band((raw.name,), raw, analysed.columns, analysed.statistics, totals, warnings, analysed.values)


@dataclass(frozen=True, slots=True)
class _Analysed:
    columns: tuple[ColumnType, ...]
    statistics: BandStatistics
    warnings: tuple[DataWarning, ...]
    values: tuple[list[Typed], ...] | None


def _analyse(raw: RawBand, dropped: frozenset[int], complete: bool) -> _Analysed:
    if isinstance(raw.cells, Lists):
        found = plain.analyse(raw, dropped)
        return _Analysed(found.columns, found.statistics, found.warnings, found.values)
    from engine import batch

    columns, statistics, warnings = batch.analyse(raw, dropped, complete=complete)
    return _Analysed(columns, statistics, warnings, None)


def _edges(raw: RawBand) -> dict[int, tuple[Cell, ...]]:
    """The first and the last row, where the source may have total rows there."""
    if raw.origin not in total_rows.TEXT_ORIGINS or raw.rows <= total_rows.OTHER_ROWS_MIN:
        return {}
    rows = [0, raw.rows - 1]
    return dict(zip(rows, raw_rows(raw, rows), strict=True))
