"""Finds all that the words of a question may mean in each band of a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from chat.offline.atoms import Atom, BandName, FieldName, Mark, Value, View
from chat.offline.book import Book
from chat.offline.chart import Speech, read_speech, unexplained
from chat.offline.lexicon import QuestionLanguage, lexicon_of, subjects
from chat.offline.matching import Meant, band_name, find_names
from chat.offline.names import FoundValue, Name, names_of, tokens_of
from chat.offline.routes import place_before, told_apart
from chat.offline.spelling import corrections
from chat.offline.tokens import Word
from engine.profile import Profile


@dataclass(frozen=True, slots=True)
class Understanding:
    """What all words may mean in each band of a report."""

    speech: Speech
    views: tuple[View, ...]
    named: tuple[tuple[Atom, ...], ...]
    """The names of each band that stand in the words."""

    @property
    def missing(self) -> frozenset[int]:
        """The places of words that mean nothing in any band."""
        places = [unexplained(self.speech, atoms) for atoms in self.named]
        return frozenset.intersection(*places) if places else unexplained(self.speech, ())


def understand(
    words: tuple[Word, ...], profile: Profile, language: QuestionLanguage, found: Sequence[FoundValue]
) -> Understanding:
    """The words with what each may mean."""
    speech = read_speech(words, lexicon_of(language), language)
    views = views_of(profile)
    names = [names_of(view, profile, found) for view in views]
    meant = Meant({}, _aliases(words, names))
    named = [_known(find_names(words, one, meant), words, found) for one in names]
    understood = Understanding(speech, views, tuple(named))
    if understood.missing:
        corrected = _corrected(words, understood.missing, names)
        if corrected:
            meant = replace(meant, corrected=corrected)
            named = [_known(find_names(words, one, meant), words, found) for one in names]
            understood = Understanding(speech, views, tuple(named))
    understood = _with_rows(_with_had(_with_routes(understood)))
    return _with_documents(_with_worth(_with_report(understood, profile), names))


def views_of(profile: Profile) -> tuple[View, ...]:
    """The bands that can be asked about, each with what the report states of it."""
    bands = [band for band in profile.bands if band.fields]
    return tuple(
        View(
            band,
            tuple(
                one
                for one in profile.aggregates
                # What has neither value nor field is hidden from this viewer, as if it did not exist.
                if one.value is not None and one.verb is not None and one.band in (band.name, *band.names)
            ),
            len(bands) == 1,
        )
        for band in bands
    )


# ---- words that stand for others ----


def _aliases(words: Sequence[Word], names: Iterable[Sequence[Name]]) -> Mapping[int, frozenset[str]]:
    """The other side's word for an event that the report does not name."""
    about = subjects()
    known = {
        key.lstrip("@").rpartition(":")[2]
        for one in names
        for name in one
        for token in name.tokens
        for key in token.keys
        if key[0] == "@"
    }
    found = {}
    for place, word in enumerate(words):
        own = about.of(word.folded)
        if own & known:
            continue
        others = [
            f"@{alias}"
            for subject in own
            if not about.unless.get(subject, frozenset()) & known
            for alias in about.aliases.get(subject, ())
        ]
        if others:
            found[place] = frozenset(others)
    return found


def _corrected(
    words: Sequence[Word], missing: Iterable[int], names: Iterable[Sequence[Name]]
) -> Mapping[int, frozenset[str]]:
    known = {token.text for one in names for name in one for token in name.tokens if len(token.text) > 3}
    about = subjects()
    anchored = {key for one in names for name in one for token in name.tokens for key in token.keys}
    # The words that the language has for what the report names may be misspelt as well.
    known |= {form for form, topics in about.by_form.items() if {f"@{topic}" for topic in topics} & anchored}
    found = {place: corrections(words[place].folded, known, about) for place in missing}
    return {place: keys for place, keys in found.items() if keys}


def _known(atoms: list[Atom], words: Sequence[Word], found: Sequence[FoundValue]) -> tuple[Atom, ...]:
    """*atoms* without a found value of which only some words are said, unless they are written as a name."""
    values = {(one.field, one.value) for one in found}
    return tuple(
        atom
        for atom in atoms
        if not (isinstance(atom.meaning, Value) and (atom.meaning.field, atom.meaning.value) in values)
        or atom.cost == 0
        or _is_written_as_name(words[atom.start : atom.end])
    )


def _is_written_as_name(words: Sequence[Word]) -> bool:
    letters = [word.text for word in words if word.text[0].isalpha()]
    return bool(letters) and all(text[0].isupper() for text in letters if len(text) > 3)


