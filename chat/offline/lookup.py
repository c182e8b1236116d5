"""Finds words that may be a value which the profile does not list, so that it is to be searched for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from chat.offline.atoms import Atom, Unknown, View
from chat.offline.book import Book
from chat.offline.chart import covers
from chat.offline.frame import frame_of
from chat.offline.grammar import read_frame
from chat.offline.reading import Doubt, Reading, Search
from chat.offline.tokens import Word
from chat.offline.understanding import Understanding

QUERY_CHARS_MAX = 200
UNKNOWN_WORDS_MAX = 8
"""A longer part that means nothing is no value."""


def search_for(question: str, understood: Understanding) -> Search | None:
    """A search for the words that mean nothing, if all would be clear were they a value."""
    words = understood.speech.words
    for start, end in _spans(question, words, understood.missing):
        text = question[words[start].start : words[end - 1].end]
        if len(text) > QUERY_CHARS_MAX:
            continue
        unknown = Atom(start, end, Unknown(text), 1)
        for view, atoms in zip(understood.views, understood.named, strict=True):
            if not _open_fields(view):
                continue
            clear = [one for one in atoms if one.end <= start or end <= one.start]
            speech = replace(
                understood.speech,
                atoms=tuple(one for one in understood.speech.atoms if one.end <= start or end <= one.start),
            )
            book = Book(view)
            for cover in covers(speech, [*clear, unknown]):
                frame = frame_of(cover, book)
                if not isinstance(frame, Doubt) and frame.unknown is not None:
                    if frame.unknown_field is not None and frame.unknown_field not in _open_fields(view):
                        continue
                    if isinstance(read_frame(frame, book), Reading):
                        return Search(text)
    return None


def _open_fields(view: View) -> frozenset[str]:
    """The text fields whose values the profile does not list."""
    return frozenset(one.name for one in view.band.fields if one.type == "text" and one.values is None)


def _spans(question: str, words: Sequence[Word], missing: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Where an unlisted value may stand: with the words beside it that are written as a name, and without."""
    start, end = min(missing), max(missing) + 1
    # A code such as VD-0048 is one word to its reader.
    while start > 0 and " " not in question[words[start - 1].end : words[start].start]:
        start -= 1
    while end < len(words) and " " not in question[words[end - 1].end : words[end].start]:
        end += 1
    if end - start > UNKNOWN_WORDS_MAX or words[start].sentence != words[end - 1].sentence:
        return
    wide_start, wide_end = start, end
    while wide_start > 1 and words[wide_start - 1].text[0].isupper():
        wide_start -= 1
    while wide_end < len(words) and words[wide_end].text[0].isupper():
        wide_end += 1
    if (wide_start, wide_end) != (start, end):
        yield wide_start, wide_end
    yield start, end
