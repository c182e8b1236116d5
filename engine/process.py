"""Processes a report: resolves what the reader chose, loads its sources, and computes everything beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from datasources.access import Access
from datasources.base import DataWarning
from engine.compared import declare_compared
from engine.exceptions import EngineError, QueryError
from engine.filter_json import filter_json
from engine.profile import AppliedFilter, Profile, ReportAggregate, ReportInfo
from engine.row_tests import compile_test
from engine.snapshot import Snapshot, materialize

if TYPE_CHECKING:
    from datasources.access import Viewer
    from datasources.base import RawBand
    from datasources.connections import Connections
    from datasources.elements import AggregateElement, ReportDefinition
    from datasources.mask_key import MaskKey
    from datasources.parameters import ParameterValues, Resolved
    from engine.disclosure import Disclosure
    from engine.notes import Language


def process_report(
    definition: ReportDefinition,
    params: Mapping[str, object] | None = None,
    *,
    roots: Mapping[str, Path] | None = None,
    connections: Connections | None = None,
    frames: Mapping[str, object] | None = None,
    complete: bool = True,
    source_timeout_s: float | None = None,
    viewer: Viewer | None = None,
    key: MaskKey | None = None,
    disclosure: Disclosure | None = None,
) -> Snapshot:
    """
    The snapshot of *definition* with the values *params* that a reader chose for its parameters.

    Its profile has the report's name, the filters that were applied and the report's own aggregates beside the
    facts of the bands. Files are found under *roots*, databases by *connections*, tables of the calling program
    in *frames*; *complete* as for `materialize`. Raises `datasources.SourceError` (ParameterError, DefinitionError
    among them) and, for an aggregate that the data do not allow, QueryError.

    With access rules it is the snapshot of what *viewer* may see, masked under the *key* of their workspace, and
    nothing else has a part in it; AccessError without a viewer, and for a viewer of a report without rules, unless
    it is public. Where the rules withhold small groups, *disclosure* is what this viewer was told of this snapshot
    before; without it, nothing.
    """
    from datasources.access import check_access
    from datasources.parameters import resolve
    from datasources.report import SOURCE_TIMEOUT_S, load_report

    check_access(definition, viewer)
    access = None if viewer is None else Access(viewer, compile_test, key)
    values = resolve(definition, params or {})
    bands = load_report(
        definition,
        values,
        roots=roots,
        connections=connections,
        frames=frames,
        source_timeout_s=SOURCE_TIMEOUT_S if source_timeout_s is None else source_timeout_s,
        access=access,
    )
    withheld = _withheld(definition, access, bands)
    shown = [one for one in definition.aggregates if one.id not in withheld]
    snapshot = materialize(declare_compared(bands, shown), complete=complete)
    return replace(
        snapshot,
        profile=_with_definition(snapshot, definition, values, withheld),
        disclosure=_disclosure(definition, access, disclosure),
    )


def _disclosure(
    definition: ReportDefinition, access: Access | None, disclosure: Disclosure | None
) -> Disclosure | None:
    """What the viewer was told, where groups of fewer rows than the rules say are withheld."""
    k = definition.access.small_groups if definition.access is not None and access is not None else None
    if k is None:
        return disclosure
    from engine.disclosure import Disclosure as Told

    if disclosure is not None and disclosure.k < k:
        raise EngineError(f"The report withholds groups of fewer than {k} rows: its Disclosure has k = {k}.")
    return disclosure or Told(k)


def _withheld(
    definition: ReportDefinition, access: Access | None, bands: Sequence[RawBand]
) -> frozenset[str]:
    """
    The aggregates of the report that this viewer is not told: over a field, or by a filter of one, that they do not
    see as it is. The report and the viewer say which, and beside them only what was found out to be personal data:
    over pseudonyms a filter would count nothing, which were a lie.
    """
    if definition.access is None or access is None:
        return frozenset()
    from datasources.access_rules import views_of
    from datasources.filters import fields_of

    views = views_of(definition, access)
    masked = {band.name: {name for name, said in band.declared.items() if said.masked} for band in bands}
    found = set()
    for one in definition.aggregates:
        view = views[one.band]
        asked = {one.field} | (set() if one.where is None else fields_of(one.where))
        is_unseen = any(
            name is not None and (name in masked.get(one.band, ()) or view.is_unseen(name)) for name in asked
        )
        if is_unseen or (one.where is not None and view.asks_for_masked(one.where)):
            found.add(one.id)
    return frozenset(found)


def _with_definition(
    snapshot: Snapshot, definition: ReportDefinition, values: ParameterValues, withheld: frozenset[str]
) -> Profile:
    from datasources.definition_doubts import idle_warnings

    aggregates, warnings = _aggregates(snapshot, definition, withheld)
    profile = snapshot.profile
    return replace(
        profile,
        # What the report states stands before the total rows of its data.
        aggregates=(*aggregates, *profile.aggregates),
        warnings=(*profile.warnings, *warnings, *idle_warnings(definition, values)),
        info=ReportInfo(definition.name, definition.id, definition.description),
        filters=tuple(_applied(one) for one in values),
    )


def _applied(one: Resolved) -> AppliedFilter:
    if one.value is None:
        texts: tuple[str, ...] = ()
    else:
        texts = one.value if isinstance(one.value, tuple) else (one.text,)
    parameter = one.parameter
    note: Literal["default"] | None = "default" if one.source == "default" else None
    return AppliedFilter(parameter.label, parameter.id, parameter.type, texts, note)


def _aggregates(
    snapshot: Snapshot, definition: ReportDefinition, withheld: frozenset[str]
) -> tuple[list[ReportAggregate], list[DataWarning]]:
    """The report's aggregates, over all data of the snapshot, and a warning for each without a value."""
    from engine.query.aggregate import check, measure_all
    from engine.query.questions import Aggregate

    elements = [one for one in definition.aggregates if one.id not in withheld]
    questions = [Aggregate(one.band, one.verb, one.field, one.where) for one in elements]
    for one, question in zip(elements, questions, strict=True):
        try:
            check(snapshot, question)
        except QueryError as error:
            undeclared = _undeclared(one, definition, error)
            raise AggregateRefused(one, error, undeclared) from error
    found: list[ReportAggregate] = []
    warnings: list[DataWarning] = []
    answers = iter(measure_all(snapshot, questions))
    for one in definition.aggregates:
        if one.id in withheld:
            # Of the field not even the name: for this viewer there is none.
            found.append(ReportAggregate(one.id, None, one.verb, one.band))
            message = f"The aggregate {one.id} is not shown to this viewer, and is null."
            warnings.append(DataWarning("withheld_aggregate", message, one.band))
            continue
        answer = next(answers)
        text = answer.text(one.decimals)
        where = None if one.where is None else filter_json(one.where)
        found.append(ReportAggregate(one.id, text, one.verb, one.band, one.field, where, answer.rows))
        if text is None:
            message = f"The aggregate {one.id} has no cells to take the {one.verb} of, and is null."
            warnings.append(DataWarning("empty_aggregate", message, one.band, one.field))
    return found, warnings


