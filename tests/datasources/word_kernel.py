"""Every function of `words` as a kernel of its own, to see what compiling makes of it."""

from __future__ import annotations

from datasources import words
from datasources.words import (
    Codes,
    Flags,
    Words,
    above_ascii,
    add_eight,
    byte,
    count,
    down,
    equal,
    half,
    lowest,
    up,
    word,
)


def call_byte(at: int) -> int:
    return byte(at)


def call_half(at: int) -> int:
    return half(at)


def call_word(at: int) -> int:
    return word(at)


def call_equal(at: int, value: int) -> int:
    return equal(at, value)


def call_above_ascii(at: int) -> int:
    return above_ascii(at)


def call_lowest(bits: int) -> int:
    return lowest(bits)


def call_count(bits: int) -> int:
    return count(bits)


def call_up(bits: int, places: int) -> int:
    return up(bits, places)


def call_down(bits: int, places: int) -> int:
    return down(bits, places)


def call_add_eight(to: Words, at: int, other: Words, other_at: int) -> int:
    return add_eight(to, at, other, other_at)


def fill(codes: Codes, flags: Flags, size: int) -> int:
    """Write each number from 0 on, and whether it is odd."""
    for index in range(size):
        codes[index], flags[index] = index, index & 1
    return _twice(size)


def _twice(size: int) -> int:
    return 2 * size


CALLED = {
    name: getattr(words, name.removeprefix("call_")) for name in list(globals()) if name.startswith("call_")
}
