"""Arithmetic on words of eight bytes: moves, masks, and the numbers that digits stand for."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from engine.cell_words import WORDS_MAX, CellWords

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.cell_words import Words

    Integers = NDArray[np.int64]

EACH = 0x0101010101010101
"""A byte, multiplied by this, stands eight times."""
HIGH = 0x80 * EACH
ZEROS = 0x30 * EACH
DIGIT_LIMITS = 0x76 * EACH
"""Added to a byte from 0 to 9 they leave the highest bit clear, to a greater one they set it."""
GROUP_LIMITS = 0x7676767F7676767F
"""The same where the first of four bytes is a mark, of which the comparison leaves 0."""
_LOW = 0x7F * EACH
_PAIRS = 0x000000FF000000FF


def byte(words: Words) -> NDArray[np.uint8]:
    """The first byte of each word."""
    import numpy as np

    return words.astype(np.uint8)


def at_the_end(cells: CellWords) -> tuple[Words, Words]:
    """The last eight bytes of each cell, and the eight before them."""
    import numpy as np

    bits = ((WORDS_MAX - cells.sizes) << 3).astype(np.uint64)
    last, before = moved(cells.second, cells.first, bits)
    # A shift by 64 bits or more leaves nothing, so that one of the two ways is always empty.
    return last | (cells.first << (bits - word(64))), before


def moved(high: Words, low: Words, bits: Words | int) -> tuple[Words, Words]:
    """Move two words towards the high one; what falls off is lost."""
    left = 64 - bits if isinstance(bits, int) else word(64) - bits
    return (high << bits) | (low >> left), low << bits


def word(value: int) -> np.uint64:
    """A number as a word, for operations with arrays of words."""
    import numpy as np

    return np.uint64(value)


def top(count: int) -> int:
    """The last *count* bytes of a word."""
    return (1 << 64) - (1 << (64 - 8 * count))


@lru_cache(maxsize=1)
def tops() -> Words:
    """The masks of the last 0 to 8 bytes of a word."""
    import numpy as np

    return np.array([top(count) for count in range(9)], np.uint64)


def zero_bytes(words: Words) -> Words:
    """The highest bit of every byte that is 0, and no other bit."""
    return ~(((words & _LOW) + _LOW) | words | _LOW)


def number(digits: Words, count: int) -> Integers:
    """The number that the last *count* bytes are the digits of; bytes before them are 0."""
    if count <= 2:
        return _signed((digits >> 56) + ((digits >> 48) & 0xFF) * 10)
    # Neighbours become pairs, and a multiplication adds four pairs, each by what it counts.
    pairs = digits * 10 + (digits >> 8)
    high = (pairs & _PAIRS) * (100 + (1_000_000 << 32))
    low = ((pairs >> 16) & _PAIRS) * (1 + (10_000 << 32))
    return _signed((high + low) >> 32)


def grouped_number(digits: Words) -> Integers:
    """The number of two groups of three digits, each behind a byte of a mark."""
    groups = ((digits >> 8) & _PAIRS) * 100 + ((digits >> 16) & _PAIRS) * 10 + ((digits >> 24) & _PAIRS)
    return _signed((groups * (1 + (1000 << 32))) >> 32)


def _signed(words: Words) -> Integers:
    import numpy as np

    integers: Integers = words.view(np.int64)
    return integers