class AggregateRefused(QueryError):
    """An aggregate of the report that the data do not allow; the message names it, and what to declare."""

    def __init__(self, element: AggregateElement, cause: QueryError, undeclared: str | None) -> None:
        self.element = element
        self.cause = cause
        self.undeclared = undeclared
        self.code = cause.code
        self.values = cause.values
        EngineError.__init__(self, self.text("en"))

    def text(self, language: Language) -> str:
        """The message, what was wrong in *language*."""
        text = f"The aggregate {self.element.id}: {self.cause.text(language)}"
        if self.undeclared is None:
            return text
        # Undeclared, a field's type depends on its cells, and those may depend on what the reader chose.
        return f"{text} Or declare the type of “{self.undeclared}” in the fields of the band {self.element.band}."


def _undeclared(one: AggregateElement, definition: ReportDefinition, error: QueryError) -> str | None:
    """The field of the filter of *one* that *error* is about, if the report declares no type for it."""
    from datasources.filters import fields_of

    if one.where is None:
        return None
    declared = {
        field.name
        for band in definition.bands
        if band.name == one.band
        for field in band.fields
        if field.type is not None
    }
    asked = sorted(fields_of(one.where) - declared - {one.field})
    return next((name for name in asked if f"“{name}”" in error.message), None)
