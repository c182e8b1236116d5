"""Reads a column of many dates and times of a streamed band: its days as groups, its first and its last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from datasources.arrow_types import is_text
from datasources.base import Cell
from engine.columns import ColumnType, read_cell
from engine.dates import DateEvidence, moment_key, read_date
from engine.declared import misfits_among
from engine.encoded import encode
from engine.evidence import ColumnEvidence, observe_each
from engine.numeric import GLANCE_ROWS
from engine.states import MomentBounds
from engine.statistics import DISTINCT_MAX

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Moments:
    """A column of dates or times, by day."""

    codes: NDArray[np.int32]
    days: Sequence[Cell]
    """For each code the day as ISO text; None for null."""
    bounds: MomentBounds
    evidence: ColumnEvidence
    nulls: int


def read_moments(column: pa.ChunkedArray, guess: ColumnType) -> Moments:
    """Read a column that *guess* takes for dates or times; what is none shows in the evidence."""
    import pyarrow as pa

    kind = column.type
    if (pa.types.is_timestamp(kind) and kind.tz is None) or pa.types.is_date(kind):
        known = _native(column, guess)
        if known is not None:
            return known
    if guess.style == "YYYY-MM-DD" and is_text(kind):
        found = _iso(column, guess)
        if found is not None:
            return found
    return _by_distinct(column, guess)


def _by_distinct(column: pa.ChunkedArray, guess: ColumnType) -> Moments:
    """The slow and general way: every distinct cell is read on its own."""
    part = encode(column, guess.null_values, guess.declared_type)
    evidence = observe_each(part.counts, guess.name, compact=guess.declared or None)
    evidence.misfits = misfits_among(part.counts, guess)
    evidence.misfits.merge(part.misfits)
    read = {key: read_cell(key, guess) for key in part.counts}
    bounds = MomentBounds()
    for key, moment in read.items():
        if isinstance(moment, str):
            count = part.counts[key]
            bounds.merge(MomentBounds({moment[:10]: count}, moment, moment, {moment: count}))
    days: list[Cell] = [
        str(moment)[:10] if (moment := read.get(key)) is not None else None for key in part.keys
    ]
    return Moments(part.codes, days, bounds, evidence, part.nulls)


def _native(column: pa.ChunkedArray, guess: ColumnType) -> Moments | None:
    """Native dates and times as whole columns; None when the first or the last is none that Python has."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from datasources.arrow_types import python_values

    bounds_of = pc.min_max(column)
    edges = python_values(pa.chunked_array([pa.array([bounds_of["min"], bounds_of["max"]], column.type)]))
    if any(isinstance(edge, str) for edge in edges):
        return None
    days = (
        column.cast(pa.date32())
        if pa.types.is_date(column.type)
        else pc.floor_temporal(column, unit="day").cast(pa.date32())
    )
    part = encode(days, ())
    nulls = column.null_count
    timed = 0
    if pa.types.is_timestamp(column.type):
        midnight = pc.equal(pc.floor_temporal(column, unit="day"), column)
        timed = len(column) - nulls - int(pc.sum(midnight).as_py() or 0)
    cells = len(column) - nulls
    evidence = ColumnEvidence(
        cells=cells,
        dates=DateEvidence(cells=cells, formats={"native": cells} if cells else {}, timed=timed),
        natives={"date"} if cells else set(),
    )
    first, last = (read_cell(edge, guess) for edge in edges)
    texts: list[Cell] = [key.isoformat() if key is not None else None for key in part.keys]  # type: ignore[union-attr]
    counts = {
        str(text): part.counts[key] for text, key in zip(texts, part.keys, strict=True) if key in part.counts
    }
    bounds = MomentBounds(
        counts,
        None if first is None else str(first),
        None if last is None else str(last),
        _native_times(column, guess),
    )
    return Moments(part.codes, texts, bounds, evidence, nulls)


def _native_times(column: pa.ChunkedArray, guess: ColumnType) -> dict[str, int] | None:
    import polars as pl
    import pyarrow as pa

    from datasources.arrow_types import python_values

    if guess.type != "datetime":
        return {}
    if _are_many(pl.Series("t", column)):
        return None
    values, rows = column.value_counts().flatten()
    return _times(python_values(pa.chunked_array([values])), rows.to_pylist(), guess)


def _are_many(moments: pl.Series) -> bool:
    """Whether there are more different *moments* than are counted (spec 5), nulls aside."""
    # Most columns show it in a few of their rows, from all over the part.
    step = -(-len(moments) // GLANCE_ROWS) or 1
    return (
        moments.gather_every(step).n_unique() > DISTINCT_MAX + 1
        or moments.drop_nulls().n_unique() > DISTINCT_MAX
    )


def _times(cells: Sequence[Cell], rows: Sequence[int], guess: ColumnType) -> dict[str, int] | None:
    """Cells per date and time; None when these are more than are counted."""
    times: dict[str, int] = {}
    for cell, count in zip(cells, rows, strict=True):
        time = read_cell(cell, guess)
        if isinstance(time, str):
            times[time] = times.get(time, 0) + count
    return times if len(times) <= DISTINCT_MAX else None


_ISO = (
    r"^[0-9]{4}-(?:0[1-9]|1[0-2])-[0-9]{2}[T ][0-9]{2}:[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?$"
)


def _iso(column: pa.ChunkedArray, guess: ColumnType) -> Moments | None:
    """Regular ISO date-times as whole columns; None when a cell is anything else."""
    import polars as pl

    text = pl.from_arrow(column)
    assert isinstance(text, pl.Series)
    text = text.cast(pl.String)
    if not (text.str.contains(_ISO).fill_null(True) & (text.str.slice(11, 2) < "24").fill_null(True)).all():
        return None
    part = encode(text.str.slice(0, 10).to_arrow(), ())
    if any(key is not None and read_date(str(key)) is None for key in part.keys):
        return None
    timed = int((~text.str.contains(r"^.{11}00:00:00(?:\.0+)?(?:Z|[+-].*)?$")).sum() or 0)
    cells = len(text) - text.null_count()
    evidence = ColumnEvidence(
        cells=cells,
        dates=DateEvidence(cells=cells, formats={"YYYY-MM-DD": cells} if cells else {}, timed=timed),
        natives={"text"} if cells else set(),
    )
    # Whether midnights are written depends on the whole column, so on the guess: a wrong one is read again.
    first, last = _edge(text, guess, least=True), _edge(text, guess, least=False)
    counts: Mapping[str, int] = {str(key): count for key, count in part.counts.items()}
    bounds = MomentBounds(dict(counts), first, last, _iso_times(text, guess))
    return Moments(part.codes, part.keys, bounds, evidence, part.nulls)


def _iso_times(text: pl.Series, guess: ColumnType) -> dict[str, int] | None:
    # Texts of different seconds are different times; those of one may be too.
    if guess.type != "datetime":
        return {}
    if _are_many(text.str.slice(0, 10) + text.str.slice(11, 8)):
        return None
    found = text.drop_nulls().value_counts(name="rows")
    return _times(found.to_series(0).to_list(), found.to_series(1).to_list(), guess)


def _edge(text: pl.Series, shown: ColumnType, *, least: bool) -> str | None:
    """The first or last moment: among the cells of the extreme second, which differ in fraction or offset only."""
    seconds = text.str.slice(0, 10) + text.str.slice(11, 8)
    extreme = seconds.min() if least else seconds.max()
    if extreme is None:
        return None
    moments = [str(read_cell(cell, shown)) for cell in text.filter(seconds == extreme).unique().to_list()]
    return min(moments, key=moment_key) if least else max(moments, key=moment_key)
