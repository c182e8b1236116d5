"""Reads one part of a streamed band into a state; runs the parts of a pass on some threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from decimal import Decimal
from threading import Event
from typing import TYPE_CHECKING

from datasources.arrow_types import is_text
from datasources.base import Cell, RawBand, Stream
from datasources.concurrently import reuse_memory, threads
from engine.columns import ColumnType
from engine.cubes import AxisCodes, Measure, sum_by_axes
from engine.encoded import encode, encoded_numbers
from engine.moments import read_moments
from engine.numeric import Numbers, by_distinct, native_numbers
from engine.numeric_text import text_numbers
from engine.plan import Plan
from engine.states import BandState, ColumnState, GroupSums
from engine.uniform import read_cells
from engine.wide_text import declared_text, wide_text

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

THREADS_MAX = 8


def run_pass(raw: RawBand, stream: Stream, dropped: frozenset[int], plan: Plan) -> BandState:
    """Read every part once, on some threads, and merge what they saw in source order."""
    positions = sorted(plan.ways)
    encoded = [position for position, way in plan.ways.items() if way == "encoded"]
    wanted = [position for position in positions if plan.ways[position] != "skipped"]
    total = BandState()
    if not wanted:
        return total
    count = min(os.cpu_count() or 1, THREADS_MAX)
    waiting: deque[tuple[_Start, Future[BandState]]] = deque()
    reuse_memory()

    def merge_next() -> None:
        start, state = waiting.popleft()
        total.merge(state.result())
        start.settle()

    with threads(count) as pool:
        for start, read in _numbered(stream.parts(wanted, encoded)):
            waiting.append((start, pool.submit(_read_part, raw, read, start, dropped, wanted, plan)))
            if len(waiting) > count + 1:
                merge_next()
        while waiting:
            merge_next()
    # A band without rows may have no parts at all.
    for position in wanted:
        total.columns.setdefault(position, ColumnState())
    return total


def _numbered(parts: Iterator[Callable[[], pa.Table]]) -> Iterator[tuple[_Start, Callable[[], pa.Table]]]:
    before: _Start | None = None
    for read in parts:
        before = _Start(before)
        yield before, read


class _Start:
    """Where a part begins: known once the parts before it have been read."""

    def __init__(self, before: _Start | None) -> None:
        self._before = before
        self._row = 0
        self._rows = 0
        self._known = Event()

    def set_rows(self, rows: int) -> None:
        """Tell how many rows this part has."""
        self._rows = rows
        self._known.set()

    def row(self) -> int:
        """The position of the part's first row; waits for the parts before it."""
        before = self._before
        if before is None:
            return self._row
        before._known.wait()
        return before.row() + before._rows

    def settle(self) -> None:
        """Forget the parts before this one, which have been read; or all parts of a pass would be kept."""
        self._row, self._before = self.row(), None


def _read_part(
    raw: RawBand,
    read: Callable[[], pa.Table],
    start: _Start,
    dropped: frozenset[int],
    wanted: Sequence[int],
    plan: Plan,
) -> BandState:
    try:
        table = read()
    except BaseException:
        start.set_rows(0)
        raise
    start.set_rows(table.num_rows)
    if dropped:
        table = without_rows(table, start.row(), dropped)
    state = BandState()
    axes: dict[int, _Axis] = {}
    measures: dict[int, Measure] = {}
    for index, position in enumerate(wanted):
        column = table.column(index)
        guess = plan.guesses[position]
        match plan.ways[position]:
            case "encoded":
                part = encode(column, raw.null_values, guess.declared_type)
                state.columns[position] = ColumnState(
                    table.num_rows, part.nulls, dict(part.counts), misfits=part.misfits
                )
                if position in plan.axes:
                    axes[position] = _axis(part.codes, part.keys, guess)
                if position in plan.measures:
                    measures[position] = encoded_numbers(part, guess)
            case "numbers":
                numbers = read_numbers(column, guess)
                state.columns[position] = ColumnState(
                    table.num_rows, numbers.nulls, None, numbers.evidence, numbers.totals, numbers.counts()
                )
                if position in plan.axes:
                    axes[position] = _number_axis(numbers, guess)
                if position in plan.measures:
                    measures[position] = numbers.values
            case "moments":
                moments = read_moments(column, guess)
                state.columns[position] = ColumnState(
                    table.num_rows, moments.nulls, None, moments.evidence, moments=moments.bounds
                )
                if position in plan.axes:
                    axes[position] = _axis(moments.codes, moments.days, guess)
            case "text":
                if guess.declared:
                    nulls, evidence = declared_text(column, raw.null_values)
                else:
                    nulls, evidence = wide_text(column, guess.name, raw.null_values)
                state.columns[position] = ColumnState(table.num_rows, nulls, None, evidence)
            case "skipped":
                pass
    if axes and plan.measures:
        state.sums = _sums(axes, [measures[position] for position in plan.measures])
    return state


