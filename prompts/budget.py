"""Fits a context into a number of tokens by leaving out what matters least first (spec 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from prompts.exceptions import BudgetTooSmall

BYTES_PER_TOKEN = 3
"""Report data take more tokens a character than prose; three bytes never promise too little (spec 8)."""
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
    """(band, kind, label) of what may still be dropped, in the order of dropping."""
    dropped: tuple[tuple[int, str, str], ...] = ()

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

    def gone(self, band: int) -> frozenset[tuple[str, str]]:
        """(kind, label) of what is left out of *band*."""
        return frozenset((kind, label) for index, kind, label in self.dropped if index == band)

    def smaller(self) -> Plan | None:
        """The plan with one thing less; None when all that is left must stay."""
        largest = max(self.rows, default=0)
        if largest > ROWS_KEPT:
            index = max(position for position, share in enumerate(self.rows) if share == largest)
            return replace(self, rows=tuple(share - (i == index) for i, share in enumerate(self.rows)))
        if not self.lists:
            return None
        return replace(self, lists=self.lists[1:], dropped=(*self.dropped, self.lists[0]))


def fit(plan: Plan, write: Callable[[Plan], str], max_tokens: int | None) -> str:
    """
    What *write* makes of *plan*, or of the first smaller plan that fits into *max_tokens*.

    Raises `BudgetTooSmall`, which says by how much, when even the smallest does not.
    """
    text = write(plan)
    if max_tokens is None:
        return text
    while (tokens := count_tokens(text)) > max_tokens:
        smaller = plan.smaller()
        if smaller is None:
            raise BudgetTooSmall.by(tokens, max_tokens)
        plan, text = smaller, write(smaller)
    return text
