"""Computes the statistics of a band in memory with plain Python: the quickest way for small reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from datasources.base import Cell, DataWarning, FieldType, Lists, RawBand
from datasources.names import WHITE_SPACE
from engine import counting, declared, roles
from engine.columns import ColumnType, Typed, read_cell, text_of
from engine.evidence import ColumnEvidence, allows_compact, observe
from engine.facts import add_doubles
from engine.statistics import Axis, BandStatistics, FieldStatistics, Total, axes_of
from engine.typing import decide_types
from engine.uniform import Uniform, read_uniform, read_uniform_numbers


@dataclass(frozen=True, slots=True)
class PlainBand:
    """A band in memory, typed: one list a column, and what was counted in it."""

    columns: tuple[ColumnType, ...]
    values: tuple[list[Typed], ...]
    statistics: BandStatistics
    warnings: tuple[DataWarning, ...]


@dataclass(frozen=True, slots=True)
class _Column:
    """A column's cells, and its distinct cells with their counts."""

    cells: list[Cell]
    clean: Mapping[Cell, Cell]
    """Each distinct cell of the source, as it is when stripped; None for what means nothing."""
    counts: Mapping[Cell, int]
    """Rows per distinct cell, stripped, without nulls."""
    evidence: ColumnEvidence
    uniform: Uniform | None
    is_clean: bool
    """Whether every distinct cell is its own stripped self."""
    only_text: bool = False


def analyse(band: RawBand, dropped: frozenset[int] = frozenset()) -> PlainBand:
    """Type *band* without the rows at the positions *dropped*, and compute its statistics."""
    assert isinstance(band.cells, Lists)
    lists = band.cells.columns
    if dropped:
        lists = tuple([cell for row, cell in enumerate(cells) if row not in dropped] for cells in lists)
    rows = band.cells.rows - len(dropped)
    read = [
        _read(name, cells, band.null_values, declared.kind_of(band, position))
        for position, (name, cells) in enumerate(zip(band.columns, lists, strict=True))
    ]
    columns, warnings = decide_types(band, [one.evidence for one in read])
    values: list[list[Typed]] = []
    fields: list[FieldStatistics] = []
    cost: list[DataWarning] = []
    for position, (column, one) in enumerate(zip(columns, read, strict=True)):
        typed, counts = _type_distinct(one, column)
        cells = one.cells if typed is None else list(map(typed.__getitem__, one.cells))
        values.append(cells)  # type: ignore[arg-type]
        field = counting.count_typed(column, one.evidence, counts, rows, position == band.parent_column)
        if field.role == "measure" and _counts_up(field, cells, one.evidence):  # type: ignore[arg-type]
            field = replace(field, role="id")
        fields.append(field)
        if column.declared:
            misfits = declared.misfits_among(one.counts, column)
            cost += declared.declared_warnings(column, one.evidence, misfits, band.name)
    statistics = BandStatistics(rows, tuple(fields), _sum_groups(fields, values, rows))
    return PlainBand(columns, tuple(values), statistics, (*warnings, *cost))


def _read(name: str, cells: list[Cell], null_values: tuple[str, ...], kind: FieldType | None) -> _Column:
    kinds = set(map(type, cells))
    if bool in kinds and not kinds <= {bool, type(None)}:
        # True equals 1, so as keys they would be one: name the booleans before they meet numbers.
        cells = [text_of(cell) if isinstance(cell, bool) else cell for cell in cells]
    raw: dict[Cell, int] = Counter(cells)
    raw.pop(None, None)
    if str in kinds:
        return _read_texts(name, cells, raw, null_values, kind, only_text=kinds <= {str, type(None)})
    uniform = None
    if raw and len(kinds - {type(None)}) == 1 and kinds & {int, float}:
        uniform = read_uniform_numbers(list(raw), list(raw.values()), (kinds - {type(None)}).pop())
    evidence = _observe(raw, name, kind) if uniform is None else uniform.evidence
    return _Column(cells, {cell: cell for cell in raw} | {None: None}, raw, evidence, uniform, is_clean=True)


def _observe(counts: Mapping[Cell, int], name: str, kind: FieldType | None) -> ColumnEvidence:
    if kind is None:
        return observe(counts, name, patient=False)
    return observe(counts, name, compact=True)


