"""Turns the columns of an Arrow table into the few plain types that the engine knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from datasources.arrow_text import map_values, python_value, text_column, with_leaves
from datasources.fine_moment import FineMoment
from datasources.records import text_of

if TYPE_CHECKING:
    import pyarrow as pa

    from datasources.base import Cell, NativeType

DECIMAL_DIGITS = 38
"""What a decimal128 holds."""
FLOATS_AT_ONCE = 1 << 18
"""As text each takes seven times its size."""


def flatten_structs(table: pa.Table) -> pa.Table:
    """
    Give every field of a struct column a column `parent.child` of its own, at any depth; views become plain.

    The names may repeat afterwards; columns are meant by position from here on.
    """
    import pyarrow as pa

    leaves = [
        leaf
        for name, column in zip(table.column_names, table.columns, strict=True)
        for leaf in _leaves(name, _without_views(column))
    ]
    if not leaves:
        return table
    return pa.table([column for _, column in leaves], names=[name for name, _ in leaves])


def _leaves(name: str, column: pa.ChunkedArray) -> Iterator[tuple[str, pa.ChunkedArray]]:
    """The column itself, or those of its fields (a function of its own: a closure would keep the data alive)."""
    import pyarrow as pa

    if isinstance(column.type, pa.BaseExtensionType):
        column = _storage(column)
    if not (pa.types.is_struct(column.type) and column.type.num_fields):
        yield name, column
        return
    for field, child in zip(column.type, column.flatten(), strict=True):
        yield from _leaves(f"{name}.{field.name}", child)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """The type that a column of *kind* has once it is plain; binary columns are told apart by their cells."""
    import pyarrow as pa

    types = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return plain_type(kind.storage_type)
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return plain_type(kind.value_type)
    if types.is_floating(kind):
        return pa.float64()
    if types.is_uint64(kind):
        return pa.decimal128(20, 0)
    if types.is_date64(kind):
        return pa.date32()
    if types.is_decimal(kind):
        fits = kind.precision <= DECIMAL_DIGITS and kind.scale >= 0
        return pa.decimal128(kind.precision, kind.scale) if fits else pa.string()
    kept = (
        types.is_boolean, types.is_integer, types.is_date, types.is_timestamp,
        types.is_string, types.is_large_string,
    )  # fmt: skip
    if any(is_kind(kind) for is_kind in kept):
        return kind
    large = types.is_string_view(kind) or types.is_binary_view(kind) or types.is_large_binary(kind)
    return pa.large_string() if large else pa.string()


def is_text(kind: pa.DataType) -> bool:
    """Whether *kind* is one of Arrow's layouts of text."""
    import pyarrow as pa

    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _without_views(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """*column* with its text and bytes, at any depth, in the layouts that every function of Arrow's knows."""
    import pyarrow as pa

    large = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    kind = with_leaves(column.type, lambda leaf: large.get(leaf, leaf))
    return column if kind == column.type else column.cast(kind)


def numpy_of(column: pa.Array | pa.ChunkedArray) -> Any:
    """
    The numbers or booleans of *column* as a NumPy array, without a copy where it is in one piece.

    By way of Polars: Arrow's own way loads pandas, where that is installed, and takes 0.2 s to do so.
    """
    import polars as pl

    series = pl.from_arrow(column)
    assert isinstance(series, pl.Series)
    return series.to_numpy()


def native_type(kind: pa.DataType) -> NativeType | None:
    """What the plain type *kind* says of a column; None for text."""
    import pyarrow as pa

    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_date(kind):
        return "date"
    return "datetime" if pa.types.is_timestamp(kind) else None


def plain_column(column: pa.ChunkedArray, target: pa.DataType | None = None) -> pa.ChunkedArray:
    """
    Turn *column* into its plain type, or *target*; a column that has it is not copied.

    Lists, maps and structs become compact JSON text, times `HH:MM:SS`, bytes UTF-8 where all of them are and
    else hexadecimal digits, spans of time seconds as text. Floats of any width are doubles that are written alike.
    """
    import pyarrow as pa

    kind = column.type
    target = target or plain_type(kind)
    if kind == target:
        return column
    if isinstance(kind, pa.BaseExtensionType):
        return plain_column(_storage(column), target)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return plain_column(_decode(column), target)
    if target in (pa.string(), pa.large_string()):
        return text_column(column, target)
    if pa.types.is_float16(kind) or pa.types.is_float32(kind):
        column = _as_written(column)
    return column.cast(target)


def _as_written(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """
    The doubles that are written as the floats of *column* are (spec 2.7, "float32: as float32").

    0.1 of 32 bits is 0.1, not 0.10000000149011612. By way of Polars, which takes a third of Arrow's time.
    """
    import numpy as np
    import polars as pl
    import pyarrow as pa

    if pa.types.is_float16(column.type):  # Polars has none
        halfs = [None if one is None else float(str(np.float16(one))) for one in column.to_pylist()]
        return pa.chunked_array([pa.array(halfs, pa.float64())])
    steps = (column.slice(start, FLOATS_AT_ONCE) for start in range(0, len(column), FLOATS_AT_ONCE))
    series = (pl.Series(step) for step in steps)
    return pa.chunked_array([one.cast(pl.String).cast(pl.Float64).to_arrow() for one in series], pa.float64())


def plain_table(table: pa.Table) -> pa.Table:
    """Flatten *table* and make every column plain (see `plain_column`)."""
    import pyarrow as pa

    flat = flatten_structs(table)
    columns = [plain_column(column) for column in flat.columns]
    return pa.table(columns, names=flat.column_names) if columns else flat


def hex_bytes(table: pa.Table) -> pa.Table:
    """*table* flattened, its columns of bytes as hexadecimal digits whether or not they are text."""
    import pyarrow as pa

    flat = flatten_structs(table)
    types = pa.types
    kinds = (types.is_binary, types.is_large_binary, types.is_binary_view)
    columns = [
        hex_column(column) if any(is_kind(column.type) for is_kind in kinds) else column
        for column in flat.columns
    ]
    return pa.table(columns, names=flat.column_names) if columns else flat


def hex_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write bytes as hexadecimal digits."""
    import pyarrow as pa

    return map_values(column, bytes.hex, pa.string())


def is_utf8(column: pa.ChunkedArray) -> bool:
    """Whether the bytes of every cell are UTF-8."""
    import pyarrow as pa

    try:
        column.cast(pa.large_string())
    except pa.ArrowInvalid:
        return False
    return True


def mend_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Replace by U+FFFD what is no UTF-8 in a text column, which Parquet and Arrow files may hold."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        chunks = [pa.DictionaryArray.from_arrays(c.indices, _mend_chunk(c.dictionary)) for c in column.chunks]
    elif pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        chunks = [_mend_chunk(chunk) for chunk in column.chunks]
    else:
        return column
    return pa.chunked_array(chunks, column.type)


def _mend_chunk(chunk: pa.Array) -> pa.Array:
    import pyarrow as pa

    raw = chunk.cast(pa.large_binary() if pa.types.is_large_string(chunk.type) else pa.binary())
    try:
        return raw.cast(chunk.type)
    except pa.ArrowInvalid:
        return pa.array([v and v.decode(errors="replace") for v in raw.to_pylist()], chunk.type)


def python_values(column: pa.ChunkedArray) -> list[Cell]:
    """
    Take the cells of a plain column as Python values.

    What Python cannot hold arrives as text: years past 9999, time zones that are not installed. No cell
    decides how another arrives, or the types would depend on how a column is cut.
    """
    import pyarrow as pa

    types, kind = pa.types, column.type
    if types.is_date(kind):
        return _moments(column)
    if not types.is_timestamp(kind):
        cells: list[Cell] = column.to_pylist()
        return cells
    if kind.tz and not _is_installed(kind.tz):
        return text_column(column, pa.string()).to_pylist()  # type: ignore[no-any-return]
    return _moments(column) if kind.unit != "ns" else _fine_moments(column)


def _is_installed(zone: str) -> bool:
    """Whether Python knows the time zone."""
    import pyarrow as pa

    try:
        pa.scalar(0, pa.timestamp("s", zone)).as_py()
    except (ValueError, KeyError):
        return False
    return True


def _moments(column: pa.ChunkedArray) -> list[Cell]:
    import pyarrow as pa

    try:
        moments: list[Cell] = column.to_pylist()
    except (ValueError, OverflowError):
        texts = text_column(column, pa.string()).to_pylist()
        moments = list(map(python_value, column, texts))
    if pa.types.is_timestamp(column.type) and column.type.tz:
        return [_told_apart(one) if getattr(one, "fold", 0) else one for one in moments]
    return moments


def _told_apart(moment: Any) -> datetime:
    """A moment of the hour that clocks run through twice: with its offset alone, or it would equal the earlier one."""
    return moment.replace(tzinfo=timezone(moment.utcoffset()), fold=0)  # type: ignore[no-any-return]


def _fine_moments(column: pa.ChunkedArray) -> list[Cell]:
    """The moments of a column of nanoseconds."""
    import pyarrow as pa

    zone = column.type.tz
    try:
        return _moments(column.cast(pa.timestamp("us", zone)))
    except pa.ArrowInvalid:  # some cell has nanoseconds
        counts = column.cast(pa.int64()).to_pylist()
    whole = pa.array([None if count is None else count // 1000 for count in counts], pa.int64())
    moments = _moments(pa.chunked_array([whole.cast(pa.timestamp("us", zone))]))
    return [
        FineMoment.of(moment, count % 1000) if isinstance(moment, datetime) else moment
        for moment, count in zip(moments, counts, strict=True)
    ]


def _storage(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    if column.type.extension_name == "arrow.uuid":
        return map_values(column, str, pa.string())
    return pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)


def _decode(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        chunks = [chunk.dictionary_decode() for chunk in column.chunks]
    else:
        chunks = [pc.run_end_decode(chunk) for chunk in column.chunks]
    return pa.chunked_array(chunks, column.type.value_type)


def array_of(values: Sequence[object]) -> pa.Array:
    """
    Build an array of the one type that *values* have; values of several kinds become their text.

    Whole numbers and decimals are one kind; what does not fit 38 digits is a double.
    """
    import pyarrow as pa

    kinds = {type(value) for value in values} - {type(None)}
    if not kinds:
        return pa.nulls(len(values))
    if kinds <= {int, Decimal}:
        return _numbers(values, kinds)
    if kinds <= {int, Decimal, float}:
        return pa.array([None if v is None else float(v) for v in values], pa.float64())  # type: ignore[arg-type]
    if kinds == {str}:
        return pa.array(values, pa.large_string())
    if kinds == {bool}:
        return pa.array(values, pa.bool_())
    if kinds in ({date}, {datetime}):
        try:
            return pa.array(values)
        except pa.ArrowInvalid:  # with and without time zone in one column
            pass
    return text_array(values)


def text_array(values: Sequence[object]) -> pa.Array:
    """The texts of *values*, each for itself."""
    import pyarrow as pa

    return pa.array([None if v is None else text_of(v) for v in values], pa.large_string())


def _numbers(values: Sequence[object], kinds: set[type]) -> pa.Array:
    import pyarrow as pa

    decimals = [value for value in values if type(value) is Decimal]
    scale = max((-int(value.as_tuple().exponent) for value in decimals), default=0)
    try:
        kind = pa.int64() if kinds == {int} else pa.decimal128(DECIMAL_DIGITS, max(scale, 0))
        return pa.array(values, kind)
    except (pa.ArrowInvalid, OverflowError, ValueError):
        if kinds == {int}:
            return pa.array([None if v is None else text_of(v) for v in values], pa.large_string())
        return pa.array([None if v is None else float(v) for v in values], pa.float64())  # type: ignore[arg-type]


def join_chunks(chunks: Sequence[pa.Array]) -> pa.ChunkedArray:
    """Put arrays of `array_of` together: in their common type where they have one, else as their texts."""
    import pyarrow as pa

    kinds = {chunk.type for chunk in chunks if not pa.types.is_null(chunk.type)}
    target = _common_type(kinds)
    if pa.types.is_decimal(target):
        try:
            return pa.chunked_array([chunk.cast(target) for chunk in chunks], target)
        except pa.ArrowInvalid:  # more than 38 digits together
            target = pa.float64()
    columns = [plain_column(pa.chunked_array([chunk]), target) for chunk in chunks]
    return pa.chunked_array([chunk for column in columns for chunk in column.chunks], target)


def _common_type(kinds: set[pa.DataType]) -> pa.DataType:
    import pyarrow as pa

    types = pa.types
    if len(kinds) <= 1:
        return next(iter(kinds), pa.large_string())
    if all(types.is_integer(kind) or types.is_decimal(kind) for kind in kinds):
        return pa.decimal128(DECIMAL_DIGITS, max(kind.scale for kind in kinds if types.is_decimal(kind)))
    if all(types.is_integer(kind) or types.is_decimal(kind) or types.is_floating(kind) for kind in kinds):
        return pa.float64()
    return pa.large_string()
