"""Writes Arrow columns of any type as text, each cell for itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from datasources.records import compact_json, plain_decimal

if TYPE_CHECKING:
    import pyarrow as pa


def text_column(column: pa.ChunkedArray, target: pa.DataType) -> pa.ChunkedArray:
    """Write *column* as text of the type *target* (see `arrow_types.plain_column`)."""
    import pyarrow as pa

    types, kind = pa.types, column.type
    if types.is_nested(kind):
        return map_values(_as_written(column), compact_json, target)
    if types.is_fixed_size_binary(kind):
        return map_values(column, bytes.hex, target)
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind):
        try:
            return column.cast(target)
        except pa.ArrowInvalid:
            return map_values(column, bytes.hex, target)
    if types.is_time(kind):
        return map_values(column, _time_text, target)
    if types.is_duration(kind):
        units = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]
        return map_values(column.cast(pa.int64()), lambda n: plain_decimal(Decimal(n) / units), target)
    if types.is_decimal(kind):
        return map_values(column, plain_decimal, target)
    if types.is_interval(kind):
        return map_values(column, lambda span: f"{span[0]} months {span[1]} days {span[2]} ns", target)
    if types.is_timestamp(kind) and kind.tz:
        return _zoned_text(column, target)
    return column.cast(target)


def map_values(column: pa.ChunkedArray, text_of: Callable[..., str], target: pa.DataType) -> pa.ChunkedArray:
    """The text that *text_of* makes of each cell."""
    import pyarrow as pa

    chunks = []
    for chunk in column.chunks:
        try:
            values = chunk.to_pylist()
        except (ValueError, OverflowError):
            values = list(map(python_value, chunk))
        chunks.append(pa.array([None if v is None else text_of(v) for v in values], target))
    return pa.chunked_array(chunks, target)


def python_value(scalar: pa.Scalar, text: str | None = None) -> Any:
    """
    The cell as Python has it; a moment that Python has not, such as one past the year 9999, as its *text*.

    No cell decides how another one arrives, or it would matter how a column is cut.
    """
    import pyarrow as pa

    types, kind = pa.types, scalar.type
    try:
        return scalar.as_py()
    except (ValueError, OverflowError):
        if types.is_map(kind):
            return [(python_value(pair[0]), python_value(pair[1])) for pair in scalar.values]
        if types.is_struct(kind):
            return {key: python_value(cell) for key, cell in scalar.items()}
        if types.is_nested(kind):
            return list(map(python_value, scalar.values))
    if text is None:
        (text,) = text_column(pa.chunked_array([pa.repeat(scalar, 1)]), pa.string()).to_pylist()
    return _iso(text)


def _iso(text: str) -> str:
    """
    A moment of Arrow's as Python writes its own: without a fraction that is none.

    >>> _iso("11476-08-15 00:00:00.000-03:00")
    '11476-08-15T00:00:00-03:00'
    """
    return re.sub(r"\.0+(?![0-9])", "", text.replace(" ", "T", 1))


def _as_written(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A nested column with its floats of 32 bits as the doubles that are written alike (spec 2.7): 0.1 stays 0.1."""
    import pyarrow as pa

    is_float = pa.types.is_float32
    texts = with_leaves(column.type, lambda leaf: pa.string() if is_float(leaf) else leaf)
    if texts == column.type:
        return column
    doubles = with_leaves(column.type, lambda leaf: pa.float64() if is_float(leaf) else leaf)
    return column.cast(texts).cast(doubles)


def with_leaves(kind: pa.DataType, change: Callable[[pa.DataType], pa.DataType]) -> pa.DataType:
    """The type *kind* with *change* made to what lies in its lists, maps and structs, or to itself."""
    import pyarrow as pa

    def changed(field: pa.Field) -> pa.Field:
        return field.with_type(with_leaves(field.type, change))

    types = pa.types
    if types.is_struct(kind):
        return pa.struct(list(map(changed, kind)))
    if types.is_map(kind):
        return pa.map_(changed(kind.key_field), changed(kind.item_field))
    if types.is_fixed_size_list(kind):
        return pa.list_(changed(kind.value_field), kind.list_size)
    if types.is_list(kind):
        return pa.list_(changed(kind.value_field))
    return pa.large_list(changed(kind.value_field)) if types.is_large_list(kind) else change(kind)


def _zoned_text(column: pa.ChunkedArray, target: pa.DataType) -> pa.ChunkedArray:
    """Times with the offset of their zone; as instants (`Z`) where the zone is not installed."""
    import pyarrow as pa
    import pyarrow.compute as pc

    instants = column.cast(pa.timestamp(column.type.unit))
    try:
        local = pc.local_timestamp(column)
    except pa.ArrowInvalid:
        return _suffixed(instants.cast(target), target)
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[column.type.unit]
    ahead = pc.divide(pc.subtract(local.cast(pa.int64()), instants.cast(pa.int64())), per_second)
    offsets = map_values(ahead, _offset_text, target)
    joined: pa.ChunkedArray = pc.binary_join_element_wise(local.cast(target), offsets, pa.scalar("", target))
    return joined


def _offset_text(seconds: int) -> str:
    text = str(datetime(2000, 1, 1, tzinfo=timezone(timedelta(seconds=seconds))))
    return text[19:]


def _suffixed(column: pa.ChunkedArray, target: pa.DataType) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    joined: pa.ChunkedArray = pc.binary_join_element_wise(
        column, pa.scalar("Z", target), pa.scalar("", target)
    )
    return joined


def _time_text(value: object) -> str:
    return str(value).split(" ")[-1]
