"""`lastro context` and `lastro inspect` take the definition of a report, and say what does not go with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lastro.cli import main
from lastro.snapshots import is_definition

REPORT = Path(__file__).parents[2] / "examples" / "financeiro" / "financeiro.report.json"

DOCUMENT = {
    "id": "r",
    "name": "Relatório",
    "parameters": [
        {"id": "uf", "type": "multiselect", "options": ["SP", "RJ"]},
        {"id": "corte", "type": "date", "required": True},
    ],
    "datasources": {"d": {"kind": "file", "root": "data", "path": "v.csv"}},
    "bands": [{"name": "v", "datasource": "d"}],
    "aggregates": [{"id": "total", "band": "v", "verb": "SUM", "field": "valor"}],
}


@pytest.fixture
def report(tmp_path):
    (tmp_path / "v.csv").write_text("uf;valor\nSP;1,50\nRJ;2,50\n")
    (tmp_path / "r.report.json").write_text(json.dumps(DOCUMENT))
    return tmp_path / "r.report.json"


def run(capsys, *words):
    status = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_report_with_parameters(capsys, report):
    status, out, _ = run(
        capsys, "context", report, "--param", "uf=RJ", "--param", "uf=SP", "--param", "corte=01/02/2026"
    )
    assert status == 0
    assert out.startswith(
        "## REPORT INFO\n- Name: Relatório\n- ID: r\n\n## APPLIED FILTERS\n- **uf** (`uf`, multiselect): SP, RJ\n"
        "- **corte** (`corte`, date): 2026-02-01\n\n## REPORT SCHEMA\n\n### v (2 rows)\n"
    )
    assert "## REPORT AGGREGATES\n- total: 4.00\n" in out


def test_the_same_for_programs(capsys, report):
    _, out, _ = run(capsys, "context", report, "--param", "corte=2026-02-01", "--json")
    document = json.loads(out)
    assert list(document) == ["report", "filters", "bands", "aggregates", "warnings"]
    assert document["report"] == {"name": "Relatório", "id": "r", "description": None}
    assert document["filters"] == [
        {"id": "uf", "label": None, "type": "multiselect", "values": [], "default": False},
        {"id": "corte", "label": None, "type": "date", "values": ["2026-02-01"], "default": False},
    ]
    assert document["aggregates"] == [{"id": "total", "value": "4.00"}]


def test_inspect_takes_a_report_too(capsys, report):
    status, out, _ = run(capsys, "inspect", report, "--param", "corte=2026-02-01")
    assert status == 0
    assert "valor" in out


def test_another_root(capsys, report, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "v.csv").write_text("uf;valor\nSP;7,00\n")
    _, out, _ = run(
        capsys, "context", report, "--param", "corte=2026-02-01", "--root", f"data={tmp_path / 'other'}"
    )
    assert "- total: 7.00\n" in out


def test_a_snapshot_of_a_report_is_kept(capsys, report, tmp_path):
    from engine import open_snapshot

    status, _, _ = run(
        capsys, "context", report, "--param", "corte=2026-02-01", "--snapshot", tmp_path / "kept.json"
    )
    assert status == 0
    info = open_snapshot(tmp_path / "kept.json").profile.info
    assert info is not None
    assert info.id == "r"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(
            [REPORT, "--param", "x"],
            "--param x is not ID=VALUE: write it with an equals sign.",
            id="no value",
        ),
        pytest.param(
            [REPORT, "--param", "trimestre=a", "--param", "trimestre=b"],
            "--param trimestre is given twice, and trimestre takes one value: give one.",
            id="twice",
        ),
        pytest.param(
            [REPORT, "--root", "x"], "--root x is not NAME=DIR: write it with an equals sign.", id="root"
        ),
        pytest.param(
            [REPORT, REPORT.parent / "vendas.csv"],
            f"{REPORT} is the definition of a report, which stands alone: name no other file.",
            id="with files",
        ),
        pytest.param(
            [REPORT.parent / "vendas.csv", "--param", "a=b"],
            "--param goes with the definition of a report: name a *.report.json.",
            id="param without report",
        ),
        pytest.param(
            [REPORT, "--locale", "en-US"],
            "--locale goes with data files: the report itself says how its are read.",
            id="locale with report",
        ),
        pytest.param(
            [REPORT, "--connections", "no.toml"],
            "There is no file no.toml: check the path.",
            id="connections",
        ),
        pytest.param(["no.report.json"], "There is no file no.report.json: check the path.", id="no file"),
    ],
)
def test_what_does_not_go_together_is_said(capsys, words, message):
    status, out, err = run(capsys, "context", *words)
    assert (status, out, err) == (2, "", f"lastro: {message}\n")


def test_a_value_that_is_no_option_is_said(capsys):
    status, out, err = run(capsys, "context", REPORT, "--param", "trimestre=../..")
    assert (status, out) == (2, "")
    assert "trimestre" in err


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        pytest.param("r.report.json", DOCUMENT, True, id="by its name"),
        pytest.param("r.REPORT.JSON", [], True, id="by its name, in capitals"),
        pytest.param("r.json", DOCUMENT, True, id="by its content"),
        pytest.param("v.json", [{"datasources": 1}], False, id="records"),
        pytest.param("v.json", {"datasources": {}, "x": 1}, False, id="a record with such a field"),
        pytest.param("v.json", {"a": 1}, False, id="a record"),
        pytest.param("v.csv", DOCUMENT, False, id="another ending"),
    ],
)
def test_definitions_are_known(tmp_path, name, content, expected):
    (tmp_path / name).write_text(json.dumps(content))
    assert is_definition(str(tmp_path / name)) is expected


@pytest.mark.parametrize(
    "content", [b"", b"{", b'{"datasources"', b"\xff\xfe{", b'{"datasources": ' + b"[" * 100_000]
)
def test_broken_files_are_data(tmp_path, content):
    (tmp_path / "v.json").write_bytes(content)
    assert not is_definition(str(tmp_path / "v.json"))
