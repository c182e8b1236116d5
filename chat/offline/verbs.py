"""Finds what a question computes, of which field, and whether it counts."""

from __future__ import annotations

from chat.offline.atoms import Atom, BandName, FieldName, Mark
from chat.offline.book import Book, is_additive
from chat.offline.conditions import is_money
from chat.offline.frame import Frame
from chat.offline.reading import Doubt
from engine.roles import AVERAGED

_SUMMED = frozenset({"SUM", "SHARE"})
_AVERAGED = frozenset({"AVG", "MEDIAN", "STDDEV"})


def measure_of(frame: Frame, book: Book, verb: str) -> str | Doubt:
    """The field that *verb* is of."""
    if frame.measures:
        (name,) = frame.measures
        field = book.view.field(name)
        if (verb in _SUMMED and not is_additive(field)) or (verb in _AVERAGED and field.role not in AVERAGED):
            return Doubt("offline_no_sum", (name,), weight=3)
        is_pinned = bool(frame.bands or frame.values) or frame.is_dated
        if frame.is_vague and not is_pinned and not book.view.is_alone:
            return Doubt("offline_which_band", weight=1)
        return name
    if not frame.bands:
        # A value, a group or a date that only this band has says that it is meant: another with it would be a
        # second reading.
        is_pinned = bool(frame.values or frame.groups) or frame.is_dated
        if not is_pinned and not book.view.is_alone:
            return Doubt("offline_which_band", weight=1)
        return book.main(is_money=frame.has("amount") or book.is_of_money)
    if frame.bands and not frame.has("amount") and not is_money(frame):
        # "Total de entregas": how many, or how much?
        return Doubt("offline_count_or_sum", (book.view.band.name,), weight=2)
    return book.main(is_money=is_money(frame))


def asked_verb(frame: Frame) -> str | None:
    """The verb as far as words say it."""
    if frame.verbs:
        return next(iter(frame.verbs))
    return "SUM" if frame.has("how_much") else None


def is_count(frame: Frame) -> bool:
    """Whether the question is how many, be it `how many in total`."""
    return (frame.has("how_many") and not frame.verbs - {"COUNT", "SUM"}) or frame.verbs == {"COUNT"}


def is_counted_thing(frame: Frame) -> bool:
    """Whether only a thing is named that is no amount of money: things are counted."""
    return (
        bool(frame.bands)
        and all(band.is_thing for band in frame.bands)
        and not is_money(frame)
        and not frame.measures
    )


def counts_rows(frame: Frame) -> bool:
    """Whether rows are what is counted: the band, or values of its rows, follow a `how many`."""
    counted = frame.counted
    if isinstance(counted, Atom):
        if isinstance(counted.meaning, BandName):
            return counted.meaning.is_thing
        if isinstance(counted.meaning, FieldName):
            return False
        if isinstance(counted.meaning, Mark):
            return counted.meaning.kind == "rows"
        return bool(frame.values) and not frame.labels and not frame.measures
    return False


def is_kind(item: object) -> bool:
    """Whether only the kinds of a thing have a field: the rooms are not the values of `tipo_quarto`."""
    return isinstance(item, Atom) and isinstance(item.meaning, FieldName) and item.meaning.is_kind


def ranks(frame: Frame) -> bool:
    """Whether groups are put in order, or the first of them asked for."""
    return frame.has("most", "least", "greatest", "smallest", "ranking") or frame.top is not None
