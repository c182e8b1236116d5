"""
Holds the bands of a snapshot open for questions: each question gets a cursor of its own, limits, and our errors.

A band is opened when it is first asked about: a stored one where it is, one in memory as a whole, a stream with
the columns that are asked for and, when others are asked for later, with all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from datasources import work
from datasources.exceptions import SourceChanged
from engine.exceptions import QueryError, SnapshotNotSaved
from engine.query import deadline
from engine.query.connection import BandTable, open_table
from engine.query.deadline import Deadline, Stop
from engine.stored_band import MEMORY_MIB, StoredBand, translated

if TYPE_CHECKING:
    import duckdb

    from engine.disclosure import Disclosure
    from engine.profile import BandProfile
    from engine.query.clause import Bound
    from engine.snapshot import Snapshot, SnapshotBand

TIME_S = 10.0
_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")

CELLS_AT_ONCE = 100_000
"""Of decimals that become Python's objects, between two looks at the deadline."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may take."""

    time_s: float | None = TIME_S
    """Of all that it asks and computes; opening a band is not counted. None for as long as it takes."""
    memory_mib: int = MEMORY_MIB
    """Of a stored snapshot, what it was opened with counts instead."""


@dataclass(frozen=True, slots=True)
class OpenBand:
    """A band as a table for one question, with a cursor of its own."""

    table: BandTable
    fields: tuple[int, ...]
    """Positions in the band of the table's columns `c0…cN`."""

    def position(self, field: int) -> int:
        """Where the band's column *field* stands in the table."""
        return self.fields.index(field)

    def rows(self, query: str, values: Sequence[Bound] = ()) -> list[tuple[Any, ...]]:
        """All rows that *query* finds."""
        _begin_query()
        return self.table.connection.execute(query, list(values)).fetchall()

    def run(self, query: str, values: Sequence[Bound] = ()) -> None:
        """Run *query* for what it makes in the question's own connection."""
        _begin_query()
        self.table.connection.execute(query, list(values))

    def row(self, query: str, values: Sequence[Bound] = ()) -> tuple[Any, ...]:
        """The one row that the aggregate *query* has."""
        (found,) = self.rows(query, values)
        return found

    def listed_row(self, query: str, values: Sequence[Bound] = ()) -> tuple[Any, ...]:
        """The same where the last column is a list of many numbers, which stay out of Python's objects."""
        (found,) = self.listed_rows(query, values)
        return found

    def listed_rows(self, query: str, values: Sequence[Bound] = ()) -> list[tuple[Any, ...]]:
        """All rows, where the last column is a list of many numbers."""
        import pyarrow as pa

        from engine.duckdb_core import with_arrow

        _begin_query()
        result = with_arrow(self.table.connection).sql(query, params=list(values)).to_arrow_table()
        *columns, lists = [result.column(index) for index in range(result.num_columns)]
        is_double = pa.types.is_floating(lists.type.value_type)
        shown = [_listed(one, is_double=is_double) for one in deadline.checked(lists)]
        return list(zip(*(column.to_pylist() for column in columns), shown, strict=True))


def _begin_query() -> None:
    deadline.check()
    work.tell("queries")


def _listed(cells: Any, *, is_double: bool) -> Any:  # a list scalar of Arrow; an array of NumPy, or a list
    if not cells.is_valid:
        return None
    if is_double:
        return cells.values.to_numpy(zero_copy_only=False)
    listed: list[Any] = []
    for start in range(0, len(cells.values), CELLS_AT_ONCE):
        deadline.check()
        listed += cells.values.slice(start, CELLS_AT_ONCE).to_pylist()
    return listed


