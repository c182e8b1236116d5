"""
Reads the numbers of one part as whole columns.

What vectorised code does not cover is read by the same functions that small reports use, once per distinct
cell. So the rules stand in one place and the two ways agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from datasources.arrow_types import numpy_of
from engine.columns import ColumnType, Typed, read_cell
from engine.cubes import INT64_MAX, Measure, exact_sum
from engine.declared import misfits_among
from engine.encoded import encode, encoded_numbers, integers_or
from engine.evidence import ColumnEvidence, observe_each
from engine.numbers import DECIMAL_DIGITS_MAX, DECIMALS_NATIVE_MAX, NumberEvidence, read_native
from engine.states import Totals
from engine.statistics import DISTINCT_MAX

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

GLANCE_ROWS = 2_048
"""Of so many rows it is seen whether a column has too many distinct numbers to be counted."""
SAFE_INTEGER = 1 << 50
"""Decimals pass through a double exactly while their digits stay below this."""
WHOLE_MIN = 1 << 53
"""Doubles from here on are whole."""
DECIMAL_LIMIT = 10.0**DECIMAL_DIGITS_MAX
"""Too large for a DECIMAL."""
BLOCK_ROWS = 16_384
"""Small enough for the doubles of some steps to stay in the processor's caches."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column of numbers: typed values with 0 for null, as a guess of the column's type reads them."""

    values: Measure
    totals: Totals
    evidence: ColumnEvidence
    nulls: int
    """Empty cells, and NaN or infinite ones."""
    valid: NDArray[np.bool_] | None = None
    """Which cells hold a number; None when all do."""

    def counts(self) -> dict[Typed, int] | None:
        """Rows per distinct number; None when these are more than are counted (spec 5: up to 1,000)."""
        import numpy as np

        # Most columns show in a few of their rows, from all over the part, that they have more.
        step = -(-len(self.values) // GLANCE_ROWS) or 1
        glance = self.values[::step] if self.valid is None else self.values[::step][self.valid[::step]]
        if len(set(glance.tolist())) > DISTINCT_MAX:
            return None
        bare = self.values if self.valid is None else self.values[self.valid]
        found, rows = np.unique(bare, return_counts=True)
        return dict(zip(found.tolist(), rows.tolist(), strict=True)) if len(found) <= DISTINCT_MAX else None


def native_numbers(column: pa.ChunkedArray, guess: ColumnType) -> Numbers:
    """Read a column of integers, decimals or floating point."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    nulls = column.null_count
    if pa.types.is_floating(kind):
        return _floating(column, guess)
    if pa.types.is_decimal(kind):
        return _decimals(column, guess)
    if pa.types.is_uint64(kind) and (pc.max(column).as_py() or 0) >= 1 << 63:
        return by_distinct(column, guess)
    chunks = column.cast(pa.int64()).chunks
    values = integers_or(pa.concat_arrays(chunks) if len(chunks) != 1 else chunks[0], 0)
    bounds = pc.min_max(column).as_py()
    evidence = _native_evidence(len(column) - nulls, 0, bounds["min"], bounds["max"])
    if guess.double:
        values = values.astype(np.float64)
    elif guess.scale:
        return by_distinct(column, guess)
    valid = numpy_of(column.is_valid()) if nulls else None
    return Numbers(
        values, _totals(values, len(column) - nulls, bounds["min"], bounds["max"]), evidence, nulls, valid
    )


def _native_evidence(cells: int, decimals: int, low: int | None, high: int | None) -> ColumnEvidence:
    found = NumberEvidence()
    if cells and low is not None and high is not None:
        found.cells = cells
        found.kinds["native"] = cells
        found.decimals["native"] = decimals
        digits = (len(str(abs(low))), len(str(abs(high))))
        found.integer_digits = max(0 if decimals else 1, max(digits) - decimals)
        if decimals == 0:
            found.lengths = set(digits)
            found.signed_plain = int(low < 0)
    return ColumnEvidence(cells=cells, numbers=found, natives={"number"} if cells else set())


