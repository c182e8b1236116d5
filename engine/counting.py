"""Counts what stands in a column, from its distinct cells; gives a number column its role."""

from __future__ import annotations

from collections.abc import Mapping
from operator import mul

from datasources.base import Cell, Role
from engine import roles
from engine.columns import ColumnType, Typed
from engine.dates import moment_key
from engine.evidence import ColumnEvidence
from engine.facts import add_doubles
from engine.statistics import DISTINCT_MAX, FieldStatistics, Total
from engine.uniform import read_cells


def count(
    column: ColumnType,
    evidence: ColumnEvidence,
    cells: Mapping[Cell, int],
    rows: int,
    is_parent: bool,
) -> FieldStatistics:
    """
    The statistics of a column from its distinct *cells* (stripped, no nulls) with their counts.

    *is_parent* marks the `_parent` column of a nested band, always an id.
    """
    counts: dict[Typed, int] = {}
    for typed, seen in zip(read_cells(cells, column), cells.values(), strict=True):
        if typed is not None:
            counts[typed] = counts.get(typed, 0) + seen
    return count_typed(column, evidence, counts, rows, is_parent)


def count_typed(
    column: ColumnType, evidence: ColumnEvidence, counts: dict[Typed, int], rows: int, is_parent: bool
) -> FieldStatistics:
    """The statistics of a column from its distinct typed values with their counts."""
    filled = sum(counts.values())
    kept = counts if len(counts) <= DISTINCT_MAX else None
    nulls = rows - filled
    if column.type == "number":
        low: Typed = min(counts, default=None)  # type: ignore[type-var]
        high: Typed = max(counts, default=None)  # type: ignore[type-var]
        role: Role = "id"
        if not is_parent:
            role = role_of(column, evidence, low, high, filled, rows)
        return FieldStatistics(column, role, nulls, kept, filled, _total(counts, filled, column), low, high)
    if column.type in ("date", "datetime") and counts:
        # The texts of dates sort by themselves; times need their key.
        key = moment_key if column.type == "datetime" else None
        first, last = min(counts, key=key), max(counts, key=key)  # type: ignore[arg-type, type-var]
        months = frozenset([text[:7] for text in counts])  # type: ignore[index]
        days = frozenset([text[:10] for text in counts]) if len(months) == 1 else frozenset()  # type: ignore[index]
        return FieldStatistics(column, None, nulls, kept, filled, None, first, last, months, days)
    return FieldStatistics(column, None, nulls, kept, filled)


def _total(counts: Mapping[Typed, int], cells: int, column: ColumnType) -> Total:
    if not column.double:
        if len(counts) == cells:
            return sum(counts)  # type: ignore[arg-type]
        total: int = sum(map(mul, counts, counts.values()))
        return total
    # A repeated double must be added as often as it stands there: its product would be rounded on its own.
    return add_doubles(value for value, seen in counts.items() for _ in range(seen))  # type: ignore[misc]


def role_of(
    column: ColumnType,
    evidence: ColumnEvidence,
    minimum: Typed,
    maximum: Typed,
    cells: int,
    rows: int,
    *,
    counts_up: bool = False,
) -> Role:
    """The role of a number column with these bounds, unless the report declares it."""
    if column.role is not None:
        return column.role
    return roles.role_of(
        roles.NumberColumn(
            name=column.name,
            unit=column.shown_unit,
            integers=not column.double and column.scale == 0,
            minimum=minimum,  # type: ignore[arg-type]
            maximum=maximum,  # type: ignore[arg-type]
            cells=cells,
            one_length=evidence.numbers.one_length,
            counts_up=counts_up,
            rows=rows,
        )
    )
