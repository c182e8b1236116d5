"""Renders the data context, format V2: what a model reads about a report (spec, whole)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.columns import Typed
from engine.excerpt import BandExcerpt, Excerpt
from engine.profile import BandProfile, FieldProfile, GroupProfile, Profile
from prompts.budget import Plan, fit
from prompts.formats import name_text, value_texts
from prompts.rows import write_rows

Section = Literal["schema", "data", "all"]

GROUP_NUMBERS_MAX = 400
"""How many numbers of group sums, periods and leaders one band prints (spec 5, "Budget")."""


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
    rows = [_RowText(band, citations) for band in excerpt.bands]
    aggregates = [f"- {name_text(one.id, citations=citations)}: {one.value}" for one in profile.aggregates]

    def write(plan: Plan) -> str:
        sections: list[str] = []
        if section != "data":
            sections.append(_schema_section(bands, plan))
            if aggregates:
                sections.append("\n".join(["## REPORT AGGREGATES", *aggregates]))
        if section != "schema":
            sections.append(_data_section(excerpt, rows, plan, citations))
        return "\n\n".join(sections) + "\n"

    shares = [len(band.positions) for band in excerpt.bands] if section != "schema" else []
    droppable = [one.droppable for one in bands] if section != "data" else []
    return fit(Plan.whole(shares, droppable), write, max_tokens)


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


def _schema_section(bands: Sequence[BandSchema], plan: Plan) -> str:
    blocks = ["## REPORT SCHEMA"]
    missing: list[str] = []
    for index, band in enumerate(bands):
        gone = plan.gone(index)
        if gone:
            missing.append(f"{band.name}: {', '.join(_gone_names(gone))}")
        blocks.append("\n".join(_band_lines(band, gone)))
    text = "\n\n".join(blocks)
    if missing:
        text += f"\n\nnot shown, to fit the token budget: {'; '.join(missing)}"
    return text


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
    if band.rows <= 1:
        return BandSchema(*heading, fields, names, (), ())
    parts = [
        Part("fixed", "", text)
        for one, name in zip(band.fields, names, strict=True)
        if one.type == "number" and (text := _number_text(one, name))
    ]
    parts += [
        Part("fixed", "", f"{name} MIN={one.min} MAX={one.max}")
        for one, name in zip(band.fields, names, strict=True)
        if one.type in ("date", "datetime") and not one.is_constant
    ]
    parts += [
        Part("counts", name, f"{name}: {_counts_text(one, known)}")
        for one, name, known in zip(band.fields, names, texts, strict=True)
        if one.is_enumeration and not one.is_identity
    ]
    lists, not_shown = _group_parts(band, names, texts, numbers_max, citations)
    return BandSchema(*heading, fields, names, (*parts, *lists), not_shown)


def row_count(rows: int) -> str:
    """`1 row` or `N rows`."""
    return "1 row" if rows == 1 else f"{rows} rows"


def _field_text(one: FieldProfile, name: str, texts: _Texts) -> tuple[str, str, int]:
    marks: list[str] = [one.type]
    if one.role is not None and one.role != "measure":
        marks.append(one.role)
    if one.unit is not None and one.unit != "%":
        marks.append(one.unit)
    values = [item.value for item in one.values or () if item.value is not None] if one.is_enumeration else []
    return f"{name} ({', '.join(marks)}", "|".join([texts[value] for value in values]), len(values)


def _number_text(one: FieldProfile, name: str) -> str:
    if one.is_constant:
        return ""
    statistics = (("SUM", one.sum), ("AVG", one.avg), ("MIN", one.min), ("MAX", one.max))
    text = " ".join([name, *(f"{verb}={value}" for verb, value in statistics if value is not None)])
    return f"{text} NULLS={one.nulls}" if one.nulls else text


def _counts_text(one: FieldProfile, texts: _Texts) -> str:
    return ", ".join([f"{texts[item.value]}={item.count}" for item in one.values or ()])


def _group_parts(
    band: BandProfile, names: Sequence[str], texts: Sequence[_Texts], numbers_max: int, citations: bool
) -> tuple[list[Part], tuple[str, ...]]:
    fields = {
        one.name: (one, name, known) for one, name, known in zip(band.fields, names, texts, strict=True)
    }
    parts: list[Part] = []
    not_shown: list[str] = []
    left = numbers_max
    for group in band.groups:
        measure, measure_name, _ = fields[group.measure]
        by, by_name, known = fields[group.by]
        if measure.is_constant or (group.kind == "enum" and by.is_identity):
            continue
        label = (
            f"{measure_name} by {group.period}({by_name})" if group.period else f"{measure_name} by {by_name}"
        )
        if group.numbers > left:
            not_shown.append(label)
            continue
        left -= group.numbers
        if group.kind != "enum":
            known = value_texts([part.value for part in group.parts], citations=citations)
        parts.append(Part(group.kind, label, _group_text(group, label, known)))
    return parts, tuple(not_shown)


def _group_text(group: GroupProfile, label: str, texts: _Texts) -> str:
    shown = [f"{texts[part.value]}={part.sum}" for part in group.parts]
    if group.kind != "top":
        return f"{label}: {', '.join(shown)}"
    named = sum(part.value is not None for part in group.parts)
    total = named + (group.rest.values if group.rest else 0)
    if group.rest is not None:
        shown.append(f"(other {group.rest.values})={group.rest.sum}")
    return f"{label} (top {named} of {total}): {', '.join(shown)}"


class _RowText:
    """The written rows of a band, for any sample of it; each row is written once."""

    def __init__(self, band: BandExcerpt, citations: bool) -> None:
        self._band = band
        self._citations = citations
        self._written = self._write(band.positions, band.cells)

    def _write(self, positions: Sequence[int], rows: Sequence[Sequence[Typed]]) -> dict[int, str]:
        lines = write_rows(self._band.columns, rows, citations=self._citations) if rows else []
        return dict(zip(positions, lines, strict=True))

    def lines(self, positions: Sequence[int]) -> list[str]:
        """The rows at *positions*."""
        missing = [position for position in positions if position not in self._written]
        if missing:
            self._written |= self._write(missing, self._band.more(missing))
        return [self._written[position] for position in positions]


def _data_section(excerpt: Excerpt, rows: Sequence[_RowText], plan: Plan, citations: bool) -> str:
    from engine.excerpt import spaced_rows

    lines: list[str] = []
    for band, text, share in zip(excerpt.bands, rows, plan.rows, strict=True):
        name = name_text(band.name, citations=citations)
        sample = f" ({share} of {row_count(band.rows)}, evenly spaced sample)" if share < band.rows else ""
        lines.append(f"--- {name}{sample} ---")
        lines += text.lines(spaced_rows(band.rows, share))
    shown = sum(plan.rows)
    heading = f"## REPORT DATA ({shown} of {row_count(excerpt.rows)})"
    if shown < excerpt.shown:
        lines.append(f"not shown, to fit the token budget: {row_count(excerpt.shown - shown)}")
    return "\n".join([heading, *lines])