def _float_evidence(integers: Measure, scale: int, decimals: int) -> ColumnEvidence:
    """What floating point says that has at most so many *decimals*, from its *integers* at *scale*."""
    if not len(integers):
        return ColumnEvidence()
    evidence = _native_evidence(len(integers), scale, int(integers.min()), int(integers.max()))
    evidence.numbers.decimals["native"] = decimals if decimals > scale else _fewest_decimals(integers, scale)
    evidence.numbers.floats = len(integers)
    return evidence


def _fewest_decimals(integers: Measure, scale: int) -> int:
    """With how many decimals *integers* at *scale* can be written: a guess may have more than the column."""
    while scale and not (integers[:GLANCE_ROWS] % 10).any() and not (integers % 10).any():
        integers, scale = integers // 10, scale - 1
    return scale


def _double_evidence(doubles: NDArray[Any], decimals: int) -> ColumnEvidence:
    """What finite *doubles* say, the one with the most of which has so many *decimals*."""
    if not len(doubles):
        return ColumnEvidence()
    edges = [read_native(float(str(edge))) for edge in (doubles.min(), doubles.max())]
    found = NumberEvidence(len(doubles), {"native": len(doubles)}, decimals={"native": decimals})
    found.integer_digits = max(cell.integer_digits for cell in edges if cell is not None)
    found.floats = len(doubles)
    return ColumnEvidence(len(doubles), numbers=found, natives={"number"})


def _totals(values: Measure, cells: int, low: int | float | None, high: int | float | None) -> Totals:
    return Totals(cells, exact_sum(values), low, high)


def _floating(column: pa.ChunkedArray, guess: ColumnType) -> Numbers:
    import numpy as np

    original = numpy_of(column)
    if original.dtype == np.float64 and not column.null_count and not guess.double:
        integers = _exact_integers(original, guess.scale)
        if integers is not None:
            return _whole(integers, guess.scale)
    valid = np.isfinite(original)
    nulls = column.null_count
    not_finite = len(original) - int(valid.sum()) - nulls
    cells = len(original) - nulls - not_finite
    finite = np.where(valid, original, 0)
    scale = _float_scale(finite, guess.scale)
    if guess.double or scale > DECIMALS_NATIVE_MAX or float(np.abs(finite).max(initial=0)) >= DECIMAL_LIMIT:
        doubles = finite
        shown = doubles[valid]
        low, high = (float(shown.min()), float(shown.max())) if cells else (None, None)
        evidence = _double_evidence(original[valid], scale)
        evidence.not_finite = not_finite
        return Numbers(doubles, _totals(doubles, cells, low, high), evidence, nulls + not_finite, valid)
    integers = _scaled_integers(finite, guess.scale)
    shown_integers = integers[valid] if cells < len(integers) else integers
    low_i, high_i = (int(shown_integers.min()), int(shown_integers.max())) if cells else (None, None)
    evidence = _float_evidence(shown_integers, guess.scale, scale)
    evidence.not_finite = not_finite
    return Numbers(integers, _totals(integers, cells, low_i, high_i), evidence, nulls + not_finite, valid)


def _exact_integers(doubles: NDArray[np.float64], scale: int) -> NDArray[np.int64] | None:
    """
    The *doubles* times ten to the power of *scale*; None where one of them has more decimals or is not finite.

    `rint(x * 10**k) / 10**k == x` is exact: a quotient of whole doubles is rounded once.
    """
    import numpy as np

    if scale > DECIMALS_NATIVE_MAX:
        return None
    power = 10.0**scale
    integers = np.empty(len(doubles), np.int64)
    for start in range(0, len(doubles), BLOCK_ROWS):
        block = doubles[start : start + BLOCK_ROWS]
        scaled = np.rint(block * power)
        # Nothing compares with a NaN, and an infinity is too large.
        if not (np.abs(scaled) < SAFE_INTEGER).all() or not (scaled / power == block).all():
            return None
        integers[start : start + BLOCK_ROWS] = scaled
    return integers


def _whole(integers: NDArray[np.int64], scale: int) -> Numbers:
    """Numbers of a native column each of which has at most *scale* decimals."""
    cells = len(integers)
    low, high = (int(integers.min()), int(integers.max())) if cells else (None, None)
    evidence = _float_evidence(integers, scale, scale)
    return Numbers(integers, _totals(integers, cells, low, high), evidence, 0)


