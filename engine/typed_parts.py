"""Reads a band part by part as typed Arrow columns, whole columns at a time, to be stored and hashed."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING

from datasources.base import Lists
from datasources.concurrently import threads
from datasources.distinct import texts_at
from datasources.names import WHITE_SPACE
from engine.band import Band
from engine.columns import ColumnType, Typed, read_cell, text_of
from engine.stored_band import StoredBand

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

    from engine.snapshot import SnapshotBand

NARROW_DIGITS = 18
"""Numbers up to so many digits are stored as DECIMAL(18), in 8 bytes; wider ones as DECIMAL(38)."""
WIDE_DIGITS = 38
STEP_ROWS = 50_000
CUT_BYTES = 64 << 20
"""Parts with more text than this are cut in pieces of about so many bytes."""
THREADS_MAX = 4


@dataclass(frozen=True, slots=True)
class TypedParts:
    """
    The rows of a band in source order.

    Numbers are decimals at their column's scale or doubles, dates are dates, booleans booleans; texts and
    datetimes (in their canonical form) are texts.
    """

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]


def typed_parts(band: SnapshotBand) -> TypedParts:
    """The typed columns of *band*, named by position; raises what its source raises."""
    if isinstance(band, StoredBand):
        return TypedParts(*band.parts())
    digits = _digits(band)
    schema = _schema(band.columns, digits)
    if isinstance(band, Band) and band.values is not None:
        return TypedParts(schema, iter([_listed(band.values, band.columns, schema)]))
    if isinstance(band, Band):
        return TypedParts(schema, _streamed(band, schema))
    return TypedParts(schema, _taken(band, schema))


def _digits(band: SnapshotBand) -> list[int]:
    """How many digits each number column needs: 18 where its bounds say so, else 38."""
    if not isinstance(band, Band):
        return [WIDE_DIGITS] * len(band.columns)
    bounds = [(one.minimum, one.maximum) for one in band.statistics.fields]
    return [
        NARROW_DIGITS
        if column.scale <= NARROW_DIGITS
        and all(abs(edge) < 10**NARROW_DIGITS for edge in edges if type(edge) is int)
        else WIDE_DIGITS
        for column, edges in zip(band.columns, bounds, strict=True)
    ]


def _schema(columns: Sequence[ColumnType], digits: Sequence[int]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema(
        [
            (f"c{index}", _arrow_type(one, wide))
            for index, (one, wide) in enumerate(zip(columns, digits, strict=True))
        ]
    )


def _arrow_type(column: ColumnType, digits: int) -> pa.DataType:
    import pyarrow as pa

    match column.type:
        case "number":
            return pa.float64() if column.double else pa.decimal128(digits, column.scale)
        case "boolean":
            return pa.bool_()
        case "date":
            return pa.date32()
        case _:
            return pa.large_string()


# ---- typed cells become arrays ----


def _listed(
    values: Sequence[Sequence[Typed]], columns: Sequence[ColumnType], schema: pa.Schema
) -> pa.RecordBatch:
    import pyarrow as pa

    arrays = [
        _array(cells, column, field.type)
        for cells, column, field in zip(values, columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _taken(band: SnapshotBand, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The general way, for a band that only gives rows."""
    for start in range(0, band.rows, STEP_ROWS):
        rows = band.take(range(start, min(start + STEP_ROWS, band.rows)))
        yield _listed(list(zip(*rows, strict=True)) or [()] * len(schema), band.columns, schema)


def _array(cells: Sequence[Typed], column: ColumnType, kind: pa.DataType) -> pa.Array:
    """An array of typed cells, as `engine.columns` has them."""
    import pyarrow as pa

    match column.type:
        case "number" if column.double:
            return pa.array([None if cell is None else float(cell) for cell in cells], kind)
        case "number":
            return _decimals(cells, kind)
        case "date":
            return pa.array([None if cell is None else date.fromisoformat(str(cell)) for cell in cells], kind)
        case _:
            return pa.array(cells, kind)