def _read_texts(
    name: str,
    cells: list[Cell],
    raw: dict[Cell, int],
    null_values: tuple[str, ...],
    kind: FieldType | None,
    *,
    only_text: bool,
) -> _Column:
    distinct = list(raw)
    if only_text:
        stripped: list[Cell] = [cell.strip(WHITE_SPACE) for cell in distinct]  # type: ignore[union-attr]
    else:
        stripped = [cell.strip(WHITE_SPACE) if isinstance(cell, str) else cell for cell in distinct]
    clean: dict[Cell, Cell] = dict(zip(distinct, stripped, strict=True))
    counts = raw
    is_clean = stripped == distinct and "" not in clean and clean.keys().isdisjoint(null_values)
    if not is_clean:
        counts = {}
        for cell, text in clean.items():
            if text == "" or text in null_values:
                clean[cell] = None
            else:
                counts[text] = counts.get(text, 0) + raw[cell]
    clean[None] = None
    uniform = None
    if only_text and counts:
        uniform = read_uniform(
            list(counts), list(counts.values()), compact=kind is not None or allows_compact(name)
        )
    evidence = _observe(counts, name, kind) if uniform is None else uniform.evidence
    return _Column(cells, clean, counts, evidence, uniform, is_clean, only_text)


def _type_distinct(one: _Column, column: ColumnType) -> tuple[dict[Cell, Typed] | None, dict[Typed, int]]:
    """What each distinct cell of the source reads as (None if as itself), and the rows per typed value."""
    if column.type == "text" and one.is_clean and one.only_text:
        return None, dict(one.counts)  # type: ignore[arg-type]
    if one.uniform is not None and one.uniform.fits(column) and _has_own_unit(one.evidence, column):
        read: dict[Cell, Typed] = dict(zip(one.counts, one.uniform.values, strict=True))
    elif column.type == "text" and not column.declared:
        read = {cell: text_of(cell) for cell in one.counts}
    else:
        read = {cell: read_cell(cell, column) for cell in one.counts}
    counts: dict[Typed, int] = dict(zip(read.values(), one.counts.values(), strict=True))
    if len(counts) < len(read):
        counts = {}
        for typed, rows in zip(read.values(), one.counts.values(), strict=True):
            counts[typed] = counts.get(typed, 0) + rows
    counts.pop(None, None)
    if one.is_clean:
        read[None] = None
        return read, counts
    return {cell: None if text is None else read[text] for cell, text in one.clean.items()}, counts


def _has_own_unit(evidence: ColumnEvidence, column: ColumnType) -> bool:
    """Whether no cell has a unit that a declared column leaves out."""
    return not column.declared or set(evidence.numbers.units) <= {column.unit}


def _counts_up(found: FieldStatistics, values: list[Typed], evidence: ColumnEvidence) -> bool:
    """Whether the column counts the rows, so that it is an id (spec 2, roles)."""
    rows, first = len(values), found.minimum
    if (
        found.column.scale
        or found.column.double
        or rows < roles.COUNTER_ROWS_MIN
        or not isinstance(first, int)
    ):
        return False
    if found.nulls or values != list(range(first, first + rows)):
        return False
    return (
        counting.role_of(found.column, evidence, first, found.maximum, found.cells, rows, counts_up=True)
        == "id"
    )


def _sum_groups(
    fields: list[FieldStatistics], values: list[list[Typed]], rows: int
) -> dict[tuple[Axis, int], dict[Typed, Total]]:
    measures = [position for position, one in enumerate(fields) if one.role in roles.SUMMABLE]
    if not measures:
        return {}
    filled = {
        position: [value or 0 for value in values[position]] if fields[position].nulls else values[position]
        for position in measures
    }
    sums: dict[tuple[Axis, int], dict[Typed, Total]] = {}
    for axis in axes_of(fields, rows):
        members: dict[Typed, list[int]] = {}
        keys = values[axis.field] if axis.period is None else map(axis.key, values[axis.field])
        for row, key in enumerate(keys):
            if key in members:
                members[key].append(row)
            else:
                members[key] = [row]
        for position in measures:
            pick = filled[position].__getitem__
            add: Callable[[Iterable[Any]], Total] = add_doubles if fields[position].column.double else sum
            sums[axis, position] = {key: add(map(pick, found)) for key, found in members.items()}
    return sums
