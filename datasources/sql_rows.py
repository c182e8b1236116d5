"""Gathers the rows of a database driver, which come as Python tuples, into an Arrow table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from datasources.sql_base import Reading

FIRST_ROWS = 256
ROWS_MAX = 8_192
BATCH_BYTES = 4 * 1024 * 1024
"""What a batch should take: wide rows come few at a time, so that a limit is noticed early."""

Rows = Sequence[Sequence[object]]


def gather_rows(
    fetch: Callable[[int], Rows], names: Sequence[str], reading: Reading
) -> list[pa.ChunkedArray]:
    """
    The columns *names* of all rows that *fetch* gives, called with how many until it gives none.

    Cells of one column that differ in kind become text; a column without cells has the type null. What a viewer may
    not see is left out here, so that it decides no type and fills no limit.
    """
    import pyarrow as pa

    from datasources.arrow_types import array_of, join_chunks

    chunks: list[list[pa.Array]] = [[] for _ in names]
    size = FIRST_ROWS
    waiting: list[Sequence[object]] = []
    is_open = True
    while is_open:
        rows = fetch(size)
        is_open = bool(rows)
        waiting += rows if reading.visible is None else reading.visible.rows(names, rows)
        _ = reading.seconds_left
        # Rows that are not visible decide neither which others stand in one batch, nor so what texts they become.
        while len(waiting) >= size or (waiting and not is_open):
            batch, waiting = waiting[:size], waiting[size:]
            arrays = [array_of(_plain(cells)) for cells in zip(*batch, strict=True)]
            taken = sum(array.nbytes for array in arrays)
            reading.count(len(batch), taken)
            for column, array in zip(chunks, arrays, strict=True):
                column.append(array)
            size = max(1, min(ROWS_MAX, BATCH_BYTES * len(batch) // max(taken, 1)))
    empty = pa.chunked_array([], pa.null())
    return [_joined(column, join_chunks) if column else empty for column in chunks]


def _joined(column: list[pa.Array], join: Callable[[Sequence[pa.Array]], pa.ChunkedArray]) -> pa.ChunkedArray:
    import pyarrow as pa

    if all(pa.types.is_null(array.type) for array in column):
        return pa.chunked_array(column)
    return join(column)


def _plain(cells: Sequence[object]) -> Sequence[object]:
    from datasources.memory import PLAIN_CELLS, plain_cell

    if set(map(type, cells)) <= PLAIN_CELLS:
        return cells
    return [plain_cell(cell) for cell in cells]
