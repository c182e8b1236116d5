"""
Reads what a filter's value is to a field: a number in its unit, a day or all days of a period, a text, a boolean.

Each is read as the field reads its cells. What the field cannot have is a QueryError that says why.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Context, Decimal
from typing import TYPE_CHECKING

from datasources.base import FieldType
from engine import dates, numbers
from engine.cleaning import strip
from engine.columns import DECLARED_BOOLEANS, ColumnType
from engine.exceptions import QueryError
from engine.notes import Term

if TYPE_CHECKING:
    from datasources.filters import FilterValue

_WIDE = Context(prec=200)
ORDER_OPS = frozenset({"<", "<=", ">", ">="})

TYPE_TERMS: Mapping[FieldType, str] = {
    "number": "a_number",
    "date": "a_date",
    "datetime": "a_datetime",
    "text": "a_text",
    "boolean": "a_boolean",
}
"""What a type is called in a sentence (`engine/notes`)."""


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# ---- numbers ----


def number_of(value: FilterValue | None, column: ColumnType) -> Decimal:
    """What *value* is to a number column; raises QueryError."""
    if isinstance(value, bool) or value is None:
        raise QueryError("no_number", field=column.name, value=_shown(value))
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise QueryError("no_number", field=column.name, value=value)
        return value
    return _number_of_text(value, column)


def _number_of_text(value: str, column: ColumnType) -> Decimal:
    cell = numbers.read_number(strip(value))
    if cell is None:
        raise QueryError("no_number", field=column.name, value=_shown(value))
    unit = column.shown_unit
    if cell.unit is not None and cell.unit != unit and (unit in numbers.UNITS or cell.unit == "%"):
        raise QueryError(
            "other_unit", field=column.name, unit=unit or Term("plain_numbers"), value=_shown(value)
        )
    style = column.style
    if cell.kind in ("dot", "comma") and style not in ("br", "point"):
        mark = "." if cell.kind == "dot" else ","
        raise QueryError("two_readings", value=_shown(value), mark=mark)
    return Decimal(cell.digits).scaleb(-numbers.decimals_in(cell, style), _WIDE)


# ---- days and moments ----


@dataclass(frozen=True, slots=True)
class Span:
    """The first and last day (or moment) that a value stands for."""

    first: str
    last: str
    is_moment: bool = False


_year = re.compile(r"[0-9]{4}").fullmatch
_month = re.compile(r"([0-9]{4})-([0-9]{2})|([0-9]{2})/([0-9]{4})").fullmatch
_quarter = re.compile(r"([0-9]{4})-Q([1-4])").fullmatch
_week = re.compile(r"([0-9]{4})-W([0-9]{2})").fullmatch


def span_of(value: FilterValue | None, column: ColumnType) -> Span:
    """The days or moments that *value* is to a column of days or moments; raises QueryError."""
    text = str(value) if type(value) in (int, str) else ""
    span = _read_span(strip(text), column)
    if span is None:
        raise QueryError("no_day", field=column.name, type=Term(TYPE_TERMS[column.type]), value=_shown(value))
    return span


def _read_span(text: str, column: ColumnType) -> Span | None:
    if _year(text):
        return Span(f"{text}-01-01", f"{text}-12-31") if text != "0000" else None
    if match := _month(text):
        year, month = int(match[1] or match[4]), int(match[2] or match[3])
        if not dates.is_day(year, month, 1):
            return None
        return Span(f"{year:04d}-{month:02d}-01", f"{year:04d}-{month:02d}-{dates.last_day(year, month)}")
    if match := _quarter(text):
        year, month = int(match[1]), 3 * int(match[2])
        if not dates.is_day(year, month, 1):
            return None
        return Span(f"{year:04d}-{month - 2:02d}-01", f"{year:04d}-{month:02d}-{dates.last_day(year, month)}")
    if match := _week(text):
        return _week_span(int(match[1]), int(match[2]))
    cell = dates.read_date(text, compact=True)
    if cell is None:
        return None
    order = "month" if cell.format in dates.SEPARATED and not column.day_first else "day"
    if not dates.is_possible(cell, order):  # type: ignore[arg-type]  # one of the two words
        return None
    day = dates.day_text(cell, order)  # type: ignore[arg-type]
    if not _has_time(text):
        return Span(day, day)
    if column.type == "date":
        return None if cell.time else Span(day, day)
    moment = dates.local_time(f"{day}{cell.clock}")
    return Span(moment, moment, is_moment=True)


def _week_span(year: int, week: int) -> Span | None:
    """The days of a week of ISO 8601."""
    try:
        days = [date.fromisocalendar(year, week, day) for day in (1, 7)]
    except ValueError:  # a year without that week, or past the calendar
        return None
    return Span(days[0].isoformat(), days[1].isoformat())


def _has_time(text: str) -> bool:
    return ":" in text


# ---- texts and booleans ----


def check_text(op: str, column: ColumnType) -> None:
    """Raise QueryError unless *column* is text, which *op* alone looks into."""
    if column.type != "text":
        raise QueryError("text_needed", op=op, field=column.name, type=Term(TYPE_TERMS[column.type]))


def value_text(value: object) -> str:
    """What *value* is to a text column."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def boolean_of(op: str, value: FilterValue | None, column: ColumnType) -> bool:
    """What *value* is to a boolean column that *op* compares; raises QueryError."""
    if op in ORDER_OPS:
        raise QueryError("no_order", field=column.name)
    found = value if isinstance(value, bool) else DECLARED_BOOLEANS.get(strip(value_text(value)).lower())
    if found is None:
        raise QueryError("no_boolean", field=column.name, value=_shown(value))
    return found
