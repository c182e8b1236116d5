"""What it saves to compute all facts together, instead of by one query for each enumeration and number."""

from __future__ import annotations

from benchmarks.files import ensure_table
from benchmarks.measure import run_rounds
from benchmarks.peers import context_command, peer_command
from benchmarks.question import MEGA, Options, Quantity, Result, Target


def run(options: Options) -> list[Result]:
    """The same facts both ways (`benchmarks.check` compares them), from at most a million rows."""
    rows = min(options.rows, MEGA)
    file = ensure_table(options.folder, rows).parquet
    sides = {"ours": context_command(file), "pairs": peer_command("pair_queries", file)}
    rounds = run_rounds(sides, options.repeat, options.gate)
    return [
        Result(
            "context of a Parquet file",
            Quantity(rounds.median("ours"), "s"),
            "DuckDB, a query a pair, same facts",
            Quantity(rounds.median("pairs"), "s"),
            rounds.ratio("pairs", "ours"),
            "as fast",
            Target("at least", 10, rows=MEGA),
            rows,
            rounds.foreign,
        )
    ]
