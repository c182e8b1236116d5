"""Writes every row of a snapshot as JSON Lines: a small band in plain Python, others whole columns at a time."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import closing, contextmanager
from itertools import pairwise
from json.encoder import encode_basestring
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from datasources import durable
from datasources.concurrently import threads
from engine.band import Band
from engine.exceptions import EngineError, QueryError
from engine.json_rows import json_rows
from engine.snapshot import refuse_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from engine.json_pieces import Layout
    from engine.snapshot import Snapshot, SnapshotBand

T = TypeVar("T")
R = TypeVar("R")

BAND_KEY = "_band"
"""The first key of each line where several bands are written."""
PLAIN_CELLS_MAX = 200_000
"""A band of more cells repays loading Polars."""
PART_CELLS = 2_500_000
"""So many cells are laid out at a time, so that the texts of columns of few values repay."""
PART_ROWS_MIN = 1_000
STEP_BYTES = 4_000_000
"""About so many bytes become lines at a time."""
STEP_ROWS_MIN = 1_000
LONG_SHARE = 64
"""Steps of fewer rows, and a text of such a share of their bytes: few rows may be long and most of them short."""
PLAIN_STEP_ROWS = 10_000
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
    """Threads lay out some parts and write the lines of others, while the next is read."""
    from engine.json_columns import lines_of

    count = min(os.cpu_count() or 1, THREADS_MAX)
    with threads(count) as pool:
        parts = _ahead(pool, lambda part: lines_of(part, band.columns, tag), _parts(band), 2)
        yield from _ahead(pool, _written, (step for part in parts for step in _steps(part)), count)


def _ahead(pool: Executor, work: Callable[[T], R], tasks: Iterable[T], count: int) -> Iterator[R]:
    """The results in order, while threads work on the next *count* tasks."""
    waiting: deque[Future[R]] = deque()
    for task in tasks:
        waiting.append(pool.submit(work, task))
        if len(waiting) > count:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _parts(band: SnapshotBand) -> Iterator[pa.RecordBatch]:
    from engine.coded_parts import coded_parts

    rows = max(PART_CELLS // len(band.columns), PART_ROWS_MIN)
    for batch in coded_parts(band):
        for start in range(0, batch.num_rows, rows):
            yield batch.slice(start, rows)


def _steps(part: Layout) -> Iterator[tuple[Layout, range]]:
    from engine.json_pieces import cuts

    rows = max(STEP_BYTES // part.bytes_a_row, 1)
    ends = [*range(rows, part.rows, rows), part.rows]
    if rows < STEP_ROWS_MIN and part.longest > STEP_BYTES // LONG_SHARE:
        ends = cuts(part.sizes(), STEP_BYTES)
    for start, end in pairwise([0, *ends]):
        yield part, range(start, end)


def _written(step: tuple[Layout, range]) -> tuple[int, memoryview]:
    part, rows = step
    return len(rows), part.written(rows.start, rows.stop)
