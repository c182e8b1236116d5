"""Writes why a question is not answered, with questions of the same report that can be."""

from __future__ import annotations

from collections.abc import Iterator

from chat.offline.book import Book
from chat.offline.describe import short_name
from chat.offline.lexicon import QuestionLanguage
from chat.offline.read import BLOCKS, read
from chat.offline.reading import Doubt, Reading
from chat.offline.understanding import views_of
from chat.sentences import sentence
from engine.notes import Language
from engine.profile import Profile

EXAMPLES_MAX = 3


def write_doubt(doubt: Doubt, profile: Profile, language: Language) -> str:
    """One sentence that says what is not clear, and questions that are."""
    values = {
        "names": doubt.names or tuple(dict.fromkeys(short_name(one, language) for one in doubt.readings)),
        "words": doubt.names[0] if doubt.names else "",
        "bands": tuple(view.band.name for view in views_of(profile)),
    }
    # What is beyond tools and figures is understood well enough.
    opening = "offline_not_this" if doubt.code in BLOCKS.values() else "offline_not_sure"
    why = f"{sentence(opening, language)} {sentence(doubt.code, language, **values)}"
    examples = examples_of(profile, language)
    if not examples:
        return why
    return "\n- ".join([f"{why}\n{sentence('offline_examples', language)}", *examples])


def examples_of(profile: Profile, language: Language) -> list[str]:
    """Up to `EXAMPLES_MAX` questions about this report, each of which is understood."""
    spoken: QuestionLanguage = "en" if language == "en" else "pt"
    found: list[str] = []
    for question in _candidates(profile, language):
        if len(found) == EXAMPLES_MAX:
            break
        if question not in found and isinstance(read(question, profile, spoken), Reading):
            found.append(question)
    return found


def _candidates(profile: Profile, language: Language) -> Iterator[str]:
    books = [Book(view) for view in views_of(profile)]
    for book in books:
        band = book.view.band.name
        field = book.main(is_money=True)
        if isinstance(field, Doubt):
            continue
        yield sentence("offline_example_total", language, field=field, band=band)
        for one in book.fields:
            if one.is_enumeration and one.type == "text" and not one.is_identity:
                yield sentence("offline_example_groups", language, field=field, by=one.name, band=band)
                break
    for book in books:
        for one in book.fields:
            if book.is_number(one.name):
                yield sentence("offline_example_average", language, field=one.name, band=book.view.band.name)
    for book in books:
        yield sentence("offline_example_rows", language, band=book.view.band.name)
