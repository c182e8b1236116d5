"""Keeps the cells of the rows that an excerpt is likely to ask for, while a pass reads the parts they are in."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

from datasources.spaced_rows import EXCERPT_ROWS_MAX, spaced_rows

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_MIN = 500_000
"""A shorter band has few pages to decode for single rows, and most of its columns may be its width."""


class KeptRows:
    """
    The cells of some evenly spaced rows of a band, column by column as far as passes have read them.

    The excerpt of a report of one band has these rows; any others are read from the file.
    """

    def __init__(self, rows: int) -> None:
        self._rows = spaced_rows(rows, EXCERPT_ROWS_MAX if rows >= ROWS_MIN else 0)
        self._cells: dict[tuple[int, int], pa.ChunkedArray] = {}
        """By column and row. Threads add to it, each the rows of its own part."""

    def keep(self, first: int, part: pa.Table, columns: Sequence[int], schema: pa.Schema) -> None:
        """Keep what the *part*, which begins at row *first*, has of the rows, in the types of *schema*."""
        import numpy as np

        from datasources.arrow_types import plain_column
        from datasources.distinct import array_from

        here = slice(bisect_left(self._rows, first), bisect_left(self._rows, first + part.num_rows))
        only = array_from(np.zeros(1, np.int64))
        for row in self._rows[here]:
            for column, cells in zip(columns, part.columns, strict=True):
                one = plain_column(cells.slice(row - first, 1), schema.field(column).type)
                # The slice itself would keep the whole part in memory.
                self._cells[column, row] = one.take(only)

    def take(self, rows: Sequence[int], columns: Sequence[int]) -> dict[int, pa.ChunkedArray]:
        """Those of *columns* of which the cells at all of *rows* were kept."""
        import pyarrow as pa

        return {
            column: pa.chunked_array([chunk for row in rows for chunk in self._cells[column, row].chunks])
            for column in columns
            if rows and all((column, row) in self._cells for row in rows)
        }
