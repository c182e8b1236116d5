"""Reads a question about a report: every word explained and exactly one meaning, or a doubt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chat.offline.atoms import Atom, BandName, Mark, Stated
from chat.offline.book import Book
from chat.offline.chart import covers, may_hold
from chat.offline.frame import frame_of
from chat.offline.grammar import read_frame
from chat.offline.lexicon import QuestionLanguage, language_of, subjects
from chat.offline.lookup import search_for
from chat.offline.names import FoundValue
from chat.offline.reading import INCOMPLETE, Doubt, Reading, Search
from chat.offline.tokens import WORDS_MAX, split
from chat.offline.understanding import Understanding, understand
from engine.profile import Profile

BLOCKS: Mapping[str, str] = {
    "negation": "offline_block_negation",
    "inexpressible": "offline_block_inexpressible",
    "cause": "offline_block_cause",
    "forecast": "offline_block_forecast",
    "change": "offline_block_change",
    "rows": "offline_block_rows",
    "clock": "offline_block_clock",
    "opinion": "offline_block_opinion",
}
"""The sentence for each kind of what is not answered without a model."""

RIVALS = frozenset(
    {
        "offline_which_field",
        "offline_count_or_sum",
        "offline_which_date",
        "offline_one_or_all",
        "offline_which_average",
        "offline_which_year",
        "offline_beyond_data",
    }
)
"""Doubts about a question that is understood but for one thing: it may be what is meant."""


def language_of_question(question: str) -> QuestionLanguage | None:
    """The language of *question*, by its little words; None where they do not tell it."""
    return language_of(word.folded for word in split(question))


def likely_language(question: str) -> QuestionLanguage | None:
    """The same, or else the language that has more of its words for things: `lucro total`."""
    told = language_of_question(question)
    if told is not None:
        return told
    said = [language for word in split(question) for language, _ in subjects().in_language(word.folded)]
    if said.count("pt") == said.count("en"):
        return None
    return "pt" if said.count("pt") > said.count("en") else "en"


def read(
    question: str,
    profile: Profile,
    language: QuestionLanguage,
    found: Sequence[FoundValue] | None = None,
) -> Reading | Search | Doubt:
    """
    What *question* asks of the report that *profile* describes.

    *found* are the values that a search has found for words that the profile does not explain; None before one.
    """
    words = split(question)
    if not words:
        return Doubt("offline_empty")
    if len(words) > WORDS_MAX:
        return Doubt("offline_long")
    understood = understand(words, profile, language, found or ())
    blocked = [atom for atom in understood.speech.blocks if not _is_named(atom, understood)]
    if blocked:
        block = blocked[0]
        assert isinstance(block.meaning, Mark)
        text = question[words[block.start].start : words[block.end - 1].end]
        return Doubt(BLOCKS[block.meaning.name], (text,))
    results = list(_results(understood))
    readings = _nearest(results)
    if readings:
        return _rival(readings, results) or (
            readings[0].result if len(readings) == 1 else _ambiguous(readings)
        )
    if understood.missing:
        if found is None and (query := search_for(question, understood)) is not None:
            return query
        unknown = tuple(dict.fromkeys(words[place].text for place in sorted(understood.missing)))
        return Doubt("offline_unknown_words", unknown)
    doubts = [one.result for one in results if isinstance(one.result, Doubt)]
    return max(doubts, key=lambda doubt: doubt.weight, default=INCOMPLETE)


# ---- readings ----


def _is_named(block: Atom, understood: Understanding) -> bool:
    """Whether the words of *block* are part of a name that is said in full."""
    return any(
        atom.start <= block.start and block.end <= atom.end and may_hold(atom, [block])
        for atoms in understood.named
        for atom in atoms
    )


@dataclass(frozen=True, slots=True)
class Finding:
    """What one way to explain all words comes to."""

    result: Reading | Doubt
    band: str
    cost: int
    is_implied: bool
    """Whether no word names the band."""
    is_statement: bool
    """Whether the words are the report's own name for what it states, and nothing more."""

    @property
    def rank(self) -> tuple[int, bool, bool]:
        """Of equal readings the one that is understood best comes first."""
        return self.cost, not self.is_statement, self.is_implied


def _results(understood: Understanding) -> Iterator[Finding]:
    words = understood.speech.words
    for view, atoms in zip(understood.views, understood.named, strict=True):
        book = Book(view)
        for cover in covers(understood.speech, atoms):
            cost = sum(atom.cost for atom in cover)
            result: Reading | Doubt
            if len({words[atom.start].sentence for atom in cover}) > 1:
                result = Doubt("offline_two_questions")
            else:
                frame = frame_of(cover, book)
                result = frame if isinstance(frame, Doubt) else read_frame(frame, book)
            is_implied = not any(isinstance(atom.meaning, BandName | Stated) for atom in cover)
            is_statement = any(isinstance(atom.meaning, Stated) for atom in cover) and (
                isinstance(result, Reading) and result.stated is not None
            )
            yield Finding(result, view.band.name, cost, is_implied, is_statement)


def _nearest(results: Iterable[Finding]) -> list[Finding]:
    """The readings that are nearest to the words, each once."""
    nearest: dict[tuple[str, str | None], Finding] = {}
    for one in results:
        if isinstance(one.result, Reading):
            key = one.result.key
            if key not in nearest or one.rank < nearest[key].rank:
                nearest[key] = one
    least = min((one.cost for one in nearest.values()), default=0)
    kept = [one for one in nearest.values() if one.cost == least]
    stated = [one for one in kept if one.is_statement]
    # What the report calls by these very words is meant by them.
    return stated if len(stated) == 1 else kept


def _rival(readings: Sequence[Finding], results: Iterable[Finding]) -> Doubt | None:
    """The doubt that is as near to the words as *readings*: in a band that no word rules out, or nearer still."""
    cost = readings[0].cost
    is_implied = all(one.is_implied for one in readings)
    for one in results:
        if not isinstance(one.result, Doubt) or one.cost > cost:
            continue
        is_elsewhere = is_implied and all(found.band != one.band for found in readings)
        if is_elsewhere and not one.is_implied:
            return one.result  # the words name that band
        if one.result.code in RIVALS:
            if one.cost < cost:
                return one.result
            if is_elsewhere:
                return Doubt("offline_which_band", weight=2)
    return None


def _ambiguous(findings: Sequence[Finding]) -> Doubt:
    readings = tuple(one.result for one in findings if isinstance(one.result, Reading))
    return Doubt("offline_ambiguous", readings=readings)
