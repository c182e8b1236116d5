"""Gathers every precomputed fact of a report: schema, enumerations, statistics, group sums (spec 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

from datasources.base import DataWarning, FieldType, Role
from engine import roles
from engine.columns import Coercion, ColumnType, Typed
from engine.enums import ordered_counts
from engine.facts import add_doubles, average_text, cell_text, decimals_text, exact_text, scaled_texts
from engine.statistics import (
    DISTINCT_MAX,
    Axis,
    BandStatistics,
    FieldStatistics,
    PeriodUnit,
    Total,
    is_enumeration,
)

if TYPE_CHECKING:
    from engine.band import Band

LEADERS = 5
"""How many of the largest sums a leader list names before the rest (spec 5.6)."""
TOTAL = "TOTAL"
"""The verb of what a total row of the band states."""


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
    masked: bool = False
    """Whether the cells are pseudonyms: they are neither listed nor summed by."""

    @property
    def is_identity(self) -> bool:
        """Whether no value repeats, null counted as a value, so that counts say nothing."""
        if not self.values:
            return True
        # The most frequent value stands first, the nulls last.
        return self.values[0].count == 1 == self.values[-1].count

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
    verb: str | None = None
    """What it is of *field*: `SUM`, …, or `TOTAL` of a total row, which need not be the sum of the others."""
    band: str | None = None
    field: str | None = None
    where: str | None = None
    """The filter of the rows that it is about, as JSON text (`engine/filter_json`)."""
    rows: int | None = None
    """How many rows those are, where they were counted."""


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
            label = f"total.{band.name}.{column.name}"
            found.append(ReportAggregate(label, decimals_text(value), TOTAL, band.name, column.name))
    return found


def _profile_band(band: Band) -> BandProfile:
    statistics = band.statistics
    fields = tuple([_profile_field(one) for one in statistics.fields])
    groups = tuple(_profile_groups(statistics))
    return BandProfile(band.name, band.names, statistics.rows, fields, groups, band.raw.notes)


def _profile_field(one: FieldStatistics) -> FieldProfile:
    column, role = one.column, one.role
    is_few = is_enumeration(one)
    total, average, low, high = _bounds(one)
    return FieldProfile(
        column.name,
        column.type,
        role,
        column.shown_unit,
        one.nulls,
        len(one.counts) if one.counts is not None and len(one.counts) <= DISTINCT_MAX else None,
        _values(one) if is_few or _is_single(one) else None,
        is_few,
        total,
        average,
        low,
        high,
        column.coercion,
        column.label,
        column.masked,
    )


def _bounds(one: FieldStatistics) -> tuple[str | None, str | None, str | None, str | None]:
    """Sum, average, least and greatest value, so far as they say something of the column."""
    column = one.column
    if not one.cells:
        return None, None, None, None
    if column.type in ("date", "datetime"):
        return None, None, str(one.minimum), str(one.maximum)
    if one.role not in roles.BOUNDED:
        return None, None, None, None
    low, high = cell_text_bounds(one)
    if one.total is None or one.role not in roles.AVERAGED:
        return None, None, low, high
    total = exact_text(one.total, column) if one.role in roles.SUMMABLE else None
    return total, average_text(one.total, one.cells, column), low, high


def cell_text_bounds(one: FieldStatistics) -> tuple[str, str]:
    """Least and greatest number as statistics print them."""
    low, high = one.minimum, one.maximum
    assert isinstance(low, int | float)
    assert isinstance(high, int | float)
    return exact_text(low, one.column), exact_text(high, one.column)


def _is_single(one: FieldStatistics) -> bool:
    """A column of one single value has its count too: the printed summary leaves it out, programs may want it."""
    if one.counts is None or one.column.masked or len(one.counts) != 1:
        return False
    return one.column.type in ("text", "boolean") or one.role in roles.CATEGORICAL


def _values(one: FieldStatistics) -> tuple[ValueCount, ...]:
    values = [ValueCount(value, count) for value, count in ordered_counts(one)]
    if one.nulls:
        values.append(ValueCount(None, one.nulls))
    return tuple(values)


def _profile_groups(statistics: BandStatistics) -> Iterator[GroupProfile]:
    """
    The groups of every axis in rendering order, measures in column order within each.

    Whoever summed them did so in that order, and gave all measures of an axis the same groups.
    """
    fields = statistics.fields
    for axis, summed in groupby(statistics.sums.items(), key=_axis_of):
        by = fields[axis.field].column
        texts: dict[Typed, str] = {}
        for (_, position), sums in summed:
            texts = texts or _texts_of(sums, by)
            yield _profile_group(fields[position].column, by, axis, texts, sums)


def _axis_of(item: tuple[tuple[Axis, int], Mapping[Typed, Total]]) -> Axis:
    return item[0][0]


def _texts_of(groups: Iterable[Typed], by: ColumnType) -> dict[Typed, str]:
    """How each group but that of the nulls is written, by text."""
    keys = [key for key in groups if key is not None]
    if by.type not in ("number", "boolean"):
        return {text: text for text in sorted(keys)}  # type: ignore[misc]
    return {key: text for text, key in sorted([(cell_text(key, by), key) for key in keys])}


def _profile_group(
    measure: ColumnType, by: ColumnType, axis: Axis, texts: Mapping[Typed, str], sums: Mapping[Typed, Total]
) -> GroupProfile:
    """The *sums* of one measure; *texts* are its groups by text, without that of the nulls."""
    keys = list(texts)
    if axis.kind != "period":
        keys.sort(key=sums.__getitem__, reverse=True)  # equal sums stay by text
    rest: GroupRest | None = None
    if axis.kind == "top":
        others = [sums[key] for key in keys[LEADERS:]]
        remainder = _add(others, measure.double)
        rest = GroupRest(len(others), exact_text(remainder, measure)) if others else None
        keys = keys[:LEADERS]
    totals = _sum_texts(list(map(sums.__getitem__, keys)), measure)
    parts = tuple(map(GroupPart, map(texts.__getitem__, keys), totals))
    if None in sums:
        parts += (GroupPart(None, exact_text(sums[None], measure)),)
    return GroupProfile(measure.name, by.name, axis.kind, axis.period, parts, rest)


def _sum_texts(totals: Sequence[Total], measure: ColumnType) -> list[str]:
    if measure.double:
        return [exact_text(total, measure) for total in totals]
    return scaled_texts(totals, measure.scale)  # type: ignore[arg-type]


def _add(totals: Sequence[Total], double: bool) -> Total:
    return add_doubles(totals) if double else sum(totals)
