"""How fast all rows of a stored snapshot become JSON Lines, beside the ways that two libraries have for that."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.files import ensure_table
from benchmarks.measure import Run, peak, run_process, run_rounds
from benchmarks.question import MEGA, Options, Quantity, Result, Target

CALLS = 3
"""In each process, of which the median counts, after one that warms up."""
NAMES = {"ndjson": "polars, write_ndjson", "copy": "DuckDB, COPY"}


def run(options: Options) -> list[Result]:
    """At most a million rows, of 21 columns; all sides read the same file and write to the same folder."""
    rows = min(options.rows, MEGA)
    table = ensure_table(options.folder, rows).parquet
    with TemporaryDirectory(dir=options.folder, prefix="export-") as folder:
        stored = str(json.loads(run_process(_command("save", str(table), folder)).output)["file"])
        sides = {side: _command(side, stored, folder) for side in WAYS}
        rounds = run_rounds(sides, options.repeat, options.gate, warm_up=False)
    return [
        Result(
            "a snapshot as JSON Lines",
            Quantity(rounds.median("ours", _seconds), "s"),
            name,
            Quantity(rounds.median(side, _seconds), "s"),
            rounds.ratio(side, "ours", _seconds),
            "as fast",
            Target("at most", 1, "s", MEGA),
            rows,
            rounds.foreign,
            {
                "rows_per_s": rows / rounds.median("ours", _seconds),
                "bytes": median(run.reported("bytes") for run in rounds.runs["ours"]),
                "ours_peak_bytes": rounds.median("ours", peak),
                f"{side}_peak_bytes": rounds.median(side, peak),
            },
        )
        for side, name in NAMES.items()
    ]


def _seconds(run: Run) -> float:
    return run.reported("export_s")


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.export", *arguments]


def ours(stored: Path, out: Path) -> None:
    """Numbers exact and in full, nulls left out."""
    from engine import open_snapshot
    from engine.json_lines import export_json_lines

    with out.open("wb") as file:
        export_json_lines(open_snapshot(stored), file)


def ndjson(stored: Path, out: Path) -> None:
    """Polars would write decimals as texts, so that its users make doubles of them."""
    import duckdb
    import polars as pl
    import polars.selectors as cs

    with duckdb.connect(stored, read_only=True) as connection:
        frame = pl.DataFrame(connection.sql("FROM band_0").to_arrow_table())
    frame.with_columns(cs.decimal().cast(pl.Float64)).write_ndjson(out)


def copy(stored: Path, out: Path) -> None:
    """DuckDB reads and writes by itself."""
    import duckdb

    with duckdb.connect(stored, read_only=True) as connection:
        connection.execute(f"COPY band_0 TO '{out}' (FORMAT json)")


WAYS: Mapping[str, Callable[[Path, Path], None]] = {"ours": ours, "ndjson": ndjson, "copy": copy}


def export(side: str, stored: Path, folder: Path) -> None:
    """Export in this process, and print how long that took."""
    out, seconds = folder / f"{side}.jsonl", []
    for _ in range(1 + CALLS):
        out.unlink(missing_ok=True)
        start = time.perf_counter()
        WAYS[side](stored, out)
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"export_s": median(seconds[1:]), "bytes": out.stat().st_size}))
    out.unlink()


def save(table: Path, folder: Path) -> None:
    """Store the snapshot that is exported, and print its file."""
    from engine import materialize, save_snapshot

    print(json.dumps({"file": str(save_snapshot(materialize([table]), folder / "vendas"))}))


if __name__ == "__main__":
    asked, source, target = sys.argv[1:]
    if asked == "save":
        save(Path(source), Path(target))
    else:
        export(asked, Path(source), Path(target))
