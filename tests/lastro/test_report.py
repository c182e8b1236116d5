"""`lastro report` reads well, is quiet in pipes, and ends with 2 where a definition is wrong."""

from __future__ import annotations

import io
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from datasources.definition import definition_text, parse_definition, schema_text
from datasources.repository import open_repository
from lastro import cli

DOCUMENT: dict[str, Any] = {
    "id": "financeiro",
    "name": "Dashboard Financeiro",
    "description": "Vendas por região e período.",
    "locale": "pt-BR",
    "parameters": [
        {
            "id": "dataInicio",
            "label": "Data Início",
            "type": "date",
            "required": True,
            "defaultValue": "01/01/2026",
        },
        {
            "id": "regiao",
            "label": "Região",
            "type": "select",
            "options": ["Norte", "Sul", "Leste", "Oeste"],
            "required": True,
        },
        {"id": "minimo", "type": "number", "defaultValue": "1.234,50"},
        {"id": "status", "type": "multiselect", "options": [f"situação {n}" for n in range(25)]},
    ],
    "datasources": {
        "vendas": {
            "kind": "sql",
            "connection": "erp",
            "query": "SELECT *\nFROM vendas\nWHERE data >= {{dataInicio}}",
        },
        "metas": {"kind": "file", "root": "planilhas", "path": "{{regiao}}/metas.csv"},
        "feriados": {"kind": "inline", "records": [{"dia": "2026-01-01"}]},
        "ajustes": {"kind": "memory", "name": "ajustes"},
    },
    "bands": [
        {"name": "capa", "kind": "header", "elements": [{"type": "text", "text": "Vendas"}]},
        {
            "name": "vendas",
            "datasource": "vendas",
            "fields": [{"name": "valor", "type": "number"}, {"name": "data"}],
        },
        {"name": "metas", "datasource": "metas"},
    ],
    "aggregates": [
        {"id": "total", "band": "vendas", "verb": "SUM", "field": "valor"},
        {
            "id": "pagas",
            "band": "vendas",
            "verb": "COUNT",
            "where": {"field": "status", "op": "=", "value": "paga"},
        },
    ],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    repository = open_repository(tmp_path)
    repository.save(parse_definition(json.dumps(DOCUMENT)))
    small = {key: DOCUMENT[key] for key in ("datasources", "bands")} | {
        "id": "vazio",
        "name": "Sem parâmetros",
    }
    small["datasources"] = {
        "vendas": DOCUMENT["datasources"]["feriados"],
        "metas": DOCUMENT["datasources"]["ajustes"],
    }
    repository.save(parse_definition(json.dumps(small)))
    return tmp_path


def run(capfd, *words: object) -> tuple[int, str, str]:
    status = cli.main(["report", *map(str, words)])
    out, err = capfd.readouterr()
    return status, out, err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("list", ["list", "{folder}"]),
        ("show", ["show", "financeiro", "--in", "{folder}"]),
        ("params", ["params", "{folder}/financeiro.report.json"]),
        ("no_params", ["params", "vazio", "--in", "{folder}"]),
    ],
)
def test_what_is_shown(folder, capfd, golden, name, words):
    status, out, err = run(capfd, *(word.format(folder=folder) for word in words))
    assert (status, err) == (0, "")
    golden(f"report/{name}.txt", out)
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out


def test_programs_get_the_same(folder, capfd):
    _, out, _ = run(capfd, "list", folder, "--json")
    assert [(one["id"], one["place"], one["problems"]) for one in json.loads(out)] == [
        ("financeiro", "financeiro.report.json", []),
        ("vazio", "vazio.report.json", []),
    ]
    _, out, _ = run(capfd, "params", "financeiro", "--in", folder, "--json")
    assert json.loads(out)[0] == {
        "id": "dataInicio",
        "label": "Data Início",
        "type": "date",
        "required": True,
        "default": "2026-01-01",
        "options": None,
    }
    _, out, _ = run(capfd, "show", "financeiro", "--in", folder, "--json")
    assert out == definition_text(parse_definition(json.dumps(DOCUMENT)))


def test_both_stores_show_the_same(folder, capfd):
    database = open_repository(folder / "r.sqlite")
    for entry in open_repository(folder).entries():
        assert entry.definition is not None
        database.save(entry.definition)
    shown = [run(capfd, "show", "financeiro", "--in", where) for where in (folder, folder / "r.sqlite")]
    assert shown[0] == shown[1]


