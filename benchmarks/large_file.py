"""Runs the whole context of one large file beside its peers, whatever the kind of file."""

from __future__ import annotations

from pathlib import Path

from benchmarks.measure import Rounds, cpu, peak, run_rounds, wall
from benchmarks.peers import context_command, peer_command
from benchmarks.question import Options, Quantity, Result, Target

PEER_NAMES = {
    "summarize": "DuckDB SUMMARIZE",
    "describe": "polars describe, value_counts",
    "decode": "polars, reading alone",
}


def run_beside_peers(file: Path, options: Options) -> Rounds:
    """Our context of *file*, and each peer, in turn."""
    sides = {"ours": context_command(file)} | {name: peer_command(name, file) for name in PEER_NAMES}
    return run_rounds(sides, options.repeat, options.gate)


def faster_than(peer: str, rounds: Rounds, question: str, rows: int, target: Target | None = None) -> Result:
    """How many times faster we are than *peer*."""
    return Result(
        question,
        Quantity(rounds.median("ours"), "s"),
        PEER_NAMES[peer],
        Quantity(rounds.median(peer), "s"),
        rounds.ratio(peer, "ours"),
        "as fast",
        target,
        rows,
        rounds.foreign,
        {f"{side}_cpu_s": rounds.median(side, cpu) for side in ("ours", peer)},
    )


def time_of(peer: str, rounds: Rounds, question: str, rows: int, target: Target | None = None) -> Result:
    """How many times as long we take as *peer*."""
    ours, theirs = Quantity(rounds.median("ours", wall), "s"), Quantity(rounds.median(peer, wall), "s")
    ratio = rounds.ratio("ours", peer)
    return Result(question, ours, PEER_NAMES[peer], theirs, ratio, "its time", target, rows, rounds.foreign)


def memory_of(peer: str, rounds: Rounds, question: str, rows: int, target: Target | None = None) -> Result:
    """Which share of the memory of *peer* we need."""
    ours, theirs = (
        Quantity(rounds.median("ours", peak), "bytes"),
        Quantity(rounds.median(peer, peak), "bytes"),
    )
    ratio = rounds.ratio("ours", peer, peak)
    return Result(question, ours, PEER_NAMES[peer], theirs, ratio, "its memory", target, rows, rounds.foreign)
