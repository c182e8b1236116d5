"""Reads the words of the offline grammar: what a phrase may mean in a language, and what a word is about."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from engine.names import fold

QuestionLanguage = Literal["pt", "en"]
LANGUAGES: tuple[QuestionLanguage, ...] = ("pt", "en")

Meaning = tuple[str, str]
"""A kind of word, and which of its kind: `("verb", "SUM")`."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of one language that build a question; they name nothing of a report."""

    phrases: Mapping[tuple[str, ...], tuple[Meaning, ...]]
    """What each expression may mean, by its folded words."""
    stop: frozenset[str]
    """Articles and the like, which may stand within a name."""
    months: Mapping[str, tuple[int, bool]]
    """The number of a month, and whether this is its full name."""
    ordinals: Mapping[str, int]
    quarters: frozenset[str]
    halves: frozenset[str]
    numbers: Mapping[str, int]
    scales: Mapping[str, int]

    @property
    def longest(self) -> int:
        """The number of words of the longest expression."""
        return max(map(len, self.phrases))


@dataclass(frozen=True, slots=True)
class Subjects:
    """What words are about, whatever their language, and what the subjects have to do with each other."""

    by_form: Mapping[str, frozenset[str]]
    by_language: Mapping[QuestionLanguage, Mapping[str, frozenset[str]]]
    """The same for each language."""
    verbs: frozenset[str]
    """The forms that say what happened, and are not the name of a thing."""
    abbreviations: Mapping[str, str]
    initials: Mapping[str, str]
    money: frozenset[str]
    generic: frozenset[str]
    amounts: frozenset[str]
    quantities: frozenset[str]
    codes: frozenset[str]
    kinds: frozenset[str]
    mass: frozenset[str]
    worth: frozenset[str]
    aliases: Mapping[str, frozenset[str]]
    unless: Mapping[str, frozenset[str]]
    agents: Mapping[str, frozenset[str]]

    def of(self, word: str) -> frozenset[str]:
        """The subjects of a folded *word*, in any of its forms."""
        return frozenset().union(*(self.by_form.get(form, frozenset()) for form in forms(word)))

    def in_language(self, word: str) -> Iterator[tuple[QuestionLanguage, str]]:
        """The subjects of *word* in each language that has it."""
        for language, by_form in self.by_language.items():
            for subject in frozenset().union(*(by_form.get(form, frozenset()) for form in forms(word))):
                yield language, subject

    def keys(self, word: str) -> frozenset[str]:
        """What *word* shares with every word that may stand for it: its forms, and `@subject`s."""
        return forms(word) | {f"@{subject}" for subject in self.of(word)}


@cache
def forms(word: str) -> frozenset[str]:
    """
    What *word* may be without its plural and gender, itself included.

    >>> sorted(forms("regioes")), sorted(forms("cancelada"))
    (['regiao', 'regioe', 'regioes'], ['cancelada', 'cancelado'])
    """
    found = {word}
    if len(word) > 3 and word.isalpha():
        if word.endswith("s") and not word.endswith("ss"):
            found.add(word[:-1])
        for ending, singular in _PLURALS:
            if word.endswith(ending):
                found.add(word[: -len(ending)] + singular)
    found |= {one[:-1] + "o" for one in found if len(one) > 4 and one.endswith(_FEMININE)}
    return frozenset(found)


_PLURALS = (
    ("oes", "ao"),
    ("aes", "ao"),
    ("ais", "al"),
    ("eis", "el"),
    ("ois", "ol"),
    ("res", "r"),
    ("zes", "z"),
    ("ses", "s"),
    ("ns", "m"),
    ("ies", "y"),
    ("ches", "ch"),
    ("xes", "x"),
)
_FEMININE = ("ada", "ida", "osa", "iva", "ica", "uta", "uida", "rta")


