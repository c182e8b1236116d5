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
    if not columns:
        return ["{}"] * len(rows)
    keys = [quote_key(column.name) + ":" for column in columns]
    values = [
        _values(column, cells, quote_cells)
        for column, cells in zip(columns, zip(*rows, strict=True), strict=True)
    ]
    if any(None in cells for cells in values):
        members = [
            ["" if cell is None else key + cell for cell in cells]
            for key, cells in zip(keys, values, strict=True)
        ]
        return ["{" + ",".join(filter(None, row)) + "}" for row in zip(*members, strict=True)]
    whole = "{" + ",".join([key.replace("%", "%%") + "%s" for key in keys]) + "}"
    return list(map(whole.__mod__, zip(*values, strict=True)))


def _values(
    column: ColumnType, cells: Sequence[Typed], quote_cells: Callable[[Sequence[str]], list[str]]
) -> Sequence[str | None]:
    """Each of *cells* as JSON has it; null stays None."""
    if None in cells:
        filled = iter(_values(column, [cell for cell in cells if cell is not None], quote_cells))
        return [None if cell is None else next(filled) for cell in cells]
    if column.type == "number":
        if column.double:
            return [double_text(float(cell)) for cell in cells]  # type: ignore[arg-type]
        return scaled_texts(cells, column.scale)  # type: ignore[arg-type]
    if column.type == "boolean":
        return ["true" if cell else "false" for cell in cells]
    if column.type != "text":
        return [f'"{cell}"' for cell in cells]
    return quote_cells(cells)  # type: ignore[arg-type]
