"""Encodes a column of a part by its distinct cells, so that each of them is read only once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from datasources.arrow_types import numpy_of, python_values
from datasources.base import Cell, FieldType
from engine.cleaning import strip
from engine.columns import ColumnType, read_cell
from engine.cubes import Measure
from engine.declared import may_fit
from engine.evidence import Misfits

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Encoded:
    """A column of few distinct cells: for every row the code of its cell among *keys*."""

    codes: NDArray[np.int32]
    keys: Sequence[Cell]
    """Distinct cells, stripped; None for null. Two codes may have the same key."""
    counts: dict[Cell, int]
    """Rows per key, without null."""
    nulls: int
    misfits: Misfits = field(default_factory=Misfits)
    """The cells that do not fit the declared type, whose keys are None too."""


def encode(
    column: pa.ChunkedArray, null_values: tuple[str, ...], declared: FieldType | None = None
) -> Encoded:
    """Encode a column by its distinct cells; those that a *declared* type rules out are nulls."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    array = column.combine_chunks() if not isinstance(column, pa.Array) else column
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.nulls(0, column.type)
    if not pa.types.is_dictionary(array.type):
        array = pc.dictionary_encode(array)
    raw = python_values(pa.chunked_array([array.dictionary]))
    codes = integers_or(array.indices, len(raw)).astype(np.int32, copy=False)
    seen = np.bincount(codes, minlength=len(raw) + 1).tolist()
    # A slice keeps the whole dictionary: what no row of it holds is no value of it.
    keys = [
        _clean(cell, null_values) if count else None for cell, count in zip([*raw, None], seen, strict=True)
    ]
    misfits = Misfits()
    if declared is not None:
        for index, (key, count) in enumerate(zip(keys, seen, strict=True)):
            if key is not None and not may_fit(key, declared):
                misfits.add(key, count)
                keys[index] = None
    counts: dict[Cell, int] = {}
    nulls = 0
    for key, count in zip(keys, seen, strict=True):
        if key is None:
            nulls += count
        elif count:
            counts[key] = counts.get(key, 0) + count
    return Encoded(codes, keys, counts, nulls, misfits)


def integers_or(array: pa.Array, default: int) -> NDArray[Any]:
    """
    The integers of *array*, with *default* where it is null.

    Arrow's own `fill_null` takes a scalar, to make which it loads pandas too (see `numpy_of`).
    """
    import numpy as np
    import pyarrow as pa

    if not array.null_count:
        return numpy_of(array)  # type: ignore[no-any-return]
    bare = pa.Array.from_buffers(array.type, len(array), [None, array.buffers()[1]], offset=array.offset)
    return np.where(numpy_of(array.is_valid()), numpy_of(bare), default)


def _clean(cell: Cell, null_values: tuple[str, ...]) -> Cell:
    if not isinstance(cell, str):
        return cell
    text = strip(cell)
    return text if text and text not in null_values else None


def encoded_numbers(part: Encoded, guess: ColumnType) -> Measure:
    """The typed numbers of an encoded column, 0 for null."""
    import numpy as np

    read = [read_cell(key, guess) for key in part.keys]
    if guess.double:
        table = np.array([value if isinstance(value, int | float) else 0.0 for value in read], np.float64)
    else:
        whole = [value if isinstance(value, int) else 0 for value in read]
        table = np.array(whole, np.int64 if all(map(_fits, whole)) else object)
    return table[part.codes]


def _fits(value: int) -> bool:
    """Whether an integer can stand in an int64 column."""
    return -(1 << 63) <= value < 1 << 63