def test_valid_definitions_are_said_to_be(folder, capfd):
    path = folder / "financeiro.report.json"
    status, out, err = run(capfd, "validate", path)
    assert (status, out) == (0, f"{path}: valid (4 parameters, 4 datasources, 3 bands)\n")
    assert [line.partition(" is in no")[0] for line in err.splitlines()] == [
        "  warning: parameters[2]: The parameter minimo",
        "  warning: parameters[3]: The parameter status",
        "  warning: datasources: Queries and their tables were not looked at: name the databases with --connections"
        " FILE.",
    ]
    status, out, _ = run(capfd, "validate", folder)
    assert (status, out.count("valid")) == (0, 2)


def test_what_is_doubtful_is_a_warning(capfd, tmp_path):
    report = {
        "id": "vendas",
        "name": "Vendas",
        "parameters": [{"id": "uf", "label": "Estado", "type": "text"}],
        "datasources": {
            "v": {"kind": "file", "root": "data", "path": "vendas.csv"},
            "w": {"kind": "file", "root": "other", "path": "vendas.csv"},
        },
        "bands": [{"name": "v", "datasource": "v"}, {"name": "w", "datasource": "w"}],
    }
    file = tmp_path / "vendas.report.json"
    file.write_text(json.dumps(report))
    idle = (
        "parameters[0]: The parameter uf (Estado) is in no datasource of a band, so its value changes nothing: "
        "write {{uf}} in a query or a path, or leave it out."
    )
    missing = (
        "datasources.v.path: There is no vendas.csv in the root data: put it there, or correct the path."
    )
    valid = f"{file}: valid (1 parameter, 2 datasources, 2 bands)\n"
    assert run(capfd, "validate", file) == (0, valid, f"  warning: {idle}\n  warning: {missing}\n")
    (tmp_path / "vendas.csv").write_text("a;b\n1;2\n")
    assert run(capfd, "validate", file) == (0, valid, f"  warning: {idle}\n")
    (tmp_path / "empty").mkdir()
    status, out, _ = run(capfd, "validate", file, "--root", f"other={tmp_path / 'empty'}", "--json")
    (found,) = json.loads(out)
    assert (status, found["valid"], found["problems"]) == (0, True, [])
    assert [one["path"] for one in found["warnings"]] == ["parameters[0]", "datasources.w.path"]


def test_everything_wrong_is_said_a_line_each(folder, capfd):
    wrong = DOCUMENT | {"id": "errado", "locale": 5}
    wrong["bands"] = [{"name": "a", "datasource": "venda", "fields": [{"name": "v", "type": "numeric"}]}]
    path = folder / "errado.report.json"
    path.write_text(json.dumps(wrong))
    lines = [
        "  locale: found 5; allowed is a text.",
        '  bands[0].fields[0].type: found "numeric"; allowed are text, number, date, datetime and boolean.',
    ]
    assert run(capfd, "validate", path) == (2, "", "\n".join([f"{path}: 2 mistakes", *lines]) + "\n")
    said = "\n".join(["lastro: errado.report.json is not valid:", *lines]) + "\n"
    assert run(capfd, "show", path) == (2, "", said)
    status, out, err = run(capfd, "list", folder)
    assert (status, out.count("report.json"), err.splitlines()[0]) == (2, 2, "errado.report.json: 2 mistakes")
    status, out, err = run(
        capfd, "validate", path, folder / "vazio.report.json", folder / "none.json", "--json"
    )
    assert (status, err) == (2, "")
    assert [one["valid"] for one in json.loads(out)] == [False, True, False]
    assert json.loads(out)[0]["problems"][0] == {"path": "locale", "message": "found 5; allowed is a text."}


def test_standard_input_is_checked(capfd, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(DOCUMENT).encode())))
    assert run(capfd, "validate", "-")[:2] == (0, "-: valid (4 parameters, 4 datasources, 3 bands)\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["show", "finaceiro", "--in", "{folder}"],
            'lastro: There is no report "finaceiro": did you mean financeiro?',
        ),
        (["show", "x", "--in", "{folder}/none"], "lastro: There is no folder {folder}/none: check the path."),
        (
            ["show", "{folder}/x.report.json"],
            "lastro: There is no file {folder}/x.report.json: check the path.",
        ),
        (
            ["list", "{folder}/financeiro.report.json"],
            "lastro: financeiro.report.json is neither a folder nor",
        ),
        (["lst"], "Did you mean list?"),
        (["list", "--jsn"], "Did you mean --json?"),
    ],
)
def test_what_is_refused_says_what_to_do(folder, capfd, words, said):
    try:
        status = cli.main(["report", *(word.format(folder=folder) for word in words)])
    except SystemExit as left:
        status = int(str(left.code))
    out, err = capfd.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert said.format(folder=folder) in err


