"""
What it saves to compute all facts together, instead of by one query for each enumeration and number.

As whole processes, where loading libraries is most of our time, and as calls within a warm process, as a service or
a batch job makes them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from benchmarks.files import ensure_table
from benchmarks.measure import Metric, Rounds, Run, run_rounds, time_calls, wall
from benchmarks.peers import context_command, pair_queries, peer_command
from benchmarks.question import MEGA, Options, Quantity, Result, Target

CALLS = 3
"""In each warm process, of which the median counts."""
WARM_UP = 2
"""The first call loads libraries, the second still claims memory."""
TARGET = Target("at least", 10, rows=MEGA)


def run(options: Options) -> list[Result]:
    """The same facts both ways (`benchmarks.check` compares them), from at most a million rows."""
    rows = min(options.rows, MEGA)
    file = ensure_table(options.folder, rows).parquet
    whole = {"ours": context_command(file), "pairs": peer_command("pair_queries", file)}
    warm = {side: [sys.executable, "-m", "benchmarks.pair_queries", side, str(file)] for side in SIDES}
    return [
        _result("context of a Parquet file", rows, run_rounds(whole, options.repeat, options.gate), wall),
        _result(
            "context of a Parquet file, in a warm process",
            rows,
            run_rounds(warm, options.repeat, options.gate, warm_up=False),
            _call,
        ),
    ]


def _result(question: str, rows: int, rounds: Rounds, metric: Metric) -> Result:
    return Result(
        question,
        Quantity(rounds.median("ours", metric), "s"),
        "DuckDB, a query a pair, same facts",
        Quantity(rounds.median("pairs", metric), "s"),
        rounds.ratio("pairs", "ours", metric),
        "as fast",
        TARGET,
        rows,
        rounds.foreign,
    )


def _call(run: Run) -> float:
    return run.reported("median_s")


def ours(file: str) -> None:
    """From the file to the text, as the command does it."""
    from engine import materialize, profile_snapshot, take_excerpt
    from prompts import render_data_context

    snapshot = materialize([file], complete=False)
    print(render_data_context(profile_snapshot(snapshot), take_excerpt(snapshot)))


SIDES: Mapping[str, Callable[[str], object]] = {"ours": ours, "pairs": pair_queries}


def main(side: str, file: Path) -> None:
    """Time the calls in this process, and print what they took."""

    def call(_number: int) -> None:
        with redirect_stdout(StringIO()):
            SIDES[side](str(file))

    print(json.dumps(time_calls(call, CALLS, WARM_UP)._asdict()))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
