"""What a snapshot knows beside its rows comes back from its JSON as it was."""

from __future__ import annotations

import json

import pytest

from engine import EngineError, materialize
from engine.snapshot_document import document_of, read_document, read_with_digest, write_document

RECORDS = [
    {"status": "faturado", "data": "05/04/2026", "valor": "10,50"},
    {"status": "aberto", "data": "06/04/2026", "valor": "7,25"},
    {"status": "faturado", "data": "06/05/2026", "valor": ""},
]


@pytest.fixture(scope="module")
def document():
    return document_of(materialize({"vendas": RECORDS}), "0" * 64)


def test_a_document_comes_back_equal_with_the_digest_that_it_has_itself(document):
    assert read_with_digest(write_document(document)) == (document, document.digest)


def test_the_order_of_keys_is_not_in_the_digest(document):
    turned = json.dumps(dict(reversed(json.loads(write_document(document)).items())))
    assert read_with_digest(turned)[1] == document.digest


def test_a_document_that_lacks_a_field_is_not_filled_in(document):
    found = json.loads(write_document(document))
    del found["profile"]["bands"][0]["fields"][0]["label"]  # it has a default, but the digest is without it
    with pytest.raises(TypeError, match="fields"):
        read_document(json.dumps(found))


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param({"bands": 5}, id="a number instead of bands"),
        pytest.param({"bands": [{"names": "x"}]}, id="a band with one field"),
        pytest.param({"profile": []}, id="a list instead of a profile"),
        pytest.param({"id": ["x"]}, id="a list instead of an id"),
        pytest.param({"format": None}, id="no format"),
    ],
)
def test_a_damaged_document_is_no_document(document, damage):
    found = {**json.loads(write_document(document)), **damage}
    with pytest.raises((ValueError, TypeError, KeyError, AttributeError, EngineError)):
        read_document(json.dumps(found))
