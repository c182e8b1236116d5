"""
Holds the bands of a snapshot open for questions: each question gets a cursor of its own, limits, and our errors.

A band is opened when it is first asked about: a stored one where it is, one in memory as a whole, a stream with
the columns that are asked for and, when others are asked for later, with all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from threading import Event, Lock, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from datasources import work
from engine.exceptions import QueryError
from engine.query.connection import BandTable, open_table
from engine.stored_band import MEMORY_MIB, StoredBand, translated

if TYPE_CHECKING:
    import duckdb

    from engine.disclosure import Disclosure
    from engine.query.filters import Bound
    from engine.snapshot import Snapshot, SnapshotBand

TIME_S = 10.0
INTERRUPT_AGAIN_S = 0.002
"""An interrupt before DuckDB has begun is lost, so that it is repeated until the question has ended."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one question may take."""

    time_s: float | None = TIME_S
    """None for as long as it takes."""
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
        work.tell("queries")
        return self.table.connection.execute(query, list(values)).fetchall()

    def run(self, query: str, values: Sequence[Bound] = ()) -> None:
        """Run *query* for what it makes in the question's own connection."""
        work.tell("queries")
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
        import duckdb  # noqa: F401 - connections give Arrow only with the whole package
        import pyarrow as pa

        work.tell("queries")
        result = self.table.connection.sql(query, params=list(values)).to_arrow_table()
        *columns, lists = [result.column(index) for index in range(result.num_columns)]
        shown = [
            one.values.to_numpy(zero_copy_only=False)
            if one.is_valid and pa.types.is_floating(one.type.value_type)
            else one.as_py()
            for one in lists
        ]
        return list(zip(*(column.to_pylist() for column in columns), shown, strict=True))


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
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Nothing is opened yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close what was opened."""
        self.close()

    def close(self) -> None:
        """Let go of every band, and remove temporary files."""
        self._opened.clear()
        self._stack.close()

    @contextmanager
    def ask(self, band: int, fields: frozenset[int]) -> Iterator[OpenBand]:
        """
        The band at *band* as a table that has at least the columns at *fields*, for one question.

        Raises QueryError when the question takes more time or memory than it may, and what `open_table` raises.
        """
        opened = self._open(band, fields)
        with self._guarded(band, opened.table.connection.cursor()) as cursor:
            yield replace(opened, table=replace(opened.table, connection=cursor))

    def need(self, band: int, fields: frozenset[int]) -> None:
        """Say what will be asked for, so that a stream is read once for all of it."""
        self._needed[band] |= fields

    def _open(self, band: int, fields: frozenset[int]) -> OpenBand:
        with self._opening[band]:
            opened = self._opened.get(band)
            fields |= self._needed[band]
            if opened is None or not fields <= set(opened.fields):
                wanted = self._fields(band, fields, again=opened is not None)
                facts = self.snapshot.profile.bands[band]
                table = self._stack.enter_context(
                    open_table(self.snapshot.bands[band], facts, wanted, self.limits.memory_mib)
                )
                opened = self._opened[band] = OpenBand(table, tuple(wanted))
            return opened

    def _fields(self, index: int, asked: frozenset[int], *, again: bool) -> list[int]:
        band = self.snapshot.bands[index]
        return sorted(asked) if _is_stream(band) and not again else list(range(len(band.columns)))

    @contextmanager
    def _guarded(self, index: int, cursor: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
        from engine.duckdb_core import Error, InterruptException, OutOfMemoryException

        band = self.snapshot.bands[index]
        done = Event()
        watch = Thread(target=self._watch, args=(cursor, done), daemon=True)
        watch.start()
        try:
            yield cursor
        except InterruptException as error:
            raise QueryError("stopped_by_time", seconds=f"{self.limits.time_s or 0:g}") from error
        except (OutOfMemoryException, MemoryError) as error:
            limit = band.file.memory_mib if isinstance(band, StoredBand) else self.limits.memory_mib
            raise QueryError("stopped_by_memory", mebibytes=limit) from error
        except Error:
            if not isinstance(band, StoredBand):
                raise
            with translated(band.file.path):
                raise
        finally:
            done.set()
            watch.join()
            cursor.close()

    def _watch(self, cursor: duckdb.DuckDBPyConnection, done: Event) -> None:
        if done.wait(self.limits.time_s):
            return
        cursor.interrupt()
        while not done.wait(INTERRUPT_AGAIN_S):
            cursor.interrupt()


def _is_stream(band: SnapshotBand) -> bool:
    if isinstance(band, StoredBand):
        return False
    from engine.band import Band

    return isinstance(band, Band) and band.values is None
