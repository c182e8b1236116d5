"""Writes a data context as a plan has it, band by band, and knows how long it becomes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from engine.excerpt import Excerpt
from prompts.budget import Plan
from prompts.row_blocks import Block, RowBlocks, row_count


class Part(NamedTuple):
    """One item of a summary."""

    kind: Literal["fixed", "counts", "enum", "period", "top"]
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class BandSchema:
    """The schema and summary of a band, in pieces that a budget may leave out."""

    name: str
    rows: str
    fields: tuple[tuple[str, str, int], ...]
    """(text before `values:`, the values, how many they are)."""
    names: tuple[str, ...]
    parts: tuple[Part, ...]
    not_shown: tuple[str, ...]
    withheld: tuple[str, ...] = ()
    """What small groups leave out."""

    @property
    def droppable(self) -> dict[str, tuple[str, ...]]:
        """What may be left out, by kind, in rendering order."""
        found = {kind: tuple(part.label for part in self.parts if part.kind == kind) for kind in _PART_KINDS}
        return {
            **found,
            "values": tuple(
                name for name, field in zip(self.names, self.fields, strict=True) if field[2] > 10
            ),
        }


_PART_KINDS = ("top", "period", "enum", "counts")


class ContextDraft:
    """Writes a plan band by band; a band that the next plan leaves as it is is not written again."""

    def __init__(
        self,
        section: str,
        about: Sequence[str],
        bands: Sequence[BandSchema],
        aggregates: Sequence[str],
        excerpt: Excerpt,
        rows: Sequence[RowBlocks],
        lists: Sequence[tuple[int, str, str]],
        k: int | None,
    ) -> None:
        self._section: str = section
        self._about = [Block.of(text) for text in about]
        self._bands = bands
        self._aggregates = aggregates
        self._excerpt = excerpt
        self._k = k
        """Where rows are withheld: a group of fewer rows is small."""
        self._rows = rows
        self._drops: list[list[int]] = [[] for _ in bands]
        """Steps that leave something of each band out."""
        for step, (band, _, _) in enumerate(lists):
            self._drops[band].append(step)
        self._lists = lists
        self._blocks: list[tuple[int, Block, str] | None] = [None] * len(bands)
        self._schema_bytes = 0

    def write(self, plan: Plan) -> str:
        """The whole text."""
        sections = [between.join([block.text for block in blocks]) for between, blocks in self._parts(plan)]
        return "\n\n".join(sections) + "\n"

    def count_bytes(self, plan: Plan) -> int:
        """The UTF-8 bytes of the whole text."""
        sections = [
            sum([block.size for block in blocks]) + len(between) * (len(blocks) - 1)
            for between, blocks in self._parts(plan)
        ]
        return sum(sections) + 2 * (len(sections) - 1) + 1

    def least_bytes(self, rows: Sequence[int]) -> int:
        """What the schema with all lists, and rows of the least length, take."""
        if self._section != "data" and not self._schema_bytes:
            self._schema_bytes = sum([block.size for block in self._schema(0)])
        least = (share * one.least_bytes for share, one in zip(rows, self._rows, strict=False))
        return self._schema_bytes + sum(least)

    def saved_bytes(self, plan: Plan) -> list[int]:
        """At most what leaving out the first 1, 2, … lists saves in all."""
        left = [_list_bytes(band) for band in self._bands]
        # With its last part the line of a summary goes too.
        total = len(self._bands) * len("Summary: ")
        found = []
        for band, kind, label in plan.lists:
            total += left[band].pop((kind, label), 0)
            found.append(total)
        return found

    def _parts(self, plan: Plan) -> Iterator[tuple[str, list[Block]]]:
        """What stands between the blocks of each section, and the blocks."""
        if self._section != "data":
            if self._about:
                yield "\n\n", self._about
            yield "\n\n", self._schema(plan.done)
            if self._aggregates:
                yield "\n", [Block.of("\n".join(["## REPORT AGGREGATES", *self._aggregates]))]
        if self._section != "schema":
            yield "\n", self._data(plan.rows)

    def _schema(self, done: int) -> list[Block]:
        found = [self._band(index, done) for index in range(len(self._bands))]
        blocks = [Block.of("## REPORT SCHEMA"), *(block for _, block, _ in found)]
        missing = [names for _, _, names in found if names]
        if missing:
            blocks.append(Block.of(f"not shown, to fit the token budget: {'; '.join(missing)}"))
        return blocks

    def _band(self, index: int, done: int) -> tuple[int, Block, str]:
        """(how many of its lists are gone, its schema without them, their names)."""
        count = bisect_left(self._drops[index], done)
        kept = self._blocks[index]
        if kept is not None and kept[0] == count:
            return kept
        band = self._bands[index]
        gone = frozenset([self._lists[step][1:] for step in self._drops[index][:count]])
        names = f"{band.name}: {', '.join(_gone_names(gone))}" if gone else ""
        written = count, Block.of("\n".join(_band_lines(band, gone))), names
        self._blocks[index] = written
        return written

    def _data(self, shares: Sequence[int]) -> list[Block]:
        if self._k is not None:
            return [Block.of(f"## REPORT DATA\nNo rows: groups of fewer than {self._k} rows are withheld.")]
        blocks = [one.block(share) for one, share in zip(self._rows, shares, strict=True)]
        shown = sum(shares)
        heading = Block.of(f"## REPORT DATA ({shown} of {row_count(self._excerpt.rows)})")
        left_out = self._excerpt.shown - shown
        if left_out:
            blocks.append(Block.of(f"not shown, to fit the token budget: {row_count(left_out)}"))
        return [heading, *blocks]


def _list_bytes(band: BandSchema) -> dict[tuple[str, str], int]:
    """What leaving out each list saves, but for its name, which is then among those that are not shown."""
    texts: list[tuple[str, str, str]] = [(part.kind, part.label, f"{part.text} | ") for part in band.parts]
    texts += [
        ("values", name, f", values: {values}")
        for name, (_, values, _) in zip(band.names, band.fields, strict=True)
    ]
    found: dict[tuple[str, str], int] = {}
    for kind, label, text in texts:
        named = -_size(f", {_gone_name(kind, label)}")
        found[kind, label] = found.get((kind, label), named) + _size(text)
    return found


def _size(text: str) -> int:
    return len(text.encode("utf-8"))


def _gone_names(gone: frozenset[tuple[str, str]]) -> list[str]:
    return [_gone_name(kind, label) for kind, label in sorted(gone)]


def _gone_name(kind: str, label: str) -> str:
    return f"values of {label}" if kind == "values" else label


def _band_lines(band: BandSchema, gone: frozenset[tuple[str, str]]) -> list[str]:
    lines = [f"### {band.name} ({band.rows})"]
    if band.fields:
        shown = [
            f"{before}, values: {values})" if values and ("values", name) not in gone else f"{before})"
            for name, (before, values, _) in zip(band.names, band.fields, strict=True)
        ]
        lines.append("Fields: " + ", ".join(shown))
    parts = [part.text for part in band.parts if (part.kind, part.label) not in gone]
    if band.not_shown:
        parts.append(f"not shown: {', '.join(band.not_shown)} (ask sulfite_group_by)")
    if band.withheld:
        parts.append(f"not shown: {', '.join(band.withheld)} (small groups)")
    if parts:
        lines.append("Summary: " + " | ".join(parts))
    return lines
