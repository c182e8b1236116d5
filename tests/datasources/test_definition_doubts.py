"""A valid definition whose parameters change nothing, or whose files are not there, is doubtful."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from datasources.connections import Connection, Connections
from datasources.definition import parse_definition
from datasources.definition_doubts import find_doubts, idle_parameters, idle_warnings
from datasources.parameters import resolve

INLINE = {"kind": "inline", "records": [{"a": 1}]}
SQL = {"kind": "sql", "connection": "loja", "query": "SELECT a FROM t WHERE a = {{p}}"}
FILE = {"kind": "file", "root": "data", "path": "{{p}}/vendas.csv"}
MEMORY = {"kind": "memory", "name": "vendas"}
SELECT = {"id": "p", "type": "select", "options": ["sul", "norte"], "defaultValue": "sul"}


def report(source, *, band="d", parameter=SELECT):
    document = {
        "id": "r",
        "name": "R",
        "parameters": [parameter],
        "datasources": {"d": source, "other": INLINE},
        "bands": [{"name": "b", "datasource": band}],
    }
    return parse_definition(json.dumps(document), source="r.json")


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        pytest.param(report(INLINE), ["p"], id="records that stand in the definition"),
        pytest.param(report(SQL), [], id="a query"),
        pytest.param(report(FILE), [], id="a path"),
        pytest.param(report(SQL, band="other"), ["p"], id="a query that no band reads"),
        pytest.param(report(MEMORY), [], id="a table of the calling program"),
    ],
)
def test_idle_parameters(definition, expected):
    assert [one.id for one in idle_parameters(definition)] == expected


@pytest.mark.parametrize(
    ("given", "default", "expected"),
    [
        ({}, "sul", [("sul",)]),
        ({"p": "norte"}, None, [("norte",)]),
        ({}, None, []),
    ],
    ids=["a default", "a choice", "nothing chosen"],
)
def test_a_value_that_changes_nothing_is_a_warning(given, default, expected):
    definition = report(INLINE, parameter=SELECT | {"defaultValue": default})
    warnings = idle_warnings(definition, resolve(definition, given))
    assert [one.sample for one in warnings] == expected
    assert all(one.code == "idle_parameter" for one in warnings)


@pytest.mark.parametrize(
    ("path", "there", "expected"),
    [
        ("vendas.csv", "vendas.csv", 0),
        ("vendas.csv", "vendas.txt", 1),
        ("*.csv", "vendas.csv", 0),
        ("*.csv", "vendas.txt", 1),
        ("pasta", "pasta/vendas.csv", 0),
        ("{{p}}/vendas.csv", "sul/vendas.csv", 0),
        ("{{p}}/vendas.csv", "vendas.csv", 1),
        ("[1].csv", "[1].csv", 0),
    ],
)
def test_files_are_looked_for(tmp_path, path, there, expected):
    (tmp_path / there).parent.mkdir(exist_ok=True)
    (tmp_path / there).write_text("a;b\n1;2\n")
    definition = report(FILE | {"path": path})
    doubts = [one for one in find_doubts(definition, {"data": tmp_path}) if one.path.startswith("data")]
    assert len(doubts) == expected
    assert not [one for one in find_doubts(definition, {}) if one.path.startswith("data")]


def test_the_file_of_a_database_is_looked_for(tmp_path):
    connections = Connections({"loja": Connection("loja", "sqlite", path=Path(tmp_path / "loja.sqlite"))})
    (doubt,) = find_doubts(report(SQL), {}, connections)
    assert str(doubt) == (
        "datasources.d.connection: The file of the connection loja is not there: correct its path."
    )
    (tmp_path / "loja.sqlite").touch()
    assert not [*find_doubts(report(SQL), {}, connections)]
