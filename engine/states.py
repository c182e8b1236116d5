"""The mergeable states of a streamed band: what one part saw, added to what the others saw, in any order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import add
from typing import TypeVar

from datasources.base import Cell
from engine.columns import ColumnType, Typed
from engine.evidence import ColumnEvidence, Misfits
from engine.facts import nearest_double
from engine.statistics import DISTINCT_MAX, Total

VALUES_MAX = 8_192
"""A column keeps a count for each of its distinct cells up to here; with more it is read as a whole."""
Counted = TypeVar("Counted", Cell, Typed, str)
DOUBLE_UNIT = 1074
"""Sums of doubles are exact integers in units of 2**-1074, the smallest double."""


@dataclass(slots=True)
class Totals:
    """Count, exact sum and bounds of typed numbers: a state with `merge` and `finish`."""

    cells: int = 0
    sum: int = 0
    """At the column's scale; for doubles in units of 2**-1074."""
    minimum: int | float | None = None
    maximum: int | float | None = None

    def merge(self, other: Totals) -> None:
        """Take in the numbers of other rows."""
        self.cells += other.cells
        self.sum += other.sum
        if other.minimum is not None:
            self.minimum = other.minimum if self.minimum is None else min(self.minimum, other.minimum)
        if other.maximum is not None:
            self.maximum = other.maximum if self.maximum is None else max(self.maximum, other.maximum)

    def finish(self, column: ColumnType) -> Total:
        """The sum: an integer at the column's scale, or the double nearest to the exact sum."""
        return finish_sum(self.sum, column)


def finish_sum(total: int, column: ColumnType) -> Total:
    """An exact sum as `Totals.sum` keeps it, for readers."""
    return nearest_double(total, 1 << DOUBLE_UNIT) if column.double else total


@dataclass(slots=True)
class ColumnState:
    """What was seen of one column: its distinct cells while they are few, else their evidence and totals."""

    rows: int = 0
    nulls: int = 0
    """Empty cells; null tokens come on top once the type is known."""
    values: dict[Cell, int] | None = field(default_factory=dict)
    """Rows per distinct cell, stripped; None once there are more than `VALUES_MAX`."""
    evidence: ColumnEvidence | None = None
    """Of a column read as a whole."""
    totals: Totals = field(default_factory=Totals)
    numbers: dict[Typed, int] | None = field(default_factory=dict)
    """Rows per distinct number of a column read as a whole; None once there are more than `DISTINCT_MAX`."""
    moments: MomentBounds | None = None
    misfits: Misfits = field(default_factory=Misfits)
    """Cells that no reading of a declared column fits, and that are not among `values`."""

    def merge(self, other: ColumnState) -> None:
        """Take in what *other* saw in other rows."""
        self.rows += other.rows
        self.nulls += other.nulls
        self.totals.merge(other.totals)
        self.misfits.merge(other.misfits)
        self.values = _added(self.values, other.values, VALUES_MAX)
        self.numbers = _added(self.numbers, other.numbers)
        if other.evidence is not None:
            if self.evidence is None:
                self.evidence = ColumnEvidence()
            self.evidence.merge(other.evidence)
        if other.moments is not None:
            if self.moments is None:
                self.moments = MomentBounds()
            self.moments.merge(other.moments)


def _added(
    mine: dict[Counted, int] | None, theirs: Mapping[Counted, int] | None, most: int = DISTINCT_MAX
) -> dict[Counted, int] | None:
    """*mine* with *theirs* added to it; None once there are more than *most*."""
    if mine is None or theirs is None:
        return None
    for key, count in theirs.items():
        mine[key] = mine.get(key, 0) + count
    return mine if len(mine) <= most else None


@dataclass(slots=True)
class MomentBounds:
    """First and last of many dates or times, and the days they fall on: a state with `merge`."""

    days: dict[str, int] = field(default_factory=dict)
    """Cells per `YYYY-MM-DD`."""
    first: str | None = None
    last: str | None = None
    times: dict[str, int] | None = field(default_factory=dict)
    """Cells per date and time; None once there are more than `DISTINCT_MAX`."""

    def merge(self, other: MomentBounds) -> None:
        """Take in the moments of other rows."""
        from engine.dates import moment_key

        for day, count in other.days.items():
            self.days[day] = self.days.get(day, 0) + count
        self.times = _added(self.times, other.times)
        for moment in (other.first, other.last):
            if moment is not None:
                if self.first is None or moment_key(moment) < moment_key(self.first):
                    self.first = moment
                if self.last is None or moment_key(moment) > moment_key(self.last):
                    self.last = moment


GroupSums = dict[Cell, list[int]]
"""Group (a distinct cell, or a day) → exact sum of each measure."""


@dataclass(slots=True)
class BandState:
    """What was seen of a band in some of its rows: a state with `merge`."""

    columns: dict[int, ColumnState] = field(default_factory=dict)
    sums: dict[int, GroupSums] = field(default_factory=dict)
    """Position of the axis → its groups; sums in the order of the pass's measures."""

    def merge(self, other: BandState) -> None:
        """Take in what *other* saw in other rows of the same pass."""
        for position, state in other.columns.items():
            if position in self.columns:
                self.columns[position].merge(state)
            else:
                self.columns[position] = state
        for axis, groups in other.sums.items():
            mine = self.sums.setdefault(axis, {})
            for key, sums in groups.items():
                known = mine.get(key)
                mine[key] = sums if known is None else list(map(add, known, sums))
