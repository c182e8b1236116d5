"""Says which tables of a report's queries their databases have not, without reading a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from datasources.exceptions import Problem, QueryRefused, SourceError, TableNotFound
from datasources.sql_base import SqlLimits

if TYPE_CHECKING:
    from datasources.connections import Connections
    from datasources.elements import ReportDefinition, SqlSource

SECONDS = 10.0
"""So long a database may take to say whether it has a table."""


class KnownTables:
    """What the databases of *connections* said of their tables: each is asked for once, whatever reports name it."""

    def __init__(self, connections: Connections) -> None:
        """Nothing is asked yet."""
        self.connections = connections
        self._said: dict[tuple[str, str], SourceError | None] = {}
        self._silent: dict[str, SourceError] = {}
        """Why a connection could not be asked, after which it is left alone."""

    def problems(self, definition: ReportDefinition) -> Iterator[Problem]:
        """A problem for each table that a band reads and its database has not."""
        for path, band, connection, table in self._read(definition):
            if isinstance(self._asked(connection, table), TableNotFound):
                yield Problem(
                    path,
                    f"The band {band} reads the table {table}, and the connection {connection} has none: correct the"
                    " name in the query, or let the connection name another database.",
                )

    def doubts(self, definition: ReportDefinition) -> Iterator[Problem]:
        """A doubt for each connection of a band that could not be asked for all of its tables."""
        told: set[str] = set()
        for path, _, connection, table in self._read(definition):
            error = self._asked(connection, table)
            if error is None or isinstance(error, TableNotFound) or connection in told:
                continue
            file = self.connections.named[connection].path
            if file is not None and not file.exists():
                continue  # `find_doubts` says so
            told.add(connection)
            yield Problem(
                path, f"The tables of the connection {connection} could not be looked at: {error.message}"
            )

    def _read(self, definition: ReportDefinition) -> Iterator[tuple[str, str, str, str]]:
        """The path and name of each band that has a query, its connection, and each table of the query."""
        for position, band in enumerate(definition.bands):
            source = definition.datasources.get(band.datasource or "")
            if source is not None and source.kind == "sql":
                for table in self._tables(source, definition):
                    yield f"bands[{position}].datasource", band.name, source.connection, table

    def _tables(self, source: SqlSource, definition: ReportDefinition) -> tuple[str, ...]:
        from datasources.sql import tables_of

        connection = self.connections.named.get(source.connection)
        if connection is None:
            return ()  # `query_problems` says so
        try:
            return tables_of(source, connection, {one.id: one for one in definition.parameters})
        except QueryRefused:
            return ()  # and this

    def _asked(self, connection: str, table: str) -> SourceError | None:
        """What the database says of *table*: None where it has it."""
        if connection in self._silent:
            return self._silent[connection]
        if (connection, table) not in self._said:
            self._said[connection, table] = self._ask(connection, table)
        return self._said[connection, table]

    def _ask(self, name: str, table: str) -> SourceError | None:
        from datasources.sql import look_for_table

        connection = self.connections.named[name]
        try:
            look_for_table(table, connection, self.connections, SqlLimits(seconds=SECONDS))
        except TableNotFound as error:
            return error
        except SourceError as error:
            self._silent[name] = error
            return error
        return None
