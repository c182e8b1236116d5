"""Merges bands of equal content into one, such as the `canhoto` and `header` of a DANFE (spec 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import eq

from datasources.base import DataWarning
from engine.band import Band
from engine.columns import Typed


def merge_duplicates(bands: Sequence[Band]) -> tuple[Band, ...]:
    """The bands in order, each that repeats an earlier one merged into it."""
    kept: list[Band] = []
    alike: dict[tuple[int, tuple[str, ...]], list[tuple[int, list[int]]]] = {}
    """Per number of rows and names of columns: where in *kept* such bands are, and their columns by name."""
    for band in bands:
        names = [column.name for column in band.columns]
        by_name = sorted(range(len(names)), key=names.__getitem__)
        places = alike.setdefault((band.rows, tuple(sorted(names))), [])
        for index, earlier in places:
            if _same_content(kept[index], band, earlier, by_name):
                kept[index] = _merged(kept[index], band)
                break
        else:
            places.append((len(kept), by_name))
            kept.append(band)
    return tuple(kept)


def _merged(one: Band, other: Band) -> Band:
    names = (*one.names, *other.names)
    # A band of one row repeats the head of a document; of more, a file may have been handed in twice.
    warnings = (*one.warnings, _repeated(one, other, "+".join(names))) if other.rows > 1 else one.warnings
    return replace(one, names=names, warnings=warnings)


def _repeated(one: Band, other: Band, name: str) -> DataWarning:
    message = (
        f"“{other.name}” has the same rows as “{one.names[0]}” and is counted once: name another file if it"
        " should not."
    )
    return DataWarning("same_content", message, name, count=other.rows)


def _same_content(one: Band, other: Band, ours: Sequence[int], theirs: Sequence[int]) -> bool:
    """
    Whether two bands with as many rows have the same rows in the same order.

    *ours* and *theirs* are the positions of the columns of one name after the other.
    """
    in_memory = one.values is not None and other.values is not None
    # Most bands differ in one of the first columns already, and comparing lists is quick.
    if in_memory and not all(map(eq, _in_order(one, ours), _in_order(other, theirs))):
        return False
    pairs = list(zip(ours, theirs, strict=True))
    if any(_kind(one, a) != _kind(other, b) for a, b in pairs):
        return False
    return in_memory or (_same_statistics(one, other, pairs) and _same_rows(one, other, pairs))


def _in_order(band: Band, positions: Sequence[int]) -> Iterator[list[Typed]]:
    return map((band.values or ()).__getitem__, positions)


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
