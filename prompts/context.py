"""Renders the data context, format V2: what a model reads about a report (spec, whole)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.excerpt import Excerpt
from engine.profile import BandProfile, FieldProfile, GroupProfile, Profile
from engine.summary import GROUP_NUMBERS_MAX, statistics_of, summary_of
from prompts.budget import Plan, fit
from prompts.formats import name_text, value_texts
from prompts.report import aggregate_text, report_sections, unit_text
from prompts.row_blocks import Block, RowBlocks, row_count

Section = Literal["schema", "data", "all"]


def render_data_context(
    profile: Profile,
    excerpt: Excerpt,
    *,
    section: Section = "all",
    max_tokens: int | None = None,
    group_numbers_max: int = GROUP_NUMBERS_MAX,
    citations: bool = False,
) -> str:
    """
    The data context of a report, ending in one line break; the same facts give the same bytes.

    Raises `BudgetTooSmall` when what must stay does not fit into *max_tokens*.
    """
    bands = [_schema_of(band, group_numbers_max, citations) for band in profile.bands]
    droppable = [one.droppable for one in bands] if section != "data" else []
    shares = [len(band.positions) for band in excerpt.bands] if section != "schema" else []
    plan = Plan.whole(shares, droppable)
    aggregates = [
        f"- {name_text(one.id, citations=citations)}: {aggregate_text(one.value, citations=citations)}"
        for one in profile.aggregates
    ]
    about = report_sections(profile, citations=citations)
    rows = [
        RowBlocks(band, facts, citations) for band, facts in zip(excerpt.bands, profile.bands, strict=True)
    ]
    return fit(plan, _Draft(section, about, bands, aggregates, excerpt, rows, plan.lists), max_tokens)


@dataclass(frozen=True, slots=True)
class Part:
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


_Texts = Mapping[str | None, str]
"""How a column's values are written."""

_PART_KINDS = ("top", "period", "enum", "counts")


class _Draft:
    """Writes a plan band by band; a band that the next plan leaves as it is is not written again."""

    def __init__(
        self,
        section: Section,
        about: Sequence[str],
        bands: Sequence[BandSchema],
        aggregates: Sequence[str],
        excerpt: Excerpt,
        rows: Sequence[RowBlocks],
        lists: Sequence[tuple[int, str, str]],
    ) -> None:
        self._section: Section = section
        self._about = [Block.of(text) for text in about]
        self._bands = bands
        self._aggregates = aggregates
        self._excerpt = excerpt
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
        blocks = [one.block(share) for one, share in zip(self._rows, shares, strict=True)]
        shown = sum(shares)
        heading = Block.of(f"## REPORT DATA ({shown} of {row_count(self._excerpt.rows)})")
        left_out = self._excerpt.shown - shown
        if left_out:
            blocks.append(Block.of(f"not shown, to fit the token budget: {row_count(left_out)}"))
        return [heading, *blocks]


def _gone_names(gone: frozenset[tuple[str, str]]) -> list[str]:
    return [f"values of {label}" if kind == "values" else label for kind, label in sorted(gone)]


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
    if parts:
        lines.append("Summary: " + " | ".join(parts))
    return lines


def _schema_of(band: BandProfile, numbers_max: int, citations: bool) -> BandSchema:
    heading = name_text(band.name, citations=citations), row_count(band.rows)
    names = tuple([name_text(one.name, citations=citations) for one in band.fields])
    texts = [
        value_texts([item.value for item in one.values or ()], citations=citations) for one in band.fields
    ]
    fields = tuple(
        [_field_text(one, name, known) for one, name, known in zip(band.fields, names, texts, strict=True)]
    )
    summary = summary_of(band, numbers_max)
    parts = [
        Part("fixed", "", _statistics_text(band.fields[position], names[position]))
        for position in (*summary.numbers, *summary.dates)
    ]
    for position in summary.counts:
        counts = _counts_text(band.fields[position], texts[position])
        parts.append(Part("counts", names[position], f"{names[position]}: {counts}"))
    by_field = {one.name: (name, known) for one, name, known in zip(band.fields, names, texts, strict=True)}
    parts += [_group_part(group, by_field, citations) for group in summary.groups]
    not_shown = tuple([_group_label(group, by_field) for group in summary.not_shown])
    return BandSchema(*heading, fields, names, tuple(parts), not_shown)


def _field_text(one: FieldProfile, name: str, texts: _Texts) -> tuple[str, str, int]:
    marks: list[str] = [one.type]
    if one.role is not None and one.role != "measure":
        marks.append(one.role)
    if one.unit is not None and one.unit != "%":
        marks.append(unit_text(one.unit))
    values = [item.value for item in one.values or () if item.value is not None] if one.is_enumeration else []
    return f"{name} ({', '.join(marks)}", "|".join([texts[value] for value in values]), len(values)


def _statistics_text(one: FieldProfile, name: str) -> str:
    return " ".join([name, *[f"{verb}={value}" for verb, value in statistics_of(one)]])


def _counts_text(one: FieldProfile, texts: _Texts) -> str:
    return ", ".join([f"{texts[item.value]}={item.count}" for item in one.values or ()])


def _group_part(group: GroupProfile, fields: Mapping[str, tuple[str, _Texts]], citations: bool) -> Part:
    label = _group_label(group, fields)
    if group.kind == "enum":
        known = fields[group.by][1]
    else:
        known = value_texts([part.value for part in group.parts], citations=citations)
    return Part(group.kind, label, _group_text(group, label, known))


def _group_label(group: GroupProfile, fields: Mapping[str, tuple[str, _Texts]]) -> str:
    measure, by = fields[group.measure][0], fields[group.by][0]
    return f"{measure} by {group.period}({by})" if group.period else f"{measure} by {by}"


def _group_text(group: GroupProfile, label: str, texts: _Texts) -> str:
    shown = [f"{texts[part.value]}={part.sum}" for part in group.parts]
    if group.kind != "top":
        return f"{label}: {', '.join(shown)}"
    named = sum(part.value is not None for part in group.parts)
    total = named + (group.rest.values if group.rest else 0)
    if group.rest is not None:
        shown.append(f"(other {group.rest.values})={group.rest.sum}")
    return f"{label} (top {named} of {total}): {', '.join(shown)}"
