"""Pseudonyms tell persons apart for who asks, and are listed and summed by in no prompt."""

from __future__ import annotations

import json

import pytest

from chat import Toolset
from datasources.access import Viewer
from datasources.definition import parse_definition
from datasources.exceptions import AccessError
from datasources.mask_key import MaskKey
from engine import open_snapshot, process_report, save_snapshot, take_excerpt
from lastro.document import document_of
from prompts import render_data_context

KEY = MaskKey.derive(b"0123456789abcdef0123456789abcdef", "w1")
ANA = Viewer("ana", "w1", frozenset(), {"vazio": "", "branco": " ", "cidade": "Sul"})
ROWS = [
    {
        "cliente": name,
        "doc": doc,
        "cidade": city,
        "valor": at,
        "obs": f"texto livre numero {at} de hoje {inside}",
    }
    for at, (name, doc, city, inside) in enumerate(
        [("Ana Lima", "111.444.777-35", "Sul", "ana@x.com"), ("Rui Melo", "529.982.247-25", "Norte", "")] * 40
    )
]


def report(*aggregates, rows=ROWS, row_rules=(), **access):
    columns = [{"band": "b", "field": "cliente", "action": "mask", "mask": "name"}]
    fields = [{"name": "cliente"}, {"name": "cidade"}, {"name": "valor", "type": "number"}]
    return parse_definition(
        json.dumps(
            {
                "id": "r",
                "name": "R",
                "datasources": {"d": {"kind": "inline", "records": rows}},
                "bands": [{"name": "b", "datasource": "d", "fields": fields}],
                "aggregates": [
                    {"id": f"a{at}", "band": "b", "verb": "COUNT", **one} for at, one in enumerate(aggregates)
                ],
                "access": {"rows": row_rules, "columns": columns, **access},
            }
        )
    )


@pytest.fixture(scope="module")
def snapshot():
    return process_report(report(), viewer=ANA, key=KEY)


def test_the_context_says_that_a_column_is_masked_and_lists_none_of_it(snapshot):
    schema = render_data_context(snapshot.profile, take_excerpt(snapshot), section="schema")
    assert "cliente (text, masked), doc (text, masked), cidade (text, values: Norte|Sul)" in schema
    assert "valor by cidade" in schema
    assert "valor by cliente" not in schema
    assert "name-" not in schema
    assert "cpf-" not in schema


def test_a_column_of_many_pseudonyms_has_no_leaders():
    rows = [{"cliente": f"Pessoa {at % 30}", "cidade": "Sul", "valor": at} for at in range(200)]
    found = process_report(report(rows=rows), viewer=ANA, key=KEY)
    assert [group.by for group in found.profile.bands[0].groups] == []


def test_the_document_says_it_too(snapshot):
    fields = {field.name: field for field in document_of(snapshot.profile).bands[0].fields}
    assert (fields["cliente"].masked, fields["cliente"].values, fields["cliente"].distinct) == (True, None, 2)
    assert json.loads(fields["cidade"].model_dump_json()).get("masked") is None


def test_who_asks_groups_by_pseudonyms(snapshot):
    with Toolset(snapshot) as tools:
        answer = tools.call("sulfite_group_by", {"by": "cliente", "verb": "COUNT"})
    result = json.loads(answer.text)["result"]
    assert [one["value"] for one in result] == [40, 40]
    assert json.dumps(result).count('"name-') == 2


def test_a_stored_snapshot_still_knows(snapshot, tmp_path):
    path = tmp_path / "s.json"
    save_snapshot(snapshot, path)
    with_rows = open_snapshot(path)
    assert [field.masked for field in with_rows.profile.bands[0].fields] == [True, True, False, False, False]
    assert with_rows.profile == snapshot.profile


MASKED_DOC = {"where": {"field": "doc", "op": "=", "value": "111.444.777-35"}}
INSIDE = {"where": {"field": "obs", "op": "contains", "value": "ana@x.com"}}


@pytest.mark.parametrize(
    "aggregate",
    [
        pytest.param(MASKED_DOC, id="by a column that was found to be personal"),
        pytest.param({"verb": "MAX", "field": "doc"}, id="over one"),
        pytest.param({"verb": "SUM", "field": "doc"}, id="a sum of one"),
        pytest.param(INSIDE, id="by personal data inside a text"),
    ],
)
def test_no_aggregate_counts_by_what_was_masked(aggregate):
    profile = process_report(report(aggregate), viewer=ANA, key=KEY).profile
    assert [one.value for one in profile.aggregates] == [None]
    assert [one.code for one in profile.warnings] == ["withheld_aggregate"]


def test_without_detection_it_counts():
    profile = process_report(report(MASKED_DOC, INSIDE, detect_pii=False), viewer=ANA, key=KEY).profile
    assert [one.value for one in profile.aggregates] == ["40", "40"]


@pytest.mark.parametrize("op", ["contains", "starts_with"])
@pytest.mark.parametrize(("attribute", "rows"), [("vazio", None), ("branco", None), ("cidade", 40)])
def test_a_viewer_without_a_word_is_not_shown_everything(op, attribute, rows):
    rule = {"band": "b", "where": {"field": "cidade", "op": op, "value": {"viewer": attribute}}}
    definition = report(row_rules=[rule])
    if rows is None:
        with pytest.raises(AccessError, match=f"{op} takes a text that is not empty"):
            process_report(definition, viewer=ANA, key=KEY)
    else:
        assert process_report(definition, viewer=ANA, key=KEY).bands[0].rows == rows
