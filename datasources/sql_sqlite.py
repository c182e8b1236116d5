"""Reads rows of an SQLite database, which is opened so that nothing can be written or attached."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from datasources.base import DataWarning, counted
from datasources.exceptions import (
    SourceError,
    SourceNotFound,
    SourceTooLarge,
    SourceUnreadable,
    TableNotFound,
)
from datasources.sql_base import Argument, BoundQuery, Reading
from datasources.sql_rows import gather_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from datasources.connections import Connection

STEPS = 10_000
"""Instructions of SQLite's machine between two looks at the clock."""
LOCK_SECONDS = 5.0
ALLOWED = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)


def read_sqlite(
    connection: Connection, query: BoundQuery, reading: Reading
) -> tuple[pa.Table, tuple[DataWarning, ...]]:
    """
    Run *query*; cells are as they are stored, and text stays text.

    Text that is no UTF-8 is read with U+FFFD, and counted in a warning.
    """
    path = connection.path or Path()
    if not path.is_file():
        raise SourceNotFound(
            f"There is no file {path.name} for the connection {connection.name}: check its path.",
            source=connection.name,
        )
    with _translated(reading):
        warnings = _check_stored(path, query, reading)
        try:
            return _read(path, query, reading, None), warnings
        except sqlite3.OperationalError as error:
            if not str(error).startswith("Could not decode to UTF-8"):
                raise
        again = Reading(reading.source, reading.limits, reading.visible)
        broken = _Mender()
        table = _read(path, query, again, broken)
        message = (
            f"{counted(broken.count, 'cell is', 'cells are')} not UTF-8; what could not be read is U+FFFD."
        )
        mended = DataWarning("not_utf8", message, count=broken.count, sample=tuple(broken.sample))
        return table, (*warnings, mended)


def _check_stored(path: Path, query: BoundQuery, reading: Reading) -> tuple[DataWarning, ...]:
    """Look at the cells that parameters are compared with, of which SQLite converts none."""
    if not query.checks:
        return ()
    from datasources.sql_stored import check_stored

    with closing(_open(path, reading)) as database:
        return check_stored(database, query.checks, reading.source)


class _Mender:
    """Reads text that may not be UTF-8, and keeps count."""

    def __init__(self) -> None:
        self.count = 0
        self.sample: list[str] = []

    def __call__(self, raw: bytes) -> str:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            text = raw.decode(errors="replace")
            self.count += 1
            if len(self.sample) < 3:
                self.sample.append(text[:100])
            return text


def _read(path: Path, query: BoundQuery, reading: Reading, mender: _Mender | None) -> pa.Table:
    import pyarrow as pa

    with closing(_open(path, reading)) as database:
        if mender is not None:
            database.text_factory = mender
        cursor = database.execute(
            query.text(lambda number: f"?{number}"), [_value(a) for a in query.arguments]
        )
        names = [column[0] for column in cursor.description or ()]
        columns = gather_rows(cursor.fetchmany, names, reading)
        cursor.close()
    return pa.table(columns, names=names)


def _open(path: Path, reading: Reading) -> sqlite3.Connection:
    database = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=min(LOCK_SECONDS, reading.seconds_left)
    )
    try:
        database.execute("PRAGMA query_only = ON")
        database.execute("PRAGMA trusted_schema = OFF")
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, reading.limits.cell_bytes_max)
        database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        # What SQLite makes of a table function it makes once, and asks about it as about a new table. A library
        # without JSON has none; a file that is locked or broken says so again when the query runs.
        with suppress(sqlite3.OperationalError):
            database.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')")
        database.set_authorizer(_authorize)
        end = time.monotonic() + reading.seconds_left
        database.set_progress_handler(lambda: time.monotonic() > end, STEPS)
    except BaseException:
        database.close()
        raise
    return database


def _authorize(
    action: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None
) -> int:
    """The wall behind the check of the query: SQLite asks before it prepares each part of a statement."""
    if action not in ALLOWED:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_READ and (first or "").lower().startswith("sqlite_"):
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in (
        "load_extension",
        "readfile",
        "writefile",
    ):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _value(argument: Argument) -> str | int | float | None:
    """As SQLite stores it: numbers as integers or floats, dates as their text, booleans as 0 and 1."""
    match argument.value:
        case bool() as value:
            return int(value)
        case int() | Decimal() as value:
            whole = int(value)
            return whole if whole == value and abs(whole) < 2**63 else float(value)
        case datetime() as value:
            # With a blank and without an offset, as SQLite's own functions write it.
            return value.replace(tzinfo=None).isoformat(sep=" ")
        case date() as value:
            return value.isoformat()
        case value:
            return value


@contextmanager
def _translated(reading: Reading) -> Iterator[None]:
    name = reading.source
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorname", "")
        if code == "SQLITE_INTERRUPT":
            raise reading.timed_out() from error
        if code == "SQLITE_TOOBIG":
            raise SourceTooLarge(
                f"A value on {name} has more than the limit of {reading.limits.cell_bytes_max:,} bytes"
                " (cell_bytes_max).",
                source=name,
            ) from error
        if code in ("SQLITE_NOTADB", "SQLITE_CORRUPT"):
            raise SourceUnreadable(
                f"The file of the connection {name} is not a whole SQLite database: check its path.",
                source=name,
            ) from error
        if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise SourceError(
                f"The database {name} is locked by another program: try again.", source=name
            ) from error
        if code.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM")):
            raise SourceError(
                f"The database {name} cannot be opened for reading: check the permissions of file and folder.",
                source=name,
            ) from error
        refused = TableNotFound if str(error).startswith("no such table") else SourceError
        raise refused(
            f"The database {name} refused the query ({_said(error, code)}): correct it.", source=name
        ) from error


_ABOUT_THE_QUERY = (
    "no such ", "near ", "ambiguous column", "wrong number of arguments", "misuse of", "unrecognized token",
    "incomplete input", "a GROUP BY clause", "ORDER BY ", "GROUP BY ", "HAVING ", "LIMIT ", "aggregate functions",
    "SELECTs to the left", "sub-select returns", "row value misused", "circular reference", "recursive ", "table ",
    "too many ", "1st ORDER BY", "not authorized", "access to ", "parser stack", "Expression tree", "cannot join",
    "a JOIN clause", "ON clause", "DISTINCT ", "no tables specified", "duplicate WITH", "multiple ", "window ",
    "second argument to", "RIGHT and FULL", "ESCAPE expression",
)  # fmt: skip
"""Beginnings of messages that speak of names and syntax of the query; others may quote a cell or a parameter."""


def _said(error: sqlite3.Error, code: str) -> str:
    text = str(error)
    return text if text.startswith(_ABOUT_THE_QUERY) else code or type(error).__name__
