"""Writes a snapshot into a new DuckDB file: a table for each band, filled part by part, and the document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from datasources.duckdb_lock import NO_ACCESS, Config
from engine.band import Band
from engine.coded_text import changed, code_further_columns, coded_columns, values_held_to
from engine.columns import ColumnType
from engine.facts import exact_text
from engine.profile import BandProfile, FieldProfile
from engine.snapshot import Snapshot, SnapshotBand
from engine.snapshot_document import Document, document_of, write_document
from engine.snapshot_hash import BandHash, id_of
from engine.stored_band import scaled_sql
from engine.typed_parts import NARROW_DIGITS, TypedParts, typed_parts

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

SMALL_CELLS_MAX = 100_000
SMALL_BLOCK_BYTES = 16_384
"""DuckDB's smallest block, for small snapshots: with its usual one the smallest file has half a megabyte."""
LARGE_BLOCK_BYTES = 262_144
MEMORY_MIB = 256
"""What DuckDB may use, and a MiB more for each column; it would keep all of the file in memory otherwise."""


def write_snapshot(snapshot: Snapshot, path: Path) -> Document:
    """
    Write *snapshot* to the new file *path*, which is closed and whole when this returns.

    Raises what a stream raises, SnapshotNotSaved when a source has changed since its facts were computed, and
    `duckdb.Error` when the file cannot be written.
    """
    import duckdb

    cells = sum(band.rows * len(band.columns) for band in snapshot.bands)
    config: Config = {
        **NO_ACCESS,
        # Parts are typed on threads of their own; with more of DuckDB's, row groups are written twice.
        "threads": "1",
        "memory_limit": f"{MEMORY_MIB + max((len(band.columns) for band in snapshot.bands), default=0)}MiB",
        "default_block_size": str(SMALL_BLOCK_BYTES if cells <= SMALL_CELLS_MAX else LARGE_BLOCK_BYTES),
    }
    path.unlink(missing_ok=True)
    with duckdb.connect(path, config=config) as connection:
        connection.execute("BEGIN")
        hashes = [
            _write_band(connection, f"band_{index}", band, facts)
            for index, (band, facts) in enumerate(zip(snapshot.bands, snapshot.profile.bands, strict=True))
        ]
        document = document_of(snapshot, id_of(snapshot, hashes))
        connection.execute("CREATE TABLE lastro_meta (document VARCHAR NOT NULL)")
        connection.execute("INSERT INTO lastro_meta VALUES (?)", [write_document(document)])
        connection.execute("COMMIT")
        connection.execute("CHECKPOINT")
    return document


def _write_band(
    connection: duckdb.DuckDBPyConnection, table: str, band: SnapshotBand, facts: BandProfile
) -> BandHash:
    found = BandHash.empty(len(band.columns))
    if not band.columns:
        return found
    parts = typed_parts(band)
    hashed = TypedParts(parts.schema, found.passing(parts.batches, band.columns))
    fill_table(connection, table, band, facts, hashed)
    return found


def fill_table(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    band: SnapshotBand,
    facts: BandProfile,
    parts: TypedParts,
) -> None:
    """
    Make the new *table* of *parts*, which are those of *band*.

    Raises what a stream raises, and SnapshotNotSaved when they are not the rows that *facts* were computed from.
    """
    coded = coded_columns(connection, table, band, facts)
    types = [
        coded.get(index) or _sql_type(column, field.type)
        for index, (column, field) in enumerate(zip(band.columns, parts.schema, strict=True))
    ]
    connection.execute(f"CREATE TABLE {table} ({', '.join(f'c{i} {kind}' for i, kind in enumerate(types))})")
    with values_held_to(coded, band):
        _insert(connection, table, parts)
    code_further_columns(connection, table, band, coded)
    row = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    rows = row[0] if row else 0
    if rows != band.rows:
        raise changed(band, f"it has {rows} rows now instead of {band.rows}")
    if isinstance(band, Band) and band.values is None:
        _hold_to_facts(connection, table, band, parts.schema, facts)


def _sql_type(column: ColumnType, kind: pa.DataType) -> str:
    match column.type:
        case "number":
            return "DOUBLE" if column.double else f"DECIMAL({kind.precision}, {kind.scale})"
        case "boolean":
            return "BOOLEAN"
        case "date":
            return "DATE"
        case _:
            return "VARCHAR"


def _insert(connection: duckdb.DuckDBPyConnection, table: str, parts: TypedParts) -> None:
    """Insert all parts by one statement, so that DuckDB compresses and writes each while the next is read."""
    import duckdb
    import pyarrow as pa

    failure: list[BaseException] = []

    def batches() -> Iterator[pa.RecordBatch]:
        try:
            yield from parts.batches
        except BaseException as error:
            # DuckDB would only hand on its text.
            failure.append(error)
            raise

    connection.register("part", pa.RecordBatchReader.from_batches(parts.schema, batches()))
    try:
        connection.execute(f"INSERT INTO {table} SELECT * FROM part")
    except duckdb.Error:
        if failure:
            raise failure[0] from None
        raise
    connection.unregister("part")


def _hold_to_facts(
    connection: duckdb.DuckDBPyConnection, table: str, band: Band, schema: pa.Schema, facts: BandProfile
) -> None:
    """Refuse rows that are not those the facts were computed from: a stream reads its source once more."""
    stated: list[tuple[ColumnType, str, str | int]] = []
    asked: list[str] = []
    for index, (column, field) in enumerate(zip(band.columns, facts.fields, strict=True)):
        # DuckDB's sums of doubles depend on their order, and those of wide decimals may not fit.
        exact = (
            not column.double
            and column.type == "number"
            and schema.field(index).type.precision <= NARROW_DIGITS
        )
        for name, expression, value in _checks(f"c{index}", column, field, exact):
            stated.append((column, name, value))
            asked.append(expression)
    if not asked:
        return
    row = connection.execute(f"SELECT {', '.join(asked)} FROM {table}").fetchone()
    for (column, name, value), found in zip(stated, row or (), strict=True):
        text = (
            exact_text(found, column)
            if column.type == "number" and name != "nulls" and found is not None
            else found
        )
        if text != value:
            raise changed(band, f"the {name} of “{column.name}” is {text} now instead of {value}")


def _checks(
    cell: str, column: ColumnType, field: FieldProfile, exact: bool
) -> Iterator[tuple[str, str, str | int]]:
    """Name, SQL and stated value of each fact that DuckDB can compute as exactly."""
    if column.type not in ("number", "date"):
        return
    yield "nulls", f"count(*) - count({cell})", field.nulls
    for name, value in (("min", field.min), ("max", field.max), ("sum", field.sum)):
        expression = f"{name}({cell})"
        if value is None or (name == "sum" and not exact):
            continue
        if column.type == "date":
            yield name, f"CAST({expression} AS VARCHAR)", value
        else:
            yield name, expression if column.double else scaled_sql(expression), value
