"""Access rules over queries: the same bytes from every database and from CSV, and nothing hidden in any of them."""

from __future__ import annotations

import csv
import json

import pytest

from datasources import sql
from datasources.access import Access, Viewer
from datasources.access_rules import views_of
from datasources.definition import parse_definition
from datasources.exceptions import AccessError, SourceError
from datasources.mask_key import MaskKey
from datasources.parameters import resolve
from datasources.secured_records import VisibleRecords
from engine import process_report, take_excerpt
from engine.row_tests import compile_test
from lastro.document import document_of
from prompts import render_data_context
from tests.datasources.conftest import databases, mariadb, postgres
from tests.datasources.databases import KINDS, SALES, SALES_COLUMNS

__all__ = ["databases", "mariadb", "postgres"]

KEY = MaskKey.derive(b"0123456789abcdef0123456789abcdef", "w1")
VIEWER = Viewer("ana", "w1", frozenset(), {"regioes": ("Sul", "Centro-Oeste"), "teto": 2_000})
TEXT = {"encoding": "utf-8", "delimiter": ",", "header": True, "totals": "none"}
QUERY = f"SELECT {', '.join(SALES_COLUMNS)} FROM vendas ORDER BY pedido"
IN_REGIONS = {"field": "regiao", "op": "in", "value": {"viewer": "regioes"}}
IS_RETURN = {"field": "observacao", "op": "contains", "value": "100%"}
FIELDS = [
    {"name": "pedido", "type": "number", "role": "id"},
    {"name": "regiao"},
    {"name": "status"},
    {"name": "valor", "type": "number"},
    {"name": "quantidade", "type": "number"},
    {"name": "data", "type": "date"},
    {"name": "observacao"},
]


def report(source, where=IN_REGIONS, query=QUERY):
    if source != "csv":
        datasource = {"kind": "sql", "connection": source, "query": query}
    else:
        datasource = {"kind": "file", "root": "data", "path": "acesso.csv", **TEXT}
    document = {
        "id": "r",
        "name": "R",
        "locale": "en",
        "datasources": {"d": datasource},
        "bands": [{"name": "vendas", "datasource": "d", "fields": FIELDS}],
        "aggregates": [
            {"id": "soma", "band": "vendas", "verb": "SUM", "field": "valor", "decimals": 2},
            {"id": "maior", "band": "vendas", "verb": "MAX", "field": "quantidade"},
        ],
        "access": {
            "rows": [{"band": "vendas", "where": where}],
            "columns": [
                {"band": "vendas", "field": "quantidade", "action": "hide"},
                {"band": "vendas", "field": "observacao", "action": "mask"},
            ],
        },
    }
    return parse_definition(json.dumps(document))


def shown(databases, source, where=IN_REGIONS, viewer=VIEWER):
    file = databases.folder / "acesso.csv"
    if not file.exists():
        with file.open("w", encoding="utf-8", newline="") as text:
            csv.writer(text).writerows([SALES_COLUMNS, *SALES])
    snapshot = process_report(
        report(source, where),
        roots={"data": databases.folder},
        connections=databases.connections,
        viewer=viewer,
        key=KEY,
    )
    profile = snapshot.profile
    said = [(one.code, one.field, one.message) for one in profile.warnings]
    return render_data_context(profile, take_excerpt(snapshot)), said, document_of(profile)


WHERES = [
    pytest.param(IN_REGIONS, 4, id="in a list of the viewer's"),
    pytest.param({"field": "valor", "op": "<=", "value": {"viewer": "teto"}}, 4, id="a number of the viewer's"),
    pytest.param({"field": "data", "op": "=", "value": "2026-01"}, 2, id="a month"),
    pytest.param({"field": "data", "op": "is_null"}, 1, id="no date"),
    pytest.param({"and": [IN_REGIONS, IS_RETURN]}, 1, id="a masked text"),
    pytest.param({"field": "quantidade", "op": ">=", "value": 3}, 3, id="a hidden number"),
    pytest.param({"field": "regiao", "op": "=", "value": "sul"}, 0, id="case counts"),
]  # fmt: skip


@pytest.mark.parametrize(("where", "rows"), WHERES)
def test_a_viewer_is_shown_the_same_from_every_database_and_from_csv(databases, where, rows):
    context, said, document = shown(databases, "csv", where)
    assert document.bands[0].rows == rows
    assert "quantidade" not in context.partition("## REPORT AGGREGATES")[0]
    assert "d'Oeste" not in context
    assert "100%" not in context
    for kind in KINDS:
        other, told, facts = shown(databases, kind, where)
        assert other == context, kind
        assert told == said, kind
        alike = [_without_reading(one) for one in (facts, document)]
        assert alike[0] == alike[1], kind


def _without_reading(document):
    """A database has types of its own, so that only how cells were read may differ."""
    found = document.model_dump()
    for field in found["bands"][0]["fields"]:
        del field["coercion"]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_of_a_database_is_read_in_no_locale(databases, kind):
    # `80.000` of a text file would be eighty thousand.
    query = "SELECT pedido, CAST(valor AS DECIMAL(12,3)) AS valor, regiao, quantidade, observacao FROM vendas"
    where = {"field": "valor", "op": "<=", "value": 2_000}
    definition = report(kind, where, query).model_copy(update={"locale": "pt-BR"})
    snapshot = process_report(definition, connections=databases.connections, viewer=VIEWER, key=KEY)
    assert snapshot.bands[0].rows == 4


@pytest.mark.parametrize("kind", ["postgres", "mysql", "sqlite"])
def test_hidden_rows_fill_no_limit(databases, kind):
    definition = report(kind)
    limits = sql.SqlLimits(rows_max=4)
    source = definition.datasources["d"]
    view = views_of(definition, Access(VIEWER, compile_test, KEY))["vendas"]
    visible = VisibleRecords([view], None)
    band = sql.read_sql(
        source, "d", resolve(definition, {}), databases.connections, limits=limits, visible=visible
    )
    assert band.rows == 4


@pytest.mark.parametrize("kind", KINDS)
def test_a_hidden_row_is_in_no_error(databases, kind):
    missing = {"field": "bairro", "op": "=", "value": "Centro"}
    with pytest.raises(AccessError, match="asks for “bairro”, which the data do not have"):
        shown(databases, kind, missing)
    definition = report(kind, query="SELECT regiao, valor / (quantidade - 3) AS x FROM vendas WHERE nada = 1")
    with pytest.raises(SourceError) as caught:
        process_report(definition, connections=databases.connections, viewer=VIEWER, key=KEY)
    assert str(caught.value) == "The datasource d could not be read: read it without a viewer to see why."


@pytest.mark.parametrize("kind", KINDS)
def test_a_viewer_without_the_attribute_is_shown_nothing(databases, kind):
    with pytest.raises(AccessError, match="attribute “regioes”, which the viewer does not have"):
        shown(databases, kind, viewer=Viewer("rui", "w1"))
