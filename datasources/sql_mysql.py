"""Reads rows of a MySQL or MariaDB database through PyMySQL, by a statement that the server prepares."""

from __future__ import annotations

import math
import ssl
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from datasources.base import DataWarning, counted
from datasources.exceptions import SourceError, SourceForbidden, TableNotFound
from datasources.sql_base import Argument, BoundQuery, Reading, driver_missing
from datasources.sql_rows import gather_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from datasources.connections import Connection, Secret

CONNECT_SECONDS = 10
# Fixed, since ANSI_QUOTES and NO_BACKSLASH_ESCAPES change what is text: the query was checked without them.
SQL_MODE = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"


def read_mysql(
    connection: Connection, secret: Secret | None, query: BoundQuery, reading: Reading
) -> tuple[pa.Table, tuple[DataWarning, ...]]:
    """
    Run *query* in a read-only transaction; DECIMAL is exact, TINYINT(1) of 0 and 1 is a boolean.

    What the server itself warns of, such as a text that was cut or read as 0, is a warning.
    """
    try:
        import pymysql
        from pymysql.cursors import SSCursor
    except ImportError as error:
        raise driver_missing("mysql", connection.name) from error
    with _translated(reading):
        database = pymysql.connect(**_address(connection, secret, reading), cursorclass=SSCursor)
        with closing(database):
            cursor = database.cursor()
            try:
                _prepare(cursor, query, "MariaDB" in database.get_server_info(), reading)
                described = cursor.description or ()
                columns = gather_rows(cursor.fetchmany, [about[0] for about in described], reading)
                warnings = _warnings(cursor)
            except BaseException:
                # Or closing would first read all the rows that are left.
                if cursor._result is not None:
                    cursor._result.unbuffered_active = False
                raise
    return _table(columns, described), warnings


def _address(connection: Connection, secret: Secret | None, reading: Reading) -> dict[str, Any]:
    seconds = math.ceil(reading.seconds_left)
    where: dict[str, Any] = {"host": connection.host, "port": connection.port}
    if connection.host.startswith("/"):
        where = {"unix_socket": connection.host}
    return {
        **where,
        "user": connection.user,
        # As bytes: PyMySQL would write a text in latin-1.
        "password": b"" if secret is None else secret.reveal().encode(),
        "database": connection.database,
        "charset": "utf8mb4",
        "connect_timeout": min(CONNECT_SECONDS, seconds),
        # Longer than the server's own limit, whose message says more.
        "read_timeout": seconds + 2,
        "write_timeout": seconds,
        "local_infile": False,
        "conv": _decoders(),
        **_tls(connection),
    }


def _tls(connection: Connection) -> dict[str, Any]:
    if connection.tls == "off":
        return {"ssl_disabled": True}
    context = ssl.create_default_context(cafile=None if connection.ca is None else str(connection.ca))
    if connection.tls == "on":
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return {"ssl": context}


def _decoders() -> Mapping[Any, Any]:
    from pymysql.constants import FIELD_TYPE
    from pymysql.converters import conversions

    return {
        **conversions,
        FIELD_TYPE.TIME: str,
        FIELD_TYPE.BIT: lambda bits: int.from_bytes(bits, "big"),
    }


def _prepare(cursor: Any, query: BoundQuery, is_mariadb: bool, reading: Reading) -> None:
    """
    Let the server prepare the query and execute it with the arguments, which never become part of its text.

    A prepared statement is exactly one.
    """
    for setting, value in _settings(is_mariadb, reading).items():
        cursor.execute(f"SET SESSION {setting} = %s", (value,))
    cursor.execute("START TRANSACTION READ ONLY")
    names = []
    for number, argument in enumerate(query.arguments, start=1):
        written, value = _written(argument)
        cursor.execute(f"SET @lastro_{number} = {written}", (value,))
        names.append(f"@lastro_{number}")
    cursor.execute("SET @lastro = %s", (query.text(lambda number: "?"),))
    cursor.execute("PREPARE lastro FROM @lastro")
    cursor.execute(f"EXECUTE lastro{' USING ' if names else ''}{', '.join(names)}")


def _settings(is_mariadb: bool, reading: Reading) -> dict[str, object]:
    seconds = reading.seconds_left
    settings: dict[str, object] = {
        "sql_mode": SQL_MODE,
        "group_concat_max_len": 1024 * 1024,
        "innodb_lock_wait_timeout": max(1, math.ceil(seconds)),
    }
    if is_mariadb:
        # It would end a recursion after 1,000 steps, and give what it has.
        return {**settings, "max_statement_time": seconds, "max_recursive_iterations": 2**32 - 1}
    return {**settings, "max_execution_time": max(1, int(seconds * 1000))}


