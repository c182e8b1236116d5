"""Gathers what the cells of a column say about its type, whatever order they come in."""

from __future__ import annotations

from collections.abc import Mapping

from datasources.base import Cell
from engine import dates, numbers
from engine.cleaning import is_null_token
from engine.column_evidence import SAMPLE_SIZE, ColumnEvidence, Misfits
from engine.columns import BOOLEANS
from engine.names import name_tokens
from engine.uniform import uniform_of

__all__ = [
    "HOPELESS",
    "NEAR_MISS_TENTHS",
    "SAMPLE_SIZE",
    "ColumnEvidence",
    "Misfits",
    "allows_compact",
    "observe",
    "observe_each",
]

NEAR_MISS_TENTHS = 9
"""A text column of which these tenths read as one type get a warning (spec 2, numbers, 8)."""

HOPELESS = ColumnEvidence(hopeless=True)
"""Of every column of words, which is text whatever else it holds. Nothing may be added to it."""


def observe(counts: Mapping[Cell, int], name: str, *, compact: bool | None = None) -> ColumnEvidence:
    """
    The evidence of a whole column, as `observe_each` finds it; at once where all cells are written alike.

    What is read at once tells as much as a verdict needs, and is no state to be merged.
    """
    compact = allows_compact(name) if compact is None else compact
    uniform = uniform_of(counts, compact=compact)
    return observe_each(counts, name, compact=compact) if uniform is None else uniform.evidence


def observe_each(
    counts: Mapping[Cell, int], name: str, *, patient: bool = True, compact: bool | None = None
) -> ColumnEvidence:
    """
    The evidence of the distinct cells *counts* (stripped text or native, no nulls) of the column *name*.

    Unless *patient*, the search ends as soon as more than a tenth of the cells fit neither number nor
    date: the column is text then, whatever the rest holds. *compact* allows dates as `YYYYMMDD`; left out,
    the name decides.
    """
    total = sum(counts.values())
    misses_max = total if patient else total * (10 - NEAR_MISS_TENTHS) // 10
    if not patient and _begins_with_words(counts, misses_max):
        return HOPELESS
    evidence = ColumnEvidence()
    compact = allows_compact(name) if compact is None else compact
    seen = 0
    for value, count in counts.items():
        evidence.add(value, count, compact=compact)
        seen += count
        if not patient:
            fitting = (
                max(evidence.numbers.cells, evidence.dates.cells) + evidence.tokens + evidence.date_tokens
            )
            if seen - fitting - evidence.booleans - evidence.not_finite > misses_max:
                evidence.hopeless = True
                evidence.cells = total
                break
    return evidence


def _begins_with_words(counts: Mapping[Cell, int], misses_max: int) -> bool:
    """Whether so many cells are words at first sight that the search would be ended, before any that came typed."""
    words = 0
    for text, count in counts.items():
        if not isinstance(text, str):
            return False
        if text[0] in numbers.STARTS or is_null_token(text) or text.lower() in BOOLEANS:
            continue
        words += count
        if words > misses_max:
            return True
    return False


def allows_compact(name: str) -> bool:
    """Whether a column of this name may hold dates as `YYYYMMDD`."""
    return not dates.COMPACT_TOKENS.isdisjoint(name_tokens(name))
