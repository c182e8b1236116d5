"""Processes the reports that the labelled questions are about, as they are or with their columns renamed."""

from __future__ import annotations

import csv
import io
import json
import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from datasources.access import read_viewer
from datasources.connections import load_connections
from datasources.definition import parse_definition
from datasources.mask_key import MaskKey
from engine import Snapshot, materialize, process_report

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples"
FOLDERS = {
    "dashboard": EXAMPLES / "dashboard",
    "financeiro": EXAMPLES / "financeiro",
    "danfe": EXAMPLES / "danfe",
    "restrito": EXAMPLES / "restrito",
    "cooperativa": HERE / "harvest",
}
REPORTS = ("dashboard", "financeiro", "danfe", "restrito_vendedora", "restrito_diretora", "cooperativa")
"""What a question names; the restricted report once for each of two viewers."""

Renames = Mapping[str, Mapping[str, str]]
"""For each band the new name of a column by its old one."""


def renames_of(report: str) -> Renames:
    """The renamed columns of *report*."""
    every: dict[str, Renames] = json.loads((HERE / "renames.json").read_text("utf-8"))
    return every[report.partition("_")[0]]


def process(report: str, folder: Path, renamed: bool = False) -> Snapshot:
    """The snapshot of *report*, its files written into the empty *folder*; with other column names if *renamed*."""
    name, _, viewer = report.partition("_")
    source, renames = FOLDERS[name], renames_of(report) if renamed else {}
    if name == "danfe":
        return materialize(_invoice_files(source, folder, renames))
    (path,) = source.glob("*.report.json")
    document = json.loads(path.read_text("utf-8"))
    definition = parse_definition(json.dumps(with_names(document, renames)).encode())
    for table in source.rglob("*.csv"):
        target = folder / table.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_with_header(table.read_text("utf-8"), renames.get(table.stem, {})).encode())
    connections = _database(folder) if name == "dashboard" else None
    if not viewer:
        return process_report(definition, roots={"data": folder}, connections=connections)
    person = read_viewer(source / "viewers" / f"{viewer}.json")
    key = MaskKey.derive((source / "segredo.txt").read_bytes().rstrip(), person.workspace)
    return process_report(definition, roots={"data": folder}, viewer=person, key=key)


def with_names(document: dict[str, Any], renames: Renames) -> dict[str, Any]:
    """The definition in which everything that names a column of a band names the new one."""
    renamed = dict(document)
    renamed["bands"] = [_renamed(band, renames.get(band["name"], {})) for band in document["bands"]]
    renamed["aggregates"] = [
        _renamed(one, renames.get(one["band"], {})) for one in document.get("aggregates", ())
    ]
    renamed["datasources"] = {
        name: _with_aliases(source, renames.get(name, {})) for name, source in document["datasources"].items()
    }
    if "access" in document:
        renamed["access"] = {
            part: [_renamed(rule, renames.get(rule["band"], {})) for rule in rules]
            for part, rules in document["access"].items()
        }
    return renamed


NAMING_KEYS = frozenset({"name", "field", "by", "value", "columns"})
"""The keys of a definition below which a column is named; no column is called like a band or a value."""


def _renamed(node: Any, names: Mapping[str, str], names_column: bool = False) -> Any:
    match node:
        case dict():
            return {key: _renamed(value, names, key in NAMING_KEYS) for key, value in node.items()}
        case list():
            return [_renamed(one, names, names_column) for one in node]
        case str() if names_column:
            return names.get(node, node)
    return node


def _with_aliases(source: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    if source["kind"] != "sql":
        return source
    columns, _, rest = source["query"].removeprefix("SELECT ").partition(" FROM ")
    shown = ", ".join(f"{name} AS {names.get(name, name)}" for name in columns.split(", "))
    return source | {"query": f"SELECT {shown} FROM {rest}"}


def _with_header(text: str, names: Mapping[str, str]) -> str:
    header, line_end, rows = text.partition("\n")
    return ";".join(
        names.get(name, name) for name in next(csv.reader(io.StringIO(header), delimiter=";"))
    ) + (line_end + rows)


def _invoice_files(source: Path, folder: Path, renames: Renames) -> dict[str, Path]:
    files = {}
    for band in ("canhoto", "header", "itens", "duplicatas"):
        names = renames.get(band, {})
        records = json.loads((source / f"{band}.json").read_text("utf-8"))
        shown = [{names.get(field, field): text for field, text in record.items()} for record in records]
        files[band] = folder / f"{band}.json"
        files[band].write_text(json.dumps(shown), encoding="utf-8")
    return files


def _database(folder: Path) -> Any:
    """The database of the dashboard, which is made where it is needed."""
    (folder / "connections.toml").write_bytes((EXAMPLES / "dashboard" / "connections.toml").read_bytes())
    runpy.run_path(str(EXAMPLES / "generate.py"))["write_database"](folder / "vendas.sqlite")
    return load_connections(folder / "connections.toml")
