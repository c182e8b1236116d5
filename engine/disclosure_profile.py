"""
Leaves of a profile what small groups allow: each list is asked for as a reader would, and counts as published.

The numbers of rows and the totals come first, then the lists in the order in which they are read, then single rows'
values (`MIN`, `MAX`), of which few can be shown and which might stand in the way of a list.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from datasources.base import DataWarning
from engine.disclosure import Disclosure
from engine.disclosure_answers import withheld_aggregate
from engine.disclosure_groups import withheld_group_by
from engine.exceptions import QueryError
from engine.filter_json import read_filter_json
from engine.profile import (
    LEADERS,
    TOTAL,
    BandProfile,
    FieldProfile,
    GroupPart,
    GroupProfile,
    GroupRest,
    ReportAggregate,
    ValueCount,
)
from engine.query.questions import Aggregate, GroupBy, Verb
from engine.query.session import Limits, QuerySession
from engine.withheld import WithheldBand, WithheldField, WithheldGroup, WithheldProfile

if TYPE_CHECKING:
    from engine.query.group_by import GroupByAnswer
    from engine.snapshot import Snapshot


def withhold(snapshot: Snapshot, disclosure: Disclosure) -> WithheldProfile:
    """
    The profile of *snapshot* for the viewer of *disclosure*; what it tells is published from then on.

    The same again for the same two. It needs DuckDB, also for small reports. Raises EngineError where *disclosure*
    is of another snapshot, and what reading the rows raises.
    """
    with disclosure.lock:
        if "profile" not in disclosure.kept:
            for index in range(len(snapshot.bands)):
                disclosure.of_band(snapshot, index)
            with QuerySession(snapshot, Limits(time_s=None), disclosure) as session:
                disclosure.kept["profile"] = _withhold(session, disclosure)
        found: WithheldProfile = disclosure.kept["profile"]
        return found


def _withhold(session: QuerySession, disclosure: Disclosure) -> WithheldProfile:
    profile = session.snapshot.profile
    for index, one in enumerate(session.snapshot.bands):
        session.need(index, frozenset(range(len(one.columns))))
    bands = tuple(_Withholding(session, disclosure, band).band() for band in profile.bands)
    stated = [(one, _stated(session, disclosure, one)) for one in profile.aggregates]
    return WithheldProfile(
        bands,
        tuple(replace(one, value=None, rows=None) if kept is None else kept for one, kept in stated),
        tuple(_without_cells(one) for one in profile.warnings),
        profile.info,
        profile.filters,
        disclosure.k,
        frozenset(one.id for one, kept in stated if kept is None),
    )


def _stated(session: QuerySession, disclosure: Disclosure, one: ReportAggregate) -> ReportAggregate | None:
    """What the report itself states, with the number of its rows; None where that is withheld."""
    if one.value is None or one.verb is None:
        return None
    verb: Verb = "SUM" if one.verb == TOTAL else one.verb  # type: ignore[assignment]  # the verb of a definition
    where = None if one.where is None else read_filter_json(one.where)
    try:
        found = withheld_aggregate(
            session, Aggregate(one.band, verb, one.field, where), disclosure, asked=False
        )
    except QueryError:  # a document may state the total of what cannot be added up
        return None
    return None if found.fact is None else replace(one, rows=None if one.rows is None else found.rows)


def _without_cells(warning: DataWarning) -> DataWarning:
    """A warning shows single cells, and counts them."""
    message = f"{warning.code.replace('_', ' ').capitalize()}: the cells are withheld."
    return DataWarning(warning.code, message, warning.band, warning.field)


@dataclass(frozen=True, slots=True)
class _Withholding:
    """What is left of one band."""

    session: QuerySession
    disclosure: Disclosure
    facts: BandProfile

    def band(self) -> WithheldBand:
        """The band with the facts that may be told."""
        facts, k = self.facts, self.disclosure.k
        bare = tuple(_bare(one) for one in facts.fields)
        if facts.rows < k:
            return WithheldBand(facts.name, facts.names, 0, bare, (), (), k, is_few=True)
        told = [self.totals(one, field) for one, field in zip(facts.fields, bare, strict=True)]
        told = [self.counts(one, field) for one, field in zip(facts.fields, told, strict=True)]
        lists = [self.sums(one) for one in facts.groups]
        told = [self.edges(one, field) for one, field in zip(facts.fields, told, strict=True)]
        shown = tuple(one for one in lists if one.parts)
        withheld = tuple(one for one in lists if not one.parts)
        return WithheldBand(facts.name, facts.names, facts.rows, tuple(told), shown, (), k, lists=withheld)

    def totals(self, one: FieldProfile, told: WithheldField) -> WithheldField:
        """Its sum and average, and how many nulls it has."""
        total = self.value("SUM", one.name) if one.sum is not None else None
        average = self.value("AVG", one.name) if one.avg is not None else None
        nulls = one.nulls
        if nulls and (one.type != "number" or self.value("COUNT", one.name) is None):
            nulls = 0
        known = (
            ("SUM", one.sum, total),
            ("AVG", one.avg, average),
            ("NULLS", one.nulls or None, nulls or None),
        )
        withheld = tuple(verb for verb, fact, left in known if fact is not None and left is None)
        return replace(told, sum=total, avg=average, nulls=nulls, withheld=withheld)

    def edges(self, one: FieldProfile, told: WithheldField) -> WithheldField:
        """Its least and greatest value."""
        low = self.value("MIN", one.name) if one.min is not None else None
        high = self.value("MAX", one.name) if one.max is not None else None
        known = (("MIN", one.min, low), ("MAX", one.max, high))
        withheld = tuple(verb for verb, fact, left in known if fact is not None and left is None)
        return replace(told, min=low, max=high, withheld=(*told.withheld, *withheld))

    def counts(self, one: FieldProfile, told: WithheldField) -> WithheldField:
        """The values of an enumeration that have a name, and the rows of the others."""
        if one.values is None:
            return told
        answer = self.groups(GroupBy(self.facts.name, (one.name,), "COUNT"))
        named = [group for group in answer.groups if not group.keys[0].withheld]
        if not named:
            return replace(told, withheld=(*told.withheld, "COUNT"))
        values = tuple(ValueCount(group.keys[0].value, group.rows) for group in named)
        rest = [group.rows for group in answer.groups if group.keys[0].withheld]
        return replace(told, values=values, is_enumeration=one.is_enumeration, rest=rest[0] if rest else None)

    def sums(self, one: GroupProfile) -> WithheldGroup:
        """The list of sums without groups that have no name; without parts where it is withheld as a whole."""
        top = LEADERS if one.kind == "top" else None
        answer = self.groups(GroupBy(self.facts.name, (one.by,), "SUM", one.measure, top, period=one.period))
        left = WithheldGroup(one.measure, one.by, one.kind, one.period, ())
        parts: list[GroupPart] = []
        for group in answer.groups:
            key, total = group.keys[0], "" if group.fact is None else group.fact.value
            if key.withheld:
                left = replace(left, unnamed=total or None)
            elif key.others:
                left = replace(left, rest=GroupRest(key.others, total))
            else:
                parts.append(GroupPart(key.value, total))
        return replace(left, parts=tuple(parts))

    def value(self, verb: Verb, field: str) -> str | None:
        """The value of *verb* over the whole band."""
        question = Aggregate(self.facts.name, verb, field)
        found = withheld_aggregate(self.session, question, self.disclosure)
        return None if found.fact is None else found.fact.value

    def groups(self, question: GroupBy) -> GroupByAnswer:
        """The answer to *question*."""
        return withheld_group_by(self.session, question, self.disclosure)


def _bare(one: FieldProfile) -> WithheldField:
    """A field of which only its name and its type are told."""
    coercion = None if one.coercion is None else replace(one.coercion, evidence={})
    nothing = {"nulls": 0, "distinct": None, "values": None, "is_enumeration": False}
    kept = {name: getattr(one, name) for name in _NAMES if name not in nothing}
    return WithheldField(
        **{**kept, **nothing, **dict.fromkeys(("sum", "avg", "min", "max")), "coercion": coercion}
    )


_NAMES = tuple(one.name for one in fields(FieldProfile))
