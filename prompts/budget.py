"""Fits a context into a number of tokens by leaving out what matters least first (spec 8)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from prompts.exceptions import BudgetTooSmall

BYTES_PER_TOKEN = 3
"""Report data take more tokens a character than prose (spec 8); see `benchmarks/README.md` for how near it comes."""
ROWS_KEPT = 3
"""Rows that a band keeps however small the budget is."""
DROP_ORDER = ("top", "period", "enum", "counts", "values")
"""After the rows: leaders, periods, group sums, enumeration counts, long lists of values."""


def count_tokens(text: str) -> int:
    """The estimate of the tokens of *text*: ceil(UTF-8 bytes / 3)."""
    return -(-len(text.encode("utf-8")) // BYTES_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Plan:
    """What of a context is written: rows a band, and the lists that are left out."""

    rows: tuple[int, ...]
    lists: tuple[tuple[int, str, str], ...]
    """(band, kind, label) of what may be dropped, in the order of dropping."""
    done: int = 0
    """How many of them are dropped."""

    @classmethod
    def whole(cls, rows: Sequence[int], droppable: Sequence[Mapping[str, Sequence[str]]]) -> Plan:
        """The plan that leaves nothing out."""
        lists = [
            (band, kind, label)
            for kind in DROP_ORDER
            for band in reversed(range(len(droppable)))
            for label in reversed(droppable[band].get(kind, ()))
        ]
        return cls(tuple(rows), tuple(lists))

    def smaller(self) -> Plan | None:
        """The plan with one thing less; None when all that is left must stay."""
        largest = max(self.rows, default=0)
        if largest > ROWS_KEPT:
            last = len(self.rows) - 1 - self.rows[::-1].index(largest)
            return replace(self, rows=(*self.rows[:last], largest - 1, *self.rows[last + 1 :]))
        return replace(self, done=self.done + 1) if self.done < len(self.lists) else None

    def without_rows(self, count: int) -> Plan:
        """
        The plan *count* steps on, or the last one that drops rows.

        >>> Plan((5, 9, 7), ()).without_rows(7).rows
        (5, 5, 4)
        """
        above = self._rows_above
        if count >= above(ROWS_KEPT):
            return replace(self, rows=tuple([min(share, ROWS_KEPT) for share in self.rows]))
        # The least level to which all that is above it can be taken away; the rest comes off the last ones.
        level = bisect_left(range(max(self.rows)), -count, key=lambda level: -above(level))
        rest = count - above(level)
        rows = [min(share, level) for share in self.rows]
        for position in [position for position, share in enumerate(rows) if share == level][::-1][:rest]:
            rows[position] -= 1
        return replace(self, rows=tuple(rows))

    def _rows_above(self, level: int) -> int:
        return sum([share - level for share in self.rows if share > level])


class Draft(Protocol):
    """What a plan is written by."""

    def write(self, plan: Plan) -> str:
        """The text."""

    def count_bytes(self, plan: Plan) -> int:
        """How many UTF-8 bytes the text has."""

    def least_bytes(self, rows: Sequence[int]) -> int:
        """A bound below the bytes of every plan of *rows* with all lists: it spares looking at each."""

    def saved_bytes(self, plan: Plan) -> Sequence[int]:
        """Bounds above what leaving out the first 1, 2, … lists of *plan* saves in all: likewise."""


def fit(plan: Plan, draft: Draft, max_tokens: int | None) -> str:
    """
    What *draft* writes of *plan*, or of the first smaller plan that fits into *max_tokens*.

    Raises `BudgetTooSmall`, which says by how much, when even the smallest does not.
    """
    if max_tokens is None:
        return draft.write(plan)
    bytes_max = max_tokens * BYTES_PER_TOKEN
    plan = _skip_rows(plan, draft, bytes_max)
    skipped = False
    while (size := draft.count_bytes(plan)) > bytes_max:
        smaller = plan.smaller()
        if smaller is None:
            raise BudgetTooSmall.by(-(-size // BYTES_PER_TOKEN), max_tokens)
        if smaller.done and not skipped:
            smaller, skipped = _skip_lists(plan, draft, size - bytes_max), True
        plan = smaller
    return draft.write(plan)


def _skip_lists(plan: Plan, draft: Draft, excess: int) -> Plan:
    """The first plan that might save *excess* bytes, or the last one: a wide table has thousands of lists."""
    saved = draft.saved_bytes(plan)
    might = (done for done, most in enumerate(saved, start=1) if most >= excess)
    return replace(plan, done=next(might, len(plan.lists)))


def _skip_rows(plan: Plan, draft: Draft, bytes_max: int) -> Plan:
    """The first plan that might fit by the least its rows can take, or the last one that drops rows."""
    steps = sum(max(share - ROWS_KEPT, 0) for share in plan.rows)
    fits = bisect_left(
        range(steps), -bytes_max, key=lambda count: -draft.least_bytes(plan.without_rows(count).rows)
    )
    return plan.without_rows(fits)
