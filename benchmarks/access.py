"""How much longer a report takes when its viewer may see a part of it, beside the same report without rules."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.data import ENUMERATIONS
from benchmarks.files import Kind, ensure_table
from benchmarks.measure import peak, run_rounds
from benchmarks.peers import context_command
from benchmarks.question import Options, Quantity, Result, Target

SECRET = b"a secret that keeps nothing but a benchmark"
REGIONS = ENUMERATIONS["regiao"][:-1]
"""All but the last: nearly every row is visible, which is the most work."""
ACCESS = {
    "rows": [{"band": "vendas", "where": {"field": "regiao", "op": "in", "value": {"viewer": "regioes"}}}],
    "columns": [
        {"band": "vendas", "field": "frete", "action": "hide"},
        {"band": "vendas", "field": "vendedor", "action": "mask", "mask": "name"},
        {"band": "vendas", "field": "cliente", "action": "mask", "mask": "name"},
    ],
}
TEXT = {"encoding": "utf-8", "delimiter": ";", "header": True, "totals": "none"}


def run(options: Options) -> list[Result]:
    """Time and memory of a rule for rows, a hidden column and two masks, over CSV and over Parquet."""
    results = []
    files = ensure_table(options.folder, options.rows)
    tables: dict[Kind, Path] = {"csv": files.csv, "parquet": files.parquet}
    for kind, file in tables.items():
        commands = report_commands(options.folder, file, kind)
        rounds = run_rounds(commands, options.repeat, options.gate)
        name = "a CSV file" if kind == "csv" else "a Parquet file"
        results += [
            Result(
                f"context of {name}, for a viewer",
                Quantity(rounds.median("viewer"), "s"),
                "Lastro, without rules",
                Quantity(rounds.median("all"), "s"),
                rounds.ratio("viewer", "all"),
                "its time",
                Target("at most", 1.3),
                options.rows,
                rounds.foreign,
            ),
            Result(
                f"memory for {name}, for a viewer",
                Quantity(rounds.median("viewer", peak), "bytes"),
                "Lastro, without rules",
                Quantity(rounds.median("all", peak), "bytes"),
                rounds.ratio("viewer", "all", peak),
                "its memory",
                None,
                options.rows,
                rounds.foreign,
            ),
        ]
    return results


def report_commands(folder: Path, file: Path, kind: Kind) -> dict[str, list[str]]:
    """The context of *file* as a report, for a viewer and for nobody in particular."""
    source = {"kind": "file", "root": "data", "path": file.name, **(TEXT if kind == "csv" else {})}
    report = {
        "id": "vendas",
        "name": "Vendas",
        "datasources": {"vendas": source},
        "bands": [{"name": "vendas", "datasource": "vendas"}],
    }
    viewer = {"id": "ana", "workspace": "w", "attributes": {"regioes": REGIONS}}
    paths = {
        name: folder / f"access_{kind}.{name}"
        for name in ("report.json", "restrito.report.json", "viewer.json", "secret")
    }
    paths["report.json"].write_text(json.dumps(report), encoding="utf-8")
    paths["restrito.report.json"].write_text(json.dumps({**report, "access": ACCESS}), encoding="utf-8")
    paths["viewer.json"].write_text(json.dumps(viewer), encoding="utf-8")
    paths["secret"].write_bytes(SECRET)
    asked = ("--viewer", paths["viewer.json"], "--mask-secret", paths["secret"])
    return {
        "all": context_command(paths["report.json"]),
        "viewer": context_command(paths["restrito.report.json"], *asked),
    }
