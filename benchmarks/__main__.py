"""Runs the benchmarks: `python -m benchmarks`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping

from benchmarks import (
    access,
    arguments,
    cold_start,
    export,
    large_csv,
    large_parquet,
    memory_and_scaling,
    pair_queries,
    search_values,
    small_report,
    snapshot_write,
    tool_calls,
)
from benchmarks.check import check_command
from benchmarks.files import FOLDER, ROOT, NotWritten
from benchmarks.installed import ensure_installed
from benchmarks.machine import this_machine
from benchmarks.measure import MeasureError, QuietGate, run_process
from benchmarks.question import MEGA, Options, Result
from benchmarks.table import NoPlace, json_text, notes, plain_table, write_readme
from datasources.base import counted

QUESTIONS: Mapping[str, Callable[[Options], list[Result]]] = {
    "large_parquet": large_parquet.run,
    "large_csv": large_csv.run,
    "pair_queries": pair_queries.run,
    "memory_and_scaling": memory_and_scaling.run,
    "small_report": small_report.run,
    "cold_start": cold_start.run,
    "snapshot_write": snapshot_write.run,
    "export": export.run,
    "tool_calls": tool_calls.run,
    "search_values": search_values.run,
    "access": access.run,
}
README = ROOT / "benchmarks" / "README.md"


def build_parser() -> argparse.ArgumentParser:
    """The options of a run."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure Lastro beside other tools."
    )
    parser.add_argument(
        "--rows", type=arguments.rows, default=MEGA, help="rows of the large table (default 1000000)"
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=QUESTIONS,
        metavar="NAME",
        help=f"one of {', '.join(QUESTIONS)}; repeatable",
    )
    parser.add_argument("--repeat", type=arguments.times, default=5, help="runs of each side (default 5)")
    parser.add_argument(
        "--patience",
        type=arguments.seconds,
        default=120,
        help="seconds in all to wait for a quiet machine (default 120)",
    )
    parser.add_argument(
        "--folder", type=arguments.folder, default=str(FOLDER), help="where the tables are kept"
    )
    parser.add_argument("--out", type=arguments.new_file, help="a JSON file for the results")
    parser.add_argument("--write-readme", action="store_true", help="put the table into benchmarks/README.md")
    return parser


def main() -> int:
    """Check, measure and print; 1 when a fact is wrong or a command failed."""
    parser = build_parser()
    asked = parser.parse_args()
    if asked.write_readme and asked.only:
        parser.error("--write-readme needs all questions: leave out --only")
    options = Options(asked.rows, asked.repeat, asked.folder, QuietGate(asked.patience))
    machine = this_machine()
    print(
        f"{machine}\n{options.rows:,} rows, {counted(options.repeat, 'run', 'runs')} of each side\n",
        flush=True,
    )
    try:
        ensure_installed()
        print(run_process(check_command(options.rows, options.folder)).output, flush=True)
        results = ask(asked.only or QUESTIONS, options)
        if asked.out:
            asked.out.write_text(json_text(results, machine, options.rows), encoding="utf-8")
        if asked.write_readme:
            write_readme(README, results, machine, options.rows)
    except (MeasureError, NotWritten, NoPlace) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def ask(names: Iterable[str], options: Options) -> list[Result]:
    """Ask the questions, and print the table even when one fails; raises MeasureError then."""
    results: list[Result] = []
    try:
        for name in names:
            print(f"{name} …", file=sys.stderr, flush=True)
            results += QUESTIONS[name](options)
    finally:
        if results:
            print(f"{plain_table(results)}\n\n{notes(results)}", flush=True)
    return results


if __name__ == "__main__":
    sys.exit(arguments.run(main))
