"""
Reads short numbers written alike as whole columns, eight bytes of each cell at a time.

A cell of up to sixteen bytes is two machine words. Seen from its end every mark has a fixed place (in `3.782,27`
the third byte, the seventh, …), so that one comparison of words checks a number and a few multiplications read it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.cell_words import WORDS_MAX, CellWords, words_of
from engine.numbers import INTEGER_DIGITS_MAX, Key, Kind, NumberEvidence
from engine.uniform import INT64_DIGITS
from engine.word_arithmetic import (
    DIGIT_LIMITS,
    EACH,
    GROUP_LIMITS,
    HIGH,
    ZEROS,
    at_the_end,
    byte,
    grouped_number,
    moved,
    number,
    top,
    tops,
    word,
    zero_bytes,
)

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Words = NDArray[Any]
    """Unsigned; NumPy's stubs take such an array and a Python integer for a signed one."""
    Integers = NDArray[np.int64]
    Flags = NDArray[np.bool_]

SCALE_MAX = 6
"""So many decimals and their mark stand in one word."""
BLOCK_ROWS = 8_192
"""Small enough for the words of some steps to stay in the processor's caches."""


@dataclass(frozen=True, slots=True)
class Writing:
    """How the cells of a column are written, as far as its guess goes."""

    style: str
    unit: str | None
    scale: int

    @property
    def is_readable(self) -> bool:
        """Whether cells of this kind are read here at all."""
        return self.style in ("plain", "br", "point") and self.scale <= SCALE_MAX

    @property
    def digits_max(self) -> int:
        """How many digits may stand before the decimal mark."""
        return min(INTEGER_DIGITS_MAX, INT64_DIGITS - self.scale)

    @property
    def mark(self) -> int:
        """The byte of the decimal mark."""
        return ord("," if self.style == "br" else ".")

    @property
    def group_mark(self) -> int:
        """The byte between thousands."""
        return ord("." if self.style == "br" else ",")


@dataclass(slots=True)
class Read:
    """Which cells are regular, what these are at the column's scale (others 0), and what they say."""

    values: Integers
    regular: Flags
    evidence: NumberEvidence = field(default_factory=NumberEvidence)


def read_views(texts: pa.StringViewArray, writing: Writing) -> Read:
    """
    Read texts of up to sixteen bytes that are regular numbers of this *writing*.

    Nulls, longer texts and irregular ones are left to others.
    """
    import numpy as np

    rows = len(texts)
    read = Read(np.zeros(rows, np.int64), np.zeros(rows, np.bool_))
    for index, cells in enumerate(words_of(texts, BLOCK_ROWS)):
        here = slice(index * BLOCK_ROWS, (index + 1) * BLOCK_ROWS)
        block = _Block(cells, writing)
        read.values[here], read.regular[here] = block.read()
        block.observe(read.evidence)
    return read


