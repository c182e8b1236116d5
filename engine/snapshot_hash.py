"""
Names the content of a snapshot: a hash of its schema, of each typed cell, and of what the report itself says.

Each column has two running hashes: of the lengths of its cells, -1 for null, and of their bytes. So neither
the split into parts nor the kind of source shows, and different tables never have the same input.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from struct import pack
from typing import TYPE_CHECKING

from engine.band import Band
from engine.columns import ColumnType, Typed

if TYPE_CHECKING:
    from hashlib import _Hash

    import pyarrow as pa

    from engine.snapshot import Snapshot, SnapshotBand

SCHEME = "lastro-snapshot-1"
"""Part of every id, so that another way to hash would give other ids."""

_Cells = tuple["bytes | pa.Buffer", "bytes | pa.Buffer"]
"""Lengths, as little-endian int32 with -1 for null, and the bytes of the cells."""


@dataclass(slots=True)
class ColumnHash:
    """The running hashes of one column."""

    lengths: _Hash = field(default_factory=sha256)
    cells: _Hash = field(default_factory=sha256)

    def add(self, part: _Cells) -> None:
        """Add the cells of further rows."""
        self.lengths.update(part[0])
        self.cells.update(part[1])


@dataclass(slots=True)
class BandHash:
    """The running hashes of a band: fed part by part, in source order."""

    columns: tuple[ColumnHash, ...]
    rows: int = 0

    @classmethod
    def of(cls, band: SnapshotBand) -> BandHash:
        """Hash the cells of *band*: in plain Python where it is in memory."""
        found = cls.empty(len(band.columns))
        if isinstance(band, Band) and band.values is not None:
            found.rows = band.rows
            for one, values, column in zip(found.columns, band.values, band.columns, strict=True):
                one.add(plain_cells(values, column))
            return found
        from engine.typed_parts import typed_parts

        for _ in found.passing(typed_parts(band).batches, band.columns):
            pass
        return found

    @classmethod
    def empty(cls, columns: int) -> BandHash:
        """Begin with no rows."""
        return cls(tuple(ColumnHash() for _ in range(columns)))

    def passing(
        self, batches: Iterator[pa.RecordBatch], columns: Sequence[ColumnType]
    ) -> Iterator[pa.RecordBatch]:
        """Hash typed *batches* on their way through."""
        for batch in batches:
            for one, array, column in zip(self.columns, batch.columns, columns, strict=True):
                one.add(array_cells(array, column))
            self.rows += batch.num_rows
            yield batch


def snapshot_id(snapshot: Snapshot) -> str:
    """
    Name the content of *snapshot*: 64 hexadecimal digits, equal for equal typed values in the same order.

    What was only noticed on the way (warnings, notes, how cells were written) does not count. A stream is
    read once more; may raise `datasources.SourceError` then.
    """
    return snapshot.id or id_of(snapshot, [BandHash.of(band) for band in snapshot.bands])


def id_of(snapshot: Snapshot, hashes: Sequence[BandHash]) -> str:
    """The id of a snapshot of which the bands' cells have these *hashes*."""
    bands = []
    for band, profile, found in zip(snapshot.bands, snapshot.profile.bands, hashes, strict=True):
        columns = [
            [
                one.name,
                one.type,
                facts.role,
                facts.unit,
                one.scale,
                one.double,
                part.lengths.hexdigest(),
                part.cells.hexdigest(),
            ]
            for one, facts, part in zip(band.columns, profile.fields, found.columns, strict=True)
        ]
        bands.append([list(band.names), found.rows, columns])
    # Where a total row was taken out of the data, what it says is in no band, but is printed.
    stated = [[one.id, one.value] for one in snapshot.profile.aggregates]
    return sha256(json.dumps([SCHEME, bands, stated]).encode()).hexdigest()


def plain_cells(values: Sequence[Typed], column: ColumnType) -> _Cells:
    """
    The hash's input for typed cells.

    >>> plain_cells(["é", None], ColumnType("x", "text"))
    (b'\\x02\\x00\\x00\\x00\\xff\\xff\\xff\\xff', b'\\xc3\\xa9')
    """
    cells = [None if value is None else _bytes_of(value, column) for value in values]
    lengths = [-1 if cell is None else len(cell) for cell in cells]
    return pack(f"<{len(lengths)}i", *lengths), b"".join(cell for cell in cells if cell is not None)


def _bytes_of(value: Typed, column: ColumnType) -> bytes:
    """Text and dates as UTF-8, a boolean as one byte, a scaled integer as digits, a double as eight bytes."""
    if isinstance(value, bool):
        return b"\x01" if value else b"\x00"
    if column.double and not isinstance(value, str):
        return pack("<d", float(value or 0) + 0.0)  # -0.0 equals 0.0, so it must not differ
    return str(value).encode()


def array_cells(array: pa.Array, column: ColumnType) -> _Cells:
    """The same input as `plain_cells`, from a typed Arrow array."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.type == "boolean" or column.double:
        valid = array.is_valid().to_numpy(zero_copy_only=False)
        kept = array.drop_null().to_numpy(zero_copy_only=False)
        kept = kept.astype(np.uint8) if column.type == "boolean" else kept.astype("<f8") + 0.0
        return np.where(valid, kept.itemsize, -1).astype("<i4").tobytes(), kept.tobytes()
    text = _digits(array) if column.type == "number" else array.cast(pa.large_string())
    if text.null_count:
        text = pc.fill_null(text, "")  # whatever lay under a null is no content
    start, end = text.offset, text.offset + len(text)
    offsets = (
        np.frombuffer(text.buffers()[1], np.int64)[start : end + 1] if len(text) else np.zeros(1, np.int64)
    )
    lengths = np.diff(offsets)
    if array.null_count:
        lengths[~array.is_valid().to_numpy(zero_copy_only=False)] = -1
    first, last = int(offsets[0]), int(offsets[-1])
    data = text.buffers()[2]
    return lengths.astype("<i4").tobytes(), data.slice(first, last - first) if last > first else b""


def _digits(array: pa.Array) -> pa.Array:
    """The scaled integers of decimals as text."""
    import numpy as np
    import pyarrow as pa

    validity, words = array.buffers()
    pairs = np.frombuffer(words, np.int64)[2 * array.offset : 2 * (array.offset + len(array))].reshape(-1, 2)
    low = np.ascontiguousarray(pairs[:, 0])
    missing = None
    narrow = pairs[:, 1] == low >> 63
    if array.null_count:
        missing = ~array.is_valid().to_numpy(zero_copy_only=False)
        narrow |= missing
    if narrow.all():
        return pa.array(low, mask=missing).cast(pa.large_string())
    whole = pa.Array.from_buffers(
        pa.decimal128(38, 0), len(array), [validity, words], array.null_count, array.offset
    )
    return whole.cast(pa.large_string())
