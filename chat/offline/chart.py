"""Lays out everything that the words of a question may mean, and finds the ways to explain all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from chat.offline.atoms import Amount, Atom, FieldName, Mark, Stated, Value
from chat.offline.lexicon import Lexicon, QuestionLanguage
from chat.offline.periods import find_periods
from chat.offline.tokens import Word, number_word

COVERS_MAX = 500
"""A question that can be taken apart in more ways is none of this grammar."""

Cover = tuple[Atom, ...]
"""Atoms side by side, without the words that add nothing."""


@dataclass(frozen=True, slots=True)
class Speech:
    """A question's words, and what they mean whatever the report is about."""

    words: tuple[Word, ...]
    language: QuestionLanguage
    lexicon: Lexicon
    atoms: tuple[Atom, ...]
    blocks: tuple[Atom, ...]
    """What cannot be answered without a model, unless it is part of a name."""


def read_speech(words: tuple[Word, ...], lexicon: Lexicon, language: QuestionLanguage) -> Speech:
    """What the *words* of a question mean in its language."""
    phrases = list(_phrases(words, lexicon))
    others = [atom for atom in phrases if not atom.is_mark("block")]
    blocks = [
        atom
        for atom in phrases
        if atom.is_mark("block")
        and not any(_is_within(atom, other) for other in phrases if other is not atom)
    ]
    periods = find_periods(words, lexicon, language)
    numbers = [*_amounts(words, lexicon, language), *periods]
    # The 15 of "15 de março" is no number, and its March no month.
    atoms = [*others, *(atom for atom in numbers if not any(_is_within(atom, other) for other in periods))]
    free = [atom for atom in atoms if not any(_touch(atom, block) for block in blocks)]
    return Speech(words, language, lexicon, tuple(free), tuple(blocks))


def _phrases(words: Sequence[Word], lexicon: Lexicon) -> Iterator[Atom]:
    for start in range(len(words)):
        for end in range(start + 1, min(start + lexicon.longest, len(words)) + 1):
            if words[start].sentence != words[end - 1].sentence:
                break
            phrase = tuple(word.folded for word in words[start:end])
            for kind, name in lexicon.phrases.get(phrase, ()):
                # Only the accent tells `é` from `e`, the copula from the conjunction.
                if phrase != ("e",) or kind == ("be" if words[start].text in "éÉ" else "and"):
                    yield Atom(start, end, Mark(kind, name))


def _is_within(atom: Atom, other: Atom) -> bool:
    """Whether *other* has the words of *atom* and more."""
    return (
        other.start <= atom.start
        and atom.end <= other.end
        and other.end - other.start > atom.end - atom.start
    )


def _touch(atom: Atom, other: Atom) -> bool:
    return atom.start < other.end and other.start < atom.end


# ---- numbers ----


def _amounts(words: Sequence[Word], lexicon: Lexicon, language: QuestionLanguage) -> Iterator[Atom]:
    """Numbers with their scale and unit: `10`, `dez mil`, `R$ 1.000,50`, `20 %`."""
    for start in range(len(words)):
        number = number_word(words[start].folded, lexicon, language)
        if number is None:
            scale = lexicon.scales.get(words[start].folded)
            if scale is None or not words[start].folded.isalpha() or len(words[start].folded) < 3:
                continue
            number, end = Decimal(scale), start + 1  # "mil"
        else:
            end = start + 1
            while end < len(words) and (scale := lexicon.scales.get(words[end].folded)) is not None:
                number, end = number * scale, end + 1
        is_plain = end == start + 1 and not words[start].folded.startswith("0")
        unit_before = _unit(words, start - 1, lexicon)
        if unit_before is not None:
            yield Atom(start - 1, end, Amount(number, unit_before, False))
            continue
        yield Atom(start, end, Amount(number, None, is_plain and number == number.to_integral_value()))
        after = end + 1 if end < len(words) and words[end].folded in ("de", "of") and not is_plain else end
        unit = _unit(words, after, lexicon)
        if unit is not None:
            yield Atom(start, after + 1, Amount(number, unit, False))
        elif (
            after + 1 < len(words)
            and words[after].folded in ("por", "per")
            and words[after + 1].folded == "cento"
        ):
            yield Atom(start, after + 2, Amount(number, "%", False))


def _unit(words: Sequence[Word], at: int, lexicon: Lexicon) -> str | None:
    if not 0 <= at < len(words):
        return None
    meanings = lexicon.phrases.get((words[at].folded,), ())
    return next((name for kind, name in meanings if kind == "measure_unit"), None)


# ---- all words explained ----


def covers(speech: Speech, named: Sequence[Atom]) -> list[Cover]:
    """
    Every way to explain all words with atoms side by side; *named* are those of one band.

    What a block says is not to be said otherwise, but a whole name may hold its words. None at all where there are
    more ways than `COVERS_MAX`: of some of them nobody could tell whether another means something else.
    """
    atoms = [
        atom
        for atom in (*speech.atoms, *speech.blocks, *named)
        if not atom.is_mark("measure_unit")  # it says something beside a number only
    ]
    atoms = [
        atom
        for atom in atoms
        if atom not in named
        or not any(_touch(atom, block) for block in speech.blocks)
        or may_hold(atom, [block for block in speech.blocks if _touch(atom, block)])
    ]
    by_start: list[list[Atom]] = [[] for _ in speech.words]
    for atom in atoms:
        by_start[atom.start].append(atom)

    @cache
    def rest(start: int) -> tuple[Cover, ...] | None:
        if start == len(speech.words):
            return ((),)
        found: dict[Cover, None] = {}
        for atom in by_start[start]:
            following = rest(atom.end)
            if following is None:
                return None
            found |= {cover if atom.is_mark("fill") else (atom, *cover): None for cover in following}
            if len(found) > COVERS_MAX:
                return None
        return tuple(found)

    return list(rest(0) or ())


NAMING = frozenset({"cause", "forecast", "opinion"})
"""What a field may be called by one such word: `motivo`, `previsao`."""


def may_hold(atom: Atom, blocks: Sequence[Atom]) -> bool:
    """Whether the words of *blocks* are part of a name that is said in full."""
    if atom.cost > 0 or not isinstance(atom.meaning, FieldName | Value | Stated):
        return False
    return atom.end - atom.start > 1 or all(
        isinstance(block.meaning, Mark) and block.meaning.name in NAMING for block in blocks
    )


def unexplained(speech: Speech, named: Sequence[Atom]) -> frozenset[int]:
    """The places of words that mean nothing at all."""
    explained = {
        place for atom in (*speech.atoms, *speech.blocks, *named) for place in range(atom.start, atom.end)
    }
    return frozenset(range(len(speech.words))) - explained
