"""Reads a text column of one part as numbers, in bulk where its cells are written alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from datasources.arrow_types import numpy_of
from datasources.names import WHITE_SPACE
from engine.columns import ColumnType
from engine.compiled_numbers import read_compiled
from engine.cubes import Measure, exact_sum
from engine.evidence import ColumnEvidence
from engine.number_words import Writing, read_views
from engine.numbers import Kind, NumberEvidence
from engine.numeric import Numbers, by_distinct
from engine.states import Totals
from engine.uniform import INT64_DIGITS, uniform_pattern

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray


def text_numbers(column: pa.ChunkedArray, guess: ColumnType) -> Numbers:
    """Read a text column that *guess* takes for numbers; what is none shows in the evidence."""
    import polars as pl

    if guess.double:
        return by_distinct(column, guess)
    text = pl.from_arrow(column)
    assert isinstance(text, pl.Series)
    if guess.null_values:
        declared = text.str.strip_chars(WHITE_SPACE).is_in(list(guess.null_values))
        text = text.set(declared.fill_null(False), None)
    writing = Writing(guess.style, guess.unit, guess.scale)
    return _short_numbers(text, guess, writing) if writing.is_readable else _long_numbers(text, guess)


def _short_numbers(text: pl.Series, guess: ColumnType, writing: Writing) -> Numbers:
    """Read the regular cells of up to sixteen bytes together, and others in the ways of longer ones."""
    import numpy as np
    import polars as pl

    views = text.to_arrow(compat_level=pl.CompatLevel.newest())
    read = read_compiled(views, writing) or read_views(views, writing)
    nulls = text.null_count()
    if read.evidence.cells + nulls == len(text):
        return _of_regular(read.values, read.evidence, read.regular if nulls else None)
    rows = np.flatnonzero(read.regular)
    missing = np.flatnonzero(text.is_null().to_numpy())
    parts = [(rows, _of_regular(read.values[rows], read.evidence)), (missing, _of_nulls(nulls))]
    others = ~read.regular
    others[missing] = False
    left = np.flatnonzero(others)
    if len(left):
        parts.append((left, _long_numbers(text[left], guess)))
    return _joined(parts, len(text))


def _of_regular(
    values: NDArray[np.int64], found: NumberEvidence, valid: NDArray[np.bool_] | None = None
) -> Numbers:
    """Numbers each of which was read, but for the nulls among them (of value 0) where not all are *valid*."""
    cells = found.cells
    bare = values if valid is None else values[valid]
    low, high = (int(bare.min()), int(bare.max())) if cells else (None, None)
    evidence = ColumnEvidence(cells=cells, numbers=found, natives={"text"} if cells else set())
    totals = Totals(cells, exact_sum(values), low, high)
    return Numbers(values, totals, evidence, len(values) - cells, valid)


def _of_nulls(rows: int) -> Numbers:
    import numpy as np

    return Numbers(np.zeros(rows, np.int64), Totals(), ColumnEvidence(), rows, np.zeros(rows, bool))


def _long_numbers(text: pl.Series, guess: ColumnType) -> Numbers:
    """Read a column whose cells have any length."""
    reader = _fast_reader(guess.style, guess.unit, guess.scale)
    regular = text.str.contains(reader.pattern)
    if not regular.all():  # nulls are neither
        blank = text.str.strip_chars(WHITE_SPACE) == ""
        if not (regular | blank).all():
            return _mixed_numbers(text, guess)
        text = text.set(blank.fill_null(False), None)
    return _regular_numbers(text, reader, 1)


def _regular_numbers(text: pl.Series, reader: FastReader, factor: int) -> Numbers:
    """Numbers of which every cell but the null ones matches *reader*, times *factor*."""
    nulls = text.null_count()
    values, evidence = reader.read(text)
    values = values * factor if factor > 1 else values
    cells = len(text) - nulls
    valid = text.is_not_null().to_numpy() if nulls else None
    bare = values if valid is None else values[valid]
    low, high = (int(bare.min()), int(bare.max())) if cells else (None, None)
    return Numbers(values, Totals(cells, exact_sum(values), low, high), evidence, nulls, valid)


def _mixed_numbers(text: pl.Series, guess: ColumnType) -> Numbers:
    """Read the cells of each number of decimals together, from the column's scale down, and the rest one by one."""
    import numpy as np

    parts: list[tuple[NDArray[np.intp], Numbers]] = []
    left = np.arange(len(text))
    for scale in range(guess.scale, -1, -1):
        reader = _fast_reader(guess.style, guess.unit, scale)
        rest = text[left]
        matches = rest.str.contains(reader.pattern).fill_null(False).to_numpy()
        factor = 10 ** (guess.scale - scale)
        if matches.any() and (factor == 1 or (rest.str.len_bytes().max() or 0) < INT64_DIGITS - guess.scale):  # type: ignore[operator]
            parts.append((left[matches], _regular_numbers(rest.filter(matches), reader, factor)))
            left = left[~matches]
    if len(left):
        parts.append((left, by_distinct(text[left].to_arrow(), guess)))
    return _joined(parts, len(text))


