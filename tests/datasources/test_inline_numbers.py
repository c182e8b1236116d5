"""Records that stand in a definition are the same facts as the same records in a JSON file."""

from __future__ import annotations

import json

import pytest

from datasources import load
from datasources.definition import parse_definition
from datasources.options import ReadOptions
from datasources.parameters import resolve
from datasources.report import load_report


@pytest.mark.parametrize(
    "records",
    [
        '[{"a": 1E37}, {"a": 2}]',
        '[{"a": -0e99999}, {"a": 2.50}]',
        '[{"a": 0.00}, {"a": -0.0}]',
        '[{"a": 12345678901234567890}, {"a": 1}]',
        '[{"a": 12345678901234567.0}, {"a": 1}]',
        '[{"a": 1e15}, {"a": 1.5e16}]',
        '[{"a": 1.10}, {"a": "x"}]',
        '[{"a": [1.50, 1e3, 12345678901234567890]}]',
        '[{"a": {"b": 1e2, "c": [{"d": 1e2}]}}, {"a": {"b": 2e0}}]',
        '[{"a": 123456789012345678901234567890.5}, {"a": 0.123456789012}]',
        f'[{{"a": {"9" * 3_000}}}]',
    ],
)
def test_digits_are_those_of_a_file(tmp_path, records):
    from engine import materialize, profile_snapshot, take_excerpt
    from prompts import render_data_context

    def context_of(bands):
        snapshot = materialize(bands)
        warnings = [(one.code, one.count) for one in snapshot.profile.warnings]
        return render_data_context(profile_snapshot(snapshot), take_excerpt(snapshot)), warnings

    (tmp_path / "d.json").write_text(records)
    document = {"id": "r", "name": "R", "bands": [{"name": "d", "datasource": "d"}]}
    sources = f'{{"d": {{"kind": "inline", "records": {records}}}}}'
    definition = parse_definition(f'{json.dumps(document)[:-1]}, "datasources": {sources}}}')
    assert context_of(load_report(definition, resolve(definition, {}))) == context_of(
        load.read_bands([f"d={tmp_path / 'd.json'}"], ReadOptions())
    )


def test_what_escaped_the_check_is_null_and_counted():
    from decimal import Decimal

    from engine import materialize

    document = {
        "id": "r", "name": "R", "bands": [{"name": "d", "datasource": "d"}],
        "datasources": {"d": {"kind": "inline", "records": [{"a": 1}]}},
    }  # fmt: skip
    definition = parse_definition(json.dumps(document))
    source = definition.datasources["d"].model_copy(update={"records": ({"a": Decimal("1E+999")}, {"a": 2})})
    changed = definition.model_copy(update={"datasources": {"d": source}})
    (warning,) = materialize(load_report(changed, resolve(changed, {}))).profile.warnings
    assert (warning.code, warning.count) == ("not_finite", 1)
