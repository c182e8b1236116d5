"""Finds bands, fields and values by name: fuzzy, and whatever their case and accents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import nsmallest
from typing import TYPE_CHECKING, Literal

from engine.exceptions import QueryError
from engine.notes import Note, Term
from engine.query.filter_values import TYPE_TERMS
from engine.query.in_place import FOUND_ROWS_MAX, FoundInColumn
from engine.query.session import one_request
from engine.query.vocabulary import vocabularies_of
from engine.query.word_index import QUERY_CHARS_MAX, Needle

if TYPE_CHECKING:
    from engine.query.session import QuerySession
    from engine.snapshot import Snapshot

HITS_MAX = 200
"""Hits that one answer gives."""
SHOWN_CHARS_MAX = 500
"""Of a longer value the beginning is shown, as in rows (spec 7)."""

HitKind = Literal["band", "field", "value"]
_KINDS: tuple[HitKind, ...] = ("band", "field", "value")
"""In the order of hits with the same score."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A band, a field or a value that is like the query."""

    kind: HitKind
    band: str
    field: str | None
    value: str | None
    rows: int | None
    """Rows that have the value; of a band or a field, those of the band. None where that is withheld."""
    score: int
    """Up to 100, for what is the query itself but for case and accents."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What was found, the most alike first."""

    query: str
    """What was looked for, without blanks around it."""
    hits: tuple[Hit, ...]
    found: int
    """How many hits there are, with those past the limit."""
    notes: tuple[Note, ...] = ()


@one_request
def search(
    session: QuerySession, query: str, band: str | None = None, field: str | None = None, limit: int = 20
) -> SearchResult:
    """
    What is like *query* among the names of bands and fields, and the values of texts, codes and booleans.

    With *band* only what is in that band, with *field* only its values. At most *limit* hits, and `HITS_MAX`;
    those with the same score come by kind, then in the order of bands and fields, then by rows and by value.
    Raises QueryError for an empty query, for names that are not there, and where asking takes too much.
    """
    needle = Needle.of(query)
    if not needle.text:
        raise QueryError("empty_query")
    scope = _scope(session.snapshot, band, field)
    most = min(max(limit, 1), HITS_MAX)
    if session.disclosure is not None:
        from engine.disclosure_search import withheld_search

        called = [] if field is not None else _search_names(session, scope, needle, with_bands=band is None)
        found_names = [(rank[2], None if rank[1] == _BAND else rank[3], -rank[0]) for rank in called]
        return withheld_search(session, session.disclosure, needle, scope, found_names, most)
    columns = _search_columns(session, scope, needle, most)
    ranked = [
        (-one.score, _VALUE, index, position, -one.rows, one.value)
        for (index, position), column in columns.items()
        for one in column.best
    ]
    names = [] if field is not None else _search_names(session, scope, needle, with_bands=band is None)
    found = len(names) + sum(column.count for column in columns.values())
    hits = tuple(_hit(session.snapshot, rank) for rank in nsmallest(most, [*names, *ranked]))
    notes = [*_notes(session.snapshot, scope, needle, columns, field, found)]
    if any(hit.value is not None and len(hit.value) > SHOWN_CHARS_MAX for hit in hits):
        notes.append(Note("long_values", chars=SHOWN_CHARS_MAX))
    return SearchResult(needle.text, hits, found, tuple(notes))


def nearest_values(
    session: QuerySession, band_index: int, field_position: int, value: str, limit: int = 3
) -> tuple[str, ...]:
    """
    The values of a text column that *value* probably stands for: those that differ only by case and accents first.

    None where finding them takes too much: they only help with a question that is answered without them.
    """
    needle = Needle.of(value)
    if not needle.text or session.snapshot.bands[band_index].columns[field_position].type != "text":
        return ()
    try:
        found = vocabularies_of(session).find(session, band_index, [field_position], needle, limit)
    except QueryError as error:
        if error.code == "stopped":
            raise
        return ()
    return tuple(one.value for column in found.values() for one in column.best)


_Scope = Mapping[int, tuple[int, ...]]
"""Where is searched: bands, and the positions of their fields."""
_Columns = Mapping[tuple[int, int], FoundInColumn]
_Rank = tuple[int, int, int, int, int, str]
"""Score, kind, band, field, rows and value; score and rows negative, so that the best hit is the least."""
_BAND, _FIELD, _VALUE = range(3)


def _scope(snapshot: Snapshot, band: str | None, field: str | None) -> _Scope:
    bands = snapshot.profile.bands
    chosen = [index for index, one in enumerate(bands) if band is None or band in (one.name, *one.names)]
    if band is not None and not chosen:
        raise QueryError.unknown_band(band, [name for one in bands for name in one.names])
    if field is None:
        return {index: tuple(range(len(bands[index].fields))) for index in chosen}
    scope = {
        index: tuple(position for position, one in enumerate(bands[index].fields) if one.name == field)
        for index in chosen
    }
    if not any(scope.values()):
        every = dict.fromkeys(one.name for index in chosen for one in bands[index].fields)
        raise QueryError.unknown_field(
            field, list(every), band or "+".join(bands[index].name for index in chosen)
        )
    return scope


def _search_columns(session: QuerySession, scope: _Scope, needle: Needle, most: int) -> _Columns:
    vocabularies = vocabularies_of(session)
    return {
        (index, position): column
        for index, positions in scope.items()
        for position, column in vocabularies.find(session, index, positions, needle, most).items()
    }


def _search_names(session: QuerySession, scope: _Scope, needle: Needle, *, with_bands: bool) -> list[_Rank]:
    bands = session.snapshot.bands
    return [
        (
            -score,
            _BAND if named.field is None else _FIELD,
            named.band,
            named.field or 0,
            -bands[named.band].rows,
            "",
        )
        for named, score in vocabularies_of(session).names.matches(needle).items()
        if named.band in scope and (with_bands or named.field is not None)
    ]


def _hit(snapshot: Snapshot, rank: _Rank) -> Hit:
    score, kind, index, position, rows, value = rank
    band = snapshot.profile.bands[index]
    field = None if kind == _BAND else band.fields[position].name
    shown = value if len(value) <= SHOWN_CHARS_MAX else f"{value[:SHOWN_CHARS_MAX]}…"
    return Hit(_KINDS[kind], band.name, field, shown if kind == _VALUE else None, -rows, -score)


def _notes(
    snapshot: Snapshot, scope: _Scope, needle: Needle, columns: _Columns, field: str | None, found: int
) -> Iterator[Note]:
    bands = snapshot.profile.bands
    if needle.is_cut:
        yield Note("query_cut", chars=QUERY_CHARS_MAX)
    if field is not None and not columns:
        index, positions = next((index, positions) for index, positions in scope.items() if positions)
        type_term = Term(TYPE_TERMS[bands[index].fields[positions[0]].type])
        yield Note("not_searched", field=field, type=type_term)
    elif not found:
        yield Note("nothing_found", query=needle.text)

    def fields(chosen: Iterable[tuple[int, int]]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(bands[index].fields[position].name for index, position in chosen))

    in_place = fields(at for at, column in columns.items() if column.is_in_place and not column.is_partial)
    if in_place:
        yield Note("searched_in_place", names=in_place)
    partial = fields(at for at, column in columns.items() if column.is_partial)
    if partial:
        yield Note("first_rows_only", names=partial, rows=FOUND_ROWS_MAX)
