"""Fills a DuckDB table with the columns that are asked for, of a band that is not stored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from datasources.base import Lists, Stream
from datasources.duckdb_lock import NO_ACCESS, Config
from datasources.temporary import temporary_folder
from engine.band import Band
from engine.columns import ColumnType
from engine.exceptions import EngineError
from engine.profile import BandProfile
from engine.query.deadline import while_wanted
from engine.snapshot import SnapshotBand
from engine.snapshot_write import fill_table
from engine.statistics import BandStatistics
from engine.stored_band import StoredFile
from engine.typed_parts import TypedParts, typed_parts

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

TABLE = "band"
FILE_THREADS = "1"
"""Parts are typed on threads of their own."""


@contextmanager
def filled_connection(
    band: SnapshotBand, facts: BandProfile, positions: Sequence[int], memory_mib: int
) -> Iterator[tuple[duckdb.DuckDBPyConnection, tuple[ColumnType, ...]]]:
    """
    A locked connection whose `TABLE` has the columns of *band* at the ascending *positions*, and their types.

    A stream fills a temporary file, everything else memory.
    """
    columns = tuple(band.columns[position] for position in positions)
    if isinstance(band, Band):
        chosen: SnapshotBand = _project(band, positions)
        facts = replace(facts, fields=tuple(facts.fields[position] for position in positions))
    else:
        chosen, columns = band, band.columns
    if isinstance(band, Band) and band.values is None:
        with temporary_folder() as folder:
            path = folder / "band.duckdb"
            _fill_file(path, chosen, facts)
            file = StoredFile(path, memory_mib)
            try:
                yield file.cursor(), columns
            finally:
                file.close()
        return
    with _in_memory(chosen, facts, memory_mib) as connection:
        yield connection, columns


@contextmanager
def _in_memory(
    band: SnapshotBand, facts: BandProfile, memory_mib: int
) -> Iterator[duckdb.DuckDBPyConnection]:
    import duckdb

    config: Config = {**NO_ACCESS, "max_temp_directory_size": "0KB", "memory_limit": f"{memory_mib}MiB"}
    with duckdb.connect(":memory:", config=config) as connection:
        fill_table(connection, TABLE, band, facts, _wanted_parts(band))
        connection.execute("SET lock_configuration = true")
        yield connection


def _fill_file(path: Path, band: SnapshotBand, facts: BandProfile) -> None:
    import duckdb

    try:
        with duckdb.connect(path, config={**NO_ACCESS, "threads": FILE_THREADS}) as connection:
            fill_table(connection, TABLE, band, facts, _wanted_parts(band))
            connection.execute("CHECKPOINT")
    except duckdb.IOException as error:
        reason = str(error).splitlines()[0][:200]
        raise EngineError(
            f"The rows of “{band.name}” could not be kept for asking ({reason}): make room for temporary files."
        ) from error


def _wanted_parts(band: SnapshotBand) -> TypedParts:
    """The parts of *band*, as long as somebody waits for the question that needs them."""
    parts = typed_parts(band)
    return replace(parts, batches=while_wanted(parts.batches))


# ---- a band with some of its columns ----


def _project(band: Band, positions: Sequence[int]) -> Band:
    cells = band.raw.cells
    raw = replace(
        band.raw,
        columns=tuple(band.raw.columns[position] for position in positions),
        cells=cells if isinstance(cells, Lists) else _ProjectedStream(cells, tuple(positions)),
        native_types=(),
        parent_column=None,
    )
    fields = tuple(band.statistics.fields[position] for position in positions)
    return replace(
        band,
        raw=raw,
        columns=tuple(band.columns[position] for position in positions),
        statistics=BandStatistics(band.statistics.rows, fields, {}),
        values=None if band.values is None else tuple(band.values[position] for position in positions),
    )


@dataclass(frozen=True, slots=True)
class _ProjectedStream:
    """Some columns of a stream."""

    stream: Stream
    positions: tuple[int, ...]

    @property
    def rows(self) -> int:
        return self.stream.rows

    @property
    def schema(self) -> pa.Schema:
        import pyarrow as pa

        return pa.schema([self.stream.schema.field(position) for position in self.positions])

    def sample(self) -> pa.Table:
        return self.stream.sample().select(list(self.positions))

    def parts(
        self, columns: Sequence[int], encoded: Collection[int] = ()
    ) -> Iterator[Callable[[], pa.Table]]:
        inner = [self.positions[column] for column in columns]
        return self.stream.parts(inner, [self.positions[column] for column in encoded])

    def take(self, rows: Sequence[int]) -> pa.Table:
        return self.stream.take(rows).select(list(self.positions))
