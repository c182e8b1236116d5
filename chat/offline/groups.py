"""Reads a frame as a question for groups: all of them, the first of them, or who or when."""

from __future__ import annotations

from typing import Any

from chat.offline.atoms import Atom, BandName, FieldName, Mark
from chat.offline.book import Book, is_additive
from chat.offline.conditions import conditions_of, joined
from chat.offline.frame import Frame
from chat.offline.phrases import Group
from chat.offline.reading import INCOMPLETE, Condition, Doubt, Reading, arguments_text
from chat.offline.values import aggregate_reading
from chat.offline.verbs import asked_verb, counts_rows, is_count, is_counted_thing, is_kind, measure_of, ranks

ONE_OF_ROWS = frozenset({"AVG", "MEDIAN", "STDDEV"})
"""What is one value of many rows: `the average of nights per booking` is that of all, if each row is a booking."""


def subject_of(frame: Frame) -> str | None:
    """The field whose values are ranked: `which region sold most`, `top 5 customers`."""
    return frame.labels[0] if len(frame.labels) == 1 and ranks(frame) and not _counting_label(frame) else None


def _counting_label(frame: Frame) -> bool:
    counted = frame.counted
    return frame.has("how_many") and isinstance(counted, Atom) and isinstance(counted.meaning, FieldName)


def _counted_label(frame: Frame) -> str | None:
    """The field whose values are counted in each group: `how many customers by region`."""
    is_plain = (
        frame.groups and not frame.units and not frame.measures and not ranks(frame) and not frame.verbs
    )
    return frame.labels[0] if is_plain and len(frame.labels) == 1 and _counting_label(frame) else None


def read_groups(frame: Frame, book: Book) -> Reading | Doubt:
    """A verb for each group, or only for the first ones."""
    conditions = conditions_of(frame, book)
    if isinstance(conditions, Doubt):
        return conditions
    if frame.limits or frame.dates or frame.has("when", "first", "last", "document", "distinct"):
        return Doubt("offline_no_condition", weight=1) if frame.limits else INCOMPLETE
    if isinstance(frame.counted, Atom) and is_kind(frame.counted):
        return INCOMPLETE
    distinct = _counted_label(frame)
    if distinct is not None and book.has_names(distinct):
        if book.quantities() and distinct not in book.people():
            return Doubt("offline_count_or_sum", (distinct, *book.quantities()), weight=2)
        frame.labels = []
        return grouping_reading(frame, book, "DISTINCT", distinct, conditions, None, None)
    descends = frame.has("most", "greatest")
    ascends = frame.has("least", "smallest")
    ranked = descends or ascends or frame.top is not None
    doubt = _find_subject(frame, book, ranked)
    if doubt is not None:
        return doubt
    if ranked and frame.verbs and len(frame.bands) > 1 and conditions:
        return INCOMPLETE  # the total of the region that sold most in April: of all months, or of April?
    by_all = not ranked or _edge_of_each(frame)
    verb = _group_verb(frame, book, by_all)
    if isinstance(verb, Doubt):
        return verb
    if verb in ("SHARE", "DISTINCT"):
        return INCOMPLETE
    name: str | None = None
    if verb == "COUNT":
        if frame.measures or frame.has("amount"):
            return INCOMPLETE
    else:
        found = measure_of(frame, book, verb)
        if isinstance(found, Doubt):
            return found
        name = found
    if by_all:
        if frame.top is not None:
            return INCOMPLETE
        if verb in ONE_OF_ROWS and all(group.field and book.is_row(group.field) for group in frame.groups):
            return aggregate_reading(frame, book, verb, name, conditions)
        return grouping_reading(frame, book, verb, name, conditions, None, None)
    if frame.top is None and frame.is_plural:
        return Doubt("offline_how_many", weight=2)
    return grouping_reading(frame, book, verb, name, conditions, frame.top or 1, "asc" if ascends else None)


def _find_subject(frame: Frame, book: Book, ranked: bool) -> Doubt | None:
    """Make what is ranked a group: a field, who did it, or a period."""
    if frame.has("who"):
        about = frozenset().union(*(band.subjects for band in frame.bands))
        people = book.agents(about) if about else book.people()
        if len(people) != 1:
            return Doubt("offline_who", people, weight=2) if people else Doubt("offline_no_one", weight=2)
        if frame.labels or frame.units or frame.groups or not ranked:
            return INCOMPLETE
        frame.groups = [Group(field=people[0])]
        return None
    if frame.groups and not frame.labels and not frame.units:
        return None
    if frame.groups or len(frame.labels) + len(frame.units) != 1 or not (ranked or frame.has("ranking")):
        return INCOMPLETE
    frame.groups = [Group(field=frame.labels[0])] if frame.labels else [Group(unit=frame.units[0])]
    frame.marks.setdefault("subject", [])
    return None


def _edge_of_each(frame: Frame) -> bool:
    """Whether `greatest` is the verb and not the order: `the largest sale by region`."""
    return not frame.has("subject", "who") and frame.top is None


