"""Which rows fit a filter, worked out cell by cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from math import isinf
from sys import float_info
from typing import Any

from tests.oracle.tools_kinds import Cell, Column
from tests.oracle.tools_tables import Band
from tests.oracle.tools_values import Json, Refused, Span, meaning_of, text_of


def conditions(where: Any) -> list[dict[str, Any]]:
    """The conditions of a filter."""
    if where is None:
        return []
    for word in ("and", "or"):
        if word in where:
            return [one for part in where[word] for one in conditions(part)]
    return [where]


def nodes(where: Any) -> int:
    """Conditions and groups of a filter."""
    for word in ("and", "or"):
        if word in where:
            return 1 + sum(map(nodes, where[word]))
    return 1


def column_of(band: Band, name: str) -> Column:
    """The field *name*."""
    column = band.column(name)
    if column is None:
        raise Refused("unknown")
    return column


def rows_of(band: Band, where: Any, reasons: set[str]) -> list[int]:
    """The rows that fit *where*; what cannot be compared is among *reasons* then."""
    if where is None:
        return list(range(band.rows))
    fitting = _fitting(band, where, reasons)
    return [row for row in range(band.rows) if row in fitting]


def _fitting(band: Band, where: Any, reasons: set[str]) -> set[int]:
    if "and" in where:
        return set.intersection(*[_fitting(band, one, reasons) for one in where["and"]])
    if "or" in where:
        return set.union(*[_fitting(band, one, reasons) for one in where["or"]])
    try:
        return _rows_of_condition(band, where["field"], where["op"], where.get("value"))
    except Refused as error:
        reasons.add(error.reason)
        return set()


def _rows_of_condition(band: Band, name: str, op: str, value: Any) -> set[int]:
    column = column_of(band, name)
    if op == "is_null":
        return {row for row, cell in enumerate(column.cells) if (cell is None) == (value is not False)}
    filled = [(row, cell) for row, cell in enumerate(column.cells) if cell is not None]
    if op in ("contains", "starts_with"):
        if column.type != "text":
            raise Refused("text_needed")
        text = text_of(value)
        if op == "contains":
            return {row for row, cell in filled if text in str(cell)}
        return {row for row, cell in filled if str(cell).startswith(text)}
    values = value if isinstance(value, list) else [value]
    if column.type == "boolean" and op in (">", ">=", "<", "<=", "between"):
        raise Refused("no_order")
    spans = [_ends(one, column) for one in values]
    return {row for row, cell in filled if _holds(_key(cell, column, spans), op, spans)}


PRINTED = Context(prec=15, rounding=ROUND_HALF_EVEN)
"""Doubles print fifteen digits, and are what they print."""


def printed(cell: float) -> Decimal:
    """What a double prints, where that can be read again."""
    rounded = PRINTED.plus(Decimal(cell))
    return Decimal(cell) if isinf(float(rounded)) else rounded


def _ends(value: Json, column: Column) -> tuple[Any, Any, bool]:
    """What a value means: the least and the greatest cell that equals it, and whether it is a moment or is printed."""
    meaning = meaning_of(value, column)
    if isinstance(meaning, Span):
        return meaning.first, meaning.last, meaning.is_moment
    if column.is_double:
        assert isinstance(meaning, Decimal)
        nearest = min(max(float(meaning), -float_info.max), float_info.max)
        is_printed = PRINTED.plus(Decimal(nearest)) == meaning
        shown: Any = meaning if is_printed else float(meaning)
        return shown, shown, is_printed
    return meaning, meaning, False


def _key(cell: Cell, column: Column, spans: Sequence[tuple[Any, Any, bool]]) -> list[Any]:
    """The cell as each of the values is compared with it."""
    if column.is_double:
        assert isinstance(cell, float)
        return [PRINTED.plus(Decimal(cell)) if is_printed else cell for _, _, is_printed in spans]
    if column.type != "datetime":
        return [cell] * len(spans)
    return [local_time(str(cell)) if is_moment else str(cell)[:10] for _, _, is_moment in spans]


def _holds(keys: list[Any], op: str, spans: Sequence[tuple[Any, Any, bool]]) -> bool:
    equal = [first <= key <= last for key, (first, last, _) in zip(keys, spans, strict=True)]
    match op:
        case "in":
            return any(equal)
        case "not_in":
            return not any(equal)
        case "between":
            return bool(spans[0][0] <= keys[0] and keys[1] <= spans[1][1])
    (key,), ((first, last, _),) = keys, spans
    found: dict[str, bool] = {
        "=": equal[0],
        "!=": not equal[0],
        ">": key > last,
        ">=": key >= first,
        "<": key < first,
        "<=": key <= last,
    }
    return found[op]


def local_time(text: str) -> str:
    """A moment without its offset and the zeros that end its fraction."""
    match = re.match(r"(.{19})(?:\.(\d+))?", text)
    assert match is not None
    fraction = (match[2] or "").rstrip("0")
    return match[1] + (f".{fraction}" if fraction else "")
