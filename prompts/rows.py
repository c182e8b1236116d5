"""Writes typed rows as JSON Lines (spec 7)."""

from __future__ import annotations

from collections.abc import Sequence
from json.encoder import encode_basestring

from engine.columns import ColumnType, Typed
from engine.facts import double_text, scaled_text, scaled_texts
from prompts.formats import cut_cell, inert, json_text


def write_rows(
    columns: Sequence[ColumnType], rows: Sequence[Sequence[Typed]], *, citations: bool = False
) -> list[str]:
    """
    Each of *rows* as a JSON object on one line.

    Keys in column order, nulls left out, numbers in full without trailing zeros. Column by column, since
    the cells of one are all written alike.
    """
    if not rows:
        return []
    written = [
        _write_column(column, cells, citations)
        for column, cells in zip(columns, zip(*rows, strict=True), strict=True)
    ]
    if not written:
        return ["{}"] * len(rows)
    return ["{" + ",".join([cell for cell in row if cell]) + "}" for row in zip(*written, strict=True)]


def _write_column(column: ColumnType, cells: Sequence[Typed], citations: bool) -> list[str]:
    """`"name":cell` for each of *cells*; nothing for null."""
    key = json_text(column.name, citations=citations) + ":"
    if column.type == "number":
        if column.double:
            return ["" if cell is None else key + double_text(float(cell)) for cell in cells]
        if None in cells:
            scale = column.scale
            return ["" if cell is None else key + scaled_text(cell, scale) for cell in cells]  # type: ignore[arg-type]
        return [key + text for text in scaled_texts(cells, column.scale)]  # type: ignore[arg-type]
    if column.type == "boolean":
        return ["" if cell is None else f"{key}{'true' if cell else 'false'}" for cell in cells]
    if column.type != "text":
        return ["" if cell is None else f'{key}"{cell}"' for cell in cells]
    return [
        "" if cell is None else key + inert(encode_basestring(cut_cell(cell)), citations=citations)  # type: ignore[arg-type]
        for cell in cells
    ]
