"""Reads rows of a PostgreSQL database through ADBC: typed as the server has them, numerics exact."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from datasources.base import DataWarning, counted
from datasources.exceptions import SourceError, SourceForbidden, SourceUnreadable, TableNotFound
from datasources.sql_base import Argument, BoundQuery, Reading, driver_missing

if TYPE_CHECKING:
    import pyarrow as pa

    from datasources.connections import Connection, Secret
    from datasources.secured_records import VisibleRecords

FETCH_ROWS = 20_000
CONNECT_SECONDS = 10
TLS = {"off": "disable", "on": "require", "verify": "verify-full"}
DECIMAL_DIGITS = 38


def read_postgres(
    connection: Connection, secret: Secret | None, query: BoundQuery, reading: Reading
) -> tuple[pa.Table, tuple[DataWarning, ...]]:
    """
    Run *query* in a read-only transaction, and fetch its rows by a cursor of the server.

    NUMERIC becomes decimal128; what does not fit its 38 digits a double, and NaN or an infinity null, with a warning.
    """
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError as error:
        raise driver_missing("postgres", connection.name) from error
    with _translated(reading):
        database = dbapi.connect(_address(connection, secret, reading))
        with closing(database), closing(database.cursor()) as cursor:
            for setting in _settings(reading):
                cursor.execute(setting)
            # Without COPY, which knows no arguments and no cursors. A cursor can only be a SELECT: even a WITH
            # that writes is refused by the server.
            cursor.adbc_statement.set_options(**{"adbc.postgresql.use_copy": "false"})
            declared = f"DECLARE lastro NO SCROLL CURSOR FOR {query.text(lambda number: f'${number}')}"
            cursor.execute(declared, _arguments(query.arguments))
            table = _fetch(cursor, reading)
            database.rollback()
    return _decimals(table, reading.source)


def _settings(reading: Reading) -> tuple[str, ...]:
    milliseconds = max(1, int(reading.seconds_left * 1000))
    # Local to the transaction, so that connections shared by a pooler are left as they were.
    return (
        "SET TRANSACTION READ ONLY",
        f"SET LOCAL statement_timeout = {milliseconds}",
        f"SET LOCAL lock_timeout = {milliseconds}",
        f"SET LOCAL idle_in_transaction_session_timeout = {milliseconds}",
        "SET LOCAL standard_conforming_strings = on",
        "SET LOCAL timezone = 'UTC'",
        # All rows are wanted, not the first ones soon.
        "SET LOCAL cursor_tuple_fraction = 1",
    )


def _address(connection: Connection, secret: Secret | None, reading: Reading) -> str:
    parts = {
        "host": connection.host,
        "port": str(connection.port),
        "dbname": connection.database,
        "user": connection.user,
        "sslmode": TLS[connection.tls],
        "connect_timeout": str(max(2, min(CONNECT_SECONDS, int(reading.seconds_left)))),
        "tcp_user_timeout": str(max(1, int(reading.seconds_left * 1000))),
        "application_name": "lastro",
        "client_encoding": "UTF8",
    }
    if secret is not None:
        parts["password"] = secret.reveal()
    if connection.tls == "verify":
        parts["sslrootcert"] = "system" if connection.ca is None else str(connection.ca)
    return " ".join(f"{key}={_quoted(value)}" for key, value in parts.items())


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _arguments(arguments: tuple[Argument, ...]) -> pa.Table | None:
    import pyarrow as pa

    if not arguments:
        return None
    arrays = [_array(argument) for argument in arguments]
    return pa.table(arrays, names=[str(i) for i in range(len(arrays))])


def _array(argument: Argument) -> pa.Array:
    """One value in its own type, by which the server knows what it is, even of a NULL."""
    import pyarrow as pa

    match argument.type:
        case "text":
            return pa.array([argument.value], pa.string())
        case "boolean":
            return pa.array([argument.value], pa.bool_())
        case "date":
            return pa.array([argument.value], pa.date32())
        case "datetime":
            zoned = isinstance(argument.value, datetime) and argument.value.tzinfo is not None
            return pa.array([argument.value], pa.timestamp("us", "UTC" if zoned else None))
        case "number":
            if isinstance(argument.value, int) and abs(argument.value) < 2**63:
                return pa.array([argument.value], pa.int64())
            value = None if argument.value is None else Decimal(str(argument.value))
            scale = 0 if value is None else max(0, -int(value.as_tuple().exponent))
            return pa.array([value], pa.decimal128(DECIMAL_DIGITS, scale))


def _fetch(cursor: Any, reading: Reading) -> pa.Table:
    import pyarrow as pa

    size, tables = 256, []
    while True:
        cursor.execute(f"FETCH FORWARD {size} FROM lastro")
        part = cursor.fetch_arrow_table()
        seen = part if reading.visible is None else _visible_part(part, reading.visible, reading.source)
        tables.append(seen)
        # What a viewer may not see fills no limit.
        reading.count(seen.num_rows, seen.nbytes)
        if part.num_rows < size:
            return pa.concat_tables(tables)
        size = FETCH_ROWS if part.nbytes < FETCH_ROWS * part.num_rows else size


def _visible_part(part: pa.Table, visible: VisibleRecords, source: str) -> pa.Table:
    kinds = [_kind_of(field) for field in part.schema]
    for field, kind in zip(part.schema, kinds, strict=True):
        _refuse_without_type(field, kind, source)
    return visible.part(part, frozenset(at for at, kind in enumerate(kinds) if kind == "numeric"))


def _kind_of(field: pa.Field) -> str:
    """The type that the server has for a column, where it says so."""
    kind: bytes = (field.metadata or {}).get(b"POSTGRESQL:type", b"")
    return kind.decode()


def _refuse_without_type(field: pa.Field, kind: str, source: str) -> None:
    import pyarrow as pa

    if kind == "money":
        # It arrives as a count of the smallest unit, which depends on the server's locale.
        raise _without_type(field.name, kind, "numeric", source)
    is_its_own = kind != "numeric" and isinstance(field.type, pa.OpaqueType)
    if is_its_own and not pa.types.is_string(field.type.storage_type):
        raise _without_type(field.name, kind or field.type.type_name, "text", source)


def _decimals(table: pa.Table, source: str) -> tuple[pa.Table, tuple[DataWarning, ...]]:
    """Turn numerics, which arrive as text, into decimals; refuse what arrives in a form of PostgreSQL's own."""
    import pyarrow as pa

    columns, warnings = [], []
    for field, column in zip(table.schema, table.columns, strict=True):
        kind = _kind_of(field)
        _refuse_without_type(field, kind, source)
        if kind == "numeric":
            exact, found = _exact(column.cast(pa.string()), field)
            columns.append(exact)
            warnings += found
        elif isinstance(field.type, pa.OpaqueType):
            columns.append(column.cast(field.type.storage_type))
        else:
            columns.append(column)
    return pa.table(columns, names=table.column_names), tuple(warnings)


