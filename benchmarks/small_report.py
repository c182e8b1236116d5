"""How long a warm process takes from the records of a small report to its context."""

from __future__ import annotations

import json
import random
import sys
from statistics import median

from benchmarks.measure import run_rounds, time_calls
from benchmarks.question import Options, Quantity, Result, Target

SHAPES = ((10, 400), (2, 180))
"""Bands and rows of a report."""
REPORTS = 20
"""Different reports take turns, so that nothing is remembered from the last call."""
CALLS = 200
WARM_UP = 20

Record = dict[str, object]
Report = dict[str, list[Record]]


def run(options: Options) -> list[Result]:
    """Each shape in fresh processes, medians of what they report."""
    sides = {f"{bands} {rows}": _command(bands, rows) for bands, rows in SHAPES}
    rounds = run_rounds(sides, options.repeat, options.gate, warm_up=False)
    target = Target("at most", 0.003, "s")
    results: list[Result] = []
    for bands, rows in SHAPES:
        half, most = (
            median(run.reported(name) for run in rounds.runs[f"{bands} {rows}"])
            for name in ("median_s", "p95_s")
        )
        label = f"small report, {bands} bands, {rows} rows in all"
        results += [
            Result(f"{label}: median", Quantity(half, "s"), rows=rows, foreign=rounds.foreign),
            Result(f"{label}: p95", Quantity(most, "s"), target=target, rows=rows, foreign=rounds.foreign),
        ]
    return results


def small_report(bands: int, rows: int, seed: int) -> Report:
    """A report as its JSON gives it: *rows* records in all, ten columns, shared by the bands."""
    chance = random.Random(seed)
    counts = [rows // bands + (band < rows % bands) for band in range(bands)]
    return {
        f"faixa_{band}": [_record(chance, row) for row in range(count)] for band, count in enumerate(counts)
    }


def _record(chance: random.Random, row: int) -> Record:
    quantity, cents = chance.randint(1, 20), chance.randint(500, 400_000)
    return {
        "numero": f"VD-{row:04d}",
        "data": f"2026-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}T00:00:00.000Z",
        "cliente": f"Cliente {chance.randint(1, 60):03d}",
        "status": chance.choice(("faturado", "faturado", "aberto", "cancelado")),
        "vendedor": chance.choice(("Abelardo", "Benedita", "Cícero", "Dalva")),
        "cst": chance.choice(("060", "000", "040")),
        "cfop": 5405,
        "quantidade": quantity,
        "valor_total": _brazilian(quantity * cents),
        "margem": f"{chance.randint(100, 4000) / 100:.2f}",
    }


def _brazilian(cents: int) -> str:
    """378227 → `3.782,27`."""
    return f"{cents // 100:,}".replace(",", ".") + f",{cents % 100:02d}"


def _command(bands: int, rows: int) -> list[str]:
    return [sys.executable, "-m", "benchmarks.small_report", str(bands), str(rows)]


def main(bands: int, rows: int) -> None:
    """Time the calls in this process, and print what they took."""
    from engine import materialize, profile_snapshot, take_excerpt
    from prompts import render_data_context

    reports = [small_report(bands, rows, seed) for seed in range(REPORTS)]

    def render(call: int) -> str:
        snapshot = materialize(reports[call % REPORTS])
        return render_data_context(profile_snapshot(snapshot), take_excerpt(snapshot))

    print(json.dumps(time_calls(render, CALLS, WARM_UP)._asdict()))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
