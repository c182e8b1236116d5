"""Renders the data context, format V2: what a model reads about a report (spec, whole)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from engine.excerpt import Excerpt
from engine.profile import BandProfile, FieldProfile, GroupProfile, Profile, ReportAggregate
from engine.summary import GROUP_NUMBERS_MAX, statistics_of, summary_of
from engine.withheld import WithheldBand, WithheldField, WithheldGroup, WithheldProfile
from prompts.budget import Plan, fit
from prompts.formats import NULL, name_text, value_texts
from prompts.report import aggregate_text, report_sections, unit_text
from prompts.row_blocks import Block, RowBlocks, row_count

Section = Literal["schema", "data", "all"]
WITHHELD = "(withheld)"
"""What stands for small groups; a value of the data with parentheses is quoted."""


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

    No row of a profile in which small groups are withheld is written, whatever *excerpt* has. Raises `BudgetTooSmall`
    when what must stay does not fit into *max_tokens*.
    """
    k = None
    if isinstance(profile, WithheldProfile):
        k, excerpt = profile.k, Excerpt(())
    bands = [_schema_of(band, group_numbers_max, citations) for band in profile.bands]
    droppable = [one.droppable for one in bands] if section != "data" and max_tokens is not None else []
    shares = [len(band.positions) for band in excerpt.bands] if section != "schema" else []
    plan = Plan.whole(shares, droppable)
    aggregates = [
        f"- {name_text(one.id, citations=citations)}: {_stated_text(one, profile, citations)}"
        for one in profile.aggregates
    ]
    about = report_sections(profile, citations=citations)
    rows = [
        RowBlocks(band, facts, citations)
        for band, facts in zip(excerpt.bands, profile.bands if k is None else (), strict=True)
    ]
    return fit(plan, _Draft(section, about, bands, aggregates, excerpt, rows, plan.lists, k), max_tokens)


def _stated_text(one: ReportAggregate, profile: Profile, citations: bool) -> str:
    if isinstance(profile, WithheldProfile) and one.id in profile.unstated:
        return WITHHELD
    return aggregate_text(one.value, citations=citations)


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
        k: int | None,
    ) -> None:
        self._section: Section = section
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
    if band.withheld:
        parts.append(f"not shown: {', '.join(band.withheld)} (small groups)")
    if parts:
        lines.append("Summary: " + " | ".join(parts))
    return lines


def _schema_of(band: BandProfile, numbers_max: int, citations: bool) -> BandSchema:
    heading = name_text(band.name, citations=citations), _rows_text(band)
    names = tuple([name_text(one.name, citations=citations) for one in band.fields])
    texts = [
        value_texts([item.value for item in one.values], citations=citations) if one.values else {}
        for one in band.fields
    ]
    fields = tuple(
        [_field_text(one, name, known) for one, name, known in zip(band.fields, names, texts, strict=True)]
    )
    summary = summary_of(band, numbers_max)
    parts = [
        Part("fixed", "", _statistics_text(band.fields[position], names[position]))
        for position in (*summary.numbers, *summary.dates)
        if not isinstance(band, WithheldBand) or statistics_of(band.fields[position])
    ]
    for position in summary.counts:
        counts = _counts_text(band.fields[position], texts[position])
        parts.append(Part("counts", names[position], f"{names[position]}: {counts}"))
    by_field = {one.name: (name, known) for one, name, known in zip(band.fields, names, texts, strict=True)}
    parts += [_group_part(group, by_field, citations) for group in summary.groups]
    not_shown = tuple([_group_label(group, by_field) for group in summary.not_shown])
    withheld = tuple(_withheld_labels(band, names, by_field)) if isinstance(band, WithheldBand) else ()
    return BandSchema(*heading, fields, names, tuple(parts), not_shown, withheld)


def _rows_text(band: BandProfile) -> str:
    if isinstance(band, WithheldBand) and band.is_few:
        return f"fewer than {band.k} rows"
    return row_count(band.rows)


def _withheld_labels(
    band: WithheldBand, names: Sequence[str], fields: Mapping[str, tuple[str, _Texts]]
) -> Iterator[str]:
    """What is withheld: statistics by verb, counts and lists as they would be called."""
    for one, name in zip(band.fields, names, strict=True):
        if isinstance(one, WithheldField):
            yield from (f"{name} {verb}" for verb in one.withheld)
    for group in band.lists:
        yield _group_label(group, fields)


def _field_text(one: FieldProfile, name: str, texts: _Texts) -> tuple[str, str, int]:
    marks: list[str] = [one.type]
    if one.role is not None and one.role != "measure":
        marks.append(one.role)
    if one.unit is not None and one.unit != "%":
        marks.append(unit_text(one.unit))
    if one.masked:
        marks.append("masked")
    values = [item.value for item in one.values or () if item.value is not None] if one.is_enumeration else []
    shown = [texts[value] for value in values]
    if shown and isinstance(one, WithheldField) and one.rest is not None:
        shown.append(WITHHELD)
    return f"{name} ({', '.join(marks)}", "|".join(shown), len(values)


def _statistics_text(one: FieldProfile, name: str) -> str:
    return " ".join([name, *[f"{verb}={value}" for verb, value in statistics_of(one)]])


def _counts_text(one: FieldProfile, texts: _Texts) -> str:
    shown = [f"{texts[item.value]}={item.count}" for item in one.values or ()]
    if isinstance(one, WithheldField) and one.rest is not None:
        shown.append(f"{WITHHELD}={one.rest}")
    return ", ".join(shown)


def _group_part(group: GroupProfile, fields: Mapping[str, tuple[str, _Texts]], citations: bool) -> Part:
    label = _group_label(group, fields)
    if group.kind == "enum":
        known = fields[group.by][1]
    elif group.kind == "period":
        known = _PERIODS
    else:
        known = value_texts([part.value for part in group.parts], citations=citations)
    return Part(group.kind, label, _group_text(group, label, known))


class _Periods(dict[str | None, str]):
    """Years, months and days as they stand: the engine's own digits."""

    def __missing__(self, value: str | None) -> str:
        return NULL if value is None else value


_PERIODS = _Periods()


def _group_label(group: GroupProfile, fields: Mapping[str, tuple[str, _Texts]]) -> str:
    measure, by = fields[group.measure][0], fields[group.by][0]
    return f"{measure} by {group.period}({by})" if group.period else f"{measure} by {by}"


def _group_text(group: GroupProfile, label: str, texts: _Texts) -> str:
    shown = [f"{texts[value]}={total}" for value, total in group.parts]
    unnamed = group.unnamed if isinstance(group, WithheldGroup) else None
    last = [] if unnamed is None else [f"{WITHHELD}={unnamed}"]
    if group.kind != "top":
        return f"{label}: {', '.join([*shown, *last])}"
    named = sum(part.value is not None for part in group.parts)
    total = named + (group.rest.values if group.rest else 0)
    if group.rest is not None:
        shown.append(f"(other {group.rest.values})={group.rest.sum}")
    shown += last
    return f"{label} (top {named} of {total}): {', '.join(shown)}"
