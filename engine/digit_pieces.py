"""Writes whole columns of scaled integers in full, four digits at a time (spec 5)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from engine.json_pieces import ROWS_A_TEXT_MIN, Layout, Piece, large_strings

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Integers = NDArray[np.int64] | NDArray[np.int32]

GROUP = 4
SIZE = 10**GROUP
"""All texts of a group of digits are known beforehand."""
SCALE_MAX = 18
SHORT, SHORT_SCALE_MAX = 2**31, 9
"""Smaller numbers of so few decimals are divided twice as fast, in four bytes."""


def number_pieces(values: Integers, scale: int, texts_max: int) -> list[Piece]:
    """
    `value / 10**scale` for each of *values*, of which there is one, as `facts.scaled_text` writes it.

    *scale* is 18 at most. Numbers that lie close together become one piece, of *texts_max* texts at most.
    """
    import numpy as np

    least, most = int(values.min()), int(values.max())
    if most - least >= texts_max:
        is_short = scale <= SHORT_SCALE_MAX and max(-least, most) < SHORT
        return _groups(values.astype(np.int32) if is_short else values, scale)
    between = np.arange(least, most + 1, dtype=np.int64)
    return [
        Piece(Layout.of(_groups(between, scale), len(between)).texts(), (values - least).astype(np.int32))
    ]


def _groups(values: Integers, scale: int) -> list[Piece]:
    import numpy as np

    whole, fraction = _split(np.abs(values), 10**scale)
    return [*_wholes(whole, values < 0), *_fractions(fraction, scale)]


def _split(values: Integers, size: int) -> tuple[Integers, Integers]:
    """As `divmod`, for numbers that are not negative; a division by the same number is fast."""
    high = values // size
    return high, values - high * size


def _wholes(values: Integers, negative: NDArray[np.bool_], *, is_last: bool = True) -> list[Piece]:
    """What stands before the mark, with its sign; nothing for 0, but in the last group."""
    import numpy as np

    most = int(values.max())
    if most < SIZE:
        # Few texts can be merged with the key before them; all of them are there once for all columns.
        last = most + 1 if most * ROWS_A_TEXT_MIN < len(values) else SIZE
        if negative.any():
            return [Piece(_first(_signed_wholes(is_last), 2 * last), 2 * values + negative)]
        return [Piece(_first(_known_wholes(is_last), last), values)]
    high, low = _split(values, SIZE)
    is_longer = (high > 0) * np.int32(SIZE)
    return [*_wholes(high, negative, is_last=False), Piece(_inner_wholes(is_last), low + is_longer)]


def _first(texts: pa.Array, count: int) -> pa.Array:
    return texts if count == len(texts) else texts[:count]


@lru_cache
def _known_wholes(is_last: bool) -> pa.Array:
    return large_strings(_plain(is_last))


@lru_cache
def _signed_wholes(is_last: bool) -> pa.Array:
    """Each number, and after it its negative."""
    return large_strings([text for plain in _plain(is_last) for text in (plain, f"-{plain}")])


@lru_cache
def _inner_wholes(is_last: bool) -> pa.Array:
    """Each group of digits with nothing before it, and then each with other groups before it."""
    return large_strings([*_plain(is_last), *(f"{number:04d}" for number in range(SIZE))])


def _plain(is_last: bool) -> list[str]:
    return ["0" if is_last else "", *map(str, range(1, SIZE))]


def _fractions(values: Integers, scale: int, is_followed: NDArray[np.bool_] | None = None) -> list[Piece]:
    """What stands behind the whole: the mark and *scale* digits, but no zeros with no other digit behind them."""
    import numpy as np

    if scale == 0:
        return []
    if scale <= GROUP:
        high, low, size, mark = None, values, 10**scale, "."
    else:
        (high, low), size, mark = _split(values, SIZE), SIZE, ""
    texts = _endings(min(scale, GROUP), mark, is_followed is not None)
    ending = Piece(texts, low if is_followed is None else low + is_followed * np.int32(size))
    if high is None:
        return [ending]
    return [
        *_fractions(high, scale - GROUP, low > 0 if is_followed is None else is_followed | (low > 0)),
        ending,
    ]


@lru_cache
def _endings(digits: int, mark: str, is_followed: bool) -> pa.Array:
    """Each group of *digits* at the end of a number, and then each with other digits behind it."""
    full = [f"{mark}{number:0{digits}d}" for number in range(10**digits)]
    ended = [text.rstrip("0").rstrip(".") for text in full]
    return large_strings([*ended, *full] if is_followed else ended)
