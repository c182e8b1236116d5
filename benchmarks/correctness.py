"""
Shows what each tool makes of the cells that Brazilian reports are full of, by running it and reading its output.

No verdict is written by hand: a tool's own word for the type of a column, and the numbers that it prints of it, are
compared with what plain Python finds in the same file.
"""

from __future__ import annotations

import csv
import json
import math
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.check import Facts, plain_facts
from benchmarks.files import ROOT, ensure_table
from benchmarks.peer_environments import Environment, NotInstalled, Tool
from benchmarks.peer_tools import Reading, reading_command, reading_of
from benchmarks.peers import context_command

ROWS = 1000
TIME_ZONE = "America/Sao_Paulo"
"""Where these reports are read: a tool that shifts a midnight shows it here."""
TIMEOUT_S = 300.0
RELATIVE_ERROR = 1e-9
"""What is allowed to tools that count in floating point."""

Kind = Literal["text", "number", "date"]
KINDS: Sequence[tuple[Kind | Literal["other"], str]] = (
    ("date", r"date|time"),
    ("number", r"int|float|double|decimal|bignum|\bnum"),
    ("text", r"text|str|char|categorical"),
    ("other", r""),
)
"""How a tool's word for a type is read, the first that fits: `object of integer` is a number, `str` is text."""
VERBS: Mapping[str, str] = {"min": "min", "max": "max", "mean": "avg", "sum": "sum"}
"""The numbers that tools print, and our names for them."""
RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Trap:
    """A column whose cells are easily misread."""

    heading: str
    column: str
    kind: Kind
    """What its cells are."""


TRAPS = (
    Trap("codes like `060`", "cst", "text"),
    Trap("keys of 44 digits", "chave_nfe", "text"),
    Trap("`1.028,16`", "valor_total", "number"),
    Trap("`R$ 5,15`", "frete", "number"),
    Trap("`(264,35)`", "ajuste", "number"),
    Trap("midnight, `…T00:00:00.000Z`", "data_emissao", "date"),
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a tool made of one trap."""

    word: str
    """The tool's own word for the type."""
    outcome: str
    """`right`, or what is not."""

    def __str__(self) -> str:
        outcome = f"**{self.outcome}**" if self.outcome == RIGHT else self.outcome
        return f"{self.word}: {outcome}" if self.word else outcome


@dataclass(frozen=True, slots=True)
class ToolReading:
    """What a tool made of all traps; a reason instead where it could not be asked."""

    label: str
    verdicts: tuple[Verdict, ...] = ()
    reason: str = ""

    @property
    def right(self) -> int:
        """How many traps it passed."""
        return sum(verdict.outcome == RIGHT for verdict in self.verdicts)


def run(environments: Mapping[str, Environment | NotInstalled], folder: Path) -> list[ToolReading]:
    """Each tool's reading of the same file, ours first."""
    file = ensure_table(folder, ROWS).csv
    truth = {**plain_facts(file), **text_extremes(file)}
    ours = _printed([*context_command(file), "--json"])
    assert not isinstance(ours, Failure), ours.reason
    readings = [judged("lastro context", our_reading(ours), truth)]
    for name, environment in environments.items():
        readings.append(_read_by(name, environment, file, truth))
    return readings


def _read_by(name: str, environment: Environment | NotInstalled, file: Path, truth: Facts) -> ToolReading:
    tool: Tool = environment.tool
    if isinstance(environment, NotInstalled):
        return ToolReading(tool.label, reason=f"not installed: {environment.reason}")
    printed = _printed(reading_command(environment, file))
    if isinstance(printed, Failure):
        return ToolReading(tool.label, reason=printed.reason)
    return judged(tool.label, reading_of(name, printed), truth)


def judged(label: str, reading: Reading, truth: Facts) -> ToolReading:
    """The verdicts on a reading."""
    return ToolReading(label, tuple(judge(trap, reading.get(trap.column, {}), truth) for trap in TRAPS))


def judge(trap: Trap, said: Mapping[str, str], truth: Facts) -> Verdict:
    """
    The verdict on what a tool said of one column.

    A tool that prints no number of a column is judged by its word for the type alone.
    """
    if "error" in said:
        return Verdict("", f"fails: {said['error'].partition(':')[0]}")
    if "type" not in said:
        return Verdict("", "not shown")
    word, kind = said["type"], kind_of(said["type"])
    printed = {
        fact: said[fact] for fact, verb in VERBS.items() if fact in said and (trap.column, verb) in truth
    }
    wrong = [
        f"{fact} is {value}, not {expected}"
        for fact, value in printed.items()
        if not _agree(fact, trap.kind, value, expected := truth[trap.column, VERBS[fact]])
    ]
    match trap.kind, kind:
        case ("text", "text"):
            # Not every `min` of a text is a text: one tool means its length.
            return Verdict(word, RIGHT)
        case ("text", "number"):
            kept = "" if not printed else ", digits lost" if wrong else ", digits kept"
            return Verdict(word, f"taken for a number{kept}")
        case (_, "text"):
            return Verdict(word, "left as text")
        case (wanted, found) if wanted == found:
            return Verdict(word, wrong[0] if wrong else RIGHT)
    return Verdict(word, "taken for something else")


def kind_of(word: str) -> str:
    """
    The kind that a tool's word for a type means; `other` if it is none of ours.

    >>> [kind_of(word) for word in ("VARCHAR", "Int64", "TIMESTAMP WITH TIME ZONE", "Boolean")]
    ['text', 'number', 'date', 'other']
    """
    return next(kind for kind, pattern in KINDS if re.search(pattern, word, re.IGNORECASE))


def text_extremes(file: Path) -> Facts:
    """The first and the last text of the columns that are text."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter=";"))
    columns = [trap.column for trap in TRAPS if trap.kind == "text"]
    return {
        (column, verb): extreme(row[column] for row in rows)
        for column in columns
        for verb, extreme in (("min", min), ("max", max))
    }


def our_reading(printed: str) -> Reading:
    """What `lastro context --json` says, in the words of the others."""
    (fields,) = (band["fields"] for band in json.loads(printed)["bands"])
    facts = {"type": "type", **VERBS}
    return {
        field["name"]: {fact: str(field[ours]) for fact, ours in facts.items() if field.get(ours) is not None}
        for field in fields
    }


def _agree(fact: str, kind: Kind, said: str, value: str) -> bool:
    match kind:
        case "text":
            return said == value
        case "date":
            return said.startswith(value)
        case "number":
            # The plain average is rounded to the cents that the column has.
            allowed = 0.005 if fact == "mean" else 0.0
            try:
                return math.isclose(float(said), float(value), rel_tol=RELATIVE_ERROR, abs_tol=allowed)
            except ValueError:
                return False


@dataclass(frozen=True, slots=True)
class Failure:
    """A tool that did not answer."""

    reason: str


def _printed(command: Sequence[str]) -> str | Failure:
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "TZ": TIME_ZONE},
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return Failure(f"no answer within {TIMEOUT_S:.0f} s")
    if done.returncode:
        return Failure(f"fails: {(done.stderr.strip() or 'no message').splitlines()[-1]}")
    return done.stdout
