"""Reads a frame as a question for one value: a total, a count, the least or greatest, a date."""

from __future__ import annotations

import json
from typing import Any

from chat.offline.atoms import Atom, BandName, FieldName, Value
from chat.offline.book import Book, is_additive
from chat.offline.conditions import conditions_of, equals, is_money, joined, parts_of
from chat.offline.frame import Frame
from chat.offline.reading import INCOMPLETE, Condition, Doubt, Reading, arguments_text
from chat.offline.verbs import asked_verb, counts_rows, is_count, is_counted_thing, is_kind, measure_of
from engine.profile import ReportAggregate


def read_value(frame: Frame, book: Book) -> Reading | Doubt:
    """A verb of one field, or a count, over the rows that the conditions find."""
    conditions = conditions_of(frame, book)
    if isinstance(conditions, Doubt):
        return conditions
    if frame.top is not None or frame.has("most", "least", "document"):
        return INCOMPLETE
    if frame.dates or frame.has("when", "first", "last"):
        return _edge_of_dates(frame, book, conditions)
    if is_count(frame):
        return _count(frame, book, conditions)
    if frame.labels or frame.has("distinct", "rows"):
        return INCOMPLETE
    edge = "MAX" if frame.has("greatest") else "MIN" if frame.has("smallest") else None
    verb = asked_verb(frame)
    if edge is not None:
        if frame.verbs - {edge} or _is_of_several(frame):
            return INCOMPLETE
        verb = edge
    if verb is None:
        verb = _of_one_row(frame, book)
        if verb is None:
            return Doubt("offline_which_verb", tuple(frame.measures) or (book.view.band.name,), weight=1)
    if verb == "SHARE":
        if not conditions:
            return INCOMPLETE
        if not frame.measures and not frame.has("amount"):
            if is_counted_thing(frame):
                return aggregate_reading(frame, book, verb, None, conditions)
            return Doubt("offline_count_or_sum", (book.view.band.name,), weight=2)
    if verb in ("MAX", "MIN") and not frame.measures and frame.bands and not is_money(frame):
        return Doubt("offline_which_field", book.additive() or (book.view.band.name,), weight=2)
    name = measure_of(frame, book, verb)
    if isinstance(name, Doubt):
        return name
    return aggregate_reading(frame, book, verb, name, conditions)


def _is_of_several(frame: Frame) -> bool:
    """Whether the greatest ones are asked for, which are rows: `as maiores vendas`."""
    after = frame.after_superlative
    return (
        isinstance(after, Atom)
        and isinstance(after.meaning, BandName | FieldName)
        and after.meaning.is_plural
    )


def _of_one_row(frame: Frame, book: Book) -> str | None:
    """The verb of a measure that is named and nothing else: what can be added up is; of one row all verbs are one."""
    if any(band.is_mass for band in frame.bands):
        return "SUM"
    if not frame.measures and not frame.has("amount"):
        return None
    if frame.limits:
        return None  # perhaps the rows themselves are asked for
    if frame.measures:
        if is_additive(book.view.field(frame.measures[0])):
            return "SUM"
        is_single = book.view.band.rows == 1 or any(
            _is_of_one_row(one.field, one.value, book) for one in frame.values
        )
        return "MAX" if is_single else None
    return "SUM"


def _is_of_one_row(field: str, value: str, book: Book) -> bool:
    return any(one.value == value and one.count == 1 for one in book.view.field(field).values or ())


