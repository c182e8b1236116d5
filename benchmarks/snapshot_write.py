"""How long it takes to keep a large band as a snapshot, beside a database that keeps the file as it is."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.files import ensure_table
from benchmarks.measure import Run, peak, run_rounds
from benchmarks.peers import peer_command
from benchmarks.question import MEGA, Options, Quantity, Result


def run(options: Options) -> list[Result]:
    """Saving at most a million rows, without what was computed before."""
    rows = min(options.rows, MEGA)
    file = ensure_table(options.folder, rows).parquet
    sides = {
        "ours": [sys.executable, "-m", "benchmarks.snapshot_write", str(file)],
        "import": peer_command("import_table", file),
    }
    rounds = run_rounds(sides, options.repeat, options.gate, warm_up=False)
    stored = {
        f"{side}_bytes": median(run.reported("bytes") for run in runs) for side, runs in rounds.runs.items()
    }
    return [
        Result(
            "saving a snapshot",
            Quantity(rounds.median("ours", _save), "s"),
            "DuckDB, the file as it is",
            Quantity(rounds.median("import", _save), "s"),
            rounds.ratio("ours", "import", _save),
            "its time",
            rows=rows,
            foreign=rounds.foreign,
            further={"ours_peak_bytes": rounds.median("ours", peak), **stored},
        )
    ]


def _save(run: Run) -> float:
    return run.reported("save_s")


def main(file: Path, pointer: Path | None) -> None:
    """Save a snapshot of *file*, at *pointer* if it is to stay, and print how long that took."""
    from engine import materialize, prune_snapshots, save_snapshot

    snapshot = materialize([file])
    with TemporaryDirectory(dir=file.parent, prefix="snapshot-") as folder:
        start = time.perf_counter()
        stored = save_snapshot(snapshot, pointer or Path(folder) / "vendas")
        print(json.dumps({"save_s": time.perf_counter() - start, "bytes": stored.stat().st_size}))
    if pointer is not None:
        prune_snapshots(pointer, keep=1)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--keep", kept, table]:
            main(Path(table), Path(kept))
        case [table]:
            main(Path(table), None)
