"""Computes the statistics of a band in memory with plain Python: the quickest way for small reports."""

from __future__ import annotations

from collections import _count_elements, defaultdict  # type: ignore[attr-defined]
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from datasources.base import Cell, DataWarning, FieldType, Lists, RawBand
from datasources.names import WHITE_SPACE
from engine import counting, declared, roles
from engine.columns import ColumnType, Typed, is_finite, read_cell, text_of
from engine.evidence import ColumnEvidence, allows_compact, observe_each
from engine.facts import add_doubles
from engine.numbers import STARTS
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


class _Column(NamedTuple):
    """A column's cells, and its distinct cells with their counts."""

    cells: list[Cell]
    clean: Mapping[Cell, Cell] | None
    """Each distinct cell of the source as it is when stripped, None for what means nothing; None if all are clean."""
    counts: dict[Cell, int]
    """Rows per distinct cell, stripped, without nulls."""
    evidence: ColumnEvidence
    uniform: Uniform | None
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
        cells, counts = _type_cells(one, column)
        values.append(cells)
        field = counting.count_typed(column, one.evidence, counts, rows, position == band.parent_column)
        if field.role == "measure" and _counts_up(field, cells, one.evidence):
            field = replace(field, role="id")
        fields.append(field)
        if column.declared:
            misfits = declared.misfits_among(one.counts, column)
            cost += declared.declared_warnings(column, one.evidence, misfits, band.name)
    statistics = BandStatistics(rows, tuple(fields), _sum_groups(fields, values, rows))
    return PlainBand(columns, tuple(values), statistics, (*warnings, *cost))


def _read(name: str, cells: list[Cell], null_values: tuple[str, ...], kind: FieldType | None) -> _Column:
    raw = _count_cells(cells)
    kinds = set(map(type, raw))
    if kinds == _ONLY_TEXT:  # no text equals a cell of another kind, so that all of the cells are texts
        return _read_texts(name, cells, raw, null_values, kind, only_text=True)
    kinds = set(map(type, cells)) - {type(None)}
    if bool in kinds and len(kinds) > 1:
        # True equals 1, so as keys they would be one: name the booleans before they meet numbers.
        cells = [text_of(cell) if isinstance(cell, bool) else cell for cell in cells]
        raw = _count_cells(cells)
    if str in kinds:
        return _read_texts(name, cells, raw, null_values, kind, only_text=False)
    uniform = None
    if len(kinds) == 1 and kinds & _NUMBERS:
        uniform = read_uniform_numbers(list(raw), list(raw.values()), kinds.pop())
    evidence = _observe(raw, name, kind, only_text=False) if uniform is None else uniform.evidence
    return _Column(cells, None, raw, evidence, uniform)


_ONLY_TEXT: set[type] = {str}
_NUMBERS: set[type] = {int, float}


def _count_cells(cells: list[Cell]) -> dict[Cell, int]:
    """The distinct cells but null, with their counts; to make a `Counter` of a few cells takes twice as long."""
    counts: dict[Cell, int] = {}
    _count_elements(counts, cells)
    counts.pop(None, None)
    return counts


def _observe(
    counts: Mapping[Cell, int], name: str, kind: FieldType | None, *, only_text: bool
) -> ColumnEvidence:
    if kind is not None:
        return observe_each(counts, name, compact=True)
    evidence = observe_each(counts, name, patient=False)
    if evidence.hopeless and not only_text:
        # The search was ended, and yet these are nulls in a text column too (spec 1.1).
        not_finite = sum([rows for cell, rows in counts.items() if not is_finite(cell)])
        evidence = replace(evidence, not_finite=not_finite)
    return evidence


def _read_texts(
    name: str,
    cells: list[Cell],
    raw: dict[Cell, int],
    null_values: tuple[str, ...],
    kind: FieldType | None,
    *,
    only_text: bool,
) -> _Column:
    clean = None
    counts = raw
    if not only_text or raw.keys() & null_values or not _are_stripped(raw):  # type: ignore[arg-type]
        clean = {cell: cell.strip(WHITE_SPACE) if isinstance(cell, str) else cell for cell in raw}
        counts = {}
        for cell, text in clean.items():
            if text == "" or text in null_values:
                clean[cell] = None
            else:
                counts[text] = counts.get(text, 0) + raw[cell]
    uniform = None
    if only_text and next(iter(counts), "")[:1] in STARTS:  # type: ignore[index]
        uniform = read_uniform(
            list(counts), list(counts.values()), compact=kind is not None or allows_compact(name)
        )
    evidence = _observe(counts, name, kind, only_text=only_text) if uniform is None else uniform.evidence
    return _Column(cells, clean, counts, evidence, uniform, only_text)


def _are_stripped(texts: Collection[str]) -> bool:
    """Whether none of *texts* is empty or has white space at an end, so far as one look at all of them can say."""
    listed = list(texts)
    if "" in texts or list(map(str.strip, listed)) != listed:
        return False
    joined = "".join(listed)
    return joined.isascii() or not any(mark in joined for mark in _ONLY_OURS)


_ONLY_OURS = tuple([mark for mark in WHITE_SPACE if not mark.isspace()])
"""White space for us, but not for Python."""


def _type_cells(one: _Column, column: ColumnType) -> tuple[list[Typed], dict[Typed, int]]:
    """What each cell of the source reads as, and the rows per typed value."""
    if column.type == "text" and one.clean is None and one.only_text:
        return one.cells, one.counts  # type: ignore[return-value]
    if one.uniform is not None and one.uniform.fits(column) and _has_own_unit(one.evidence, column):
        if one.uniform.is_typed:
            return one.cells, one.counts  # type: ignore[return-value]
        distinct: Sequence[Typed] = one.uniform.values
    elif column.type == "text" and not column.declared:
        distinct = [text_of(cell) if is_finite(cell) else None for cell in one.counts]
    else:
        distinct = [read_cell(cell, column) for cell in one.counts]
    counts = dict(zip(distinct, one.counts.values(), strict=True))
    if len(counts) < len(distinct):
        counts = {}
        for typed, rows in zip(distinct, one.counts.values(), strict=True):
            counts[typed] = counts.get(typed, 0) + rows
    counts.pop(None, None)
    if one.clean is None and len(distinct) == len(one.cells):
        return list(distinct), counts
    read: dict[Cell, Typed] = dict(zip(one.counts, distinct, strict=True))
    read[None] = None
    if one.clean is not None:
        read = {cell: read[text] for cell, text in one.clean.items()}
        read[None] = None
    return list(map(read.__getitem__, one.cells)), counts


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
    if found.nulls or found.maximum != first + rows - 1 or values != list(range(first, first + rows)):
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
        members: defaultdict[Typed, list[int]] = defaultdict(list)
        for row, key in enumerate(axis.keys(values[axis.field])):
            members[key].append(row)
        for position in measures:
            pick = filled[position].__getitem__
            add: Callable[[Iterable[Any]], Total] = add_doubles if fields[position].column.double else sum
            sums[axis, position] = {key: add(map(pick, found)) for key, found in members.items()}
    return sums
