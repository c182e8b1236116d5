"""Orders the values of enumerations, and notices values that differ only by case or accents (spec 3)."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter

from datasources.base import DataWarning
from engine.columns import Typed
from engine.facts import cell_text
from engine.names import fold
from engine.statistics import BandStatistics, FieldStatistics, is_enumeration


def ordered_counts(one: FieldStatistics) -> tuple[tuple[str, int], ...]:
    """Each value as text with its rows: most frequent first, then by value."""
    counts = one.counts or {}
    if one.column.type == "text":
        pairs: list[tuple[str, int]] = sorted(counts.items())  # type: ignore[arg-type]
    else:
        pairs = sorted([(cell_text(value, one.column), rows) for value, rows in counts.items()])
    pairs.sort(key=itemgetter(1), reverse=True)  # equal counts stay by value
    return tuple(pairs)


def near_equal_warnings(statistics: BandStatistics, band: str) -> Iterable[DataWarning]:
    """A warning for each enumeration of which some values differ only by case or accents."""
    for one in statistics.fields:
        if one.column.type != "text" or not is_enumeration(one):
            continue
        alike = _alike(one.counts or {})
        if alike:
            shown = ", ".join(f"“{value}”" for value in alike[:4])
            yield DataWarning(
                "near_equal_values",
                f"Values of “{one.column.name}” differ only by case or accents and were kept apart: {shown}.",
                band,
                one.column.name,
                len(alike),
                tuple(alike[:4]),
            )


def _alike(values: Iterable[Typed]) -> list[str]:
    texts = list(map(str, values))
    folded = fold("\n".join(texts)).casefold().split("\n")
    if len(set(folded)) == len(folded):  # values that are alike would have lines in common
        return []
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(fold(text).casefold(), []).append(text)
    return sorted(value for group in groups.values() if len(group) > 1 for value in group)
