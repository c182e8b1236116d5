"""
Prints where the processor time of one large file's context goes: `python -m benchmarks.hot_path FILE`.

Stage by stage, and within the pass column by column, in one thread: what the threads of a real run share. Seconds
of a whole run are those of `python -m benchmarks`.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from datasources.base import Lists
from datasources.concurrently import reuse_memory
from datasources.exceptions import SourceError
from datasources.load import read_bands
from datasources.options import ReadOptions
from datasources.spaced_rows import spaced_rows
from engine.band import Band
from engine.batch import prepare_kernels
from engine.columns import ColumnType
from engine.cubes import AxisCodes, Measure, sum_by_axes
from engine.encoded import encode, encoded_numbers
from engine.excerpt import ROWS_MAX
from engine.moments import read_moments
from engine.passes import read_numbers
from engine.plan import Plan, Sample
from engine.statistics import BandStatistics
from engine.wide_text import wide_text

PARTS = 8
"""So many parts tell what all of them cost."""


class Clock:
    """Adds up processor time by what it was spent on."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)

    @contextmanager
    def on(self, what: str) -> Iterator[None]:
        """Time what is done meanwhile."""
        start = time.process_time()
        try:
            yield
        finally:
            self.spent[what] += time.process_time() - start


def main() -> None:
    """Print the stages in seconds, and those of the pass in nanoseconds a row."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hot_path", description=__doc__)
    parser.add_argument("file")
    asked = parser.parse_args()
    os.environ["POLARS_MAX_THREADS"] = "1"
    reuse_memory()
    clock = Clock()
    with clock.on("open: libraries, and of a CSV file two looks at every byte"):
        try:
            (raw,) = read_bands([asked.file], ReadOptions())
        except SourceError as error:
            raise SystemExit(str(error)) from error
        prepare_kernels(raw)
    stream = raw.cells
    if isinstance(stream, Lists):
        raise SystemExit(f"{asked.file} is small: its context is made without a pass.")
    with clock.on("sample and plan"):
        sample = Sample.of(raw, stream, complete=False)
    plan = sample.plan()
    wanted = [position for position, way in plan.ways.items() if way != "skipped"]
    encoded = [position for position, way in plan.ways.items() if way == "encoded"]
    within, rows = Clock(), 0
    for read in islice(stream.parts(wanted, encoded), PARTS):
        with within.on(f"decode: {len(wanted)} columns of {len(plan.ways)}"):
            table = read()
        rows += table.num_rows
        read_part(dict(zip(wanted, table.columns, strict=True)), plan, raw.null_values, within)
    with clock.on("excerpt"):
        columns = tuple(sample.guesses[position] for position in range(len(raw.columns)))
        band = Band((raw.name,), raw, columns, BandStatistics(raw.rows, (), {}), (), ())
        band.take(spaced_rows(raw.rows, ROWS_MAX))
    print(f"{raw.rows:,} rows")
    for what, seconds in clock.spent.items():
        print(f"{seconds:8.2f} s  {what} ({seconds / raw.rows * 1e9:.0f} ns a row)")
    print(
        f"{sum(within.spent.values()) / rows * raw.rows:8.2f} s  the pass, in ns a row of its first {rows:,}:"
    )
    for what, seconds in sorted(within.spent.items(), key=lambda item: -item[1]):
        print(f"{seconds / rows * 1e9:10.0f}  {what}")


def read_part(columns: dict[int, object], plan: Plan, nulls: tuple[str, ...], clock: Clock) -> None:
    """What `engine.passes` does with a part, each column timed by the way it is read."""
    axes: dict[int, AxisCodes] = {}
    measures: dict[int, Measure] = {}
    count = {way: list(plan.ways.values()).count(way) for way in plan.ways.values()}
    for position, column in columns.items():
        guess, way = plan.guesses[position], plan.ways[position]
        label = f"{way}: {count[way]} columns" if way != "numbers" else f"numbers: {guess.name}"
        with clock.on(label):
            found = _read(column, guess, way, nulls)
        match way:
            case "encoded":
                axes[position] = AxisCodes(found.codes, len(found.keys))
                if position in plan.measures:
                    measures[position] = encoded_numbers(found, guess)
            case "numbers":
                measures[position] = found.values
            case "moments":
                axes[position] = AxisCodes(found.codes, len(found.days))
    with clock.on(f"group sums: {len(plan.axes)} fields by {len(plan.measures)} measures"):
        sum_by_axes(
            {position: axes[position] for position in plan.axes if position in axes},
            [measures[position] for position in plan.measures],
        )


def _read(column: Any, guess: ColumnType, way: str, nulls: tuple[str, ...]) -> Any:
    # Each way gives a class of its own, and Arrow has no types.
    readers: dict[str, Callable[[], Any]] = {
        "encoded": lambda: encode(column, nulls, guess.declared_type),
        "numbers": lambda: read_numbers(column, guess),
        "moments": lambda: read_moments(column, guess),
        "text": lambda: wide_text(column, guess.name, nulls),
    }
    return readers[way]()


if __name__ == "__main__":
    main()