def _written(argument: Argument) -> tuple[str, object]:
    """How a value is given to the server: as an expression of its type, and the value in it."""
    match argument.value:
        case datetime() as value:
            return "CAST(%s AS DATETIME(6))", value.replace(tzinfo=None).isoformat(sep=" ")
        case date() as value:
            return "CAST(%s AS DATE)", value.isoformat()
        case value:
            return "%s", value


def _warnings(cursor: Any) -> tuple[DataWarning, ...]:
    cursor.execute("SHOW COUNT(*) WARNINGS")
    count = int(cursor.fetchall()[0][0])
    if not count:
        return ()
    cursor.execute("SHOW WARNINGS LIMIT 3")
    sample = tuple(str(row[2]) for row in cursor.fetchall())
    return (
        DataWarning(
            "database_warning",
            f"The database gave {counted(count, 'warning', 'warnings')}.",
            count=count,
            sample=sample,
        ),
    )


def _table(columns: list[pa.ChunkedArray], described: Any) -> pa.Table:
    import pyarrow as pa

    typed = [_typed(column, about[1], about[3]) for column, about in zip(columns, described, strict=True)]
    return pa.table(typed, names=[about[0] for about in described])


def _typed(column: pa.ChunkedArray, kind: int, width: int) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc
    from pymysql.constants import FIELD_TYPE

    if pa.types.is_null(column.type):
        return column.cast(_without_cells(kind))
    # BOOLEAN is another word for TINYINT(1), the only width that servers still tell.
    is_boolean = kind == FIELD_TYPE.TINY and width == 1 and pa.types.is_integer(column.type)
    if is_boolean and pc.all(pc.is_in(column.drop_null(), pa.array([0, 1]))).as_py():
        return column.cast(pa.bool_())
    return column


def _without_cells(kind: int) -> pa.DataType:
    import pyarrow as pa
    from pymysql.constants import FIELD_TYPE

    whole = (
        FIELD_TYPE.TINY,
        FIELD_TYPE.SHORT,
        FIELD_TYPE.LONG,
        FIELD_TYPE.INT24,
        FIELD_TYPE.LONGLONG,
        FIELD_TYPE.YEAR,
    )
    if kind in whole or kind in (FIELD_TYPE.DECIMAL, FIELD_TYPE.NEWDECIMAL):
        return pa.int64()
    if kind in (FIELD_TYPE.FLOAT, FIELD_TYPE.DOUBLE):
        return pa.float64()
    if kind in (FIELD_TYPE.DATE, FIELD_TYPE.NEWDATE):
        return pa.date32()
    return pa.timestamp("us") if kind in (FIELD_TYPE.DATETIME, FIELD_TYPE.TIMESTAMP) else pa.string()


_TIMEOUTS = frozenset({1205, 1317, 1969, 3024})
_FORBIDDEN = frozenset({1044, 1045, 1142, 1143, 1698})
_ABOUT_THE_QUERY = frozenset(
    {1052, 1054, 1064, 1111, 1146, 1222, 1248, 1305, 1582, 1583, 1055, 1056, 1060, 1066}
)
"""Errors whose messages speak of the query's names and syntax, and never of cells."""
_UNREACHABLE = frozenset({1040, 1049, 1130, 1203, 2002, 2003, 2005, 2006, 2013, 2026})
_READ_ONLY = 1792
_NO_TABLE = 1146


@contextmanager
def _translated(reading: Reading) -> Iterator[None]:
    from pymysql.err import Error

    name = reading.source
    try:
        yield
    except Error as error:
        code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
        said = str(error.args[1]) if len(error.args) > 1 else ""
        if code in _TIMEOUTS:
            raise reading.timed_out() from error
        if code in _FORBIDDEN:
            raise SourceForbidden(
                f"The database {name} refused the user, the password, the database or the table (error {code}):"
                " check them.",
                source=name,
            ) from error
        if code in _UNREACHABLE or not code:
            _ = reading.seconds_left
            raise SourceError(
                f"The database {name} cannot be reached (error {code}): check host, port, database and tls.",
                source=name,
            ) from error
        cause = f"error {code}"
        if code in _ABOUT_THE_QUERY:
            cause = f"{said}; error {code}"
        elif code == _READ_ONLY:
            cause = f"it would write, and the session is read-only; error {code}"
        refused = TableNotFound if code == _NO_TABLE else SourceError
        raise refused(f"The database {name} refused the query ({cause}): correct it.", source=name) from error
