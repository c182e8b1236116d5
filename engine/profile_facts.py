"""Lists every number and date that a data context prints outside its rows, as facts, in rendering order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from engine.fact import Fact, FactKind, GroupKey
from engine.facts import number_text
from engine.profile import TOTAL, BandProfile, FieldProfile, GroupProfile, Profile, ReportAggregate
from engine.summary import GROUP_NUMBERS_MAX, statistics_of, summary_of
from engine.withheld import WithheldBand, WithheldField, WithheldGroup

if TYPE_CHECKING:
    from datasources.filters import Filter

STATED = "AGGREGATE"
"""The verb of a report aggregate of which nobody knows how it was computed."""

_NUMERIC_VERBS = frozenset({"SUM", "AVG", "COUNT", TOTAL})


def profile_facts(
    profile: Profile, snapshot_id: str | None = None, *, group_numbers_max: int = GROUP_NUMBERS_MAX
) -> tuple[Fact, ...]:
    """
    The facts of the schema and of the report's aggregates (spec 5 and 6), of the snapshot *snapshot_id*.

    They are those of the whole context: what a budget of tokens leaves out (spec 8) is among them, so that the
    ids in a ledger do not depend on it. What the budget of *group_numbers_max* numbers leaves out is not.
    """
    found: list[Fact] = []
    for band in profile.bands:
        fields = {one.name: one for one in band.fields}
        found += _BandFacts(band, fields, snapshot_id).all(group_numbers_max)
    for one in profile.aggregates:
        found += _aggregate_facts(one, profile, snapshot_id)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _BandFacts:
    band: BandProfile
    fields: Mapping[str, FieldProfile]
    snapshot: str | None

    def all(self, numbers_max: int) -> Iterator[Fact]:
        """The row count, and what the summary prints."""
        if isinstance(self.band, WithheldBand) and self.band.is_few:
            return
        summary = summary_of(self.band, numbers_max)
        yield self.fact("COUNT", str(self.band.rows), rows=self.band.rows)
        for position in (*summary.numbers, *summary.dates):
            yield from self.statistics(self.band.fields[position])
        for position in summary.counts:
            yield from self.counts(self.band.fields[position])
        for group in summary.groups:
            yield from self.sums(group)

    def statistics(self, one: FieldProfile) -> Iterator[Fact]:
        """SUM, AVG, MIN, MAX and NULLS of a number, MIN and MAX of a date."""
        for verb, value in statistics_of(one):
            if verb == "NULLS":
                yield self.fact(verb, value, field=one.name, rows=self.band.rows)
            else:
                yield self.fact(verb, value, one.type, field=one.name, unit=one.unit, rows=self.band.rows)

    def counts(self, one: FieldProfile) -> Iterator[Fact]:
        """The rows of each value of an enumeration."""
        for item in one.values or ():
            key = GroupKey(one.name, item.value)
            yield self.fact("COUNT", str(item.count), group=key, rows=item.count)
        if isinstance(one, WithheldField) and one.rest is not None:
            key = GroupKey(one.name, None, withheld=True)
            yield self.fact("COUNT", str(one.rest), group=key, rows=one.rest)

    def sums(self, group: GroupProfile) -> Iterator[Fact]:
        """The sum of each group of a list, and of its rest."""
        unit = self.fields[group.measure].unit
        counts = self.rows_by_value(group)
        for part in group.parts:
            key = GroupKey(group.by, part.value, group.period)
            rows = counts.get(part.value)
            yield self.fact("SUM", part.sum, field=group.measure, unit=unit, group=key, rows=rows)
        if group.rest is not None:
            key = GroupKey(group.by, None, group.period, others=group.rest.values)
            yield self.fact("SUM", group.rest.sum, field=group.measure, unit=unit, group=key)
        if isinstance(group, WithheldGroup) and group.unnamed is not None:
            key = GroupKey(group.by, None, group.period, withheld=True)
            yield self.fact("SUM", group.unnamed, field=group.measure, unit=unit, group=key)

    def rows_by_value(self, group: GroupProfile) -> dict[str | None, int]:
        """Rows of each group, where an enumeration has counted them."""
        if group.kind != "enum":
            return {}
        return {item.value: item.count for item in self.fields[group.by].values or ()}

    def fact(
        self,
        verb: str,
        value: str,
        kind: FactKind = "number",
        *,
        field: str | None = None,
        unit: str | None = None,
        group: GroupKey | None = None,
        rows: int | None = None,
    ) -> Fact:
        """A fact of this band."""
        groups = () if group is None else (group,)
        return Fact(value, kind, verb, self.band.name, field, unit, groups, None, rows, self.snapshot)


def _aggregate_facts(one: ReportAggregate, profile: Profile, snapshot: str | None) -> Iterator[Fact]:
    """The fact of a report aggregate; none where it has no value."""
    if one.value is None:
        return
    band, field = _place(one, profile)
    kind = _aggregate_kind(one, field)
    yield Fact(
        number_text(Decimal(one.value)) if kind == "number" else one.value,
        kind,
        one.verb or STATED,
        one.band if band is None else band.name,
        one.field,
        None if field is None or one.verb == "COUNT" else field.unit,
        (),
        _filter(one.where),
        one.rows,
        snapshot,
        label=one.id,
    )


def _place(one: ReportAggregate, profile: Profile) -> tuple[BandProfile | None, FieldProfile | None]:
    """The band and the field that the aggregate is about, where the profile has them."""
    try:
        band = profile.band(one.band) if one.band is not None else None
    except KeyError:
        return None, None
    try:
        return band, band.field(one.field) if band is not None and one.field is not None else None
    except KeyError:
        return band, None


def _aggregate_kind(one: ReportAggregate, field: FieldProfile | None) -> FactKind:
    if one.verb in _NUMERIC_VERBS:
        return "number"
    if field is not None:
        return field.type
    return "number" if _is_number(one.value or "") else "text"


def _is_number(text: str) -> bool:
    try:
        return text.isascii() and Decimal(text).is_finite()
    except InvalidOperation:
        return False


def _filter(text: str | None) -> Filter | None:
    if text is None:
        return None
    from engine.filter_json import read_filter_json

    return read_filter_json(text)
