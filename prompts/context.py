"""Renders the data context, format V2: what a model reads about a report (spec, whole)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from engine.excerpt import Excerpt
from engine.not_summed import lists_not_summed
from engine.profile import BandProfile, FieldProfile, GroupProfile, Profile, ReportAggregate
from engine.summary import GROUP_NUMBERS_MAX, statistics_of, summary_of
from engine.withheld import WithheldBand, WithheldField, WithheldGroup, WithheldProfile
from prompts.budget import Plan, fit
from prompts.draft import BandSchema, ContextDraft, Part
from prompts.formats import NULL, name_text, value_texts
from prompts.report import aggregate_text, report_sections, unit_text
from prompts.row_blocks import RowBlocks, row_count

Section = Literal["schema", "data", "all"]
NOT_SHOWN_MAX = 1_000
"""So many lists that its budget has no place for are named; a table of many hundred columns has millions."""
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
    bands = [_schema_of(profile, band, group_numbers_max, citations) for band in profile.bands]
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
    return fit(
        plan, ContextDraft(section, about, bands, aggregates, excerpt, rows, plan.lists, k), max_tokens
    )


def _stated_text(one: ReportAggregate, profile: Profile, citations: bool) -> str:
    if isinstance(profile, WithheldProfile) and one.id in profile.unstated:
        return WITHHELD
    return aggregate_text(one.value, citations=citations)


_Texts = Mapping[str | None, str]
"""How a column's values are written."""


def _schema_of(profile: Profile, band: BandProfile, numbers_max: int, citations: bool) -> BandSchema:
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
    not_shown = tuple(_not_shown(summary.not_shown, lists_not_summed(profile, band), by_field))
    withheld = tuple(_withheld_labels(band, names, by_field)) if isinstance(band, WithheldBand) else ()
    return BandSchema(*heading, fields, names, tuple(parts), not_shown, withheld)


def _not_shown(
    groups: Sequence[GroupProfile], not_summed: int | None, fields: Mapping[str, tuple[str, _Texts]]
) -> Iterator[str]:
    """The lists that are not printed: the first ones by name, the others and those *not_summed* as a number."""
    yield from (_group_label(group, fields) for group in groups[:NOT_SHOWN_MAX])
    more = len(groups[NOT_SHOWN_MAX:]) + (not_summed or 0)
    if more or not_summed is None:
        yield f"{more or ''} more lists".lstrip()


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
