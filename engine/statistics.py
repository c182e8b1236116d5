"""The finished statistics of a band, the same whichever executor computed them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, NamedTuple

from datasources.base import Role
from engine.columns import ColumnType, Typed
from engine.roles import CATEGORICAL

DISTINCT_MAX = 1_000
"""Distinct values are counted exactly up to here, and a text column with more has no leaders (spec 5)."""
ENUMERATION_MIN = 2
ENUMERATION_MAX = 20
"""A column of that many distinct values is an enumeration (spec 3)."""
MONTHS_MAX = 24
YEARS_MAX = 20
DAYS_MAX = 20

Total = int | float
"""An exact integer at the column's scale, or the correctly rounded sum of a DOUBLE column."""


@dataclass(frozen=True, slots=True)
class FieldStatistics:
    """What was counted in one column; typed values as in `engine.typing`."""

    column: ColumnType
    role: Role | None
    nulls: int
    counts: dict[Typed, int] | None
    """Rows per distinct non-null value, when there are at most `DISTINCT_MAX` of them."""
    cells: int
    """Non-null cells."""
    total: Total | None = None
    minimum: Typed = None
    maximum: Typed = None
    months: frozenset[str] = frozenset()
    """The `YYYY-MM` that a date column has cells in."""
    days: frozenset[str] = frozenset()
    """The `YYYY-MM-DD` of a date column whose cells are all of one month."""


PeriodUnit = Literal["day", "month", "year"]


class Axis(NamedTuple):
    """What a band's measures are summed by."""

    field: int
    kind: Literal["enum", "period", "top"]
    period: PeriodUnit | None = None

    def key(self, value: Typed) -> Typed:
        """The group that a typed value of the field belongs to."""
        return self.keys([value])[0]

    def keys(self, values: list[Typed]) -> list[Typed]:
        """The group that each typed value of the field belongs to."""
        if self.period is None:
            return values
        length = PERIOD_LENGTHS[self.period]
        return [value and value[:length] for value in values]  # type: ignore[index]


PERIOD_LENGTHS: dict[PeriodUnit, int] = {"year": 4, "month": 7, "day": 10}
"""Characters of `YYYY-MM-DD` that name the period."""


@dataclass(frozen=True, slots=True)
class BandStatistics:
    """Everything that was counted in a band."""

    rows: int
    fields: tuple[FieldStatistics, ...]
    sums: dict[tuple[Axis, int], dict[Typed, Total]]
    """(axis, position of the measure) → group → sum; the null group under None."""


def axes_of(fields: Collection[FieldStatistics], rows: int) -> tuple[Axis, ...]:
    """The axes of a band in rendering order: enumerations, periods, leaders, each in column order (spec 5)."""
    enumerations, periods, leaders = [], [], []
    for position, one in enumerate(fields):
        distinct = len(one.counts) if one.counts is not None else None
        if one.column.type in ("date", "datetime"):
            period = period_of(one)
            if period is not None:
                periods.append(Axis(position, "period", period))
        elif is_enumeration(one):
            enumerations.append(Axis(position, "enum"))
        elif (
            one.column.type == "text"
            and not one.column.masked
            and distinct is not None
            and distinct > ENUMERATION_MAX
            and 2 * distinct <= rows
        ):
            leaders.append(Axis(position, "top"))
    return (*enumerations, *periods, *leaders)


def is_enumeration(one: FieldStatistics) -> bool:
    """
    Whether the column takes only a few values that name something (spec 3).

    Pseudonyms name nobody: a list of them would tell a reader nothing, and yet count each person's rows in every
    prompt, under a name that is the same in all reports. Who asks may still group by them.
    """
    if one.counts is None or one.column.masked or not ENUMERATION_MIN <= len(one.counts) <= ENUMERATION_MAX:
        return False
    return one.column.type in ("text", "boolean") or one.role in CATEGORICAL


def period_of(one: FieldStatistics) -> PeriodUnit | None:
    """By what a date column's sums are given: months, else years, else the days of one month (spec 5.5)."""
    if len(one.months) <= 1:
        return "day" if 2 <= len(one.days) <= DAYS_MAX else None
    if len(one.months) <= MONTHS_MAX:
        return "month"
    return "year" if len({month[:4] for month in one.months}) <= YEARS_MAX else None
