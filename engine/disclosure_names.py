"""
Says which values of a field may be named under small groups, and so which filters may be asked.

A value of fewer than k rows has no name here; where the rows of all such values are fewer than k, the value with the
next fewest rows goes with them. What has no name is one whole: no filter may tell its parts from one another, or by
moving a bound a reader would find out the value of a single row. Whether a question is refused therefore depends on
names alone, and a value of a few rows is refused exactly as one that does not occur.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from engine.fact import PeriodName
from engine.notes import Note
from engine.query.clause import Clause
from engine.query.filter_values import span_of
from engine.query.filters import compile_filter
from engine.query.grouping_key import DATES, GroupingKey

if TYPE_CHECKING:
    from datasources.filters import Condition, Filter, FilterValue
    from engine.disclosure import Disclosure
    from engine.query.session import OpenBand
    from engine.query.target import Target

EQUALITIES = frozenset({"=", "!=", "in", "not_in"})
VALUES_AT_ONCE = 100
_UNTIL_LAST_DAY = frozenset({">", "<="})
"""These put the bound behind the last day of their value, the others before the first."""


@dataclass(frozen=True, slots=True)
class Naming:
    """Which values of a field, or which periods of a date, have a name."""

    is_complete: bool
    """Whether all have."""
    joined: int = -1
    """A row of the value that has enough rows and no name, since it went with those that have not; or -1."""


def naming_of(
    disclosure: Disclosure, opened: OpenBand, target: Target, position: int, period: PeriodName | None = None
) -> Naming:
    """The naming of the band's field at *position*, of a date by *period*."""
    place = ("naming", target.index, position, period)
    if place not in disclosure.kept:
        key = GroupingKey.of(opened, target, position, period).sql
        disclosure.kept[place] = _find_naming(opened, key, disclosure.k)
    found: Naming = disclosure.kept[place]
    return found


def _find_naming(opened: OpenBand, key: str, k: int) -> Naming:
    groups = f"(SELECT {key} AS k0, count(*) AS n, min(rowid) AS m FROM {opened.table.name} GROUP BY 1)"
    (few,) = opened.row(f"SELECT coalesce(CAST(sum(n) AS BIGINT), 0) FROM {groups} WHERE n < {k}")
    if not 0 < few < k:
        return Naming(is_complete=not few)
    order = "n, CAST(k0 AS VARCHAR) NULLS LAST, m"
    rows = opened.rows(f"SELECT m FROM {groups} WHERE n >= {k} ORDER BY {order} LIMIT 1")
    return Naming(is_complete=False, joined=rows[0][0] if rows else -1)


def objection(disclosure: Disclosure, opened: OpenBand, target: Target) -> Note | None:
    """Why the filter of *target* may not be asked; None where it tells apart only what has a name."""
    if target.where is None:
        return None
    names = _Names(disclosure, opened, target)
    for condition in conditions_of(target.where):
        found = names.objection(condition)
        if found is not None:
            return found
    return None


