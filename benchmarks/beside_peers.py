"""Puts Lastro beside other tools and other formats: `python -m benchmarks.beside_peers`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import answers, arguments, correctness, peer_times
from benchmarks.answer_texts import WrongAnswer
from benchmarks.figures import markdown, write_figures
from benchmarks.files import FOLDER, ROOT, NotWritten
from benchmarks.installed import ensure_installed
from benchmarks.machine import Machine, this_machine
from benchmarks.measure import MeasureError, QuietGate
from benchmarks.peer_environments import Environment, NotInstalled, Tool, ensure_environments, listed_tools
from benchmarks.question import MEGA, Quantity, significant
from benchmarks.table import DISTURBED, NoPlace

README = ROOT / "benchmarks" / "README.md"
TOKENIZER = "tokens"
SECTIONS = ("times", "correctness", "answers")
SIZES = (100_000, MEGA)


def build_parser() -> argparse.ArgumentParser:
    """The options of a run."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.beside_peers", description="Put Lastro beside other tools and formats."
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=SECTIONS,
        metavar="NAME",
        help=f"one of {', '.join(SECTIONS)}; repeatable",
    )
    parser.add_argument(
        "--rows",
        action="append",
        type=arguments.rows,
        help="rows of the table that is timed; repeatable (100000 and 1000000)",
    )
    parser.add_argument("--repeat", type=arguments.times, default=3, help="runs of each side (default 3)")
    parser.add_argument(
        "--limit", type=arguments.seconds, default=180, help="seconds that a run may take (default 180)"
    )
    parser.add_argument(
        "--patience",
        type=arguments.seconds,
        default=120,
        help="seconds in all to wait for a quiet machine (default 120)",
    )
    parser.add_argument("--tables-max", type=int, metavar="ROWS", help="leave out larger tables of `answers`")
    parser.add_argument(
        "--folder",
        type=arguments.folder,
        default=str(FOLDER),
        help="where tables and the environments of tools are kept",
    )
    parser.add_argument("--out", type=arguments.new_file, help="a JSON file for the results")
    parser.add_argument(
        "--write-readme", action="store_true", help="put the tables into benchmarks/README.md"
    )
    return parser


def main() -> int:
    """Measure, read and count, and print the tables; 1 when our own command failed or an answer is wrong."""
    asked = build_parser().parse_args()
    folder: Path = asked.folder
    machine = this_machine()
    environments = ensure_environments(listed_tools().values(), folder)
    document: dict[str, Any] = {"machine": machine._asdict(), "tools": tools_listed(environments)}
    try:
        ensure_installed()
        # Times first: what we load later would count as memory of the processes that we start.
        for section in [name for name in SECTIONS if name in (asked.only or SECTIONS)]:
            print(f"{section} …", file=sys.stderr, flush=True)
            results, figures = _ask(section, asked, folder, environments, machine)
            document[section] = results
            print(f"\n{figures}", flush=True)
            if asked.write_readme:
                write_figures(README, section, f"{machine}.\n\n{figures}")
    except (MeasureError, NotWritten, NoPlace, WrongAnswer) as error:
        print(error, file=sys.stderr)
        return 1
    if asked.out:
        asked.out.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return 0


def tools_listed(environments: Mapping[str, Environment | NotInstalled]) -> list[dict[str, object]]:
    """The tools with their versions, and the reason where one is missing."""
    return [
        {**asdict(one.tool), "missing": one.reason if isinstance(one, NotInstalled) else None}
        for one in environments.values()
    ]


def _ask(
    section: str,
    asked: argparse.Namespace,
    folder: Path,
    environments: Mapping[str, Environment | NotInstalled],
    machine: Machine,
) -> tuple[list[dict[str, Any]], str]:
    """The results for programs, and the figures for people."""
    peers = {name: one for name, one in environments.items() if name != TOKENIZER}
    match section:
        case "times":
            gate, sizes = QuietGate(asked.patience), asked.rows or SIZES
            version = machine.versions["lastro"]
            timings = peer_times.run(peers, folder, sizes, asked.repeat, asked.limit, gate, version)
            return [asdict(timing) for timing in timings], times_figures(timings)
        case "correctness":
            readings = correctness.run(peers, folder)
            return [asdict(reading) for reading in readings], correctness_figures(readings)
        case _:
            tokenizer = environments[TOKENIZER]
            tables = answers.run(folder, tokenizer, asked.tables_max)
            return [asdict(table) for table in tables], answers_figures(tables, tokenizer)


def times_figures(timings: Sequence[peer_times.Timing]) -> str:
    """One line a tool, and for each size its time, as a multiple of ours, its memory and its runs."""
    sizes = list(dict.fromkeys(timing.rows for timing in timings))
    headings = ["tool", "version"]
    for rows in sizes:
        headings += [f"{rows:,} rows", "× ours [least, most]", "memory", "runs"]
    lines = []
    for label, version in dict.fromkeys((timing.label, timing.version) for timing in timings):
        line = [label, version]
        for timing in timings:
            if timing.label == label:
                line += _time_cells(timing)
        lines.append(line)
    table = markdown(headings, lines, numbers_from=2)
    return f"{table}\n\n{DISTURBED}" if any(timing.is_disturbed for timing in timings) else table


def _time_cells(timing: peer_times.Timing) -> list[str]:
    if timing.wall_s is None or timing.peak_bytes is None:
        return [timing.reason, "", "", ""]
    mark = "~" if timing.is_disturbed else ""
    ratio = ""
    if timing.times_ours is not None:
        middle, low, high = map(significant, timing.times_ours)
        ratio = f"{middle} [{low}, {high}]" if timing.runs > 1 else middle
    wall, peak = Quantity(timing.wall_s, "s"), Quantity(timing.peak_bytes, "bytes")
    return [f"{mark}{wall}", ratio, str(peak), str(timing.runs)]


def correctness_figures(readings: Sequence[correctness.ToolReading]) -> str:
    """One line a tool: its word for the type of each column, and the verdict."""
    headings = ["tool", *(trap.heading for trap in correctness.TRAPS), "right"]
    lines = []
    for reading in readings:
        verdicts = list(map(str, reading.verdicts)) or [reading.reason, *[""] * (len(correctness.TRAPS) - 1)]
        lines.append([reading.label, *verdicts, f"{reading.right} of {len(correctness.TRAPS)}"])
    return markdown(headings, lines)


def answers_figures(tables: Sequence[answers.TableAnswers], tokenizer: Environment | NotInstalled) -> str:
    """The table of tables, the table of kinds, and what the tokens are."""
    estimated = [sum(table.estimated[name] for table in tables) for name in answers.FORMATS]
    each = ", ".join(f"{name} {number:,}" for name, number in zip(answers.FORMATS, estimated, strict=True))
    said = f"By the engine's own estimate, a third of the bytes, all tables have these tokens: {each}."
    tool: Tool = tokenizer.tool
    if isinstance(tokenizer, NotInstalled):
        said += f" {tool.label} could not be installed: {tokenizer.reason}."
    else:
        said += f" The tokens of the table are those of {tool.label} ({tool.packages[0]})."
    return "\n\n".join((answers.tables_table(tables), said, answers.kinds_table(tables)))


if __name__ == "__main__":
    sys.exit(arguments.run(main))
