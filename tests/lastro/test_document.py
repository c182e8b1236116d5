"""`--json` has the published shape, and the published schema is the models' own."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from engine import materialize, profile_snapshot
from lastro.document import document_of, schema_text

SCHEMA = Path(__file__).parents[2] / "docs" / "context.schema.json"

VENDAS = [
    {"status": "aberto", "valor": "1.200,50", "data": "2026-01-31"},
    {"status": "pago", "valor": "12,00", "data": "2026-02-01"},
    {"status": "pago", "valor": None, "data": "2026-02-02"},
]


def test_published_schema_is_that_of_the_models() -> None:
    assert SCHEMA.read_text("utf-8") == schema_text()


def test_document_has_exactly_the_published_shape() -> None:
    document = document_of(profile_snapshot(materialize({"vendas": VENDAS}))).model_dump(mode="json")
    jsonschema.validate(document, json.loads(schema_text()))
    assert list(document) == ["bands", "aggregates", "warnings"]
    (band,) = document["bands"]
    assert list(band) == ["name", "rows", "notes", "fields", "groups"]
    status, valor, _ = band["fields"]
    assert status == {
        "name": "status",
        "type": "text",
        "role": None,
        "unit": None,
        "nulls": 0,
        "distinct": 2,
        "values": [{"value": "pago", "count": 2}, {"value": "aberto", "count": 1}],
        "sum": None,
        "avg": None,
        "min": None,
        "max": None,
        "coercion": None,
    }
    assert valor["coercion"] == {"style": "br", "evidence": {"br": 2}, "assumed": False}
    assert (valor["sum"], valor["avg"], valor["nulls"]) == ("1212.5", "606.25", 1)
    assert band["groups"][0] == {
        "measure": "valor",
        "by": "status",
        "kind": "enum",
        "parts": [{"value": "aberto", "sum": "1200.5"}, {"value": "pago", "sum": "12"}],
    }


def test_more_values_than_are_counted_are_said_to_be_more() -> None:
    records = [{"codigo": f"C{number}"} for number in range(1_001)]
    field = document_of(profile_snapshot(materialize({"b": records}))).model_dump()["bands"][0]["fields"][0]
    assert (field["distinct"], field["distinct_over"]) == (None, 1_000)


def test_leaders_say_what_they_leave_out() -> None:
    records = [{"cliente": f"C{number % 25}", "valor": number} for number in range(100)]
    groups = document_of(profile_snapshot(materialize({"b": records}))).model_dump()["bands"][0]["groups"]
    assert [group["kind"] for group in groups] == ["top"]
    assert len(groups[0]["parts"]) == 5
    assert groups[0]["rest"] == {"values": 20, "sum": "3760"}


@pytest.mark.parametrize("option", ["--json-schema"])
def test_command_prints_the_schema(option: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lastro", "context", option], capture_output=True, text=True, check=True
    )
    assert done.stdout == schema_text()