@cache
def lexicon_of(language: QuestionLanguage) -> Lexicon:
    """The words of *language*."""
    file = _file(language)
    phrases: dict[tuple[str, ...], list[Meaning]] = {}
    for kind, name, words in _phrases_in(file):
        for phrase in words:
            meanings = phrases.setdefault(tuple(fold(phrase).lower().split()), [])
            if (kind, name) not in meanings:
                meanings.append((kind, name))
    period = file["period"]
    months = {
        fold(word): (number, place == 0)
        for number, names in enumerate(period["months"], 1)
        for place, word in enumerate(names)
    }
    ordinals = {word: number for number, words in enumerate(period["ordinals"], 1) for word in words}
    return Lexicon(
        {phrase: tuple(meanings) for phrase, meanings in phrases.items()},
        frozenset(file["stop"]),
        months,
        ordinals,
        frozenset(period["quarters"]),
        frozenset(period["halves"]),
        file["numbers"],
        file["scales"],
    )


def _phrases_in(file: Mapping[str, Any]) -> Iterable[tuple[str, str, list[str]]]:
    yield "fill", "", file["stop"] + file["filler"]
    yield "be", "", file["be"]
    for name, words in file["verbs"].items():
        yield "verb", name, words
    for name, words in file["marks"].items():
        yield name, "", words
    for name, words in file["prices"].items():
        yield name, "price", words
    for name, words in file["comparisons"].items():
        yield "cmp", name, words
    for name in ("since", "until", "before", "after"):
        yield "side", name, file["period"][name]
    for name in ("month", "quarter", "year", "week", "day"):
        # The noun in both numbers comes first; what follows says "for each of them" by itself.
        yield "unit", name, file["period"][name][:2]
        yield "per_unit", name, file["period"][name][2:]
    for name, words in file["units"].items():
        yield "measure_unit", name, words
    for name, words in file["blocks"].items():
        yield "block", name, words


@cache
def subjects() -> Subjects:
    """The subjects of both languages together: a report's names may be in the other one."""
    by_language: dict[QuestionLanguage, dict[str, frozenset[str]]] = {}
    abbreviations: dict[str, str] = {}
    initials: dict[str, str] = {}
    verbs: set[str] = set()
    for language in LANGUAGES:
        file = _file(language)
        by_form = by_language.setdefault(language, {})
        for subject, words in file["concepts"].items():
            for word in words:
                found = forms(fold(word.lstrip("~")).lower())
                verbs |= found if word.startswith("~") else frozenset()
                for form in found:
                    by_form[form] = by_form.get(form, frozenset()) | {subject}
        abbreviations |= file["abbreviations"]
        initials |= file["initials"]
    shared = _file("subjects")
    sets: dict[str, Mapping[str, frozenset[str]]] = {
        table: {name: frozenset(words) for name, words in shared[table].items()}
        for table in ("aliases", "unless", "agents")
    }
    return Subjects(
        _merged(by_language.values()),
        by_language,
        frozenset(verbs),
        abbreviations,
        initials,
        frozenset(shared["money"]),
        frozenset(shared["generic"]),
        frozenset(shared["amounts"]),
        frozenset(shared["quantities"]),
        frozenset(shared["codes"]),
        frozenset(shared["kinds"]),
        frozenset(shared["mass"]),
        frozenset(shared["worth"]),
        sets["aliases"],
        sets["unless"],
        sets["agents"],
    )


def _merged(tables: Iterable[Mapping[str, frozenset[str]]]) -> Mapping[str, frozenset[str]]:
    merged: dict[str, frozenset[str]] = {}
    for table in tables:
        for form, found in table.items():
            merged[form] = merged.get(form, frozenset()) | found
    return merged


def language_of(words: Iterable[str]) -> QuestionLanguage | None:
    """The language whose little words a question has more of; None where that says nothing."""
    given = list(words)
    counts = {language: _count(given, lexicon_of(language)) for language in LANGUAGES}
    if counts["pt"] == counts["en"]:
        return None
    return "pt" if counts["pt"] > counts["en"] else "en"


def _count(words: list[str], lexicon: Lexicon) -> int:
    return sum((word,) in lexicon.phrases or word in lexicon.months for word in words)


@cache
def _file(name: str) -> Mapping[str, Any]:
    text = files("chat.offline").joinpath(f"lexicon/{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
