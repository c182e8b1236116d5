"""Who asks is read strictly, and nobody is shown a report whose rules do not speak of them."""

from __future__ import annotations

import dataclasses
import json
from decimal import Decimal

import pytest

from datasources.access import Viewer, parse_viewer, read_viewer
from datasources.definition import parse_definition
from datasources.exceptions import AccessError, SourceNotFound
from datasources.mask_key import MaskKey
from engine import process_report

KEY = MaskKey.derive(b"0123456789abcdef0123456789abcdef", "w1")
ROWS = [{"uf": "SP", "valor": 1}, {"uf": "RJ", "valor": 2}]


def report(access=None, public=False, fields=("uf", "valor")):
    document = {
        "id": "r",
        "name": "R",
        "public": public,
        "datasources": {"d": {"kind": "inline", "records": ROWS}},
        "bands": [{"name": "b", "datasource": "d", "fields": [{"name": name} for name in fields]}],
    }
    return parse_definition(json.dumps(document | ({"access": access} if access is not None else {})))


def test_a_viewer_is_read():
    text = (
        '{"id": "ana", "workspace": "w1", "roles": ["rh"], "attributes": {"regioes": ["Sul"], "teto": 1.50}}'
    )
    viewer = parse_viewer(text)
    assert viewer == Viewer("ana", "w1", frozenset({"rh"}), {"regioes": ("Sul",), "teto": Decimal("1.50")})


@pytest.mark.parametrize(
    ("document", "said"),
    [
        pytest.param("[]", "allowed is an object", id="no object"),
        pytest.param("{", "not well-formed JSON", id="no JSON"),
        pytest.param('{"id": "a", "id": "b", "workspace": "w"}', "twice", id="a key twice"),
        pytest.param('{"workspace": "w"}', "“id” must be a text", id="no id"),
        pytest.param('{"id": " ", "workspace": "w"}', "“id” must be a text", id="empty id"),
        pytest.param('{"id": 7, "workspace": "w"}', "“id” must be a text", id="id of another kind"),
        pytest.param('{"id": "a", "workspace": "w", "role": []}', "“role” is not a key", id="unknown key"),
        pytest.param('{"id": "a", "workspace": "w", "roles": "rh"}', "“roles” must be a list", id="roles"),
        pytest.param('{"id": "a", "workspace": "w", "attributes": []}', "must be an object", id="attributes"),
        pytest.param('{"id": "a", "workspace": "w", "attributes": {"x": null}}', "“x”", id="null"),
        pytest.param('{"id": "a", "workspace": "w", "attributes": {"x": [["y"]]}}', "“x”", id="nested"),
        pytest.param('{"id": "a", "workspace": "w", "attributes": {"x": NaN}}', "NaN", id="NaN"),
    ],
)
def test_what_is_no_viewer_is_refused(document, said):
    with pytest.raises(AccessError) as raised:
        parse_viewer(document)
    assert said in raised.value.message


def test_a_viewer_does_not_change_with_what_it_was_made_of(tmp_path):
    attributes: dict[str, tuple[str, ...]] = {"regioes": ("Sul",)}
    viewer = Viewer("ana", "w1", frozenset(), attributes)
    attributes["regioes"] = ("Sul", "Norte")
    assert viewer.attributes["regioes"] == ("Sul",)
    with pytest.raises(TypeError):
        viewer.attributes["regioes"] = ()  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        viewer.id = "outra"  # type: ignore[misc]
    with pytest.raises(SourceNotFound):
        read_viewer(tmp_path / "nada.json")


def processed(definition, viewer, key=KEY):
    return process_report(definition, viewer=viewer, key=key).bands[0].rows


def test_rules_and_a_viewer_belong_together():
    ana = Viewer("ana", "w1")
    rules = {"rows": [{"band": "b", "where": {"field": "uf", "op": "=", "value": "SP"}}]}
    assert processed(report(rules), ana) == 1
    assert processed(report(public=True), ana) == 2
    assert processed(report(), None) == 2
    with pytest.raises(AccessError, match="has access rules: say for which viewer"):
        processed(report(rules), None)
    with pytest.raises(AccessError, match="has access rules: say for which viewer"):
        processed(report(rules, public=True), None)
    with pytest.raises(AccessError, match="says nothing of who may see it"):
        processed(report(), ana)


def test_without_a_key_nothing_that_may_be_masked_is_shown():
    ana = Viewer("ana", "w1")
    with pytest.raises(AccessError, match="give the key"):
        processed(report({}), ana, key=None)
    assert processed(report({"detect_pii": False}), ana, key=None) == 2


@pytest.mark.parametrize(
    ("op", "value", "attributes", "said"),
    [
        pytest.param("in", "ufs", {}, "“ufs”, which the viewer does not have", id="missing"),
        pytest.param("in", "ufs", {"ufs": "SP"}, "“ufs” in another shape: in takes a list", id="not a list"),
        pytest.param("=", "uf", {"uf": ("SP",)}, "“uf” in another shape: = takes one value", id="a list"),
        pytest.param(">", "teto", {"teto": "caro"}, "compares “valor” with a value", id="no number"),
    ],
)
def test_an_attribute_that_does_not_fit_shows_nothing(op, value, attributes, said):
    field = "valor" if op == ">" else "uf"
    definition = parse_definition(
        json.dumps(
            {
                "id": "r",
                "name": "R",
                "datasources": {"d": {"kind": "inline", "records": ROWS}},
                "bands": [
                    {
                        "name": "b",
                        "datasource": "d",
                        "fields": [{"name": "uf"}, {"name": "valor", "type": "number"}],
                    }
                ],
                "access": {
                    "rows": [{"band": "b", "where": {"field": field, "op": op, "value": {"viewer": value}}}]
                },
            }
        )
    )
    with pytest.raises(AccessError) as raised:
        processed(definition, Viewer("ana", "w1", attributes=attributes))
    assert said in raised.value.message
    assert "SP" not in raised.value.message


def test_no_regions_are_no_rows():
    rules = {"rows": [{"band": "b", "where": {"field": "uf", "op": "in", "value": {"viewer": "ufs"}}}]}
    assert processed(report(rules), Viewer("ana", "w1", attributes={"ufs": ()})) == 0
