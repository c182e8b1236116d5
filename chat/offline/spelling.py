"""Finds the word of a report that a misspelt one is: one letter left out, doubled or in the wrong place."""

from __future__ import annotations

from collections.abc import Iterable

from chat.offline.lexicon import Subjects, forms

CHARS_MIN = 6
"""In a shorter word a slip makes another word too easily."""
ENDING = 2
"""The last letters are those of number and gender, and of other words: `direto` is no slip of `diretor`."""


def corrections(word: str, known: Iterable[str], about: Subjects) -> frozenset[str]:
    """
    The keys of the only one of *known* that *word* is a slip of; empty where there is none, or more than one.

    One letter for another is no slip, since it mostly makes another word: `duplicada` and `duplicata`. Nor is a
    word of the language that is about something else.
    """
    if len(word) < CHARS_MIN or not word.isalpha() or about.of(word):
        return frozenset()
    near = [one for one in known if _is_slip(word, one)]
    if not near:
        return frozenset()
    shared = frozenset.intersection(*(forms(one) for one in near))
    return about.keys(min(near)) if len(near) == 1 or shared else frozenset()


def _is_slip(word: str, meant: str) -> bool:
    if len(meant) < CHARS_MIN - 1 or word[0] != meant[0] or word[-ENDING:] != meant[-ENDING:]:
        return False
    if len(word) == len(meant):
        return _is_swapped(word, meant)
    short, long = sorted((word, meant), key=len)
    return len(long) == len(short) + 1 and any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def _is_swapped(word: str, meant: str) -> bool:
    """Whether two neighbours have changed places."""
    differ = [at for at, letter in enumerate(word) if letter != meant[at]]
    if len(differ) != 2 or differ[1] != differ[0] + 1:
        return False
    first, second = differ
    return word[first] == meant[second] and word[second] == meant[first]
