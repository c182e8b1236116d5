"""Streams what a viewer may see of a large table: one bit a row says which rows, and no part holds another."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from datasources.arrow import SAMPLE_ROWS, SAMPLE_SLICES
from datasources.base import Lists, Stream
from datasources.concurrently import threads
from datasources.distinct import array_from, compact, dictionaries_of, mapped, texts_at
from datasources.exceptions import SourceUnreadable
from datasources.row_rules import fitting_table_rows, positions_of

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from datasources.secured import Cut
    from datasources.secured_masks import Mask, Masks

THREADS = 2
EDGE_ROWS = 64
"""So many rows are looked at first for the totals at an edge."""
SAMPLE_SPAN = 8
"""A run of a sample is read as a whole if so few rows stand among its own."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Which rows of one part of the source stay."""

    rows: int
    """Of the source."""
    count: int
    """That stay."""
    bits: bytes | None
    """One for each row; None where all stay."""

    def mask(self) -> NDArray[np.bool_]:
        """Whether each row stays."""
        import numpy as np

        if self.bits is None:
            return np.ones(self.rows, np.bool_)
        return np.unpackbits(np.frombuffer(self.bits, np.uint8), count=self.rows).astype(np.bool_)


@dataclass(frozen=True, slots=True)
class SecuredStream:
    """The rows and columns of *source* that stay (a `base.Stream`)."""

    source: Stream
    columns: tuple[int, ...]
    """Positions in the source."""
    kept: tuple[Kept, ...] | None
    """For each part of the source; None where all rows stay."""
    _sampled: list[pa.Table] = field(default_factory=list, repr=False)
    """The sample, once it was taken: several passes are planned by it."""

    @classmethod
    def of(cls, source: Stream, cut: Cut) -> SecuredStream:
        """Look once at the columns of the rule, to know which rows stay."""
        return cls(source, cut.columns, _kept(source, cut) if cut.cuts_rows else None)

    @property
    def rows(self) -> int:
        """How many rows stay."""
        return self.source.rows if self.kept is None else sum(part.count for part in self.kept)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow types of the columns that stay."""
        import pyarrow as pa

        kinds = self.source.schema.types
        return pa.schema([(str(at), kinds[position]) for at, position in enumerate(self.columns)])

    def sample(self) -> pa.Table:
        """Some 4,096 of the rows that stay, in 8 runs spread evenly over them."""
        if not self._sampled:
            self._sampled.append(self._take_sample())
        return self._sampled[0]

    def _take_sample(self) -> pa.Table:
        import numpy as np

        if self.rows <= SAMPLE_ROWS:
            return self.take(range(self.rows))
        size = SAMPLE_ROWS // SAMPLE_SLICES
        starts = [i * (self.rows - size) // (SAMPLE_SLICES - 1) for i in range(SAMPLE_SLICES)]
        wanted = [row for start in starts for row in range(start, start + size)]
        rows = self._source_rows(wanted) if self.kept is not None else wanted
        runs = [rows[at : at + size] for at in range(0, len(rows), size)]
        if any(run[-1] - run[0] > SAMPLE_SPAN * size for run in runs):
            return self.source.take(rows).select(list(self.columns))
        # Rows that stand close together are quicker read with those between them.
        spans = [range(run[0], run[-1] + 1) for run in runs]
        table = self.source.take([row for span in spans for row in span])
        firsts = [0, *accumulate(map(len, spans))]
        places = [row - run[0] + first for run, first in zip(runs, firsts, strict=False) for row in run]
        return table.take(array_from(np.array(places, np.int64))).select(list(self.columns))

    def parts(
        self, columns: Sequence[int], encoded: Collection[int] = ()
    ) -> Iterator[Callable[[], pa.Table]]:
        """The parts of the source that have rows which stay, without the others."""
        positions = [self.columns[at] for at in columns]
        parts = self.source.parts(positions, frozenset(self.columns[at] for at in encoded))
        if self.kept is None:
            yield from parts
            return
        for index, read in enumerate(parts):
            if index >= len(self.kept):
                raise _changed()
            if self.kept[index].count:
                yield partial(_filtered, read, self.kept[index])

    def take(self, rows: Sequence[int]) -> pa.Table:
        """The whole rows at the ascending positions *rows* among those that stay."""
        table = self.source.take(self._source_rows(rows) if self.kept is not None else rows)
        return table.select(list(self.columns))

    def _source_rows(self, rows: Sequence[int]) -> list[int]:
        import numpy as np

        assert self.kept is not None
        firsts = [0, *accumulate(part.count for part in self.kept)]
        starts = [0, *accumulate(part.rows for part in self.kept)]
        found: list[int] = []
        at = 0
        while at < len(rows):
            index = bisect_right(firsts, rows[at]) - 1
            end = at
            while end < len(rows) and rows[end] < firsts[index + 1]:
                end += 1
            places = np.flatnonzero(self.kept[index].mask()) + starts[index]
            found += places[[row - firsts[index] for row in rows[at:end]]].tolist()
            at = end
        return found


@dataclass(frozen=True, slots=True)
class MaskedStream:
    """*source* with pseudonyms: some columns of nothing else, and inside the texts of others (a `base.Stream`)."""

    source: Stream
    masks: Masks

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.source.rows

    @property
    def schema(self) -> pa.Schema:
        """The Arrow types; pseudonyms are text."""
        import pyarrow as pa

        kinds = [
            pa.large_string() if at in self.masks.whole else kind
            for at, kind in enumerate(self.source.schema.types)
        ]
        return pa.schema([(str(at), kind) for at, kind in enumerate(kinds)])

    def sample(self) -> pa.Table:
        """The sample of the source."""
        return self._masked(self.source.sample(), range(len(self.schema)), ())

    def parts(
        self, columns: Sequence[int], encoded: Collection[int] = ()
    ) -> Iterator[Callable[[], pa.Table]]:
        """The parts of the source; of a masked column its distinct cells are masked, once in each part."""
        by_value = frozenset(encoded) | self.masks.whole.keys() & set(columns)
        for read in self.source.parts(columns, by_value):
            yield partial(self._part, read, tuple(columns), frozenset(encoded))

    def take(self, rows: Sequence[int]) -> pa.Table:
        """The whole rows at the ascending positions *rows*."""
        return self._masked(self.source.take(rows), range(len(self.schema)), ())

    def _part(
        self, read: Callable[[], pa.Table], columns: Sequence[int], encoded: frozenset[int]
    ) -> pa.Table:
        return self._masked(read(), columns, encoded)

    def _masked(self, table: pa.Table, columns: Sequence[int], encoded: Collection[int]) -> pa.Table:
        import pyarrow as pa

        arrays = [self._column(table.column(index), at, at in encoded) for index, at in enumerate(columns)]
        return pa.table(arrays, names=[str(at) for at in columns])

    def _column(self, column: pa.ChunkedArray, at: int, is_encoded: bool) -> pa.ChunkedArray:
        if at in self.masks.whole:
            return _pseudonyms(column, self.masks.whole[at], is_encoded)
        return self.masks.inside[at].column(column) if at in self.masks.inside else column


def to_lists(stream: Stream) -> Lists:
    """The cells of a *stream* of few rows as Python lists."""
    from datasources.arrow_types import python_values

    width = len(stream.schema)
    columns: list[list[object]] = [[] for _ in range(width)]
    for read in stream.parts(range(width)):
        table = read()
        for cells, column in zip(columns, table.columns, strict=True):
            cells.extend(python_values(column))
    return Lists(tuple(columns), stream.rows)  # type: ignore[arg-type]


# ---- which rows ----


def _kept(source: Stream, cut: Cut) -> tuple[Kept, ...]:
    """One pass over the columns of the rule, on some threads, in source order."""
    positions = sorted(positions_of(cut.rule)) if cut.rule is not None else [0]
    found: list[Kept] = []
    waiting: deque[Future[Kept]] = deque()
    with threads(THREADS) as pool:
        for read in source.parts(positions, positions):
            waiting.append(pool.submit(_look, read, cut, positions))
            if len(waiting) > THREADS:
                found.append(waiting.popleft().result())
        found += [one.result() for one in waiting]
    if cut.first:
        _drop(found, range(_edge_rows(source, is_last=False)))
    if cut.last:
        _drop(found, range(source.rows - _edge_rows(source, is_last=True), source.rows))
    return tuple(found)


def _look(read: Callable[[], pa.Table], cut: Cut, positions: Sequence[int]) -> Kept:
    table = read()
    if cut.rule is None:
        return Kept(table.num_rows, table.num_rows, None)
    places = {position: at for at, position in enumerate(positions)}
    return _packed(fitting_table_rows(cut.rule, table, places))


def _packed(mask: NDArray[np.bool_]) -> Kept:
    import numpy as np

    count = int(np.count_nonzero(mask))
    return Kept(len(mask), count, None if count == len(mask) else np.packbits(mask).tobytes())


def _edge_rows(source: Stream, *, is_last: bool) -> int:
    """How many rows there are up to the first one (or last one) with a filled cell, itself among them."""
    from datasources.arrow_types import python_values
    from datasources.secured import edge_rows

    size = EDGE_ROWS
    while source.rows:
        size = min(size, source.rows)
        wanted = range(source.rows - size, source.rows) if is_last else range(size)
        cells = [python_values(column) for column in source.take(wanted).columns]
        found = edge_rows([column[::-1] for column in cells] if is_last else cells, size)
        if found < size or size == source.rows:
            return found
        size *= 4
    return 0


def _drop(parts: list[Kept], rows: range) -> None:
    """Take out the *rows*, which stand at an edge."""
    start = 0
    for index, part in enumerate(parts):
        first, stop = max(rows.start - start, 0), min(rows.stop - start, part.rows)
        start += part.rows
        if first < stop:
            mask = part.mask()
            mask[first:stop] = False
            parts[index] = _packed(mask)


# ---- parts ----


def _filtered(read: Callable[[], pa.Table], kept: Kept) -> pa.Table:
    import pyarrow as pa

    table = read()
    if table.num_rows != kept.rows:
        raise _changed()
    if kept.bits is None:
        return table
    mask = kept.mask()
    columns = [_filter(column, mask) for column in table.columns]
    return pa.table(columns, names=table.column_names)


def _filter(column: pa.ChunkedArray, mask: NDArray[np.bool_]) -> pa.ChunkedArray:
    import polars as pl
    import pyarrow as pa

    kind = column.type
    if pa.types.is_string_view(kind):
        # Arrow filters no views; of Polars' strings only the views are copied.
        series = pl.from_arrow(column)
        assert isinstance(series, pl.Series)
        kept = series.filter(pl.Series(mask)).rechunk()
        return pa.chunked_array([kept.to_arrow(compat_level=pl.CompatLevel.newest())])
    filtered = column.filter(array_from(mask))
    if not pa.types.is_dictionary(kind):
        return filtered
    return pa.chunked_array(
        [compact(chunk) for chunk in filtered.chunks], pa.dictionary(pa.int32(), kind.value_type)
    )


def _pseudonyms(column: pa.ChunkedArray, mask: Mask, encoded: bool) -> pa.ChunkedArray:
    import pyarrow as pa

    from datasources.arrow_types import python_values

    chunks = [
        mapped(compact(chunk), lambda values: mask(python_values(values)))
        for chunk in dictionaries_of(column)
    ]
    if not encoded:
        plain = [texts_at(chunk.dictionary, chunk.indices) for chunk in chunks]
        return pa.chunked_array(plain, pa.large_string())
    return pa.chunked_array(chunks, pa.dictionary(pa.int32(), pa.large_string()))


def _changed() -> SourceUnreadable:
    return SourceUnreadable("The source changed while it was read: read it again.")
