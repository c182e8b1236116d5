"""What may be asked of a snapshot: closed, typed requests that name fields and verbs, and never SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine.fact import PeriodName

if TYPE_CHECKING:
    from datasources.filters import Filter

Verb = Literal["SUM", "AVG", "COUNT", "MIN", "MAX", "DISTINCT", "MEDIAN", "STDDEV", "SHARE"]

COUNTS: frozenset[Verb] = frozenset({"COUNT", "DISTINCT"})
EDGES: frozenset[Verb] = frozenset({"MIN", "MAX"})
SUMMED: frozenset[Verb] = frozenset({"SUM", "SHARE"})
"""They say something of a whole, so that percentages, rates, years and ids have none."""
FIELD_OPTIONAL: frozenset[Verb] = frozenset({"COUNT", "SHARE"})
"""Without a field they count rows."""

BY_MAX = 2
"""Fields to group by."""
GROUPS_MAX = 200
"""Groups that one answer names; the rest is one more."""

Order = Literal["desc", "asc", "group"]
"""Groups by value, the greatest or the least first, or by what they are called."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A question for one exact value."""

    band: str | None
    """None where only one band can be meant."""
    verb: Verb
    field: str | None = None
    """None counts rows."""
    where: Filter | None = None


@dataclass(frozen=True, slots=True)
class GroupBy:
    """A question for one value of each group of rows."""

    band: str | None
    by: tuple[str, ...]
    """One or two fields."""
    verb: Verb
    field: str | None = None
    top: int | None = None
    """How many groups to name; None for all, up to `GROUPS_MAX`."""
    order: Order | None = None
    """None for the greatest first or, where all periods are listed, by time."""
    period: PeriodName | None = None
    """What the days of the date among *by* are gathered into."""
    where: Filter | None = None


@dataclass(frozen=True, slots=True)
class Compare:
    """A question for the same value of two sets of rows, and how the second differs from the first."""

    band: str | None
    verb: Verb
    field: str | None
    a: Filter | str
    """A filter, or a period such as `2026-04` of the band's one date."""
    b: Filter | str
