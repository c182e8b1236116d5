"""Reads a large text file part by part, in constant memory, as the table that `csv` would give (spec 0)."""

from __future__ import annotations

import os
import weakref
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, BinaryIO

from datasources import compiled, work
from datasources.base import RawBand
from datasources.csv import column_names, decimal_style_of, no_table
from datasources.csv_cells import Memory, cut_cells
from datasources.csv_layout import Layout, Segment, read_layout
from datasources.csv_records import TextFile, lines_of
from datasources.csv_scan import MARK_ROWS
from datasources.delimiter import Record, declared_delimiter, find_delimiter
from datasources.encoding import Utf8File, to_utf8
from datasources.extent import header_warnings, note_warnings, padded_names
from datasources.file_version import FileVersion
from datasources.options import ReadOptions

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

PART_ROWS = 100_000
SAMPLE_STRETCHES = 8
SAMPLE_ROWS = 4_096


def stream_text(file: BinaryIO, name: str, options: ReadOptions, part_rows: int = PART_ROWS) -> RawBand:
    """
    Read the open *file* as the band *name*; its cells are a stream that holds the file open.

    One pass over the whole file finds out what the table is and where its parts begin.
    Raises as `csv.read_text`.
    """
    compiled.prepare(os.fstat(file.fileno()).st_size / compiled.BYTES_MIN, compiled.CSV_KERNEL)
    version = FileVersion(file)
    with version.held():  # so that the error for a file that was cut names it
        text = to_utf8(file, options.encoding, name)
    try:
        if text.file is not file:
            file.close()
            version = FileVersion(text.file)
        with version.held():
            return _band(text, version, name, options, part_rows)
    except BaseException:
        text.file.close()
        raise


def _band(text: Utf8File, version: FileVersion, name: str, options: ReadOptions, part_rows: int) -> RawBand:
    delimiter = declared_delimiter(options) or find_delimiter(lambda: lines_of(text, text.start))
    layout = read_layout(TextFile(text, delimiter, options), name, part_rows)
    if layout is None:
        raise no_table()
    if layout.unclosed and not layout.rows:
        raise no_table(layout.unclosed)
    header, raggedness = layout.header, layout.raggedness
    widest = 0 if options.visible else raggedness.widest
    names, renamed = column_names(padded_names(header, widest), name, options)
    return RawBand(
        name,
        names,
        TextStream(layout, len(names), name, version),
        "text",
        decimal_style_of(delimiter),
        options.locale,
        options.null_values,
        notes=layout.notes,
        warnings=(
            *text.warnings,
            *layout.unclosed,
            *header_warnings(header, name),
            *raggedness.warnings(len(header.names), name),
            *note_warnings(layout.outside, name),
            *renamed,
        ),
    )


