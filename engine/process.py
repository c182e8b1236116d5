"""Processes a report: resolves what the reader chose, loads its sources, and computes everything beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from datasources.base import DataWarning
from engine.exceptions import QueryError
from engine.profile import AppliedFilter, Profile, ReportAggregate, ReportInfo
from engine.snapshot import Snapshot, materialize

if TYPE_CHECKING:
    from datasources.connections import Connections
    from datasources.elements import AggregateElement, ReportDefinition
    from datasources.parameters import ParameterValues, Resolved


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
    snapshot = materialize(bands, complete=complete)
    return replace(snapshot, profile=_with_definition(snapshot, definition, values))


def _with_definition(snapshot: Snapshot, definition: ReportDefinition, values: ParameterValues) -> Profile:
    aggregates, warnings = _aggregates(snapshot, definition.aggregates)
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
    snapshot: Snapshot, elements: tuple[AggregateElement, ...]
) -> tuple[list[ReportAggregate], list[DataWarning]]:
    """The report's aggregates, over the full data, and a warning for each without a value."""
    from engine.query.aggregate import Aggregate, aggregate_all, check

    questions = [Aggregate(one.band, one.verb, one.field, one.where) for one in elements]
    for one, question in zip(elements, questions, strict=True):
        try:
            check(snapshot, question)
        except QueryError as error:
            raise QueryError(f"The aggregate {one.id}: {error.message}") from error
    found: list[ReportAggregate] = []
    warnings: list[DataWarning] = []
    for one, answer in zip(elements, aggregate_all(snapshot, questions), strict=True):
        text = answer.text(one.decimals)
        found.append(ReportAggregate(one.id, text))
        if text is None:
            message = f"The aggregate {one.id} has no cells to take the {one.verb} of, and is null."
            warnings.append(DataWarning("empty_aggregate", message, one.band, one.field))
    return found, warnings
