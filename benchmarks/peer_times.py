"""Times each peer on the same CSV file beside our whole context: whole processes, in turn."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.files import ensure_table
from benchmarks.measure import (
    QUIET_CORES,
    MeasureError,
    QuietGate,
    Rounds,
    Run,
    Spread,
    peak,
    run_process,
    run_rounds,
)
from benchmarks.peer_environments import Environment, NotInstalled
from benchmarks.peer_tools import timed_command
from benchmarks.peers import context_command

OURS = "lastro"
OUR_LABEL = "lastro context"
SLOW_S = 45.0
"""A tool whose first run takes longer is not run again."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one tool took on one file, and how much memory; a reason where it did not come to an end."""

    label: str
    version: str
    rows: int
    wall_s: float | None = None
    peak_bytes: float | None = None
    times_ours: Spread | None = None
    """Its time as a multiple of ours, run by run beside ours; medians and extremes."""
    runs: int = 0
    foreign: float | None = None
    """Cores that other processes used meanwhile."""
    reason: str = ""

    @property
    def is_disturbed(self) -> bool:
        """Whether other processes used more than a little."""
        return (self.foreign or 0) > QUIET_CORES


def run(
    environments: Mapping[str, Environment | NotInstalled],
    folder: Path,
    sizes: Sequence[int],
    repeat: int,
    limit_s: float,
    gate: QuietGate,
    our_version: str,
) -> list[Timing]:
    """Every tool on every size, ours first; raises MeasureError when our own command fails."""
    labels = {OURS: (OUR_LABEL, our_version)}
    labels |= {name: (one.tool.label, one.tool.version) for name, one in environments.items()}
    timings = []
    for rows in sizes:
        file = ensure_table(folder, rows).csv
        commands = {OURS: context_command(file)}
        absent: dict[str, str] = {}
        for name, environment in environments.items():
            if isinstance(environment, NotInstalled):
                absent[name] = f"not installed: {environment.reason}"
            else:
                commands[name] = timed_command(environment, file)
        measured = measure_sides(commands, repeat, limit_s, gate) | absent
        timings += [_timing(*labels[name], rows, measured[name], measured[OURS]) for name in labels]
    return timings


def measure_sides(
    commands: Mapping[str, Sequence[str]], repeat: int, limit_s: float, gate: QuietGate
) -> dict[str, Rounds | str]:
    """
    Each command's runs, or the reason why there are none; OURS is among them, and must not fail.

    The first round finds who ends within *limit_s*. It counts for those that are slow, and is a warm-up for the rest.
    """
    measured: dict[str, Rounds | str] = {}
    quick: dict[str, Sequence[str]] = {}
    for name, command in commands.items():
        first = _run_within(command, limit_s, gate)
        if isinstance(first, str):
            if name == OURS:
                raise MeasureError(f"lastro context did not end: {first}")
            measured[name] = first
        elif first.wall_s > SLOW_S and name != OURS:
            measured[name] = Rounds({name: (first,)})
        else:
            quick[name] = command
    rounds = run_rounds(quick, repeat, gate, warm_up=False)
    for name in quick:
        measured[name] = Rounds({side: rounds.runs[side] for side in {name, OURS}})
    return measured


def _run_within(command: Sequence[str], limit_s: float, gate: QuietGate) -> Run | str:
    start = time.monotonic()
    try:
        return run_process(command, gate, limit_s)
    except MeasureError as error:
        if time.monotonic() - start >= limit_s:
            return f"not done after {limit_s:.0f} s"
        return f"fails: {str(error).splitlines()[-1]}"


def _timing(label: str, version: str, rows: int, side: Rounds | str, ours: Rounds | str) -> Timing:
    if isinstance(side, str):
        return Timing(label, version, rows, reason=side)
    assert isinstance(ours, Rounds)
    name = next((name for name in side.runs if name != OURS), OURS)
    runs = side.runs[name]
    if OURS in side.runs:
        ratio = side.ratio(name, OURS)
    else:
        ratio = Spread.of([run.wall_s / ours.median(OURS) for run in runs])
    return Timing(
        label,
        version,
        rows,
        side.median(name),
        side.median(name, peak),
        ratio if name != OURS else None,
        len(runs),
        side.foreign,
    )
