"""Searches by name under small groups: only values that may be named are found, and without their rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING

from engine.disclosure_names import conditions_of, naming_of
from engine.facts import cell_text
from engine.notes import Note
from engine.query.in_place import best_of
from engine.query.search import Hit, SearchResult
from engine.query.target import Target
from engine.query.vocabulary import COLUMN_VALUES_MAX, Vocabulary, is_searchable
from engine.query.word_index import QUERY_CHARS_MAX, Needle

if TYPE_CHECKING:
    from engine.disclosure import Disclosure
    from engine.query.search import HitKind
    from engine.query.session import QuerySession

NEAR_MAX = 3
"""Values that are named in the place of one that may not be."""


def withheld_search(
    session: QuerySession,
    disclosure: Disclosure,
    needle: Needle,
    scope: Mapping[int, Sequence[int]],
    names: Iterable[tuple[int, int | None, int]],
    most: int,
) -> SearchResult:
    """
    What is like *needle* among *names* (band, field or None, score) and the values of the fields of *scope*.

    Raises what asking the session raises.
    """
    ranked: list[tuple[int, int, int, int, str]] = []
    for band, field, score in names:
        ranked.append((-score, int(field is not None), band, field or 0, ""))
    with disclosure.lock:
        for band, positions in scope.items():
            for position in positions:
                vocabulary = _named_values(session, disclosure, band, position)
                for at, score in vocabulary.index.matches(needle).items():
                    ranked.append((-score, 2, band, position, vocabulary.values[at]))
    hits = tuple(_hit(session, disclosure, one) for one in nsmallest(most, ranked))
    notes = [Note("query_cut", chars=QUERY_CHARS_MAX)] if needle.is_cut else []
    if not hits:
        notes.append(Note("nothing_found", query=needle.text))
    return SearchResult(needle.text, hits, len(ranked), (*notes, Note("withheld_search", k=disclosure.k)))


def _hit(session: QuerySession, disclosure: Disclosure, rank: tuple[int, int, int, int, str]) -> Hit:
    score, kind, index, position, value = rank
    band = session.snapshot.profile.bands[index]
    kinds: tuple[HitKind, ...] = ("band", "field", "value")
    return Hit(
        kinds[kind],
        band.name,
        band.fields[position].name if kind else None,
        value if kinds[kind] == "value" else None,
        None if kinds[kind] == "value" or band.rows < disclosure.k else band.rows,
        -score,
    )


def _named_values(session: QuerySession, disclosure: Disclosure, index: int, position: int) -> Vocabulary:
    """The values of a column that may be named; none where they are not searched, or too many."""
    place = ("vocabulary", index, position)
    if place not in disclosure.kept:
        disclosure.kept[place] = Vocabulary.of(
            [(value, 0) for value in _ask(session, disclosure, index, position)]
        )
    found: Vocabulary = disclosure.kept[place]
    return found


def _ask(session: QuerySession, disclosure: Disclosure, index: int, position: int) -> list[str]:
    from engine.stored_band import scaled_sql

    band, facts = session.snapshot.bands[index], session.snapshot.profile.bands[index]
    if band.rows < disclosure.k or not is_searchable(facts.fields[position]):
        return []
    column = band.columns[position]
    with session.ask(index, frozenset({position})) as opened:
        naming = naming_of(disclosure, opened, Target(index, band, facts, None, (), None), position)
        cell = f"c{opened.position(position)}"
        shown = scaled_sql(cell) if column.type == "number" and not column.double else cell
        rows = opened.rows(
            f"SELECT {shown} FROM {opened.table.name} WHERE {cell} IS NOT NULL GROUP BY {cell} "
            f"HAVING count(*) >= {disclosure.k} AND NOT bool_or(rowid = {naming.joined}) "
            f"LIMIT {COLUMN_VALUES_MAX + 1}"
        )
    return sorted(cell_text(value, column) for (value,) in rows) if len(rows) <= COLUMN_VALUES_MAX else []


def names_near(session: QuerySession, disclosure: Disclosure, target: Target) -> tuple[Note, ...]:
    """For the texts that the filter of *target* compares with, the values that may be named and are most like them."""
    notes: dict[str, Note] = {}
    for condition in conditions_of(target.where):
        position = target.band_position(condition.field)
        if target.band.columns[position].type != "text" or condition.op not in ("=", "!="):
            continue
        needle = Needle.of(str(condition.value))
        vocabulary = _named_values(session, disclosure, target.index, position)
        if needle.text in vocabulary.values or condition.field in notes:
            continue
        scores = vocabulary.index.matches(needle)
        best = best_of(((vocabulary.values[at], 0, score) for at, score in scores.items()), NEAR_MAX)
        if best:
            near = tuple(one.value for one in best)
            notes[condition.field] = Note("named_near", field=condition.field, names=near)
    return tuple(notes.values())[:NEAR_MAX]
