"""The verdict on a column, and how a single cell of it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from datasources.base import Cell
from engine import dates, numbers
from engine.cleaning import strip

FieldType = Literal["text", "number", "date", "datetime", "boolean"]
Typed = str | int | float | bool | None
"""
A typed cell: text, an integer at the column's scale (a float in a DOUBLE column), the text of a date or
time, or a boolean.
"""

BOOLEANS = {"true": True, "false": False}
"""What reads as a boolean, in any case of letters (spec 2)."""


@dataclass(frozen=True, slots=True)
class Coercion:
    """How a column's cells were read, and what spoke for it."""

    style: str
    """`br`, `point`, `plain`, `native`, a date format, `boolean`, or `text` where something kept it text."""
    evidence: Mapping[str, int | str]
    """Cells for and against, by kind; `decided_by` names the rule that decided."""
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The verdict on a column: everything that is needed to read one of its cells."""

    name: str
    type: FieldType
    unit: str | None = None
    scale: int = 0
    """Digits behind the decimal mark: a typed number is `value * 10**scale`."""
    double: bool = False
    """Whether the numbers are binary floating point, since DECIMAL cannot hold them."""
    style: str = "plain"
    day_first: bool = True
    compact: bool = False
    coercion: Coercion | None = None
    null_values: tuple[str, ...] = ()


def read_cell(value: Cell, column: ColumnType) -> Typed:
    """
    One cell of *column*, as its type reads it; null tokens and empty text become None.

    Works for any cell that was among the column's evidence; for others, what does not fit is None.
    """
    if isinstance(value, str):
        value = strip(value)
        if not value or value in column.null_values:
            return None
    elif value is None:
        return None
    match column.type:
        case "text":
            return text_of(value)
        case "number":
            return _read_number(value, column)
        case "boolean":
            return value if isinstance(value, bool) else BOOLEANS.get(str(value).lower())
        case _:
            return _read_date(value, column)


def _read_number(value: Cell, column: ColumnType) -> int | float | None:
    if isinstance(value, str):
        cell = numbers.read_number(value)
    elif isinstance(value, bool | date) or value is None:
        return None
    else:
        if column.double:
            number = float(value)
            return number if number - number == 0 else None
        cell = numbers.read_native(value)
    if cell is None:
        return None
    decimals = numbers.decimals_in(cell, column.style)
    if column.double:
        # A quotient of integers is rounded once, so this is the double nearest to what was written.
        return float(cell.digits / 10**decimals)
    return cell.digits * int(10 ** (column.scale - decimals))


def _read_date(value: Cell, column: ColumnType) -> str | None:
    if isinstance(value, date):
        cell: dates.DateCell | None = dates.read_native_date(value)
    elif isinstance(value, str):
        cell = dates.read_date(value, compact=column.compact)
    else:
        return None
    if cell is None:
        return None
    first: Literal["day", "month"] = "day" if column.day_first else "month"
    return dates.day_text(cell, first) if column.type == "date" else dates.moment_text(cell, first)


def text_of(value: Cell) -> str:
    """The text of a cell in a column that stays text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    return repr(value) if isinstance(value, float) else str(value)
