"""Proves at memory speed that a stretch of text is a regular table."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Literal

from datasources.compiled import CSV_KERNEL, address, kernels_of
from datasources.encoding import Utf8File

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Words = NDArray[np.uint64]
    Positions = NDArray[np.int64]
    Flags = NDArray[np.bool_]

NEW_LINE, RETURN, QUOTE = 10, 13, 34
MARK_ROWS = 256
"""The offset of every so manieth record is kept, so that single rows are found again quickly."""
PIECE_BYTES = 1024 * 1024
BLOCK_BYTES = 256 * 1024
"""Small enough for the processor's caches, where a pass costs a fraction of one over memory."""
UNSURE_MAX = 1_024
"""A piece with more records that may be thin is none for the kernel."""
TRAILING_MAX = 64
"""Among so many empty cells at the end of a record a filled one is looked for."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What some whole records, one after the other, look like."""

    stop: int
    """Length of the records in bytes; what follows is the beginning of the next one."""
    rows: int
    marks: array[int]
    """Where every 256th record starts."""
    unsure: tuple[tuple[int, int, int], ...]
    """
    Record number, start and stop of each record that may have fewer than two filled cells;
    in all others the first cell and another one are filled.
    """

    def moved(self, offset: int, rows: int) -> Shape:
        """The same records with *rows* others, of *offset* bytes, before them."""
        marks = array("q", [offset + mark for mark in self.marks])
        unsure = tuple((rows + row, offset + start, offset + stop) for row, start, stop in self.unsure)
        return Shape(self.stop, self.rows, marks, unsure)


Measured = Shape | Literal["quoted"] | None


def measure_stretch(
    text: Utf8File, start: int, stop: int, width: int, delimiter: int, bare: bool
) -> Measured:
    """
    The shape of the records from *start* on, until one ends at *stop* or later, read in small pieces.

    A *bare* stretch ends at *stop*, and holds no quote: `quoted` says that it does. Else as `measure`.
    """
    pieces: list[Shape] = []
    position, rows = start, 0
    while position < min(stop, text.size):
        end = min(position + PIECE_BYTES, stop if bare else text.size, text.size)
        quick = measure_compiled(text, position, end, width, delimiter, rows, bare)
        if quick is not None:
            pieces.append(quick.moved(position - start, rows))
            position, rows = position + quick.stop, rows + quick.rows
            continue
        data = text.read(position, end)
        if bare and b'"' in data:
            return "quoted"
        if end == text.size and not data.endswith(b"\n"):
            data += b"\n"
        piece = measure(data, width, delimiter, rows)
        if piece is None:
            # What follows may hold quotes, which decides how the stretch is to be split.
            return "quoted" if bare and b'"' in text.read(end, stop) else None
        pieces.append(piece.moved(position - start, rows))
        position, rows = position + piece.stop, rows + piece.rows
    marks = array("q", chain.from_iterable(piece.marks for piece in pieces))
    return Shape(position - start, rows, marks, tuple(thin for piece in pieces for thin in piece.unsure))


def measure(data: bytes, width: int, delimiter: int, rows_before: int = 0) -> Shape | None:
    """
    The shape of the records in *data*, or nothing if it is not plain that each has *width* cells.

    Exact: a shape says that quotes stand only around whole cells (doubled inside), that no carriage return
    stands alone, and that every record has *width* cells, so any reader of CSV cuts it in the same way.
    *data* begins with a record, and ends with a line end if it is the end of the file. Marks are set as if
    *rows_before* records came before.
    """
    import numpy as np

    text = np.frombuffer(data, np.uint8)
    new_lines, delimiters = _bits(text, NEW_LINE), _bits(text, delimiter)
    inside: Words | None = None
    if b'"' in data:
        inside = _inside_quotes(text)
        new_lines &= ~inside
        delimiters &= ~inside
    line_ends = _positions(new_lines)
    if not len(line_ends):
        return None
    if inside is not None and not _well_quoted(text, inside, new_lines | delimiters, int(line_ends[-1]) + 1):
        return None
    numbers = np.arange(1, len(line_ends) + 1, dtype=np.int64)
    if not np.array_equal(_count_before(delimiters, line_ends), numbers * (width - 1)):
        return None
    stop = int(line_ends[-1]) + 1
    after_return = (text[line_ends - 1] == RETURN) & (line_ends > 0)
    if b"\r" in data and _returns(text[:stop], inside) != int(after_return.sum()):
        return None
    starts = np.concatenate(([0], line_ends[:-1] + 1))
    ends = line_ends - after_return
    unsure = np.flatnonzero(~_two_filled(text, starts, ends, width, delimiter))
    return Shape(
        stop,
        len(line_ends),
        array("q", starts[-rows_before % MARK_ROWS :: MARK_ROWS].tolist()),
        tuple(zip(unsure.tolist(), starts[unsure].tolist(), (line_ends[unsure] + 1).tolist(), strict=True)),
    )


