"""What rows are grouped by: the SQL of a field, or of the period of its day; its order, and the names of its groups."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Context, Decimal
from typing import Any

from engine.columns import ColumnType, Typed
from engine.fact import PeriodName
from engine.facts import cell_text
from engine.query.comparisons import LOCAL_TIME
from engine.query.printed_doubles import printed_sql
from engine.query.session import OpenBand
from engine.query.target import Target

DATES = frozenset({"date", "datetime"})
_WIDE = Context(prec=80)

_STARTS: dict[PeriodName, str] = {
    "week": "date_trunc('week', {day})",
    "month": "date_trunc('month', {day})",
    "quarter": "date_trunc('quarter', {day})",
    "year": "date_trunc('year', {day})",
    "day": "{day}",
}
"""SQL for the first day of the period that a day is in."""


@dataclass(frozen=True, slots=True)
class GroupingKey:
    """A field to group by."""

    field: str
    column: ColumnType
    sql: str
    period: PeriodName | None

    @classmethod
    def of(cls, opened: OpenBand, target: Target, position: int, period: PeriodName | None) -> GroupingKey:
        """The key of the band's column at *position*, whose days a *period* gathers."""
        column, cell = target.band.columns[position], f"c{opened.position(position)}"
        if column.double:
            return cls(column.name, column, printed_sql(cell), None)
        if column.type not in DATES or period is None:
            return cls(column.name, column, cell, None)
        day = cell if column.type == "date" else f"CAST(substr({cell}, 1, 10) AS DATE)"
        return cls(column.name, column, f"CAST({_STARTS[period].format(day=day)} AS DATE)", period)

    def order(self, cell: str) -> str:
        """SQL that orders the values in *cell*: numbers by size, days and moments by time; nulls last."""
        if self.column.type == "datetime" and self.period is None:
            return f"{LOCAL_TIME.format(cell=cell)} NULLS LAST, {cell}"
        return f"{cell} NULLS LAST"

    def name_order(self, cell: str) -> str:
        """SQL that orders groups of equal value: by what they are called, as statistics do (spec 3)."""
        # The text of a DOUBLE may have an exponent, which its name has not.
        return f"{cell} NULLS LAST" if self.column.double else f"CAST({cell} AS VARCHAR) NULLS LAST"

    def name(self, value: Any) -> str | None:
        """What the group of SQL's *value* is called."""
        if value is None:
            return None
        if isinstance(value, date):
            return _period_name(value, self.period)
        return cell_text(_typed(value, self.column), self.column)


def _typed(value: Any, column: ColumnType) -> Typed:
    """SQL's value as typed cells have it."""
    if isinstance(value, Decimal):
        return int(value.scaleb(column.scale, _WIDE))
    return value  # type: ignore[no-any-return]  # a text, a boolean or a double


def _period_name(first: date, period: PeriodName | None) -> str:
    match period:
        case "week":
            year, week, _ = first.isocalendar()
            return f"{year:04d}-W{week:02d}"
        case "month":
            return first.isoformat()[:7]
        case "quarter":
            return f"{first.year:04d}-Q{(first.month + 2) // 3}"
        case "year":
            return f"{first.year:04d}"
        case _:
            return first.isoformat()