class TextStream:
    """
    The rows of a large text file (a `base.Stream`).

    Regular segments are read by a kernel or by Polars, others record by record; an empty cell is null or empty text.
    """

    def __init__(self, layout: Layout, width: int, name: str, version: FileVersion) -> None:
        self._layout = layout
        self._width = width
        self._name = name
        self._version = version
        # The file is open as long as somebody may read parts of it; the parts keep the stream alive.
        weakref.finalize(self, layout.file.text.file.close)
        self._first_rows = [segment.first_row for segment in layout.segments]

    @property
    def rows(self) -> int:
        """How many rows the file has."""
        return self._layout.rows

    @property
    def schema(self) -> pa.Schema:
        """All columns are text."""
        import pyarrow as pa

        return pa.schema([(str(position), pa.large_string()) for position in range(self._width)])

    def sample(self) -> pa.Table:
        """Some thousand rows, in a few stretches spread over the file."""
        stretch = SAMPLE_ROWS // SAMPLE_STRETCHES
        if self.rows <= SAMPLE_ROWS:
            return self.take(range(self.rows))
        # Each stretch starts where the file is marked, so that only its own bytes are read.
        starts = sorted(
            {
                row - (row - self._first_rows[self._segment_at(row)]) % MARK_ROWS
                for row in range(0, self.rows, self.rows // SAMPLE_STRETCHES)
            }
        )
        return self.take([row for start in starts for row in range(start, min(start + stretch, self.rows))])

    def parts(
        self, columns: Sequence[int], encoded: Collection[int] = ()
    ) -> Iterator[Callable[[], pa.Table]]:
        """One part for each segment; columns in *encoded* become dictionaries of the part's own values."""
        wanted, few = tuple(columns), frozenset(encoded)
        segments = self._layout.segments
        # Whatever is asked for, all bytes are read: cells are found by those before them.
        size = sum(segment.size for segment in segments)
        memory = Memory()
        return work.one_pass(
            lambda: work.Stage("reading", self._name, size, self.rows, wanted),
            segments,
            lambda segment: self._part(segment, wanted, few, memory),
            lambda segment: segment.size,
        )

    def take(self, rows: Sequence[int]) -> pa.Table:
        """The whole rows at the ascending positions *rows*; reads a few hundred records for each at most."""
        work.tell("taken", len(rows))
        records: list[Record] = []
        with self._version.held():
            for (start, stop, first_row), group in groupby(rows, self._stretch_of):
                stretch = self._layout.file.between(start, stop)
                records.extend(stretch[row - first_row] for row in group)
        return _table(records, range(self._width), ())

    def _segment_at(self, row: int) -> int:
        return bisect_right(self._first_rows, row) - 1

    def _stretch_of(self, row: int) -> tuple[int, int, int]:
        """Offsets and first row of the stretch between two marks in which *row* stands."""
        segment = self._layout.segments[self._segment_at(row)]
        mark = (row - segment.first_row) // MARK_ROWS
        is_last = mark + 1 == len(segment.marks)
        stop = segment.stop if is_last else segment.marks[mark + 1]
        return segment.marks[mark], stop, segment.first_row + mark * MARK_ROWS

    def _part(
        self, segment: Segment, columns: tuple[int, ...], encoded: frozenset[int], memory: Memory
    ) -> pa.Table:
        with self._version.held():
            if segment.regular:
                return self._regular_part(segment, columns, encoded, memory)
            records = self._layout.file.between(segment.start, segment.stop)
            return _table(records, columns, encoded)

    def _regular_part(
        self, segment: Segment, columns: tuple[int, ...], encoded: frozenset[int], memory: Memory
    ) -> pa.Table:
        import polars as pl
        import pyarrow as pa

        file = self._layout.file
        missing = pa.nulls(segment.rows, pa.large_string())
        cut = cut_cells(
            file.text,
            (segment.start, segment.stop),
            file.delimiter or ",",
            segment.rows,
            self._layout.width,
            columns,
            encoded,
            memory,
        )
        if cut is not None:
            arrays = [cut.get(position, missing) for position in columns]
            return pa.table(arrays, [str(position) for position in columns])
        data = file.text.read(segment.start, segment.stop)
        # Categories of its own let a column's dictionary hold the part's own values only, and be freed with it.
        schema = {
            str(position): pl.Categorical(pl.Categories.random()) if position in encoded else pl.String()
            for position in range(self._layout.width)
        }
        present = [str(position) for position in columns if position < self._layout.width]
        frame = (
            pl.scan_csv(
                data,
                has_header=False,
                separator=file.delimiter or ",",
                quote_char='"' if b'"' in data else None,
                schema=schema,
            )
            .select(present)
            .collect()
        )
        arrays = [
            _arrow_of(frame.get_column(str(position))) if position < self._layout.width else missing
            for position in columns
        ]
        return pa.table(arrays, [str(position) for position in columns])


def _arrow_of(column: pl.Series) -> pa.Array:
    """A dictionary for categories, and views for text, which are no copy (Arrow cannot have views in dictionaries)."""
    import polars as pl
    import pyarrow as pa

    kind = column.dtype
    if not isinstance(kind, pl.Categorical):
        return column.to_arrow(compat_level=pl.CompatLevel.newest())
    # Polars' own way is to look at every row once more.
    values = kind.categories.to_series().to_arrow().cast(pa.large_string())
    return pa.DictionaryArray.from_arrays(column.to_physical().to_arrow(), values)


def _table(records: Sequence[Record], columns: Sequence[int], encoded: Collection[int]) -> pa.Table:
    """Some columns of *records* as Arrow; what a short record lacks is null, as is an empty cell."""
    import polars as pl
    import pyarrow as pa

    arrays = []
    for position in columns:
        cells = [record[position] or None if position < len(record) else None for record in records]
        # Of a list Arrow would ask pandas, where it is installed, and that takes long to load.
        array = pl.Series(cells, dtype=pl.String).to_arrow().cast(pa.large_string())
        arrays.append(array.dictionary_encode() if position in encoded else array)
    return pa.table(arrays, [str(position) for position in columns])
