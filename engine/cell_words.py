"""Takes short texts as machine words, so that whole columns of them are read and compared by arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Words = NDArray[Any]
    """Unsigned; NumPy's stubs take such an array and a Python integer for a signed one."""

INLINE_MAX = 12
"""A view holds a text of so many bytes itself."""
WORDS_MAX = 16


@dataclass(frozen=True, slots=True)
class CellWords:
    """Texts of up to sixteen bytes, in two words each from the lowest byte on; behind a text anything may stand."""

    first: Words
    second: Words
    sizes: NDArray[np.int64]
    """In bytes; 0 for null. Of longer texts only this holds."""


def words_of(array: pa.StringViewArray, block_rows: int) -> Iterator[CellWords]:
    """The words of an array of type `string_view`, of *block_rows* rows at a time."""
    import numpy as np

    from datasources.arrow_types import numpy_of

    _, views, *data = array.buffers()
    pairs = np.frombuffer(views, np.uint64)[2 * array.offset : 2 * (array.offset + len(array))].reshape(-1, 2)
    valid = numpy_of(array.is_valid()) if array.null_count else None
    for start in range(0, len(array), block_rows):
        block = slice(start, start + block_rows)
        yield _of_views(pairs[block], None if valid is None else valid[block], data)


def _of_views(pairs: Words, valid: NDArray[np.bool_] | None, data: Sequence[pa.Buffer]) -> CellWords:
    import numpy as np

    low, high = pairs[:, 0], pairs[:, 1]
    sizes: NDArray[np.int64] = (low & 0xFFFFFFFF).view(np.int64)
    if valid is not None:
        sizes = sizes * valid
    first, second = (low >> 32) | (high << 32), high >> 32
    if int(sizes.max()) > INLINE_MAX:
        far = np.flatnonzero((sizes > INLINE_MAX) & (sizes <= WORDS_MAX))
        # Such a view says in which buffer the text stands, and where.
        buffers, starts = (high[far] & 0xFFFFFFFF).view(np.int64), (high[far] >> 32).view(np.int64)
        for index in np.unique(buffers).tolist():
            here = buffers == index
            first[far[here]], second[far[here]] = _two_words(data[index], starts[here])
    return CellWords(first, second, sizes)


def _two_words(buffer: pa.Buffer, starts: NDArray[np.int64]) -> tuple[Words, Words]:
    """The sixteen bytes from each of *starts* on, as far as the buffer goes."""
    import numpy as np

    words = np.frombuffer(buffer, np.uint64, len(buffer) // 8)
    whole = max(0, len(words) - 2)
    """A text that starts in one of these words has three of them to be taken from."""
    at = starts >> 3
    near_end = at >= whole
    first, second = np.zeros(len(starts), np.uint64), np.zeros(len(starts), np.uint64)
    if whole:
        at = np.where(near_end, 0, at) if near_end.any() else at
        bits = ((starts & 7) << 3).astype(np.uint64)
        # Shifted by all its 64 bits, a word is 0: then nothing is needed of the next one.
        back = np.uint64(64) - bits
        middle = words[at + 1]
        first = (words[at] >> bits) | (middle << back)
        second = (middle >> bits) | (words[at + 2] << back)
    tail = bytes(memoryview(buffer)[8 * whole :]) + bytes(WORDS_MAX)
    for row in np.flatnonzero(near_end).tolist():
        start = int(starts[row]) - 8 * whole
        first[row] = int.from_bytes(tail[start : start + 8], "little")
        second[row] = int.from_bytes(tail[start + 8 : start + 16], "little")
    return first, second
