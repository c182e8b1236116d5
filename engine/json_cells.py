"""Writes the cells of a typed column as JSON: as pieces of which each row has one."""

from __future__ import annotations

from json.encoder import encode_basestring
from typing import TYPE_CHECKING

from engine.columns import ColumnType
from engine.digit_pieces import SCALE_MAX, number_pieces
from engine.json_pieces import Layout, Piece, large_strings, text_bytes, text_edges
from engine.typed_parts import NARROW_DIGITS

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

ROWS_A_TEXT = 4
"""Texts that are made beforehand repay where there are so many rows for each."""
LOOK_BYTES = 65_536
"""What a processor keeps close, so that looking again costs little."""


def is_quoted(column: ColumnType) -> bool:
    """Whether quotes stand around the cells of *column*."""
    return column.type not in ("number", "boolean")


def cell_pieces(array: pa.Array, column: ColumnType) -> list[Piece]:
    """
    The cells of *array* without the quotes around them; rows that are null have any text.

    There is at least one cell, and they are as `typed_parts` has them, texts also as codes of a dictionary.
    """
    import numpy as np

    match column.type:
        case "number" if column.double:
            return [_doubles(_filled(array))]
        case "number":
            values = _scaled(array)
            if values is None:
                return [_each(_wide_texts(array))]
            return number_pieces(values, column.scale, len(array) // ROWS_A_TEXT)
        case "boolean":
            return [Piece(large_strings(["false", "true"]), _filled(array).to_numpy(False).astype(np.uint8))]
        case "date":
            return [_days(_filled(array))]
        case _:
            return [_texts(array)]


def _each(texts: pa.Array) -> Piece:
    """Each row has a text of its own."""
    import numpy as np

    return Piece(texts, np.arange(len(texts), dtype=np.int32))


def _each_but(texts: pa.Array, chosen: NDArray[np.bool_], others: pa.Array) -> Piece:
    """Each row has a text of its own, those that are *chosen* one of *others*."""
    import numpy as np
    import pyarrow as pa

    codes = np.arange(len(texts), dtype=np.int32)
    codes[chosen] = np.arange(len(texts), len(texts) + len(others))
    return Piece(pa.concat_arrays([texts, others]), codes)


def _filled(array: pa.Array) -> pa.Array:
    """Null cells get the value of another one, so that no bound changes."""
    import pyarrow.compute as pc

    return array.fill_null(pc.min(array)) if array.null_count else array


# ---- numbers ----


def _scaled(array: pa.Array) -> NDArray[np.int64] | None:
    """Decimals as integers at their scale, null as one of them; None where they are too large for that."""
    import numpy as np
    import pyarrow as pa

    kind = array.type
    if kind.scale > SCALE_MAX or not pa.types.is_decimal128(kind):
        return None
    halves = np.frombuffer(array.buffers()[1], np.int64)[2 * array.offset :][: 2 * len(array)]
    values, upper = halves[::2].copy(), halves[1::2]
    filled = array.is_valid().to_numpy(zero_copy_only=False)
    if array.null_count:
        values[~filled] = values[filled.argmax()]
    if kind.precision > NARROW_DIGITS:
        outside = (upper != values >> 63) | (values == np.iinfo(np.int64).min)
        if (outside & filled).any():
            return None
    return values


def _wide_texts(array: pa.Array) -> pa.Array:
    import polars as pl

    texts = pl.Series(array).cast(pl.String)
    if array.type.scale:
        texts = texts.str.strip_chars_end("0").str.strip_chars_end(".")
    return _large_strings_of(texts)


def _doubles(array: pa.Array) -> Piece:
    """The shortest text that reads back as the same double, in full: as `facts.double_text` has it."""
    import numpy as np
    import polars as pl

    values = array.to_numpy() + 0.0  # -0.0 is 0
    texts = pl.Series(values).cast(pl.String)
    size = np.abs(values)
    odd = ((size < PLAIN_FROM) & (size > 0)) | (size >= PLAIN_BELOW)
    whole = values == np.floor(values)
    if np.count_nonzero(whole) * WHOLE_SHARE > len(values):
        texts = texts.str.strip_suffix(".0")
    else:
        odd |= whole
    plain = _large_strings_of(texts)
    if not odd.any():
        return _each(plain)
    return _each_but(plain, odd, _in_full(texts.filter(odd).str.strip_suffix(".0")))


PLAIN_FROM, PLAIN_BELOW = 1e-4, 1e15
"""Between these, Polars writes a double without an exponent."""
WHOLE_SHARE = 8
"""Where less than one in so many is a whole number, only those lose their `.0`."""


def _in_full(texts: pl.Series) -> pa.Array:
    """The *texts* in full, some of which have no exponent: the sign, digits, and zeros on either side."""
    import numpy as np
    import polars as pl

    is_negative = texts.str.starts_with("-").to_numpy().astype(np.uint8)
    parts = texts.str.strip_prefix("-").str.split_exact("e", 1).struct.unnest()
    mantissa, exponent = parts["field_0"], parts["field_1"].cast(pl.Int32)
    digits = mantissa.str.replace(".", "", literal=True)
    # 1.5e-7 gets seven zeros before its digits; 1.5e+16 fifteen behind them, its digits are 17 at most.
    ahead = (-exponent).clip(0).fill_null(0).to_numpy()
    behind = (exponent - digits.str.len_bytes().cast(pl.Int32) + 1).clip(0).fill_null(0).to_numpy()
    zeros = ["0" * count for count in range(1 + max(ahead.max(), behind.max()))]
    pieces = [
        Piece(large_strings(["", "-"]), is_negative),
        Piece(large_strings(["", *(f"0.{some}" for some in zeros)]), ahead),
        _each(_large_strings_of(digits.zip_with(exponent.is_not_null(), mantissa))),
        Piece(large_strings(zeros), behind),
    ]
    return Layout.of(pieces, len(texts)).texts()


def _large_strings_of(texts: pl.Series) -> pa.Array:
    import polars as pl

    return texts.rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())