def _count(frame: Frame, book: Book, conditions: list[Condition]) -> Reading | Doubt:
    if frame.has("greatest", "smallest", "amount"):
        return INCOMPLETE
    counted = frame.counted
    # "Quantos bolsistas", "quantos alunos bolsistas": those of whom the field says yes.
    yes = {name: value for name, value in frame.yes.items() if name in frame.labels}
    if yes and not frame.has("distinct"):
        conditions = [*(equals(name, value) for name, value in yes.items()), *conditions]
        frame.labels = [name for name in frame.labels if name not in yes]
        if _field_of(counted) in yes:
            if frame.labels or frame.measures:
                return INCOMPLETE
            return aggregate_reading(frame, book, "COUNT", None, conditions)
    if isinstance(counted, Atom) and isinstance(counted.meaning, FieldName):
        name = counted.meaning.field
        if is_kind(counted):
            return INCOMPLETE
        if frame.limits:
            return Doubt("offline_no_condition", weight=1)  # perhaps of each one's total
        if name in frame.measures and not frame.labels:
            # "Quantos dias" alone does not say which.
            is_sum = is_additive(book.view.field(name)) and name not in book.money() and not frame.is_vague
            if is_sum and frame.has("how_many"):
                return aggregate_reading(frame, book, "SUM", name, conditions)
            return INCOMPLETE
        if frame.labels == [name] and not frame.measures and book.has_names(name):
            if book.quantities() and name not in book.people() and not frame.has("distinct"):
                return Doubt("offline_count_or_sum", (name, *book.quantities()), weight=2)
            return aggregate_reading(frame, book, "DISTINCT", name, conditions)
        return INCOMPLETE
    if frame.labels or frame.measures or frame.has("distinct") or not counts_rows(frame):
        return INCOMPLETE
    if not frame.bands and not frame.values and not book.view.is_alone:
        return Doubt("offline_which_band", weight=1)
    if isinstance(counted, Atom) and isinstance(counted.meaning, Value) and book.quantities():
        # "How many boxes": rows that are of boxes, or the boxes in them?
        return Doubt("offline_count_or_sum", (counted.meaning.value, *book.quantities()), weight=2)
    return aggregate_reading(frame, book, "COUNT", None, conditions)


def _field_of(item: object) -> str | None:
    return item.meaning.field if isinstance(item, Atom) and isinstance(item.meaning, FieldName) else None


def _edge_of_dates(frame: Frame, book: Book, conditions: list[Condition]) -> Reading | Doubt:
    """`When was the first sale`: the least or the greatest date."""
    if (
        frame.measures
        or frame.labels
        or frame.limits
        or len(frame.dates) > 1
        or frame.has("how_much", "how_many", "amount")
    ):
        return INCOMPLETE
    is_said = frame.has("when") or frame.dates
    name = frame.dates[0] if frame.dates else book.the_date()
    if isinstance(name, Doubt):
        return name
    edges = {"first": "MIN", "last": "MAX", "greatest": "MAX", "smallest": "MIN"}
    verbs = [verb for kind, verb in edges.items() if frame.has(kind)] + sorted(frame.verbs & {"MIN", "MAX"})
    if frame.verbs - {"MIN", "MAX"} or len(verbs) > 1 or not is_said:
        return INCOMPLETE
    after = frame.after_superlative
    is_of_date = (
        isinstance(after, Atom) and isinstance(after.meaning, FieldName) and after.meaning.field == name
    )
    if frame.has("greatest", "smallest") and not is_of_date:
        return INCOMPLETE  # when was the largest sale?
    if not verbs:
        if book.view.band.rows != 1:
            return INCOMPLETE
        verbs = ["MAX"]
    return aggregate_reading(frame, book, verbs[0], name, conditions)


def aggregate_reading(
    frame: Frame, book: Book, verb: str, name: str | None, conditions: list[Condition]
) -> Reading:
    """The question for one value, with what the report itself states of just this."""
    arguments: dict[str, Any] = {
        "verb": verb,
        "field": name,
        "band": book.view.band.name,
        "filter": joined(conditions),
    }
    stated = statement_of(verb, name, conditions, book)
    return Reading(
        "sulfite_aggregate_data",
        arguments_text(arguments),
        book.view.band.name,
        verb,
        name,
        stated=stated,
        cost=frame.cost,
    )


def statement_of(
    verb: str, name: str | None, conditions: list[Condition], book: Book
) -> ReportAggregate | None:
    """What the report states of just this; a total row states what its column adds up to."""
    wanted = _canonical(conditions)
    for one in book.view.aggregates:
        same_verb = one.verb == verb or (one.verb == "TOTAL" and verb == "SUM")
        if same_verb and one.field == name and _canonical(parts_of(one.where)) == wanted:
            return one
    return None


def _canonical(conditions: list[Condition]) -> list[str]:
    return sorted(json.dumps(one, sort_keys=True, ensure_ascii=False, default=str) for one in conditions)
