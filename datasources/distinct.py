"""Takes a column apart into its distinct cells and a code for each row, and leaves no cell that no row has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


def codes_of(column: pa.ChunkedArray) -> Iterator[tuple[NDArray[np.int64], pa.ChunkedArray]]:
    """For each chunk the code of every row among its values; null has the code past the last one (-1)."""
    import pyarrow as pa

    for chunk in dictionaries_of(column):
        yield _integers(chunk.indices), pa.chunked_array([chunk.dictionary])


def dictionaries_of(column: pa.ChunkedArray) -> Iterator[pa.DictionaryArray]:
    """The chunks of *column* as dictionary arrays."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_string_view(kind):
        column = column.cast(pa.large_string())
    if not pa.types.is_dictionary(kind):
        column = pc.dictionary_encode(column)
    yield from column.chunks


def compact(chunk: pa.DictionaryArray) -> pa.DictionaryArray:
    """The same rows with a dictionary of no other values than theirs."""
    import numpy as np
    import pyarrow as pa

    codes = _integers(chunk.indices)
    # The last place is that of null, which has the code -1.
    used = np.zeros(len(chunk.dictionary) + 1, np.bool_)
    used[codes] = True
    used = used[:-1]
    if used.all():
        return pa.DictionaryArray.from_arrays(chunk.indices.cast(pa.int32()), chunk.dictionary)
    renumbered = np.append(np.cumsum(used) - 1, 0)
    indices = array_from(renumbered[codes].astype(np.int32), codes < 0)
    return pa.DictionaryArray.from_arrays(indices, chunk.dictionary.take(array_from(np.flatnonzero(used))))


def mapped(
    chunk: pa.DictionaryArray, change: Callable[[pa.ChunkedArray], Sequence[str | None]]
) -> pa.DictionaryArray:
    """The same rows, each value of the (compact) dictionary replaced by what *change* makes of it, as text or null."""
    import polars as pl
    import pyarrow as pa

    texts = pl.Series(change(pa.chunked_array([chunk.dictionary])), dtype=pl.String)
    array = pa.DictionaryArray.from_arrays(chunk.indices, texts.to_arrow().cast(pa.large_string()))
    # A null belongs among the codes, where everybody looks for it.
    return texts_at(array.dictionary, array.indices).dictionary_encode() if texts.null_count() else array


RESERVED_BYTES_MAX = 16 << 20


def texts_at(texts: pa.Array, codes: pa.Array) -> pa.Array:
    """
    The text of each row, as large strings, in no more memory than they need.

    Arrow itself reserves the mean size of *texts* for each row, however few rows have the long ones.
    """
    import polars as pl
    import pyarrow as pa

    if texts.nbytes * len(codes) <= RESERVED_BYTES_MAX * len(texts):
        return texts.take(codes).cast(pa.large_string())
    rows = pl.Series(texts).gather(pl.Series(codes))
    return rows.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(pa.large_string())


def _integers(indices: pa.Array) -> NDArray[np.int64]:
    """The codes, -1 for null."""
    import numpy as np
    import pyarrow as pa

    from datasources.arrow_types import numpy_of

    if not indices.null_count:
        return np.asarray(numpy_of(indices), np.int64)
    bare = pa.Array.from_buffers(
        indices.type, len(indices), [None, indices.buffers()[1]], offset=indices.offset
    )
    return np.where(numpy_of(indices.is_valid()), np.asarray(numpy_of(bare), np.int64), -1)


def array_from(values: NDArray[Any], nulls: NDArray[np.bool_] | None = None) -> pa.Array:
    """An Arrow array of *values* by way of Polars: Arrow itself would load pandas, where that is installed."""
    import polars as pl

    series = pl.Series(values)
    if nulls is not None and nulls.any():
        series = pl.select(pl.when(~pl.Series(nulls)).then(series)).to_series()
    return series.to_arrow()