# ---- dates and texts ----


def _days(array: pa.Array) -> Piece:
    """Days are few, and to look their texts up is much faster than to write them."""
    import numpy as np
    import pyarrow as pa

    numbers = array.view(pa.int32()).to_numpy()
    first, last = int(numbers.min()), int(numbers.max())
    if (last - first) * ROWS_A_TEXT >= len(numbers):
        return _each(array.cast(pa.large_string()))
    known = pa.array(np.arange(first, last + 1, dtype=np.int32)).view(pa.date32())
    return Piece(known.cast(pa.large_string()), numbers - np.int32(first))


def _texts(array: pa.Array) -> Piece:
    import pyarrow as pa

    if not pa.types.is_dictionary(array.type):
        return _escaped(_without_nulls(array))
    if len(array.dictionary) * ROWS_A_TEXT > 2 * len(array):
        return _escaped(_without_nulls(array.dictionary_decode()))
    known = _escaped(_without_nulls(array.dictionary))
    codes = array.indices.fill_null(0).to_numpy()
    return Piece(known.texts, codes if known.codes is None else known.codes[codes])


def _without_nulls(array: pa.Array) -> pa.Array:
    """Large strings, where what is null has any text."""
    import pyarrow as pa

    texts = array.cast(pa.large_string())
    if not texts.null_count:
        return texts
    return pa.Array.from_buffers(texts.type, len(texts), [None, *texts.buffers()[1:]], offset=texts.offset)


_ESCAPES = {chr(code): encode_basestring(chr(code))[1:-1] for code in (*range(0x20), 0x22, 0x5C)}
"""What JSON does not allow inside a text."""


def _escaped(texts: pa.Array) -> Piece:
    """Only texts with something to escape are written anew."""
    import numpy as np
    import polars as pl
    import pyarrow as pa

    marks = _marks(text_bytes(texts))
    if not len(marks):
        return _each(texts)
    edges = text_edges(texts)
    has_mark = np.zeros(len(texts), bool)
    has_mark[np.searchsorted(edges, marks + edges[0], "right") - 1] = True
    escaped = pl.Series(texts.filter(pa.array(has_mark))).str.replace_many(_ESCAPES)
    return _each_but(texts, has_mark, _large_strings_of(escaped))


def _marks(text: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Where bytes have to be escaped; those of longer characters are all larger."""
    import numpy as np

    found: list[NDArray[np.int64]] = []
    for start in range(0, len(text), LOOK_BYTES):
        look = text[start : start + LOOK_BYTES]
        is_mark = (look ^ 2) < 0x21  # a quote or a control character
        is_mark |= look == 0x5C
        if is_mark.any():
            found.append(np.flatnonzero(is_mark) + start)
    return np.concatenate(found) if found else np.empty(0, np.int64)
