"""Writes results as a plain table, as Markdown for the README, and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.machine import Machine
from benchmarks.measure import QUIET_CORES
from benchmarks.question import Result, significant

HEADINGS = ("question", "rows", "ours", "peer", "ratio [least, most]", "target", "reached")
NOTES = (
    "Ratios are medians over pairs of neighbouring runs. "
    "(yes) and (no): the target is stated for another number of rows."
)
DISTURBED = "~: other processes used more than a quarter of a core meanwhile."


class NoPlace(Exception):
    """The README has no marked place for these figures."""


def plain_table(results: Sequence[Result]) -> str:
    """The table in columns."""
    lines = [HEADINGS, *(_cells(result) for result in results)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, tuple("-" * width for width in widths))
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def markdown_table(results: Sequence[Result]) -> str:
    """The table for the README."""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *(_cells(result) for result in results)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def notes(results: Sequence[Result]) -> str:
    """What a reader of the table has to know."""
    return f"{NOTES} {DISTURBED}" if any(map(_is_disturbed, results)) else NOTES


def json_text(results: Sequence[Result], machine: Machine, rows: int) -> str:
    """Everything, for programs."""
    lines = [{**asdict(result), "reached": result.reached} for result in results]
    document = {"machine": machine._asdict(), "rows": rows, "results": lines}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def write_readme(path: Path, results: Sequence[Result], machine: Machine, rows: int) -> None:
    """Replace the figures for *rows* rows, between two HTML comments; raises NoPlace."""
    start, end = f"<!-- figures of {rows} rows -->", "<!-- end of figures -->"
    text = path.read_text(encoding="utf-8")
    figures = f"{start}\n\n{machine}.\n\n{markdown_table(results)}\n\n{notes(results)}\n\n{end}"
    pattern = re.compile(f"{re.escape(start)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(text):
        raise NoPlace(
            f"{path.name} has no place for figures of {rows:,} rows: add the lines {start} and {end}."
        )
    path.write_text(pattern.sub(lambda _: figures, text), encoding="utf-8")


def _cells(result: Result) -> tuple[str, ...]:
    mark = "~" if _is_disturbed(result) else ""
    ours, compared = str(result.ours), ""
    if result.ratio is None:
        ours = mark + ours
    else:
        middle, low, high = map(significant, result.ratio)
        compared = f"{mark}{middle}× {result.ratio_means} [{low}, {high}]"
    return (
        result.question,
        "" if result.rows is None else f"{result.rows:,}",
        ours,
        "" if result.peer is None else f"{result.peer_name}: {result.peer}",
        compared,
        "-" if result.target is None else str(result.target),
        result.reached,
    )


def _is_disturbed(result: Result) -> bool:
    return (result.foreign or 0) > QUIET_CORES
