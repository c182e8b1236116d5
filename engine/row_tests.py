"""Says what a condition of a row rule means for one cell, as filters mean it, whatever cells stand around it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any, Literal

from datasources.base import Cell, FieldType
from datasources.exceptions import AccessError
from datasources.locales import is_month_first, style_of_locale
from engine import dates, numbers
from engine.cleaning import strip
from engine.columns import ColumnType, Typed, read_cell
from engine.dates import read_date
from engine.exceptions import QueryError
from engine.query.filter_values import Span, boolean_of, check_text, number_of, span_of, value_text

if TYPE_CHECKING:
    from datasources.filters import Condition, FilterValue
    from datasources.row_rules import RuleColumn, Test

_OPS: Mapping[str, Callable[[Any, Any], bool]] = {  # Any: both are of the type of one column
    "=": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_EXACT = Context(prec=2_000)
_Fits = Callable[[object], bool]
"""Whether a typed value, which is not null, fits a comparison."""


def compile_test(condition: Condition, column: RuleColumn) -> Test:
    """
    Whether a cell of *column* fits *condition*: by its declared type, else by its text without white space around it.

    Each cell is read for itself: of two ways in which a number or a day may be written, one that the cell rules out
    is none, and else the locale, or the kind of source, decides. Null, and what does not fit the type, fits nothing
    but `is_null`. Raises AccessError for a value that the field cannot have.
    """
    kind: FieldType = (column.declared.kind if column.declared else None) or "text"
    read = _reader(kind, column)
    if condition.op == "is_null":
        wanted = condition.value is not False
        return lambda cell: (read(cell) is None) is wanted
    try:
        fits = _compile(condition, _type_of(kind, column))
    except QueryError as error:
        raise AccessError(
            f"A row rule compares “{column.name}” with a value that the field cannot have: correct the rule, or the"
            " viewer's attribute.",
            source=column.name,
        ) from error

    def test(cell: Cell) -> bool:
        value = read(cell)
        return value is not None and fits(value)

    return test


def _type_of(kind: FieldType, column: RuleColumn) -> ColumnType:
    style = style_of_locale(column.locale) or column.decimal_style
    return ColumnType(
        column.name,
        kind,
        style=style,
        day_first=not is_month_first(column.locale),
        compact=True,
        null_values=column.null_values,
        declared=True,
        declared_unit=column.declared.unit if column.declared else None,
    )


# ---- cells ----


def _reader(kind: FieldType, column: RuleColumn) -> Callable[[Cell], object | None]:
    """What a cell is to the rule; None for nothing."""
    declared = _type_of(kind, column)
    match kind:
        case "number":
            return lambda cell: _number(cell, declared)
        case "date" | "datetime":
            return lambda cell: _day(cell, declared)
        case _:
            return lambda cell: read_cell(cell, declared)


def _number(cell: Cell, column: ColumnType) -> Decimal | float | None:
    if isinstance(cell, str):
        text = strip(cell)
        found = None if text in column.null_values else numbers.read_number(text)
        if found is None:
            return None
        own: Mapping[str, str] = {"br": "br", "point": "point"}
        style = own.get(found.kind, {",": "br", ".": "point"}.get(found.mark, column.style))
        unit = column.unit if column.declared_unit in numbers.UNITS else found.unit
        scale = numbers.decimals_in(found, style)
        typed = read_cell(cell, replace(column, style=style, unit=unit, scale=scale))
        return None if typed is None else Decimal(int(typed)).scaleb(-scale, _EXACT)
    if isinstance(cell, float):
        return cell if cell - cell == 0 else None
    if isinstance(cell, bool) or not isinstance(cell, int | Decimal):
        return None
    number = Decimal(cell)
    return number if number.is_finite() else None


def _day(cell: Cell, column: ColumnType) -> Typed:
    if isinstance(cell, str):
        found = read_date(strip(cell), compact=True)
        first: Literal["day", "month"] = "day" if column.day_first else "month"
        # `25/12/2026` is the 25th of December in every locale.
        if found is not None and found.format in dates.SEPARATED and not dates.is_possible(found, first):
            column = replace(column, day_first=not column.day_first)
    return read_cell(cell, column)


# ---- values ----


def _compile(condition: Condition, column: ColumnType) -> _Fits:
    op, value = condition.op, condition.value
    if op in ("contains", "starts_with"):
        check_text(op, column)
        wanted = value_text(value)
        return (
            (lambda text: wanted in str(text))
            if op == "contains"
            else lambda text: str(text).startswith(wanted)
        )
    values: Sequence[FilterValue | None] = value if isinstance(value, tuple) else (value,)
    compare = _COMPARERS[column.type]
    match op:
        case "in":
            anyone = [compare("=", one, column) for one in values]
            return lambda typed: any(fits(typed) for fits in anyone)
        case "not_in":
            everyone = [compare("!=", one, column) for one in values]
            return lambda typed: all(fits(typed) for fits in everyone)
        case "between":
            low, high = compare(">=", values[0], column), compare("<=", values[1], column)
            return lambda typed: low(typed) and high(typed)
        case _:
            return compare(op, values[0], column)


def _compare_numbers(op: str, value: FilterValue | None, column: ColumnType) -> _Fits:
    number, compare = number_of(value, column), _OPS[op]
    # A double is compared as one: 0.1 is the tenth that was written.
    double = float(number)
    return lambda typed: compare(typed, double if isinstance(typed, float) else number)


def _compare_days(op: str, value: FilterValue | None, column: ColumnType) -> _Fits:
    span = span_of(value, column)

    def fits(typed: object) -> bool:
        text = str(typed)
        own = text if column.type == "date" else dates.local_time(text) if span.is_moment else text[:10]
        return _in_span(op, own, span)

    return fits


def _in_span(op: str, own: str, span: Span) -> bool:
    match op:
        case "=":
            return span.first <= own <= span.last
        case "!=":
            return not span.first <= own <= span.last
        case ">" | "<=":
            return _OPS[op](own, span.last)
        case _:
            return _OPS[op](own, span.first)


def _compare_texts(op: str, value: FilterValue | None, column: ColumnType) -> _Fits:
    text, compare = strip(value_text(value)), _OPS[op]
    return lambda typed: compare(typed, text)


def _compare_booleans(op: str, value: FilterValue | None, column: ColumnType) -> _Fits:
    found, compare = boolean_of(op, value, column), _OPS[op]
    return lambda typed: compare(typed, found)


_COMPARERS: Mapping[FieldType, Callable[[str, FilterValue | None, ColumnType], _Fits]] = {
    "number": _compare_numbers,
    "date": _compare_days,
    "datetime": _compare_days,
    "text": _compare_texts,
    "boolean": _compare_booleans,
}
