"""Turns typed numbers into exact values and into the text that everyone prints (spec 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache

from engine.columns import ColumnType, Typed

AVERAGE_DECIMALS_MIN = 2
"""An average has at least these decimals, or its column's if those are more."""
DOUBLE_DIGITS = 15
"""Statistics of a DOUBLE column print this many significant digits."""

Number = Decimal | float
"""An exact decimal, or the double of a DOUBLE column."""

ENDINGS_SCALE_MAX = 3
"""Up to these decimals, all that can follow the mark is known beforehand."""


def exact(value: int | float, column: ColumnType) -> Number:
    """The number that the typed *value* of *column* stands for."""
    if column.double:
        return value if isinstance(value, float) else Decimal(value)
    return Decimal(f"{value}E-{column.scale}")


def exact_text(value: int | float, column: ColumnType) -> str:
    """The typed *value* of *column* as statistics print it."""
    if column.double:
        return double_text(value, DOUBLE_DIGITS)
    return scaled_text(int(value), column.scale)


def average_text(total: int | float, cells: int, column: ColumnType) -> str:
    """The average, rounded half-even from the exact sum to max(2, the column's scale) decimals."""
    if column.double:
        return double_text(total / cells, DOUBLE_DIGITS)
    decimals = max(AVERAGE_DECIMALS_MIN, column.scale)
    return scaled_text(divide_half_even(int(total) * 10 ** (decimals - column.scale), cells), decimals)


def divide_half_even(dividend: int, divisor: int) -> int:
    """
    The integer nearest to a quotient, the even one of two equally near; *divisor* is positive.

    >>> [divide_half_even(n, 2) for n in (1, 3, 5, -1, -3)]
    [0, 2, 2, 0, -2]
    """
    quotient, rest = divmod(dividend, divisor)
    double = 2 * rest
    return quotient + (double > divisor or (double == divisor and quotient % 2))


def add_doubles(values: Iterable[float]) -> float | int:
    """
    The double nearest to the exact sum of *values*; past the largest double, the nearest whole number.

    >>> add_doubles([0.1] * 10), len(str(add_doubles([1e308, 1e308])))
    (1.0, 309)
    """
    from math import fsum

    listed = list(values)
    try:
        return fsum(listed)
    except OverflowError:  # on the way or in the end
        from fractions import Fraction

        total = sum(map(Fraction, listed))
        return nearest_double(total.numerator, total.denominator)


def nearest_double(dividend: int, divisor: int) -> float | int:
    """The double nearest to a quotient, or where no double is that large, the nearest whole number."""
    try:
        return dividend / divisor
    except OverflowError:
        return divide_half_even(dividend, divisor)


def scaled_text(value: int, scale: int) -> str:
    """
    `value / 10**scale` in full, without trailing zeros.

    >>> scaled_text(-423891500, 3), scaled_text(0, 2), scaled_text(5, 3)
    ('-423891.5', '0', '0.005')
    """
    if scale == 0:
        return str(value)
    if scale > ENDINGS_SCALE_MAX:
        digits = f"{abs(value):0{scale + 1}d}"
        text = f"{digits[:-scale]}.{digits[-scale:]}".rstrip("0").rstrip(".")
    else:
        whole, rest = divmod(abs(value), 10**scale)
        text = f"{whole}{_endings(scale)[rest]}"
    return f"-{text}" if value < 0 else text


def scaled_texts(values: Sequence[int], scale: int) -> list[str]:
    """What `scaled_text` gives for each of *values*."""
    if scale == 0:
        return list(map(str, values))
    if scale <= ENDINGS_SCALE_MAX and values and min(values) >= 0:
        power, endings = 10**scale, _endings(scale)
        return [f"{value // power}{endings[value % power]}" for value in values]
    return [scaled_text(value, scale) for value in values]


@lru_cache
def _endings(scale: int) -> tuple[str, ...]:
    """
    What follows the whole units for each remainder.

    >>> _endings(1)
    ('', '.1', '.2', '.3', '.4', '.5', '.6', '.7', '.8', '.9')
    """
    return tuple([f".{rest:0{scale}d}".rstrip("0").rstrip(".") for rest in range(10**scale)])


def double_text(value: float, digits: int | None = None) -> str:
    """
    A double in full: the shortest text that reads back as the same, or *digits* significant ones.

    >>> double_text(1e-07), double_text(2 / 3, 15), double_text(-0.0)
    ('0.0000001', '0.666666666666667', '0')
    """
    if digits is None:
        return number_text(Decimal(repr(value)))
    return number_text(Context(prec=digits, rounding=ROUND_HALF_EVEN).plus(Decimal(value)))


def cell_text(value: Typed, column: ColumnType) -> str:
    """A typed cell as text: numbers in full (a double as the shortest text that reads back), the rest as it stands."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return double_text(float(value)) if column.double else scaled_text(int(value), column.scale)


def number_text(number: Number) -> str:
    """An exact number in full, without trailing zeros."""
    if isinstance(number, float):
        return double_text(number, DOUBLE_DIGITS)
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def decimals_text(number: Number) -> str:
    """An exact number with all its decimals, as report aggregates print (spec 6)."""
    return double_text(number, DOUBLE_DIGITS) if isinstance(number, float) else format(number, "f")
