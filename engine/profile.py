"""Gathers every precomputed fact of a report: schema, enumerations, statistics, group sums (spec 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from datasources.base import DataWarning, FieldType, Role
from engine import roles
from engine.band import Band
from engine.columns import Coercion, Typed
from engine.enums import ordered_counts
from engine.facts import add_doubles, average_text, cell_text, decimals_text, exact_text, scaled_texts
from engine.statistics import (
    DISTINCT_MAX,
    Axis,
    FieldStatistics,
    PeriodUnit,
    Total,
    is_enumeration,
)

LEADERS = 5
"""How many of the largest sums a leader list names before the rest (spec 5.6)."""


@dataclass(frozen=True, slots=True)
class ValueCount:
    """A value of an enumeration and the rows it stands in; None is the null group."""

    value: str | None
    count: int


@dataclass(frozen=True, slots=True)
class FieldProfile:
    """The facts of one column. Numbers are exact texts in full, dates ISO texts."""

    name: str
    type: FieldType
    role: Role | None
    unit: str | None
    nulls: int
    distinct: int | None
    """Exact up to 1,000, else None."""
    values: tuple[ValueCount, ...] | None
    """Of a column of up to 20 values: most frequent first, then by value, nulls last."""
    is_enumeration: bool
    sum: str | None = None
    avg: str | None = None
    min: str | None = None
    max: str | None = None
    coercion: Coercion | None = None
    label: str | None = None
    """What the report calls the field before readers."""

    @property
    def is_identity(self) -> bool:
        """Whether no value repeats, null counted as a value, so that counts say nothing."""
        return all(one.count == 1 for one in self.values or ())

    @property
    def is_constant(self) -> bool:
        """Whether all cells hold the same number or date."""
        return self.min == self.max


class GroupPart(NamedTuple):
    """The sum of one group; None is the null group."""

    value: str | None
    sum: str


@dataclass(frozen=True, slots=True)
class GroupRest:
    """What a leader list does not name: how many values, and their sum."""

    values: int
    sum: str


@dataclass(frozen=True, slots=True)
class GroupProfile:
    """The sums of one measure by one field; the parts, with the rest, add up to the measure's sum."""

    measure: str
    by: str
    kind: Literal["enum", "period", "top"]
    period: PeriodUnit | None
    parts: tuple[GroupPart, ...]
    rest: GroupRest | None = None

    @property
    def numbers(self) -> int:
        """How many numbers the list prints."""
        return len(self.parts) + (self.rest is not None)


@dataclass(frozen=True, slots=True)
class BandProfile:
    """The facts of one band."""

    name: str
    names: tuple[str, ...]
    rows: int
    fields: tuple[FieldProfile, ...]
    groups: tuple[GroupProfile, ...]
    """Enumerations, then periods, then leaders (spec 5, parts 4 to 6)."""
    notes: tuple[str, ...] = ()

    def field(self, name: str) -> FieldProfile:
        """The field *name*; KeyError when there is none."""
        for one in self.fields:
            if one.name == name:
                return one
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class ReportAggregate:
    """A value that the report itself states; it is authoritative (spec 6)."""

    id: str
    value: str | None
    """None where there was nothing to compute it from."""


@dataclass(frozen=True, slots=True)
class ReportInfo:
    """What a report is called."""

    name: str
    id: str
    description: str | None = None


@dataclass(frozen=True, slots=True)
class AppliedFilter:
    """A parameter of the report, and what the reader chose for it."""

    label: str | None
    id: str
    type: str
    values: tuple[str, ...]
    """Canonical texts; empty where nothing was chosen, so that nothing is left out."""
    note: Literal["default"] | None = None
    """Whether the reader left the choice to the report."""

    @property
    def text(self) -> str:
        """The chosen values, or `(all)`."""
        return ", ".join(self.values) if self.values else "(all)"


@dataclass(frozen=True, slots=True)
class Profile:
    """Everything that was computed about a report before anyone asks."""

    bands: tuple[BandProfile, ...]
    aggregates: tuple[ReportAggregate, ...] = ()
    warnings: tuple[DataWarning, ...] = ()
    info: ReportInfo | None = None
    """Of a report with a definition."""
    filters: tuple[AppliedFilter, ...] = ()

    def band(self, name: str) -> BandProfile:
        """The band *name*; a merged band answers to either of its names. KeyError when there is none."""
        for one in self.bands:
            if name == one.name or name in one.names:
                return one
        raise KeyError(name)


