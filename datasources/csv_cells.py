"""Takes the cells of a regular stretch of CSV straight from its bytes, where the kernels are at hand."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from datasources import csv_kernel as kernel
from datasources.compiled import CSV_KERNEL, address, kernels_of
from datasources.encoding import MARGIN, Utf8File

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

TEXT_MAX = 1 << 31
"""Where a cell starts is an integer of 32 bits."""
WIDTH_MAX = 1_000
"""Each column has tables of its own, which takes memory."""
LINE_BYTES = 64


class Memory:
    """Lends memory for a part, and again once nothing of that is left: new pages take longer than to fill them."""

    def __init__(self) -> None:
        self._free: list[NDArray[Any]] = []

    def lend(self, size: int) -> NDArray[Any]:
        """Some *size* bytes, for as long as this array lives."""
        import numpy as np

        try:
            block = self._free.pop()
        except IndexError:  # asked before, it may be gone to another thread
            block = np.empty(0, np.uint8)
        if len(block) < size:
            block = np.empty(size + size // 8, np.uint8)  # the next part may be a little larger
        lent: NDArray[Any] = block[:size]
        weakref.finalize(lent, self._free.append, block).atexit = False
        return lent


def cut_cells(
    text: Utf8File,
    bounds: tuple[int, int],
    delimiter: str,
    rows: int,
    width: int,
    columns: Sequence[int],
    encoded: Collection[int],
    memory: Memory,
) -> dict[int, pa.Array] | None:
    """
    The *columns* of *rows* regular records between two offsets, as dictionaries those in *encoded*, else as views.

    None for what is left to others: doubled quotes, very many values, or bytes that are not as they were.
    """
    import numpy as np
    import pyarrow as pa

    kernels = kernels_of(CSV_KERNEL)
    size = bounds[1] - bounds[0]
    if kernels is None or size >= TEXT_MAX or width > WIDTH_MAX:
        return None
    present = [column for column in range(width) if column in columns]
    coded = [column for column in present if column in encoded]
    viewed = [column for column in present if column not in encoded]
    code_bytes, view_bytes = _lines(4 * rows), _lines(16 * rows)
    text_bytes, codes_bytes = _lines(size + MARGIN), len(coded) * code_bytes
    lent = memory.lend(text_bytes + codes_bytes + len(viewed) * view_bytes)
    data = text.padded(*bounds, lent)
    kinds, empty = np.zeros(width, np.int32), np.zeros(width, np.int32)
    kinds[coded], kinds[viewed] = kernel.CODES, kernel.VIEWS
    codes = lent[text_bytes:][:codes_bytes].view(np.int32).reshape(len(coded), code_bytes // 4)
    views = lent[text_bytes + codes_bytes :].view(np.int64).reshape(len(viewed), view_bytes // 8)
    values = np.empty((len(coded), kernel.VALUES_MAX, kernel.VALUE_WORDS), np.int64)
    counts = np.zeros(len(coded), np.int32)
    found = kernels["read_cells"](
        address(data),
        size,
        ord(delimiter),
        rows,
        width,
        kinds,
        empty,
        codes,
        code_bytes // 4,
        views,
        view_bytes // 8,
        np.full(len(coded) * kernel.TABLE_SIZE, -1, np.int32),
        values,
        counts,
        np.empty(kernel.BLOCK_ROWS * width + kernel.EDGES_MARGIN, np.int32),
    )
    if found != rows:
        return None
    whole = pa.py_buffer(lent)  # what is made of it keeps the memory lent
    arrays: dict[int, pa.Array] = {}
    for index, column in enumerate(coded):
        starts = values[index, : counts[index], :2].tolist()
        texts = pa.array(
            [str(data.data[at : at + length], "utf-8") for at, length in starts], pa.large_string()
        )
        filled = _bits(codes[index, :rows] >= 0) if empty[column] else None
        mine = whole.slice(text_bytes + index * code_bytes, 4 * rows)
        indices = pa.Array.from_buffers(pa.int32(), rows, [filled, mine])
        arrays[column] = pa.DictionaryArray.from_arrays(indices, texts)
    for index, column in enumerate(viewed):
        filled = _bits(views[index, : 2 * rows : 2] & 0xFFFFFFFF != 0) if empty[column] else None
        mine = whole.slice(text_bytes + codes_bytes + index * view_bytes, 16 * rows)
        arrays[column] = pa.Array.from_buffers(pa.string_view(), rows, [filled, mine, whole])
    return arrays


def _lines(size: int) -> int:
    """So many bytes, up to the end of a line of the processor's caches."""
    return -(-size // LINE_BYTES) * LINE_BYTES


def _bits(filled: NDArray[Any]) -> pa.Buffer:
    import numpy as np
    import pyarrow as pa

    return pa.py_buffer(np.packbits(filled, bitorder="little"))