def _decimals(cells: Sequence[Typed], kind: pa.DataType) -> pa.Array:
    """Scaled integers of up to 38 digits as decimals."""
    import numpy as np
    import pyarrow as pa

    words = b"".join(int(cell or 0).to_bytes(16, "little", signed=True) for cell in cells)
    valid = np.fromiter((cell is not None for cell in cells), bool, len(cells))
    return pa.Array.from_buffers(kind, len(cells), [_bitmap(valid), pa.py_buffer(words)])


def _narrow_decimals(
    values: NDArray[np.int64], valid: NDArray[np.bool_] | None, kind: pa.DataType
) -> pa.Array:
    """Scaled int64 numbers as decimals: the upper half of each is its sign."""
    import numpy as np
    import pyarrow as pa

    words = np.empty((len(values), 2), np.int64)
    words[:, 0] = values
    words[:, 1] = values >> 63
    return pa.Array.from_buffers(kind, len(values), [_bitmap(valid), pa.py_buffer(words)])


def _bitmap(valid: NDArray[np.bool_] | None) -> pa.Buffer | None:
    import numpy as np
    import pyarrow as pa

    return None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))


# ---- parts of a stream ----


def _streamed(band: Band, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Read in source order, while threads type what has been read."""
    count = min(os.cpu_count() or 1, THREADS_MAX)
    waiting: deque[Future[pa.RecordBatch]] = deque()
    with threads(count) as pool:
        for table in _rows_of(band):
            waiting.append(pool.submit(_typed_batch, table, band.columns, schema))
            if len(waiting) >= count:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _rows_of(band: Band) -> Iterator[pa.Table]:
    """The untyped parts, without the rows that are totals."""
    stream = band.raw.cells
    assert not isinstance(stream, Lists)
    few = [position for position, one in enumerate(band.statistics.fields) if one.counts is not None]
    start = 0
    for read in stream.parts(range(len(band.columns)), few):
        table = read()
        first = 1 if start == 0 and 0 in band.dropped else 0
        end = start + table.num_rows
        kept = table.num_rows - first - (1 if end - 1 in band.dropped and end > 1 else 0)
        yield from _cut(table.slice(first, max(kept, 0)))
        start = end


def _cut(table: pa.Table) -> Iterator[pa.Table]:
    """*table* in pieces, where texts that are there once for many rows are too much when each row has its own."""
    import numpy as np

    from engine.json_pieces import cuts

    sizes = [found for found in map(_sizes, table.columns) if found is not None]
    if not sizes:
        yield table
        return
    for start, stop in pairwise([0, *cuts(np.sum(sizes, axis=0), CUT_BYTES)]):
        yield table.slice(start, stop - start)


def _sizes(column: pa.ChunkedArray) -> NDArray[np.int64] | None:
    """How many bytes the text of each row has; None where they are few in any case."""
    import numpy as np
    import pyarrow as pa

    from engine.encoded import integers_or
    from engine.json_pieces import text_edges

    if not pa.types.is_dictionary(column.type) or not _is_text(column.type.value_type):
        return None
    lengths = [np.diff(text_edges(chunk.dictionary.cast(pa.large_string()))) for chunk in column.chunks]
    longest = max((int(one.max()) for one in lengths if len(one)), default=0)
    if longest * len(column) <= CUT_BYTES:
        return None
    sizes = [
        np.append(one, 0)[integers_or(chunk.indices, len(one))]
        for one, chunk in zip(lengths, column.chunks, strict=True)
    ]
    return np.concatenate(sizes)


def _typed_batch(table: pa.Table, columns: Sequence[ColumnType], schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa

    arrays = [
        typed_column(column, verdict, field.type)
        for column, verdict, field in zip(table.columns, columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def typed_column(column: pa.ChunkedArray, verdict: ColumnType, kind: pa.DataType) -> pa.Array:
    """Read an untyped column to an array of *kind*: each cell as `columns.read_cell` reads it."""
    import pyarrow as pa

    given = column.type
    if not pa.types.is_dictionary(given):
        found: pa.Array | None = None
        match verdict.type:
            case "number":
                found = _numbers(column, verdict, kind)
            case "boolean" if pa.types.is_boolean(given):
                found = _joined(column)
            case "date" if pa.types.is_date(given) or (pa.types.is_timestamp(given) and given.tz is None):
                found = _joined(column.cast(kind, safe=False))
            case "datetime":
                found = _moments(column, verdict)
            case "text":
                found = _texts(column, verdict)
        if found is not None:
            return found
    return _by_distinct(column, verdict, kind)


def _by_distinct(column: pa.ChunkedArray, verdict: ColumnType, kind: pa.DataType) -> pa.Array:
    """The general way: every distinct cell is read on its own."""
    import pyarrow as pa

    from engine.encoded import encode

    part = encode(column, verdict.null_values)
    if verdict.type == "text" and not verdict.declared:
        typed: list[Typed] = [None if key is None else text_of(key) for key in part.keys]
    else:
        typed = [read_cell(key, verdict) for key in part.keys]
    values, codes = _array(typed, verdict, kind), pa.array(part.codes)
    return texts_at(values, codes) if pa.types.is_large_string(kind) else values.take(codes)


def _numbers(column: pa.ChunkedArray, verdict: ColumnType, kind: pa.DataType) -> pa.Array | None:
    import pyarrow as pa

    from engine.numeric import native_numbers
    from engine.numeric_text import text_numbers

    given = column.type
    if pa.types.is_decimal(kind) and kind.precision > NARROW_DIGITS:
        same = pa.types.is_decimal128(given) and given.scale == kind.scale
        return _joined(column.cast(kind)) if same else None
    if _is_text(given):
        # The fast reader knows neither declared nulls nor doubles.
        if verdict.null_values or verdict.double:
            return None
        found = text_numbers(column, verdict)
    elif pa.types.is_integer(given) or pa.types.is_floating(given) or pa.types.is_decimal(given):
        found = native_numbers(column, verdict)
    else:
        return None
    if verdict.double:
        return pa.array(found.values, mask=None if found.valid is None else ~found.valid)
    return _narrow_decimals(found.values, found.valid, kind)


def _texts(column: pa.ChunkedArray, verdict: ColumnType) -> pa.Array | None:
    import polars as pl
    import pyarrow as pa

    given = column.type
    if pa.types.is_integer(given):
        return _joined(column.cast(pa.large_string()))
    if not _is_text(given):
        return None
    text = pl.Series("t", column, pl.String).str.strip_chars(WHITE_SPACE)
    missing = (text == "") | text.is_in(list(verdict.null_values))
    if missing.any():
        text = text.to_frame().select(pl.when(~missing).then("t")).to_series()
    return _plain_text(text)


_CANONICAL = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
    r"(?:\.[0-9]*[1-9][0-9]*)?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)?$"
)
"""Times that are stored as they are written."""


def _moments(column: pa.ChunkedArray, verdict: ColumnType) -> pa.Array | None:
    """Times as whole columns where nearly all are written as they are stored; None for all other columns."""
    import polars as pl
    import pyarrow as pa
    import pyarrow.compute as pc

    given = column.type
    if pa.types.is_timestamp(given) and given.tz is None and given.unit != "ns":
        text = pl.Series("t", column.cast(pa.large_string()), pl.String).str.replace(" ", "T", literal=True)
        return _plain_text(text if given.unit == "s" else text.str.replace(r"\.?0+$", ""))
    if not _is_text(given) or verdict.null_values:
        return None
    written = pl.Series("t", column, pl.String)
    text = written.str.replace(r"^([0-9-]{10}) ([0-9])", "${1}T${2}").str.replace(
        r"^(.{19})\.0+(Z|[+-].*)?$", "${1}${2}"
    )
    odd = ~text.str.contains(_CANONICAL).fill_null(True)
    if not odd.any():
        return _plain_text(text)
    read = _by_distinct(pa.chunked_array([_plain_text(written.filter(odd))]), verdict, pa.large_string())
    return pc.replace_with_mask(_plain_text(text), pa.array(odd.to_numpy()), read)


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return kind in (pa.string(), pa.large_string(), pa.string_view())


def _plain_text(text: pl.Series) -> pa.Array:
    import polars as pl
    import pyarrow as pa

    return text.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(pa.large_string())


def _joined(column: pa.ChunkedArray) -> pa.Array:
    import pyarrow as pa

    joined = column.combine_chunks()
    if isinstance(joined, pa.ChunkedArray):
        joined = pa.concat_arrays(joined.chunks) if joined.num_chunks else pa.array([], column.type)
    return joined
