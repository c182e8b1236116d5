"""Finds the names of a report in the words of a question, whole or in part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from chat.offline.atoms import Atom, BandName, FieldName, Meaning, Value
from chat.offline.lexicon import subjects
from chat.offline.names import LITTLE_WORDS, Name, Token, said_of_value, verb_keys
from chat.offline.tokens import Word
from engine.names import fold

SPAN_MAX = 10
"""So many words a name may have in a question."""
PARTIAL_CHARS_MIN = 3
"""A shorter word of a value is not enough to mean it."""

_has_digit = re.compile(r"\d").search

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Meant:
    """What words of a question may stand for beside themselves, by their place."""

    corrected: Mapping[int, frozenset[str]]
    """The keys of the word that a misspelt one probably is."""
    aliases: Mapping[int, frozenset[str]]
    """The keys of the same event told by the other side."""

    def more(self, place: int, keys: frozenset[str], is_value: bool) -> frozenset[str]:
        """*keys* with those; an alias names no value."""
        found = keys | self.corrected.get(place, _NONE)
        return found if is_value else found | self.aliases.get(place, _NONE)

    def cost(self, start: int, end: int) -> int:
        """How much less certain that makes the words from *start* to *end*."""
        return 2 * sum(at in self.corrected for at in range(start, end)) + sum(
            at in self.aliases for at in range(start, end)
        )


def find_names(words: Sequence[Word], names: Sequence[Name], meant: Meant) -> list[Atom]:
    """
    Each of *names* wherever it, or enough of it, stands in *words*.

    A word that names the band is rather that than part of a field's name, as in `valor_frete` of `fretes`, unless
    it is all of the name of what is added up, as in `meta` of `metas`; and rather that than a value in another
    form, as in `bookings` of `reservas`, some of which are by `Booking`.
    """
    found = [_rather_value(atom, words, names) for atom in _find(words, names, meant)]
    bands = {atom.start for atom in found if isinstance(atom.meaning, BandName) and atom.cost == 0}
    whole = {
        name.meaning.field
        for name in names
        if isinstance(name.meaning, FieldName) and name.is_number and len(name.tokens) == 1
    }
    return [
        replace(atom, cost=atom.cost + 1)
        if atom.end == atom.start + 1
        and atom.start in bands
        and (
            (isinstance(atom.meaning, FieldName) and atom.meaning.field not in whole)
            or (isinstance(atom.meaning, Value) and not _is_as_written(words[atom.start], atom.meaning))
        )
        else atom
        for atom in found
    ]


def _rather_value(atom: Atom, words: Sequence[Word], names: Sequence[Name]) -> Atom:
    """In `pelo Booking` the value is meant, although `reservas` are bookings: it is written as the value is."""
    word = words[atom.start]
    if not isinstance(atom.meaning, BandName) or atom.end > atom.start + 1 or not word.text[0].isupper():
        return atom
    is_value = word.start > 0 and any(name.kind == "value" and name.written == word.text for name in names)
    own = {token.text for name in names if name.kind == "band" for token in name.tokens}
    return replace(atom, cost=atom.cost + 1) if is_value and not word.forms & own else atom


def _is_as_written(word: Word, value: Value) -> bool:
    return word.folded == fold(value.value).lower()


def _find(words: Sequence[Word], names: Sequence[Name], meant: Meant) -> list[Atom]:
    own = {
        False: [word.keys | verb_keys(word.folded) for word in words],
        True: [said_of_value(word.folded) for word in words],
    }
    said = {
        is_value: [meant.more(place, keys, is_value) for place, keys in enumerate(own[is_value])]
        for is_value in (True, False)
    }
    found: list[Atom] = []
    for name in names:
        keys = said[name.kind == "value"]
        touched = [
            place for place in range(len(words)) if any(keys[place] & token.keys for token in name.tokens)
        ]
        found += _exactly(words, name)
        for start in touched:
            for end in touched:
                if start <= end < start + SPAN_MAX and words[start].sentence == words[end].sentence:
                    atom = _match(words, keys, start, end + 1, name, meant)
                    if atom is not None:
                        found.append(atom)
    return _best(found)


def _exactly(words: Sequence[Word], name: Name) -> Iterator[Atom]:
    """A name typed as the report writes it."""
    if len(name.tokens) > 1:
        for place, word in enumerate(words):
            if word.text.casefold() == name.written.casefold():
                yield _atom(words, place, place + 1, name, 0)


def _match(
    words: Sequence[Word], keys: Sequence[frozenset[str]], start: int, end: int, name: Name, meant: Meant
) -> Atom | None:
    """The name if each of the words but the little ones stands for another of its own words."""
    left = list(name.tokens)
    by_form, is_vague = True, True
    for place in range(start, end):
        word = words[place]
        token = next((one for one in left if one.text == word.folded), None) or next(
            (one for one in left if keys[place] & one.keys), None
        )
        if token is None:
            if word.folded in LITTLE_WORDS or word.folded == "&":
                continue
            return None
        by_form = by_form and bool((word.forms | meant.corrected.get(place, _NONE)) & token.keys)
        is_vague = is_vague and token.is_generic
        left.remove(token)
    if left and is_vague and all(_is_verb(word) for word in words[start:end]):
        return None  # a bare "total" is what to compute, and no field
    if name.kind == "value" and end == start + 1 and _is_little(words[start], name):
        return None
    cost = _cost(name, left, by_form, words[start:end])
    if cost is None:
        return None
    atom = _atom(words, start, end, name, cost + meant.cost(start, end))
    if isinstance(atom.meaning, FieldName):
        is_plural = any(_is_plural(word, name) for word in words[start:end])
        is_event = any("@date" in token.keys for token in left)
        is_kind = any(f"@{subject}" in token.keys for token in left for subject in subjects().kinds)
        meaning = replace(
            atom.meaning,
            is_vague=is_vague,
            is_event=is_event,
            is_plural=is_plural,
            is_own=by_form,
            is_kind=is_kind,
        )
        return replace(atom, meaning=meaning)
    return atom


def _is_little(word: Word, name: Name) -> bool:
    """Whether a word like `a` or `no` is just that: as the value `A` it stands alone in capitals."""
    is_said_so = word.text == name.written and word.text.isupper() and word.start > 0
    return word.folded in LITTLE_WORDS and not is_said_so


def _is_plural(word: Word, name: Name) -> bool:
    """Whether a word is a plural, and not a word that just ends like one, such as `status`."""
    is_own = word.folded in subjects().by_form or any(token.text == word.folded for token in name.tokens)
    return word.folded.endswith("s") and not is_own


def _is_verb(word: Word) -> bool:
    return any(key.startswith("@verb:") for key in verb_keys(word.folded))


def _cost(name: Name, left: Sequence[Token], by_form: bool, words: Sequence[Word]) -> int | None:
    """How far words are from a name of which the tokens *left* are not said; None for too far."""
    if not left:
        return 0
    match name.kind:
        case "stated":
            return None
        case "value":
            # A part of a value is enough where it is a word of its own, as it is written.
            long = [
                word
                for word in words
                if len(word.folded) >= PARTIAL_CHARS_MIN and not _has_digit(word.folded)
            ]
            return 1 if by_form and long else None
    specific = [token for token in name.tokens if not token.is_generic]
    missing = [token for token in left if not token.is_generic]
    if name.kind == "band" and len(missing) == len(specific) and specific:
        return None
    is_code = any(f"@{subject}" in token.keys for token in left for subject in subjects().codes)
    return 1 if missing or is_code else 0


def _atom(words: Sequence[Word], start: int, end: int, name: Name, cost: int) -> Atom:
    meaning = name.meaning
    if isinstance(meaning, BandName):
        meaning = band_name(words[start:end])
    return Atom(start, end, meaning, cost)


def band_name(words: Sequence[Word]) -> BandName:
    """What the words that name a band say of its rows."""
    about = frozenset().union(*(subjects().of(word.folded) for word in words))
    return BandName(
        bool(about & subjects().money),
        any(not word.is_verb for word in words if word.folded not in LITTLE_WORDS),
        any(word.folded.endswith("s") for word in words),
        bool(about & subjects().mass),
        about,
    )


def _best(atoms: Iterable[Atom]) -> list[Atom]:
    """Of equal meanings of the same words, the one that is nearest."""
    best: dict[tuple[int, int, Meaning], Atom] = {}
    for atom in atoms:
        key = (atom.start, atom.end, atom.meaning)
        if key not in best or atom.cost < best[key].cost:
            best[key] = atom
    return list(best.values())