def conditions_of(where: Filter | None) -> Iterator[Condition]:
    """Every condition of *where*."""
    from datasources.filters import AllOf, AnyOf

    match where:
        case None:
            return
        case AllOf() | AnyOf():
            for one in where.all_of if isinstance(where, AllOf) else where.any_of:
                yield from conditions_of(one)
        case _:
            yield where


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of one band, for one question."""

    disclosure: Disclosure
    opened: OpenBand
    target: Target

    def objection(self, condition: Condition) -> Note | None:
        """Why *condition* may not be asked."""
        position = self.target.band_position(condition.field)
        is_date = self.target.band.columns[position].type in DATES
        if condition.op not in EQUALITIES and condition.op != "is_null":
            is_fine = (
                self._splits_no_period(condition, position) if is_date else self._naming(position).is_complete
            )
            return None if is_fine else Note("small_values", field=condition.field, k=self.disclosure.k)
        if condition.op == "is_null":
            is_fine = self._are_named(position, None, [self._clause(condition.field, "is_null", None)])
        elif is_date:
            is_fine = self._are_named_days(condition, position)
        else:
            clauses = [self._clause(condition.field, "=", value) for value in _values(condition)]
            is_fine = self._are_named(position, None, clauses)
        return None if is_fine else Note("small_group", k=self.disclosure.k)

    def _naming(self, position: int, period: PeriodName | None = None) -> Naming:
        return naming_of(self.disclosure, self.opened, self.target, position, period)

    def _clause(self, field: str, op: str, value: FilterValue | None) -> Clause:
        from datasources.filters import Condition

        condition = Condition.model_validate({"field": field, "op": op, "value": value})
        return compile_filter(condition, self.opened.table.columns)

    def _are_named(self, position: int, period: PeriodName | None, clauses: Sequence[Clause]) -> bool:
        """Whether each of *clauses*, which find one value or period each, finds one that has a name."""
        naming = self._naming(position, period)
        if naming.is_complete:
            return True
        for start in range(0, len(clauses), VALUES_AT_ONCE):
            some = clauses[start : start + VALUES_AT_ONCE]
            sql = [
                f"count(*) FILTER ({one.sql}), count(*) FILTER (({one.sql}) AND rowid = {naming.joined})"
                for one in some
            ]
            values = [value for one in some for value in (*one.values, *one.values)]
            counts = self.opened.row(f"SELECT {', '.join(sql)} FROM {self.opened.table.name}", values)
            if any(rows < self.disclosure.k for rows in counts[::2]) or any(counts[1::2]):
                return False
        return True

    def _are_named_days(self, condition: Condition, position: int) -> bool:
        """The same of the days, weeks, months, quarters or years that a condition names."""
        column = self.target.band.columns[position]
        for value in _values(condition):
            span = span_of(value, column)
            if span.is_moment:  # which may be written in several ways
                if not self._naming(position).is_complete:
                    return False
                continue
            period = _period_of(span.first, span.last)
            clause = self._clause(condition.field, "=", value)
            if period is None or not self._are_named(position, period, [clause]):
                return False
        return True

    def _splits_no_period(self, condition: Condition, position: int) -> bool:
        """Whether the bounds of *condition* are those of periods of which all have a name."""
        column = self.target.band.columns[position]
        spans = [span_of(value, column) for value in _values(condition)]
        if any(span.is_moment for span in spans):
            return self._naming(position).is_complete
        starts = [
            _day_after(span.last) if condition.op in _UNTIL_LAST_DAY or at == 1 else span.first
            for at, span in enumerate(spans)  # the second one ends what is between two
        ]
        return any(
            all(is_start(date.fromisoformat(start)) for start in starts)
            and self._naming(position, period).is_complete
            for period, is_start in _IS_START.items()
        )


def _values(condition: Condition) -> tuple[FilterValue | None, ...]:
    return condition.value if isinstance(condition.value, tuple) else (condition.value,)


_IS_START: Mapping[PeriodName, Callable[[date], bool]] = {
    "year": lambda day: day.day == 1 and day.month == 1,
    "quarter": lambda day: day.day == 1 and day.month % 3 == 1,
    "month": lambda day: day.day == 1,
    "week": lambda day: day.weekday() == 0,
    "day": lambda day: True,
}
"""Whether a period begins on a day, the longest period first."""
_DAYS_MAX: Mapping[PeriodName, int] = {"year": 366, "quarter": 92, "month": 31, "week": 7, "day": 1}


def _period_of(first: str, last: str) -> PeriodName | None:
    """The period from the day *first* to the day *last*; None where these are no whole one."""
    start, end = date.fromisoformat(first), date.fromisoformat(_day_after(last))
    for period, is_start in _IS_START.items():
        days = (end - start).days
        # No two periods of a kind are as short as the longest one.
        if is_start(start) and is_start(end) and _DAYS_MAX[period] // 2 < days <= _DAYS_MAX[period]:
            return period
    return None


def _day_after(day: str) -> str:
    found = date.fromisoformat(day)
    # The last day there is has no next one; nor does any row lie behind it.
    return "9999-01-01" if found == date.max else (found + timedelta(1)).isoformat()
