"""
Runs the whole context of files that are larger than memory: `python -m benchmarks.very_large`.

A hundred million rows, 4 GB of Parquet and then 24 GB of CSV, beside a tenth of them. Each file is written,
read twice and removed, also when the run is interrupted.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks import arguments
from benchmarks.files import FOLDER, KINDS, ROOT, Kind, NotWritten, ensure_table, table_files, write_table
from benchmarks.machine import this_machine
from benchmarks.measure import MeasureError, QuietGate, Rounds, Run, cpu, peak, run_process
from benchmarks.peers import context_command
from benchmarks.question import GIGA, MEGA, Quantity, Result, Target
from benchmarks.table import NoPlace, json_text, notes, plain_table, write_readme

README = ROOT / "benchmarks" / "README.md"
ROWS = 100 * MEGA
FREE_BYTES_A_ROW = 400
"""A row of the CSV file takes 240 bytes, and others want room meanwhile: 40 GB for a hundred million."""
TIMES_FEWER = 10
RUNS = 2
"""One run more than to see whether it works; each takes minutes."""
TIMEOUT_S = 3 * 3600.0
NAMES = {"csv": "CSV", "parquet": "Parquet"}


def main() -> int:
    """Check the room, measure and print; 1 when a command failed, 2 when there is no room."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.very_large", description=__doc__)
    parser.add_argument(
        "--rows", type=arguments.rows, default=ROWS, help=f"rows of the largest table (default {ROWS})"
    )
    parser.add_argument(
        "--folder", type=arguments.folder, default=str(FOLDER), help="where the tables are written"
    )
    parser.add_argument("--only", choices=KINDS, help="this kind of file only")
    parser.add_argument("--out", type=arguments.new_file, help="a JSON file for the results")
    parser.add_argument("--write-readme", action="store_true", help="put the table into benchmarks/README.md")
    asked = parser.parse_args()
    folder = asked.folder
    if message := lack_of_room(folder, asked.rows):
        print(message, file=sys.stderr)
        return arguments.EXIT_REFUSED
    machine = this_machine()
    print(f"{machine}\n{asked.rows:,} rows, {RUNS} runs of each side\n", flush=True)
    kinds: Sequence[Kind] = [asked.only] if asked.only else ("parquet", "csv")
    results: list[Result] = []
    try:
        for kind in kinds:
            results += measure(kind, asked.rows, folder)
            print(f"{plain_table(results)}\n", flush=True)
        print(notes(results), flush=True)
        if asked.out:
            asked.out.write_text(json_text(results, machine, asked.rows), encoding="utf-8")
        if asked.write_readme:
            write_readme(README, results, machine, asked.rows)
    except (MeasureError, NotWritten, NoPlace) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def lack_of_room(folder: Path, rows: int) -> str | None:
    """What is wrong where the disk of *folder* has too little room for *rows* rows."""
    needed, free = rows * FREE_BYTES_A_ROW, shutil.disk_usage(folder).free
    if free >= needed:
        return None
    return (
        f"{rows:,} rows need {needed / GIGA:.0f} GB of free disk, and {folder} has {free / GIGA:.0f} GB: "
        "make room, or name another --folder."
    )


def measure(kind: Kind, rows: int, folder: Path) -> list[Result]:
    """Time and memory of the context of *rows* rows, beside a tenth of them."""
    few = getattr(ensure_table(folder, rows // TIMES_FEWER), kind)
    with written_for_now(kind, rows, folder) as many:
        gate = QuietGate(0)
        sides = {"few": few, "many": many}
        runs: dict[str, list[Run]] = {side: [] for side in sides}
        for number in range(RUNS):
            for side, file in sides.items():
                print(f"context of {file.name}, run {number + 1} of {RUNS} …", file=sys.stderr, flush=True)
                runs[side].append(run_process(context_command(file), gate, TIMEOUT_S))
        size = many.stat().st_size
    return _results(kind, rows, size, Rounds({side: tuple(done) for side, done in runs.items()}))


def _results(kind: Kind, rows: int, size: int, rounds: Rounds) -> list[Result]:
    label, beside = NAMES[kind], f"{rows // TIMES_FEWER:,} rows"
    time, time_of_few = (Quantity(rounds.median(side), "s") for side in ("many", "few"))
    memory, memory_of_few = (Quantity(rounds.median(side, peak), "bytes") for side in ("many", "few"))
    further = {"file_bytes": float(size), "cpu_s": rounds.median("many", cpu)}
    # Ten times the rows are ten times the work; what does not grow with them is on top.
    linear, steady = Target("at most", TIMES_FEWER * 1.05, rows=ROWS), Target("at most", 1.2, rows=ROWS)
    slowdown, growth = rounds.ratio("many", "few", cpu), rounds.ratio("many", "few", peak)
    return [
        Result(
            f"context of a {label} file (ratio of processor time)",
            *(time, beside, time_of_few, slowdown, "its time", linear, rows, rounds.foreign, further),
        ),
        Result(
            f"peak memory for a {label} file",
            *(memory, beside, memory_of_few, growth, "its memory", steady, rows, rounds.foreign),
        ),
        Result(
            f"peak memory for a {label} file",
            memory,
            target=Target("at most", 600 * MEGA, "bytes", ROWS),
            rows=rows,
            foreign=rounds.foreign,
        ),
    ]


@contextmanager
def written_for_now(kind: Kind, rows: int, folder: Path) -> Iterator[Path]:
    """The table of *rows* rows as a file of *kind*; unless it was there before, it is removed at the end."""
    path: Path = getattr(table_files(folder, rows), kind)
    if path.exists():
        yield path
        return
    try:
        write_table(folder, rows, kind)
        yield path
    finally:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(arguments.run(main, "interrupted: what was written for this run is removed."))
