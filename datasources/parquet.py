"""Reads Parquet files, one or many as one band, in parts that fit in memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from datasources.arrow import SAMPLE_ROWS, SAMPLE_SLICES, SMALL_CELLS_MAX, check_width, encode_text
from datasources.base import Lists, RawBand
from datasources.exceptions import SourceForbidden, SourceNotFound, SourceTooLarge, SourceUnreadable
from datasources.names import unique_names
from datasources.parquet_schema import Leaf, is_binary, leaves_of, merge_leaves

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    from datasources.options import ReadOptions

PART_ROWS = 250_000
GROUP_ROWS_MAX = 2 * PART_ROWS
"""A larger row group is cut into parts."""
SLICES_PER_GROUP_MAX = 3
"""Measured: so many slices of single rows cost what one filtered pass over their row group costs."""
BUFFER_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ParquetFile:
    """One file of a band: where its rows and its columns are."""

    path: Path
    metadata: pq.FileMetaData
    leaves: tuple[Leaf, ...]
    """In the order of the band's columns."""
    first_row: int
    """Position of its first row in the band."""

    @property
    def rows(self) -> int:
        """How many rows the file has."""
        return int(self.metadata.num_rows)

    @property
    def group_starts(self) -> list[int]:
        """Position of the first row of each row group in the file, and of the end."""
        starts = [0]
        for group in range(self.metadata.num_row_groups):
            starts.append(starts[-1] + self.metadata.row_group(group).num_rows)
        return starts

    def open(self, encoded: Sequence[int] = ()) -> pq.ParquetFile:
        """Open the file anew (a handle is not shared by threads), with *encoded* columns as dictionaries."""
        import pyarrow.parquet as pq

        dictionary = [self.metadata.schema.column(self.leaves[i].start).path for i in encoded]
        # Without the buffer a row group's whole column would be read for its first rows.
        return pq.ParquetFile(
            self.path, metadata=self.metadata, read_dictionary=dictionary, pre_buffer=False, buffer_size=BUFFER_BYTES
        )

    def pick(self, table: pa.Table, columns: Sequence[int]) -> dict[int, pa.ChunkedArray]:
        """Give the flattened *columns* of a *table* that was read with `indices(columns)`."""
        from datasources.arrow_types import flatten_structs

        in_file_order = sorted(columns, key=lambda i: self.leaves[i].start)
        return dict(zip(in_file_order, flatten_structs(table).columns, strict=True))

    def indices(self, columns: Sequence[int]) -> list[int]:
        """The positions of the leaf columns that hold *columns*."""
        return sorted(i for column in columns for i in self.leaves[column].indices)


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive rows of one file."""

    file: ParquetFile
    groups: tuple[int, ...]
    start: int
    rows: int
    batch: pa.Table | None = None
    """Where a large row group is cut: what PyArrow has read of these rows already."""


@dataclass(frozen=True, slots=True)
class ParquetStream:
    """The rows of Parquet files of the same columns, read by whole row groups."""

    files: tuple[ParquetFile, ...]
    schema: pa.Schema
    """The plain type of each column."""
    hexadecimal: frozenset[int] = frozenset()
    """Columns of bytes that are no text."""

    @property
    def rows(self) -> int:
        """How many rows all files together have."""
        return sum(file.rows for file in self.files)

    def sample(self) -> pa.Table:
        """The first rows of up to 8 row groups, spread evenly: some 4,096 rows in all."""
        import pyarrow as pa

        groups = [
            (file, group) for file in self.files for group in range(file.metadata.num_row_groups)
            if file.metadata.row_group(group).num_rows
        ]  # fmt: skip
        count = min(SAMPLE_SLICES, len(groups))
        if not count:
            return self.schema.empty_table()
        chosen = [groups[i * len(groups) // count] for i in range(count)]
        size = SAMPLE_ROWS // count
        everything = range(len(self.schema))
        return pa.concat_tables([self._head(file, group, size, everything) for file, group in chosen])

    def parts(
        self, columns: Sequence[int], encoded: Collection[int] = ()
    ) -> Iterator[Callable[[], pa.Table]]:
        """Cut the rows into parts of some 250,000; a larger row group is read by a moving window."""
        wanted = tuple(columns)
        for pieces in self._plan(wanted, frozenset(encoded)):
            yield partial(self._read_part, pieces, wanted, frozenset(encoded))

    def take(self, rows: Sequence[int]) -> pa.Table:
        """The whole rows at the ascending positions *rows*, from no more row groups than hold them."""
        import pyarrow as pa

        tables = []
        for file in self.files:
            local = [row - file.first_row for row in rows if 0 <= row - file.first_row < file.rows]
            if local:
                tables.append(self._take(file, local))
        return pa.concat_tables(tables) if tables else self.schema.empty_table()

    def _plan(self, columns: tuple[int, ...], encoded: frozenset[int]) -> Iterator[list[Piece]]:
        waiting: list[Piece] = []
        for file in self.files:
            start = 0
            for group in range(file.metadata.num_row_groups):
                rows = file.metadata.row_group(group).num_rows
                if waiting and sum(piece.rows for piece in waiting) + rows > PART_ROWS:
                    yield waiting
                    waiting = []
                if rows > GROUP_ROWS_MAX:
                    yield from ([piece] for piece in self._windows(file, group, start, columns, encoded))
                elif rows and waiting and waiting[-1].file is file:
                    last = waiting.pop()
                    waiting.append(Piece(file, (*last.groups, group), last.start, last.rows + rows))
                elif rows:
                    waiting.append(Piece(file, (group,), start, rows))
                start += rows
        if waiting:
            yield waiting

    def _windows(
        self, file: ParquetFile, group: int, start: int, columns: tuple[int, ...], encoded: frozenset[int]
    ) -> Iterator[Piece]:
        import pyarrow as pa

        by_arrow = self._by_arrow(file, columns, encoded)
        end = start + file.metadata.row_group(group).num_rows
        if not by_arrow:
            for at in range(start, end, PART_ROWS):
                yield Piece(file, (group,), at, min(PART_ROWS, end - at))
            return
        with _translated(file.path), file.open(self._dictionaries(file, by_arrow, encoded)) as opened:
            batches = opened.reader.iter_batches(
                PART_ROWS, row_groups=[group], column_indices=file.indices(by_arrow), use_threads=True
            )
            for batch in batches:
                yield Piece(file, (group,), start, batch.num_rows, pa.Table.from_batches([batch]))
                start += batch.num_rows

    def _read_part(self, pieces: list[Piece], columns: tuple[int, ...], encoded: frozenset[int]) -> pa.Table:
        import pyarrow as pa

        tables = [self._read_piece(piece, columns, encoded) for piece in pieces]
        return tables[0] if len(tables) == 1 else pa.concat_tables(tables)

    def _read_piece(self, piece: Piece, columns: tuple[int, ...], encoded: frozenset[int]) -> pa.Table:
        """Text by Polars, four times as fast as PyArrow; dictionaries and all else by PyArrow, twice as fast."""
        file = piece.file
        by_arrow = self._by_arrow(file, columns, encoded)
        by_polars = [i for i in columns if i not in by_arrow]
        with _translated(file.path):
            texts = self._polars_slice(file, by_polars, piece.start, piece.rows) if by_polars else {}
            if texts is None:  # a file that only PyArrow reads
                texts = self._arrow_slice(file, by_polars, piece)
            table = piece.batch
            if table is None and by_arrow:
                opened = file.open(self._dictionaries(file, by_arrow, encoded))
                with opened:
                    table = opened.reader.read_row_groups(
                        list(piece.groups), column_indices=file.indices(by_arrow), use_threads=True
                    )
            found = texts | (file.pick(table, by_arrow) if by_arrow else {})
            return self._table(found, columns, encoded)

    def _by_arrow(self, file: ParquetFile, columns: Sequence[int], encoded: Collection[int]) -> list[int]:
        return [i for i in dict.fromkeys(columns) if i in encoded or not file.leaves[i].is_plain_text]

    def _dictionaries(self, file: ParquetFile, columns: Sequence[int], encoded: Collection[int]) -> list[int]:
        return [i for i in columns if i in encoded and file.leaves[i].is_text]

    def _arrow_slice(
        self, file: ParquetFile, columns: Sequence[int], piece: Piece
    ) -> dict[int, pa.ChunkedArray]:
        with file.open() as opened:
            table = opened.reader.read_row_groups(list(piece.groups), column_indices=file.indices(columns))
        first = file.group_starts[piece.groups[0]]
        return file.pick(table.slice(piece.start - first, piece.rows), columns)

    def _polars_slice(
        self, file: ParquetFile, columns: Sequence[int], start: int, rows: int
    ) -> dict[int, pa.ChunkedArray] | None:
        import polars as pl

        try:
            frame = self._scan(file).slice(start, rows).select(self._names(file, columns)).collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            return None
        if frame.height != rows:
            return None
        return dict(zip(columns, _arrow_columns(frame), strict=True))

    def _scan(self, file: ParquetFile, row_index: str | None = None) -> pl.LazyFrame:
        import polars as pl

        # What looks like a pattern in a path is a name here.
        return pl.scan_parquet(
            file.path, glob=False, hive_partitioning=False, row_index_name=row_index,
            parallel="prefiltered" if row_index else "auto",
        )  # fmt: skip

    def _names(self, file: ParquetFile, columns: Sequence[int]) -> list[str]:
        return [file.leaves[i].name for i in columns]

    def _head(self, file: ParquetFile, group: int, size: int, columns: Sequence[int]) -> pa.Table:
        start = file.group_starts[group]
        size = min(size, file.metadata.row_group(group).num_rows)
        return self._take(file, range(start, start + size))

    def _take(self, file: ParquetFile, rows: Sequence[int]) -> pa.Table:
        columns = range(len(self.schema))
        by_polars = [i for i in columns if file.leaves[i].is_simple]
        with _translated(file.path):
            found = self._polars_take(file, by_polars, rows) if by_polars else {}
            others = [i for i in columns if found is None or i not in found]
            taken = self._arrow_take(file, others, rows) if others else {}
            return self._table((found or {}) | taken, columns, ())

    def _polars_take(
        self, file: ParquetFile, columns: Sequence[int], rows: Sequence[int]
    ) -> dict[int, pa.ChunkedArray] | None:
        import polars as pl

        names = self._names(file, columns)
        runs = _runs(rows)
        starts = file.group_starts
        groups = {bisect_right(starts, row) for row in rows}
        try:
            if len(runs) <= SLICES_PER_GROUP_MAX * len(groups):
                slices = [self._scan(file).slice(start, size).select(names) for start, size in runs]
                frame = pl.concat(pl.collect_all(slices))
            else:
                index = "i" * (1 + max(map(len, names)))  # no name of the file's
                wanted = pl.col(index).is_in(pl.Series(sorted(set(rows)), dtype=pl.UInt32).implode())
                frame = self._scan(file, index).filter(wanted).select(names).collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            return None
        if frame.height != len(rows):
            return None
        return dict(zip(columns, _arrow_columns(frame), strict=True))

    def _arrow_take(
        self, file: ParquetFile, columns: Sequence[int], rows: Sequence[int]
    ) -> dict[int, pa.ChunkedArray]:
        import pyarrow as pa

        starts = file.group_starts
        by_group: dict[int, list[int]] = {}
        for row in rows:
            group = bisect_right(starts, row) - 1
            by_group.setdefault(group, []).append(row - starts[group])
        tables = []
        with file.open() as opened:
            for group, local in by_group.items():
                table = opened.reader.read_row_groups([group], column_indices=file.indices(columns))
                tables.append(table.take(pa.array(local, pa.int64())))
        return file.pick(pa.concat_tables(tables), columns)

    def _table(
        self, found: dict[int, pa.ChunkedArray], columns: Sequence[int], encoded: Collection[int]
    ) -> pa.Table:
        import pyarrow as pa

        arrays = [self._plain(i, found[i], i in encoded) for i in columns]
        return pa.table(arrays, names=[str(i) for i in columns])

    def _plain(self, column: int, cells: pa.ChunkedArray, encoded: bool) -> pa.ChunkedArray:
        import pyarrow as pa

        from datasources.arrow_types import hex_column, mend_text, plain_column

        if column in self.hexadecimal:
            cells = hex_column(cells)
        elif encoded and pa.types.is_dictionary(cells.type) and pa.types.is_string(cells.type.value_type):
            return mend_text(cells)
        cells = mend_text(plain_column(cells, self.schema.field(column).type))
        return encode_text(cells) if encoded else cells


def read_parquet(paths: Sequence[Path], name: str, options: ReadOptions) -> RawBand:
    """
    Read Parquet files of the same columns as one band, in the order given.

    Raises SourceUnreadable for what is no whole Parquet file or has other columns than the first,
    SourceTooLarge past a limit, SourceNotFound and SourceForbidden.
    """
    stream, names = _open_stream(paths, options)
    columns, warnings = unique_names(names, name)
    if stream.rows * len(columns) > SMALL_CELLS_MAX:
        return RawBand(name, columns, stream, "typed", warnings=warnings)
    return RawBand(name, columns, _lists(stream), "typed", warnings=warnings)


def _lists(stream: ParquetStream) -> Lists:
    import pyarrow as pa

    from datasources.arrow_types import mend_text, plain_column, python_values

    everything = range(len(stream.schema))
    tables = [stream.schema.empty_table()]
    for file in stream.files:
        with _translated(file.path), file.open() as opened:
            groups = list(range(file.metadata.num_row_groups))
            table = opened.reader.read_row_groups(groups, column_indices=file.indices(everything))
            tables.append(stream._table(file.pick(table, everything), everything, ()))
    if not stream.schema.names:
        return Lists((), stream.rows)
    names = [str(i) for i in everything]
    whole = pa.concat_tables([table.rename_columns(names) for table in tables])
    return Lists(tuple(python_values(column) for column in whole.columns), stream.rows)


def _open_stream(paths: Sequence[Path], options: ReadOptions) -> tuple[ParquetStream, list[str]]:
    import pyarrow as pa

    opened = [_open(path) for path in paths]
    size = sum(path.stat().st_size for path in paths)
    if size > options.bytes_max:
        raise SourceTooLarge(
            f"{paths[0].name} has {size:,} bytes, more than the limit of {options.bytes_max:,} (bytes_max).",
            source=str(paths[0]),
        )
    first_row = 0
    files: list[ParquetFile] = []
    leaves, types = merge_leaves([(path, leaves_of(path, file)) for path, file in zip(paths, opened, strict=True)])
    check_width(len(types), paths[0].name, options)
    for path, file, own in zip(paths, opened, leaves, strict=True):
        files.append(ParquetFile(path, file.metadata, own, first_row))
        first_row += file.metadata.num_rows
        file.close()
    names = [leaf.name for leaf in leaves[0]]
    schema = pa.schema([(name, kind) for name, kind in zip(names, types, strict=True)])
    return ParquetStream(tuple(files), schema, _hexadecimal(files)), names


def _open(path: Path) -> pq.ParquetFile:
    import pyarrow.parquet as pq

    try:
        with _translated(path):
            return pq.ParquetFile(path)
    except FileNotFoundError as error:
        raise SourceNotFound(f"There is no file {path.name}; check the path.", source=str(path)) from error
    except PermissionError as error:
        raise SourceForbidden(f"{path.name} may not be read; ask for the permission.", source=str(path)) from error


def _hexadecimal(files: Sequence[ParquetFile]) -> frozenset[int]:
    """The columns of bytes of which any cell is no UTF-8: they are read whole once, here, to be sure."""
    from datasources.arrow_types import is_utf8

    found = set()
    for file in files:
        for i, leaf in enumerate(file.leaves):
            if i in found or not is_binary(leaf.type):
                continue
            with _translated(file.path), file.open() as opened:
                for group in range(file.metadata.num_row_groups):
                    table = opened.reader.read_row_groups([group], column_indices=file.indices([i]))
                    if not is_utf8(file.pick(table, [i])[i]):
                        found.add(i)
                        break
    return frozenset(found)


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Turn what Arrow says about a broken file into our words."""
    import pyarrow as pa

    try:
        yield
    except (FileNotFoundError, PermissionError):
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        if "encrypt" in reason.lower():
            message = f"{path.name} is an encrypted Parquet file: decrypt it first."
        else:
            message = f"{path.name} is not a whole Parquet file ({reason}): write or copy it again."
        raise SourceUnreadable(message, source=str(path)) from error


def _runs(rows: Sequence[int]) -> list[tuple[int, int]]:
    """Start and length of each run of consecutive *rows*."""
    runs: list[tuple[int, int]] = []
    for row in rows:
        if runs and row == sum(runs[-1]):
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((row, 1))
    return runs


def _arrow_columns(frame: pl.DataFrame) -> list[pa.ChunkedArray]:
    import polars as pl

    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    return list(table.columns)
