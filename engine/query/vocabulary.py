"""
Keeps the distinct values of a snapshot's texts, codes and booleans for searching, column by column.

What the profile or a band in memory knows is taken from there; other columns are asked once a session. A column
with more values than it may keep stays where it is, and is searched there for what contains the query.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from engine.band import Band
from engine.facts import cell_text
from engine.query.in_place import FoundInColumn, begun, best_of, find_in_place, gather
from engine.query.known_names import KnownNames
from engine.query.word_index import Needle, WordIndex
from engine.roles import CATEGORICAL

if TYPE_CHECKING:
    from engine.profile import FieldProfile
    from engine.query.session import QuerySession
    from engine.snapshot import Snapshot

COLUMN_VALUES_MAX = 100_000
VALUES_MAX = 1_000_000
"""Of all columns together."""
CHARS_PER_VALUE = 200
"""On average, of the values that a column may keep."""
CHARS_MIN = 100_000


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The distinct values of one column."""

    values: tuple[str, ...]
    rows: tuple[int, ...]
    """Rows that have each."""
    index: WordIndex

    @classmethod
    def of(cls, counts: Collection[tuple[str, int]]) -> Vocabulary:
        """The vocabulary of values and the rows that have each."""
        values = tuple(value for value, _ in counts)
        return cls(values, tuple(rows for _, rows in counts), WordIndex.of(values))


def is_searchable(field: FieldProfile) -> bool:
    """Whether the values of *field* are names of something: texts, booleans and codes."""
    return field.type in ("text", "boolean") or field.role in CATEGORICAL


def limits_of(snapshot: Snapshot) -> dict[tuple[int, int], int]:
    """
    How many values each searchable column may keep, by band and position: the same whatever was asked before.

    Where all could come to more than `VALUES_MAX`, those that may need much get equal shares of what is left.
    """
    needs: dict[tuple[int, int], int] = {}
    for index, band in enumerate(snapshot.profile.bands):
        for position, field in enumerate(band.fields):
            if is_searchable(field):
                most = field.distinct if field.distinct is not None else band.rows
                needs[index, position] = min(most, COLUMN_VALUES_MAX)
    share, left = COLUMN_VALUES_MAX, VALUES_MAX
    for done, need in enumerate(sorted(needs.values())):
        share = left // (len(needs) - done)
        if need > share:
            break
        share, left = COLUMN_VALUES_MAX, left - need
    return {column: min(need, share) for column, need in needs.items()}


class Vocabularies:
    """The vocabularies of a session's snapshot, each loaded when it is first needed; for any number of threads."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.limits = limits_of(snapshot)
        self.names = KnownNames.of(snapshot)
        self._loaded: dict[tuple[int, int], Vocabulary | None] = {}
        self._loading = Lock()

    def find(
        self, session: QuerySession, band: int, positions: Iterable[int], needle: Needle, most: int
    ) -> dict[int, FoundInColumn]:
        """
        What the columns at *positions* have that is like *needle*, the *most* best of each.

        Raises what asking the session raises.
        """
        loaded = self._load(session, band, positions)
        found: dict[int, FoundInColumn] = {}
        for position, vocabulary in loaded.items():
            if vocabulary is None:
                found[position] = find_in_place(session, band, position, needle, most)
                continue
            values, rows = vocabulary.values, vocabulary.rows
            scores = vocabulary.index.matches(needle)
            best = best_of(((values[at], rows[at], score) for at, score in scores.items()), most)
            found[position] = FoundInColumn(best, len(scores))
        return found

    def _load(
        self, session: QuerySession, band: int, positions: Iterable[int]
    ) -> dict[int, Vocabulary | None]:
        """The vocabularies of the columns; None of one with too many values."""
        wanted = [position for position in positions if (band, position) in self.limits]
        with self._loading:
            absent = [position for position in wanted if (band, position) not in self._loaded]
            asked = []
            for position in absent:
                counts = _begun_counts(session.snapshot, band, position)
                if counts is None or not self._fits(counts, (band, position)):
                    asked.append(position)
                else:
                    self._loaded[band, position] = Vocabulary.of(counts.items())
            for position in asked:
                limit = self.limits[band, position]
                pairs = gather(session, band, position, frozenset(asked), limit, chars_max(limit))
                self._loaded[band, position] = None if pairs is None else Vocabulary.of(pairs)
            return {position: self._loaded[band, position] for position in wanted}

    def _fits(self, counts: Mapping[str, int], column: tuple[int, int]) -> bool:
        limit = self.limits[column]
        return len(counts) <= limit and sum(map(len, counts)) <= chars_max(limit)


_of_sessions: WeakKeyDictionary[QuerySession, Vocabularies] = WeakKeyDictionary()
_finding = Lock()


def vocabularies_of(session: QuerySession) -> Vocabularies:
    """The vocabularies of *session*, which live as long as it does."""
    with _finding:
        found = _of_sessions.get(session)
        if found is None:
            found = _of_sessions[session] = Vocabularies(session.snapshot)
        return found


def chars_max(limit: int) -> int:
    """How many characters *limit* values may have together."""
    return max(CHARS_MIN, limit * CHARS_PER_VALUE)


def known_counts(snapshot: Snapshot, index: int, position: int) -> Mapping[str, int] | None:
    """The values of a column with their rows, where they are in memory; None where the session must ask."""
    band, field = snapshot.bands[index], snapshot.profile.bands[index].fields[position]
    if field.values is not None:
        return {one.value: one.count for one in field.values if one.value is not None}
    if not isinstance(band, Band):
        return None
    column, counts = band.columns[position], band.statistics.fields[position].counts
    if counts is None and band.values:
        counts = Counter(cell for cell in band.values[position] if cell is not None)
    return None if counts is None else {cell_text(value, column): rows for value, rows in counts.items()}


def _begun_counts(snapshot: Snapshot, index: int, position: int) -> Mapping[str, int] | None:
    """The same for searching: long values by their beginning."""
    counts = known_counts(snapshot, index, position)
    if counts is None:
        return None
    found: Counter[str] = Counter()
    for value, rows in counts.items():
        found[begun(value)] += rows
    return found
