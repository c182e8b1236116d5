"""Writes typed rows as JSON Lines that stay inert (spec 7)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from engine.columns import ColumnType, Typed
from engine.json_rows import json_rows
from prompts.formats import json_text, json_texts


def write_rows(
    columns: Sequence[ColumnType], rows: Sequence[Sequence[Typed]], *, citations: bool = False
) -> list[str]:
    """Each of *rows* as a JSON object on one line, long cells cut: see `json_rows`."""
    return json_rows(
        columns,
        rows,
        quote_key=partial(json_text, citations=citations),
        quote_cells=partial(json_texts, citations=citations),
    )