def _group_verb(frame: Frame, book: Book, by_all: bool) -> str | Doubt:
    verb = asked_verb(frame)
    if is_count(frame):
        return "COUNT" if counts_rows(frame) else INCOMPLETE
    edge = "MAX" if frame.has("greatest") else "MIN" if frame.has("smallest") else None
    if by_all:
        if frame.has("most", "least"):
            return INCOMPLETE
        if edge is not None:
            return INCOMPLETE if frame.verbs - {edge} else edge
        if verb == "AVG" and not _is_average_of_rows(frame):
            return Doubt("offline_which_average", weight=2)  # of the rows, or of each group's total?
        if verb is None and is_counted_thing(frame):
            return "COUNT"
        return verb or "SUM"
    if verb is not None:
        return verb
    return _ranked_verb(frame, book, edge)


def _is_average_of_rows(frame: Frame) -> bool:
    """Whether the average is of what each row holds: its field is named, or one row, as in "the average sale"."""
    if frame.measures or frame.has("amount"):
        return True
    is_of_one = bool(frame.bands) and not any(band.is_plural for band in frame.bands)
    return is_of_one and not any(group.unit for group in frame.groups)


def _ranked_verb(frame: Frame, book: Book, edge: str | None) -> str | Doubt:
    """What values are ranked by where no verb says it."""
    after = frame.after_superlative
    if frame.has("most", "least"):
        if is_counted_thing(frame):
            return "COUNT"
        if any(band.is_thing for band in frame.bands) and not frame.measures:
            return Doubt("offline_count_or_sum", (book.view.band.name,), weight=2)  # most sales: how many?
        if _is_passive(frame, book):
            return Doubt("offline_which_field", (*book.money(), *book.quantities()), weight=2)
        return "SUM"
    subject = frame.groups[0].field
    if subject is not None and book.view.field(subject).distinct == book.view.band.rows and frame.measures:
        # Each group is one row, and whatever is computed of it is its value.
        return "SUM" if is_additive(book.view.field(frame.measures[0])) else "MAX"
    if edge is not None and frame.has("single"):
        return edge
    if any(mark.name == "price" for kind in ("greatest", "smallest") for mark in frame.marks.get(kind, ())):
        return Doubt(
            "offline_one_or_all", (book.view.band.name,), weight=2
        )  # what one costs, or all together?
    if edge is not None and isinstance(after, Atom):
        if isinstance(after.meaning, BandName) and not after.meaning.is_plural:
            return Doubt("offline_one_or_all", (book.view.band.name,), weight=2)  # one sale, or all together?
        if isinstance(after.meaning, FieldName) and after.meaning.field in frame.measures and not frame.bands:
            return Doubt("offline_one_or_all", tuple(frame.measures), weight=2)
        if frame.measures and not is_additive(book.view.field(frame.measures[0])):
            return Doubt("offline_one_or_all", tuple(frame.measures), weight=2)
        if isinstance(after.meaning, Mark) and after.meaning.kind == "amount" and not frame.bands:
            return Doubt("offline_one_or_all", (book.view.band.name,), weight=2)
    return "SUM"


def _is_passive(frame: Frame, book: Book) -> bool:
    """Whether `most sold` may be of how many as well as of how much."""
    people = book.agents(frozenset().union(*(band.subjects for band in frame.bands))) if frame.bands else ()
    subject = frame.groups[0].field
    return bool(book.quantities()) and not frame.measures and subject is not None and subject not in people


def grouping_reading(
    frame: Frame,
    book: Book,
    verb: str,
    name: str | None,
    conditions: list[Condition],
    top: int | None,
    order: str | None,
) -> Reading | Doubt:
    """The question for groups of *frame*; rows without a name are no group."""
    by: list[str] = []
    period: str | None = None
    for group in frame.groups:
        if group.unit is not None:
            found = book.the_date()
            if isinstance(found, Doubt):
                return found
            by.append(found)
            period = group.unit
        elif group.field is not None:
            if book.is_number(group.field):
                return INCOMPLETE
            by.append(group.field)
    if not 1 <= len(set(by)) == len(by) <= 2 or len(by) < len(frame.groups):
        return INCOMPLETE
    if top is not None and any(book.view.field(one).distinct == 1 for one in by) and period is None:
        return Doubt("offline_only_one", tuple(by), weight=2)
    if any(book.is_date(one) for one in by) and period is None:
        period = "day"
    fixed = {one["field"] for one in conditions if one.get("op") == "="} & set(by)
    if fixed and period is None:
        return INCOMPLETE  # the groups of one value
    nameless = [one for one in by if book.view.field(one).nulls]
    conditions = conditions + [{"field": one, "op": "is_null", "value": False} for one in nameless]
    arguments: dict[str, Any] = {
        "by": by,
        "verb": verb,
        "field": name,
        "band": book.view.band.name,
        "top": top,
        "order": order,
        "period": period,
        "filter": joined(conditions),
    }
    return Reading(
        "sulfite_group_by",
        arguments_text(arguments),
        book.view.band.name,
        verb,
        name,
        tuple(by),
        top,
        without_nulls=", ".join(nameless) or None,
        cost=frame.cost,
    )
