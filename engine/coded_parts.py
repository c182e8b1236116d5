"""Reads a band part by part as typed columns, where texts that are stored as codes stay codes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.stored_band import PART_ROWS, StoredBand, damaged, translated

if TYPE_CHECKING:
    import pyarrow as pa

    from engine.snapshot import SnapshotBand


def coded_parts(band: SnapshotBand) -> Iterator[pa.RecordBatch]:
    """The columns as `typed_parts` has them, but texts may be dictionary arrays; raises what its source raises."""
    if isinstance(band, StoredBand):
        return _stored(band)
    from engine.typed_parts import typed_parts

    return typed_parts(band).batches


def _stored(band: StoredBand) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    from engine.duckdb_core import with_arrow

    shown = ", ".join(f"c{index}" for index in range(len(band.columns)))
    with translated(band.file.path):
        query = with_arrow(band.file.cursor()).sql(f"SELECT {shown} FROM {band.table}")
        try:
            yield from query.to_arrow_reader(PART_ROWS)
        except (pa.ArrowException, OSError) as error:
            raise damaged(band.file.path, str(error).splitlines()[0][:200]) from error
