"""
Computes the statistics of a streamed band: a plan from a sample, one pass over the parts, and a further pass
only for what the plan guessed wrong.

The plan is a guess of what will be needed and how cells read; it never decides anything. Types come from the
evidence of all cells, sums from all cells read in those types, so any plan and any split give the same bytes.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

from datasources.base import Cell, DataWarning, Lists, RawBand, Stream
from engine import counting, roles
from engine.columns import ColumnType, Typed, read_cell
from engine.cubes import AxisCodes, Measure, sum_by_axes
from engine.encoded import Encoded, encode, encoded_numbers
from engine.evidence import ColumnEvidence, observe
from engine.numbers import obstacle
from engine.numeric import Numbers, native_numbers
from engine.numeric_text import text_numbers
from engine.states import BandState, ColumnState, MomentBounds, finish_sum
from engine.statistics import DISTINCT_MAX, Axis, BandStatistics, FieldStatistics, Total, axes_of
from engine.typing import decide_types
from engine.wide_text import wide_text

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

Way = Literal["encoded", "numbers", "moments", "text", "skipped"]
"""
How a pass reads a column: by its few distinct cells, as numbers, as dates and times, or as text of many
values, of which only the nulls and near misses are of interest (or, where nothing of it can be printed,
nothing at all).
"""

THREADS_MAX = 8
GLANCE_MAX = 1_024
"""Distinct cells of the sample that a guess looks at."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What one pass reads, and what it sums."""

    ways: Mapping[int, Way]
    """Position → way, of the columns that the pass reads."""
    guesses: Mapping[int, ColumnType]
    axes: tuple[int, ...]
    measures: tuple[int, ...]


def analyse(
    raw: RawBand, dropped: frozenset[int] = frozenset(), *, complete: bool = True
) -> tuple[tuple[ColumnType, ...], BandStatistics, tuple[DataWarning, ...]]:
    """
    Type a streamed band without the rows at *dropped*, and compute its statistics.

    Unless *complete*, text columns that a sample proves to have many values are not read at all.
    """
    stream = raw.cells
    assert not isinstance(stream, Lists)
    sample = _Sample.of(raw, stream, complete)
    states: dict[int, ColumnState] = {}
    sums: dict[tuple[int, int], dict[Cell, int]] = {}
    plan = sample.plan()
    while True:
        state = _run(raw, stream, dropped, plan)
        states |= state.columns
        for axis, groups in state.sums.items():
            for index, measure in enumerate(plan.measures):
                sums[axis, measure] = {key: found[index] for key, found in groups.items()}
        again = _overflown(plan, state)
        if again:
            plan = sample.replan(plan, again)
            continue
        evidence = [_evidence(raw, position, states, sample) for position in range(len(raw.columns))]
        columns, warnings = decide_types(
            raw.columns, evidence, band=raw.name, locale=raw.locale, source=raw.decimal_style
        )
        columns = tuple(replace(column, null_values=raw.null_values) for column in columns)
        wrong = [
            position
            for position, guess in sample.guesses.items()
            if states.get(position) is not None and _differs(guess, columns[position], sample.ways[position])
        ]
        for position in wrong:
            sample.correct(position, columns[position])
            for pair in [pair for pair in sums if position in pair]:
                del sums[pair]
        reread = {position for position in wrong if sample.ways[position] != "encoded"}
        fields = _fields(raw, stream, dropped, columns, evidence, states, reread)
        rows = raw.rows - len(dropped)
        axes = axes_of(fields, rows)
        measures = [position for position, one in enumerate(fields) if one.role in roles.SUMMABLE]
        missing = {(axis.field, measure) for axis in axes for measure in measures} - sums.keys()
        if not missing and not reread:
            return columns, BandStatistics(rows, fields, _finish_sums(axes, measures, fields, columns, sums)), warnings
        plan = sample.plan_for(missing, reread)