def test_text_of_a_definition_is_only_text(tmp_path, capfd):
    hostile = DOCUMENT | {"name": "a\x1b[31m\nb [bold]x[/] :smile:", "id": "h"}
    path = tmp_path / "h.report.json"
    path.write_text(json.dumps(hostile))
    for part in ("show", "params"):
        _, out, _ = run(capfd, part, path)
        assert out.startswith("a\\u001b[31m\\u000ab [bold]x[/] :smile:  h\n")


@pytest.mark.parametrize("part", ["", "list", "show", "params", "validate"])
def test_help_has_examples_to_paste(part, capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(["report", *part.split(), "--help"])
    out = capsys.readouterr().out
    assert left.value.code == 0
    examples = [line for line in out.split("examples:")[1].splitlines() if line.strip()]
    assert examples
    assert all("lastro report" in line for line in examples)
    assert max(map(len, out.splitlines())) <= 80


def test_the_schema_is_printed():
    done = subprocess.run(
        [sys.executable, "-m", "lastro", "report", "--json-schema"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == schema_text()


def test_queries_are_checked_as_their_database_reads_them(capfd, tmp_path):
    (tmp_path / "connections.toml").write_text('[loja]\nkind = "sqlite"\npath = "loja.sqlite"\n')
    report = {
        "id": "vendas",
        "name": "Vendas",
        "datasources": {"vendas": {"kind": "sql", "connection": "loja", "query": "DELETE FROM vendas"}},
        "bands": [{"name": "vendas", "datasource": "vendas"}],
    }
    file = tmp_path / "vendas.report.json"
    file.write_text(json.dumps(report))
    assert run(capfd, "validate", file)[0] == 0
    status, _, err = run(capfd, "validate", file, "--connections", tmp_path / "connections.toml")
    assert status == 2
    assert "datasources.vendas: " in err


def test_tables_are_looked_for_in_their_database(capfd, tmp_path):
    with closing(sqlite3.connect(tmp_path / "loja.sqlite")) as database:
        database.execute("CREATE TABLE vendas (valor)")
    (tmp_path / "connections.toml").write_text(
        '[loja]\nkind = "sqlite"\npath = "loja.sqlite"\n[erp]\nkind = "sqlite"\npath = "erp.txt"\n'
    )
    (tmp_path / "erp.txt").write_text("no database at all" * 100)
    queries = {"loja": "SELECT * FROM vendas JOIN itens USING (valor)", "erp": "SELECT * FROM pedidos"}
    report = {
        "id": "vendas",
        "name": "Vendas",
        "datasources": {
            name: {"kind": "sql", "connection": name, "query": query} for name, query in queries.items()
        },
        "bands": [{"name": "vendas", "datasource": "loja"}, {"name": "pedidos", "datasource": "erp"}],
    }
    file = tmp_path / "vendas.report.json"
    file.write_text(json.dumps(report))
    words = ["validate", file, "--connections", tmp_path / "connections.toml"]
    assert run(capfd, *words) == (
        2,
        "",
        f"{file}: 1 mistake\n"
        "  bands[0].datasource: The band vendas reads the table itens, and the connection loja has none: correct the"
        " name in the query, or let the connection name another database.\n",
    )
    with closing(sqlite3.connect(tmp_path / "loja.sqlite")) as database:
        database.execute("CREATE TABLE itens (valor)")
    status, out, err = run(capfd, *words)
    assert (status, out) == (0, f"{file}: valid (0 parameters, 2 datasources, 2 bands)\n")
    assert err == (
        "  warning: bands[1].datasource: The tables of the connection erp could not be looked at: The file of the"
        " connection erp is not a whole SQLite database: check its path.\n"
    )
    (tmp_path / "erp.txt").unlink()
    status, _, err = run(capfd, *words, "--json")
    assert (status, err) == (0, "")
