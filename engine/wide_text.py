"""Looks over a text column of many values: its nulls, and how many of its cells would read as something else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from datasources.arrow_types import is_text
from datasources.names import WHITE_SPACE
from engine.cleaning import CURRENCY, DATE_NULL_TOKENS, NULL_TOKENS
from engine.columns import ColumnType
from engine.evidence import SAMPLE_SIZE, ColumnEvidence, observe_each
from engine.numbers import INTEGER_DIGITS_MAX, PATTERN, NumberEvidence
from engine.numeric import native_numbers

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


def wide_text(column: pa.ChunkedArray, name: str, null_values: tuple[str, ...]) -> tuple[int, ColumnEvidence]:
    """The nulls and the evidence of a text column of many values: how many of its cells would read as what."""
    import polars as pl
    import pyarrow as pa

    if pa.types.is_integer(column.type) or pa.types.is_decimal(column.type):
        # Keys of too many digits to be quantities (spec 2): they speak as what they are, not as their texts.
        found = native_numbers(column, ColumnType(name, "number", scale=getattr(column.type, "scale", 0)))
        return found.nulls, found.evidence
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
    evidence.merge(observe_each(counts, name))
    rest = others.filter(~readable)
    evidence.cells += len(rest)
    if len(text):
        evidence.natives.add("text")
    sample = _least(rest)
    evidence.not_number = _sample(evidence.not_number, sample)
    evidence.not_date = _sample(evidence.not_date, sample, _least(keys))
    return int(missing.sum()), evidence


def declared_text(column: pa.ChunkedArray, null_values: tuple[str, ...]) -> tuple[int, ColumnEvidence]:
    """The nulls of a column of any kind that is declared text: what its cells look like decides nothing."""
    import polars as pl
    import pyarrow as pa
    import pyarrow.compute as pc

    if is_text(column.type):
        text = pl.Series("t", column, pl.String).str.strip_chars(WHITE_SPACE)
        nulls = int(((text == "") | text.is_in(list(null_values))).sum()) + text.null_count()
        return nulls, ColumnEvidence(cells=len(text) - nulls)
    not_finite = 0
    if pa.types.is_floating(column.type):
        not_finite = len(column) - column.null_count - int(pc.sum(pc.is_finite(column)).as_py() or 0)
    nulls = column.null_count + not_finite
    return nulls, ColumnEvidence(cells=len(column) - nulls, not_finite=not_finite)


def _key_evidence(keys: pl.Series) -> ColumnEvidence:
    """What long digits and long codes with leading zeros say, none of them looked at one by one."""
    found = NumberEvidence()
    if len(keys):
        found.cells = found.kinds["plain"] = found.plain_long = len(keys)
        found.decimals["plain"] = 0
        found.lengths = set(keys.str.len_bytes().unique().to_list())
        found.integer_digits = max(found.lengths)
        found.leading_zero = int(keys.str.starts_with("0").sum())
    return ColumnEvidence(cells=len(keys), numbers=found)


def _least(text: pl.Series) -> list[str]:
    return text.unique().bottom_k(SAMPLE_SIZE).to_list() if len(text) else []


def _sample(*samples: list[str]) -> list[str]:
    return sorted({text for sample in samples for text in sample})[:SAMPLE_SIZE]


_KEY_PATTERN = rf"^[0-9]{{{INTEGER_DIGITS_MAX + 1},}}$|^0[0-9]{{8,}}$"
"""Digits that read as a number of which neither value nor date can come."""
_TOKEN_PATTERN = (
    rf"^(?:{'|'.join(map(re.escape, sorted(NULL_TOKENS | DATE_NULL_TOKENS)))}"
    rf"|\*\*+|(?:{CURRENCY})[ \u00a0\u202f]*-+|(?i:true|false))$"
)
