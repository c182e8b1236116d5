"""How long the command takes on a small file from nothing, beside an interpreter that does nothing."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from benchmarks.measure import run_process, run_rounds
from benchmarks.peers import context_command
from benchmarks.question import Options, Quantity, Result, Target
from benchmarks.small_report import small_report

ROWS = 200
REPEAT_MIN = 15
"""A start is short, and its time uneven."""
HEAVY = ("polars", "duckdb", "pyarrow", "numpy", "pandas", "pydantic", "rich")
"""Libraries that a small report can do without."""
COUNT_HEAVY = f"import engine, sys; print(len(sys.modules.keys() & {set(HEAVY)!r}))"


def run(options: Options) -> list[Result]:
    """The command, and the import of the engine alone."""
    sides = {
        "command": context_command(_small_csv(options.folder)),
        "import": [sys.executable, "-c", "import engine"],
        "nothing": [sys.executable, "-c", "pass"],
    }
    rounds = run_rounds(sides, max(options.repeat, REPEAT_MIN), options.gate)
    nothing = Quantity(rounds.median("nothing"), "s")
    labels = {
        "command": (f"the command on {ROWS} rows, cold", Target("at most", 0.15, "s")),
        "import": ("import engine", None),
    }
    started = [
        Result(
            label,
            Quantity(rounds.median(side), "s"),
            "python -c pass",
            nothing,
            rounds.ratio(side, "nothing"),
            "its time",
            target,
            foreign=rounds.foreign,
        )
        for side, (label, target) in labels.items()
    ]
    loaded = float(run_process([sys.executable, "-c", COUNT_HEAVY]).output)
    return [
        *started,
        Result(
            "heavy libraries after import engine",
            Quantity(loaded, "modules"),
            target=Target("at most", 0, "modules"),
        ),
    ]


def _small_csv(folder: Path) -> Path:
    (records,) = small_report(1, ROWS, seed=1).values()
    path = folder / f"pequeno_{ROWS}.csv"
    folder.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(records[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(records)
    return path