class _Sample:
    """What some thousand rows suggest about every column; corrected as the passes learn more."""

    def __init__(self, ways: dict[int, Way], guesses: dict[int, ColumnType], axes: set[int], measures: set[int]) -> None:
        self.ways = ways
        self.guesses = guesses
        self._axes = axes
        self._measures = measures

    @classmethod
    def of(cls, raw: RawBand, stream: Stream, complete: bool) -> _Sample:
        """Look at the sample of *stream*."""
        table = stream.sample()
        encoded = [encode(column, raw.null_values) for column in table.columns]
        evidence = [
            _glance(column, one, name, raw.null_values)
            for column, one, name in zip(table.columns, encoded, raw.columns, strict=True)
        ]
        columns, _ = decide_types(
            raw.columns, evidence, band=raw.name, locale=raw.locale, source=raw.decimal_style
        )
        ways: dict[int, Way] = {}
        measures: set[int] = set()
        axes: set[int] = set()
        for position, (column, one, found) in enumerate(zip(columns, encoded, evidence, strict=True)):
            few = len(one.counts) <= DISTINCT_MAX
            ways[position] = _way(column, stream.schema.field(position).type, few, found, complete)
            if column.type == "number":
                role = counting.count(column, found, some(one.counts), GLANCE_MAX, False).role
                if role in roles.SUMMABLE:
                    measures.add(position)
                elif role in roles.CATEGORICAL and ways[position] == "encoded":
                    axes.add(position)
            elif ways[position] == "encoded" or column.type in ("date", "datetime"):
                axes.add(position)
        guesses = {position: replace(column, null_values=raw.null_values) for position, column in enumerate(columns)}
        return cls(ways, guesses, axes, measures)

    def plan(self) -> _Plan:
        """The first pass: every column, and every sum that is likely to be needed."""
        return _Plan(dict(self.ways), self.guesses, tuple(sorted(self._axes)), tuple(sorted(self._measures)))

    def replan(self, plan: _Plan, overflown: Mapping[int, Way]) -> _Plan:
        """A pass that reads the *overflown* columns in another way, with the sums that they are part of."""
        self.ways |= overflown
        self._axes -= {position for position, way in overflown.items() if way in ("numbers", "text")}
        measures = tuple(position for position in plan.measures if position in overflown)
        axes = tuple(sorted(self._axes)) if measures else tuple(sorted(self._axes & overflown.keys()))
        needed = measures or (tuple(sorted(self._measures)) if axes else ())
        return self._restricted({*overflown, *(axes if needed else ()), *needed}, axes, needed)

    def correct(self, position: int, column: ColumnType) -> None:
        """Read the column as *column* from now on."""
        self.guesses[position] = column
        if self.ways[position] == "numbers" and column.type != "number":
            self.ways[position] = "moments" if column.type in ("date", "datetime") else "text"
        elif self.ways[position] in ("moments", "text"):
            self.ways[position] = {"number": "numbers", "date": "moments", "datetime": "moments"}.get(
                column.type, "text"
            )  # type: ignore[assignment]

    def plan_for(self, missing: set[tuple[int, int]], reread: set[int]) -> _Plan:
        """A pass for the *missing* (axis, measure) sums, and for columns to be read again."""
        axes = tuple(sorted({axis for axis, _ in missing}))
        measures = tuple(sorted({measure for _, measure in missing}))
        return self._restricted({*axes, *measures, *reread}, axes, measures)

    def _restricted(self, positions: set[int], axes: Sequence[int], measures: Sequence[int]) -> _Plan:
        ways = {position: self.ways[position] for position in sorted(positions)}
        return _Plan(ways, self.guesses, tuple(axes), tuple(measures))


def _glance(
    column: pa.ChunkedArray, part: Encoded, name: str, null_values: tuple[str, ...]
) -> ColumnEvidence:
    """What the sample suggests of a column: a guess does not need to look at each of its cells."""
    import pyarrow as pa

    if pa.types.is_floating(column.type):
        return native_numbers(column, ColumnType(name, "number", null_values=null_values)).evidence
    return observe(some(part.counts), name)


