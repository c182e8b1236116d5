"""Reads a text file of separated cells as a raw band (spec 0)."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO

from datasources import encoding
from datasources.base import Cell, DataWarning, DecimalStyle, Lists, RawBand, counted
from datasources.compression import open_plain
from datasources.declared_table import check_declared, declared_table
from datasources.delimiter import (
    DELIMITERS,
    END_OF_FILE,
    Record,
    declared_delimiter,
    find_delimiter,
    limit_cells,
    read_records,
)
from datasources.exceptions import SourceError, SourceTooLarge, SourceUnreadable
from datasources.extent import Table, find_table, padded_names
from datasources.names import unique_names
from datasources.options import ReadOptions

WIDE_TIMES = 8
"""A file of few rows may have so many times the bytes of a small one."""
WIDE_ROWS_MAX = 1_000
"""Few rows are so many lines as long as the first two."""


def read_text(path: Path, name: str, options: ReadOptions) -> RawBand:
    """
    Read the text file *path* as the band *name*; gz and zstd are inflated first.

    A file up to `options.small_bytes`, or a few times that with few rows, becomes `Lists`, without any engine
    library; a larger one becomes a `Stream` over the same table. Raises a `SourceError` for what is no text or
    holds no table.
    """
    limit_cells(options)
    check_declared(path.name, options, encoding=options.encoding, delimiter=options.delimiter)
    try:
        file = open_plain(path, options)
        try:
            if not _is_small(file, options.small_bytes):
                from datasources.csv_stream import stream_text

                return stream_text(file, name, options)
        except BaseException:
            file.close()
            raise
        with file:
            return _read_small(file, name, options)
    except SourceError as error:
        error.source = error.source or str(path)
        raise


def _is_small(file: BinaryIO, small_bytes: int) -> bool:
    """
    Whether the open *file* is read into memory.

    A wide table of few rows is dearer to stream than to keep: each column costs a stream as much as thousands of cells.
    """
    size = os.fstat(file.fileno()).st_size
    if size <= small_bytes:
        return True
    if size > WIDE_TIMES * small_bytes:
        return False
    start = file.tell()
    lines = [len(file.readline()) for _ in range(2)]
    file.seek(start)
    return min(lines) * WIDE_ROWS_MAX > size


def _read_small(file: BinaryIO, name: str, options: ReadOptions) -> RawBand:
    text, replaced = encoding.decode(file.read(), options.encoding, name)
    delimiter = declared_delimiter(options) or find_delimiter(
        lambda: io.StringIO(text, newline=""), "".join(mark for mark in DELIMITERS if mark in text)
    )
    records = list(read_records(io.StringIO(text, newline=""), delimiter, options))
    unclosed = close_last_quote(records, name)
    table = find_table(records) if options.header is None else declared_table(records, options)
    if table is None:
        raise no_table()
    if unclosed and not table.rows:
        raise no_table(unclosed)
    return _band(name, table, records, delimiter, options, (*replaced, *unclosed))


def _band(
    name: str,
    table: Table,
    records: Sequence[Record],
    delimiter: str | None,
    options: ReadOptions,
    warnings: tuple[DataWarning, ...],
) -> RawBand:
    widest = 0 if options.visible else table.raggedness.widest
    names, renamed = column_names(padded_names(table.header, widest), name, options)
    columns = columns_of([records[index] for index in table.rows], len(names))
    return RawBand(
        name,
        names,
        Lists(columns, len(table.rows)),
        "text",
        decimal_style_of(delimiter),
        options.locale,
        options.null_values,
        notes=table.notes,
        warnings=(*warnings, *table.warnings(name), *renamed),
    )


def columns_of(rows: Sequence[Sequence[Cell]], width: int) -> tuple[list[Cell], ...]:
    """Turn rows into *width* columns; short rows are filled with nulls, longer ones cut (spec 0.5)."""
    columns = [list(column) for column in zip_longest(*rows)][:width]
    columns.extend([None] * len(rows) for _ in range(width - len(columns)))
    return tuple(columns)


def column_names(
    names: Sequence[str], band: str, options: ReadOptions
) -> tuple[tuple[str, ...], tuple[DataWarning, ...]]:
    """Unique names (spec 1.3); `SourceTooLarge` past `columns_max`."""
    if len(names) > options.columns_max:
        raise SourceTooLarge(
            f"The table has {len(names)} columns, more than the limit of {options.columns_max} (columns_max)."
        )
    return unique_names(names, band)


def decimal_style_of(delimiter: str | None) -> DecimalStyle:
    """Semicolons separate cells where commas separate decimals (spec 2, numbers, 1.6)."""
    return "br" if delimiter == ";" else "point"


def close_last_quote(records: list[Record], band: str) -> tuple[DataWarning, ...]:
    """Take our own last line off the end of *records*; if a quote swallowed it, say so."""
    last = records.pop()
    if last == [END_OF_FILE]:
        return ()
    last[-1] = last[-1].removesuffix(END_OF_FILE)
    records.append(last)
    return (unclosed_quote(last[-1], band),)


def unclosed_quote(cell: str, band: str) -> DataWarning:
    """The warning for a quote that swallowed the rest of the file into *cell*."""
    lines = cell.count("\n") or cell.count("\r")
    swallowed = counted(lines, "line break that follows", "line breaks that follow")
    message = f"A quote is never closed: the last cell swallowed the {swallowed} it."
    return DataWarning("unclosed_quote", message, band, None, 1, (cell[:60],))


def no_table(unclosed: Sequence[DataWarning] = ()) -> SourceUnreadable:
    """The error for a file without a table."""
    if unclosed:
        return SourceUnreadable(
            "A quote is never closed and swallows the table; close the quote or take it out "
            f"(it begins before {unclosed[0].sample[0]!r})."
        )
    return SourceUnreadable("The file is empty: it holds no filled cell; give a file with a header at least.")
