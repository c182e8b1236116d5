"""
Reads the columns of one part of a streamed band, whole columns at a time.

What a fast pattern covers is read by vectorised code; every other cell is read by the same functions that
small reports use, once per distinct cell. So the rules stand in one place and the two ways agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from datasources.base import Cell
from datasources.names import WHITE_SPACE
from engine.cleaning import CURRENCY, strip
from engine.cubes import exact_sum
from engine.numbers import DECIMALS_NATIVE_MAX, INTEGER_DIGITS_MAX, Kind, NumberEvidence
from engine.states import Totals
from engine.typing import SAMPLE_SIZE, ColumnEvidence, ColumnType, observe, read_cell, text_of
from engine.uniform import uniform_pattern

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

SAFE_INTEGER = 1 << 50
"""Decimals pass through a double exactly while their digits stay below this."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A column of few distinct cells: for every row the code of its cell among *keys*."""

    codes: NDArray[np.int32]
    keys: Sequence[Cell]
    """Distinct cells, stripped; None for null. Two codes may have the same key."""
    counts: dict[Cell, int]
    """Rows per key, without null."""
    nulls: int


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column of numbers: typed values with 0 for null, as a guess of the column's type reads them."""

    values: NDArray[np.int64] | NDArray[np.float64]
    totals: Totals
    evidence: ColumnEvidence
    nulls: int
    """Empty cells, and NaN or infinite ones."""
    valid: NDArray[np.bool_] | None = None
    """Which cells hold a number; None when all do."""


