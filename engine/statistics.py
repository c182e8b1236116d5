"""The finished statistics of a band, the same whichever executor computed them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from datasources.base import Role
from engine.columns import ColumnType, Typed
from engine.roles import CATEGORICAL, SUMMABLE

DISTINCT_MAX = 1_000
"""Distinct values are counted exactly up to here, and a text column with more has no leaders (spec 5)."""
ENUMERATION_MIN = 2
ENUMERATION_MAX = 20
"""A column of that many distinct values is an enumeration (spec 3)."""
MONTHS_MAX = 24
YEARS_MAX = 20
DAYS_MAX = 20
SUMS_MAX = 200_000
"""
Sums by group that a band has beforehand: measures times groups, which for thousands of columns would be millions.

A data context prints 400 of them, and the widest report that we know, of 40 columns, has 45,000.
"""
LIST_SUMS_MIN = 10
"""A list of fewer sums counts as so many: it has to look at every row as well."""

Total = int | float
"""An exact integer at the column's scale, or the correctly rounded sum of a DOUBLE column."""


# Nobody changes one, but a report has a hundred, and frozen they would take four times as long to make.
@dataclass(slots=True)
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


def axes_of(fields: Sequence[FieldStatistics], rows: int) -> tuple[Axis, ...]:
    """
    What the measures of a band are summed by beforehand, in rendering order: those of `all_axes` that fit.

    An axis is taken with all measures or left out whole, and the next one is tried, as by the budget of what is
    printed (spec 5). Where not all fit, those of which nothing is printed are the first to be left out.
    """
    axes = all_axes(fields, rows)
    measures = measures_in(fields)
    if not may_leave_out(len(axes), measures):
        return axes
    sizes = [_groups_of(axis, fields[axis.field]) for axis in axes]
    if sum_count(sizes, measures) <= SUMS_MAX:
        return axes
    printed = [
        (axis, size)
        for axis, size in zip(axes, sizes, strict=True)
        if axis.kind != "enum" or not _is_identity(fields[axis.field])
    ]
    kept = within_sums_max([size for _, size in printed], measures)
    return tuple([printed[index][0] for index in kept])


def measures_in(fields: Sequence[FieldStatistics]) -> int:
    """How many of *fields* are summed."""
    return sum([one.role in SUMMABLE for one in fields])


def may_leave_out(axes: int, measures: int) -> bool:
    """Whether so many axes might be too many, if each had all the groups that one can have."""
    return measures * axes * (DISTINCT_MAX + 1) > SUMS_MAX


def within_sums_max(sizes: Sequence[int], measures: int) -> list[int]:
    """
    Which of some axes, of so many groups each, all *measures* are summed by: the first ones that fit, by position.

    >>> within_sums_max([20, 1_000, 24], 5_000)
    [0]
    """
    kept, left = [], SUMS_MAX
    for index, size in enumerate(sizes):
        cost = sum_count([size], measures)
        if cost <= left:
            left -= cost
            kept.append(index)
    return kept


def sum_count(sizes: Iterable[int], measures: int) -> int:
    """How many sums axes of so many groups count as."""
    return measures * sum([max(size, LIST_SUMS_MIN) for size in sizes])


def _groups_of(axis: Axis, one: FieldStatistics) -> int:
    if axis.period is None:
        groups = len(one.counts or ())
    elif axis.period == "day":
        groups = len(one.days)
    else:
        groups = len({month[: PERIOD_LENGTHS[axis.period]] for month in one.months})
    return groups + (one.nulls > 0)


def _is_identity(one: FieldStatistics) -> bool:
    """Whether no value repeats, null counted as a value (spec 3)."""
    return one.nulls <= 1 and max((one.counts or {}).values(), default=0) <= 1


def all_axes(fields: Sequence[FieldStatistics], rows: int) -> tuple[Axis, ...]:
    """Everything that the measures of a band may be summed by: enumerations, periods, leaders (spec 5)."""
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
