"""Writes every row of a snapshot as JSON Lines: a small band in plain Python, others whole columns at a time."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager
from itertools import groupby
from json.encoder import encode_basestring
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from datasources import durable
from datasources.concurrently import threads
from engine.band import Band
from engine.columns import ColumnType
from engine.exceptions import EngineError, QueryError
from engine.json_rows import json_rows
from engine.snapshot import refuse_rows

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

    from engine.snapshot import Snapshot, SnapshotBand

    Piece = str | pl.Expr

BAND_KEY = "_band"
"""The first key of each line where several bands are written."""
PLAIN_CELLS_MAX = 200_000
"""A band of more cells repays loading Polars."""
STEP_CELLS = 500_000
"""So many cells become lines at a time."""
PLAIN_STEP_ROWS = 10_000
LOOK_BYTES = 65_536
"""What a processor keeps close, so that looking again costs little."""
THREADS_MAX = 4


def export_json_lines(snapshot: Snapshot, out: BinaryIO | Path, *, band: str | None = None) -> int:
    """
    Write all rows of *snapshot*, or of its band *band*, to *out* as JSON Lines; returns how many.

    An object a row, as in the data context (spec 7): keys in column order, numbers in full, dates as text, nulls
    left out; but no cell is cut, and only what JSON forbids is escaped. Where several bands are written, one after
    the other, each line begins with the key `_band` (`_band_2`, … if a column has that name). The file at a path
    is replaced when all is written, or not at all. Raises QueryError for a band that is not there, what the source
    raises, EngineError when its rows have changed or a file cannot be written, and what *out* raises.
    """
    refuse_rows(snapshot, "exported")
    bands = _chosen(snapshot, band)
    if not isinstance(out, str | PathLike):
        return _write(bands, out)
    path = Path(out).absolute()
    if path.exists() and not path.is_file():
        raise EngineError(f"{path.name} is a folder or a device, not a file: choose another name.")
    with _not_written(path), durable.temporary_beside(path) as temporary:
        with temporary.open("wb") as file:
            rows = _write(bands, file)
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        durable.put_in_place(temporary, path)
    return rows


def _chosen(snapshot: Snapshot, name: str | None) -> Sequence[SnapshotBand]:
    if name is None:
        return snapshot.bands
    found = [band for band in snapshot.bands if name == band.name or name in band.names]
    if not found:
        raise QueryError.unknown_band(name, [band.name for band in snapshot.bands])
    return found[:1]


def _write(bands: Sequence[SnapshotBand], out: BinaryIO) -> int:
    key = encode_basestring(_band_key(bands))
    for band in bands:
        written = 0
        tag = f"{key}:{encode_basestring(band.name)}" if len(bands) > 1 else ""
        with closing(_blocks(band, tag)) as blocks:
            for rows, lines in blocks:
                out.write(lines)
                written += rows
        if written != band.rows:
            raise EngineError(
                f"The source of “{band.name}” has changed since it was read (it has {written} rows now instead of "
                f"{band.rows}): read it again."
            )
    return sum(band.rows for band in bands)


def _band_key(bands: Sequence[SnapshotBand]) -> str:
    """A key that no column has, found as the name of a repeated column is (spec 1.3)."""
    taken = {column.name for band in bands for column in band.columns}
    key, number = BAND_KEY, 1
    while key in taken:
        number += 1
        key = f"{BAND_KEY}_{number}"
    return key


@contextmanager
def _not_written(path: Path) -> Iterator[None]:
    """Turn what the operating system raises on writing into EngineError."""
    try:
        yield
    except OSError as error:
        raise EngineError(
            f"The rows could not be written to {path.parent} ({error.strerror or type(error).__name__}): make room "
            "there or choose another folder. What was there before is untouched."
        ) from error


Blocks = Generator[tuple[int, "bytes | memoryview"], None, None]
"""Some lines, and how many."""


def _blocks(band: SnapshotBand, tag: str) -> Blocks:
    width = len(band.columns)
    is_stream = isinstance(band, Band) and band.values is None
    if width and (is_stream or band.rows * width > PLAIN_CELLS_MAX):
        return _column_blocks(band, tag)
    return _plain_blocks(band, tag)


def _plain_blocks(band: SnapshotBand, tag: str) -> Blocks:
    for start in range(0, band.rows, PLAIN_STEP_ROWS):
        rows = range(start, min(start + PLAIN_STEP_ROWS, band.rows))
        lines = json_rows(band.columns, band.take(rows)) if band.columns else ["{}"] * len(rows)
        if tag:
            lines = ["{" + tag + ("" if line == "{}" else ",") + line[1:] for line in lines]
        yield len(lines), "".join([line + "\n" for line in lines]).encode()


# ---- whole columns ----


def _column_blocks(band: SnapshotBand, tag: str) -> Blocks:
    """Threads write the lines of some parts, while the next is read."""
    count = min(os.cpu_count() or 1, THREADS_MAX)
    waiting: deque[tuple[int, Future[memoryview]]] = deque()
    with threads(count) as pool:
        for batch in _steps(band):
            waiting.append((batch.num_rows, pool.submit(_lines, batch, band.columns, tag)))
            if len(waiting) > count:
                rows, lines = waiting.popleft()
                yield rows, lines.result()
        while waiting:
            rows, lines = waiting.popleft()
            yield rows, lines.result()


def _steps(band: SnapshotBand) -> Iterator[pa.RecordBatch]:
    from engine.typed_parts import typed_parts

    step = max(STEP_CELLS // len(band.columns), 1)
    for batch in typed_parts(band).batches:
        for start in range(0, batch.num_rows, step):
            yield batch.slice(start, step)


def _lines(batch: pa.RecordBatch, columns: Sequence[ColumnType], tag: str) -> memoryview:
    """The rows of *batch* as lines."""
    import polars as pl

    frame = pl.DataFrame(batch)
    members: list[Piece] = []
    for column, cells, array in zip(columns, frame.iter_columns(), batch.columns, strict=True):
        mark = "" if column.type in ("number", "boolean") else '"'
        key = f",{encode_basestring(column.name)}:{mark}"
        member: list[Piece] = [key, _json_cells(cells, array, column), mark]
        members += [_joined(member, skip_nulls=False)] if cells.null_count() else member
    first = members[0]
    if tag:
        line = _joined(["{", tag, *members, "}\n"])
    elif isinstance(first, str):
        line = _joined(["{", first[1:], *members[1:], "}\n"])
    else:  # which member of a line is its first differs from row to row
        line = _joined(["{", _joined(members).str.strip_prefix(","), "}\n"])
    texts = frame.select(line).to_series().rechunk()
    return _text_bytes(texts.to_arrow(compat_level=pl.CompatLevel.oldest())).data


def _joined(pieces: Sequence[Piece], *, skip_nulls: bool = True) -> pl.Expr:
    """The texts of a row, one after the other."""
    import polars as pl

    merged: list[pl.Expr] = []
    for is_text, group in groupby(pieces, lambda piece: isinstance(piece, str)):
        several = list(group)
        merged += [pl.lit("".join(map(str, several)))] if is_text else cast("list[pl.Expr]", several)
    return pl.concat_str(merged, ignore_nulls=skip_nulls)


def _text_bytes(array: pa.Array) -> NDArray[np.uint8]:
    """The bytes of all texts of *array*, one after the other as they lie in memory."""
    import numpy as np
    import pyarrow as pa

    _, edges, data = array.buffers()
    if data is None:
        return np.empty(0, np.uint8)
    ends = np.frombuffer(edges, np.int64 if pa.types.is_large_string(array.type) else np.int32)
    return np.frombuffer(data, np.uint8)[ends[array.offset] : ends[array.offset + len(array)]]


def _json_cells(cells: pl.Series, array: pa.Array, column: ColumnType) -> pl.Expr:
    """Each cell as JSON, without the quotes around it."""
    import polars as pl

    named = pl.col(cells.name)
    match column.type:
        case "number" if column.double:
            return pl.lit(_double_texts(cells))
        case "number":
            texts = named.cast(pl.String)
            return texts.str.strip_chars_end("0").str.strip_chars_end(".") if column.scale else texts
        case "boolean":
            return named.cast(pl.String)
        case "date":
            return _date_texts(cells)
        case "text" if _has_marks(array):
            return named.str.replace_many(_ESCAPES)
        case _:
            return named


_ESCAPES = {chr(code): encode_basestring(chr(code))[1:-1] for code in (*range(0x20), 0x22, 0x5C)}
"""What JSON does not allow inside a text."""


def _has_marks(array: pa.Array) -> bool:
    """Whether a text may hold what has to be escaped: the bytes of all are looked at together."""
    text = _text_bytes(array)
    looks = (text[start : start + LOOK_BYTES] for start in range(0, len(text), LOOK_BYTES))
    return any(look.min() < 0x20 or (look == 0x22).any() or (look == 0x5C).any() for look in looks)


def _date_texts(days: pl.Series) -> pl.Expr:
    """Days are few, and to look their texts up is ten times as fast as to write them."""
    import polars as pl

    named, numbers = pl.col(days.name), days.to_physical()
    first, last = numbers.min(), numbers.max()
    if not isinstance(first, int) or not isinstance(last, int) or last - first >= len(days):
        return named.cast(pl.String)
    known = pl.int_range(first, last + 1, dtype=pl.Int32, eager=True).cast(pl.Date).cast(pl.String)
    return pl.lit(known).gather(named.to_physical() - first)


_EXPONENT = r"^(?<sign>-?)(?<digit>[0-9])(?:\.(?<decimals>[0-9]+))?e\+?(?<exponent>-?[0-9]+)$"


def _double_texts(cells: pl.Series) -> pl.Series:
    """The shortest text that reads back as the same double, in full: as `facts.double_text` has it."""
    import polars as pl

    texts = cells.cast(pl.String).str.strip_suffix(".0").replace("-0", "0")
    odd = texts.str.contains("e", literal=True).fill_null(False)
    if not odd.any():
        return texts
    parts = texts.str.extract_groups(_EXPONENT).struct.unnest()
    digits = parts["digit"] + parts["decimals"].fill_null("")
    exponent = parts["exponent"].cast(pl.Int32)
    # 1.5e-7 gets six zeros before its digits; from 1e+16 on all 17 digits at most stand before the mark.
    zeros = (-1 - exponent).clip(0)
    small = "0." + digits.str.pad_start(digits.str.len_bytes().cast(pl.Int32) + zeros, "0")
    large = digits.str.pad_end((exponent + 1).clip(0), "0")
    full = parts["sign"] + small.zip_with(exponent < 0, large)
    return full.zip_with(odd, texts)
