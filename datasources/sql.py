"""Reads a band with a query of a report: checked, its parameters bound, and run where nothing can be written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from datasources.exceptions import Problem, QueryRefused, SourceError
from datasources.sql_base import Argument, ArgumentType, BoundQuery, Reading, SqlLimits, StoredCheck
from datasources.sql_patterns import LikePattern
from datasources.sql_template import Slot, Template, parse_template

if TYPE_CHECKING:
    import pyarrow as pa
    from sqlglot import exp

    from datasources.base import DataWarning, RawBand
    from datasources.connections import Connection, ConnectionKind, Connections
    from datasources.elements import Parameter, ParameterType, ReportDefinition, SqlSource
    from datasources.parameters import ParameterValues, Resolved
    from datasources.secured_records import VisibleRecords
    from datasources.sql_check import CheckedSelect, SlotUse

__all__ = ["SqlLimits", "check_source", "look_for_table", "query_problems", "read_sql", "tables_of"]


def read_sql(
    source: SqlSource,
    name: str,
    values: ParameterValues,
    connections: Connections,
    *,
    limits: SqlLimits | None = None,
    visible: VisibleRecords | None = None,
) -> RawBand:
    """
    Run the query of *source* with *values* bound, and hand its rows on as the band *name*, those that are *visible*.

    Raises QueryRefused for what is not one plain SELECT, SourceTooLarge and SourceTimeout past *limits*, and
    other SourceErrors for what the database says; none of them shows a secret or a cell.
    """
    from datasources.arrow import band_from_table

    limits = limits or SqlLimits()
    connection = connections[source.connection]
    parameters = {resolved.parameter.id: resolved.parameter for resolved in values.values.values()}
    checked = _checked(source, connection, parameters)
    query = _bind(checked, values.values, connection.name)
    table, warnings = _driver(connection, connections, query, Reading(source.connection, limits, visible))
    band = band_from_table(table, name, as_stream=visible is not None)
    return replace(
        band,
        warnings=(*band.warnings, *(replace(one, band=name) for one in warnings)),
        # DuckDB's own types depend on no cell, so that its rows are left to whoever cuts tables.
        secured=visible is not None and connection.kind != "duckdb",
    )


def check_source(source: SqlSource, connection: Connection, parameters: Mapping[str, Parameter]) -> None:
    """
    Check a query without running it, such as when its definition is saved.

    *parameters* are those that the definition declares, by id. Raises QueryRefused.
    """
    _checked(source, connection, parameters)


def tables_of(
    source: SqlSource, connection: Connection, parameters: Mapping[str, Parameter]
) -> tuple[str, ...]:
    """The tables that a query reads, each once and as it is written there. Raises QueryRefused."""
    from datasources.sql_check import tables_in

    return tables_in(_checked(source, connection, parameters).tree, connection.kind)


def look_for_table(table: str, connection: Connection, connections: Connections, limits: SqlLimits) -> None:
    """
    Have the database name the *table* that `tables_of` found, and give no row of it.

    Raises TableNotFound, and other SourceErrors where it could not be asked.
    """
    from datasources.sql_check import check_select

    query = f"SELECT 1 FROM {table} LIMIT 0"
    check_select(query, connection.kind)  # what is run has been checked, whoever wrote it
    _driver(connection, connections, BoundQuery((query,)), Reading(connection.name, limits))


def query_problems(definition: ReportDefinition, connections: Connections) -> Iterator[Problem]:
    """What is wrong with the queries of *definition*, each held against the database of its connection."""
    from datasources.elements import SqlSource as Sql

    parameters = {parameter.id: parameter for parameter in definition.parameters}
    for name, source in definition.datasources.items():
        if not isinstance(source, Sql):
            continue
        try:
            check_source(source, connections[source.connection], parameters)
        except SourceError as error:
            yield Problem(f"datasources.{name}", error.message)


@dataclass(frozen=True, slots=True)
class _Checked:
    tree: exp.Expr
    template: Template
    uses: tuple[SlotUse, ...]
    """One for each slot."""
    stored: tuple[StoredCheck, ...]


def _checked(source: SqlSource, connection: Connection, parameters: Mapping[str, Parameter]) -> _Checked:
    from datasources.sql_check import check_select

    template = parse_template(source.query, connection.kind)
    slots = [part for part in template if isinstance(part, Slot)]
    numbers = iter(range(1, len(slots) + 1))
    text = "".join(part if isinstance(part, str) else f" :p{next(numbers)} " for part in template)
    checked = check_select(text, connection.kind, slots=len(slots), functions=connection.functions)
    for slot, use in zip(slots, checked.uses, strict=True):
        for one in slot.names:
            if one not in parameters:
                raise QueryRefused(
                    f"The query has {{{{{one}}}}}, and no parameter {one} is declared: declare it."
                )
            if parameters[one].type == "multiselect" and not (
                slot.is_whole and (use.in_list or use.null_tested)
            ):
                raise QueryRefused(
                    f"{{{{{one}}}}} is a list: write it as IN ({{{{{one}}}}}), or before IS NULL."
                )
            _check_pattern(slot, use, parameters[one], connection.kind)
    return _Checked(
        checked.tree, template, checked.uses, _stored(checked, text, slots, parameters, connection.kind)
    )


def _stored(
    checked: CheckedSelect,
    text: str,
    slots: Sequence[Slot],
    parameters: Mapping[str, Parameter],
    kind: ConnectionKind,
) -> tuple[StoredCheck, ...]:
    """What must be asked of the cells of a database that compares values by the kind that each cell has."""
    if kind != "sqlite":
        return ()
    from datasources.sql_comparisons import check_comparisons

    named = {}
    for number, slot in enumerate(slots, start=1):
        type_ = parameters[slot.names[0]].type
        named[f"p{number}"] = (slot.names[0], _argument_type(type_) if slot.is_whole else "text")
    return check_comparisons(checked.tree, text, named)


_CONTAINS = {
    "postgres": "position({name} IN column) > 0",
    "mysql": "instr(column, {name}) > 0",
    "sqlite": "instr(column, {name}) > 0",
    "duckdb": "contains(column, {name})",
}


def _check_pattern(slot: Slot, use: SlotUse, parameter: Parameter, kind: ConnectionKind) -> None:
    """Refuse a parameter whose signs would be signs of a pattern."""
    pattern = use.pattern
    name = f"{{{{{parameter.id}}}}}"
    if isinstance(pattern, LikePattern):
        if not slot.quoted and parameter.type in ("text", "select"):
            raise QueryRefused(
                f"{name} is a whole pattern of LIKE, so that a % or _ in it would fit any text: write LIKE '%{name}%',"
                f" or LIKE '{name}', in which they are what they are."
            )
    elif pattern is not None and parameter.type not in pattern.harmless:
        raise QueryRefused(
            f"{name} stands in a pattern ({pattern.called}), of which signs in it would be a part: write"
            f" column LIKE '%{name}%', in which they are what they are, or"
            f" {_CONTAINS[kind].format(name=name)}."
        )


def _argument_type(type_: ParameterType) -> ArgumentType:
    match type_:
        case "select" | "multiselect":
            return "text"
        case _:
            return type_


def _bind(checked: _Checked, values: Mapping[str, Resolved], source: str) -> BoundQuery:
    parts: list[str | Argument] = []
    uses = iter(checked.uses)
    closing: int | None = None
    for part in checked.template:
        if isinstance(part, str):
            parts.append(part if closing is None else _with_escape(part, closing))
            closing = None
            continue
        use = next(uses)
        pattern = use.pattern if part.quoted and isinstance(use.pattern, LikePattern) else None
        if part.is_whole and pattern is None:
            parts += _whole(values[part.names[0]], use)
            continue
        # Where no character escapes by itself, the query is made to name one.
        named = pattern is not None and pattern.escape == ""
        escape = pattern.escape if pattern is not None else ""
        parts.append(_filled(part, values, "\\" if named else escape, doubles=named))
        closing = pattern.closing if pattern is not None and named else None
    if closing is not None:
        parts.append(_with_escape("", closing))
    for argument in parts:
        if isinstance(argument, Argument) and isinstance(argument.value, str):
            _check_text(argument.value, source)
    return BoundQuery(tuple(parts), checked.stored)


def _with_escape(code: str, closing: int) -> str:
    """*code* after a pattern, with the escape named once the parentheses around the pattern are closed."""
    found = re.match(rf"(?:\s*\)){{{closing}}}", code)
    if found is None:
        raise QueryRefused("A parameter stands deep within the pattern of a LIKE: write LIKE '%{{name}}%'.")
    return f"{code[: found.end()]} ESCAPE '\\'{code[found.end() :]}"


def _whole(resolved: Resolved, use: SlotUse) -> list[str | Argument]:
    kind = _argument_type(resolved.parameter.type)
    value = resolved.value
    if not isinstance(value, tuple):
        return [Argument(kind, value)]
    if not use.in_list or not value:
        return [Argument("text", resolved.text if value else None)]
    arguments: list[str | Argument] = []
    for option in value:
        arguments += [", ", Argument("text", option)]
    return arguments[1:]


def _filled(slot: Slot, values: Mapping[str, Resolved], escape: str, doubles: bool) -> Argument:
    """The text of a literal with its placeholders filled in, NULL if one of them is unset."""
    texts = []
    for name in slot.names:
        resolved = values[name]
        if resolved.value is None:
            return Argument("text", None)
        texts.append(_literally(resolved.text, escape) if escape else resolved.text)
    fixed = [piece.replace("\\", "\\\\") if doubles else piece for piece in slot.fixed]
    return Argument("text", "".join(a + b for a, b in zip(fixed, [*texts, ""], strict=True)))


def _literally(text: str, escape: str) -> str:
    """What a reader typed is looked for as it is: it has no wildcards of a LIKE."""
    for sign in (escape, "%", "_"):
        text = text.replace(sign, escape + sign)
    return text


def _check_text(text: str, source: str) -> None:
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise SourceError(
            "A parameter has a character that no database takes (NUL, or half of a surrogate pair): send it without.",
            source=source,
        )


def _driver(
    connection: Connection, connections: Connections, query: BoundQuery, reading: Reading
) -> tuple[pa.Table, tuple[DataWarning, ...]]:
    match connection.kind:
        case "postgres":
            from datasources.sql_postgres import read_postgres

            return read_postgres(connection, connections.secret_of(connection), query, reading)
        case "mysql":
            from datasources.sql_mysql import read_mysql

            return read_mysql(connection, connections.secret_of(connection), query, reading)
        case "sqlite":
            from datasources.sql_sqlite import read_sqlite

            return read_sqlite(connection, query, reading)
        case "duckdb":
            from datasources.sql_duckdb import read_duckdb

            return read_duckdb(connection, query, reading)
