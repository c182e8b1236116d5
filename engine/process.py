"""Processes a report: resolves what the reader chose, loads its sources, and computes everything beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from datasources.base import DataWarning
from engine.compared import declare_compared
from engine.exceptions import EngineError, QueryError
from engine.filter_json import filter_json
from engine.profile import AppliedFilter, Profile, ReportAggregate, ReportInfo
from engine.snapshot import Snapshot, materialize

if TYPE_CHECKING:
    from datasources.connections import Connections
    from datasources.elements import AggregateElement, ReportDefinition
    from datasources.parameters import ParameterValues, Resolved
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
) -> Snapshot:
    """
    The snapshot of *definition* with the values *params* that a reader chose for its parameters.

    Its profile has the report's name, the filters that were applied and the report's own aggregates beside the
    facts of the bands. Files are found under *roots*, databases by *connections*, tables of the calling program
    in *frames*; *complete* as for `materialize`. Raises `datasources.SourceError` (ParameterError, DefinitionError
    among them) and, for an aggregate that the data do not allow, QueryError.
    """
    from datasources.parameters import resolve
    from datasources.report import SOURCE_TIMEOUT_S, load_report

    values = resolve(definition, params or {})
    bands = load_report(
        definition,
        values,
        roots=roots,
        connections=connections,
        frames=frames,
        source_timeout_s=SOURCE_TIMEOUT_S if source_timeout_s is None else source_timeout_s,
    )
    snapshot = materialize(declare_compared(bands, definition.aggregates), complete=complete)
    return replace(snapshot, profile=_with_definition(snapshot, definition, values))


def _with_definition(snapshot: Snapshot, definition: ReportDefinition, values: ParameterValues) -> Profile:
    aggregates, warnings = _aggregates(snapshot, definition)
    profile = snapshot.profile
    return replace(
        profile,
        # What the report states stands before the total rows of its data.
        aggregates=(*aggregates, *profile.aggregates),
        warnings=(*profile.warnings, *warnings),
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
    snapshot: Snapshot, definition: ReportDefinition
) -> tuple[list[ReportAggregate], list[DataWarning]]:
    """The report's aggregates, over the full data, and a warning for each without a value."""
    from engine.query.aggregate import check, measure_all
    from engine.query.questions import Aggregate

    elements = definition.aggregates
    questions = [Aggregate(one.band, one.verb, one.field, one.where) for one in elements]
    for one, question in zip(elements, questions, strict=True):
        try:
            check(snapshot, question)
        except QueryError as error:
            undeclared = _undeclared(one, definition, error)
            raise AggregateRefused(one, error, undeclared) from error
    found: list[ReportAggregate] = []
    warnings: list[DataWarning] = []
    for one, answer in zip(elements, measure_all(snapshot, questions), strict=True):
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