def encode(column: pa.ChunkedArray, null_values: tuple[str, ...]) -> Encoded:
    """Encode a column by its distinct cells."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    array = column.combine_chunks() if not isinstance(column, pa.Array) else column
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], column.type)
    if not pa.types.is_dictionary(array.type):
        array = pc.dictionary_encode(array)
    raw = array.dictionary.to_pylist()
    keys = [_clean(cell, null_values) for cell in raw]
    keys.append(None)
    indices = array.indices
    if indices.null_count:
        indices = pc.fill_null(indices.cast(pa.int32()), len(raw))
    codes = indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    seen = np.bincount(codes, minlength=len(keys)).tolist()
    counts: dict[Cell, int] = {}
    nulls = 0
    for key, count in zip(keys, seen, strict=True):
        if key is None:
            nulls += count
        elif count:
            counts[key] = counts.get(key, 0) + count
    return Encoded(codes, keys, counts, nulls)


def _clean(cell: Cell, null_values: tuple[str, ...]) -> Cell:
    if not isinstance(cell, str):
        return cell
    text = strip(cell)
    return text if text and text not in null_values else None


def encoded_numbers(part: Encoded, guess: ColumnType) -> NDArray[np.int64] | NDArray[np.float64]:
    """The typed numbers of an encoded column, 0 for null; what int64 cannot hold comes as 0 too."""
    import numpy as np

    read = [read_cell(key, guess) for key in part.keys]
    if guess.double:
        table = np.array([value if isinstance(value, int | float) else 0.0 for value in read], np.float64)
    else:
        table = np.array([value if fits(value) else 0 for value in read], np.int64)
    return table[part.codes]


def fits(value: object) -> bool:
    """Whether a typed number can stand in an int64 column."""
    return isinstance(value, int) and -(1 << 63) <= value < 1 << 63


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
        return _by_distinct(column, guess)
    filled = pc.fill_null(column.cast(pa.int64()), 0) if nulls else column.cast(pa.int64())
    values = filled.to_numpy()
    bounds = pc.min_max(column).as_py()
    evidence = _native_evidence(len(column) - nulls, 0, bounds["min"], bounds["max"])
    if guess.double:
        values = values.astype(np.float64)
    elif guess.scale:
        return _by_distinct(column, guess)
    valid = column.is_valid().to_numpy() if nulls else None
    return Numbers(values, _totals(values, len(column) - nulls, bounds["min"], bounds["max"]), evidence, nulls, valid)


def _native_evidence(cells: int, decimals: int, low: int | None, high: int | None) -> ColumnEvidence:
    found = NumberEvidence()
    if cells and low is not None and high is not None:
        found.cells = cells
        found.kinds["native"] = cells
        found.decimals["native"] = decimals
        digits = (len(str(abs(low))), len(str(abs(high))))
        found.integer_digits = max(1, max(digits) - decimals)
        if decimals == 0:
            found.lengths = (min(digits), max(digits))
            found.signed_plain = int(low < 0)
    return ColumnEvidence(cells=cells, numbers=found, natives={"number"} if cells else set())


def _totals(values: NDArray[Any], cells: int, low: int | float | None, high: int | float | None) -> Totals:
    return Totals(cells, exact_sum(values), low, high)


def _floating(column: pa.ChunkedArray, guess: ColumnType) -> Numbers:
    import numpy as np

    original = column.to_numpy()
    narrow = original.dtype != np.float64
    valid = np.isfinite(original)
    nulls = column.null_count
    not_finite = len(original) - int(valid.sum()) - nulls
    cells = len(original) - nulls - not_finite
    finite = np.where(valid, original, 0)
    scale = _float_scale(finite, guess.scale)
    if scale is None and not guess.double:
        found = _by_distinct(column, guess)
        found.evidence.not_finite = not_finite
        return found
    if guess.double:
        doubles = finite.astype(np.float64)
        shown = doubles[valid]
        low, high = (float(shown.min()), float(shown.max())) if cells else (None, None)
        evidence = _native_evidence(cells, DECIMALS_NATIVE_MAX + 1 if scale is None else scale, 0, 0)
        evidence.not_finite = not_finite
        return Numbers(doubles, _totals(doubles, cells, low, high), evidence, nulls + not_finite, valid)
    assert scale is not None
    wide = finite.astype(np.float64) if not narrow else np.array([float(str(x)) for x in finite])
    integers = np.rint(wide * 10**guess.scale).astype(np.int64)
    shown_integers = integers[valid] if cells < len(integers) else integers
    low_i, high_i = (int(shown_integers.min()), int(shown_integers.max())) if cells else (None, None)
    evidence = _native_evidence(cells, scale, low_i, high_i)
    evidence.not_finite = not_finite
    return Numbers(integers, _totals(integers, cells, low_i, high_i), evidence, nulls + not_finite, valid)


def _float_scale(values: NDArray[Any], start: int) -> int | None:
    """
    The fewest decimals, *start* or more, with which every value reads back as the same; None past nine.

    `rint(x * 10**k) / 10**k == x` is exact: a quotient of whole doubles is rounded once.
    """
    import numpy as np

    left = values
    for scale in range(start, DECIMALS_NATIVE_MAX + 1):
        power = 10.0**scale
        scaled = np.rint(left.astype(np.float64) * power)
        if len(scaled) and float(np.abs(scaled).max()) >= SAFE_INTEGER:
            return None
        differs = (scaled / power).astype(left.dtype) != left
        if not differs.any():
            return scale
        left = left[differs]
    return None


def _decimals(column: pa.ChunkedArray, guess: ColumnType) -> Numbers:
    import numpy as np
    import pyarrow as pa

    kind = column.type
    if kind.scale != guess.scale or guess.double or kind.scale < 0 or not pa.types.is_decimal128(kind):
        return _by_distinct(column, guess)
    array = pa.concat_arrays(column.chunks) if column.num_chunks != 1 else column.chunk(0)
    buffer = array.buffers()[1]
    pairs = np.frombuffer(buffer, np.int64)[2 * array.offset : 2 * (array.offset + len(array))].reshape(-1, 2)
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    low_words = np.where(valid, pairs[:, 0], 0)
    high_words = np.where(valid, pairs[:, 1], 0)
    if (high_words != low_words >> 63).any():
        return _by_distinct(column, guess)
    cells = int(valid.sum())
    shown = low_words[valid]
    low, high = (int(shown.min()), int(shown.max())) if cells else (None, None)
    evidence = _native_evidence(cells, kind.scale, low, high)
    return Numbers(low_words, _totals(low_words, cells, low, high), evidence, len(array) - cells, valid)


def _by_distinct(column: pa.ChunkedArray, guess: ColumnType) -> Numbers:
    """The slow and general way: every distinct cell is read on its own."""
    import numpy as np

    part = encode(column, guess.null_values)
    evidence = observe(part.counts, guess.name)
    values = encoded_numbers(part, guess)
    typed = {key: read_cell(key, guess) for key in part.counts}
    numbers = {key: value for key, value in typed.items() if isinstance(value, int | float)}
    cells = sum(part.counts[key] for key in numbers)
    if guess.double or all(fits(value) for value in numbers.values()):
        total = exact_sum(np.asarray(values))
    else:
        total = sum(int(value) * part.counts[key] for key, value in numbers.items())
    low, high = (min(numbers.values()), max(numbers.values())) if numbers else (None, None)
    known = np.array([isinstance(typed.get(key), int | float) for key in part.keys], bool)
    return Numbers(values, Totals(cells, total, low, high), evidence, part.nulls, known[part.codes])


def text_numbers(column: pa.ChunkedArray, guess: ColumnType) -> Numbers:
    """Read a text column that *guess* takes for numbers; what is none shows in the evidence."""
    import numpy as np
    import polars as pl

    text = pl.from_arrow(column)
    assert isinstance(text, pl.Series)
    text = text.cast(pl.String)
    reader = _fast_reader(guess.style, guess.unit, guess.scale)
    regular = text.str.contains(reader.pattern)
    irregular = text.filter(~regular)
    nulls = text.null_count()
    if len(irregular):
        empty = irregular.filter(irregular.str.strip_chars(WHITE_SPACE) == "")
        if len(empty) == len(irregular):
            nulls += len(empty)
            text = pl.Series(text.to_frame("t").select(pl.when(pl.col("t").str.contains(reader.pattern)).then("t")).to_series())
        else:
            return _mixed_numbers(text, regular.fill_null(False), reader, guess)
    found = reader.read(text, guess)
    if found is None:
        return _by_distinct(column, guess)
    values, evidence = found
    cells = len(text) - text.null_count()
    valid = None if cells == len(values) else text.is_not_null().to_numpy()
    bare = values if valid is None else values[valid]
    low, high = (int(bare.min()), int(bare.max())) if cells else (None, None)
    return Numbers(np.asarray(values), _totals(values, cells, low, high), evidence, nulls, valid)


def _mixed_numbers(text: pl.Series, regular: pl.Series, reader: FastReader, guess: ColumnType) -> Numbers:
    """Read the regular cells by the fast reader, and the others one by one."""
    import numpy as np

    fast = text_numbers(text.filter(regular).to_arrow(), guess) if regular.any() else None
    slow = _by_distinct(text.filter(~regular).to_arrow(), guess)
    if fast is None:
        return slow
    mask = regular.to_numpy()
    values = np.zeros(len(text), fast.values.dtype)
    values[mask] = fast.values
    values[~mask] = slow.values
    valid = np.ones(len(text), bool)
    for chosen, part in ((mask, fast), (~mask, slow)):
        if part.valid is not None:
            valid[chosen] = part.valid
    fast.totals.merge(slow.totals)
    fast.evidence.merge(slow.evidence)
    return Numbers(values, fast.totals, fast.evidence, fast.nulls + slow.nulls, valid)


@dataclass(frozen=True, slots=True)
class FastReader:
    """How the regular cells of a column are known and read."""

    pattern: str
    style: str
    unit: str | None
    scale: int

    def read(self, text: pl.Series, guess: ColumnType) -> tuple[NDArray[np.int64], ColumnEvidence] | None:
        """Typed numbers (0 for null) and evidence of cells that all match the pattern; None if too large."""
        if self.style == "plain":
            values = _parse_integers(text)
            found = _plain_evidence(text, values)
        else:
            values = _parse_integers(text)
            found = _decimal_evidence(text, self)
        if self.unit is not None and found.cells:
            count = int(text.str.contains(self.unit, literal=True).sum() or 0)
            if count:
                found.units[self.unit] = count
        if self.unit and self.style == "plain" and found.cells:
            found.signed_plain = max(found.signed_plain, found.units.get(self.unit, 0))
        cells = found.cells
        return values, ColumnEvidence(cells=cells, numbers=found, natives={"text"} if cells else set())


@lru_cache(maxsize=256)
def _fast_reader(style: str, unit: str | None, scale: int) -> FastReader:
    """The reader for cells with exactly *scale* decimals in *style*; others are read one by one."""
    if scale == 0:
        style = "plain"
    return FastReader(f"^{uniform_pattern(style, scale, unit)}$", style, unit, scale)


_TABLE = bytes.maketrans(b"(", b"-")
_DELETED = b".,)% R$US\xe2\x82\xac\xc2\xa3"


def _parse_integers(text: pl.Series) -> NDArray[np.int64]:
    """The digits of each cell as one signed integer, 0 for null: marks and units are deleted in bulk."""
    import pyarrow as pa
    import pyarrow.csv as pacsv

    if not len(text):
        import numpy as np

        return np.zeros(0, np.int64)
    joined = (text.fill_null("0").str.join("\n").item() + "\n").encode().translate(_TABLE, _DELETED)
    table = pacsv.read_csv(
        pa.BufferReader(joined),
        read_options=pacsv.ReadOptions(column_names=["digits"], use_threads=False, block_size=1 << 22),
        parse_options=pacsv.ParseOptions(ignore_empty_lines=False, quote_char=False),
        convert_options=pacsv.ConvertOptions(column_types={"digits": pa.int64()}, null_values=[]),
    )
    column = table["digits"]
    return column.to_numpy()  # type: ignore[no-any-return]


def _plain_evidence(text: pl.Series, values: NDArray[np.int64]) -> NumberEvidence:
    import numpy as np

    found = NumberEvidence()
    valid = text.is_not_null().to_numpy()
    shown = values if valid.all() else values[valid]
    found.cells = len(shown)
    if not found.cells:
        return found
    sizes = np.abs(shown)
    low, high = int(sizes.min()), int(sizes.max())
    found.kinds["plain"] = found.cells
    found.decimals["plain"] = 0
    found.plain_long = int((sizes >= 1000).sum())
    found.lengths = (len(str(low)), len(str(high)))
    found.integer_digits = len(str(high))
    negative = text.str.contains(r"^[-(]")
    found.signed_plain = int((shown < 0).sum()) and int(negative.sum() or 0)
    return found


def _decimal_evidence(text: pl.Series, reader: FastReader) -> NumberEvidence:
    found = NumberEvidence()
    found.cells = len(text) - text.null_count()
    if not found.cells:
        return found
    kind: Kind = "br" if reader.style == "br" else "point"
    ambiguous_kind: Kind = "comma" if reader.style == "br" else "dot"
    ambiguous = 0
    if reader.scale == 3:
        mark = "," if reader.style == "br" else r"\."
        ambiguous = int(text.str.contains(rf"^[^0-9]*[1-9][0-9]{{0,2}}{mark}[0-9]{{3}}[^0-9]*$").sum() or 0)
    if ambiguous:
        found.kinds[ambiguous_kind] = ambiguous
        found.decimals[ambiguous_kind] = 3
    if found.cells > ambiguous:
        found.kinds[kind] = found.cells - ambiguous
        found.decimals[kind] = reader.scale
    # Only whether it passes the limit matters, and the pattern keeps it within.
    found.integer_digits = 1
    return found


def wide_text(
    column: pa.ChunkedArray, name: str, null_values: tuple[str, ...]
) -> tuple[int, ColumnEvidence]:
    """The nulls and the evidence of a text column of many values: how many of its cells would read as what."""
    import polars as pl

    from engine.numbers import PATTERN

    series = pl.from_arrow(column)
    assert isinstance(series, pl.Series)
    text = series.cast(pl.String).str.strip_chars(WHITE_SPACE)
    missing = text.is_null() | (text == "") | text.is_in(list(null_values))
    text = text.filter(~missing)
    is_key = text.str.contains(_KEY_PATTERN)
    keys, others = text.filter(is_key), text.filter(~is_key)
    readable = others.str.contains(rf"^(?:{PATTERN})$|^[0-9]{{1,4}}[-/.][0-9]|{_TOKEN_PATTERN}")
    evidence = _key_evidence(keys)
    counted = others.filter(readable).value_counts(name="rows")
    counts = dict(zip(counted.to_series(0).to_list(), counted.to_series(1).to_list(), strict=True))
    evidence.merge(observe(counts, name))
    rest = others.filter(~readable)
    evidence.cells += len(rest)
    if len(text):
        evidence.natives.add("text")
    sample = _least(rest)
    evidence.not_number = _sample(evidence.not_number, sample)
    evidence.not_date = _sample(evidence.not_date, sample, _least(keys))
    return int(missing.sum()), evidence


def _key_evidence(keys: pl.Series) -> ColumnEvidence:
    """What long digits and long codes with leading zeros say, none of them looked at one by one."""
    found = NumberEvidence()
    if len(keys):
        lengths = keys.str.len_bytes()
        found.cells = found.kinds["plain"] = found.plain_long = len(keys)
        found.decimals["plain"] = 0
        found.lengths = (int(lengths.min()), int(lengths.max()))  # type: ignore[arg-type]
        found.integer_digits = found.lengths[1]
        found.leading_zero = int(keys.str.starts_with("0").sum())
    return ColumnEvidence(cells=len(keys), numbers=found)


def _least(text: pl.Series) -> list[str]:
    return text.unique().bottom_k(SAMPLE_SIZE).to_list() if len(text) else []


def _sample(*samples: list[str]) -> list[str]:
    return sorted({text for sample in samples for text in sample})[:SAMPLE_SIZE]


_KEY_PATTERN = rf"^[0-9]{{{INTEGER_DIGITS_MAX + 1},}}$|^0[0-9]{{8,}}$"
"""Digits that read as a number of which neither value nor date can come."""
_TOKEN_PATTERN = (
    r"^(?:-|--|\.\.\.?|X|[Nn]/[AaDd]|NA|null|NULL|nil|[Nn]one|#N/D|#NULO#|#NE#|s/d|NaN|nan|-?inf|-?Infinity|-?INF"
    rf"|\*\*+|(?:{CURRENCY})[ \u00a0\u202f]*-+|(?i:true|false))$"
)

__all__ = [
    "Encoded",
    "Numbers",
    "encode",
    "encoded_numbers",
    "native_numbers",
    "text_numbers",
    "text_of",
    "wide_text",
]
