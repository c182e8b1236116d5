"""
Writes the comparison of a cell with one value as SQL, for each type of field.

Numbers are compared at the column's scale, a double as it is printed, text as written, by code point. A moment is
compared by its local time as written; a day, a week, a month, a quarter or a year stands for all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from typing import TYPE_CHECKING

from engine.cleaning import strip
from engine.columns import ColumnType
from engine.query.clause import NEVER, Clause
from engine.query.filter_values import ORDER_OPS, Span, boolean_of, number_of, span_of, value_text
from engine.query.printed_doubles import printed_as

if TYPE_CHECKING:
    from datasources.filters import FilterValue

NARROW_DIGITS = 18
WIDE_DIGITS = 38
_WIDE = Context(prec=200)

Compare = Callable[[str, "FilterValue | None"], Clause]
"""The clause for an operator and a value."""

# ---- numbers ----


def _compare_numbers(cell: str, column: ColumnType) -> Compare:
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


# ---- days and moments ----


def _compare_days(cell: str, column: ColumnType) -> Compare:
    def compare(op: str, value: FilterValue | None) -> Clause:
        span = span_of(value, column)
        return _compare_span(cell, "CAST(? AS DATE)", op, span)

    return compare


LOCAL_TIME = r"regexp_extract({cell}, '^.{{19}}(\.[0-9]*[1-9])?')"
"""SQL for a stored moment without its offset, and without zeros that end its fraction."""


def _compare_moments(cell: str, column: ColumnType) -> Compare:
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


# ---- texts and booleans ----


def _compare_texts(cell: str, column: ColumnType) -> Compare:
    def compare(op: str, value: FilterValue | None) -> Clause:
        text = strip(value_text(value))  # as the cells are
        if not _is_storable(text):
            return _compare_unstorable(cell, op, text)
        return Clause(f"{cell} {_SQL_OPS[op]} ?", [text])

    return compare


def _compare_unstorable(cell: str, op: str, text: str) -> Clause:
    """Compare with a text that no cell equals: those before and after it are those around the gap it stands in."""
    if op not in ORDER_OPS:
        return Clause(f"{cell} IS NOT NULL" if op == "!=" else NEVER)
    start = next(index for index, mark in enumerate(text) if not _is_storable(mark))
    return Clause(f"{cell} {'<' if op in ('<', '<=') else '>='} ?", [f"{text[:start]}\ue000"])


def text_function(cell: str, name: str, text: str) -> Clause:
    """The clause for a cell that has *text* in it, or at its beginning: *name* is `contains` or `starts_with`."""
    return Clause(f"{name}({cell}, ?)", [text]) if _is_storable(text) else Clause(NEVER)


def _is_storable(text: str) -> bool:
    """Whether UTF-8 can hold *text*: half a surrogate pair is in no cell."""
    return not any("\ud800" <= mark <= "\udfff" for mark in text)


def _compare_booleans(cell: str, column: ColumnType) -> Compare:
    def compare(op: str, value: FilterValue | None) -> Clause:
        found = boolean_of(op, value, column)
        return Clause(f"{cell} {_SQL_OPS[op]} CAST(? AS BOOLEAN)", [found])

    return compare


COMPARERS: Mapping[str, Callable[[str, ColumnType], Compare]] = {
    "number": _compare_numbers,
    "date": _compare_days,
    "datetime": _compare_moments,
    "text": _compare_texts,
    "boolean": _compare_booleans,
}
