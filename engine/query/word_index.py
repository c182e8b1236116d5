"""Finds the texts that are most like a few words, whatever their case, accents, order and small slips."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from math import log10

from engine.cleaning import strip
from engine.query import deadline

SCORE_MIN = 60
"""What is less alike is no hit."""
QUERY_CHARS_MAX = 200
"""A longer query is searched by its start."""
QUERY_WORDS_MAX = 12
"""Of more words the longest are looked for."""

CONTAINED_CHARS_MIN = 3
"""A shorter part of a word only counts at the word's start."""
MISSPELT_CHARS_MIN = 4
"""A shorter word is not taken for a slip of another."""
MISSPELT_RATIO_MIN = 76
"""One letter of five may be another, or one of four left out."""
CODE_RATIO_MIN = 85
"""Codes that are a digit apart name other things."""

TEXTS_AT_ONCE = 20_000
"""Between two looks at the deadline."""


@dataclass(frozen=True, slots=True)
class Needle:
    """What is looked for."""

    text: str
    """As it was asked, stripped and cut."""
    folded: str
    """Its words without case and accents; empty where it has neither letters nor digits."""
    words: tuple[str, ...]
    is_cut: bool = False

    @classmethod
    def of(cls, query: str) -> Needle:
        """Read *query*."""
        stripped = strip(query)
        text = strip(stripped[:QUERY_CHARS_MAX])
        (folded,) = fold_words([text])
        words = sorted(dict.fromkeys(folded.split()), key=len, reverse=True)[:QUERY_WORDS_MAX]
        return cls(text, folded, tuple(words), len(stripped) > QUERY_CHARS_MAX)


def fold_words(texts: Sequence[str]) -> list[str]:
    """
    The words of each of *texts*, letters and digits only, without case and accents.

    >>> fold_words(["São Sebastião  do Passé", "valor_total", "R$ 12,5"])
    ['sao sebastiao do passe', 'valor total', 'r 12 5']
    """
    # All at once: a call for each of 50,000 names takes ten times as long.
    joined = "\n".join(texts)
    if joined.count("\n") >= len(texts):
        joined = "\n".join(text.replace("\n", " ") for text in texts)
    folded = fold(joined)
    gaps = {ord(mark): " " for mark in set(folded) if mark != "\n" and not mark.isalnum()}
    return [" ".join(line.split()) for line in folded.translate(gaps).split("\n")]


