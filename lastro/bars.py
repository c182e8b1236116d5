"""Draws numbers as bars of blocks, those below zero to the left of an axis."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal

AXIS = "│"
_FULL = "█"
_EIGHTHS = "▏▎▍▌▋▊▉"
_HALF = "▐"
_wide = Context(prec=40, rounding=ROUND_CEILING)


def draw_bars(numbers: Sequence[Decimal | None], cells: int) -> list[str]:
    """
    A bar for each of *numbers*, the longest of *cells*; nothing for None.

    >>> draw_bars([Decimal(4), Decimal(1), Decimal(0), None], 8)
    ['████████', '██', '', '']
    >>> draw_bars([Decimal(4), Decimal(-2)], 7)
    ['  │████', '██│']
    """
    known = [number for number in numbers if number is not None]
    highest = max([*known, Decimal(0)])
    lowest = max([*(_wide.minus(number) for number in known), Decimal(0)])
    if not lowest:
        return ["" if not number else _right(number, highest, cells) for number in numbers]
    left = _steps(lowest, _wide.add(lowest, highest), cells - 1)
    left = min(max(left, 1), cells - 1 - (1 if highest else 0))
    right = cells - 1 - left
    # One scale for both sides: the cells that are left over on one of them stay empty.
    by_left = not right or _wide.divide(lowest, Decimal(left)) > _wide.divide(highest, Decimal(right))
    most, most_cells = (lowest, left) if by_left else (highest, right)
    bars = []
    for number in numbers:
        if number is None:
            bars.append("")
        elif number < 0:
            bars.append(_left(_wide.minus(number), most, most_cells, left).rjust(left) + AXIS)
        else:
            bars.append(" " * left + AXIS + (_right(number, most, most_cells, right) if number else ""))
    return bars


def _right(number: Decimal, most: Decimal, most_cells: int, cells: int | None = None) -> str:
    whole, part = divmod(_steps(number, most, most_cells * 8, (cells or most_cells) * 8), 8)
    return _FULL * whole + (_EIGHTHS[part - 1] if part else "")


def _left(number: Decimal, most: Decimal, most_cells: int, cells: int) -> str:
    # Of the blocks that fill a cell from the right, only the half one is in every font.
    whole, part = divmod(_steps(number, most, most_cells * 2, cells * 2), 2)
    return _HALF * part + _FULL * whole


def _steps(number: Decimal, most: Decimal, most_steps: int, steps_max: int | None = None) -> int:
    """The steps of *number* where *most* has *most_steps*, rounded up, so that what is not zero is seen."""
    steps = _wide.divide(_wide.multiply(number, Decimal(most_steps)), most)
    return int(min(steps.to_integral_value(ROUND_CEILING), Decimal(steps_max or most_steps)))
