"""Takes the names of bands, fields, values and statements apart into words that a question may say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from chat.offline.atoms import BandName, FieldName, Meaning, Stated, Value, View
from chat.offline.lexicon import LANGUAGES, QuestionLanguage, forms, lexicon_of, subjects
from chat.offline.tokens import number_word
from engine.names import fold, name_tokens
from engine.profile import Profile
from engine.roles import AVERAGED

_value_words = re.compile(r"[^\W_]+").findall
_is_camel = re.compile(r"[a-z][A-Z][A-Za-z0-9]*").fullmatch

Kind = Literal["band", "field", "value", "stated"]


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a name."""

    text: str
    keys: frozenset[str]
    """What it shares with the words that may stand for it."""
    is_generic: bool
    """Whether it says what kind of thing the name holds, not which one."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a band's, in words."""

    kind: Kind
    written: str
    tokens: tuple[Token, ...]
    meaning: Meaning
    is_number: bool = False
    """Whether it is a field with numbers that are more than labels."""


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A value that a search has found, which the profile does not list."""

    band: str
    field: str
    value: str


def names_of(view: View, profile: Profile, found: Sequence[FoundValue] = ()) -> tuple[Name, ...]:
    """Everything of the band that has a name; *found* are more of its values."""
    return tuple(_names(view, profile, found))


def _names(view: View, profile: Profile, found: Sequence[FoundValue]) -> Iterator[Name]:
    band = view.band
    titles = list(dict.fromkeys((band.name, *band.names)))
    if view.is_alone and profile.info is not None:
        # The only band is what the report is about, whatever the band is called.
        titles += [profile.info.name, profile.info.id]
    for title in titles:
        yield Name("band", title, tokens_of(title), BandName(False, False, False, False, frozenset()))
    for field in band.fields:
        tokens = tokens_of(field.name)
        if field.role == "rate":
            # A value of one unit is its price.
            tokens = tuple(
                replace(token, keys=token.keys | {"@price"}) if "@value" in token.keys else token
                for token in tokens
            )
        is_number = field.type == "number" and field.role in AVERAGED
        yield Name("field", field.name, tokens, FieldName(field.name), is_number)
        if field.label is not None:
            yield Name("field", field.label, tokens_of(field.label), FieldName(field.name), is_number)
        if field.type == "text" or field.role in ("id", "year", "part"):
            for one in field.values or ():
                if one.value is not None:
                    yield Name("value", one.value, value_tokens(one.value), Value(field.name, one.value))
    for hit in found:
        if hit.band in band.names or hit.band == band.name:
            yield Name("value", hit.value, value_tokens(hit.value), Value(hit.field, hit.value))
    for aggregate in view.aggregates:
        yield Name("stated", aggregate.id, tokens_of(aggregate.id, with_verbs=True), Stated(aggregate))


def tokens_of(name: str, *, with_verbs: bool = False) -> tuple[Token, ...]:
    """
    The words of a band's or field's *name*, abbreviations as what they stand for.

    A statement such as `maior_venda` holds words that otherwise say what is computed: those too *with_verbs*.
    """
    about = subjects()
    words = list(name_tokens(name))
    found = []
    for place, word in enumerate(words):
        if word in LITTLE_WORDS and len(words) > 1 and not _is_camel(name):
            continue
        initial = about.initials.get(word) if place == 0 and _is_camel(name) else None
        meant = initial or about.abbreviations.get(word)
        keys = about.keys(word) | (about.keys(meant) if meant else frozenset())
        keys |= verb_keys(word) if with_verbs else frozenset()
        generic = bool({key[1:] for key in keys if key.startswith("@")} & about.generic)
        found.append(Token(word, keys, generic or len(word) == 1))
    return tuple(found)


def value_tokens(value: str) -> tuple[Token, ...]:
    """The words of a *value* of the data."""
    words = list(_value_words(fold(value).lower()))
    kept = [word for word in words if word not in LITTLE_WORDS] or words
    return tuple([Token(word, about_value(word), False) for word in kept])


def about_value(word: str) -> frozenset[str]:
    """
    What a *word* of a value shares with the words that may stand for it: its forms, and those of the other language.

    Of its own language it stands for itself alone: `Transporte` is no `frete`, but `South` is `Sul`.
    """
    return forms(word) | {f"@{language}:{subject}" for language, subject in subjects().in_language(word)}


def said_of_value(word: str) -> frozenset[str]:
    """The keys that a *word* of a question has for values."""
    other = {"pt": "en", "en": "pt"}
    return forms(word) | {
        f"@{other[language]}:{subject}" for language, subject in subjects().in_language(word)
    }


LITTLE_WORDS = lexicon_of("pt").stop | lexicon_of("en").stop | {"e", "and", "by", "por"}


def verb_keys(word: str) -> frozenset[str]:
    """What is computed, and numbers, whatever their language."""
    return frozenset(key for language in LANGUAGES for key in _verb_keys_in(word, language))


def _verb_keys_in(word: str, language: QuestionLanguage) -> Iterator[str]:
    lexicon = lexicon_of(language)
    for kind, name in lexicon.phrases.get((word,), ()):
        if kind == "verb":
            yield f"@verb:{name}"
        elif kind in ("greatest", "smallest"):
            yield f"@{kind}"
    number = number_word(word, lexicon, language)
    if number is not None:
        yield f"@number:{number.normalize()}"
