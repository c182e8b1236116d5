"""Splits a question into words, numbers and dates, and keeps where each stood."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from chat.offline.lexicon import Lexicon, QuestionLanguage, forms, subjects
from engine.names import fold

WORDS_MAX = 40
"""A longer question is no question of this grammar."""

_word = re.compile(
    r"""
    [0-9]{4}-[0-9]{2}-[0-9]{2} | [0-9]{4}-[TtQq][1-4] | [0-9]{4}-[Ww][0-9]{2} | [0-9]{4}-[0-9]{2}(?![0-9])
    | [0-9]{1,2}/[0-9]{1,2}/[0-9]{4} | [0-9]{1,2}/[0-9]{4} | [TtQq][1-4]/[0-9]{4}
    | [Rr]\$ | [Uu][Ss]\$ | [€£$%&]
    | (?:(?<!\w)-)?[0-9]+(?:[.,][0-9]+)*[ºª°]?
    | [^\W\d_]+\d[\w]* | [^\W\d][\w]*
    | [.?!;\n]+
    | \S
    """,
    re.VERBOSE,
).finditer
_ends = re.compile(r"[.?!;\n]+").fullmatch
_silent = frozenset(",:()[]{}'\"“”‘’`´-–—_/*#…¿¡·")
_plain_number = re.compile(r"-?[0-9]+(?:[.,][0-9]+)*").fullmatch


@dataclass(frozen=True)
class Word:
    """One word of a question."""

    text: str
    """As it was written."""
    folded: str
    """Without accents and capitals."""
    start: int
    end: int
    sentence: int
    """Which sentence of the question it is in."""

    @cached_property
    def keys(self) -> frozenset[str]:
        """What it shares with the names that it may stand for."""
        return subjects().keys(self.folded)

    @cached_property
    def forms(self) -> frozenset[str]:
        """The same without what it is about."""
        return forms(self.folded)

    @cached_property
    def is_verb(self) -> bool:
        """Whether it says what happened, and is not the name of a thing."""
        return bool(self.forms & subjects().verbs)


def split(text: str) -> tuple[Word, ...]:
    """
    The words of *text*.

    >>> [word.folded for word in split("Média de R$ 1.000,50 em 2026-04?")]
    ['media', 'de', 'r$', '1.000,50', 'em', '2026-04']
    """
    return tuple(_words(text))


def _words(text: str) -> Iterator[Word]:
    sentence = 0
    for match in _word(text):
        found = match.group()
        if _ends(found):
            sentence += 1
        elif found not in _silent:
            yield Word(found, fold(found).lower(), match.start(), match.end(), sentence)


def number_in(text: str, language: QuestionLanguage) -> Decimal | None:
    """
    The number that *text* is in *language*; None where it is none, or could be two.

    >>> number_in("1.500", "pt"), number_in("1.500", "en"), number_in("10.5", "pt")
    (Decimal('1500'), Decimal('1.500'), Decimal('10.5'))
    """
    if not _plain_number(text) or len(text) > 30:
        return None
    thousands, point = (".", ",") if language == "pt" else (",", ".")
    whole, _, fraction = text.partition(point)
    if point in fraction or thousands in fraction:
        return None
    groups = whole.split(thousands)
    if len(groups) == 2 and len(groups[1]) != 3 and not fraction and language == "pt":
        return Decimal(f"{groups[0]}.{groups[1]}")  # 10.5, as programs write it
    if any(len(group) != 3 for group in groups[1:]) or (len(groups) > 1 and len(groups[0].lstrip("-")) > 3):
        return None
    return Decimal("".join(groups) + (f".{fraction}" if fraction else ""))


def number_word(word: str, lexicon: Lexicon, language: QuestionLanguage) -> Decimal | None:
    """The number that a folded *word* is, in digits or in letters."""
    known = lexicon.numbers.get(word)
    return Decimal(known) if known is not None else number_in(word, language)
