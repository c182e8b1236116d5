"""Reads a frame as a comparison of two values of a field, or of two periods."""

from __future__ import annotations

from typing import Any

from chat.offline.book import Book
from chat.offline.conditions import conditions_of, equals, joined, within
from chat.offline.frame import Frame
from chat.offline.reading import INCOMPLETE, Condition, Doubt, Reading, arguments_text
from chat.offline.verbs import asked_verb, counts_rows, is_count, measure_of


def read_comparison(frame: Frame, book: Book) -> Reading | Doubt:
    """The same verb of two sets of rows, in the order in which they are named."""
    sides = _sides(frame, book)
    if isinstance(sides, Doubt):
        return sides
    conditions = conditions_of(frame, book)
    if isinstance(conditions, Doubt):
        return conditions
    if frame.groups or frame.units or frame.labels or frame.dates or frame.top is not None or frame.limits:
        return INCOMPLETE
    if frame.has("who") and not frame.bands:
        return INCOMPLETE
    if frame.has("when", "first", "last", "rows", "distinct", "document", "ranking"):
        return INCOMPLETE
    verb = asked_verb(frame)
    name: str | None = None
    if is_count(frame):
        verb = "COUNT"
        if frame.measures or not counts_rows(frame):
            return INCOMPLETE
    else:
        verb = verb or "SUM"
        if verb == "SHARE":
            return INCOMPLETE
        if frame.has("most", "least") and any(band.is_thing for band in frame.bands):
            return Doubt("offline_count_or_sum", (book.view.band.name,), weight=2)
        if frame.has("greatest", "smallest") and verb not in ("SUM", "AVG"):
            return INCOMPLETE
        if frame.has("greatest", "smallest") and not frame.verbs:
            return INCOMPLETE
        found = measure_of(frame, book, verb)
        if isinstance(found, Doubt):
            return found
        name = found
    a, b = (joined([side, *conditions]) for side in sides)
    arguments: dict[str, Any] = {"verb": verb, "field": name, "band": book.view.band.name, "a": a, "b": b}
    return Reading(
        "sulfite_compare", arguments_text(arguments), book.view.band.name, verb, name, cost=frame.cost
    )


def _sides(frame: Frame, book: Book) -> tuple[Condition, Condition] | Doubt:
    """The two conditions that are compared, in the order in which they are named; *frame* keeps the others."""
    fields = [one.field for one in frame.values]
    double = {field for field in fields if fields.count(field) == 2}
    if len(frame.periods) == 2 and not double and not frame.spans:
        found = []
        for period in frame.periods:
            condition = within(period, frame, book)
            if isinstance(condition, Doubt):
                return condition
            found.append(condition)
        if found[0] == found[1] or frame.periods[0].kind != frame.periods[1].kind:
            return INCOMPLETE
        frame.periods = []
        return found[0], found[1]
    if len(double) != 1 or any(fields.count(field) > 2 for field in fields) or frame.has("growth"):
        return Doubt("offline_two_sides", weight=1)
    (field,) = double
    sides = [equals(one.field, one.value) for one in frame.values if one.field == field]
    frame.values = [one for one in frame.values if one.field != field]
    return sides[0], sides[1]