def profile_bands(bands: Sequence[Band]) -> Profile:
    """The facts of typed *bands*, which are merged already where they repeat each other."""
    return Profile(
        tuple(_profile_band(band) for band in bands),
        tuple(aggregate for band in bands for aggregate in _aggregates(band)),
        tuple(warning for band in bands for warning in band.warnings),
    )


def _aggregates(band: Band) -> list[ReportAggregate]:
    """The values of the band's total rows (spec 0.4)."""
    found: list[ReportAggregate] = []
    for total in band.totals:
        for position, value in total.values.items():
            column = band.columns[position]
            found.append(ReportAggregate(f"total.{band.name}.{column.name}", decimals_text(value)))
    return found


def _profile_band(band: Band) -> BandProfile:
    statistics = band.statistics
    fields = tuple(_profile_field(one) for one in statistics.fields)
    # Whoever summed them did so axis by axis in rendering order, and measures in column order within each.
    groups = [
        _profile_group(statistics.fields, axis, position, sums)
        for (axis, position), sums in statistics.sums.items()
    ]
    return BandProfile(band.name, band.names, statistics.rows, fields, tuple(groups), band.raw.notes)


def _profile_field(one: FieldStatistics) -> FieldProfile:
    column, role = one.column, one.role
    numbers = column.type == "number" and one.cells > 0
    distinct = len(one.counts) if one.counts is not None and len(one.counts) <= DISTINCT_MAX else None
    texts: dict[str, str] = {}
    if numbers and role in roles.BOUNDED:
        texts["min"], texts["max"] = cell_text_bounds(one)
        if role in roles.AVERAGED and one.total is not None:
            texts["avg"] = average_text(one.total, one.cells, column)
        if role in roles.SUMMABLE and one.total is not None:
            texts["sum"] = exact_text(one.total, column)
    elif column.type in ("date", "datetime") and one.cells:
        texts["min"], texts["max"] = str(one.minimum), str(one.maximum)
    return FieldProfile(
        name=column.name,
        type=column.type,
        role=role,
        unit=column.shown_unit,
        nulls=one.nulls,
        distinct=distinct,
        values=_values(one),
        is_enumeration=is_enumeration(one),
        coercion=column.coercion,
        label=column.label,
        **texts,
    )


def cell_text_bounds(one: FieldStatistics) -> tuple[str, str]:
    """Least and greatest number as statistics print them."""
    low, high = one.minimum, one.maximum
    assert isinstance(low, int | float)
    assert isinstance(high, int | float)
    return exact_text(low, one.column), exact_text(high, one.column)


def _values(one: FieldStatistics) -> tuple[ValueCount, ...] | None:
    """A column of one single value has its count too: the printed summary leaves it out, programs may want it."""
    single = (
        one.counts is not None
        and len(one.counts) == 1
        and (one.column.type in ("text", "boolean") or one.role in roles.CATEGORICAL)
    )
    if not single and not is_enumeration(one):
        return None
    values = [ValueCount(value, count) for value, count in ordered_counts(one)]
    if one.nulls:
        values.append(ValueCount(None, one.nulls))
    return tuple(values)


def _profile_group(
    fields: Sequence[FieldStatistics], axis: Axis, position: int, sums: Mapping[Typed, Total]
) -> GroupProfile:
    measure, by = fields[position].column, fields[axis.field].column
    groups: list[tuple[str, Total]]
    if by.type in ("number", "boolean"):
        groups = [(cell_text(key, by), total) for key, total in sums.items() if key is not None]
    else:
        groups = [pair for pair in sums.items() if pair[0] is not None]  # type: ignore[misc]
    # Two stable sorts: by value, then by sum.
    groups.sort()
    if axis.kind != "period":
        groups.sort(key=_sum_of, reverse=True)
    rest: GroupRest | None = None
    if axis.kind == "top":
        others = [total for _, total in groups[LEADERS:]]
        remainder = _add(others, measure.double)
        rest = GroupRest(len(others), exact_text(remainder, measure)) if others else None
        groups = groups[:LEADERS]
    totals = [total for _, total in groups]
    if measure.double:
        texts = [exact_text(total, measure) for total in totals]
    else:
        texts = scaled_texts(totals, measure.scale)  # type: ignore[arg-type]
    parts = list(map(GroupPart, [value for value, _ in groups], texts))
    if None in sums:
        parts.append(GroupPart(None, exact_text(sums[None], measure)))
    return GroupProfile(measure.name, by.name, axis.kind, axis.period, tuple(parts), rest)


def _sum_of(group: tuple[str, Total]) -> Total:
    return group[1]


def _add(totals: Sequence[Total], double: bool) -> Total:
    return add_doubles(totals) if double else sum(totals)
