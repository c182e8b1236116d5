"""Reads the bands of a stored snapshot: one read-only, locked-down DuckDB connection for each file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from datasources.duckdb_lock import NO_ACCESS, Config
from datasources.exceptions import cause_of
from datasources.file_version import identity_of
from engine.columns import ColumnType, Typed
from engine.exceptions import SnapshotCorrupt, SnapshotError, SnapshotFormatError, SnapshotNotFound

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

PART_ROWS = 245_760
"""Two of DuckDB's row groups."""

LOCKED: Config = {**NO_ACCESS, "max_temp_directory_size": "0KB", "lock_configuration": "true"}
"""For reading: nothing is written either, and no statement can change the settings any more."""


HEAD_BYTES = 12_288
"""Where DuckDB keeps what tells one file from another."""
MEMORY_MIB = 1_024
"""What DuckDB may use for a question, unless whoever opens the file says otherwise."""


class StoredFile:
    """An open snapshot file. Every thread takes its own cursor; a forked process must open the file anew."""

    def __init__(self, path: Path, memory_mib: int = MEMORY_MIB) -> None:
        """Open *path*; raises SnapshotNotFound, SnapshotCorrupt, SnapshotFormatError."""
        from engine.duckdb_core import connect

        self.path, self.memory_mib = path, memory_mib
        config: Config = {**LOCKED, "memory_limit": f"{memory_mib}MiB"}
        try:
            self._identity, self._head = identity_of(os.stat(path)), _head_of(path)
        except FileNotFoundError as error:  # it has just been pruned
            raise missing(path) from error
        except OSError as error:
            raise damaged(path, cause_of(error)) from error
        try:
            with translated(path):
                self._connection = connect(path, read_only=True, config=config)
        except SnapshotCorrupt as error:
            if not path.exists():  # it has just been pruned
                raise missing(path) from error
            raise

    def close(self) -> None:
        """Let go of the file: whoever still asks gets an error."""
        self._connection.close()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection for one thread and one query at a time."""
        return self._connection.cursor()

    @property
    def is_changed(self) -> bool:
        """
        Whether the file was written over. One that was replaced or removed is still read as it was.

        A version that is saved once more is only touched: its beginning tells.
        """
        try:
            found = identity_of(os.stat(self.path))
            if found == self._identity or found[:2] != self._identity[:2]:
                return False
            return found[2] != self._identity[2] or _head_of(self.path) != self._head
        except OSError:  # it has just been removed
            return False

    def document(self) -> str:
        """The text of the document in `lastro_meta`."""
        with translated(self.path):
            rows = self.cursor().execute("SELECT document FROM lastro_meta").fetchall()
        if len(rows) != 1:
            raise damaged(self.path, f"{len(rows)} documents instead of one")
        return str(rows[0][0])


def _head_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


_open_files: WeakValueDictionary[tuple[str, int, int], StoredFile] = WeakValueDictionary()
_opening = Lock()


def open_file(path: Path, memory_mib: int = MEMORY_MIB) -> StoredFile:
    """
    Open *path*, or take the connection that is open already: DuckDB allows one configuration a file.

    Raises SnapshotNotFound, SnapshotCorrupt, SnapshotFormatError, and SnapshotError when it is open with
    another limit of memory.
    """
    path = path.absolute()
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise missing(path) from error
    if path.with_name(f"{path.name}.wal").exists():
        # DuckDB would apply it on opening, but a finished snapshot has none.
        raise damaged(path, "a journal of unfinished changes lies beside it")
    key = (str(path), found.st_ino, found.st_size)
    with _opening:
        opened = _open_files.get(key)
        if opened is None:
            opened = _open_files[key] = StoredFile(path, memory_mib)
    if opened.memory_mib != memory_mib:
        raise SnapshotError(
            f"{path.name} is open with {opened.memory_mib} MiB of memory: close it, or ask for the same.",
            path=str(path),
        )
    return opened


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what DuckDB and PyArrow raise while they read *path* into our errors."""
    from engine.duckdb_core import Error

    try:
        yield
    except (Error, UnicodeDecodeError) as error:
        text = str(error)
        if "version number" in text:
            raise SnapshotFormatError(
                f"{path.name} was written by another DuckDB: upgrade it, or save the snapshot again.",
                path=str(path),
            ) from error
        raise damaged(path, text.splitlines()[0][:200] if text else type(error).__name__) from error


