"""
Compares and groups doubles as they are printed: what a minimum, a maximum or a group is called finds its rows again.

Statistics print 15 significant digits (spec 2, numbers, 7), and several doubles may print the same. A number of at
most so many digits stands for all of them; one with more, as rows print it, for the nearest double alone.
"""

from __future__ import annotations

import sys
from decimal import ROUND_HALF_EVEN, Context, Decimal
from math import copysign, inf, isinf, nextafter

from engine.facts import DOUBLE_DIGITS

_PRINTED = Context(prec=DOUBLE_DIGITS, rounding=ROUND_HALF_EVEN)


def printed_sql(cell: str) -> str:
    """SQL for the double that the text of *cell* reads back as, with 15 digits; of the largest ones, themselves."""
    printed = f"CAST(printf('%.{DOUBLE_DIGITS - 1}e', {cell}) AS DOUBLE)"
    return f"CASE WHEN isinf({printed}) THEN {cell} ELSE {printed} END"


def printed_as(number: Decimal) -> list[float]:
    """
    The doubles that *number* stands for, in order: one at least, and not many.

    >>> [len(printed_as(Decimal(text))) for text in ("0.3", "0.30000000000000004", "0")]
    [18, 1, 1]
    """
    nearest = float(number)
    if isinf(nearest):
        nearest = copysign(sys.float_info.max, nearest)
    if _printed(nearest) != number:
        return [float(number)]
    return [*reversed(_next(nearest, number, -inf)), nearest, *_next(nearest, number, inf)]


def _next(double: float, number: Decimal, towards: float) -> list[float]:
    """The doubles after *double* that print the same."""
    found = []
    while _printed(double := nextafter(double, towards)) == number:
        found.append(double)
    return found


def _printed(double: float) -> Decimal:
    return _PRINTED.plus(Decimal(double))
