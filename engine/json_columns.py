"""Makes the JSON objects of a part of a band from its columns."""

from __future__ import annotations

from collections.abc import Sequence
from json.encoder import encode_basestring
from typing import TYPE_CHECKING

from engine.columns import ColumnType
from engine.json_cells import cell_pieces, is_quoted
from engine.json_pieces import Layout, Piece, constant, merged, only_where

if TYPE_CHECKING:
    import pyarrow as pa


def lines_of(batch: pa.RecordBatch, columns: Sequence[ColumnType], tag: str) -> Layout:
    """
    The rows of *batch* as lines, an object each; *tag* is a member that comes first in all of them.

    Columns are as `coded_parts` has them.
    """
    import numpy as np

    rows = batch.num_rows
    pieces = [constant("{" + tag)]
    begun = np.full(rows, bool(tag))
    for column, cells in zip(columns, batch.columns, strict=True):
        if cells.null_count == rows:
            continue
        filled = cells.is_valid().to_numpy(zero_copy_only=False)
        comma = ","
        if not begun.all():  # which member of a line is its first differs from row to row
            pieces.append(only_where(begun & filled, constant(comma)))
            begun, comma = begun | filled, ""
        member = _member(cells, column, comma)
        pieces += [only_where(filled, piece) for piece in member] if cells.null_count else member
    return Layout.of(merged([*pieces, constant("}\n")], rows), rows)


def _member(cells: pa.Array, column: ColumnType, comma: str) -> list[Piece]:
    """`,"name":cell` for each of *cells*, null ones included."""
    mark = '"' if is_quoted(column) else ""
    key = constant(f"{comma}{encode_basestring(column.name)}:{mark}")
    return merged([key, *cell_pieces(cells, column), constant(mark)], len(cells))
