"""
Sums many measures by many axes in few passes over the rows.

Axes are packed into composite bins: one code for a combination of several axes, of at most `CELLS_MAX`
cells so that the counters stay in cache; each axis is then got by summing the others out of a tiny cube.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.compiled_sums import sum_compiled
from engine.states import DOUBLE_UNIT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CELLS_MAX = 8_192
BLOCK_ROWS = 32_768
"""Codes and weights of so many rows stay in the processor's caches while they are counted."""
EXACT_MAX = 1 << 53
"""A double counts whole units exactly up to here."""
INT64_MAX = 1 << 63
_LIMB = 21
"""Bits of the pieces that wide numbers are summed in: a million pieces stay below `EXACT_MAX`."""


@dataclass(frozen=True, slots=True)
class AxisCodes:
    """One axis: for every row the code of its group, 0 to *size* - 1."""

    codes: NDArray[np.int32]
    size: int


Measure = Any
"""
A NumPy array of typed numbers: int64 at the column's scale, float64 of a DOUBLE column, or Python integers
where int64 is too narrow.
"""
Piece = tuple[Any, int]
"""Whole numbers that a double holds, as all of their sums; and the power of two that each of them counts."""


def pack(sizes: Mapping[int, int]) -> list[list[int]]:
    """Axes (position → size) in bins whose sizes multiply to at most `CELLS_MAX`, first fit decreasing."""
    bins: list[tuple[list[int], int]] = []
    for axis in sorted(sizes, key=lambda one: -sizes[one]):
        for index, (members, cells) in enumerate(bins):
            if cells * sizes[axis] <= CELLS_MAX:
                bins[index] = ([*members, axis], cells * sizes[axis])
                break
        else:
            bins.append(([axis], sizes[axis]))
    return [members for members, _ in bins]


def sum_by_axes(axes: Mapping[int, AxisCodes], measures: Sequence[Measure]) -> dict[int, list[list[int]]]:
    """
    For each axis the sums of all *measures* in each of its groups, exactly.

    Sums of doubles come in units of 2**-1074.
    """
    import numpy as np

    if all(map(_is_summed_in_words, measures)):
        groups = {position: (axis.codes, axis.size) for position, axis in axes.items()}
        compiled = sum_compiled(groups, measures)
        if compiled is not None:
            return compiled
    weights = [_exact_weights(measure) for measure in measures]
    pieces = [piece for pieces in weights for piece, _ in pieces]
    shifts = [[shift for _, shift in pieces] for pieces in weights]
    bins = pack({position: axis.size for position, axis in axes.items()})
    shapes = [[axes[member].size for member in members] for members in bins]
    cubes = [np.zeros((len(pieces), int(np.prod(shape)))) for shape in shapes]
    for start in range(0, len(pieces[0]) if pieces else 0, BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        doubles = [piece[block].astype(np.float64, copy=False) for piece in pieces]
        for members, cube in zip(bins, cubes, strict=True):
            codes = _composite([axes[member] for member in members], block)
            for row, weight in enumerate(doubles):
                cube[row] += np.bincount(codes, weights=weight, minlength=cube.shape[1])
    result: dict[int, list[list[int]]] = {}
    for members, shape, cube in zip(bins, shapes, cubes, strict=True):
        for index, member in enumerate(members):
            others = tuple(axis + 1 for axis in range(len(members)) if axis != index)
            # Summing whole doubles below 2**53 is exact in any order.
            result[member] = _combine(cube.reshape(len(pieces), *shape).sum(axis=others), shifts)
    return result


def _composite(axes: Sequence[AxisCodes], block: slice) -> NDArray[np.intp]:
    """One code for the codes of several axes; of the machine's integers, which is what bincount wants."""
    import numpy as np

    codes = axes[0].codes[block].astype(np.intp)
    for axis in axes[1:]:
        codes *= axis.size
        codes += axis.codes[block]
    return codes


def exact_sum(measure: Measure) -> int:
    """The exact sum of a measure; of doubles in units of 2**-1074."""
    if _is_summed_in_words(measure):
        return int(measure.sum())
    return sum(int(piece.sum()) << shift for piece, shift in _exact_weights(measure))


def _is_summed_in_words(measure: Measure) -> bool:
    """Whether no sum of some of the numbers is too wide for an int64."""
    import numpy as np

    return measure.dtype == np.int64 and (not len(measure) or _largest(measure) * len(measure) < INT64_MAX)


def _largest(integers: Measure) -> int:
    return max(abs(int(integers.min())), abs(int(integers.max())))


def _exact_weights(measure: Measure) -> list[Piece]:
    """The measure as pieces of whole numbers, each with the power of two that it counts."""
    import numpy as np

    if measure.dtype == np.float64:
        return _double_weights(measure)
    if not len(measure) or _largest(measure) * len(measure) < EXACT_MAX:
        return [(measure, 0)]
    return _limbs(measure, 0)


def _limbs(integers: Measure, shift: int) -> list[Piece]:
    """Integers of any width cut into pieces of `_LIMB` bits, the last of which carries the sign."""
    import numpy as np

    pieces: list[Piece] = []
    left = integers
    for _ in range(_largest(integers).bit_length() // _LIMB):
        pieces.append(((left & ((1 << _LIMB) - 1)).astype(np.float64), shift))
        left, shift = left >> _LIMB, shift + _LIMB
    return [*pieces, (left.astype(np.float64), shift)]


def _double_weights(doubles: NDArray[np.float64]) -> list[Piece]:
    import numpy as np

    fractions, exponents = np.frexp(doubles)
    integers = np.ldexp(fractions, 53).astype(np.int64)
    pieces: list[Piece] = []
    for exponent in np.unique(exponents):
        shift = int(exponent) - 53 + DOUBLE_UNIT
        mine = np.where(exponents == exponent, integers, 0)
        if shift < 0:
            # Below the smallest normal double the low bits are zero: nothing is lost.
            mine, shift = mine >> -shift, 0
        pieces += _limbs(mine, shift)
    return pieces


def _combine(sums: NDArray[np.float64], shifts: Sequence[Sequence[int]]) -> list[list[int]]:
    """The sums of pieces (one row each) as sums of measures: one list a group."""
    import numpy as np

    if all(shift == [0] for shift in shifts):
        return sums.T.astype(np.int64).tolist()  # type: ignore[no-any-return]
    columns: list[list[int]] = []
    rows = iter(sums.tolist())
    for measure in shifts:
        columns.append([0] * sums.shape[1])
        for shift in measure:
            columns[-1] = [
                total + (int(value) << shift) for total, value in zip(columns[-1], next(rows), strict=True)
            ]
    return [list(group) for group in zip(*columns, strict=True)]
