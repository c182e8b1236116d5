"""Gathers what `lastro inspect` shows, as text that is safe to show, for the terminal and the page alike."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.columns import ColumnType, Typed
from engine.histogram import ColumnSample, histogram_of, sample_columns
from engine.not_summed import lists_not_summed
from engine.profile import BandProfile, FieldProfile, GroupProfile, Profile, ValueCount
from engine.snapshot import Snapshot, SnapshotBand
from engine.statistics import DISTINCT_MAX
from lastro.inspect_cost import Costs, count_costs
from lastro.inspect_words import coercion_words
from lastro.output import warning_lines
from prompts.formats import inert

TEXT_CHARS_MAX = 200
"""A longer name, value or note is cut: a person looks, and the data context has the rest."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a chart."""

    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Chart:
    """How the cells of a column spread: rows per value, or per bin of numbers or dates."""

    kind: Literal["values", "bins"]
    bars: tuple[Bar, ...]
    end: str = ""
    """The greatest value; the label of a bin is where it starts."""

    @property
    def highest(self) -> int:
        """The longest bar."""
        return max((bar.count for bar in self.bars), default=0)

    @property
    def words(self) -> str:
        """The chart as a sentence, for those who do not see it."""
        if self.kind == "values":
            return "Rows per value: " + ", ".join(f"{bar.label} {bar.count}" for bar in self.bars)
        return f"Rows per bin up to {self.end}: " + ", ".join(f"from {b.label} {b.count}" for b in self.bars)


@dataclass(frozen=True, slots=True)
class ColumnView:
    """One line of a band's table of columns."""

    name: str
    type: str
    role: str
    unit: str
    nulls: int
    distinct: str
    min: str
    avg: str
    max: str
    chart: Chart | None
    always: str | None
    """The value that every row has, where there is but one."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How some columns were read, in plain words."""

    columns: tuple[str, ...]
    words: str
    assumed: bool


@dataclass(frozen=True, slots=True)
class Sums:
    """One list of group sums, in short form."""

    label: str
    parts: tuple[tuple[str, str], ...]
    more: int


@dataclass(frozen=True, slots=True)
class BandView:
    """What is shown of one band."""

    name: str
    copies: tuple[str, ...]
    """The names of the bands that this one stands for, where there are several."""
    rows: int
    columns_in_all: int
    sampled: int | None
    """Rows that the charts of numbers and dates were counted from, where that is not all."""
    columns: tuple[ColumnView, ...]
    verdicts: tuple[Verdict, ...]
    """What was assumed first, then in column order."""
    sums: tuple[Sums, ...]
    sums_more: int
    notes: tuple[str, ...]

    @property
    def hidden(self) -> int:
        """Columns that are not shown."""
        return self.columns_in_all - len(self.columns)


@dataclass(frozen=True, slots=True)
class Inspection:
    """Everything that is shown of a report; all texts are inert."""

    bands: tuple[BandView, ...]
    aggregates: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    """One line each; of many that are alike the first few, and how many more."""
    warnings_in_all: int
    costs: Costs


SUMS_SHOWN = 4
PARTS_SHOWN = 3
"""Of the group sums, so many lists and parts are shown: enough to know what there is to ask for."""


def inspect_snapshot(snapshot: Snapshot, columns_max: int | None) -> Inspection:
    """What is to be shown of *snapshot*, at most *columns_max* columns of each band."""
    profile = snapshot.profile
    samples = [sample_columns(band) for band in snapshot.bands]
    return Inspection(
        tuple(
            _band(band, facts, sample, columns_max, lists_not_summed(profile, facts) or 0)
            for band, facts, sample in zip(snapshot.bands, profile.bands, samples, strict=True)
        ),
        tuple(
            (_shown(one.id), "null" if one.value is None else _shown(one.value)) for one in profile.aggregates
        ),
        _warnings(profile),
        len(profile.warnings),
        count_costs(snapshot, samples),
    )


def _warnings(profile: Profile) -> tuple[str, ...]:
    return tuple(line.removeprefix("warning: ") for line in warning_lines(profile.warnings))


