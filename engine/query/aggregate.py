"""Computes one exact value of a band's rows, with or without a filter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.fact import Fact, GroupKey
from engine.notes import Note
from engine.query.clause import Clause
from engine.query.filters import compile_filter
from engine.query.measured import Measured
from engine.query.questions import EDGES, Aggregate, Verb
from engine.query.session import Limits, OpenBand, QuerySession, one_request
from engine.query.target import Target, find_target
from engine.query.verbs import expressions, verb_term

if TYPE_CHECKING:
    from datasources.filters import Filter
    from engine.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class AggregateAnswer:
    """The answer to an Aggregate: a fact, or notes that say why there is none."""

    band: str
    verb: Verb
    field: str | None
    where: Filter | None
    rows: int | None
    """Rows that the filter finds; None where that is withheld."""
    fact: Fact | None
    """Without an id yet."""
    notes: tuple[Note, ...] = ()
    exact: Fraction | None = None
    """The value before it was rounded, where it has an end."""
    decimals: int | None = None
    """What it was rounded to."""


@one_request
def aggregate(session: QuerySession, question: Aggregate) -> AggregateAnswer:
    """The answer to *question*; raises QueryError where the data have none, saying what to ask instead."""
    if session.disclosure is not None:
        from engine.disclosure_answers import withheld_aggregate

        return withheld_aggregate(session, question, session.disclosure)
    from engine.query.absent import notes_of_filter

    target = find_target(session.snapshot, question)
    found = measure(session, target, question.verb)
    value = found.value if found.rows else None
    fact = None
    if value is not None:
        fact = fact_of(session, target, question.verb, found, value)
    notes = (*notes_of_value(found, target, value), *notes_of_filter(session, target, found.rows))
    return AggregateAnswer(
        target.band.name,
        question.verb,
        question.field,
        question.where,
        found.rows,
        fact,
        notes,
        None if fact is None else found.exact,
        found.decimals,
    )


def fact_of(
    session: QuerySession,
    target: Target,
    verb: Verb,
    found: Measured,
    value: str,
    group: tuple[GroupKey, ...] = (),
) -> Fact:
    """The fact that *value* is what was *found*, of the rows of a *group* if there is one."""
    return Fact(
        value,
        found.kind,
        verb,
        target.band.name,
        None if found.column is None else found.column.name,
        found.unit,
        group,
        where=target.where,
        rows=found.rows,
        snapshot=session.snapshot.id,
    )


def notes_of_value(found: Measured, target: Target, value: str | None) -> list[Note]:
    """Why there is no value, or which rows it leaves out."""
    name = "" if found.column is None else found.column.name
    if not found.rows:
        code = "no_rows" if target.where is not None else "no_rows_at_all"
        return [Note(code, verb=verb_term(found.verb))]
    if value is not None:
        nulls = found.rows - found.cells
        if not nulls or found.column is None or found.verb == "COUNT":
            return []
        return [nulls_left_out(nulls, found.rows, name)]
    if not found.cells:
        return [Note("no_cells", rows=found.rows, field=name, verb=verb_term(found.verb))]
    return [Note("share_of_nothing" if found.verb == "SHARE" else "two_needed")]


def nulls_left_out(nulls: int, rows: int, field: str) -> Note:
    """The sentence about rows without a cell."""
    return Note("some_nulls" if nulls > 1 else "one_null", nulls=nulls, rows=rows, field=field)


def check(snapshot: Snapshot, question: Aggregate) -> None:
    """Raise QueryError where the data cannot answer *question*, without computing anything."""
    find_target(snapshot, question)


def measure_all(snapshot: Snapshot, questions: Sequence[Aggregate]) -> list[Measured]:
    """What is found for each of *questions*, without limits; a band is opened once for all. Raises QueryError."""
    targets = [find_target(snapshot, question) for question in questions]
    with QuerySession(snapshot, Limits(time_s=None)) as session:
        for target, question in zip(targets, questions, strict=True):
            if _known(target, question.verb) is None:
                session.need(target.index, target.fields)
        return [
            measure(session, target, question.verb)
            for target, question in zip(targets, questions, strict=True)
        ]


def measure(session: QuerySession, target: Target, verb: Verb) -> Measured:
    """What is found for *verb* of *target*: from the facts of its band where they have it, else by SQL."""
    known = _known(target, verb)
    if known is not None:
        return known
    with session.ask(target.index, target.fields) as opened:
        where = where_clause(target, opened)
        if verb != "SHARE":
            return _ask(opened, target, verb, where)
        whole = _ask(opened, target, verb, Clause("TRUE"))
        return _ask(opened, target, verb, where, whole)


def where_clause(target: Target, opened: OpenBand) -> Clause:
    """The filter's SQL; all rows without one."""
    return Clause("TRUE") if target.where is None else compile_filter(target.where, opened.table.columns)


def _ask(
    opened: OpenBand, target: Target, verb: Verb, where: Clause, whole: Measured | None = None
) -> Measured:
    cells, shown = "count(*)", expressions(verb, "", None, narrow=True)
    if target.field is not None:
        position = opened.position(target.field)
        cells = f"count(c{position})"
        if not target.is_silent:
            shown = expressions(verb, f"c{position}", target.column, narrow=position in opened.table.narrow)
    columns = ", ".join(["count(*)", cells, *shown.sql])
    query = f"SELECT {columns} FROM {opened.table.name} WHERE {where.sql}"
    row = opened.listed_row(query, where.values) if shown.is_list else opened.row(query, where.values)
    found = shown.read(row, whole)
    return found if shown.column is target.column else _silent(target, verb, found.rows)


def _silent(target: Target, verb: Verb, rows: int) -> Measured:
    """Of a field without any cell there is nothing but its rows."""
    return Measured(verb, target.column, rows, 0, distinct=0)


# ---- what the facts of the band have already ----


def _known(target: Target, verb: Verb) -> Measured | None:
    band = target.band
    if not band.columns:
        return Measured(verb, None, band.rows, band.rows)
    if target.where is not None or verb == "SHARE":
        return None
    if target.is_silent:
        return _silent(target, verb, band.rows)
    if target.field is None:
        return Measured("COUNT", None, band.rows, band.rows)
    return _from_profile(target, verb)


def _from_profile(target: Target, verb: Verb) -> Measured | None:
    """The value in the band's profile; None of what it does not have, or does not have exactly."""
    assert target.field is not None
    field, column = target.facts.fields[target.field], target.band.columns[target.field]
    is_counted = column.type in ("number", "date", "datetime") or field.distinct is not None
    if not is_counted or column.double:
        return None
    cells = target.band.rows - field.nulls
    if verb == "COUNT":
        return Measured(verb, column, target.band.rows, cells)
    if verb == "DISTINCT" and field.distinct is not None:
        return Measured(verb, column, target.band.rows, cells, distinct=field.distinct)
    text = {"SUM": field.sum, "AVG": field.sum, "MIN": field.min, "MAX": field.max}.get(verb)
    if text is None:
        return None
    if column.type != "number":
        return Measured(verb, column, target.band.rows, cells, edge=text)
    value = _at(text, column.scale)
    if verb in EDGES:
        return Measured(verb, column, target.band.rows, cells, edge=value)
    return Measured(verb, column, target.band.rows, cells, total=value)


def _at(text: str, scale: int) -> int:
    """The integer at *scale* that the plain *text* of a number stands for."""
    whole, _, decimals = text.partition(".")
    return int(whole + decimals.ljust(scale, "0"))