class QuerySession:
    """Questions to one snapshot; any number of threads may ask at once."""

    def __init__(
        self, snapshot: Snapshot, limits: Limits | None = None, disclosure: Disclosure | None = None
    ) -> None:
        self.snapshot = snapshot
        self.limits = limits or Limits()
        self.disclosure = disclosure or snapshot.disclosure
        """What was published already, where small groups are withheld."""
        self._opened: dict[int, OpenBand] = {}
        self._needed = [frozenset[int]() for _ in snapshot.bands]
        self._opening = [Lock() for _ in snapshot.bands]
        self._running = Stop()
        self._stack = ExitStack()
        self._is_closed = False
        self._asking = 0
        """So many questions hold a band at this moment."""
        self._counting = Lock()

    def __enter__(self) -> Self:
        """Nothing is opened yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close what was opened."""
        self.close()

    def close(self) -> None:
        """
        Stop what is running, let go of every band, and remove temporary files; later questions are refused.

        Any thread may do so, at any time. A question that is still running is not waited for, nor its band taken from
        under it: the last one to end lets go of them all.
        """
        with self._counting:
            self._is_closed = True
        self.interrupt()
        self._let_go()

    def interrupt(self) -> None:
        """
        Stop all requests that are running, from any thread: each ends with a QueryError, and later ones are answered.

        Whoever wants to end one of several has it run under a `Stop` of its own.
        """
        with self._counting:
            running = self._running
            if not self._is_closed:  # what begins later is stopped as well
                self._running = Stop()
        running.set()

    def request(self) -> AbstractContextManager[Deadline]:
        """
        Have all that is asked meanwhile, in this thread, count as one request to which the limits apply.

        Raises QueryError where the session is closed.
        """
        if self._is_closed:
            raise QueryError("session_closed")
        return deadline.one_request(self.limits.time_s, self._running)

    @contextmanager
    def ask(self, band: int, fields: frozenset[int]) -> Iterator[OpenBand]:
        """
        The band at *band* as a table that has at least the columns at *fields*, for one question.

        Raises QueryError when the request takes more time or memory than it may or is stopped, or the session is
        closed, and what `open_table` raises.
        """
        with self.request() as limit, self._holding(), _closed_is_ours():
            with limit.paused():
                opened = self._open(band, fields)
            with (
                self._unchanged(band),
                self._guarded(band, opened.table.connection.cursor(), limit) as cursor,
            ):
                yield replace(opened, table=replace(opened.table, connection=cursor))

    def need(self, band: int, fields: frozenset[int]) -> None:
        """Say what will be asked for, so that a stream is read once for all of it."""
        self._needed[band] |= fields

    @contextmanager
    def _holding(self) -> Iterator[None]:
        """Keep the bands open as long as this question needs them."""
        with self._counting:
            if self._is_closed:
                raise QueryError("session_closed")
            self._asking += 1
        try:
            yield
        finally:
            with self._counting:
                self._asking -= 1
            self._let_go()

    def _let_go(self) -> None:
        """Close the bands of a closed session, once nobody asks any more."""
        with self._counting:
            if self._asking or not self._is_closed:
                return
            self._opened.clear()
            bands = self._stack.pop_all()
        bands.close()

    def _open(self, band: int, fields: frozenset[int]) -> OpenBand:
        with self._opening[band]:
            opened = self._opened.get(band)
            fields |= self._needed[band]
            if opened is None or not fields <= set(opened.fields):
                wanted = self._fields(band, fields, again=opened is not None)
                facts = self.snapshot.profile.bands[band]
                table = self._stack.enter_context(self._table(band, facts, wanted))
                opened = self._opened[band] = OpenBand(table, tuple(wanted))
            return opened

    @contextmanager
    def _table(self, index: int, facts: BandProfile, wanted: list[int]) -> Iterator[BandTable]:
        """A copy is made of the version that the facts are of, or none is."""
        band = self.snapshot.bands[index]
        with ExitStack() as stack:
            try:
                table = stack.enter_context(open_table(band, facts, wanted, self.limits.memory_mib))
            except (SourceChanged, SnapshotNotSaved) as error:
                raise QueryError("source_changed", band=band.name) from error
            yield table

    @contextmanager
    def _unchanged(self, index: int) -> Iterator[None]:
        """A stored band is asked where it is: no answer where its file was written over, before or meanwhile."""
        band = self.snapshot.bands[index]
        if not isinstance(band, StoredBand):
            yield
            return
        changed = QueryError("source_changed", band=band.name)
        if band.file.is_changed:
            raise changed
        try:
            yield
        except Exception as error:
            if band.file.is_changed:
                raise changed from error
            raise
        if band.file.is_changed:
            raise changed

    def _fields(self, index: int, asked: frozenset[int], *, again: bool) -> list[int]:
        band = self.snapshot.bands[index]
        return sorted(asked) if _is_stream(band) and not again else list(range(len(band.columns)))

    @contextmanager
    def _guarded(
        self, index: int, cursor: duckdb.DuckDBPyConnection, limit: Deadline
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        from engine.duckdb_core import ConnectionException, Error, InterruptException, OutOfMemoryException

        band = self.snapshot.bands[index]
        try:
            with limit.interrupting(cursor):
                yield cursor
        except InterruptException as error:
            raise limit.error() from error
        except (OutOfMemoryException, MemoryError) as error:
            mebibytes = band.file.memory_mib if isinstance(band, StoredBand) else self.limits.memory_mib
            raise QueryError("stopped_by_memory", mebibytes=mebibytes) from error
        except ConnectionException:
            raise
        except Error:
            if not isinstance(band, StoredBand):
                raise
            with translated(band.file.path):
                raise
        finally:
            cursor.close()


@contextmanager
def _closed_is_ours() -> Iterator[None]:
    """Say in our words that a file was closed by whoever else had it open."""
    from engine.duckdb_core import ConnectionException

    try:
        yield
    except ConnectionException as error:
        raise QueryError("session_closed") from error


def one_request(
    answer: Callable[Concatenate[QuerySession, _Asked], _Answer],
) -> Callable[Concatenate[QuerySession, _Asked], _Answer]:
    """Have all that *answer* does be one request to its session."""

    @wraps(answer)
    def limited(session: QuerySession, /, *args: _Asked.args, **kwargs: _Asked.kwargs) -> _Answer:
        with session.request():
            return answer(session, *args, **kwargs)

    return limited


def _is_stream(band: SnapshotBand) -> bool:
    if isinstance(band, StoredBand):
        return False
    from engine.band import Band

    return isinstance(band, Band) and band.values is None
