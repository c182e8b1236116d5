"""Opens a band as a table of a locked-down DuckDB connection: a stored one where it is, another one filled in."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.columns import ColumnType
from engine.query.comparisons import NARROW_DIGITS
from engine.stored_band import MEMORY_MIB, StoredBand

if TYPE_CHECKING:
    import duckdb

    from engine.profile import BandProfile
    from engine.snapshot import SnapshotBand


@dataclass(frozen=True, slots=True)
class BandTable:
    """A band that can be asked by SQL."""

    connection: duckdb.DuckDBPyConnection
    name: str
    columns: tuple[ColumnType, ...]
    """Of its columns `c0…cN`, in order."""
    narrow: frozenset[int]
    """Positions of the decimal columns of at most 18 digits, whose sums fit into DuckDB's."""


@contextmanager
def open_table(
    band: SnapshotBand, facts: BandProfile, fields: Collection[int], memory_mib: int = MEMORY_MIB
) -> Iterator[BandTable]:
    """
    The columns of *band* at the positions *fields* as a table, in memory or, for a stream, in a temporary file.

    A stored band is asked where it is, with all of its columns. Others may use *memory_mib* MiB. Raises
    what its source raises, and EngineError when there is no room for the temporary file.
    """
    if isinstance(band, StoredBand):
        yield _table(band.file.cursor(), band.table, band.columns)
        return
    # A stored band needs nothing of what types and fills in the others.
    from engine.query.filled import TABLE, filled_connection

    with filled_connection(band, facts, sorted(fields), memory_mib) as (connection, columns):
        yield _table(connection, TABLE, columns)


def _table(connection: duckdb.DuckDBPyConnection, name: str, columns: tuple[ColumnType, ...]) -> BandTable:
    # Not DESCRIBE: it would write out every value of a column of codes. A table without rows has no sum to overflow.
    decimals = [
        position for position, column in enumerate(columns) if column.type == "number" and not column.double
    ]
    shown = ", ".join(f"typeof(c{position})" for position in decimals) or "NULL"
    kinds = connection.execute(f"SELECT {shown} FROM {name} LIMIT 1").fetchone() or ()
    narrow = frozenset(
        position
        for position, kind in zip(decimals, kinds, strict=False)
        if str(kind).startswith(f"DECIMAL({NARROW_DIGITS},")
    )
    return BandTable(connection, name, columns, narrow)
