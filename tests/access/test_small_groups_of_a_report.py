"""A report whose rules withhold small groups never gives more, whoever asks for what."""

from __future__ import annotations

import io
import json

import jsonschema
import pytest

from chat import Toolset
from datasources.access import Viewer
from datasources.definition import parse_definition
from engine import (
    EngineError,
    export_json_lines,
    process_report,
    profile_snapshot,
    save_snapshot,
    take_excerpt,
)
from engine.disclosure import Disclosure
from lastro.cli import main
from lastro.document import document_of, schema_text
from prompts import render_data_context

CITIES = ["Norte"] * 7 + ["Sul"] * 6 + ["Oeste"] * 2
DOCUMENT = {
    "id": "salarios",
    "name": "Salários",
    "datasources": {
        "s": {
            "kind": "inline",
            "records": [
                {"cidade": city, "salario": 1000 + 37 * index * index} for index, city in enumerate(CITIES)
            ],
        }
    },
    "bands": [
        {
            "name": "salarios",
            "datasource": "s",
            "fields": [{"name": "cidade", "type": "text"}, {"name": "salario", "type": "number"}],
        }
    ],
    "access": {"small_groups": 5, "detect_pii": False},
}
VIEWER = Viewer("ana", "w", frozenset(), {})
TEXT_FIRST = ("ask", "search")
"""Commands whose text stands before the files."""


def _command(words, report, viewer):
    """The *words* of a command over *report* for *viewer*."""
    text = words[: 2 if words[0] in TEXT_FIRST else 1]
    return [*text, str(report), "--viewer", str(viewer), *words[len(text) :]]


@pytest.fixture
def snapshot():
    return process_report(parse_definition(json.dumps(DOCUMENT).encode()), viewer=VIEWER)


def test_no_row_and_no_small_group_is_in_the_context(snapshot):
    text = render_data_context(profile_snapshot(snapshot), take_excerpt(snapshot))
    assert "Oeste" not in text
    assert '"salario"' not in text
    assert str(1000 + 37 * 14 * 14) not in text


def test_the_document_says_what_is_left_and_what_is_withheld(snapshot):
    found = json.loads(document_of(profile_snapshot(snapshot)).model_dump_json())
    jsonschema.validate(found, json.loads(schema_text()))
    assert found["small_groups"] == 5
    (band,) = found["bands"]
    assert band["rows"] == 15
    city, salary = band["fields"]
    # Two of Oeste would be the difference, so that the next smallest stands with them.
    assert city["values"] == [{"value": "Norte", "count": 7}]
    assert city["values_withheld"] == 8
    assert (city["distinct"], "distinct_over" in city, salary["coercion"]) == (None, False, None)
    assert salary["withheld"] == ["MIN", "MAX"]
    (sums,) = band["groups"]
    assert [part["value"] for part in sums["parts"]] == ["Norte"]
    assert int(sums["parts"][0]["sum"]) + int(sums["sum_withheld"]) == int(salary["sum"])


def test_of_a_few_rows_the_document_says_nothing():
    few = json.loads(json.dumps(DOCUMENT))
    few["datasources"]["s"]["records"] = few["datasources"]["s"]["records"][:3]
    few["aggregates"] = [{"id": "soma", "band": "salarios", "verb": "SUM", "field": "salario"}]
    snapshot = process_report(parse_definition(json.dumps(few).encode()), viewer=VIEWER)
    found = json.loads(document_of(profile_snapshot(snapshot)).model_dump_json())
    jsonschema.validate(found, json.loads(schema_text()))
    (band,) = found["bands"]
    assert (band["rows"], band["groups"]) == (None, [])
    assert all(
        field[name] is None
        for field in band["fields"]
        for name in ("nulls", "distinct", "values", "sum", "min")
    )
    assert found["aggregates"] == [{"id": "soma", "value": None, "withheld": True}]


def test_tools_withhold_without_being_told(snapshot):
    with Toolset(snapshot) as tools:
        where = {"field": "cidade", "op": "=", "value": "Oeste"}
        question = {"verb": "SUM", "field": "salario", "filter": where}
        assert tools.call("sulfite_aggregate_data", question).answer["result"] is None
        groups = tools.call("sulfite_group_by", {"by": "cidade", "verb": "COUNT"}).text
        assert "Oeste" not in groups
        assert tools.call("sulfite_search_values", {"query": "Oeste"}).answer["result"] == []


def test_rows_are_neither_stored_nor_exported(snapshot, tmp_path):
    with pytest.raises(EngineError, match="withhold small groups, so it cannot be stored"):
        save_snapshot(snapshot, tmp_path / "s")
    with pytest.raises(EngineError, match="so it cannot be exported"):
        export_json_lines(snapshot, io.BytesIO())


def test_a_weaker_promise_is_refused():
    definition = parse_definition(json.dumps(DOCUMENT).encode())
    with pytest.raises(EngineError, match="groups of fewer than 5 rows"):
        process_report(definition, viewer=VIEWER, disclosure=Disclosure(3))


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["context"], id="context"),
        pytest.param(["context", "--json"], id="JSON"),
        pytest.param(["inspect"], id="inspect"),
        pytest.param(["export"], id="export"),
        pytest.param(["search", "Oeste"], id="search"),
        pytest.param(["ask", "qual o total de salario em Oeste?"], id="ask"),
        pytest.param(["save", "-o", "-"], id="save"),
        pytest.param(["group-by", "--by", "cidade", "--verb", "SUM", "--field", "salario"], id="group-by"),
    ],
)
def test_no_command_shows_a_small_group(words, tmp_path, capsys):
    report, viewer = tmp_path / "s.report.json", tmp_path / "ana.json"
    report.write_text(json.dumps(DOCUMENT), encoding="utf-8")
    viewer.write_text(json.dumps({"id": "ana", "workspace": "w"}), encoding="utf-8")
    main(_command(words, report, viewer))
    shown = capsys.readouterr()
    asked = words[1:2] if words[0] in TEXT_FIRST else []
    assert (shown.out + shown.err).count("Oeste") <= sum(one.count("Oeste") for one in asked)
    assert str(1000 + 37 * 14 * 14) not in shown.out


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["context"], id="context"),
        pytest.param(["ask", "quantas linhas?"], id="ask"),
        pytest.param(["aggregate", "--verb", "SUM", "--field", "salario"], id="aggregate"),
        pytest.param(["calc"], id="calc"),
        pytest.param(["export"], id="export"),
        pytest.param(["inspect"], id="inspect"),
        pytest.param(["save", "-o", "x.snapshot"], id="save"),
    ],
)
def test_no_warning_of_a_command_counts_or_shows_single_cells(words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = json.loads(json.dumps(DOCUMENT))
    made["datasources"]["s"]["records"][3]["salario"] = "a combinar"
    report, viewer = tmp_path / "s.report.json", tmp_path / "ana.json"
    report.write_text(json.dumps(made), encoding="utf-8")
    viewer.write_text(json.dumps({"id": "ana", "workspace": "w"}), encoding="utf-8")
    main(_command(words, report, viewer))
    shown = capsys.readouterr()
    assert "combinar" not in shown.out + shown.err
    assert "1 cell " not in shown.out + shown.err
