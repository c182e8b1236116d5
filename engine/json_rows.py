"""Writes typed rows as JSON objects in plain Python, for prompts and for small exports (spec 7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from json.encoder import encode_basestring

from engine.columns import ColumnType, Typed
from engine.facts import double_text, scaled_texts

Quote = Callable[[str], str]
"""Writes a text as a JSON string."""


def _quoted(cells: Sequence[str]) -> list[str]:
    return list(map(encode_basestring, cells))


def json_rows(
    columns: Sequence[ColumnType],
    rows: Sequence[Sequence[Typed]],
    *,
    quote_key: Quote = encode_basestring,
    quote_cells: Callable[[Sequence[str]], list[str]] = _quoted,
) -> list[str]:
    """
    Each of *rows* as a JSON object on one line.

    Keys in column order, nulls left out, numbers in full without trailing zeros. Column by column, since
    the cells of one are all written alike; *quote_cells* writes the filled cells of a text column.
    """
    if not rows:
        return []
    written = [
        _members(column, cells, quote_key(column.name) + ":", quote_cells)
        for column, cells in zip(columns, zip(*rows, strict=True), strict=True)
    ]
    if not written:
        return ["{}"] * len(rows)
    if any("" in members for members in written):
        return ["{" + ",".join(filter(None, row)) + "}" for row in zip(*written, strict=True)]
    return ["{" + ",".join(row) + "}" for row in zip(*written, strict=True)]


def _members(
    column: ColumnType, cells: Sequence[Typed], key: str, quote_cells: Callable[[Sequence[str]], list[str]]
) -> list[str]:
    """`"name":cell` for each of *cells*; nothing for null."""
    if None in cells:
        members = iter(_members(column, [cell for cell in cells if cell is not None], key, quote_cells))
        return ["" if cell is None else next(members) for cell in cells]
    if column.type == "number":
        if column.double:
            return [key + double_text(float(cell)) for cell in cells]  # type: ignore[arg-type]
        return [key + text for text in scaled_texts(cells, column.scale)]  # type: ignore[arg-type]
    if column.type == "boolean":
        return [f"{key}{'true' if cell else 'false'}" for cell in cells]
    if column.type != "text":
        return [f'{key}"{cell}"' for cell in cells]
    return [key + text for text in quote_cells(cells)]  # type: ignore[arg-type]
