"""The value of a verb over cells, worked out in fractions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from tests.oracle.tools_kinds import Column
from tests.oracle.tools_rows import local_time


class Num(str):
    """A JSON number by its text, so that `1.50` is not `1.5`."""

    __slots__ = ()


@dataclass(frozen=True)
class Value:
    """A value as it is written, and what orders it exactly."""

    shown: Any
    order: Any
    exact: Fraction | None = None
    """Before it is rounded; None of what has no end."""


NOTHING = Value(None, None)


def value_of(verb: str, column: Column | None, rows: Sequence[int], whole: Sequence[int]) -> Value:
    """The value of *verb*; *whole* are the rows that a share is of."""
    if not rows:
        return NOTHING
    if column is None:
        if verb == "COUNT":
            return number(Fraction(len(rows)), 0)
        return _share(Fraction(len(rows)), Fraction(len(whole)))
    cells: list[Any] = [column.cells[row] for row in rows if column.cells[row] is not None]
    if verb == "COUNT":
        return number(Fraction(len(cells)), 0)
    if verb == "DISTINCT":
        return number(Fraction(len(set(cells))), 0)
    if not cells:
        return NOTHING
    if verb in ("MIN", "MAX"):
        return _edge(verb, column, cells)
    if verb == "SHARE":
        every = [column.cells[row] for row in whole if column.cells[row] is not None]
        return _share(_total(column, cells), _total(column, every))
    if column.is_double:
        return _of_doubles(verb, cells)
    exact = [Fraction(cell) for cell in cells]
    two = max(2, column.scale)
    match verb:
        case "SUM":
            return number(sum(exact), column.scale)
        case "AVG":
            return number(sum(exact, Fraction(0)) / len(exact), two)
        case "MEDIAN":
            return number(_middle(exact), column.scale + 1)
    if len(exact) < 2:
        return NOTHING
    root = number(Fraction(_root(_variance(exact))), two)
    return Value(root.shown, root.order)


def number(value: Fraction | int, decimals: int) -> Value:
    """*value* rounded half-even, and written without trailing zeros."""
    scaled = round(value * 10**decimals)
    digits = f"{abs(scaled):0{decimals + 1}d}"
    text = f"{digits[: len(digits) - decimals]}.{digits[len(digits) - decimals :]}".rstrip("0").rstrip(".")
    text = f"-{text}" if scaled < 0 else text
    return Value(Num(text), Fraction(scaled, 10**decimals), Fraction(value))


def _share(part: Fraction | int, whole: Fraction | int) -> Value:
    if not whole:
        return NOTHING
    exact = Fraction(part) * 100 / Fraction(whole)
    return Value(number(exact, 2).shown, exact, exact)


def _total(column: Column, cells: Iterable[Any]) -> Fraction:
    exact = sum(map(Fraction, cells), Fraction(0))
    return Fraction(_nearest(exact)) if column.is_double else exact


def _nearest(exact: Fraction) -> float | int:
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return round(exact)


def _middle(cells: Sequence[Any]) -> Fraction:
    ordered = sorted(map(Fraction, cells))
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return (low + high) / 2


def _variance(exact: Sequence[Fraction]) -> Fraction:
    mean = sum(exact, Fraction(0)) / len(exact)
    return sum(((one - mean) ** 2 for one in exact), Fraction(0)) / (len(exact) - 1)


def _root(square: Fraction) -> Decimal:
    context = Context(prec=1_300 if square.denominator > 10**300 else 300, Emax=10**6, Emin=-(10**6))
    return context.sqrt(context.divide(Decimal(square.numerator), Decimal(square.denominator)))


def _of_doubles(verb: str, cells: list[float]) -> Value:
    exact = [Fraction(cell) for cell in cells]
    match verb:
        case "SUM":
            return _double(_nearest(sum(exact, Fraction(0))))
        case "AVG":
            total = _nearest(sum(exact, Fraction(0)))
            return _double(
                total / len(cells) if isinstance(total, float) else _nearest(Fraction(total, len(cells)))
            )
        case "MEDIAN":
            return _double(_nearest(_middle(exact)))
    if len(cells) < 2:
        return NOTHING
    return _double(_root(_variance(exact)))


def _double(value: float | int | Decimal) -> Value:
    """Fifteen significant digits."""
    rounded = Context(prec=15, Emax=10**6, Emin=-(10**6)).plus(Decimal(value))
    text = format(rounded, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return Value(Num("0" if text in ("-0", "") else text), Fraction(rounded))


def _edge(verb: str, column: Column, cells: list[Any]) -> Value:
    best = min if verb == "MIN" else max
    if column.type == "datetime":
        found = best(cells, key=moment_key)
        return Value(found, moment_key(found))
    found = best(cells)
    if column.type != "number":
        return Value(found, found)
    if column.is_double:
        return Value(_double(found).shown, Fraction(found))
    return number(Fraction(found), column.scale)


def moment_key(text: str) -> tuple[str, str]:
    """Orders moments by local time, then by text."""
    return local_time(text), text


def plain(number: Decimal) -> Num:
    """*number* in full, without trailing zeros."""
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return Num("0" if text in ("-0", "") else text)
