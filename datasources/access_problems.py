"""Says what is wrong with the access rules of a report, as far as its definition tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from datasources.access_policy import AccessPolicy, RuleCondition, conditions_of
from datasources.access_rules import fold_name, tables_of
from datasources.endings import COMPRESSED_NAMES, JSON_NAMES, TEXT_NAMES
from datasources.exceptions import Problem
from datasources.suggestion import found_text, remedy

if TYPE_CHECKING:
    from datasources.elements import BandDefinition, DeclaredField, ReportDefinition, Source

WORKBOOK_NAMES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_ORDER = frozenset({">", ">=", "<", "<=", "between"})
_IN_TEXT = frozenset({"contains", "starts_with"})


def access_problems(definition: ReportDefinition) -> Iterator[Problem]:
    """Everything that the access rules of *definition* have wrong, each with its path."""
    policy = definition.access
    if policy is None:
        return
    bands = {band.name: band for band in definition.bands}
    yield from _row_problems(policy, bands, definition)
    yield from _column_problems(policy, bands, definition)
    yield from _shared_records(policy, definition)
    used = {band.datasource for band in definition.bands}
    for name, source in definition.datasources.items():
        if name in used:
            yield from _structure_problems(f"datasources.{name}", source)


def _row_problems(
    policy: AccessPolicy, bands: Mapping[str, BandDefinition], definition: ReportDefinition
) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, rule in enumerate(policy.rows):
        path = f"access.rows[{index}]"
        band = bands.get(rule.band)
        if band is None or band.datasource is None:
            yield _no_band(path, rule.band, bands)
            continue
        if rule.band in first:
            yield Problem(
                f"{path}.band",
                f"found {found_text(rule.band)}, which access.rows[{first[rule.band]}] is about too; join the two"
                ' by "and".',
            )
        first.setdefault(rule.band, index)
        fields = {field.name: field for field in band.fields}
        for condition in conditions_of(rule.where):
            wrong = _condition_problem(condition, fields, definition.datasources.get(band.datasource))
            if wrong is not None:
                yield Problem(f"{path}.where", wrong)


def _no_band(path: str, name: str, bands: Mapping[str, BandDefinition]) -> Problem:
    if name in bands:
        return Problem(
            f"{path}.band", f"found {found_text(name)}, a band without a datasource; it has no rows."
        )
    return Problem(f"{path}.band", f"found {found_text(name)}: {remedy(name, bands, noun='band')}")


def _condition_problem(
    condition: RuleCondition, fields: Mapping[str, DeclaredField], source: Source | None
) -> str | None:
    """What cannot be meant, whoever asks."""
    name = condition.field
    declared = fields.get(name)
    if declared is None and source is not None and _holds_records(source):
        return f"“{name}” is not declared, and records name no columns; declare the field in its band."
    kind = None if declared is None else _kind_of(declared)
    if kind is None and condition.op in _ORDER:
        return f"“{name}” has no declared type, and texts have no order that is meant; declare the type in its band."
    if kind not in (None, "text") and condition.op in _IN_TEXT:
        return f"{condition.op} looks into texts, and “{name}” is declared {kind}."
    if kind == "boolean" and condition.op in _ORDER:
        return f"“{name}” is declared boolean, and {condition.op} needs an order."
    return None


def _kind_of(field: DeclaredField) -> str | None:
    return "number" if field.type is None and field.role not in (None, "id") else field.type


def _holds_records(source: Source) -> bool:
    return source.kind == "inline" or (source.kind == "file" and _ending(source.path) in JSON_NAMES)


def _column_problems(
    policy: AccessPolicy, bands: Mapping[str, BandDefinition], definition: ReportDefinition
) -> Iterator[Problem]:
    first: dict[tuple[str, str], int] = {}
    for index, rule in enumerate(policy.columns):
        path = f"access.columns[{index}]"
        band = bands.get(rule.band)
        if band is None or band.datasource is None:
            yield _no_band(path, rule.band, bands)
            continue
        name = fold_name(rule.field)
        if (rule.band, name) in first:
            other = first[rule.band, name]
            yield Problem(
                f"{path}.field",
                f"found {found_text(rule.field)}, which access.columns[{other}] is about too; a field is hidden, or"
                " masked in one way.",
            )
        first.setdefault((rule.band, name), index)
        declared = {fold_name(field.name): field for field in band.fields}
        known = declared.get(name)
        if known is None and _holds_records(definition.datasources[band.datasource]):
            yield Problem(
                f"{path}.field",
                f"found {found_text(rule.field)}, which is not declared, and records name no columns; declare the"
                " field in its band.",
            )
        if known is not None and known.pii is not None and rule.mask not in (None, known.pii):
            yield Problem(
                f"{path}.mask",
                f"found {found_text(rule.mask)}, and the field is declared {known.pii}; it is masked in one way.",
            )


def _shared_records(policy: AccessPolicy, definition: ReportDefinition) -> Iterator[Problem]:
    """Records are cut before bands are made of them, so that bands that share them share their rule."""
    wheres = {rule.band: rule.where for rule in policy.rows}
    tables = tables_of(definition)
    first: dict[tuple[str, str | None], str] = {}
    for index, band in enumerate(definition.bands):
        source = definition.datasources.get(band.datasource or "")
        if band.datasource is None or source is None or not _holds_records(source):
            continue
        other = first.setdefault((band.datasource, tables[band.name]), band.name)
        if wheres.get(other) != wheres.get(band.name):
            yield Problem(
                f"bands[{index}].datasource",
                f"found {found_text(band.datasource)}, from which the band {other} draws the same records under"
                " another row rule; declare a datasource for each.",
            )


# ---- structure ----


def _structure_problems(path: str, source: Source) -> Iterator[Problem]:
    if source.kind != "file":
        return
    ending = _ending(source.path)
    needed: Sequence[str] = ()
    if ending in TEXT_NAMES:
        needed = ("encoding", "delimiter", "header", "totals")
    elif ending in WORKBOOK_NAMES:
        needed = ("header", "totals")
    for key in needed:
        if getattr(source, key) is None:
            yield Problem(
                f"{path}.{key}",
                "is missing; with access rules nothing is guessed from rows that a viewer may not see, so declare it.",
            )
    if needed and source.header is False:
        if ending in WORKBOOK_NAMES:
            yield Problem(f"{path}.header", "found false; with access rules a workbook needs a header.")
        elif not source.columns:
            yield Problem(
                f"{path}.columns", "is missing; with access rules a file without a header needs their names."
            )


def _ending(path: str) -> str:
    name = PurePosixPath(path.lower())
    return PurePosixPath(name.stem).suffix if name.suffix in COMPRESSED_NAMES else name.suffix