def _float_scale(values: NDArray[Any], start: int) -> int:
    """
    The fewest decimals, *start* or more, with which every value reads back as the same; ten for more than nine.

    `rint(x * 10**k) / 10**k == x` is exact: a quotient of whole doubles is rounded once.
    """
    import numpy as np

    most = start
    left = values[np.abs(values) < WHOLE_MIN]
    for scale in range(start, DECIMALS_NATIVE_MAX + 1):
        power = 10.0**scale
        scaled = np.rint(left.astype(np.float64) * power)
        is_large = np.abs(scaled) >= SAFE_INTEGER
        if is_large.any():
            most = max(most, _written_decimals(left[is_large]))
            left, scaled = left[~is_large], scaled[~is_large]
        differs = (scaled / power).astype(left.dtype) != left
        if most > DECIMALS_NATIVE_MAX or not differs.any():
            return max(most, scale)
        left = left[differs]
    return DECIMALS_NATIVE_MAX + 1


def _written_decimals(values: NDArray[Any]) -> int:
    """The most decimals of the shortest texts of *values*; more than nine are not counted to their end."""
    most = 0
    for text in map(str, values):
        cell = read_native(float(text))
        assert cell is not None
        most = max(most, cell.decimals)
        if most > DECIMALS_NATIVE_MAX:
            break
    return most


def _scaled_integers(finite: NDArray[Any], scale: int) -> Measure:
    """Floating point of that many decimals at most as whole numbers, by their shortest texts."""
    import numpy as np

    scaled = np.rint(finite * 10.0**scale)
    large = np.abs(scaled) >= SAFE_INTEGER
    integers: Measure = np.where(large, 0, scaled).astype(np.int64)
    if large.any():
        written = [int(Decimal(repr(x)).scaleb(scale)) for x in finite[large].tolist()]
        if max(map(abs, written)) >= INT64_MAX:
            integers = integers.astype(object)
        integers[large] = written
    return integers


def _decimals(column: pa.ChunkedArray, guess: ColumnType) -> Numbers:
    import numpy as np
    import pyarrow as pa

    kind = column.type
    if kind.scale != guess.scale or guess.double or kind.scale < 0 or not pa.types.is_decimal128(kind):
        return by_distinct(column, guess)
    array = pa.concat_arrays(column.chunks) if column.num_chunks != 1 else column.chunk(0)
    buffer = array.buffers()[1]
    pairs = np.frombuffer(buffer, np.int64)[2 * array.offset : 2 * (array.offset + len(array))].reshape(-1, 2)
    valid = numpy_of(array.is_valid())
    low_words = np.where(valid, pairs[:, 0], 0)
    high_words = np.where(valid, pairs[:, 1], 0)
    values: Measure = low_words
    if (high_words != low_words >> 63).any():
        # Two words are wider than an int64: integers of Python's.
        values = (high_words.astype(object) << 64) + low_words.view(np.uint64).astype(object)
    cells = int(valid.sum())
    shown = values[valid]
    low, high = (int(shown.min()), int(shown.max())) if cells else (None, None)
    evidence = _native_evidence(cells, kind.scale, low, high)
    return Numbers(values, _totals(values, cells, low, high), evidence, len(array) - cells, valid)


def by_distinct(column: pa.ChunkedArray, guess: ColumnType) -> Numbers:
    """The slow and general way: every distinct cell is read on its own."""
    import numpy as np

    part = encode(column, guess.null_values, guess.declared_type)
    evidence = observe_each(part.counts, guess.name)
    evidence.misfits = misfits_among(part.counts, guess)
    evidence.misfits.merge(part.misfits)
    values = encoded_numbers(part, guess)
    typed = {key: read_cell(key, guess) for key in part.counts}
    numbers = {key: value for key, value in typed.items() if isinstance(value, int | float)}
    cells = sum(part.counts[key] for key in numbers)
    total = exact_sum(values)
    low, high = (min(numbers.values()), max(numbers.values())) if numbers else (None, None)
    known = np.array([isinstance(typed.get(key), int | float) for key in part.keys], bool)
    return Numbers(values, Totals(cells, total, low, high), evidence, part.nulls, known[part.codes])