def fold(text: str) -> str:
    """*text* in small letters without accents, as `engine.names.fold` but for long texts."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
        marks = [mark for mark in set(text) if unicodedata.combining(mark)]
        if marks:
            text = re.sub(f"[{''.join(map(re.escape, sorted(marks)))}]+", "", text)
    return text.casefold()


@dataclass(frozen=True, slots=True)
class WordIndex:
    """Texts, and which of them each word stands in."""

    texts: Sequence[str]
    folded: Sequence[str]
    words: Sequence[str]
    starts: array[int]
    """Where the positions of each word begin in *positions*, and behind the last one their end."""
    positions: array[int]

    @classmethod
    def of(cls, texts: Sequence[str]) -> WordIndex:
        """Index *texts*."""
        folded: list[str] = []
        for some in _in_pieces(texts):
            folded += fold_words(some)
        found: dict[str, list[int]] = {}
        for position, line in enumerate(deadline.checked(folded)):
            for word in set(line.split()):
                found.setdefault(word, []).append(position)
        starts = array("I", accumulate(map(len, found.values()), initial=0))
        return cls(texts, folded, list(found), starts, array("I", chain.from_iterable(found.values())))

    def matches(self, needle: Needle) -> dict[int, int]:
        """The positions of the texts that are like *needle*, with scores from `SCORE_MIN` to 100 for the same text."""
        if not needle.words:
            return self._literal(needle.text)
        like = {word: self._texts_with(word) for word in needle.words}
        weights = {word: self._weight(word, len(texts)) for word, texts in like.items()}
        whole = sum(weights.values())
        sums: dict[int, float] = {}
        for word, texts in like.items():
            share = weights[word] / whole
            for position, score in texts.items():
                sums[position] = sums.get(position, 0) + score * share
        for position, score in self._misspelt_whole(needle.folded):
            sums[position] = max(sums.get(position, 0), score)
        found = {
            position: self._final(position, score, needle)
            for position, score in sums.items()
            if score >= SCORE_MIN  # the final one is no greater
        }
        return {position: score for position, score in found.items() if score >= SCORE_MIN}

    def _weight(self, word: str, texts: int) -> float:
        """Long words say more, and so do those of few texts; what is in none tells no text from another."""
        return len(word) * (1 + log10(len(self.texts) / texts) if texts else 1)

    def _literal(self, text: str) -> dict[int, int]:
        """A query of signs alone, such as `%`, is looked for as it stands."""
        return {
            position: 100 if strip(one) == text else 80
            for position, one in enumerate(self.texts)
            if text and text in one
        }

    def _texts_with(self, word: str) -> dict[int, float]:
        """The texts that have a word like *word*, with the score of the one most like it."""
        found: dict[int, float] = {}
        for index, score in sorted(self._words_like(word).items(), key=lambda pair: pair[1]):
            texts = self.positions[self.starts[index] : self.starts[index + 1]]
            found.update(dict.fromkeys(texts, score))
        return found

    def _words_like(self, word: str) -> dict[int, float]:
        found = dict(_misspelt(word, self.words)) if _may_be_slip(word) else {}
        is_number = word.isdecimal()
        number = word.lstrip("0")
        for index, other in _holding(number if is_number and number else word, self.words):
            if other == word:
                found[index] = 100
            elif is_number and other.isdecimal() and other.lstrip("0") == number:
                found[index] = 97  # 35 is 0035
            elif other.startswith(word):
                found[index] = 90 + 9 * len(word) / len(other)
            elif word in other and (len(word) >= CONTAINED_CHARS_MIN or not word.isascii()):
                found[index] = max(found.get(index, 0), 75 + 10 * len(word) / len(other))
        return found

    def _misspelt_whole(self, folded: str) -> Iterator[tuple[int, float]]:
        """Texts that have words apart where the query has them together, or the other way round."""
        gaps = folded.count(" ")
        found = _misspelt(folded, self.folded) if _may_be_slip(folded) else iter(())
        return ((position, score) for position, score in found if self.folded[position].count(" ") != gaps)

    def _final(self, position: int, score: float, needle: Needle) -> int:
        """Of texts with the same words, the one with few others, and that begins with them, comes first."""
        text = self.folded[position]
        if text == needle.folded:
            return 100
        covered = min(1.0, len(needle.folded) / len(text))
        begins = text.startswith(needle.folded)
        return min(99, round(score * (0.92 + 0.05 * covered + 0.03 * begins)))


def _may_be_slip(word: str) -> bool:
    return len(word) >= MISSPELT_CHARS_MIN


def _holding(part: str, words: Sequence[str]) -> Iterable[tuple[int, str]]:
    return [(index, word) for index, word in enumerate(words) if part in word]


def _misspelt(word: str, others: Sequence[str]) -> Iterator[tuple[int, float]]:
    from rapidfuzz import fuzz, process

    is_code = any(mark.isdecimal() for mark in word)
    least, weight = (CODE_RATIO_MIN, 0.8) if is_code else (MISSPELT_RATIO_MIN, 0.9)
    start = 0
    for some in _in_pieces(others):
        alike = process.extract(word, some, scorer=fuzz.ratio, score_cutoff=least, limit=None)
        yield from ((start + index, ratio * weight) for _, ratio, index in alike)
        start += len(some)


def _in_pieces(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """*texts* in their order, with a look at the deadline before each piece."""
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        deadline.check()
        yield texts[start : start + TEXTS_AT_ONCE]