def measure_compiled(
    text: Utf8File,
    start: int,
    end: int,
    width: int,
    delimiter: int,
    rows_before: int = 0,
    bare: bool = False,
) -> Shape | None:
    """What `measure` says of a piece; None also for a *bare* one with quotes, and where there is no kernel."""
    kernels = kernels_of(CSV_KERNEL)
    if kernels is None:
        return None
    import numpy as np

    data, size = text.padded(start, end), end - start
    if end == text.size and data[size - 1] != NEW_LINE:
        data[size] = NEW_LINE
        size += 1
    marks = np.empty(size // MARK_ROWS + 1, np.int64)
    unsure = np.empty((UNSURE_MAX, 3), np.int64)
    found = np.empty(3, np.int64)
    rows = kernels["measure"](
        address(data), size, width, delimiter, int(bare), rows_before, marks, unsure, UNSURE_MAX, found
    )
    if rows <= 0:
        return None
    marked, thin, stop = found.tolist()
    return Shape(stop, rows, array("q", marks[:marked].tolist()), tuple(map(tuple, unsure[:thin].tolist())))


# ------------------------------------------------------------------ bits, 64 bytes a word


def _bits(array: Bytes, byte: int) -> Words:
    """One bit for each byte: whether it is *byte*."""
    import numpy as np

    words = np.zeros((len(array) + 63) // 64 * 8, np.uint8)
    for start in range(0, len(array), BLOCK_BYTES):
        packed = np.packbits(array[start : start + BLOCK_BYTES] == byte, bitorder="little")
        words[start // 8 : start // 8 + len(packed)] = packed
    return words.view("<u8")


def _positions(words: Words) -> Positions:
    """Where the bits are set, ascending."""
    import numpy as np

    one = np.uint64(1)
    at = np.flatnonzero(words)
    left = words[at]
    found: list[Positions] = []
    while len(at):
        # The lowest bit of each word; lines are longer than a word as a rule, so few turns are needed.
        below = (left - one) & ~left
        found.append(at * 64 + np.bitwise_count(below))
        left &= left - one
        more = np.flatnonzero(left)
        at, left = at[more], left[more]
    if not found:
        return np.zeros(0, np.int64)
    return found[0] if len(found) == 1 else np.sort(np.concatenate(found))


def _count_before(words: Words, positions: Positions) -> Positions:
    """How many bits are set before each of *positions*."""
    import numpy as np

    counts = np.bitwise_count(words).astype(np.int64)
    before_word = np.cumsum(counts) - counts
    at = positions >> 6
    below = (np.uint64(1) << (positions & 63).astype(np.uint64)) - np.uint64(1)
    return np.asarray(before_word[at] + np.bitwise_count(words[at] & below), np.int64)


def _after(words: Words) -> Words:
    """The bits of the bytes that follow those of *words*."""
    import numpy as np

    shifted = words << np.uint64(1)
    shifted[1:] |= words[:-1] >> np.uint64(63)
    return shifted


def _before(words: Words) -> Words:
    """The bits of the bytes that precede those of *words*."""
    import numpy as np

    shifted = words >> np.uint64(1)
    shifted[:-1] |= words[1:] << np.uint64(63)
    return shifted


# ------------------------------------------------------------------ quotes


def _inside_quotes(array: Bytes) -> Words:
    """The bytes after an odd number of quotes: from an opening quote on, up to its closing one."""
    import numpy as np

    quotes = _bits(array, QUOTE)
    odd = (np.bitwise_count(quotes) & 1).astype(np.int64)
    carried = ((np.cumsum(odd) - odd) & 1).astype(np.uint64)
    for distance in (1, 2, 4, 8, 16, 32):
        quotes ^= quotes << np.uint64(distance)
    return quotes ^ (np.uint64(0) - carried)


def _well_quoted(array: Bytes, inside: Words, between: Words, stop: int) -> bool:
    """Whether each quote before *stop* opens a cell, closes one, or is one of two within a cell."""
    import numpy as np

    quotes = _bits(array, QUOTE)
    opening, closing = quotes & inside, quotes & ~inside
    first_byte = np.zeros_like(between)
    first_byte[0] = 1
    misplaced = opening & ~(_after(between | closing) | first_byte)
    misplaced |= closing & ~_before(between | opening | (_bits(array, RETURN) & ~inside))
    words = np.flatnonzero(misplaced)
    if not len(words):
        return True
    bits = int(misplaced[words[0]])
    # A quote past the last whole record lacks what follows it: it is judged with the next stretch.
    return int(words[0]) * 64 + (bits & -bits).bit_length() - 1 >= stop


def _returns(array: Bytes, inside: Words | None) -> int:
    """How many carriage returns stand outside of quotes."""
    import numpy as np

    returns = _bits(array, RETURN)
    if inside is not None:
        returns &= ~inside[: len(returns)]
    return int(np.bitwise_count(returns).sum())


# ------------------------------------------------------------------ filled cells


def _filled_bytes(*other: int) -> Flags:
    """Which bytes, as the first of a cell, show that it holds more than white space."""
    import numpy as np

    filled = np.zeros(256, np.bool_)
    filled[0x21:0x7F] = True
    # All white space above ASCII starts with one of C2, E1, E2, E3, EF.
    filled[0xC3:0xE1] = True
    filled[0xE4:0xEF] = True
    filled[0xF0:0xF5] = True
    filled[list(other)] = False
    return filled


def _two_filled(array: Bytes, starts: Positions, ends: Positions, width: int, delimiter: int) -> Flags:
    """Whether the first cell and another one are surely filled."""
    import numpy as np

    bare, in_quotes = _filled_bytes(delimiter, QUOTE), _filled_bytes(QUOTE)
    first = array[starts]
    sure = np.where(first == QUOTE, in_quotes[array[starts + 1]], bare[first])
    # From the end of each record backwards over empty cells to one that is filled, but never the first cell.
    records, last = np.flatnonzero(sure), ends[sure] - 1
    sure[:] = False
    for _ in range(min(width - 1, TRAILING_MAX)):
        filled = _ends_filled(array, last, bare, in_quotes)
        sure[records[filled]] = True
        records, last = records[~filled], last[~filled]
        byte = array[last]
        empty_quotes = (byte == QUOTE) & (array[last - 1] == QUOTE) & (array[last - 2] == delimiter)
        step = np.where(byte == delimiter, 1, np.where(empty_quotes, 3, 0))
        records, last = records[step > 0], (last - step)[step > 0]
        if not len(records):
            break
    return sure


def _ends_filled(array: Bytes, last: Positions, bare: Flags, in_quotes: Flags) -> Flags:
    """Whether the byte at *last* ends a filled cell."""
    import numpy as np

    byte, before = array[last], array[last - 1]
    two_bytes = (byte >= 0x80) & (before >= 0xC3) & (before < 0xE0)
    ascii_end = (byte < 0x80) & bare[byte]
    quoted_end = (byte == QUOTE) & (before < 0x80) & in_quotes[before]
    return np.asarray(ascii_end | two_bytes | quoted_end, np.bool_)
