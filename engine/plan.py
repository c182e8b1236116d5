"""Plans how a streamed band is read, from a sample: a guess that never decides anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

from datasources.base import Cell, RawBand, Stream
from engine import counting, roles
from engine.columns import ColumnType
from engine.declared import kind_of
from engine.encoded import Encoded, encode
from engine.evidence import ColumnEvidence, observe
from engine.numbers import obstacle
from engine.numeric import native_numbers
from engine.statistics import (
    DISTINCT_MAX,
    ENUMERATION_MAX,
    ENUMERATION_MIN,
    MONTHS_MAX,
    SUMS_MAX,
    sum_count,
    within_sums_max,
)
from engine.typing import decide_types
from engine.uniform import read_cells

if TYPE_CHECKING:
    import pyarrow as pa

Way = Literal["encoded", "numbers", "moments", "text", "skipped"]
"""
How a pass reads a column: by its few distinct cells, as numbers, as dates and times, or as text of many
values, of which only the nulls and near misses are of interest (or, where nothing of it can be printed,
nothing at all).
"""

GLANCE_MAX = 1_024
"""Distinct cells of a column of the sample that a guess looks at."""
GLANCE_MIN = 64
TOTAL_ROWS_MAX = 2
"""The first row and the last one may be totals, whose cells are none of the band's."""
GLANCE_CELLS = 200_000
"""Of a wide table the guesses look at fewer cells a column, so that they look at no more than this in all."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What one pass reads, and what it sums."""

    ways: Mapping[int, Way]
    """Position → way, of the columns that the pass reads."""
    guesses: Mapping[int, ColumnType]
    axes: tuple[int, ...]
    measures: tuple[int, ...]


class Sample:
    """What some thousand rows suggest about every column; corrected as the passes learn more."""

    def __init__(
        self, ways: dict[int, Way], guesses: dict[int, ColumnType], axes: set[int], measures: set[int]
    ) -> None:
        self.ways = ways
        self.guesses = guesses
        self._axes = axes
        self._measures = measures

    @classmethod
    def of(cls, raw: RawBand, stream: Stream, complete: bool) -> Sample:
        """Look at the sample of *stream*."""
        table = stream.sample()
        glances = max(GLANCE_MIN, min(GLANCE_MAX, GLANCE_CELLS // max(1, len(raw.columns))))
        encoded = [
            encode(column, raw.null_values, kind_of(raw, position))
            for position, column in enumerate(table.columns)
        ]
        evidence = [
            _glance(column, one, raw, position, glances)
            for position, (column, one) in enumerate(zip(table.columns, encoded, strict=True))
        ]
        columns, _ = decide_types(raw, evidence)
        ways: dict[int, Way] = {}
        kinds = stream.schema.types
        measures: set[int] = set()
        axes: list[int] = []
        for position, (column, one, found) in enumerate(zip(columns, encoded, evidence, strict=True)):
            few = len(one.counts) <= DISTINCT_MAX + TOTAL_ROWS_MAX
            ways[position] = _way(column, kinds[position], few, found, complete)
            if column.type == "number":
                role = counting.count(column, found, _some(one.counts, glances), glances, False).role
                if role in roles.SUMMABLE:
                    measures.add(position)
                elif role in roles.CATEGORICAL and ways[position] == "encoded":
                    axes.append(position)
            elif ways[position] == "encoded" or column.type in ("date", "datetime"):
                axes.append(position)
        guesses = dict(enumerate(columns))
        return cls(ways, guesses, _likely(axes, encoded, guesses, len(measures), table.num_rows), measures)

    def plan(self) -> Plan:
        """The first pass: every column, and every sum that is likely to be needed."""
        return Plan(dict(self.ways), self.guesses, tuple(sorted(self._axes)), tuple(sorted(self._measures)))

    def replan(self, plan: Plan, overflown: Mapping[int, Way]) -> Plan:
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

    def plan_for(self, missing: set[tuple[int, int]], reread: set[int]) -> Plan:
        """A pass for the *missing* (axis, measure) sums, and for columns to be read again."""
        axes = tuple(sorted({axis for axis, _ in missing}))
        measures = tuple(sorted({measure for _, measure in missing}))
        return self._restricted({*axes, *measures, *reread}, axes, measures)

    def _restricted(self, positions: set[int], axes: Sequence[int], measures: Sequence[int]) -> Plan:
        ways = {position: self.ways[position] for position in sorted(positions)}
        return Plan(ways, self.guesses, tuple(axes), tuple(measures))


def _likely(
    positions: Sequence[int],
    encoded: Sequence[Encoded],
    guesses: Mapping[int, ColumnType],
    measures: int,
    rows: int,
) -> set[int]:
    """The axes, of *rows* sampled rows, that `statistics.axes_of` is likely to have a place for."""
    if sum_count([len(encoded[position].counts) + 1 for position in positions], measures) <= SUMS_MAX:
        return set(positions)
    enumerations, periods, leaders = {}, {}, {}
    for position in positions:
        column, one = guesses[position], encoded[position]
        distinct, null = len(one.counts), one.nulls > 0
        if column.type in ("date", "datetime"):
            periods[position] = _periods(one.counts, column) + null
        elif ENUMERATION_MIN <= distinct <= ENUMERATION_MAX:
            enumerations[position] = distinct + null
        elif ENUMERATION_MAX < distinct <= rows // 2:
            leaders[position] = distinct + null
    sizes = {**enumerations, **periods, **leaders}
    order = list(sizes)
    return {order[index] for index in within_sums_max(list(sizes.values()), measures)}


def _periods(cells: Mapping[Cell, int], column: ColumnType) -> int:
    """How many months or, where those are too many, years the *cells* of a date column are of."""
    months = {str(moment)[:7] for moment in read_cells(cells, column) if moment is not None}
    return len(months) if len(months) <= MONTHS_MAX else len({month[:4] for month in months})


def _glance(
    column: pa.ChunkedArray, part: Encoded, raw: RawBand, position: int, glances: int
) -> ColumnEvidence:
    """What the sample suggests of a column: a guess does not need to look at each of its cells."""
    import pyarrow as pa

    name, is_declared = raw.columns[position], kind_of(raw, position) is not None
    if pa.types.is_floating(column.type):
        return native_numbers(column, ColumnType(name, "number", null_values=raw.null_values)).evidence
    return observe(_some(part.counts, glances), name, compact=is_declared or None)


def _some(counts: Mapping[Cell, int], most: int) -> dict[Cell, int]:
    """At most *most* of the distinct cells, evenly chosen."""
    step = -(-len(counts) // most) or 1
    return dict(islice(counts.items(), 0, None, step))


def _way(column: ColumnType, kind: pa.DataType, few: bool, evidence: ColumnEvidence, complete: bool) -> Way:
    if few or (column.declared and column.type == "boolean"):
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
