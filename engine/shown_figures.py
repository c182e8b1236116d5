"""Says with how many decimals a person reads a figure: those of its column, and of money two at least."""

from __future__ import annotations

from engine.numbers import UNITS

MONEY = UNITS - {"%"}
MONEY_DECIMALS = 2
_OF_COLUMN = frozenset({"SUM", "AVG", "MIN", "MAX", "MEDIAN", "STDDEV"})
"""Their values are in what the column counts, and so have its decimals; counts and shares have not."""


def own_decimals(verb: str, unit: str | None, scale: int) -> int:
    """
    The decimals that a value of *verb* in *unit* has at least, of a column of *scale*.

    >>> own_decimals("SUM", "R$", 0), own_decimals("MAX", None, 3), own_decimals("COUNT", None, 3)
    (2, 3, 0)
    """
    decimals = scale if verb in _OF_COLUMN else 0
    return max(decimals, MONEY_DECIMALS) if unit in MONEY else decimals


def with_decimals(number: str, decimals: int) -> str:
    """
    The plain text of a *number* with at least so many *decimals*; none of its own is lost.

    >>> (
    ...     with_decimals("2468518.7", 2),
    ...     with_decimals("74824", 2),
    ...     with_decimals("0.125", 2),
    ...     with_decimals("7", 0),
    ... )
    ('2468518.70', '74824.00', '0.125', '7')
    """
    whole, _, behind = number.partition(".")
    behind = behind.ljust(decimals, "0")
    return f"{whole}.{behind}" if behind else whole
