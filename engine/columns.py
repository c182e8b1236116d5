"""The verdict on a column, and how a single cell of it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import isfinite
from typing import Literal

from datasources.base import Cell, FieldType, Role
from datasources.records import integer_text
from engine import dates, numbers
from engine.cleaning import strip

Typed = str | int | float | bool | None
"""
A typed cell: text, an integer at the column's scale (a float in a DOUBLE column), the text of a date or
time, or a boolean.
"""

BOOLEANS = {"true": True, "false": False}
"""What reads as a boolean, in any case of letters (spec 2)."""
DECLARED_BOOLEANS: Mapping[str, bool] = {
    **BOOLEANS,
    **dict.fromkeys(["1", "s", "sim", "y", "yes", "verdadeiro"], True),
    **dict.fromkeys(["0", "n", "não", "nao", "no", "falso"], False),
}
"""What reads as one where the report says that the column is boolean: undeclared, these are texts and numbers."""


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
    declared: bool = False
    """Whether the report declares the type, so that cells may be there that do not fit it."""
    role: Role | None = None
    """The role that the report declares."""
    declared_unit: str | None = None
    label: str | None = None
    masked: bool = False
    """Whether the cells are pseudonyms (`datasources.base.Declared`)."""

    @property
    def declared_type(self) -> FieldType | None:
        """The type, where it is declared."""
        return self.type if self.declared else None

    @property
    def shown_unit(self) -> str | None:
        """The unit that is declared, or that the cells are written with."""
        return self.declared_unit or self.unit


def read_cell(value: Cell, column: ColumnType) -> Typed:
    """
    One cell of *column*, as its type reads it; null tokens and empty text become None.

    Works for any cell that was among the column's evidence; for others, what does not fit is None.
    """
    if isinstance(value, str):
        value = strip(value)
        if not value or value in column.null_values:
            return None
    elif value is None or not is_finite(value):  # null whatever the column is (spec 1.1)
        return None
    match column.type:
        case "text":
            return text_of(value)
        case "number":
            return _read_number(value, column)
        case "boolean" if column.declared:
            return read_declared_boolean(value)
        case "boolean":
            return value if isinstance(value, bool) else BOOLEANS.get(str(value).lower())
        case _:
            return _read_date(value, column)


def is_finite(value: Cell) -> bool:
    """Whether *value* is anything but a NaN or an infinity."""
    if isinstance(value, Decimal):
        return value.is_finite()
    return not isinstance(value, float) or isfinite(value)


def read_declared_boolean(value: Cell) -> bool | None:
    """A cell of a column that is declared boolean; None for what is none."""
    if isinstance(value, str):
        return DECLARED_BOOLEANS.get(value.lower())
    if isinstance(value, int | float | Decimal) and value in (0, 1):
        return bool(value)
    return None


def _read_number(value: Cell, column: ColumnType) -> int | float | None:
    if isinstance(value, str):
        cell = numbers.read_number(value)
    elif isinstance(value, bool | date) or value is None:
        return None
    else:
        if column.double:
            try:
                number = float(value)
            except OverflowError:  # an integer past every double
                return None
            return number if number - number == 0 else None
        cell = numbers.read_native(value)
    if cell is None or (column.declared and not _fits(cell, column)):
        return None
    decimals = numbers.decimals_in(cell, column.style)
    if column.double:
        # A quotient of integers is rounded once, so this is the double nearest to what was written.
        try:
            return float(cell.digits / 10**decimals)
        except OverflowError:
            return None
    return cell.digits * int(10 ** (column.scale - decimals))


def _fits(cell: numbers.NumberCell, column: ColumnType) -> bool:
    """Whether *cell* is of the style and unit of a declared column; the cells of one that is not may be of any."""
    style = {"br": "br", "point": "point", "spaced": {",": "br", ".": "point"}.get(cell.mark)}.get(cell.kind)
    if style not in (None, column.style):
        return False
    unit = column.declared_unit if column.declared_unit in numbers.UNITS else column.unit
    if cell.unit is None:
        return unit != "%" or column.declared_unit == "%"
    return cell.unit == unit


def _read_date(value: Cell, column: ColumnType) -> str | None:
    if column.declared and type(value) is int:
        value = str(value)
    if isinstance(value, date):
        cell: dates.DateCell | None = dates.read_native_date(value)
    elif isinstance(value, str):
        cell = dates.read_date(value, compact=column.compact)
    else:
        return None
    if cell is None:
        return None
    first: Literal["day", "month"] = "day" if column.day_first else "month"
    if column.declared:
        # Cells of several formats may stand there, and only the separated ones leave the order open.
        first = first if cell.format in dates.SEPARATED else "day"
        if not dates.is_possible(cell, first):
            return None
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
    if isinstance(value, float):
        return repr(value + 0.0)  # -0.0 is 0.0
    return str(value) if value is None else integer_text(value)
