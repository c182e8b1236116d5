"""An Arrow table streamed in parts of any sizes, to hold that no split changes a byte."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import pyarrow as pa

from datasources.arrow import select_columns
from datasources.base import Lists, RawBand


@dataclass(frozen=True)
class CutStream:
    """The rows of a table, cut after the positions *cuts*; *sampled* rows are the sample."""

    table: pa.Table
    cuts: tuple[int, ...] = ()
    sampled: int = 4_096

    @property
    def rows(self) -> int:
        return int(self.table.num_rows)

    @property
    def schema(self) -> pa.Schema:
        return self.table.schema

    def sample(self) -> pa.Table:
        return self.table.slice(0, self.sampled)

    def parts(
        self, columns: Sequence[int], encoded: Collection[int] = ()
    ) -> Iterator[Callable[[], pa.Table]]:
        edges = [0, *self.cuts, self.rows]
        for start, end in pairwise(edges):
            part = self.table.slice(start, end - start)
            yield partial(select_columns, part, columns, encoded)

    def take(self, rows: Sequence[int]) -> pa.Table:
        return self.table.take(pa.array(rows, pa.int64()))


def streamed(band: RawBand, cuts: tuple[int, ...] = (), sampled: int = 4_096) -> RawBand:
    """The same band as a stream; its columns must be all text or of one native type each."""
    assert isinstance(band.cells, Lists)
    arrays = [_array(column) for column in band.cells.columns]
    table = pa.table(arrays, names=[str(index) for index in range(len(arrays))])
    return replace(band, cells=CutStream(table, cuts, sampled))


def stream_of(band: RawBand) -> CutStream:
    """The stream of a band that `streamed` gave."""
    assert isinstance(band.cells, CutStream)
    return band.cells


def _array(column: Sequence[object]) -> pa.Array:
    if all(isinstance(cell, str) or cell is None for cell in column):
        return pa.array(column, pa.large_string())
    return pa.array(column, from_pandas=False)
