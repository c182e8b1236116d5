"""
Compiles a filter to SQL over a band's columns `c0…cN`: every value is bound, and read as its field reads its cells.

A null fits no condition but `is_null`, so neither `!=` nor `not_in` finds it. Text is compared as written, by code
point, a double as it is printed. A moment is compared by its local time as written; a day, a week, a month, a
quarter or a year stands for all of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Context, Decimal
from typing import TYPE_CHECKING, assert_never

from datasources.base import FieldType
from engine import dates, numbers
from engine.cleaning import strip
from engine.columns import DECLARED_BOOLEANS, ColumnType
from engine.exceptions import QueryError
from engine.notes import Term
from engine.query.printed_doubles import printed_as

if TYPE_CHECKING:
    from datasources.filters import Condition, Filter, FilterValue

NARROW_DIGITS = 18
WIDE_DIGITS = 38
NEVER = "FALSE"
_WIDE = Context(prec=200)

TYPE_TERMS: Mapping[FieldType, str] = {
    "number": "a_number",
    "date": "a_date",
    "datetime": "a_datetime",
    "text": "a_text",
    "boolean": "a_boolean",
}
"""What a type is called in a sentence (`engine/notes`)."""

Bound = str | float | bool | list[str]


@dataclass(slots=True)
class Clause:
    """What follows WHERE, and the values for its question marks."""

    sql: str
    values: list[Bound] = field(default_factory=list)

    @classmethod
    def joined(cls, clauses: Sequence[Clause], word: str) -> Clause:
        """The *clauses* with AND or OR between them."""
        if len(clauses) == 1:
            return clauses[0]
        return cls(
            "(" + f" {word} ".join(one.sql for one in clauses) + ")",
            [value for one in clauses for value in one.values],
        )


def compile_filter(where: Filter, columns: Sequence[ColumnType]) -> Clause:
    """
    The SQL of *where* for a table whose columns `c0…cN` are *columns*.

    Raises QueryError for a field that is not there, a value that the field cannot have, and an operator that
    the field's type does not know.
    """
    from datasources.filters import AllOf, AnyOf, Condition

    match where:
        case AllOf():
            return Clause.joined([compile_filter(one, columns) for one in where.all_of], "AND")
        case AnyOf():
            return Clause.joined([compile_filter(one, columns) for one in where.any_of], "OR")
        case Condition():
            return _compile_condition(where, columns)
        case _:
            assert_never(where)


def position_of(name: str, columns: Sequence[ColumnType]) -> int:
    """Where the field *name* stands; raises QueryError with those that there are."""
    for position, column in enumerate(columns):
        if column.name == name:
            return position
    raise QueryError.unknown_field(name, [column.name for column in columns])


def _compile_condition(where: Condition, columns: Sequence[ColumnType]) -> Clause:
    position = position_of(where.field, columns)
    column, cell = columns[position], f"c{position}"
    if where.op == "is_null":
        return Clause(f"{cell} IS {'NOT ' if where.value is False else ''}NULL")
    if where.op in ("contains", "starts_with"):
        check_text(where.op, column)
        return _text_function(cell, where.op, value_text(where.value))
    compare = _COMPARERS[column.type](cell, column)
    values: Sequence[FilterValue | None] = where.value if isinstance(where.value, tuple) else (where.value,)
    match where.op:
        case "in" | "not_in" if column.double:
            doubles = [double for value in values for double in printed_as(number_of(value, column))]
            return _compare_list(cell, doubles, is_in=where.op == "in")
        case "in":
            return _any_of(cell, [compare("=", value) for value in values])
        case "not_in":
            return _none_of(cell, [compare("!=", value) for value in values])
        case "between":
            return Clause.joined([compare(">=", values[0]), compare("<=", values[1])], "AND")
        case op:
            return compare(op, values[0])


def _compare_list(cell: str, doubles: Sequence[float], *, is_in: bool) -> Clause:
    sign, join = ("=", _any_of) if is_in else ("<>", _none_of)
    return join(cell, [Clause(f"{cell} {sign} CAST(? AS DOUBLE)", [double]) for double in doubles])


LISTED_MIN = 5
"""So many values are looked up in a list: the work for a long row of comparisons grows without bound."""


def _any_of(cell: str, clauses: Sequence[Clause]) -> Clause:
    lists, others = _as_lists(cell, "=", clauses)
    found = [
        *(Clause(f"{cell} IN (SELECT {mark})", [values]) for mark, values in lists.items()),
        *(one for one in others if one.sql != NEVER),
    ]
    return Clause.joined(found, "OR") if found else Clause(NEVER)


def _none_of(cell: str, clauses: Sequence[Clause]) -> Clause:
    lists, others = _as_lists(cell, "<>", clauses)
    filled = f"{cell} IS NOT NULL"
    found = [
        Clause(filled),
        *(Clause(f"{cell} NOT IN (SELECT {mark})", [values]) for mark, values in lists.items()),
        *(one for one in others if one.sql != filled),
    ]
    return Clause.joined(found, "AND")


def _as_lists(
    cell: str, sign: str, clauses: Sequence[Clause]
) -> tuple[Mapping[str, list[str]], Sequence[Clause]]:
    """The values of plain comparisons by how they are cast, where they are many, and the clauses that are left."""
    lists: dict[str, list[str]] = {}
    others = []
    for clause in clauses:
        begin, _, mark = clause.sql.partition(f" {sign} ")
        if len(clauses) >= LISTED_MIN and begin == cell and len(clause.values) == 1:
            lists.setdefault(mark.replace("?", "unnest(?)"), []).append(str(clause.values[0]))
        else:
            others.append(clause)
    return lists, others


def check_text(op: str, column: ColumnType) -> None:
    """Raise QueryError unless *column* is text, which *op* alone looks into."""
    if column.type != "text":
        raise QueryError("text_needed", op=op, field=column.name, type=Term(TYPE_TERMS[column.type]))


_Compare = Callable[[str, "FilterValue | None"], Clause]
_ORDER_OPS = frozenset({"<", "<=", ">", ">="})


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# ---- numbers ----


def _compare_numbers(cell: str, column: ColumnType) -> _Compare:
    def compare(op: str, value: FilterValue | None) -> Clause:
        number = number_of(value, column)
        if column.double:
            return _compare_doubles(cell, op, number)
        return _compare_scaled(cell, column.scale, op, number)

    return compare


def _compare_doubles(cell: str, op: str, number: Decimal) -> Clause:
    doubles = printed_as(number)
    low, high = doubles[0], doubles[-1]
    if op in ("=", "!=") and low < high:
        sign = "NOT " if op == "!=" else ""
        return Clause(f"{cell} {sign}BETWEEN CAST(? AS DOUBLE) AND CAST(? AS DOUBLE)", [low, high])
    return Clause(f"{cell} {_SQL_OPS[op]} CAST(? AS DOUBLE)", [high if op in (">", "<=") else low])


_SQL_OPS = {"=": "=", "!=": "<>", ">": ">", ">=": ">=", "<": "<", "<=": "<="}


def _compare_scaled(cell: str, scale: int, op: str, number: Decimal) -> Clause:
    """Compare with a number that may have more decimals than the column, or more digits than any column."""
    floor, is_exact = _scaled_floor(number, scale)
    if op in ("=", "!=") and not is_exact:
        return Clause(NEVER if op == "=" else f"{cell} IS NOT NULL")
    if op in (">=", "<") and not is_exact:
        floor += 1  # the ceiling
    size = len(str(abs(floor)))
    if size > WIDE_DIGITS:
        is_below = floor > 0
        fits = op == "!=" or (op in ("<", "<=") if is_below else op in (">", ">="))
        return Clause(f"{cell} IS NOT NULL" if fits else NEVER)
    digits = NARROW_DIGITS if size <= NARROW_DIGITS and scale <= NARROW_DIGITS else WIDE_DIGITS
    text = format(Decimal(floor).scaleb(-scale, _WIDE), "f")
    return Clause(f"{cell} {_SQL_OPS[op]} CAST(? AS DECIMAL({digits}, {scale}))", [text])


def _scaled_floor(number: Decimal, scale: int) -> tuple[int, bool]:
    """`number * 10**scale` rounded down, and whether nothing was lost."""
    if number.adjusted() > 2 * WIDE_DIGITS:
        return (-1 if number < 0 else 1) * int(10 ** (2 * WIDE_DIGITS)), True
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    value = int("".join(map(str, digits)) or "0") * (-1 if sign else 1)
    shift = exponent + scale
    if shift >= 0:
        return value * int(10**shift), True
    if -shift > len(digits) + 1:  # nearer to zero than any digit that a cell has
        return (-1 if value < 0 else 0), value == 0
    floor, rest = divmod(value, int(10**-shift))
    return floor, rest == 0


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


def _compare_days(cell: str, column: ColumnType) -> _Compare:
    def compare(op: str, value: FilterValue | None) -> Clause:
        span = span_of(value, column)
        return _compare_span(cell, "CAST(? AS DATE)", op, span)

    return compare


LOCAL_TIME = r"regexp_extract({cell}, '^.{{19}}(\.[0-9]*[1-9])?')"
"""SQL for a stored moment without its offset, and without zeros that end its fraction."""


def _compare_moments(cell: str, column: ColumnType) -> _Compare:
    def compare(op: str, value: FilterValue | None) -> Clause:
        span = span_of(value, column)
        local = LOCAL_TIME.format(cell=cell) if span.is_moment else f"substr({cell}, 1, 10)"
        return _compare_span(local, "?", op, span)

    return compare


def _compare_span(cell: str, mark: str, op: str, span: Span) -> Clause:
    match op:
        case "=" | "!=" if span.first == span.last:
            return Clause(f"{cell} {_SQL_OPS[op]} {mark}", [span.first])
        case "=":
            return Clause(f"({cell} >= {mark} AND {cell} <= {mark})", [span.first, span.last])
        case "!=":
            return Clause(f"({cell} < {mark} OR {cell} > {mark})", [span.first, span.last])
        case ">" | "<=":
            return Clause(f"{cell} {op} {mark}", [span.last])
        case _:
            return Clause(f"{cell} {op} {mark}", [span.first])


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


def _compare_texts(cell: str, column: ColumnType) -> _Compare:
    def compare(op: str, value: FilterValue | None) -> Clause:
        text = strip(value_text(value))  # as the cells are
        if not _is_storable(text):
            return _compare_unstorable(cell, op, text)
        return Clause(f"{cell} {_SQL_OPS[op]} ?", [text])

    return compare


def _compare_unstorable(cell: str, op: str, text: str) -> Clause:
    """Compare with a text that no cell equals: those before and after it are those around the gap it stands in."""
    if op not in _ORDER_OPS:
        return Clause(f"{cell} IS NOT NULL" if op == "!=" else NEVER)
    start = next(index for index, mark in enumerate(text) if not _is_storable(mark))
    return Clause(f"{cell} {'<' if op in ('<', '<=') else '>='} ?", [f"{text[:start]}\ue000"])


def _text_function(cell: str, name: str, text: str) -> Clause:
    return Clause(f"{name}({cell}, ?)", [text]) if _is_storable(text) else Clause(NEVER)


def _is_storable(text: str) -> bool:
    """Whether UTF-8 can hold *text*: half a surrogate pair is in no cell."""
    return not any("\ud800" <= mark <= "\udfff" for mark in text)


def value_text(value: object) -> str:
    """What *value* is to a text column."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _compare_booleans(cell: str, column: ColumnType) -> _Compare:
    def compare(op: str, value: FilterValue | None) -> Clause:
        found = boolean_of(op, value, column)
        return Clause(f"{cell} {_SQL_OPS[op]} CAST(? AS BOOLEAN)", [found])

    return compare


def boolean_of(op: str, value: FilterValue | None, column: ColumnType) -> bool:
    """What *value* is to a boolean column that *op* compares; raises QueryError."""
    if op in _ORDER_OPS:
        raise QueryError("no_order", field=column.name)
    found = value if isinstance(value, bool) else DECLARED_BOOLEANS.get(strip(value_text(value)).lower())
    if found is None:
        raise QueryError("no_boolean", field=column.name, value=_shown(value))
    return found


_COMPARERS: Mapping[str, Callable[[str, ColumnType], _Compare]] = {
    "number": _compare_numbers,
    "date": _compare_days,
    "datetime": _compare_moments,
    "text": _compare_texts,
    "boolean": _compare_booleans,
}
