"""Says why a filter finds nothing: which of its values do not occur, and which real ones are near."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.cleaning import strip
from engine.notes import Note
from engine.query.filters import compile_filter
from engine.query.session import QuerySession
from engine.query.target import Target

if TYPE_CHECKING:
    from datasources.filters import Condition, Filter, FilterValue

VALUES_MAX = 20
"""So many values of a filter are looked for."""
NOTES_MAX = 3


def notes_of_filter(session: QuerySession, target: Target, rows: int) -> list[Note]:
    """
    What is to be said of the filter of *target*, which finds *rows*.

    A value of a text that no row has is a slip that finds nothing or, among others, too little. Where nothing is
    found, the range of a number or a date says where to look.
    """
    if target.where is None or not target.band.columns:
        return []
    notes: list[Note] = []
    looked = 0
    for condition, alone in _conditions(target.where, alone=True):
        if len(notes) == NOTES_MAX or looked >= VALUES_MAX:
            break
        column = target.band.columns[target.band_position(condition.field)]
        if column.type == "text" and condition.op in ("=", "in") and (not rows or not alone):
            values = [str(value) for value in _values(condition)[: VALUES_MAX - looked]]
            looked += len(values)
            missing = _missing(session, target, condition, values)
            notes += [
                _absent(session, target, condition.field, value)
                for value in missing[: NOTES_MAX - len(notes)]
            ]
        elif column.type in ("number", "date", "datetime") and not rows:
            notes += _range(target, condition.field)
    return notes[:NOTES_MAX]


def _conditions(where: Filter, *, alone: bool) -> Iterator[tuple[Condition, bool]]:
    """Each condition, and whether nothing could be found without its value."""
    from datasources.filters import AllOf, AnyOf, Condition

    match where:
        case AllOf():
            for one in where.all_of:
                yield from _conditions(one, alone=alone)
        case AnyOf():
            for one in where.any_of:
                yield from _conditions(one, alone=alone and len(where.any_of) == 1)
        case Condition():
            yield where, alone and len(_values(where)) == 1


def _values(condition: Condition) -> tuple[FilterValue | None, ...]:
    return condition.value if isinstance(condition.value, tuple) else (condition.value,)


def _missing(session: QuerySession, target: Target, condition: Condition, values: list[str]) -> list[str]:
    """Those of *values* that no row of the band has."""
    from datasources.filters import Condition as Equal

    position = target.band_position(condition.field)
    counted = target.facts.fields[position].values
    if counted is not None:
        known = {one.value for one in counted}
        return [value for value in values if strip(value) not in known]
    with session.ask(target.index, frozenset({position})) as opened:
        any_of = Equal(field=condition.field, op="in", value=tuple(values))
        clause = compile_filter(any_of, opened.table.columns)
        cell = f"c{opened.position(position)}"
        query = f"SELECT DISTINCT CAST({cell} AS VARCHAR) FROM {opened.table.name} WHERE {clause.sql}"
        found = {value for (value,) in opened.rows(query, clause.values)}
        return [value for value in values if strip(value) not in found]


def _absent(session: QuerySession, target: Target, field: str, value: str) -> Note:
    from engine.query.search import nearest_values

    near = nearest_values(session, target.index, target.band_position(field), value)
    if near:
        return Note("absent_value_near", value=value, field=field, names=near)
    known = target.facts.fields[target.band_position(field)]
    if known.is_enumeration and known.values is not None:
        names = tuple(one.value for one in known.values if one.value is not None)
        return Note("absent_value_known", value=value, field=field, names=names)
    return Note("absent_value", value=value, field=field)


def _range(target: Target, field: str) -> list[Note]:
    facts = target.facts.fields[target.band_position(field)]
    if facts.min is None or facts.max is None:
        return []
    return [Note("range", field=field, low=facts.min, high=facts.max)]
