"""SQLite compares cells by the kind they are stored as: what would silently find nothing is refused or counted."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from datasources.connections import Connections, load_connections
from datasources.definition import parse_definition
from datasources.exceptions import QueryRefused
from datasources.sql import query_problems
from tests.datasources.databases import ask, rows_of

SCRIPT = """
    CREATE TABLE t (id INTEGER, s TEXT, n, dia DATE, com_t TEXT, com_hora DATETIME, br TEXT, epoca INTEGER, misto TEXT,
        valor NUMERIC, num_texto TEXT, ativo TEXT, marca BOOLEAN, vazio TEXT);
    INSERT INTO t VALUES
        (1, '7', 7, '2026-03-05', '2026-03-05T10:00:00', '2026-03-05 10:00:00', '05/03/2026', 1772704800, '2026-03-05',
            12.5, '12.50', 'S', 1, NULL),
        (2, '08', 8, '2026-03-06', '2026-03-06T10:00:00', '2026-03-06 10:00:00.5', '06/03/2026', 1772791200,
            '06/03/2026', 'N/A', '3', 'N', 0, NULL),
        (3, 'A1', 'x', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    CREATE TABLE u (id INTEGER, s TEXT);
    INSERT INTO u VALUES (1, 'a'), (2, 'b');
    CREATE VIEW anos AS SELECT substr(dia, 1, 4) AS ano, id FROM t;
"""
PARAMETERS: list[dict[str, Any]] = [
    {"id": "n", "type": "number"}, {"id": "p", "type": "text"}, {"id": "d", "type": "date"},
    {"id": "h", "type": "datetime"}, {"id": "b", "type": "boolean"},
    {"id": "m", "type": "multiselect", "options": ["7", "1", "2026"]},
]  # fmt: skip
VALUES = {"n": 7, "p": "7", "d": "2026-03-05", "h": "2026-03-05T10:00:00", "b": True, "m": ["7", "1"]}


@pytest.fixture(scope="module")
def lite(tmp_path_factory: pytest.TempPathFactory) -> Connections:
    folder: Path = tmp_path_factory.mktemp("stored")
    with closing(sqlite3.connect(folder / "x.db")) as database:
        database.executescript(SCRIPT)
    (folder / "c.toml").write_text('[dados]\nkind = "sqlite"\npath = "x.db"\n')
    return load_connections(folder / "c.toml")


def read(lite, query, values=VALUES):
    query = query if query.startswith(("SELECT", "WITH")) else f"SELECT id FROM t WHERE {query}"
    return ask(lite, "dados", query, PARAMETERS, values)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("id IN ({{m}})", [1]),
        ("id = {{p}} OR s = {{p}}", [1]),
        ("n = {{n}}", [1]),
        ("id + 0 = {{n}} - 6", [1]),
        ("+id <= {{n}}", [1, 2, 3]),
        ("substr(dia, 1, 4) = {{p}}", []),
        ("substr(s, 1, 1) = CAST({{n}} AS TEXT)", [1]),
        ("CAST(s AS INTEGER) = {{n}}", [1]),
        ("CAST(id AS TEXT) = {{p}}", []),
        ("dia >= {{d}}", [1, 2]),
        ("id = {{n}} - 6 AND s = lower({{p}})", [1]),
        ("com_hora <= {{d}} || ' 23:59:59'", [1]),
        ("dia = date({{h}})", [1]),
        ("SELECT id AS valor, valor AS id FROM t WHERE id = {{n}} - 6", [1]),
        ("dia BETWEEN {{d}} AND {{d}}", [1]),
        ("com_t >= {{d}}", [1, 2]),
        ("com_hora >= {{h}}", [1, 2]),
        ("com_hora = {{h}}", [1]),
        ("date(com_t) = {{d}}", [1]),
        ("date(dia) >= date({{h}})", [1, 2]),
        ("datetime(com_t) > datetime({{h}})", [2]),
        ("datetime(com_t) > {{h}}", [2]),
        ("marca = {{b}}", [1]),
        ("{{b}} = (valor > 0) AND id = 1", [1]),
        ("vazio >= {{h}}", []),
        ("{{d}} IS NULL OR dia >= {{d}}", [1, 2]),
        ("{{p}} = '' OR s = {{p}}", [1]),
        ("id IN (SELECT id FROM u WHERE s <> {{p}})", [1, 2]),
        ("EXISTS (SELECT 1 FROM u WHERE u.id = t.id AND dia = {{d}})", [1]),
        ('EXISTS (SELECT 1 FROM u WHERE u.id = t.id AND "dia" = {{d}})', [1]),
        ("SELECT id FROM t GROUP BY id HAVING max(dia) >= {{d}} LIMIT {{n}}", [1, 2]),
        ("SELECT k FROM (SELECT row_number() OVER (ORDER BY id) AS k FROM t) WHERE k < {{n}} - 5", [1]),
        ("WITH RECURSIVE x(k) AS (SELECT 5 UNION ALL SELECT k + 1 FROM x WHERE k < {{n}}) SELECT k FROM x", [5, 6, 7]),
        ("SELECT t.id FROM t, json_each('[1, 2]') j WHERE t.id = j.value AND j.value + 6 = {{n}}", [1]),
    ],
)  # fmt: skip
def test_what_means_the_same_in_both_passes_without_a_word(lite, query, expected):
    band = read(lite, query)
    assert ([row[0] for row in rows_of(band)], band.warnings) == (expected, ())


@pytest.mark.parametrize(
    ("query", "form"),
    [
        ("substr(dia, 1, 4) = {{n}}", "CAST({{n}} AS TEXT)"),
        ("strftime('%Y', dia) IN (2025, {{n}})", "CAST({{n}} AS TEXT)"),
        ("'{{n}}' < dia || ''", "CAST({{n}} AS TEXT)"),
        ("s || 'x' = {{b}}", "CAST({{b}} AS TEXT)"),
        ("{{n}} = '7'", "CAST({{n}} AS TEXT)"),
        ("{{n}} = {{p}}", "{{p}} = CAST({{n}} AS TEXT)"),
        ("CASE substr(s, 1, 1) WHEN {{n}} THEN 1 END", "CAST({{n}} AS TEXT)"),
        ("{{n}} BETWEEN lower(s) AND 9", "CAST(LOWER(s) AS NUMERIC)"),
        ("id + 0 = {{p}}", "CAST(id + 0 AS TEXT) = {{p}}"),
        ("id + 0 = lower({{p}}) || ''", "CAST(id + 0 AS TEXT)"),
        ("substr(dia, 1, 4) = {{n}} - 1", "CAST(SUBSTRING(dia, 1, 4) AS NUMERIC)"),
        ("(id + 0) IN ({{m}})", "AS TEXT) IN ({{m}})"),
        ("coalesce({{p}}, '') = length(s)", "CAST(LENGTH(s) AS TEXT)"),
        ("{{p}} IN (SELECT id + 0 FROM u)", "CAST(id + 0 AS TEXT)"),
        ("julianday(dia) >= {{d}}", "date(column) >= date({{d}})"),
        ("unixepoch(dia) >= {{h}}", "datetime(column) >= datetime({{h}})"),
        ("date(dia) >= {{h}}", "date({{h}})"),
        ("datetime(dia) <= {{d}}", "date(column) <= date({{d}})"),
        ("CAST(dia AS DATE) = {{d}}", "date(column) = date({{d}})"),
        ("CAST(dia AS DATE) = {{p}}", "CAST(CAST(dia AS DATE) AS TEXT)"),
    ],
)
def test_kinds_that_are_never_equal_are_refused_when_the_definition_is_checked(lite, query, form):
    document = {
        "id": "r", "name": "R", "parameters": PARAMETERS, "bands": [{"name": "d", "datasource": "d"}],
        "datasources": {"d": {"kind": "sql", "connection": "dados", "query": f"SELECT id FROM t WHERE {query}"}},
    }  # fmt: skip
    (problem,) = query_problems(parse_definition(json.dumps(document)), lite)
    assert problem.path == "datasources.d"
    assert form in problem.message


@pytest.mark.parametrize(
    ("query", "form"),
    [
        ("dia >= {{h}}", "All 2 cells of dia, which {{h}} is compared with, hold something other than a moment"),
        ("com_t >= {{h}}", "write datetime(com_t) >= datetime({{h}})"),
        ("com_t >= datetime({{h}})", "write datetime(com_t) >= datetime({{h}})"),
        ("br = date({{h}}, '+1 day')", "a day written as 2026-01-31"),
        ("t.com_t BETWEEN {{h}} AND {{h}}", "write datetime(t.com_t) >= datetime({{h}})"),
        ("br >= {{d}}", "a day written as 2026-01-31"),
        ('"br" >= {{d}}', "a day written as 2026-01-31"),
        ("[br] IN ({{d}})", "a day written as 2026-01-31"),
        ("epoca >= {{d}}", "write date(epoca) >= date({{d}})"),
        ("CAST(br AS TEXT) = {{d}}", "a day written as"),
        ("num_texto > {{n}}", "write CAST(num_texto AS NUMERIC) > {{n}}"),
        ("ativo = {{b}}", "text, neither 1 nor 0"),
        ("+id = {{p}}", "write CAST(id AS TEXT) = {{p}}"),
        ("max(id, 2) = {{p}}", "a number, which equals no text"),
        ("(SELECT max(id) FROM u) = {{p}}", "a number, which equals no text"),
        ("EXISTS (SELECT 1 FROM u WHERE br = {{d}})", "a day written as"),
        ("SELECT ano FROM anos WHERE ano > {{n}}", "write CAST(ano AS NUMERIC) > {{n}}"),
        ("SELECT ano FROM anos WHERE ano = {{n}}", "ano = CAST({{n}} AS TEXT)"),
        ("SELECT ano FROM (SELECT substr(dia, 1, 4) AS ano FROM t WHERE s = {{p}}) WHERE ano = {{n}}", "text, not"),
        ("WITH z AS (SELECT substr(dia, 1, 4) AS ano FROM t) SELECT ano FROM z WHERE ano = {{n}}", "text, not"),
        ("SELECT substr(dia, 1, 4) AS ano FROM t WHERE ano = {{n}}", "text, not"),
        ("SELECT max(br) AS ultimo FROM t GROUP BY s HAVING ultimo >= {{d}}", "a day written as"),
        ("SELECT sum(valor) AS soma FROM t HAVING soma >= {{p}}", "a number, which equals no text"),
        ("SELECT t.id FROM t JOIN u ON u.id = t.id AND u.s = {{p}} WHERE br = {{d}}", "a day written as"),
        ("SELECT a.id FROM t a, u b WHERE a.id = b.id AND a.br >= {{d}}", "cells of a.br"),
        ("SELECT value FROM json_each('[1,2]') WHERE value = {{p}}", "a number, which equals no text"),
        ("SELECT t.id FROM t, json_each('[' || t.id || ']') j WHERE j.value = {{p}}", "All 3 cells of j.value"),
    ],
)  # fmt: skip
def test_cells_of_which_none_can_be_compared_are_refused_whatever_was_chosen(lite, query, form):
    for values in (VALUES, {}):
        with pytest.raises(QueryRefused) as caught:
            read(lite, query, values)
        assert form in caught.value.message
        assert "05/03" not in caught.value.message


@pytest.mark.parametrize(
    ("query", "code", "count", "sample"),
    [
        ("misto >= {{d}}", "stored_otherwise", 1, ("06/03/2026",)),
        ("s = {{n}}", "stored_otherwise", 1, ("08",)),
        ("num_texto = {{n}}", "stored_otherwise", 1, ("12.50",)),
        ("valor >= {{n}}", "stored_otherwise", 1, ("N/A",)),
        ("coalesce(valor, 0) >= {{n}}", "stored_otherwise", 1, ("N/A",)),
        ("n = {{p}}", "stored_otherwise", 2, ("7", "8")),
        ("n IN ({{m}})", "stored_otherwise", 2, ("7", "8")),
        ("n > {{n}}", "stored_otherwise", 1, ("x",)),
        ("com_t <= {{d}}", "stored_with_time", 2, ()),
        ("com_hora = {{d}}", "stored_with_time", 2, ()),
    ],
)  # fmt: skip
def test_some_cells_that_cannot_be_compared_are_counted(lite, query, code, count, sample):
    (warning,) = read(lite, query).warnings
    assert (warning.code, warning.count, warning.sample, warning.band) == (code, count, sample, "dados")
    assert "{{" in warning.message


def test_what_cannot_be_looked_at_is_a_warning(lite):
    query = "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE (SELECT u.s) = {{p}})"
    (warning,) = read(lite, query).warnings
    assert (warning.code, warning.count) == ("stored_unknown", None)
    assert "write CAST((SELECT u.s) AS TEXT) = {{p}}" in warning.message


def test_one_look_serves_all_parameters(lite):
    named = [{"id": f"x{i}", "type": "number"} for i in range(200)]
    query = "SELECT id FROM t WHERE " + " OR ".join(f"id = {{{{x{i}}}}}" for i in range(200))
    start = time.monotonic()
    assert rows_of(ask(lite, "dados", query, named, {"x2": 2, "x3": "3"})) == [(2,), (3,)]
    assert time.monotonic() - start < 5
