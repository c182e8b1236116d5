"""Streams the rows of Parquet files in parts that fit in memory, each column by its fastest reader."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from datasources import work
from datasources.arrow import SAMPLE_ROWS, SAMPLE_SLICES, encode_text
from datasources.kept_rows import KeptRows
from datasources.parquet_file import ParquetFile

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

PART_ROWS = 250_000
GROUP_ROWS_MAX = 2 * PART_ROWS
"""A larger row group is cut into parts."""
SLICES_PER_GROUP_MAX = 3
"""Measured: so many slices of single rows cost what one filtered pass over their row group costs."""
SLICES_AT_ONCE = 4
"""Each decodes whole pages: a hundred rows at once held 300 MB more, and took no less time."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive rows of one file."""

    file: ParquetFile
    groups: tuple[int, ...]
    start: int
    rows: int
    batch: pa.Table | None = None
    """Where a large row group is cut: what PyArrow has read of these rows already."""

    def size(self, columns: Sequence[int]) -> int:
        """Bytes of *columns* in the file, of a part of a row group its share."""
        stored = sum(self.file.size(group, columns) for group in self.groups)
        rows = sum(self.file.metadata.row_group(group).num_rows for group in self.groups)
        return int(stored * self.rows // rows)


@dataclass(frozen=True, slots=True)
class ParquetStream:
    """The rows of Parquet files of the same columns, read by whole row groups."""

    files: tuple[ParquetFile, ...]
    schema: pa.Schema
    """The plain type of each column."""
    hexadecimal: frozenset[int] = frozenset()
    """Columns of bytes that are no text."""
    name: str = ""
    """Of the band, for whoever watches."""
    kept: KeptRows = field(init=False, repr=False, compare=False)
    """What the passes have read already of the rows that are likely to be taken."""

    def __post_init__(self) -> None:
        """Nothing is kept yet."""
        object.__setattr__(self, "kept", KeptRows(self.rows))

    @property
    def rows(self) -> int:
        """How many rows all files together have."""
        return sum(file.rows for file in self.files)

    def sample(self) -> pa.Table:
        """The first rows of up to 8 row groups, spread evenly: some 4,096 rows in all."""
        import pyarrow as pa

        groups = [
            (file, start, end)
            for file in self.files
            for start, end in pairwise(file.group_starts)
            if end > start
        ]
        count = min(SAMPLE_SLICES, len(groups))
        tables = [self.nothing()]
        chosen = [groups[i * len(groups) // count] for i in range(count)]
        for file in dict.fromkeys(file for file, _, _ in chosen):
            heads = [range(s, min(e, s + SAMPLE_ROWS // count)) for f, s, e in chosen if f is file]
            tables.append(self._take(file, list(chain.from_iterable(heads))))
        return pa.concat_tables(tables)

    def parts(
        self, columns: Sequence[int], encoded: Collection[int] = ()
    ) -> Iterator[Callable[[], pa.Table]]:
        """Cut the rows into parts of some 250,000; a larger row group is read by a moving window."""
        wanted, few = tuple(columns), frozenset(encoded)
        return work.one_pass(
            lambda: work.Stage("reading", self.name, self._size(wanted), self.rows, wanted),
            self._plan(wanted, few),
            lambda pieces: self._read_part(pieces, wanted, few),
            lambda pieces: sum(piece.size(wanted) for piece in pieces),
        )

    def take(self, rows: Sequence[int]) -> pa.Table:
        """The whole rows at the ascending positions *rows*, from no more row groups than hold them."""
        import pyarrow as pa

        work.tell("taken", len(rows))
        tables = []
        for file in self.files:
            local = [row - file.first_row for row in rows if 0 <= row - file.first_row < file.rows]
            if local:
                tables.append(self._take(file, local))
        return pa.concat_tables(tables) if tables else self.nothing()

    def _size(self, columns: Sequence[int]) -> int:
        return sum(
            file.size(group, columns) for file in self.files for group in range(file.metadata.num_row_groups)
        )

    def nothing(self) -> pa.Table:
        """A table of the band's columns without rows."""
        import pyarrow as pa

        # An empty list would do, but Arrow loads pandas, where it is installed, to see whether it is one of its.
        columns = [pa.nulls(0, kind) for kind in self.schema.types]
        return pa.table(columns, names=[str(i) for i in range(len(columns))])

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
        with file.reading(), file.open(self._dictionaries(file, by_arrow, encoded)) as opened:
            batches = opened.reader.iter_batches(
                PART_ROWS, row_groups=[group], column_indices=file.indices(by_arrow), use_threads=True
            )
            for batch in batches:
                yield Piece(file, (group,), start, batch.num_rows, pa.Table.from_batches([batch]))
                start += batch.num_rows

    def _read_part(self, pieces: list[Piece], columns: tuple[int, ...], encoded: frozenset[int]) -> pa.Table:
        import pyarrow as pa

        tables = [self._read_piece(piece, columns, encoded) for piece in pieces]
        if len(tables) == 1:
            return tables[0]
        # Where one file is read by Polars and another is not, the layouts of a text differ.
        kinds = tables[0].schema
        return pa.concat_tables([table if table.schema == kinds else table.cast(kinds) for table in tables])

    def _read_piece(self, piece: Piece, columns: tuple[int, ...], encoded: frozenset[int]) -> pa.Table:
        """Text by Polars, four times as fast as PyArrow; dictionaries by PyArrow, twice as fast."""
        file = piece.file
        by_arrow = self._by_arrow(file, columns, encoded)
        by_polars = [i for i in columns if i not in by_arrow]
        with file.reading():
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
            part = self.table(found, columns, encoded)
            self.kept.keep(file.first_row + piece.start, part, columns, self.schema)
            return part

    def _by_arrow(self, file: ParquetFile, columns: Sequence[int], encoded: Collection[int]) -> list[int]:
        return [i for i in dict.fromkeys(columns) if i in encoded or not file.leaves[i].is_plain_text]

    def _dictionaries(self, file: ParquetFile, columns: Sequence[int], encoded: Collection[int]) -> list[int]:
        # PyArrow makes no dictionaries of text in a struct that has several row groups.
        return [i for i in columns if i in encoded and file.leaves[i].is_plain_text]

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

        if not file.is_for_polars:
            return None
        try:
            frame = self._scan(file).slice(start, rows).select(self._names(file, columns)).collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            return None
        if frame.height != rows:
            return None
        return dict(zip(columns, _arrow_columns(frame, views=True), strict=True))

    def _scan(self, file: ParquetFile, row_index: str | None = None) -> pl.LazyFrame:
        import polars as pl

        # What looks like a pattern in a path is a name here.
        return pl.scan_parquet(
            file.path, glob=False, hive_partitioning=False, row_index_name=row_index,
            parallel="prefiltered" if row_index else "auto",
        )  # fmt: skip

    def _names(self, file: ParquetFile, columns: Sequence[int]) -> list[str]:
        return [file.leaves[i].name for i in columns]

    def _take(self, file: ParquetFile, rows: Sequence[int]) -> pa.Table:
        import pyarrow as pa

        columns = range(len(self.schema))
        with file.reading():
            cells = self.kept.take([file.first_row + row for row in rows], columns)
            left = [i for i in columns if i not in cells]
            by_polars = [i for i in left if file.leaves[i].is_simple]
            found = (self._polars_take(file, by_polars, rows) if by_polars else None) or {}
            others = [i for i in left if i not in found]
            found |= self._arrow_take(file, others, rows) if others else {}
            cells |= {i: self._plain(i, found[i], encoded=False) for i in left}
        return pa.table([cells[i] for i in columns], names=[str(i) for i in columns])

    def _polars_take(
        self, file: ParquetFile, columns: Sequence[int], rows: Sequence[int]
    ) -> dict[int, pa.ChunkedArray] | None:
        import polars as pl

        if not file.is_for_polars:
            return None
        names = self._names(file, columns)
        runs = _runs(rows)
        starts = file.group_starts
        groups = {bisect_right(starts, row) for row in rows}
        try:
            if len(runs) <= SLICES_PER_GROUP_MAX * len(groups):
                scan = self._scan(file).select(names)
                slices = [scan.slice(start, size) for start, size in runs]
                # Else the plans would share one scan, and that of the whole file.
                flags = pl.QueryOptFlags(comm_subplan_elim=False)
                some = range(0, len(slices), SLICES_AT_ONCE)
                frame = pl.concat(
                    one
                    for at in some
                    for one in pl.collect_all(slices[at : at + SLICES_AT_ONCE], optimizations=flags)
                )
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
        found: dict[int, list[pa.Array]] = {i: [] for i in columns}
        with file.open() as opened:
            for group, local in by_group.items():
                table = opened.reader.read_row_groups([group], column_indices=file.indices(columns))
                for i, cells in file.pick(table, columns).items():
                    found[i] += cells.take(pa.array(local, pa.int64())).chunks
        return {i: pa.chunked_array(chunks) for i, chunks in found.items()}

    def table(
        self, found: dict[int, pa.ChunkedArray], columns: Sequence[int], encoded: Collection[int]
    ) -> pa.Table:
        """The *found* cells in plain types, in the order of *columns*."""
        import pyarrow as pa

        arrays = [self._plain(i, found[i], i in encoded) for i in columns]
        return pa.table(arrays, names=[str(i) for i in columns])

    def _plain(self, column: int, cells: pa.ChunkedArray, encoded: bool) -> pa.ChunkedArray:
        import pyarrow as pa

        from datasources.arrow_types import hex_column, mend_text, plain_column

        if column in self.hexadecimal:
            cells = hex_column(cells)
        elif encoded and pa.types.is_dictionary(cells.type) and pa.types.is_string(cells.type.value_type):
            return cells if _is_whole_text(cells) else mend_text(cells)
        elif pa.types.is_string_view(cells.type):
            return cells  # Polars wrote it, so it is UTF-8 already; the views are handed on without a copy
        cells = mend_text(plain_column(cells, self.schema.field(column).type))
        return encode_text(cells) if encoded else cells


def _is_whole_text(cells: pa.ChunkedArray) -> bool:
    """Whether all that the dictionaries of *cells* hold is UTF-8."""
    import pyarrow as pa

    from datasources.arrow_types import is_utf8

    dictionaries = [chunk.dictionary.cast(pa.binary()) for chunk in cells.chunks]
    return is_utf8(pa.chunked_array(dictionaries, pa.binary()))


def _runs(rows: Sequence[int]) -> list[tuple[int, int]]:
    """Start and length of each run of consecutive *rows*."""
    runs: list[tuple[int, int]] = []
    for row in rows:
        if runs and row == sum(runs[-1]):
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((row, 1))
    return runs


def _arrow_columns(frame: pl.DataFrame, *, views: bool = False) -> list[pa.ChunkedArray]:
    """The columns as Arrow; with *views* text is `string_view` and nothing is copied."""
    import polars as pl

    level = pl.CompatLevel.newest() if views else pl.CompatLevel.oldest()
    return list(frame.to_arrow(compat_level=level).columns)
