"""The tables of queries are looked for in each kind of database, and no row of them is read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import duckdb
import pytest

from datasources.connections import load_connections
from datasources.elements import ReportDefinition
from datasources.exceptions import SourceError, TableNotFound
from datasources.sql_check import check_select, tables_in
from datasources.sql_tables import KnownTables
from tests.datasources.databases import KINDS, ask

TABLES = [
    pytest.param("SELECT * FROM vendas", ["vendas"], id="one"),
    pytest.param("SELECT 1 FROM a x JOIN b y ON x.id = y.id, a z", ["a", "b"], id="once each"),
    pytest.param("SELECT 1 FROM a UNION ALL SELECT 1 FROM b", ["a", "b"], id="both sides of a union"),
    pytest.param("SELECT (SELECT max(id) FROM a) FROM b WHERE id IN (SELECT id FROM c)", ["b", "a", "c"], id="within"),
    pytest.param("WITH a AS (SELECT * FROM a) SELECT 1 FROM a", ["a"], id="a name given to its own rows"),
    pytest.param("WITH x AS (SELECT * FROM a) SELECT 1 FROM x", ["a"], id="what the query names"),
    pytest.param("WITH RECURSIVE r AS (SELECT 1 n UNION SELECT n + 1 FROM r) SELECT 1 FROM r", [], id="only itself"),
    pytest.param("SELECT x.valor FROM (SELECT valor FROM a) x", ["a"], id="a query as a table"),
    pytest.param("SELECT 1 FROM loja.itens", ["loja.itens"], id="with its schema"),
    pytest.param('SELECT 1 FROM "Itens de venda"', ['"Itens de venda"'], id="in quotes"),
    pytest.param("SELECT 1", [], id="none"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), TABLES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_tables_of_a_query(query, expected, kind):
    if kind == "mysql":
        query, expected = query.replace('"', "`"), [name.replace('"', "`") for name in expected]
    found = tables_in(check_select(query, kind).tree, kind)
    assert sorted(found) == sorted(expected)


def definition_of(**queries: str) -> ReportDefinition:
    """A report with a band for each connection's query, which has the parameter `x`."""
    document: dict[str, Any] = {
        "id": "r",
        "name": "R",
        "parameters": [{"id": "x", "type": "text"}],
        "datasources": {
            name: {"kind": "sql", "connection": name, "query": query} for name, query in queries.items()
        },
        "bands": [{"name": f"band_{name}", "datasource": name} for name in queries],
    }
    return ReportDefinition.model_validate(document)


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_that_is_not_there_is_told_with_its_band_and_connection(databases, kind):
    query = "SELECT v.* FROM vendas v, nomes, venda, outra WHERE v.status = {{x}}"
    tables = KnownTables(databases.connections)
    found = list(tables.problems(definition_of(**{kind: query})))
    assert [(one.path, one.message.partition(":")[0]) for one in found] == [
        (
            "bands[0].datasource",
            f"The band band_{kind} reads the table {table}, and the connection {kind} has none",
        )
        for table in ("venda", "outra")
    ]
    assert list(tables.doubts(definition_of(**{kind: query}))) == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_there_is_found(databases, kind):
    schema = {"postgres": "public", "mysql": "relatorios"}.get(kind, "main")
    tables = KnownTables(databases.connections)
    definition = definition_of(**{kind: f"SELECT 1 FROM {schema}.vendas, nomes"})
    assert list(tables.problems(definition)) + list(tables.doubts(definition)) == []


def _run(kind: str, path: str, statement: str) -> list[Any]:
    if kind == "sqlite":
        with closing(sqlite3.connect(path)) as lite:
            return lite.execute(statement).fetchall()
    with duckdb.connect(path) as duck:
        return duck.execute(statement).fetchall()


@pytest.mark.parametrize(
    ("kind", "fails"), [("sqlite", "abs(-9223372036854775807 - n) > 0"), ("duckdb", "error(n::text) IS NULL")]
)
def test_no_row_is_read(tmp_path, kind, fails):
    """A view that fails as soon as one of its rows is read is found all the same."""
    path = str(tmp_path / "dados")
    _run(kind, path, "CREATE TABLE numeros AS SELECT 1 AS n")
    _run(kind, path, f"CREATE VIEW quebrada AS SELECT n FROM numeros WHERE {fails}")
    with pytest.raises((sqlite3.Error, duckdb.Error)):
        _run(kind, path, "SELECT 1 FROM quebrada")
    file = tmp_path / "connections.toml"
    file.write_text(f'[{kind}]\nkind = "{kind}"\npath = "dados"\n')
    tables = KnownTables(load_connections(file))
    definition = definition_of(**{kind: "SELECT * FROM quebrada"})
    assert list(tables.problems(definition)) + list(tables.doubts(definition)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_error_of_a_reading_is_the_same_kind(databases, kind):
    with pytest.raises(TableNotFound, match="refused the query"):
        ask(databases.connections, kind, "SELECT * FROM venda")
    with pytest.raises(SourceError) as raised:
        ask(databases.connections, kind, "SELECT nada FROM vendas")
    assert type(raised.value) is SourceError


def test_a_database_that_does_not_answer_is_asked_once_and_told_as_a_doubt(tmp_path):
    (tmp_path / "broken.sqlite").write_bytes(b"no database at all" * 100)
    file = tmp_path / "connections.toml"
    file.write_text(
        '[a]\nkind = "sqlite"\npath = "broken.sqlite"\n[b]\nkind = "sqlite"\npath = "none.sqlite"\n'
    )
    tables = KnownTables(load_connections(file))
    definition = definition_of(a="SELECT * FROM t, u", b="SELECT * FROM t", c="SELECT * FROM t")
    assert list(tables.problems(definition)) == []
    assert [(one.path, one.message) for one in tables.doubts(definition)] == [
        (
            "bands[0].datasource",
            "The tables of the connection a could not be looked at: The file of the connection a is not a whole SQLite"
            " database: check its path.",
        )
    ]
