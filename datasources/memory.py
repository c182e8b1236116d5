"""Makes raw bands of frames and records that a program holds in memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from datasources.base import Cell, Lists, RawBand
from datasources.exceptions import SourceError, SourceUnreadable, cause_of
from datasources.fine_moment import FineMoment
from datasources.names import unique_names
from datasources.options import ReadOptions

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from datasources.records import BandBuilder

PLAIN_CELLS: frozenset[type] = frozenset((str, int, float, bool, Decimal, date, datetime, type(None)))


def band_from(frame: object, name: str, options: ReadOptions | None = None) -> RawBand:
    """
    Make a band of a table in memory; columns of many kinds are not copied.

    *frame* is a Polars DataFrame or LazyFrame, a PyArrow Table, RecordBatch or reader, a pandas DataFrame, a
    DuckDB relation, anything else with `__arrow_c_stream__` or `__dataframe__`, a sequence of records
    (dictionaries), or a mapping of column names to sequences of cells. Records that hold arrays of objects
    give several bands: see `bands_from`. Raises SourceUnreadable for anything else, and when *frame* cannot
    be computed.
    """
    return bands_from(frame, name, options)[0]


def bands_from(frame: object, name: str, options: ReadOptions | None = None) -> tuple[RawBand, ...]:
    """Make a band of *frame* as `band_from`, with a further band for each array of objects in its records."""
    options = options or ReadOptions()
    if isinstance(frame, Mapping | Sequence) and not isinstance(frame, str | bytes | bytearray):
        bands = _bands_from_objects(frame, name, options)
    else:
        bands = (_band_from_table(frame, name, options),)
    if options.locale is None and not options.null_values:
        return bands
    return tuple(replace(band, locale=options.locale, null_values=options.null_values) for band in bands)


def _bands_from_objects(
    frame: Mapping[Any, Any] | Sequence[object], name: str, options: ReadOptions
) -> tuple[RawBand, ...]:
    try:
        if isinstance(frame, Mapping):
            return (_band_from_columns(frame, name, options),)
        return _bands_from_records(frame, name, options)
    except RecursionError as error:
        raise SourceUnreadable(
            f"The records of {name} are nested too deeply to be a table, or hold themselves: flatten them.",
            source=name,
        ) from error


def _band_from_table(frame: object, name: str, options: ReadOptions) -> RawBand:
    from datasources.arrow import band_from_table, check_width

    to_table = _converter(frame, options.visible is not None)
    if to_table is None:
        raise SourceUnreadable(
            f"A {type(frame).__qualname__} is not a table for the band {name}: give a Polars, pandas or Arrow"
            " table, a DuckDB relation, records, or columns.",
            source=name,
        )
    try:
        table = to_table(frame)
        check_width(table.num_columns, name, options)
        return band_from_table(table, name, as_stream=options.visible is not None)
    except SourceError:
        raise
    except Exception as error:  # a lazy frame or relation runs anything here
        raise SourceUnreadable(
            f"The table for the band {name} could not be computed ({cause_of(error)}): compute it in the program"
            " that hands it in, which will say why.",
            source=name,
        ) from error


def _converter(frame: object, cell_by_cell: bool) -> Callable[[Any], pa.Table] | None:
    """
    Choose how to turn *frame* into an Arrow table, without importing the library that made it.

    With *cell_by_cell* no cell decides the type of another: a column of objects is one of their texts.
    """
    library = type(frame).__module__.partition(".")[0]
    kind = type(frame).__name__
    match library, kind:
        case "polars", "LazyFrame":
            return lambda lazy: _polars_table(lazy.collect(), cell_by_cell)
        case "polars", "DataFrame":
            return lambda eager: _polars_table(eager, cell_by_cell)
        case "pandas", "DataFrame":
            return lambda eager: _pandas_table(eager, cell_by_cell)
        case "pyarrow", "RecordBatchReader" | "RecordBatchFileReader" | "RecordBatchStreamReader":
            return lambda reader: reader.read_all()
        case "pyarrow", "Table":
            return _arrow_table
        case (("duckdb" | "_duckdb"), "DuckDBPyRelation"):
            return lambda relation: relation.to_arrow_table()
    if hasattr(frame, "__arrow_c_stream__"):
        return _capsule_table
    if hasattr(frame, "__arrow_c_array__"):
        return _batch_table
    if hasattr(frame, "__dataframe__"):
        return _interchange_table
    return None


def _arrow_table(table: pa.Table) -> pa.Table:
    table.validate(full=True)  # a text that is none, or offsets that lead outside, would fail much later
    return table


def _polars_table(frame: Any, cell_by_cell: bool) -> pa.Table:
    import polars as pl

    # A name with a NUL in it cannot pass between the libraries, and Polars panics.
    numbered = frame.clone()
    numbered.columns = [str(i) for i in range(frame.width)]
    # Arrow would hand on where in memory the objects lie.
    numbered = numbered.with_columns(
        pl.Series(column.name, [None if one is None else str(one) for one in column], dtype=pl.String)
        for column in numbered.iter_columns()
        if column.dtype == pl.Object
    )
    # Arrow has no integers of 128 bits.
    numbered = numbered.with_columns(
        column.cast(pl.Decimal(38, 0), strict=False)
        if not cell_by_cell and _fits_decimal(column)
        else column.cast(pl.String)
        for column in numbered.iter_columns()
        if column.dtype in (pl.Int128, pl.UInt128)
    )
    try:
        table = numbered.to_arrow(compat_level=pl.CompatLevel.oldest())
    except pl.exceptions.PanicException as error:  # no Exception, but for us it is one
        raise ValueError(str(error)) from error
    return table.rename_columns(frame.columns)


def _fits_decimal(column: pl.Series) -> bool:
    import polars as pl

    return column.cast(pl.Decimal(38, 0), strict=False).null_count() == column.null_count()


def _capsule_table(frame: object) -> pa.Table:
    import pyarrow as pa

    return pa.RecordBatchReader.from_stream(frame).read_all()


def _batch_table(frame: object) -> pa.Table:
    import pyarrow as pa

    return pa.Table.from_batches([pa.record_batch(frame)])


def _interchange_table(frame: object) -> pa.Table:
    from pyarrow import interchange

    return interchange.from_dataframe(frame)


def _pandas_table(frame: pd.DataFrame, cell_by_cell: bool) -> pa.Table:
    import pyarrow as pa

    if any(level is not None for level in frame.index.names):
        levels = [_pandas_name(level) for level in frame.index.names]
        frame = frame.reset_index(names=levels, allow_duplicates=True)
    names = [_pandas_name(name) for name in frame.columns]
    # By position: names may repeat.
    columns = [_pandas_column(frame.iloc[:, i], cell_by_cell) for i in range(len(names))]
    return pa.table(columns, names=names) if columns else pa.table({})


def _pandas_name(name: object) -> str:
    if isinstance(name, tuple):
        return " ".join(str(part) for part in name if part not in (None, ""))
    return "" if name is None else str(name)


def _pandas_column(series: pd.Series[Any], cell_by_cell: bool) -> pa.ChunkedArray:
    import pyarrow as pa

    from datasources.arrow_types import text_array

    # One null makes objects of booleans.
    if cell_by_cell and series.dtype.kind in "Ob":
        missing = series.isna()
        cells = [None if gone else plain_cell(cell) for cell, gone in zip(series, missing, strict=True)]
        return pa.chunked_array([text_array(cells)])

    is_mixed = series.dtype.kind == "O" and len({type(value) for value in series.dropna()}) > 1
    # Arrow would give periods as plain integers, and intervals as structs.
    if is_mixed or type(series.dtype).__name__ in ("PeriodDtype", "IntervalDtype"):
        array = _mixed_column(series)
    else:
        try:
            array = pa.array(series, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            array = _mixed_column(series)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _mixed_column(series: pd.Series[Any]) -> pa.Array:
    import pyarrow as pa

    from datasources.arrow_types import array_of
    from datasources.records import text_of

    missing = series.isna()
    values = [None if gone else plain_cell(value) for value, gone in zip(series, missing, strict=True)]
    kinds = {type(value) for value in values} - {type(None)}
    if kinds <= {int, float} or kinds <= {int, Decimal}:
        return array_of(values)
    return pa.array([None if value is None else text_of(value) for value in values], pa.large_string())


def _bands_from_records(records: Sequence[object], name: str, options: ReadOptions) -> tuple[RawBand, ...]:
    from datasources.records import BandBuilder, is_grid

    flat = _flat_band(records, name) if options.visible is None else None
    if flat is not None:
        return (flat,)
    builder = BandBuilder(name, options)
    elements = [_plain_record(record) for record in records]
    builder.is_grid = is_grid(elements)
    builder.add(elements)
    return tuple(builder.finish())


def _flat_band(records: Sequence[object], name: str) -> RawBand | None:
    """The band of records that all have the same keys, in one order, and plain cells: most have."""
    from datasources.records import LISTS_CELLS_MAX, SURROGATE

    if set(map(type, records)) != {dict}:
        return None
    rows = cast("Sequence[dict[str, object]]", records)
    keys = list(rows[0])
    if set(map(type, keys)) != {str} or len(rows) * len(keys) > LISTS_CELLS_MAX:
        return None
    # No record repeats a key: where the keys of the first come again and again, each of the others has them all.
    if list(chain.from_iterable(rows)) != keys * len(rows):
        return None
    every: list[Any] = list(chain.from_iterable(map(dict.values, rows)))
    columns = [every[position :: len(keys)] for position in range(len(keys))]
    for cells in (keys, *columns):
        kinds = set(map(type, cells))
        if kinds - PLAIN_CELLS:
            return None
        if str in kinds:
            text = "".join(cells if len(kinds) == 1 else [cell for cell in cells if type(cell) is str])
            if not text.isascii() and SURROGATE.search(text):
                return None
    names, warnings = unique_names(keys, name)
    return RawBand(name, names, Lists(tuple(columns), len(rows)), "records", warnings=warnings)


def _band_from_columns(columns: Mapping[Any, Any], name: str, options: ReadOptions) -> RawBand:
    from datasources.records import BandBuilder

    lists = {str(column): [plain_cell(cell) for cell in cells] for column, cells in columns.items()}
    lengths = {column: len(cells) for column, cells in lists.items()}
    if len(set(lengths.values())) > 1:
        shortest, longest = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
        raise SourceUnreadable(
            f"The columns of {name} differ in length ({shortest} has {lengths[shortest]}, {longest}"
            f" {lengths[longest]}): fill the missing cells with None.",
            source=name,
        )
    names, warnings = unique_names([str(column) for column in columns], name)
    # What is no record is cut by its columns' names, later; until then no cell decides the type of another.
    builder = BandBuilder(name, replace(options, visible=None))
    if options.visible is not None:
        builder.lists_cells_max = sys.maxsize
    rows = next(iter(lengths.values()), 0)
    keys = [str(i) for i in range(len(names))]
    builder.add([dict(zip(keys, row, strict=True)) for row in zip(*lists.values(), strict=True)])
    band = next(builder.finish())
    if not rows:
        band = next(_empty(builder, keys).finish())
    return replace(band, columns=names, warnings=warnings)


def _empty(builder: BandBuilder, keys: Sequence[str]) -> BandBuilder:
    builder.columns = {(key,): [] for key in keys}
    return builder


def _plain_record(value: object) -> object:
    """Turn mappings, sequences and cells, at any depth, into those that a JSON file could hold."""
    if isinstance(value, Mapping):
        return {str(key): _plain_record(cell) for key, cell in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain_record(item) for item in value]
    return value if type(value) in PLAIN_CELLS else plain_cell(value)


def plain_cell(value: Any) -> Cell:
    """
    Turn any Python value into a cell: what a cell cannot be becomes text.

    >>> plain_cell(time(9, 30)), plain_cell(b"abc"), plain_cell(timedelta(minutes=1, seconds=2))
    ('09:30:00', 'abc', '62')
    """
    from datasources.records import bytes_text, text_of

    if type(value) in PLAIN_CELLS:
        return value  # type: ignore[no-any-return]  # just checked
    match value:
        case Enum():
            return plain_cell(value.value)
        case bytes() | bytearray() | memoryview():
            return bytes_text(bytes(value))
        case time():
            return value.isoformat()
        case timedelta():
            return text_of(Decimal(str(value.total_seconds())))
    if type(value).__name__ in ("NaTType", "NAType"):
        return None
    for base in (bool, int, float, str, Decimal, datetime, date):
        if isinstance(value, base):
            return _narrowed(value, base)
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return _numpy_cell(value)
    if hasattr(value, "tolist"):  # an array of NumPy or pandas
        return text_of(value.tolist())
    return text_of(value)


def _numpy_cell(value: Any) -> Cell:
    match type(value).__name__:
        case "float32" | "float16":
            return float(str(value))  # 0.1, not 0.10000000149011612
        case "datetime64" | "timedelta64":
            return None if str(value) == "NaT" else str(value)
    return plain_cell(value.item())


def _narrowed(value: Any, base: type) -> Cell:
    """Turn a value of a subclass (NumPy's float64, pandas' Timestamp, an IntEnum) into one of *base*."""
    if hasattr(value, "to_pydatetime"):
        return FineMoment.of(value.to_pydatetime(warn=False), value.nanosecond)
    if base in (datetime, date):
        return value  # type: ignore[no-any-return]
    return base(value)  # type: ignore[no-any-return]
