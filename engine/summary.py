"""Decides which facts of a band its summary prints (spec 5): the data context and the list of facts read this."""

from __future__ import annotations

from dataclasses import dataclass

from engine.profile import BandProfile, FieldProfile, GroupProfile

GROUP_NUMBERS_MAX = 400
"""How many numbers of group sums, periods and leaders one band prints (spec 5, "Budget")."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What the summary of a band prints, in rendering order; fields by their position."""

    numbers: tuple[int, ...] = ()
    """Fields of which it prints SUM, AVG, MIN, MAX and NULLS."""
    dates: tuple[int, ...] = ()
    """Fields of which it prints MIN and MAX."""
    counts: tuple[int, ...] = ()
    """Enumerations of which it counts the values."""
    groups: tuple[GroupProfile, ...] = ()
    not_shown: tuple[GroupProfile, ...] = ()
    """Lists for which its budget of numbers had no place."""


def summary_of(band: BandProfile, numbers_max: int = GROUP_NUMBERS_MAX) -> Summary:
    """The summary of *band*, whose lists of sums print at most *numbers_max* numbers; empty for a single row."""
    if band.rows <= 1:
        return Summary()
    numbers: list[int] = []
    dates: list[int] = []
    counts: list[int] = []
    for position, one in enumerate(band.fields):
        if one.type == "number":
            if not one.is_constant:
                numbers.append(position)
        elif one.type in ("date", "datetime") and not one.is_constant:
            dates.append(position)
        if one.is_enumeration and not one.is_identity:
            counts.append(position)
    return Summary(tuple(numbers), tuple(dates), tuple(counts), *_within(band, numbers_max))


def _within(band: BandProfile, left: int) -> tuple[tuple[GroupProfile, ...], tuple[GroupProfile, ...]]:
    """The lists that say something: those that the budget has a place for, whole, and the others."""
    fields = {one.name: one for one in band.fields}
    shown: list[GroupProfile] = []
    not_shown: list[GroupProfile] = []
    for group in band.groups:
        if fields[group.measure].is_constant or (group.kind == "enum" and fields[group.by].is_identity):
            continue
        numbers = group.numbers
        if numbers > left:
            not_shown.append(group)
            continue
        left -= numbers
        shown.append(group)
    return tuple(shown), tuple(not_shown)


def statistics_of(one: FieldProfile) -> list[tuple[str, str]]:
    """
    (verb, value) of what a summary prints of a number or date field, in order.

    >>> price = FieldProfile("preco", "number", "rate", None, 3, 2, None, False, avg="6", min="5", max="7")
    >>> statistics_of(price)
    [('AVG', '6'), ('MIN', '5'), ('MAX', '7'), ('NULLS', '3')]
    """
    known = (("SUM", one.sum), ("AVG", one.avg), ("MIN", one.min), ("MAX", one.max))
    found = [(verb, value) for verb, value in known if value is not None]
    if one.nulls and one.type == "number":
        found.append(("NULLS", str(one.nulls)))
    return found