def _joined(parts: Sequence[tuple[NDArray[np.intp], Numbers]], rows: int) -> Numbers:
    """The numbers of *parts*, each of which stands at its positions among *rows*."""
    import numpy as np

    wide = any(part.values.dtype == object for _, part in parts)
    values: Measure = np.zeros(rows, object if wide else np.int64)
    valid = np.ones(rows, bool)
    totals, evidence, nulls = Totals(), ColumnEvidence(), 0
    for positions, part in parts:
        values[positions] = part.values
        if part.valid is not None:
            valid[positions] = part.valid
        totals.merge(part.totals)
        evidence.merge(part.evidence)
        nulls += part.nulls
    return Numbers(values, totals, evidence, nulls, valid)


@dataclass(frozen=True, slots=True)
class FastReader:
    """How the regular cells of a column are known and read."""

    pattern: str
    style: str
    unit: str | None
    scale: int

    def read(self, text: pl.Series) -> tuple[NDArray[np.int64], ColumnEvidence]:
        """Typed numbers, 0 for null, and the evidence of cells that all match the pattern."""
        values = _parse_integers(text)
        found = _plain_evidence(text, values) if self.style == "plain" else _decimal_evidence(text, self)
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
    import polars as pl
    import pyarrow as pa
    import pyarrow.csv as pacsv

    if not len(text):
        import numpy as np

        return np.zeros(0, np.int64)
    filled = text.fill_null("0") if text.null_count() else text
    joined = filled.str.join("\n").cast(pl.Binary).item().translate(_TABLE, _DELETED)
    table = pacsv.read_csv(
        pa.BufferReader(joined),
        read_options=pacsv.ReadOptions(column_names=["digits"], use_threads=False, block_size=1 << 22),
        parse_options=pacsv.ParseOptions(ignore_empty_lines=False, quote_char=False),
        convert_options=pacsv.ConvertOptions(column_types={"digits": pa.int64()}, null_values=[]),
    )
    return numpy_of(table["digits"])  # type: ignore[no-any-return]


def _plain_evidence(text: pl.Series, values: NDArray[np.int64]) -> NumberEvidence:
    import numpy as np

    found = NumberEvidence()
    valid = text.is_not_null().to_numpy()
    shown = values if valid.all() else values[valid]
    found.cells = len(shown)
    if not found.cells:
        return found
    sizes = np.abs(shown)
    found.kinds["plain"] = found.cells
    found.decimals["plain"] = 0
    found.plain_long = int((sizes >= 1000).sum())
    # 0 has one digit, as 1 to 9 have: count the powers of ten that a number reaches.
    found.lengths = set((1 + np.unique(np.searchsorted(_powers(), sizes, "right"))).tolist())
    found.integer_digits = max(found.lengths)
    negative = text.str.contains(r"^[-(]")
    found.signed_plain = int((shown < 0).sum()) and int(negative.sum() or 0)
    return found


@lru_cache(maxsize=1)
def _powers() -> NDArray[np.int64]:
    import numpy as np

    return np.array([10**power for power in range(1, 19)], np.int64)


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
