"""
What the kernels read of memory, in machine words: here is what each function means, `compiling` what it becomes.

A word has 64 bits; as an integer it is signed. Addresses are integers too, and nothing checks them.
"""

from __future__ import annotations

from collections.abc import MutableSequence

Words = MutableSequence[int]
"""The address of integers of 64 bits."""
Codes = MutableSequence[int]
"""The address of integers of 32 bits."""
Flags = MutableSequence[int]
"""The address of bytes, each 0 or 1."""


def byte(address: int) -> int:
    """The byte at *address*."""
    return _bytes(address, 1)[0]


def word(address: int) -> int:
    """The eight bytes from *address* on, the first of them lowest."""
    return int.from_bytes(_bytes(address, 8), "little", signed=True)


def half(address: int) -> int:
    """The integer of 32 bits at *address*."""
    return int.from_bytes(_bytes(address, 4), "little", signed=True)


def add_eight(to: Words, at: int, other: Words, other_at: int) -> int:
    """Add eight words of *other* to eight of *to*, each at its place."""
    for lane in range(8):
        to[at + lane] += other[other_at + lane]
    return 0


def equal(address: int, value: int) -> int:
    """One bit for each of 64 bytes: whether it is *value*."""
    return _signed(sum((one == value) << bit for bit, one in enumerate(_bytes(address, 64))))


def above_ascii(address: int) -> int:
    """One bit for each of 64 bytes: whether it is 128 or more."""
    return _signed(sum((one >= 128) << bit for bit, one in enumerate(_bytes(address, 64))))


def up(bits: int, places: int) -> int:
    """The bits moved up; 64 or more places leave nothing."""
    return _signed(bits << places & (1 << 64) - 1) if places < 64 else 0


def down(bits: int, places: int) -> int:
    """The bits moved down, with zeros above; 64 or more places leave nothing."""
    return _signed((bits & (1 << 64) - 1) >> places)


def lowest(bits: int) -> int:
    """Where the lowest bit is set; 64 where none is."""
    return (bits & -bits).bit_length() - 1 if bits else 64


def count(bits: int) -> int:
    """How many bits are set."""
    return (bits & (1 << 64) - 1).bit_count()


def _bytes(address: int, size: int) -> bytes:
    import ctypes

    return ctypes.string_at(address, size)


def _signed(bits: int) -> int:
    return bits - (1 << 64) if bits >> 63 else bits
