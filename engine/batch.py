"""
Computes the statistics of a streamed band: a plan from a sample, one pass over the parts, and a further pass
only for what the plan guessed wrong.

Types come from the evidence of all cells, sums from all cells read in those types, so any plan and any split
of the rows give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from datasources import compiled
from datasources.base import Cell, DataWarning, Lists, RawBand, Stream
from engine import compiled_numbers, compiled_sums, counting, roles
from engine.columns import ColumnType, Typed, read_cell
from engine.cubes import Measure
from engine.declared import declared_warnings, kind_of, misfits_among
from engine.evidence import ColumnEvidence, Misfits, observe
from engine.passes import read_numbers, run_pass, without_rows
from engine.plan import Plan, Sample, Way
from engine.states import BandState, ColumnState, finish_sum
from engine.statistics import DISTINCT_MAX, Axis, BandStatistics, FieldStatistics, Total, axes_of
from engine.typing import decide_types

if TYPE_CHECKING:
    pass


def prepare_kernels(raw: RawBand) -> None:
    """Make the compiled loops of a pass over *raw* ready, where it is large enough."""
    cells = raw.rows * len(raw.columns)
    compiled.prepare(cells / compiled.CELLS_MIN, compiled_numbers.KERNEL, compiled_sums.KERNEL)


def analyse(
    raw: RawBand, dropped: frozenset[int] = frozenset(), *, complete: bool = True
) -> tuple[tuple[ColumnType, ...], BandStatistics, tuple[DataWarning, ...]]:
    """
    Type a streamed band without the rows at *dropped*, and compute its statistics.

    Unless *complete*, text columns that a sample proves to have many values are not read at all.
    """
    stream = raw.cells
    assert not isinstance(stream, Lists)
    prepare_kernels(raw)
    sample = Sample.of(raw, stream, complete)
    states: dict[int, ColumnState] = {}
    sums: dict[tuple[int, int], dict[Cell, int]] = {}
    plan = sample.plan()
    while True:
        state = run_pass(raw, stream, dropped, plan)
        states |= state.columns
        for axis, groups in state.sums.items():
            for index, measure in enumerate(plan.measures):
                sums[axis, measure] = {key: found[index] for key, found in groups.items()}
        again = _overflown(plan, state)
        if again:
            plan = sample.replan(plan, again)
            continue
        evidence = [_evidence(raw, position, states, sample) for position in range(len(raw.columns))]
        columns, warnings = decide_types(raw, evidence)
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
            statistics = BandStatistics(rows, fields, _finish_sums(axes, measures, fields, columns, sums))
            return columns, statistics, (*warnings, *_declared(raw, columns, evidence, states, sample))
        plan = sample.plan_for(missing, reread)


def _declared(
    raw: RawBand,
    columns: Sequence[ColumnType],
    evidence: Sequence[ColumnEvidence],
    states: Mapping[int, ColumnState],
    sample: Sample,
) -> Iterator[DataWarning]:
    """What declared types cost, column by column."""
    for position, (column, found) in enumerate(zip(columns, evidence, strict=True)):
        if column.declared:
            misfits = Misfits()
            misfits.merge(found.misfits)
            if sample.ways[position] == "encoded":
                misfits.merge(misfits_among(states[position].values or {}, column))
            yield from declared_warnings(column, found, misfits, raw.name)


def _differs(guess: ColumnType, column: ColumnType, way: Way) -> bool:
    """Whether what was summed or bounded under *guess* is of no use for *column*."""
    if way in ("text", "skipped") and column.type == "text":
        return False
    return _reading(guess) != _reading(column)


def _reading(column: ColumnType) -> tuple[object, ...]:
    # Only a declared column leaves cells of another unit out.
    unit = column.unit if column.declared else None
    style = (column.style, column.day_first, column.compact, unit)
    return (column.type, column.scale, column.double, *style)


def _overflown(plan: Plan, state: BandState) -> dict[int, Way]:
    """The columns that turned out to have too many values to be counted one by one, and how to read them."""
    found: dict[int, Way] = {}
    for position, way in plan.ways.items():
        if way == "encoded" and state.columns[position].values is None:
            kind = plan.guesses[position].type
            found[position] = (
                "numbers" if kind == "number" else "text" if kind in ("text", "boolean") else "moments"
            )
    return found


def _evidence(
    raw: RawBand, position: int, states: Mapping[int, ColumnState], sample: Sample
) -> ColumnEvidence:
    state = states.get(position)
    if state is None:
        # Not read at all: the sample proved it text.
        return ColumnEvidence(cells=1, hopeless=True)
    if state.values is not None and sample.ways[position] == "encoded":
        is_declared = kind_of(raw, position) is not None
        evidence = observe(state.values, raw.columns[position], compact=is_declared or None)
        evidence.misfits = state.misfits
        return evidence
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
            "id"
            if is_parent
            else counting.role_of(column, evidence, totals.minimum, totals.maximum, totals.cells, rows),
            rows - totals.cells,
            state.numbers,
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
        # A date is its day, so the days are its values.
        found = bounds.days if column.type == "date" else bounds.times
        counts: dict[Typed, int] | None = None
        if found is not None and len(found) <= DISTINCT_MAX:
            counts = dict(found.items())
        return FieldStatistics(
            column, None, rows - cells, counts, cells, None, bounds.first, bounds.last, months, days
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


def _counts_up(
    stream: Stream, dropped: frozenset[int], position: int, column: ColumnType, first: int
) -> bool:
    import numpy as np

    expected = first
    for values in _ordered(stream, dropped, position, column):
        if not np.array_equal(values, np.arange(expected, expected + len(values))):
            return False
        expected += len(values)
    return True


def _ordered(stream: Stream, dropped: frozenset[int], position: int, column: ColumnType) -> Iterator[Measure]:
    start = 0
    for read in stream.parts([position]):
        table = read()
        kept = without_rows(table, start, dropped)
        start += table.num_rows
        yield read_numbers(kept.column(0), column).values


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
        keys: dict[Cell, Typed] = {}
        for measure in measures:
            groups: dict[Typed, int] = {}
            for cell, total in sums[axis.field, measure].items():
                if cell not in keys:
                    keys[cell] = axis.key(read_cell(cell, column))
                key = keys[cell]
                groups[key] = groups.get(key, 0) + total
            if not fields[axis.field].nulls:
                groups.pop(None, None)
            result[axis, measure] = {
                key: finish_sum(total, columns[measure]) for key, total in groups.items()
            }
    return result
