"""The engine gives the facts that a second, plain reading of the rules gives, on a thousand random tables."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from datasources import ReadOptions
from engine import materialize, profile_snapshot
from lastro.document import document_of
from tests.oracle.generate import Table, table
from tests.oracle.oracle import oracle

ROOT = Path(__file__).parent.parent
TABLES = 1_000
TOGETHER = 25
"""Tables in one test: few enough that workers share the load."""
NAMED_CODES = {"no_header", "almost_number", "almost_date"}
"""The warnings that the rules call by name; how others are called is the engine's."""


def expected_of(one: Table) -> dict[str, Any]:
    return oracle(one.name, one.records, one.delimiter, one.locale)


def comparable(document: dict[str, Any]) -> dict[str, Any]:
    """What the oracle speaks of: not the notes, nor how the cells were read."""
    bands = [
        {
            **{key: value for key, value in band.items() if key != "notes"},
            "fields": [
                {key: value for key, value in field.items() if key != "coercion"} for field in band["fields"]
            ],
        }
        for band in document["bands"]
    ]
    codes = {(one["field"], one["code"]) for one in document["warnings"] if one["code"] in NAMED_CODES}
    return {"bands": bands, "aggregates": document["aggregates"], "codes": codes}


def with_path(value: Any, path: str = "") -> dict[str, Any]:
    """Each leaf of nested dicts and lists under its path, so that a difference is short to read."""
    if not isinstance(value, dict | list):
        return {path: value}
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    return {key: leaf for name, one in pairs for key, leaf in with_path(one, f"{path}/{name}").items()} or {
        path: value
    }


def differences(got: dict[str, Any], expected: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Path → what the engine says, what the oracle says."""
    mine, theirs = with_path(got), with_path(expected)
    paths = sorted(mine.keys() | theirs.keys())
    return {
        one: (mine.get(one), theirs.get(one)) for one in paths if mine.get(one, one) != theirs.get(one, one)
    }


@pytest.mark.parametrize("first", range(0, TABLES, TOGETHER))
def test_engine_and_oracle_agree(first, tmp_path):
    found = {}
    for seed in range(first, first + TOGETHER):
        one = table(seed)
        options = ReadOptions(delimiter=one.delimiter, locale=one.locale)
        document = document_of(profile_snapshot(materialize([one.write(tmp_path)], options=options)))
        different = differences(comparable(document.model_dump()), expected_of(one))
        if different:
            found[seed] = dict(list(different.items())[:5])
    assert found == {}


@pytest.mark.parametrize("first", [0, 250, 500, 750])
def test_streamed_files_and_oracle_agree(first, tmp_path):
    """The way of large files: read in parts, on columns of codes and scaled integers."""
    found = {}
    for seed in range(first, first + 10):
        one = table(seed)
        options = ReadOptions(delimiter=one.delimiter, locale=one.locale, small_bytes=0)
        document = document_of(profile_snapshot(materialize([one.write(tmp_path)], options=options)))
        different = differences(comparable(document.model_dump()), expected_of(one))
        if different:
            found[seed] = dict(list(different.items())[:5])
    assert found == {}


@pytest.mark.parametrize("seed", [2, 3, 5, 8, 13, 21, 34, 55, 89, 144])
def test_command_and_oracle_agree(seed, tmp_path):
    one = table(seed)
    command = [sys.executable, "-m", "lastro", "context", "--json", f"--delimiter={one.delimiter}"]
    if one.locale:
        command.append(f"--locale={one.locale}")
    run = subprocess.run([*command, str(one.write(tmp_path))], cwd=ROOT, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()
    document = json.loads(run.stdout)
    assert differences(comparable(document), expected_of(one)) == {}


def test_tables_meet_every_rule():
    """Tables that never have a certain type, role or group would agree on it without a word."""
    documents = [expected_of(table(seed)) for seed in range(150)]
    fields = [field for one in documents for band in one["bands"] for field in band["fields"]]
    groups = [group for one in documents for band in one["bands"] for group in band["groups"]]
    assert {field["type"] for field in fields} == {"text", "number", "date", "datetime", "boolean"}
    assert {field["role"] for field in fields} == {None, "measure", "%", "rate", "year", "part", "id"}
    assert {field["unit"] for field in fields} == {None, "%", "R$", "US$", "$", "€", "£"}
    assert {group["kind"] for group in groups} == {"enum", "period", "top"}
    periods = [group["parts"][0]["value"] or "" for group in groups if group["kind"] == "period"]
    assert {len(value) for value in periods} == {4, 7, 10}
    assert any(group["parts"][-1]["value"] is None for group in groups)
    assert any(one["aggregates"] for one in documents)
    assert {code for one in documents for _, code in one["codes"]} == NAMED_CODES
