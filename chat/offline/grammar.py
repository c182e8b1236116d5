"""Decides which kind of question a frame is: a statement of the report, a value, groups, a comparison."""

from __future__ import annotations

from chat.offline.book import Book
from chat.offline.comparisons import read_comparison
from chat.offline.conditions import conditions_of, parts_of
from chat.offline.frame import Frame
from chat.offline.groups import grouping_reading, read_groups, subject_of
from chat.offline.periods import is_one_period
from chat.offline.reading import INCOMPLETE, Doubt, Reading
from chat.offline.values import aggregate_reading, read_value
from chat.offline.verbs import asked_verb, ranks


def read_frame(frame: Frame, book: Book) -> Reading | Doubt:
    """What *frame* asks; a doubt where that is not sure."""
    doubt = _impossible(frame)
    if doubt is not None:
        return doubt
    if frame.stated:
        return read_stated(frame, book)
    if frame.has("compare", "growth") or (
        frame.has("or") and frame.has("most", "least", "greatest", "smallest")
    ):
        return read_comparison(frame, book)
    if frame.has("or"):
        return INCOMPLETE
    if (frame.is_ranked_by or frame.has("by_band")) and not ranks(frame) and not _is_average_per_row(frame):
        return INCOMPLETE
    _leave_out_own_period(frame, book)
    if frame.groups or frame.units or frame.has("who", "ranking") or subject_of(frame) is not None:
        return read_groups(frame, book)
    return read_value(frame, book)


def _impossible(frame: Frame) -> Doubt | None:
    repeated = [mark.name for mark in frame.marks.get("verb", ()) if mark.name != "SUM"]
    if len(frame.verbs) > 1 or len(repeated) > 1 or len(frame.stated) > 1 or len(frame.measures) > 1:
        names = tuple(frame.measures) if len(frame.measures) > 1 else ()
        return Doubt("offline_two_questions", names, weight=1)
    edges = [kind for kind in ("greatest", "smallest", "most", "least", "first", "last") if frame.has(kind)]
    if len(edges) > 1 or any(len(frame.marks[kind]) > 1 for kind in edges):
        return Doubt("offline_two_questions", weight=1)
    if frame.has("how_many") and frame.has("how_much"):
        return Doubt("offline_two_questions", weight=1)
    if frame.is_had and not ranks(frame):
        return Doubt("offline_no_condition", weight=1)  # students with a discount: not what it adds up to
    if frame.is_whole_of_top or frame.has_loose_value:
        return INCOMPLETE
    # What no role was found for is not explained.
    if frame.is_top_loose and not frame.has("most", "least", "greatest", "smallest"):
        return Doubt("offline_loose_number", weight=1)
    return (
        INCOMPLETE if frame.has("and", "to", "between", "from", "side", "cmp", "by", "each", "top") else None
    )


def _is_average_per_row(frame: Frame) -> bool:
    """`The average of nights per booking` in the band of bookings: what an average of its rows is anyway."""
    return (
        not frame.is_ranked_by
        and bool(frame.measures)
        and frame.verbs == {"AVG"}
        and len(frame.bands) == 1
        and not frame.bands[0].is_plural
    )


def _leave_out_own_period(frame: Frame, book: Book) -> None:
    """`In the quarter` is the report's own, where its data are of just one."""
    names = book.dates()
    if (
        len(frame.units) != 1
        or len(names) != 1
        or (ranks(frame) and not frame.labels and not frame.has("who"))
    ):
        return
    span = book.span(names[0])
    if span is not None and is_one_period(frame.units[0], *span):
        frame.units = []


def read_stated(frame: Frame, book: Book) -> Reading | Doubt:
    """A statement by its name; with further conditions or groups it is computed as the report defines it."""
    aggregate = frame.stated[0].aggregate
    verb = aggregate.verb or ""
    asked = asked_verb(frame)
    wrong_verb = (asked is not None and asked != verb) or (
        frame.has("how_many") and verb not in ("COUNT", "DISTINCT")
    )
    if wrong_verb or frame.measures or frame.labels or frame.dates or frame.limits or frame.bands:
        return INCOMPLETE
    if frame.has(
        "compare",
        "growth",
        "or",
        "most",
        "least",
        "greatest",
        "smallest",
        "who",
        "when",
        "amount",
        "distinct",
        "rows",
    ):
        return INCOMPLETE
    conditions = conditions_of(frame, book)
    if isinstance(conditions, Doubt):
        return conditions
    if frame.units or frame.top is not None or frame.has("ranking"):
        return INCOMPLETE
    if verb == "TOTAL":
        if conditions or frame.groups:
            return INCOMPLETE
        verb = "SUM"
    if frame.groups:
        return grouping_reading(
            frame, book, verb, aggregate.field, parts_of(aggregate.where) + conditions, None, None
        )
    reading = aggregate_reading(frame, book, verb, aggregate.field, parts_of(aggregate.where) + conditions)
    if conditions:
        return reading
    return Reading(
        reading.tool,
        reading.arguments,
        reading.band,
        reading.verb,
        reading.field,
        stated=aggregate,
        cost=frame.cost,
    )
