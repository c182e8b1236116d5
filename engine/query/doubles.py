"""Adds the cells of a DOUBLE column, and their squares, exactly: so no order of them shows in a sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.columns import ColumnType
from engine.facts import add_doubles
from engine.query import deadline
from engine.statistics import Total

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Doubles = Sequence[float] | NDArray[np.float64]

UNIT = Fraction(1, 2**1074)
"""The least double, of which every other is a multiple."""
FEW = 12
"""So many cells are added by Python sooner than an array is made ready: there may be 200,000 small groups."""
CELLS_AT_ONCE = 1_000_000
"""Between two looks at the deadline."""
_SPLIT = float(2**27 + 1)
_SCALE = 640
"""The power of two by which small and large doubles are brought to where their squares are doubles too."""
_SMALL, _LARGE = 1e-140, 1e150
"""Between these a square, and what its rounding loses, are doubles as they are."""


def rounded_total(cells: Doubles, column: ColumnType) -> Total:
    """The correctly rounded sum of *cells*."""
    if len(cells) <= FEW:
        return add_doubles(map(float, cells))
    from engine.states import finish_sum

    return finish_sum(_units(cells), column)


def exact_total(cells: Doubles) -> Fraction:
    """The exact sum of *cells*."""
    if len(cells) <= FEW:
        return sum(map(Fraction, map(float, cells)), start=Fraction(0))
    return _units(cells) * UNIT


def exact_squares(cells: Doubles) -> Fraction:
    """The exact sum of the squares of *cells*."""
    if len(cells) <= FEW:
        return sum((Fraction(float(cell)) ** 2 for cell in cells), start=Fraction(0))
    return sum((_all_squares(part) for part in _parts(cells)), start=Fraction(0))


def _units(cells: Doubles) -> int:
    """The exact sum, in units of `UNIT`."""
    from engine.cubes import exact_sum

    return sum(exact_sum(part) for part in _parts(cells))


def _parts(cells: Doubles) -> Iterator[NDArray[np.float64]]:
    array = _array(cells)
    for start in range(0, len(array), CELLS_AT_ONCE):
        deadline.check()
        yield array[start : start + CELLS_AT_ONCE]


def _all_squares(array: NDArray[np.float64]) -> Fraction:
    import numpy as np

    sizes = np.abs(array)
    total = Fraction(0)
    for chosen, power in (
        (sizes < _SMALL, _SCALE),
        ((sizes >= _SMALL) & (sizes <= _LARGE), 0),
        (sizes > _LARGE, -_SCALE),
    ):
        some = array[chosen]
        if len(some):
            # A product with a power of two loses nothing here, and its square has twice the power.
            total += _squares(np.ldexp(some, power)) / Fraction(2) ** (2 * power)
    return total


def _squares(array: NDArray[np.float64]) -> Fraction:
    """Of doubles whose squares are doubles (Dekker): a square, and the rest that its rounding lost."""
    from engine.cubes import exact_sum

    square = array * array
    high = _SPLIT * array
    high -= high - array
    low = array - high
    rest = ((high * high - square) + 2 * high * low) + low * low
    return (exact_sum(square) + exact_sum(rest)) * UNIT


def _array(cells: Doubles) -> NDArray[np.float64]:
    import numpy as np

    return np.asarray(cells, np.float64)
