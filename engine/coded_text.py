"""
Stores a text column of few values as codes: a filter or a group then compares numbers instead of texts.

DuckDB calls such a type ENUM. Its values are in order of code points, so that the codes are ordered like the texts.
The types are made from values that are bound or stood in a table already: no value becomes part of a statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.band import Band
from engine.exceptions import SnapshotNotSaved

if TYPE_CHECKING:
    import duckdb

    from engine.profile import BandProfile
    from engine.snapshot import SnapshotBand

ROWS_MIN = 50_000
"""In a smaller table texts are compared as fast."""
VALUES_MAX = 60_000
"""Codes of two bytes suffice, also where there are somewhat more values than were estimated."""
ROWS_A_VALUE_MIN = 10
"""Where values hardly repeat, codes save nothing."""


def coded_columns(
    connection: duckdb.DuckDBPyConnection, table: str, band: SnapshotBand, facts: BandProfile
) -> Mapping[int, str]:
    """The types of the columns whose values the statistics of *band* know already, by position."""
    found: dict[int, str] = {}
    if band.rows < ROWS_MIN:
        return found
    import pyarrow as pa

    for position, column in enumerate(band.columns):
        values = _known_values(band, facts, position) if column.type == "text" else None
        if values and _is_worth_it(len(values), band):
            connection.register("known", pa.table({"value": pa.array(values, pa.string())}))
            found[position] = _make_type(
                connection, table, position, "SELECT value FROM known ORDER BY value"
            )
            connection.unregister("known")
    return found


def _is_worth_it(values: int, band: SnapshotBand) -> bool:
    return values <= VALUES_MAX and values * ROWS_A_VALUE_MIN <= band.rows


def _known_values(band: SnapshotBand, facts: BandProfile, position: int) -> list[str] | None:
    if isinstance(band, Band):
        counts = band.statistics.fields[position].counts
        return None if counts is None else [value for value in counts if isinstance(value, str)]
    counted = facts.fields[position].values
    return None if counted is None else [one.value for one in counted if one.value is not None]


def _make_type(connection: duckdb.DuckDBPyConnection, table: str, position: int, values: str) -> str:
    name = f"{table}_c{position}"
    connection.execute(f"CREATE TYPE {name} AS ENUM ({values})")
    return name


@contextmanager
def values_held_to(coded: Mapping[int, str], band: SnapshotBand) -> Iterator[None]:
    """Refuse rows with values that the statistics do not know: a stream reads its source once more."""
    import duckdb

    try:
        yield
    except duckdb.ConversionException as error:
        if not coded:
            raise
        raise changed(band, "it has other texts now") from error


def code_further_columns(
    connection: duckdb.DuckDBPyConnection, table: str, band: SnapshotBand, coded: Mapping[int, str]
) -> None:
    """Turn further text columns of the filled *table* into codes, where few values are found in them."""
    if band.rows < ROWS_MIN:
        return
    texts = [
        position
        for position, column in enumerate(band.columns)
        if column.type == "text" and position not in coded
    ]
    if not texts:
        return
    counts = ", ".join(f"approx_count_distinct(c{position})" for position in texts)
    estimated = connection.execute(f"SELECT {counts} FROM {table}").fetchone() or ()
    for position, values in zip(texts, estimated, strict=True):
        if values and _is_worth_it(values, band):
            cell = f"c{position}"
            listed = f"SELECT DISTINCT {cell} FROM {table} WHERE {cell} IS NOT NULL ORDER BY {cell}"
            kind = _make_type(connection, table, position, listed)
            connection.execute(f"ALTER TABLE {table} ALTER {cell} TYPE {kind} USING CAST({cell} AS {kind})")


def changed(band: SnapshotBand, found: str) -> SnapshotNotSaved:
    """The error for rows that are not those that the facts were computed from."""
    return SnapshotNotSaved(
        f"The source of “{band.name}” has changed since its facts were computed ({found}): compute them anew."
    )
