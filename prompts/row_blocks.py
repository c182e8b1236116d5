"""Writes the rows of a band for any number of them, so that a budget can try one after the other (spec 7, 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from datasources.spaced_rows import spaced_rows
from engine.columns import Typed
from engine.excerpt import BandExcerpt
from engine.profile import BandProfile, FieldProfile
from prompts.formats import cut_cell, json_text, name_text
from prompts.rows import write_rows

READ_AHEAD_ROWS = 50_000
"""So many rows of the next smaller samples are fetched together: one by one they would cost a search each."""
LEAST_BYTES = {"number": 1, "boolean": 4, "date": 12, "datetime": 21}
"""What a cell of the type takes at least, with its quotes."""


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of a context, and their UTF-8 bytes."""

    text: str
    size: int

    @classmethod
    def of(cls, text: str) -> Block:
        """The block of *text*."""
        return cls(text, len(text) if text.isascii() else len(text.encode()))


class RowBlocks:
    """The written rows of a band, for any sample of it; each row is written once."""

    def __init__(self, band: BandExcerpt, facts: BandProfile, citations: bool) -> None:
        self._band = band
        self._name = name_text(band.name, citations=citations)
        self._citations = citations
        self._written = self._write(band.positions, band.cells)
        self._last: tuple[int, Block] | None = None
        self._facts = facts

    def block(self, share: int) -> Block:
        """The band's heading and a sample of *share* rows."""
        if self._last is None or self._last[0] != share:
            sample = f" ({share} of {row_count(self._band.rows)}, evenly spaced sample)"
            heading = f"--- {self._name}{sample if share < self._band.rows else ''} ---"
            self._last = share, Block.of("\n".join([heading, *self._lines(share)]))
        return self._last[1]

    def _lines(self, share: int) -> list[str]:
        positions = spaced_rows(self._band.rows, share)
        if not self._written.keys() >= set(positions):
            ahead = range(max(share - READ_AHEAD_ROWS // share, 0), share + 1)
            self._fetch(position for size in ahead for position in spaced_rows(self._band.rows, size))
        return [self._written[position] for position in positions]

    def _fetch(self, positions: Iterable[int]) -> None:
        wanted = set(positions)
        missing = sorted(wanted - self._written.keys())
        kept = {position: line for position, line in self._written.items() if position in wanted}
        self._written = kept | self._write(missing, self._band.more(missing))

    def _write(self, positions: Sequence[int], rows: Sequence[Sequence[Typed]]) -> dict[int, str]:
        lines = write_rows(self._band.columns, rows, citations=self._citations) if rows else []
        return dict(zip(positions, lines, strict=True))

    @property
    def least_bytes(self) -> int:
        """
        What a row takes at least, with its line break.

        Braces, and the columns without nulls with their commas (of text, nulls may be unknown).
        """
        cells = [
            len(json_text(field.name, citations=self._citations).encode()) + 1 + least + 1
            for field in self._facts.fields
            if not field.nulls and (least := _least_cell(field))
        ]
        return 3 + max(sum(cells) - 1, 0)


def _least_cell(field: FieldProfile) -> int:
    """What a cell takes at least; 0 where that is not known, since it may be null."""
    if field.type != "text":
        return LEAST_BYTES[field.type]
    texts = [one.value for one in field.values or () if one.value is not None]
    return 2 + min([len(cut_cell(text)) for text in texts]) if texts else 0


def row_count(rows: int) -> str:
    """`1 row` or `N rows`."""
    return "1 row" if rows == 1 else f"{rows} rows"
