"""Tells origins from destinations by the little words before them: `de MG para o RJ`, `from SP`, `to SC`."""

from __future__ import annotations

from collections.abc import Sequence

from chat.offline.atoms import Atom, Value, View
from chat.offline.book import subjects_of_field
from chat.offline.tokens import Word

ORIGIN, DESTINATION = "origin", "destination"
_ARTICLES = frozenset({"o", "a", "os", "as", "um", "uma", "the", "an"})
_TO = frozenset({"para", "pra", "to"})
_FROM = frozenset({"from", "desde"})
_FROM_IF_TO = frozenset({"de", "do", "da", "dos", "das"})
"""In Portuguese these say where from only beside a `para`: the freight `de MG` may be that to it."""


def told_apart(atoms: Sequence[Atom], words: Sequence[Word], view: View) -> tuple[Atom, ...]:
    """*atoms* without the places that the word before them rules out, where another field has the same place."""
    ends = {
        subject: {one.name for one in view.band.fields if subject in subjects_of_field(one)}
        for subject in (ORIGIN, DESTINATION)
    }
    if not all(ends.values()):
        return tuple(atoms)
    places = {
        subject: {(one.start, one.end) for one in atoms if _is_in(one, names)}
        for subject, names in ends.items()
    }
    shared = places[ORIGIN] & places[DESTINATION]
    to = {span for span in shared if _before(words, span[0]) in _TO}
    from_words = _FROM | _FROM_IF_TO if to else _FROM
    since = {span for span in shared if _before(words, span[0]) in from_words}
    return tuple(
        one
        for one in atoms
        if not ((one.start, one.end) in to and _is_in(one, ends[ORIGIN]))
        and not ((one.start, one.end) in since and _is_in(one, ends[DESTINATION]))
    )


def _is_in(atom: Atom, names: set[str]) -> bool:
    return isinstance(atom.meaning, Value) and atom.meaning.field in names


def place_before(words: Sequence[Word], start: int) -> int:
    """The place of the word before that at *start*, articles left out; -1 where there is none."""
    at = start - 1
    while at >= 0 and words[at].folded in _ARTICLES:
        at -= 1
    return at


def _before(words: Sequence[Word], start: int) -> str | None:
    at = place_before(words, start)
    return words[at].folded if at >= 0 else None