def _with_routes(understood: Understanding) -> Understanding:
    """Of two places one is where from, the other where to, where little words say so."""
    words = understood.speech.words
    return replace(
        understood,
        named=tuple(
            told_apart(atoms, words, view)
            for view, atoms in zip(understood.views, understood.named, strict=True)
        ),
    )


def _with_had(understood: Understanding) -> Understanding:
    """`Com desconto` and `with a discount` may be a condition, and no name of what is computed."""
    words = understood.speech.words
    return replace(
        understood,
        named=tuple(
            tuple(
                replace(atom, meaning=replace(atom.meaning, is_had=True))
                if isinstance(atom.meaning, FieldName) and _is_had(words, _start_with_values(atom, atoms))
                else atom
                for atom in atoms
            )
            for atoms in understood.named
        ),
    )


def _is_had(words: Sequence[Word], start: int) -> bool:
    """Whether a `com` stands before, and no word of spending before that: `gastamos com frete`."""
    at = place_before(words, start)
    if at < 0 or words[at].folded not in ("com", "with"):
        return False
    before = place_before(words, at)
    spent = subjects().of(words[before].folded) if before >= 0 else frozenset()
    return not spent & (subjects().worth | {"payment"})


def _start_with_values(atom: Atom, atoms: Iterable[Atom]) -> int:
    """Where *atom* begins, a value right before it included: `high satisfaction`."""
    before = [one.start for one in atoms if isinstance(one.meaning, Value) and one.end == atom.start]
    return min(before, default=atom.start)


def _with_rows(understood: Understanding) -> Understanding:
    """
    `The students` are the rows, where each row has one of its own; that is less near than the field itself.

    Not where the words name a band, and not of what may be kinds of things with a quantity of each.
    """
    words = understood.speech.words
    bands = {
        (atom.start, atom.end)
        for atoms in understood.named
        for atom in atoms
        if isinstance(atom.meaning, BandName)
    }
    named = []
    for view, atoms in zip(understood.views, understood.named, strict=True):
        book = Book(view)
        more = [
            Atom(atom.start, atom.end, band_name(words[atom.start : atom.end]), atom.cost + 1)
            for atom in atoms
            if isinstance(atom.meaning, FieldName)
            and atom.meaning.is_plural
            and (atom.start, atom.end) not in bands
            and book.is_row(atom.meaning.field)
            and (not book.quantities() or atom.meaning.field in book.people())
        ]
        named.append((*atoms, *more))
    return replace(understood, named=tuple(named))


def _with_report(understood: Understanding, profile: Profile) -> Understanding:
    """`How many rooms has the hotel?`: the report's own id adds nothing, where nothing in it has that name."""
    own = {token.text for token in tokens_of(profile.info.id)} if profile.info is not None else set()
    words = understood.speech.words
    marks = [
        Atom(place, place + 1, Mark("fill"), 1)
        for place in sorted(understood.missing)
        if words[place].folded in own
    ]
    speech = replace(understood.speech, atoms=(*understood.speech.atoms, *marks))
    return replace(understood, speech=speech)


def _with_worth(understood: Understanding, names: Iterable[Sequence[Name]]) -> Understanding:
    """`The cost of freight` is what it is worth, where the report has no name for costs."""
    about = subjects()
    known = {key for one in names for name in one for token in name.tokens for key in token.keys}
    marks = tuple(
        Atom(place, place + 1, Mark("amount"), 1)
        for place, word in enumerate(understood.speech.words)
        if about.of(word.folded) & about.worth
        and not word.is_verb
        and not {f"@{subject}" for subject in about.of(word.folded)} & known
        and not any(atom.start <= place < atom.end for atom in understood.speech.blocks)
    )
    return replace(understood, speech=replace(understood.speech, atoms=(*understood.speech.atoms, *marks)))


def _with_documents(understood: Understanding) -> Understanding:
    """`The invoice` is the band of one row, if there is just one; elsewhere it adds nothing."""
    single = [view.band.name for view in understood.views if view.band.rows == 1]
    marks = [atom for atom in understood.speech.atoms if atom.is_mark("document")]
    speech = replace(
        understood.speech,
        atoms=tuple(atom for atom in understood.speech.atoms if not atom.is_mark("document")),
    )
    if len(single) != 1:
        return replace(understood, speech=speech)
    meaning = BandName(True, True, False, False, frozenset())
    named = tuple(
        (
            *atoms,
            *(
                replace(mark, meaning=meaning if view.band.name == single[0] else Mark("fill"))
                for mark in marks
            ),
        )
        for view, atoms in zip(understood.views, understood.named, strict=True)
    )
    return replace(understood, speech=speech, named=named)
