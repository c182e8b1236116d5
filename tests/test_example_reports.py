"""The example reports run with their defaults alone, say the same from a database as from files, and are golden."""

from __future__ import annotations

import runpy
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from datasources.access import read_viewer
from datasources.connections import load_connections
from datasources.definition import read_definition
from datasources.mask_key import MaskKey
from engine import materialize, process_report, take_excerpt
from prompts import render_data_context

EXAMPLES = Path(__file__).parent.parent / "examples"
GENERATE = runpy.run_path(str(EXAMPLES / "generate.py"))


@pytest.fixture(scope="module")
def connections(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dashboard")
    (folder / "connections.toml").write_bytes((EXAMPLES / "dashboard" / "connections.toml").read_bytes())
    GENERATE["write_database"](folder / "vendas.sqlite")
    return load_connections(folder / "connections.toml")


def processed(name, params=None, connections=None):
    folder = EXAMPLES / name
    (path,) = folder.glob("*.report.json")
    return process_report(read_definition(path), params, roots={"data": folder}, connections=connections)


def text(snapshot):
    return render_data_context(snapshot.profile, take_excerpt(snapshot, 10))


@pytest.mark.parametrize(
    ("name", "params", "file"),
    [
        pytest.param("financeiro", {}, "financeiro.txt", id="files, defaults"),
        pytest.param("financeiro", {"trimestre": "2026-T2"}, "financeiro_t2.txt", id="files, other quarter"),
        pytest.param("dashboard", {}, "dashboard.txt", id="database, defaults"),
        pytest.param(
            "dashboard",
            {"dataInicio": "01/04/2026", "regiao": "Sul"},
            "dashboard_sul.txt",
            id="database, chosen",
        ),
    ],
)
def test_contexts(golden, connections, name, params, file):
    snapshot = processed(name, params, connections)
    golden(f"reports/{file}", text(snapshot))
    codes = {warning.code for warning in snapshot.profile.warnings}
    assert codes <= {"assumed_style"}


@pytest.mark.parametrize("name", ["vendedora", "fiscal", "diretora"])
def test_a_viewer_sees_their_own_part_of_a_report(golden, name):
    folder = EXAMPLES / "restrito"
    viewer = read_viewer(folder / "viewers" / f"{name}.json")
    key = MaskKey.derive((folder / "segredo.txt").read_bytes().rstrip(), viewer.workspace)
    definition = read_definition(folder / "restrito.report.json")
    snapshot = process_report(definition, roots={"data": folder}, viewer=viewer, key=key)
    golden(f"reports/restrito_{name}.txt", text(snapshot))
    rows = [line.split(";") for line in (folder / "vendas.csv").read_text("utf-8").splitlines()[1:]]
    visible = [row for row in rows if row[1] in viewer.attributes["regioes"]]  # type: ignore[operator]
    assert snapshot.bands[0].rows == len(visible)
    shown = text(snapshot)
    assert any(row[3] in shown for row in visible) == (name == "fiscal")
    assert not any(row[4] and row[4] in shown for row in rows)
    assert ("comissao" in shown.partition("## REPORT AGGREGATES")[0]) == (name == "diretora")


def aggregates(snapshot):
    return {one.id: one.value for one in snapshot.profile.aggregates}


def sales():
    """The rows of the CSV file, read by the engine: date, region, status and exact value."""
    snapshot = materialize([EXAMPLES / "financeiro" / "vendas.csv"])
    (band,) = snapshot.bands
    names = [column.name for column in band.columns]
    for row in band.take(range(band.rows)):
        cells = dict(zip(names, row, strict=True))
        value = cells["valor_total"]
        yield cells | {"valor_total": None if value is None else Decimal(value).scaleb(-2)}


@pytest.mark.parametrize("region", [None, "Norte", "Sul", "Leste", "Oeste"])
@pytest.mark.parametrize(
    ("start", "end"), [(date(2026, 1, 1), date(2026, 6, 30)), (date(2026, 3, 15), date(2026, 4, 2))]
)
def test_the_dashboard_says_what_plain_python_adds_up(connections, region, start, end):
    params = {"dataInicio": start, "dataFim": str(end), "regiao": region}
    found = aggregates(processed("dashboard", params, connections))
    chosen = [
        row for row in sales() if str(start) <= row["data"] <= str(end) and region in (None, row["regiao"])
    ]
    values = [row["valor_total"] for row in chosen if row["valor_total"] is not None]
    billed = [row["valor_total"] for row in chosen if row["status"] == "faturado"]
    assert found["total_vendas"] == (str(sum(values)) if values else None)
    assert found["total_faturado"] == (str(sum(billed)) if billed else None)
    average = str((sum(billed) / len(billed)).quantize(Decimal("0.01"))) if billed else None
    assert found["ticket_medio"] == average


def test_the_database_and_the_files_say_the_same_of_a_quarter(connections):
    files = processed("financeiro")
    database = processed("dashboard", {"dataFim": "2026-03-31"}, connections)
    for name in ("vendas", "pagamentos"):
        here, there = files.profile.band(name), database.profile.band(name)
        facts = [
            [
                (one.name, one.type, one.role, one.unit, one.sum, one.min, one.max, one.values)
                for one in band.fields
            ]
            for band in (here, there)
        ]
        assert facts[0] == facts[1]
        assert here.groups == there.groups


def test_quarters_hold_every_row_of_the_year_once():
    for name in ("vendas", "pagamentos"):
        whole = (EXAMPLES / "financeiro" / f"{name}.csv").read_text(encoding="utf-8").splitlines()
        parts = [
            (EXAMPLES / "financeiro" / "trimestres" / quarter / f"{name}.csv")
            .read_text(encoding="utf-8")
            .splitlines()
            for quarter in ("2026-T1", "2026-T2")
        ]
        assert whole == [whole[0], *parts[0][1:], *parts[1][1:]]