def _without_type(name: str, kind: str, target: str, source: str) -> SourceUnreadable:
    return SourceUnreadable(
        f"The column {name} of the query on {source} is of PostgreSQL's type {kind}: write"
        f" CAST({name} AS {target}) in the query.",
        source=source,
    )


def _exact(column: pa.ChunkedArray, field: pa.Field) -> tuple[pa.ChunkedArray, list[DataWarning]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    warnings = []
    is_number = pc.match_substring_regex(column, "^[-0-9.]+$")
    odd = pc.sum(pc.invert(is_number)).as_py() or 0
    if odd:
        sample = column.filter(pc.invert(is_number)).unique().to_pylist()[:3]
        message = (
            f"{counted(odd, 'cell', 'cells')} of {field.name} {'is' if odd == 1 else 'are'} NaN or infinite, and "
            f"{'counts' if odd == 1 else 'count'} as empty."
        )
        warnings.append(DataWarning("not_finite", message, None, field.name, odd, tuple(sample)))
        column = pc.if_else(is_number, column, pa.scalar(None, column.type))
    declared = int((field.metadata or {}).get(b"POSTGRESQL:typmod", b"-1"))
    decimals = pc.utf8_length(pc.replace_substring_regex(column, r"^[^.]*\.?", ""))
    scale = (declared - 4) & 0x7FF if declared >= 4 else pc.max(decimals).as_py() or 0
    try:
        return column.cast(pa.decimal128(DECIMAL_DIGITS, scale)), warnings
    except pa.ArrowInvalid:
        message = (
            f"{field.name} has numbers that do not fit {DECIMAL_DIGITS} digits; they are read as doubles."
        )
        warnings.append(DataWarning("not_decimal", message, None, field.name))
        return column.cast(pa.float64()), warnings


# The classes of SQLSTATE whose messages speak of the query's names and syntax, and never of cells.
_ABOUT_THE_QUERY = ("42", "0A")
_NO_TABLE = frozenset({"42P01", "3F000"})
"""No such table, or no schema for it."""
_CAUSES = {
    "22": "a value in it does not fit its type (a cast, a division by zero, an overflow)",
    "25": "it would write, and the session is read-only",
    "53": "the server has no resources left",
    "40": "it clashed with another transaction",
}


@contextmanager
def _translated(reading: Reading) -> Iterator[None]:
    from adbc_driver_manager import Error

    name = reading.source
    try:
        yield
    except Error as error:
        state = error.sqlstate or ""
        if state in ("57014", "55P03", "25P03"):
            raise reading.timed_out() from error
        if state.startswith("28") or "authentication failed" in str(error):
            raise SourceForbidden(
                f"The database {name} refused the user or the password: check both.", source=name
            ) from error
        if state == "42501":
            raise SourceForbidden(
                f"The user of {name} may not read this ({_said(error)}): ask for the permission.", source=name
            ) from error
        if not state:
            _ = reading.seconds_left
            raise SourceError(
                f"The database {name} cannot be reached ({_reason(str(error))}): check host, port, database and tls.",
                source=name,
            ) from error
        cause = (
            _said(error)
            if state[:2] in _ABOUT_THE_QUERY
            else _CAUSES.get(state[:2], "an error of the server")
        )
        refused = TableNotFound if state in _NO_TABLE else SourceError
        raise refused(
            f"The database {name} refused the query ({cause}; SQLSTATE {state}): correct it.", source=name
        ) from error


def _said(error: Exception) -> str:
    # Only asked for errors of syntax, names and permissions, whose first line speaks of these and of no cell.
    found = re.search(r"ERROR:\s*(.*)", str(error))
    return found[1].strip() if found else "no reason given"


_REASONS: tuple[tuple[str, str], ...] = (
    ("refused", "nothing answers there"),
    ("could not translate host name", "the host is not known"),
    ("does not exist", "the database or user does not exist"),
    ("timeout", "no answer in time"),
    ("certificate", "the certificate is not trusted"),
    ("SSL", "TLS could not be agreed on"),
    ("too many", "too many connections"),
)


def _reason(text: str) -> str:
    return next((reason for sign, reason in _REASONS if sign in text), "no connection")