def missing(path: Path) -> SnapshotNotFound:
    """The error for a path with nothing at it."""
    return SnapshotNotFound(f"There is no snapshot {path.name}: save one first.", path=str(path))


def damaged(path: Path, reason: str) -> SnapshotCorrupt:
    """The error for a file that is not as it was written."""
    return SnapshotCorrupt(
        f"{path.name} is damaged ({reason}): save the snapshot again, or open another version of it.",
        path=str(path),
    )


@dataclass(frozen=True, slots=True)
class StoredBand:
    """A band of a stored snapshot: its rows stay in the file until they are asked for."""

    names: tuple[str, ...]
    columns: tuple[ColumnType, ...]
    rows: int
    file: StoredFile
    table: str
    """The name of its table, whose columns are `c0…cN`."""

    @property
    def name(self) -> str:
        """`canhoto+header` for merged bands."""
        return "+".join(self.names)

    def take(self, rows: Sequence[int]) -> list[tuple[Typed, ...]]:
        """The typed rows at the ascending positions *rows*; IndexError past the end, SnapshotCorrupt."""
        if not rows:
            return []
        if rows[0] < 0 or rows[-1] >= self.rows:
            raise IndexError(f"{self.name} has the rows 0 to {self.rows - 1}")
        if not self.columns:
            return [() for _ in rows]
        shown = ", ".join(_typed_sql(f"c{index}", column) for index, column in enumerate(self.columns))
        first, last = int(rows[0]), int(rows[-1])
        # Rows are never deleted, so that a row's id is its position.
        chosen = f"rowid BETWEEN {first} AND {last}"
        if last - first + 1 != len(rows):
            chosen += f" AND rowid IN ({', '.join(str(int(row)) for row in rows)})"
        with translated(self.file.path):
            query = f"SELECT rowid, {shown} FROM {self.table} WHERE {chosen}"
            found = {row[0]: row[1:] for row in self.file.cursor().execute(query).fetchall()}
        try:
            return [found[row] for row in rows]
        except KeyError as error:
            raise damaged(self.file.path, f"row {error.args[0]} of {self.name} is missing") from error

    def parts(self) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """The types and all rows in order, part by part (see `typed_parts`); raises SnapshotCorrupt."""
        import pyarrow as pa

        from engine.duckdb_core import with_arrow

        if not self.columns:
            return pa.schema([]), iter(())
        shown = ", ".join(_plain_sql(f"c{index}", one) for index, one in enumerate(self.columns))
        with translated(self.file.path):
            reader = (
                with_arrow(self.file.cursor())
                .sql(f"SELECT {shown} FROM {self.table}")
                .to_arrow_reader(PART_ROWS)
            )
        return reader.schema, self._translated(reader)

    def _translated(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        with translated(self.file.path):
            try:
                yield from reader
            except (pa.ArrowException, OSError) as error:
                raise damaged(self.file.path, str(error).splitlines()[0][:200]) from error


def _plain_sql(name: str, column: ColumnType) -> str:
    """SQL for a cell as parts have it: a text, also where it is stored as a code."""
    return f"CAST({name} AS VARCHAR) AS {name}" if column.type == "text" else name


def _typed_sql(name: str, column: ColumnType) -> str:
    """SQL for a cell as `engine.columns` has it."""
    if column.type == "number" and not column.double:
        return scaled_sql(name)
    return f"CAST({name} AS VARCHAR)" if column.type == "date" else name


def scaled_sql(expression: str) -> str:
    """SQL for the scaled integer of a decimal *expression*."""
    return f"CAST(replace(CAST({expression} AS VARCHAR), '.', '') AS HUGEINT)"