class _Block:
    """Some cells on their way to being numbers: what was taken off them is remembered, the digits are left."""

    def __init__(self, cells: CellWords, writing: Writing) -> None:
        import numpy as np

        self._writing = writing
        self._other = (cells.sizes < 1) | (cells.sizes > WORDS_MAX)
        """Which cells are known to be irregular."""
        self._bad = np.zeros(len(cells.sizes), np.uint64)
        """Bits are set where a cell has other bytes than it should."""
        if self._other.any():
            # Nulls shall not keep the others from looking alike.
            cells = _with_zeros(cells, self._other, writing)
        self._first = cells.first
        """The bytes from the first one on that is left."""
        self._last, self._before = at_the_end(cells)
        """The last eight bytes that are left, and the eight before them."""
        self._sizes = cells.sizes.astype(np.int8)
        self._regular = self._other
        self._negative: Flags | None = None
        self._with_unit: Flags | None = None
        self._behind: Words | int = 0
        """How many bytes the decimals and their mark take: one number where they are alike."""

    def read(self) -> tuple[Integers, Flags]:
        """The values, 0 for irregular cells, and which are regular."""
        import numpy as np

        self._take_brackets()
        self._take_unit()
        decimals = self._take_decimals()
        values = self._integers()
        if decimals is not None:
            values = values * 10**self._writing.scale + decimals
        if self._negative is not None:
            values = np.where(self._negative, -values, values)
        self._regular = (self._bad == 0) & ~self._other
        if not self._regular.all():
            values = np.where(self._regular, values, 0)
        return values, self._regular

    # ---- what stands around the digits ----

    def _take_brackets(self) -> None:
        """Take the sign, or the parentheses, off."""
        import numpy as np

        start = byte(self._first)
        opened, closed = start == ord("("), byte(self._last >> 56) == ord(")")
        negative = start == ord("-")
        if opened.any() or closed.any():
            self._other |= opened != closed
            self._drop(closed)
            negative |= opened
        if negative.any():
            self._negative = negative
            self._sizes = self._sizes - negative
            self._first = np.where(negative, self._first >> 8, self._first)

    def _take_unit(self) -> None:
        """Take the percent sign, which every cell must have, or the currency, which it may, off."""
        import numpy as np

        unit = self._writing.unit
        if unit is None:
            return
        if unit == "%":
            self._with_unit = byte(self._last >> 56) == ord("%")
            self._other |= ~self._with_unit
            self._drop(self._with_unit)
            return
        written = unit.encode()
        bits = 8 * len(written)
        with_unit = (self._first & ((1 << bits) - 1)) == int.from_bytes(written, "little")
        if with_unit.any():
            spaced = with_unit & (byte(self._first >> bits) == ord(" "))
            taken = with_unit * np.int8(len(written)) + spaced
            self._with_unit = with_unit
            self._sizes = self._sizes - taken
            self._first = self._first >> (taken.astype(np.uint64) << word(3))

    def _drop(self, where: Flags) -> None:
        """Take the last byte off the cells *where*."""
        import numpy as np

        last, before = moved(self._last, self._before, 8)
        self._last = np.where(where, last, self._last)
        self._before = np.where(where, before, self._before)
        self._sizes = self._sizes - where

    # ---- behind the decimal mark ----

    def _take_decimals(self) -> Integers | None:
        """Take the decimals and their mark off; gives the decimals at the column's scale."""
        import numpy as np

        scale, mark = self._writing.scale, self._writing.mark
        if not scale:
            return None
        if bool((byte(self._last >> (56 - 8 * scale)) == mark).all()):
            decimals = (self._last ^ ZEROS) & top(scale)
            self._behind = scale + 1
            self._last, self._before = moved(self._last, self._before, 8 * (scale + 1))
            self._sizes = self._sizes - np.int8(scale + 1)
        else:
            behind, decimals = self._own_decimals(scale, mark)
            self._behind = behind
            self._last, self._before = moved(self._last, self._before, behind << word(3))
            self._sizes = self._sizes - behind.astype(np.int8)
        self._check(decimals, DIGIT_LIMITS)
        return number(decimals, scale)

    def _own_decimals(self, scale: int, mark: int) -> tuple[Words, Words]:
        """Where each cell has decimals of its own, how many bytes they take, and they at the column's scale."""
        import numpy as np

        one = word(1)
        marks = zero_bytes(self._last ^ (mark * EACH)) & top(scale + 1)
        # All the bits below the mark, or all that there are.
        below = np.bitwise_count(marks - one).astype(np.uint64)
        behind = word(8) - (below >> word(3))
        # A mark without digits behind it is none; of two marks one is left among the digits, where it fails.
        self._other |= behind == 1
        count = np.maximum(behind, one) - one
        decimals = (self._last ^ ZEROS) & tops()[count.view(np.int64)]
        return behind, decimals >> ((word(scale) - count) << word(3))

    # ---- before the decimal mark ----

    def _integers(self) -> Integers:
        """The numbers before the decimal mark."""
        import numpy as np

        sizes, start = self._sizes, byte(self._first)
        self._other |= sizes < 1
        self._other |= (start - np.uint8(ord("1")) > 8) & ((start != ord("0")) | (sizes != 1))
        if self._writing.style == "plain" or not self._writing.scale:
            return self._plain()
        long = sizes > 3
        grouped = long & (byte(self._last >> 32) == self._writing.group_mark)
        if not grouped.any():
            return self._plain()
        if not isinstance(self._behind, int):
            # Groups without decimals may be either of two things, which is for others to tell.
            self._other |= grouped & (self._behind == 0)
        if bool((grouped == long).all()):
            return self._in_groups()
        bad = self._bad
        self._bad = bad.copy()
        plain, plain_bad = self._plain(), self._bad
        self._bad = bad
        in_groups = self._in_groups()
        self._bad = np.where(grouped, self._bad, plain_bad)
        return np.where(grouped, in_groups, plain)

    def _plain(self) -> Integers:
        values = number(self._compared(self._last, 0, ZEROS, DIGIT_LIMITS), 8)
        if int(self._sizes.max()) > 8:
            values += number(self._compared(self._before, 8, ZEROS, DIGIT_LIMITS), 8) * 10**8
        return self._limited(values)

    def _in_groups(self) -> Integers:
        pattern = (0x30303000 | self._writing.group_mark) * 0x0000000100000001
        values = grouped_number(self._compared(self._last, 0, pattern, GROUP_LIMITS))
        if int(self._sizes.max()) > 8:
            values += grouped_number(self._compared(self._before, 8, pattern, GROUP_LIMITS)) * 10**6
        return self._limited(values)

    def _compared(self, words: Words, skipped: int, pattern: int, limits: int) -> Words:
        """The digits of *words*, but for what lies before the cell; *skipped* bytes of the cell follow them."""
        digits = (words ^ pattern) & tops().take(self._sizes - skipped, mode="clip")
        self._check(digits, limits)
        return digits

    def _check(self, digits: Words, limits: int) -> None:
        self._bad |= (digits | (digits + limits)) & HIGH

    def _limited(self, values: Integers) -> Integers:
        if int(self._sizes.max()) > self._writing.digits_max:
            self._other |= values >= 10**self._writing.digits_max
        return values

    # ---- what the cells say ----

    def observe(self, found: NumberEvidence) -> None:
        """Count the regular cells in *found*, as their own readings one by one would."""
        import numpy as np

        regular = self._regular
        found.cells += int(np.count_nonzero(regular))
        if self._with_unit is not None:
            _add(found.units, self._writing.unit or "", self._with_unit & regular)
        if not self._writing.scale:
            self._observe_plain(found, regular)
        elif isinstance(self._behind, int):
            self._observe_decimals(found, regular, self._writing.scale)
        else:
            for decimals in range(1, self._writing.scale + 1):
                self._observe_decimals(found, regular & (self._behind == decimals + 1), decimals)
            self._observe_plain(found, regular & (self._behind == 0))

    def _observe_plain(self, found: NumberEvidence, cells: Flags) -> None:
        import numpy as np

        if not _add(found.kinds, "plain", cells):
            return
        sizes = self._sizes[cells]
        found.decimals["plain"] = 0
        found.plain_long += int(np.count_nonzero(sizes > 3))
        found.lengths.update(np.flatnonzero(np.bincount(sizes)).tolist())
        found.integer_digits = max(found.integer_digits, *found.lengths)
        if self._negative is not None:
            # `-0` is 0, whatever its sign.
            signed = self._negative & (byte(self._first) != ord("0"))
            found.signed_plain += int(np.count_nonzero(signed & cells))
        if self._with_unit is not None:
            found.signed_plain += int(np.count_nonzero(self._with_unit & cells))

    def _observe_decimals(self, found: NumberEvidence, cells: Flags, decimals: int) -> None:
        import numpy as np

        is_comma = self._writing.style == "br"
        kind: Kind = "br" if is_comma else "point"
        if decimals == 3:
            # One group of three: in the other style its mark stands between thousands.
            ambiguous = cells & (self._sizes <= 3) & (byte(self._first) != ord("0"))
            either: Kind = "comma" if is_comma else "dot"
            if _add(found.kinds, either, ambiguous):
                found.decimals[either] = 3
            cells = cells & ~ambiguous
        if _add(found.kinds, kind, cells):
            found.decimals[kind] = max(found.decimals.get(kind, 0), decimals)
        if np.count_nonzero(cells):
            # Only whether it passes the limit matters, and no regular cell does.
            found.integer_digits = max(found.integer_digits, 1)


def _add(counts: dict[Key, int], key: Key, where: Flags) -> int:
    import numpy as np

    count = int(np.count_nonzero(where))
    if count:
        counts[key] = counts.get(key, 0) + count
    return count


# ---- words ----


def _with_zeros(cells: CellWords, where: Flags, writing: Writing) -> CellWords:
    """The cells, but a zero as the column writes it *where* there is none."""
    import numpy as np

    zero = "0"
    if writing.scale:
        zero += chr(writing.mark) + "0" * writing.scale
    if writing.unit == "%":
        zero += "%"
    first, second = (int.from_bytes(part, "little") for part in (zero.encode()[:8], zero.encode()[8:]))
    return CellWords(
        np.where(where, word(first), cells.first),
        np.where(where, word(second), cells.second),
        np.where(where, len(zero), cells.sizes),
    )
