"""Whether memory stays and time only grows in step when a table has ten times the rows."""

from __future__ import annotations

from pathlib import Path

from benchmarks.files import ensure_table
from benchmarks.measure import peak, run_rounds
from benchmarks.peers import context_command
from benchmarks.question import FULL_ROWS, MEGA, Options, Quantity, Result, Target


def run(options: Options) -> list[Result]:
    """Our context of both kinds of file, beside a tenth of their rows."""
    few, many = (ensure_table(options.folder, rows) for rows in (options.rows // 10, options.rows))
    return [
        *_compare("Parquet", few.parquet, many.parquet, options),
        *_compare("CSV", few.csv, many.csv, options),
    ]


def _compare(kind: str, few: Path, many: Path, options: Options) -> list[Result]:
    sides = {"few": context_command(few), "many": context_command(many)}
    rounds = run_rounds(sides, options.repeat, options.gate)
    rows, foreign = options.rows, rounds.foreign
    beside = f"{rows // 10:,} rows"
    memory, memory_of_few = (Quantity(rounds.median(side, peak), "bytes") for side in ("many", "few"))
    time, time_of_few = (Quantity(rounds.median(side), "s") for side in ("many", "few"))
    small = Target("at most", 600 * MEGA, "bytes", FULL_ROWS)
    steady = Target("at most", 1.2, rows=FULL_ROWS)
    linear = Target("at most", 10, rows=FULL_ROWS)
    growth, slowdown = rounds.ratio("many", "few", peak), rounds.ratio("many", "few")
    return [
        Result(f"peak memory for a {kind} file", memory, target=small, rows=rows, foreign=foreign),
        Result(
            f"peak memory for a {kind} file",
            memory,
            beside,
            memory_of_few,
            growth,
            "its memory",
            steady,
            rows,
            foreign,
        ),
        Result(
            f"time for a {kind} file", time, beside, time_of_few, slowdown, "its time", linear, rows, foreign
        ),
    ]
