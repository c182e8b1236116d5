"""Computes the statistics of a band in memory with plain Python: the quickest way for small reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from datasources.base import Cell, DataWarning, Lists, RawBand
from engine import counting, roles
from engine.cleaning import strip
from engine.statistics import Axis, BandStatistics, FieldStatistics, Total, axes_of
from engine.typing import ColumnEvidence, ColumnType, Typed, decide_types, observe, read_cell, text_of


@dataclass(frozen=True, slots=True)
class PlainBand:
    """A band in memory, typed: one list a column, and what was counted in it."""

    columns: tuple[ColumnType, ...]
    values: tuple[list[Typed], ...]
    statistics: BandStatistics
    warnings: tuple[DataWarning, ...]


@dataclass(frozen=True, slots=True)
class _Cleaned:
    """A column's cells, its distinct cells with their counts, and what each becomes when stripped."""

    cells: list[Cell]
    clean: Mapping[Cell, Cell]
    counts: dict[Cell, int]
    """Rows per distinct cell, stripped, without nulls."""


def analyse(band: RawBand, dropped: frozenset[int] = frozenset()) -> PlainBand:
    """Type *band* without the rows at the positions *dropped*, and compute its statistics."""
    assert isinstance(band.cells, Lists)
    lists = band.cells.columns
    if dropped:
        lists = tuple([cell for row, cell in enumerate(cells) if row not in dropped] for cells in lists)
    rows = band.cells.rows - len(dropped)
    cleaned = [_clean(cells, band.null_values) for cells in lists]
    evidence = [
        observe(one.counts, name, patient=False) for one, name in zip(cleaned, band.columns, strict=True)
    ]
    columns, warnings = decide_types(
        band.columns, evidence, band=band.name, locale=band.locale, source=band.decimal_style
    )
    values = tuple(_read(one, column) for one, column in zip(cleaned, columns, strict=True))
    fields = tuple(
        _field(column, cells, one, seen, rows, position == band.parent_column)
        for position, (column, cells, one, seen) in enumerate(zip(columns, values, cleaned, evidence, strict=True))
    )
    statistics = BandStatistics(rows, fields, _sum_groups(fields, values, rows))
    return PlainBand(columns, values, statistics, warnings)


def _clean(cells: list[Cell], null_values: tuple[str, ...]) -> _Cleaned:
    raw = Counter(cells)
    raw.pop(None, None)
    kinds = set(map(type, cells))
    if bool in kinds and len(kinds - {type(None)}) > 1:
        # True equals 1, so as keys they would be one: name the booleans before they meet numbers.
        cells = [text_of(cell) if isinstance(cell, bool) else cell for cell in cells]
        raw = Counter(cell for cell in cells if cell is not None)
    clean: dict[Cell, Cell] = {None: None}
    counts: dict[Cell, int] = {}
    for cell, count in raw.items():
        stripped: Cell = cell
        if isinstance(cell, str):
            stripped = strip(cell)
            if not stripped or stripped in null_values:
                clean[cell] = None
                continue
        clean[cell] = stripped
        counts[stripped] = counts.get(stripped, 0) + count
    return _Cleaned(cells, clean, counts)


def _read(one: _Cleaned, column: ColumnType) -> list[Typed]:
    if column.type == "text":
        typed: dict[Cell, Typed] = {cell: None if c is None else text_of(c) for cell, c in one.clean.items()}
    else:
        typed = {cell: read_cell(c, column) for cell, c in one.clean.items()}
    return list(map(typed.__getitem__, one.cells))


def _field(
    column: ColumnType,
    values: list[Typed],
    one: _Cleaned,
    evidence: ColumnEvidence,
    rows: int,
    is_parent: bool,
) -> FieldStatistics:
    found = counting.count(column, evidence, one.counts, rows, is_parent)
    if found.role == "measure" and _counts_up(found, values):
        return counting.count(column, evidence, one.counts, rows, is_parent, counts_up=True)
    return found


def _counts_up(found: FieldStatistics, values: list[Typed]) -> bool:
    """Whether each value is one more than the one before, none is null, and there are enough (spec 2, roles)."""
    rows, first = len(values), found.minimum
    if found.column.scale or found.column.double or rows < roles.COUNTER_ROWS_MIN or not isinstance(first, int):
        return False
    return found.nulls == 0 and values == list(range(first, first + rows))


def _sum_groups(
    fields: tuple[FieldStatistics, ...], values: tuple[list[Typed], ...], rows: int
) -> dict[tuple[Axis, int], dict[Typed, Total]]:
    measures = [position for position, one in enumerate(fields) if one.role in roles.SUMMABLE]
    if not measures:
        return {}
    filled = {position: [value or 0 for value in values[position]] for position in measures}
    sums: dict[tuple[Axis, int], dict[Typed, Total]] = {}
    for axis in axes_of(fields, rows):
        members: dict[Typed, list[int]] = {}
        keys = values[axis.field] if axis.period is None else map(axis.key, values[axis.field])
        for row, key in enumerate(keys):
            members.setdefault(key, []).append(row)
        for position in measures:
            pick = filled[position].__getitem__
            add = fsum if fields[position].column.double else sum
            sums[axis, position] = {key: add(map(pick, found)) for key, found in members.items()}  # type: ignore[operator]
    return sums