def _band(
    band: SnapshotBand, facts: BandProfile, sample: ColumnSample, columns_max: int | None, not_summed: int
) -> BandView:
    fields = facts.fields[:columns_max]
    columns = tuple(
        _column(field, column, cells)
        for field, column, cells in zip(
            fields, band.columns[: len(fields)], sample.columns[: len(fields)], strict=True
        )
    )
    groups = _telling_groups(facts)
    return BandView(
        name=_shown(facts.name),
        copies=tuple(map(_shown, facts.names)) if len(facts.names) > 1 else (),
        rows=facts.rows,
        columns_in_all=len(facts.fields),
        sampled=None if sample.is_whole else sample.rows,
        columns=columns,
        verdicts=_verdicts(fields),
        sums=tuple(_sums(group) for group in groups[:SUMS_SHOWN]),
        sums_more=max(0, len(groups) - SUMS_SHOWN) + not_summed,
        notes=tuple(map(_shown, facts.notes)),
    )


def _verdicts(fields: Sequence[FieldProfile]) -> tuple[Verdict, ...]:
    """What is known about how the columns were read; those of which the same is to be said go together."""
    alike: dict[tuple[bool, str], list[str]] = {}
    for field in fields:
        if field.coercion is not None:
            key = (field.coercion.assumed, inert(coercion_words(field.coercion)))
            alike.setdefault(key, []).append(_shown(field.name))
    found = [Verdict(tuple(names), words, assumed) for (assumed, words), names in alike.items()]
    return tuple(sorted(found, key=lambda verdict: not verdict.assumed))


def _telling_groups(facts: BandProfile) -> list[GroupProfile]:
    """The group sums that say more than the columns themselves, as in the data context (spec 5.4)."""
    if facts.rows <= 1:
        return []
    constant = {field.name for field in facts.fields if field.is_constant}
    identities = {field.name for field in facts.fields if field.is_identity}
    return [
        group
        for group in facts.groups
        if group.measure not in constant and not (group.kind == "enum" and group.by in identities)
    ]


def _column(field: FieldProfile, column: ColumnType, cells: Sequence[Typed]) -> ColumnView:
    values = field.values or ()
    return ColumnView(
        name=_shown(field.name),
        type=field.type,
        role=field.role or "",
        unit=field.unit if field.unit and field.unit != field.role else "",
        nulls=field.nulls,
        distinct=f">{DISTINCT_MAX}" if field.distinct is None else str(field.distinct),
        min=_moment(field.min),
        avg=_moment(field.avg),
        max=_moment(field.max),
        chart=_chart(field, column, cells),
        always=_value(values[0].value) if len(values) == 1 and field.distinct == 1 else None,
    )


def _moment(text: str | None) -> str:
    """A fact as people read it: a blank between day and time."""
    return (text or "").replace("T", " ")


def _chart(field: FieldProfile, column: ColumnType, cells: Sequence[Typed]) -> Chart | None:
    if field.is_enumeration and not field.is_identity:
        return Chart("values", tuple(Bar(_value(one.value), one.count) for one in _in_order(field)))
    if field.min is None or field.max is None:
        return None
    found = histogram_of(cells, column, field.min, field.max)
    if found is None or field.distinct == 1:
        return None
    return Chart("bins", tuple(map(Bar, found.starts, found.counts)), found.end)


def _in_order(field: FieldProfile) -> Sequence[ValueCount]:
    """Years and months in their own order, other values by count; nulls last."""
    values = field.values or ()
    if field.role not in ("year", "part"):
        return values
    return sorted(values, key=lambda one: (one.value is None, int(one.value or 0)))


def _value(value: str | None) -> str:
    if value is None:
        return NULL
    return json.dumps(value) if value == NULL else _shown(value)


NULL = "(null)"
"""How the null group is shown; a text that reads the same is shown in quotes."""


def _sums(group: GroupProfile) -> Sums:
    by = f"{group.period} of {_shown(group.by)}" if group.period else _shown(group.by)
    shown = [(_value(part.value), part.sum) for part in group.parts[:PARTS_SHOWN]]
    rest = group.rest.values if group.rest else 0
    return Sums(f"{_shown(group.measure)} by {by}", tuple(shown), len(group.parts) - len(shown) + rest)


def _shown(text: str) -> str:
    return inert(text if len(text) <= TEXT_CHARS_MAX else f"{text[: TEXT_CHARS_MAX - 1]}…")
