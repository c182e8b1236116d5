"""How long the whole context of a large CSV file takes, beside tools that do less."""

from __future__ import annotations

from benchmarks.files import ensure_table
from benchmarks.large_file import faster_than, memory_of, run_beside_peers, time_of
from benchmarks.question import FULL_ROWS, Options, Result, Target


def run(options: Options) -> list[Result]:
    """Time and memory against DuckDB and polars, and against merely reading the file."""
    rows = options.rows
    rounds = run_beside_peers(ensure_table(options.folder, rows).csv, options)
    return [
        faster_than(
            "summarize", rounds, "context of a CSV file", rows, Target("at least", 1.8, rows=FULL_ROWS)
        ),
        faster_than("describe", rounds, "context of a CSV file", rows),
        memory_of("describe", rounds, "memory for a CSV file", rows),
        time_of("decode", rounds, "context of a CSV file", rows),
    ]
