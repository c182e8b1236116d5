"""Reads Feather and Arrow IPC files, and streams any Arrow table that is in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from datasources.base import Lists, RawBand, Stream
from datasources.exceptions import SourceTooLarge, SourceUnreadable, cause_of
from datasources.names import unique_names

if TYPE_CHECKING:
    import pyarrow as pa

    from datasources.options import ReadOptions

PART_ROWS = 131_072
SAMPLE_ROWS = 4_096
SAMPLE_SLICES = 8
SMALL_CELLS_MAX = 40_000
"""A typed band up to this size is handed on as Python lists; a larger one as a stream."""
WIDE_ROWS_MAX = 1_000
WIDE_CELLS_MAX = 4_000_000
"""One of few rows up to this size: each column costs a stream as much as thousands of cells."""


@dataclass(frozen=True, slots=True)
class ArrowStream:
    """The rows of an Arrow table in memory, of plain types (see `arrow_types`); nothing is copied."""

    table: pa.Table

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.table.num_rows)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow types, by position."""
        return self.table.schema

    def sample(self) -> pa.Table:
        """Some 4,096 rows in up to 8 slices, spread evenly over the table."""
        import pyarrow as pa

        if self.rows <= SAMPLE_ROWS:
            return self.table
        size = SAMPLE_ROWS // SAMPLE_SLICES
        starts = (i * (self.rows - size) // (SAMPLE_SLICES - 1) for i in range(SAMPLE_SLICES))
        return pa.concat_tables([self.table.slice(start, size) for start in starts])

    def parts(
        self, columns: Sequence[int], encoded: Collection[int] = ()
    ) -> Iterator[Callable[[], pa.Table]]:
        """Cut the table into slices of 131,072 rows."""
        for start in range(0, self.rows, PART_ROWS):
            yield _Slice(self.table, start, tuple(columns), frozenset(encoded))

    def take(self, rows: Sequence[int]) -> pa.Table:
        """The whole rows at the ascending positions *rows*."""
        import numpy as np

        from datasources.distinct import array_from

        return self.table.take(array_from(np.array(rows, np.int64)))


@dataclass(frozen=True, slots=True)
class _Slice:
    table: pa.Table
    start: int
    columns: tuple[int, ...]
    encoded: frozenset[int]

    def __call__(self) -> pa.Table:
        part = self.table.slice(self.start, PART_ROWS)
        return select_columns(part, self.columns, self.encoded)


@dataclass(frozen=True, slots=True)
class ChainedStream:
    """Streams of the same columns, one after the other."""

    streams: tuple[Stream, ...]

    @property
    def rows(self) -> int:
        """How many rows all streams together have."""
        return sum(stream.rows for stream in self.streams)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow types, which are those of every stream."""
        return self.streams[0].schema

    def sample(self) -> pa.Table:
        """Some 4,096 rows in all, the first ones of each stream's own sample."""
        import pyarrow as pa

        size = -(-SAMPLE_ROWS // len(self.streams))
        return pa.concat_tables([self._alike(stream.sample()).slice(0, size) for stream in self.streams])

    def parts(
        self, columns: Sequence[int], encoded: Collection[int] = ()
    ) -> Iterator[Callable[[], pa.Table]]:
        """The parts of each stream in turn."""
        for stream in self.streams:
            yield from stream.parts(columns, encoded)

    def take(self, rows: Sequence[int]) -> pa.Table:
        """The whole rows at the ascending positions *rows*."""
        import pyarrow as pa

        tables, first = [self._alike(self.schema.empty_table())], 0
        for stream in self.streams:
            local = [row - first for row in rows if 0 <= row - first < stream.rows]
            if local:
                tables.append(self._alike(stream.take(local)))
            first += stream.rows
        return pa.concat_tables(tables)

    def _alike(self, table: pa.Table) -> pa.Table:
        return table.rename_columns([str(i) for i in range(table.num_columns)]).cast(_positional(self.schema))


def _positional(schema: pa.Schema) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([(str(i), field.type) for i, field in enumerate(schema)])


def stream_of(cells: Lists | Stream) -> Stream:
    """Make a stream of text *cells* that are lists."""
    if not isinstance(cells, Lists):
        return cells
    import pyarrow as pa

    columns = [pa.array(column, pa.large_string()) for column in cells.columns]
    return ArrowStream(pa.table(columns, names=[str(i) for i in range(len(columns))]))


def select_columns(table: pa.Table, columns: Sequence[int], encoded: Collection[int] = ()) -> pa.Table:
    """Take *columns* of *table* by position, with the text columns among *encoded* as dictionaries."""
    import pyarrow as pa

    chosen = [encode_text(table.column(i)) if i in encoded else table.column(i) for i in columns]
    return pa.table(chosen, names=[str(i) for i in columns])


def encode_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Encode a text column as a dictionary; leave any other as it is."""
    import pyarrow.compute as pc

    from datasources.arrow_types import is_text

    return pc.dictionary_encode(column) if is_text(column.type) else column


def band_from_table(table: pa.Table, name: str, *, as_stream: bool = False) -> RawBand:
    """
    Make a band of *table*: flattened, of plain types, with unique names; as lists if it is small.

    With *as_stream* every cell keeps its column's type, whatever other cells are, and bytes are hexadecimal digits.
    """
    from datasources.arrow_types import hex_bytes, native_type, plain_table, python_values

    plain = plain_table(hex_bytes(table) if as_stream else table)
    columns, warnings = unique_names(plain.column_names, name)
    cells: Lists | Stream
    if is_small(plain.num_rows, len(columns)) and not as_stream:
        cells = Lists(tuple(python_values(column) for column in plain.columns), plain.num_rows)
    else:
        cells = ArrowStream(plain)
    kinds = tuple(native_type(kind) for kind in plain.schema.types)
    return RawBand(name, columns, cells, "typed", native_types=kinds, warnings=warnings)


def is_small(rows: int, columns: int) -> bool:
    """Whether a typed band is handed on as Python lists."""
    return rows * columns <= (WIDE_CELLS_MAX if rows <= WIDE_ROWS_MAX else SMALL_CELLS_MAX)


def read_arrow(path: Path, name: str, options: ReadOptions) -> RawBand:
    """
    Read a Feather file or an Arrow IPC file or stream.

    An uncompressed file is mapped, not copied. Raises SourceUnreadable, SourceTooLarge.
    """
    import pyarrow as pa

    try:
        table = _read_table(path)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError, EOFError) as error:
        raise SourceUnreadable(
            f"{path.name} is not a whole Arrow file ({cause_of(error)}): write it again.",
            source=str(path),
        ) from error
    check_width(table.num_columns, path.name, options)
    return band_from_table(table, name, as_stream=options.visible is not None)


def check_width(columns: int, name: str, options: ReadOptions) -> None:
    """Refuse more columns than `columns_max` (SourceTooLarge)."""
    if columns > options.columns_max:
        raise SourceTooLarge(
            f"{name} has {columns:,} columns, more than the limit of {options.columns_max:,}:"
            " keep those that the report needs, or raise the limit columns_max.",
            source=name,
        )


def _read_table(path: Path) -> pa.Table:
    import pyarrow as pa
    from pyarrow import ipc

    with path.open("rb") as file:
        magic = file.read(6)
    if magic.startswith(b"FEA1"):
        from pyarrow import feather

        return feather.read_table(str(path))
    mapped = pa.memory_map(str(path))
    table = ipc.open_file(mapped).read_all() if magic == b"ARROW1" else ipc.open_stream(mapped).read_all()
    table.validate(full=True)  # offsets that lead outside would crash the process later
    return table