def some(counts: Mapping[Cell, int]) -> dict[Cell, int]:
    """At most `GLANCE_MAX` of the distinct cells, evenly chosen."""
    step = -(-len(counts) // GLANCE_MAX) or 1
    return dict(islice(counts.items(), 0, None, step))


def _way(column: ColumnType, kind: pa.DataType, few: bool, evidence: ColumnEvidence, complete: bool) -> Way:
    if few:
        return "encoded"
    if column.type == "number":
        return "numbers"
    if column.type in ("date", "datetime"):
        return "moments"
    # A few counterexamples would not do: a near miss has up to a tenth of them, and earns a warning.
    # What keeps numbers text, such as a leading zero, does so for good.
    fitting = evidence.dates.cells + evidence.tokens
    if obstacle(evidence.numbers) is None:
        fitting = max(fitting, evidence.numbers.cells + evidence.tokens)
    return "skipped" if not complete and fitting < evidence.cells / 2 else "text"


def _differs(guess: ColumnType, column: ColumnType, way: Way) -> bool:
    """Whether what was summed or bounded under *guess* is of no use for *column*."""
    if way in ("text", "skipped") and column.type == "text":
        return False
    same = (guess.type, guess.scale, guess.double, guess.style, guess.day_first, guess.compact)
    return same != (column.type, column.scale, column.double, column.style, column.day_first, column.compact)


def _overflown(plan: _Plan, state: BandState) -> dict[int, Way]:
    """The columns that turned out to have too many values to be counted one by one, and how to read them."""
    found: dict[int, Way] = {}
    for position, way in plan.ways.items():
        if way == "encoded" and state.columns[position].values is None:
            kind = plan.guesses[position].type
            found[position] = "numbers" if kind == "number" else "text" if kind in ("text", "boolean") else "moments"
    return found


def _evidence(
    raw: RawBand, position: int, states: Mapping[int, ColumnState], sample: _Sample
) -> ColumnEvidence:
    state = states.get(position)
    if state is None:
        # Not read at all: the sample proved it text.
        return ColumnEvidence(cells=1, hopeless=True)
    if state.values is not None and sample.ways[position] == "encoded":
        return observe(state.values, raw.columns[position])
    return state.evidence if state.evidence is not None else ColumnEvidence()


def _fields(
    raw: RawBand,
    stream: Stream,
    dropped: frozenset[int],
    columns: Sequence[ColumnType],
    evidence: Sequence[ColumnEvidence],
    states: Mapping[int, ColumnState],
    reread: set[int],
) -> tuple[FieldStatistics, ...]:
    rows = raw.rows - len(dropped)
    fields: list[FieldStatistics] = []
    for position, (column, found) in enumerate(zip(columns, evidence, strict=True)):
        state = states.get(position)
        is_parent = position == raw.parent_column
        if state is None or position in reread:
            fields.append(FieldStatistics(column, None, 0, None, rows))
        elif state.values is not None and state.evidence is None:
            one = counting.count(column, found, state.values, rows, is_parent)
            fields.append(_with_counter(one, found, stream, dropped, position, rows))
        else:
            fields.append(_wide_field(column, found, state, rows, is_parent, stream, dropped, position))
    return tuple(fields)


def _wide_field(
    column: ColumnType,
    evidence: ColumnEvidence,
    state: ColumnState,
    rows: int,
    is_parent: bool,
    stream: Stream,
    dropped: frozenset[int],
    position: int,
) -> FieldStatistics:
    if column.type == "number":
        totals = state.totals
        one = FieldStatistics(
            column,
            "id" if is_parent else counting.role_of(column, evidence, totals.minimum, totals.maximum, totals.cells, rows),
            rows - totals.cells,
            None,
            totals.cells,
            totals.finish(column),
            totals.minimum,
            totals.maximum,
        )
        return _with_counter(one, evidence, stream, dropped, position, rows)
    if column.type in ("date", "datetime") and state.moments is not None:
        bounds = state.moments
        cells = sum(bounds.days.values())
        months = frozenset(day[:7] for day in bounds.days)
        days = frozenset(bounds.days) if len(months) == 1 else frozenset()
        return FieldStatistics(
            column, None, rows - cells, None, cells, None, bounds.first, bounds.last, months, days
        )
    return FieldStatistics(column, None, state.nulls, None, rows - state.nulls)


def _with_counter(
    one: FieldStatistics,
    evidence: ColumnEvidence,
    stream: Stream,
    dropped: frozenset[int],
    position: int,
    rows: int,
) -> FieldStatistics:
    """A column that could count the rows is looked at once more, in order: then its role is `id`."""
    low, high = one.minimum, one.maximum
    if one.role != "measure" or not isinstance(low, int) or not isinstance(high, int):
        return one
    if one.column.scale or one.cells != rows or rows < roles.COUNTER_ROWS_MIN or high - low + 1 != rows:
        return one
    if counting.role_of(one.column, evidence, low, high, one.cells, rows, counts_up=True) != "id":
        return one
    return replace(one, role="id") if _counts_up(stream, dropped, position, one.column, low) else one


def _counts_up(stream: Stream, dropped: frozenset[int], position: int, column: ColumnType, first: int) -> bool:
    import numpy as np

    expected = first
    for values in _ordered(stream, dropped, position, column):
        if not np.array_equal(values, np.arange(expected, expected + len(values))):
            return False
        expected += len(values)
    return True


def _ordered(
    stream: Stream, dropped: frozenset[int], position: int, column: ColumnType
) -> Iterator[NDArray[np.int64]]:
    start = 0
    for read in stream.parts([position]):
        table = read()
        kept = _without(table, start, dropped)
        start += table.num_rows
        yield _as_numbers(kept.column(0), column).values  # type: ignore[misc]


def _finish_sums(
    axes: Sequence[Axis],
    measures: Sequence[int],
    fields: Sequence[FieldStatistics],
    columns: Sequence[ColumnType],
    sums: Mapping[tuple[int, int], Mapping[Cell, int]],
) -> dict[tuple[Axis, int], dict[Typed, Total]]:
    """Sums by distinct cell, or by day, become sums by typed group."""
    result: dict[tuple[Axis, int], dict[Typed, Total]] = {}
    for axis in axes:
        column = columns[axis.field]
        present = fields[axis.field]
        for measure in measures:
            groups: dict[Typed, int] = {}
            for cell, total in sums[axis.field, measure].items():
                key = axis.key(read_cell(cell, column))
                groups[key] = groups.get(key, 0) + total
            if not present.nulls:
                groups.pop(None, None)
            result[axis, measure] = {key: finish_sum(total, columns[measure]) for key, total in groups.items()}
    return result


# ---- one pass ----


def _run(raw: RawBand, stream: Stream, dropped: frozenset[int], plan: _Plan) -> BandState:
    """Read every part once, on some threads, and merge what they saw in source order."""
    positions = sorted(plan.ways)
    encoded = [position for position, way in plan.ways.items() if way == "encoded"]
    wanted = [position for position in positions if plan.ways[position] != "skipped"]
    total = BandState()
    if not wanted:
        return total
    threads = min(os.cpu_count() or 1, THREADS_MAX)
    waiting: deque[Future[BandState]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for start, read in _numbered(stream.parts(wanted, encoded)):
            waiting.append(pool.submit(_read_part, raw, read, start, dropped, wanted, plan))
            if len(waiting) > threads + 1:
                total.merge(waiting.popleft().result())
        while waiting:
            total.merge(waiting.popleft().result())
    return total


def _numbered(parts: Iterator[Callable[[], pa.Table]]) -> Iterator[tuple[_Start, Callable[[], pa.Table]]]:
    before: _Start | None = None
    for read in parts:
        before = _Start(before)
        yield before, read


class _Start:
    """Where a part begins: known once the parts before it have been read."""

    def __init__(self, before: _Start | None) -> None:
        from threading import Event

        self._before = before
        self._rows: int | None = None
        self._known = Event()

    def set_rows(self, rows: int) -> None:
        """Tell how many rows this part has."""
        self._rows = rows
        self._known.set()

    def row(self) -> int:
        """The position of the part's first row; waits for the parts before it."""
        start, one = 0, self._before
        while one is not None:
            one._known.wait()
            start += one._rows or 0
            one = one._before
        return start


def _read_part(
    raw: RawBand,
    read: Callable[[], pa.Table],
    start: _Start,
    dropped: frozenset[int],
    wanted: Sequence[int],
    plan: _Plan,
) -> BandState:
    try:
        table = read()
    except BaseException:
        start.set_rows(0)
        raise
    start.set_rows(table.num_rows)
    if dropped:
        table = _without(table, start.row(), dropped)
    state = BandState()
    axes: dict[int, tuple[AxisCodes, Sequence[Cell]]] = {}
    measures: dict[int, Measure] = {}
    for index, position in enumerate(wanted):
        column = table.column(index)
        guess = plan.guesses[position]
        match plan.ways[position]:
            case "encoded":
                part = encode(column, raw.null_values)
                state.columns[position] = ColumnState(table.num_rows, part.nulls, dict(part.counts))
                if position in plan.axes:
                    axes[position] = AxisCodes(part.codes, len(part.keys)), part.keys
                if position in plan.measures:
                    measures[position] = encoded_numbers(part, guess)
            case "numbers":
                numbers = _as_numbers(column, guess)
                state.columns[position] = ColumnState(
                    table.num_rows, numbers.nulls, None, numbers.evidence, numbers.totals
                )
                if position in plan.measures:
                    measures[position] = numbers.values
            case "moments":
                from engine.moments import read_moments

                moments = read_moments(column, guess)
                state.columns[position] = ColumnState(
                    table.num_rows, moments.nulls, None, moments.evidence, moments=moments.bounds
                )
                if position in plan.axes:
                    axes[position] = AxisCodes(moments.codes, len(moments.days)), moments.days
            case "text":
                nulls, evidence = wide_text(column, guess.name, raw.null_values)
                state.columns[position] = ColumnState(table.num_rows, nulls, None, evidence)
            case "skipped":
                pass
    if axes and plan.measures:
        state.sums = _sums(axes, [measures[position] for position in plan.measures])
    return state


def _as_numbers(column: pa.ChunkedArray, guess: ColumnType) -> Numbers:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return native_numbers(column, guess)
    return text_numbers(column, guess)


def _without(table: pa.Table, start: int, dropped: frozenset[int]) -> pa.Table:
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
    axes: Mapping[int, tuple[AxisCodes, Sequence[Cell]]],
    measures: Sequence[Measure],
) -> dict[int, dict[Cell, list[int]]]:
    cubes = sum_by_axes({position: codes for position, (codes, _) in axes.items()}, measures)
    result: dict[int, dict[Cell, list[int]]] = {}
    for position, (_, keys) in axes.items():
        groups: dict[Cell, list[int]] = {}
        for key, found in zip(keys, cubes[position], strict=True):
            known = groups.get(key)
            groups[key] = found if known is None else [a + b for a, b in zip(known, found, strict=True)]
        result[position] = groups
    return result


__all__ = ["Encoded", "MomentBounds", "analyse"]
