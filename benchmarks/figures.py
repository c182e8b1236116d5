"""Writes figures into the marked places of a README."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.table import NoPlace

END = "<!-- end of figures -->"


def markdown(headings: Sequence[str], lines: Iterable[Sequence[str]], numbers_from: int | None = None) -> str:
    """A table; the columns from *numbers_from* on are numbers, which stand to the right."""
    names = len(headings) if numbers_from is None else numbers_from
    rule = ["---" if column < names else "---:" for column in range(len(headings))]
    return "\n".join(_line(cells) for cells in (headings, rule, *lines))


def _line(cells: Sequence[str]) -> str:
    inner = " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {inner} |"


def write_figures(path: Path, name: str, figures: str) -> None:
    """Replace what stands between `<!-- figures of name -->` and the next end of figures; raises NoPlace."""
    start = f"<!-- figures of {name} -->"
    text = path.read_text(encoding="utf-8")
    pattern = re.compile(f"{re.escape(start)}.*?{re.escape(END)}", re.DOTALL)
    if not pattern.search(text):
        raise NoPlace(f"{path.name} has no place for figures of {name}: add the lines {start} and {END}.")
    whole = f"{start}\n\n{figures}\n\n{END}"
    path.write_text(pattern.sub(lambda _: whole, text), encoding="utf-8")
