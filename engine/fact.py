"""The unit of truth: one exact value, with all that says what it is a value of."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datasources.filters import Filter

FactKind = Literal["number", "date", "datetime", "text", "boolean"]
PeriodName = Literal["day", "week", "month", "quarter", "year"]
"""What the days of a date are gathered into; a week is that of ISO 8601, `2026-W07`."""


@dataclass(frozen=True, slots=True)
class GroupKey:
    """One of the values that the rows of a group share."""

    field: str
    value: str | None
    """As statistics print it, a period as `2026-04`; None is the null group."""
    period: PeriodName | None = None
    """What the days of *field* were gathered into."""
    others: int = 0
    """Of the rest of a list: how many groups it stands for; *value* is then None."""
    withheld: bool = False
    """Whether it stands for the groups that are not named, since some have too few rows; *value* is then None."""


@dataclass(frozen=True, slots=True)
class Fact:
    """An exact value, and what it is a value of."""

    value: str
    """In full: a number without exponent or trailing zeros, a date as ISO text."""
    kind: FactKind
    verb: str
    """`SUM`, `AVG`, … or, of what was calculated from other facts, `DIFFERENCE`, `GROWTH`, …"""
    band: str | None = None
    """None where facts of several bands were calculated with."""
    field: str | None = None
    """None counts rows."""
    unit: str | None = None
    group: tuple[GroupKey, ...] = ()
    where: Filter | None = None
    rows: int | None = None
    """Rows that the filter and the group find; None where nobody counted them."""
    snapshot: str | None = None
    """The id of the snapshot's content, where it is known."""
    sources: tuple[str, ...] = ()
    """The ids of the facts that it was calculated from."""
    label: str | None = None
    """What the report itself calls it: the id of one of its aggregates."""
    id: str = ""
    """`F1`, `F2`, … in a ledger; empty before it is in one."""
    unbound: bool = False
    """Whether a number that no fact has went into it, so that the data alone do not back it."""

    @property
    def number(self) -> Decimal | None:
        """The value for calculations; None of what is no number."""
        return Decimal(self.value) if self.kind == "number" else None