_Axis = tuple[AxisCodes, Sequence[Cell]]
"""The group of each row, and the cell that each group goes by."""


def _axis(codes: NDArray[np.int32], keys: Sequence[Cell], guess: ColumnType) -> _Axis:
    """
    The rows by the distinct cells of a column; by one cell a month where it is guessed to have dates of several.

    Only the dates of one month are summed by day (spec 5.5), and by thousands of days there would be many sums.
    """
    import numpy as np

    if guess.type not in ("date", "datetime"):
        return AxisCodes(codes, len(keys)), keys
    moments = read_cells(keys, guess)
    # What cannot be read has a group of its own, whatever it looks like.
    groups = [
        (key, None) if moment is None else (None, str(moment)[:7])
        for key, moment in zip(keys, moments, strict=True)
    ]
    if len({month for _, month in groups if month is not None}) <= 1:
        return AxisCodes(codes, len(keys)), keys
    firsts: dict[tuple[Cell, str | None], Cell] = {}
    for group, key in zip(groups, keys, strict=True):
        firsts.setdefault(group, key)
    index = {group: code for code, group in enumerate(firsts)}
    table = np.array([index[group] for group in groups], np.int32)
    return AxisCodes(table[codes], len(firsts)), list(firsts.values())


def _number_axis(numbers: Numbers, guess: ColumnType) -> _Axis:
    """The rows by the distinct numbers of a column, where thousands of texts are a few of them."""
    import numpy as np

    is_known = slice(None) if numbers.valid is None else numbers.valid
    values, known_codes = np.unique(numbers.values[is_known], return_inverse=True)
    codes = np.full(len(numbers.values), len(values), np.int32)
    codes[is_known] = known_codes
    keys: list[Cell] = values.tolist()
    if not guess.double:
        keys = [Decimal(f"{value}E-{guess.scale}") for value in keys]
    return AxisCodes(codes, len(keys) + 1), [*keys, None]


def read_numbers(column: pa.ChunkedArray, guess: ColumnType) -> Numbers:
    """Read a column that *guess* takes for numbers, whatever its Arrow type."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return native_numbers(column, guess)
    return text_numbers(column, guess) if is_text(kind) else by_distinct(column, guess)


def without_rows(table: pa.Table, start: int, dropped: frozenset[int]) -> pa.Table:
    """The rows of a part that begins at row *start*, but for the first or last row of the band when *dropped*."""
    for row in sorted(dropped, reverse=True):
        at = row - start
        if 0 <= at < table.num_rows:
            before, after = table.slice(0, at), table.slice(at + 1)
            table = after if at == 0 else before if not after.num_rows else _concat(before, after)
    return table


def _concat(before: pa.Table, after: pa.Table) -> pa.Table:
    import pyarrow as pa

    return pa.concat_tables([before, after])


def _sums(
    axes: Mapping[int, _Axis],
    measures: Sequence[Measure],
) -> dict[int, GroupSums]:
    cubes = sum_by_axes({position: codes for position, (codes, _) in axes.items()}, measures)
    result: dict[int, GroupSums] = {}
    for position, (_, keys) in axes.items():
        groups: GroupSums = {}
        for key, found in zip(keys, cubes[position], strict=True):
            known = groups.get(key)
            groups[key] = found if known is None else [a + b for a, b in zip(known, found, strict=True)]
        result[position] = groups
    return result
