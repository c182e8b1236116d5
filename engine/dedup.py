"""Merges bands of equal content into one, such as the `canhoto` and `header` of a DANFE (spec 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.band import Band
from engine.columns import Typed


def merge_duplicates(bands: Sequence[Band]) -> tuple[Band, ...]:
    """The bands in order, each that repeats an earlier one merged into it."""
    kept: list[Band] = []
    for band in bands:
        for index, earlier in enumerate(kept):
            if same_content(earlier, band):
                kept[index] = replace(earlier, names=(*earlier.names, *band.names), warnings=earlier.warnings)
                break
        else:
            kept.append(band)
    return tuple(kept)


def same_content(one: Band, other: Band) -> bool:
    """Whether two bands have the same columns, in any order, and the same rows in the same order."""
    if one.rows != other.rows:
        return False
    here = {column.name: position for position, column in enumerate(one.columns)}
    there = {column.name: position for position, column in enumerate(other.columns)}
    if here.keys() != there.keys():
        return False
    pairs = [(position, there[name]) for name, position in here.items()]
    in_memory = one.values is not None and other.values is not None
    # Most bands differ in the first column already, and comparing lists is quick.
    if in_memory and not all(one.values[a] == other.values[b] for a, b in pairs):  # type: ignore[index]
        return False
    if any(_kind(one, a) != _kind(other, b) for a, b in pairs):
        return False
    return in_memory or (_same_statistics(one, other, pairs) and _same_rows(one, other, pairs))


def _kind(band: Band, position: int) -> tuple[object, ...]:
    column = band.columns[position]
    return column.type, column.shown_unit, column.scale, column.double, column.role


def _same_statistics(one: Band, other: Band, pairs: Sequence[tuple[int, int]]) -> bool:
    """A quick look that spares most comparisons row by row."""

    def summary(band: Band, position: int) -> tuple[object, ...]:
        found = band.statistics.fields[position]
        return found.total, found.minimum, found.maximum, found.counts

    return all(summary(one, a) == summary(other, b) for a, b in pairs)


_STEP = 50_000


def _same_rows(one: Band, other: Band, pairs: Sequence[tuple[int, int]]) -> bool:
    order = [b for _, b in sorted(pairs)]
    for start in range(0, one.rows, _STEP):
        rows = range(start, min(start + _STEP, one.rows))
        theirs: list[tuple[Typed, ...]] = [tuple(row[b] for b in order) for row in other.take(rows)]
        if one.take(rows) != theirs:
            return False
    return True
