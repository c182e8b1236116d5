"""Writes typed rows as JSON Lines (spec 7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.facts import double_text, scaled_text
from engine.typing import ColumnType, Typed
from prompts.formats import cut_cell, json_text


def row_writer(
    columns: Sequence[ColumnType], *, citations: bool = False
) -> Callable[[Sequence[Typed]], str]:
    """
    A function that writes one row of *columns* as a JSON object on one line.

    Keys in column order, nulls left out, numbers in full without trailing zeros.
    """
    keys = [json_text(column.name, citations=citations) + ":" for column in columns]
    cells = [_cell_writer(column, citations) for column in columns]

    def write(row: Sequence[Typed]) -> str:
        return (
            "{"
            + ",".join(
                [key + cell(value) for key, cell, value in zip(keys, cells, row, strict=True) if value is not None]
            )
            + "}"
        )

    return write


def _cell_writer(column: ColumnType, citations: bool) -> Callable[[Typed], str]:
    if column.type == "number":
        if column.double:
            return lambda value: double_text(float(value))  # type: ignore[arg-type]
        scale = column.scale
        return lambda value: scaled_text(int(value), scale)  # type: ignore[arg-type]
    if column.type == "boolean":
        return lambda value: "true" if value else "false"
    return lambda value: json_text(cut_cell(str(value)), citations=citations)
