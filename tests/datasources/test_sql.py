"""Queries on real databases: the same rows and bytes from each, values that stay values, and limits that hold."""

from __future__ import annotations

import csv
import logging
import sqlite3
import time
import traceback
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from datasources import RawBand, SourceError, SourceTooLarge
from datasources.base import Lists
from datasources.connections import load_connections
from datasources.exceptions import QueryRefused, SourceNotFound, SourceTimeout
from engine import materialize, profile_snapshot, take_excerpt
from prompts import render_data_context
from tests.datasources.databases import (
    KINDS,
    NAMES,
    PASSWORD,
    SALES,
    SALES_COLUMNS,
    ask,
    rows_of,
    run_on,
)

X = {"id": "x", "type": "text"}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def context_of(band: RawBand | Path) -> str:
    snapshot = materialize([band])
    return render_data_context(profile_snapshot(snapshot), take_excerpt(snapshot))


def test_a_report_has_the_same_bytes_from_each_database_and_from_csv(databases):
    file = databases.folder / "dados.csv"
    with file.open("w", encoding="utf-8", newline="") as text:
        csv.writer(text).writerows([SALES_COLUMNS, *SALES])
    query = f"SELECT {', '.join(SALES_COLUMNS)} FROM vendas ORDER BY pedido"
    expected = context_of(file)
    assert "valor SUM=1001318.34" in expected
    contexts = {kind: context_of(ask(databases.connections, kind, query)) for kind in KINDS}
    assert contexts == dict.fromkeys(KINDS, expected)


# ---- values that stay values ----

POSITIONS = """
    SELECT 'self' AS place, 0 AS id, {{x}} AS texto
    UNION ALL SELECT 'equal', id, nome FROM nomes WHERE nome = {{x}}
    UNION ALL SELECT 'quoted', id, nome FROM nomes WHERE nome = '{{ x }}'
    UNION ALL SELECT 'joined', id, nome FROM nomes WHERE nome = 'a{{x}}b'
    UNION ALL SELECT 'contains', id, nome FROM nomes WHERE lower(nome) LIKE lower('%{{x}}%')
    UNION ALL SELECT 'begins', id, nome FROM nomes WHERE lower(nome) LIKE lower('{{x}}%') -- '{{x}}
    UNION ALL SELECT 'except', id, nome FROM nomes WHERE NOT (lower(nome) LIKE '%' OR nome = {{x}})
    UNION ALL SELECT 'listed', id, nome FROM nomes WHERE nome IN ({{lista}})
    UNION ALL SELECT 'mixed', id, nome FROM nomes WHERE nome IN ('Norte', {{lista}}, '{{x}}')
    UNION ALL SELECT 'chosen', id, nome FROM nomes WHERE nome = '{{opcao}}'
    UNION ALL SELECT 'function', id, nome FROM nomes WHERE coalesce({{x}}, '') = nome
    UNION ALL SELECT 'case', id, nome FROM nomes WHERE CASE WHEN nome = {{x}} THEN 1 ELSE 0 END = 1
    UNION ALL SELECT 'nested', id, nome FROM nomes WHERE id IN (SELECT id FROM nomes WHERE nome = {{x}})
    UNION ALL SELECT 'count', count(*), 'segredos' FROM segredos
    UNION ALL SELECT 'count', count(*), 'vendas' FROM vendas
"""
DECLARED: list[dict[str, Any]] = [
    X,
    {"id": "lista", "type": "multiselect", "options": list(NAMES)},
    {"id": "opcao", "type": "select", "options": list(NAMES)},
]


def expected_rows(x: str) -> list[tuple[object, ...]]:
    """The same filters in plain Python."""
    tests = {
        "equal": lambda name: name == x,
        "quoted": lambda name: name == x,
        "joined": lambda name: name == f"a{x}b",
        "contains": lambda name: x.lower() in name.lower(),
        "begins": lambda name: name.lower().startswith(x.lower()),
        "except": lambda name: False,
        "listed": lambda name: name in (x, "Sul"),
        "mixed": lambda name: name in (x, "Sul", "Norte"),
        "chosen": lambda name: name == x,
        "function": lambda name: name == x,
        "case": lambda name: name == x,
        "nested": lambda name: name == x,
    }
    found: list[tuple[object, ...]] = [
        ("self", 0, x),
        ("count", 1, "segredos"),
        ("count", len(SALES), "vendas"),
    ]
    found += [(place, i, name) for place, test in tests.items() for i, name in enumerate(NAMES) if test(name)]
    return sorted(found, key=str)


HOSTILE = (
    "d'Oeste",
    "%",
    "_",
    "\\",
    "a\\b",
    "' OR 1=1 --",
    "'; DROP TABLE vendas; --",
    "') OR (1=1",
    "{{x}}",
    "＇ OR 1=1",
)
FAST_ONLY = tuple(name for name in NAMES if name not in HOSTILE and name == name.strip())


@pytest.mark.parametrize(
    ("kind", "x"),
    [(kind, x) for kind in KINDS for x in HOSTILE]
    + [(kind, x) for kind in ("mysql", "sqlite") for x in FAST_ONLY],
)
def test_a_text_is_only_ever_a_value(databases, kind, x):
    band = ask(databases.connections, kind, POSITIONS, DECLARED, {"x": x, "lista": [x, "Sul"], "opcao": x})
    assert sorted(rows_of(band), key=str) == expected_rows(x)


@pytest.mark.parametrize("x", [x for x in HOSTILE if "'" in x])
def test_a_pasted_text_would_be_seen(databases, x):
    query = (
        POSITIONS.replace("{{x}}", x)
        .replace("{{ x }}", x)
        .replace("{{opcao}}", x)
        .replace("{{lista}}", f"'{x}', 'Sul'")
    )
    with closing(sqlite3.connect(databases.folder / "dados.sqlite")) as database:
        try:
            found = sorted(database.execute(query).fetchall(), key=str)
        except (sqlite3.Error, sqlite3.Warning):
            found = []
    assert found != expected_rows(x)


def test_a_server_that_reads_texts_in_another_way_is_told_which(databases):
    postgres, mysql = databases.servers["postgres"], databases.servers["mysql"]
    try:
        run_on(postgres, "postgres", ["ALTER USER leitor SET standard_conforming_strings = off"])
        run_on(mysql, "mysql", ["SET GLOBAL sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT'"])
        for kind in ("postgres", "mysql"):
            for x in ("a\\b", "\\' OR 1=1 --", "d'Oeste"):
                band = ask(
                    databases.connections,
                    kind,
                    POSITIONS,
                    DECLARED,
                    {"x": x, "lista": ["Sul"], "opcao": "Sul"},
                )
                found = [row for row in rows_of(band) if row[0] in ("self", "equal", "quoted", "contains")]
                expected = [
                    row for row in expected_rows(x) if row[0] in ("self", "equal", "quoted", "contains")
                ]
                assert sorted(found, key=str) == expected
        quoted = ask(databases.connections, "mysql", "SELECT 'a\\\\' AS a, \"b'\" AS b, 'c\\'d' AS c")
        assert rows_of(quoted) == [("a\\", "b'", "c'd")]
        assert rows_of(ask(databases.connections, "postgres", "SELECT 'a\\' AS a")) == [("a\\",)]
    finally:
        run_on(postgres, "postgres", ["ALTER USER leitor RESET standard_conforming_strings"])
        run_on(mysql, "mysql", ["SET GLOBAL sql_mode = 'STRICT_TRANS_TABLES'"])


TYPED: list[dict[str, Any]] = [
    {"id": "minimo", "type": "number"},
    {"id": "inicio", "type": "date"},
    {"id": "fim", "type": "datetime"},
    {"id": "ativo", "type": "boolean"},
    {"id": "regioes", "type": "multiselect", "options": ["Sul", "Norte", "Centro-Oeste"]},
    {"id": "status", "type": "select", "options": ["aberto", "faturado"]},
    {"id": "n", "type": "number"},
]
FILTERS = """
    SELECT pedido FROM vendas
    WHERE ({{minimo}} IS NULL OR valor >= {{minimo}})
      AND ({{inicio}} IS NULL OR data >= {{inicio}})
      AND ({{fim}} IS NULL OR data <= {{fim}})
      AND ({{regioes}} IS NULL OR regiao IN ({{regioes}}))
      AND ({{status}} IS NULL OR status = {{status}})
      AND ({{ativo}} IS NULL OR ({{ativo}} = (valor > 0)))
    ORDER BY pedido LIMIT {{n}};
"""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({}, [1, 2, 3, 4, 5, 6], id="nothing is chosen"),
        pytest.param({"minimo": "80,00"}, [1, 2, 5], id="decimal"),
        pytest.param({"minimo": "0.1"}, [1, 2, 5, 6], id="decimal without a binary fraction"),
        pytest.param({"minimo": -13}, [1, 2, 3, 5, 6], id="integer"),
        pytest.param({"minimo": "9" * 38}, [], id="as many digits as there may be"),
        pytest.param({"inicio": "02/02/2026"}, [3, 4, 5], id="date"),
        pytest.param({"fim": "2026-02-02T00:00:00"}, [1, 2, 3], id="datetime"),
        pytest.param({"regioes": "Sul"}, [1, 3, 6], id="list of one"),
        pytest.param({"regioes": ["Sul", "Norte"]}, [1, 2, 3, 5, 6], id="list of two"),
        pytest.param({"status": "aberto"}, [2, 6], id="option"),
        pytest.param({"ativo": "sim"}, [1, 2, 5, 6], id="boolean"),
        pytest.param({"ativo": False, "regioes": ["Sul"]}, [3], id="boolean and list"),
        pytest.param({"n": 2}, [1, 2], id="number of rows"),
    ],
)
def test_each_type_of_parameter_is_bound(databases, kind, given, expected):
    query = FILTERS
    if kind == "sqlite":  # its dates are text, and a datetime has a time
        query = query.replace("data <= {{fim}}", "datetime(data) <= {{fim}}")
    if "n" not in given:
        query = query.replace("LIMIT {{n}}", "")
    assert [row[0] for row in rows_of(ask(databases.connections, kind, query, TYPED, given))] == expected


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("SELECT * FROM {{x}}", id="table"),
        pytest.param('SELECT * FROM "{{x}}"', id="quoted table"),
        pytest.param("SELECT vendas.{{x}} FROM vendas", id="column of a table"),
        pytest.param("SELECT pedido AS {{x}} FROM vendas", id="name of a column"),
        pytest.param("SELECT pedido{{x}} FROM vendas", id="end of a name"),
        pytest.param("SELECT {{x}}(1)", id="function"),
        pytest.param("SELECT pedido FROM vendas {{x}}", id="rest of the query"),
        pytest.param("SELECT pedido FROM vendas WHERE {{x}} valor > 1", id="operator"),
        pytest.param("SELECT CAST(1 AS {{x}})", id="type"),
        pytest.param(
            "SELECT pedido FROM vendas WHERE regiao IN ({{y}}) AND {{lista}} = 'x'", id="undeclared"
        ),
        pytest.param("SELECT pedido FROM vendas WHERE regiao = {{lista}}", id="list as a value"),
        pytest.param("SELECT pedido FROM vendas WHERE regiao LIKE '%{{lista}}%'", id="list in a text"),
    ],
)
def test_a_parameter_is_never_a_name(databases, kind, query):
    if kind == "mysql":
        query = query.replace('"', "`")
    with pytest.raises(SourceError):
        ask(databases.connections, kind, query, DECLARED, {"x": "segredos", "lista": ["Sul", "Norte"]})


@pytest.mark.parametrize("order", ["ORDER BY {{x}}", "ORDER BY {{x}}, pedido DESC"])
def test_a_parameter_orders_by_no_column(databases, order):
    query = f"SELECT pedido FROM vendas {order} LIMIT 1"
    for x in ("pedido", "valor"):
        band = ask(databases.connections, "sqlite", query, [X], {"x": x})
        assert rows_of(band) == [(1,)] if "," not in order else [(6,)]


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"], ids=["NUL", "half a surrogate pair"])
def test_text_that_no_database_takes_is_refused(databases, kind, text):
    with pytest.raises(SourceError, match="NUL"):
        ask(databases.connections, kind, "SELECT {{x}} AS a", [X], {"x": text})


# ---- nothing is written, whatever passes the check ----

WRITES = {
    "postgres": "SELECT grava() AS n",
    "mysql": "SELECT grava() AS n",
}


def test_a_server_is_read_only_even_for_a_function_that_writes(databases):
    postgres, mysql = databases.servers["postgres"], databases.servers["mysql"]
    run_on(
        postgres,
        "postgres",
        [
            "CREATE OR REPLACE FUNCTION grava() RETURNS int LANGUAGE sql VOLATILE AS"
            " $$INSERT INTO segredos VALUES (2) RETURNING id$$"
        ],
    )
    body = "BEGIN INSERT INTO segredos VALUES (2); RETURN 1; END"
    run_on(
        mysql,
        "mysql",
        ["DROP FUNCTION IF EXISTS grava", f"CREATE FUNCTION grava() RETURNS INT MODIFIES SQL DATA {body}"],
    )
    for kind, query in WRITES.items():
        with pytest.raises(QueryRefused, match="grava"):
            ask(databases.connections, kind, query)
        text = (databases.folder / "connections.toml").read_text(encoding="utf-8")
        trusting = databases.folder / "trusting.toml"
        trusting.write_text(text.replace(f"[{kind}]", f'[{kind}]\nfunctions = ["grava"]'), encoding="utf-8")
        with pytest.raises(SourceError, match="read-only"):
            ask(load_connections(trusting), kind, query)
        assert rows_of(ask(databases.connections, kind, "SELECT id FROM segredos")) == [(1,)]


# ---- limits ----

ENDLESS = {
    "postgres": "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b",
    "mysql": "WITH RECURSIVE r(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM r) SELECT count(*) FROM r",
    "sqlite": "WITH RECURSIVE r(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM r) SELECT count(*) FROM r",
    "duckdb": "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = 7",
}


def test_an_endless_query_is_ended(databases, kind):
    start = time.monotonic()
    with pytest.raises(SourceTimeout, match=r"did not end within 0\.8 seconds"):
        ask(databases.connections, kind, ENDLESS[kind], seconds=0.8)
    assert time.monotonic() - start < 4


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("SELECT format('{:>1999999999}', 'x') AS a", id="one value that fills the memory"),
        pytest.param(
            "SELECT sum(levenshtein(repeat('a', 100000), repeat('b', 100000))) FROM range(9)",
            id="one long call",
        ),
        pytest.param("SELECT list(a.range) FROM range(20000) a, range(20000) b", id="a list of all rows"),
    ],
)
def test_a_worker_that_cannot_be_interrupted_is_killed(databases, query):
    start = time.monotonic()
    with pytest.raises((SourceTimeout, SourceTooLarge)):
        ask(databases.connections, "duckdb", query, seconds=1.5, worker_bytes=512 * 1024 * 1024)
    assert time.monotonic() - start < 6


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        pytest.param({"rows_max": 5}, "more than the limit of 5 rows", id="rows"),
        pytest.param({"bytes_max": 100}, "more than the limit of 100 bytes", id="bytes"),
    ],
)
def test_nothing_is_cut_at_a_limit(databases, kind, limits, message):
    with pytest.raises(SourceTooLarge, match=message):
        ask(databases.connections, kind, "SELECT * FROM vendas", **limits)
    assert ask(databases.connections, kind, "SELECT * FROM vendas", rows_max=6).rows == 6


def test_a_query_is_stopped_in_the_middle_of_its_rows(databases):
    query = "WITH RECURSIVE r(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM r WHERE a < 500000) SELECT a FROM r"
    for kind in KINDS[:3]:
        with pytest.raises(SourceTooLarge):
            ask(databases.connections, kind, query, rows_max=20_000)


def test_a_recursion_of_mariadb_is_not_cut(databases):
    query = "WITH RECURSIVE r(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM r WHERE a < 5000) SELECT a FROM r"
    assert ask(databases.connections, "mysql", query).rows == 5000


# ---- errors ----


@pytest.mark.parametrize(
    ("query", "said"),
    [
        pytest.param("SELECT a FROM nada", "nada", id="no table"),
        pytest.param("SELECT colunna FROM vendas", "colunna", id="no column"),
    ],
)
def test_the_author_is_told_what_is_wrong(databases, kind, query, said):
    with pytest.raises(SourceError, match=said) as caught:
        ask(databases.connections, kind, query)
    assert kind in caught.value.message


@pytest.mark.parametrize("kind", ["postgres", "duckdb"])
def test_a_cell_is_in_no_message(databases, kind):
    with pytest.raises(SourceError, match="a value in it does not fit its type") as caught:
        ask(databases.connections, kind, "SELECT CAST(nome AS INTEGER) AS a FROM nomes WHERE nome = 'Norte'")
    assert "Norte" not in caught.value.message


def test_an_unknown_connection_is_named(databases):
    with pytest.raises(SourceNotFound, match="did you mean sqlite"):
        ask(databases.connections, "sqlit", "SELECT 1 AS a")


@pytest.mark.parametrize("kind", ["postgres", "mysql"])
@pytest.mark.parametrize("tls", ["on", "verify"])
def test_tls_that_is_asked_for_is_never_given_up(databases, kind, tls):
    text = (databases.folder / "connections.toml").read_text(encoding="utf-8")
    file = databases.folder / f"{kind}-{tls}.toml"
    file.write_text(text.replace(f"[{kind}]", f'[{kind}]\ntls = "{tls}"'), encoding="utf-8")
    with pytest.raises(SourceError, match="cannot be reached"):  # these servers have no certificate
        ask(load_connections(file), kind, "SELECT 1 AS a")


@pytest.mark.parametrize(
    ("module", "kind", "extra"),
    [("adbc_driver_postgresql", "postgres", "postgres"), ("pymysql", "mysql", "mysql")],
)
def test_a_missing_driver_is_named(databases, monkeypatch, module, kind, extra):
    import sys

    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(SourceError, match=rf"pip install 'lastro\[{extra}\]'"):
        ask(databases.connections, kind, "SELECT 1 AS a")


# ---- secrets ----

PIECES = (PASSWORD, "canário-7f3a", "\\barra")


@pytest.mark.parametrize("kind", ["postgres", "mysql"])
@pytest.mark.parametrize("fault", ["password", "port", "host", "database", "query", "none"])
def test_a_secret_is_nowhere(databases, monkeypatch, caplog, capfd, kind, fault):
    caplog.set_level(logging.DEBUG)
    logging.getLogger().setLevel(1)
    file = databases.folder / f"{kind}-{fault}.toml"
    text = (databases.folder / "connections.toml").read_text(encoding="utf-8")
    changes = {
        "password": ("leitor", "ninguem"), "port": (f"port = {databases.servers[kind].port}", "port = 1"),
        "host": ("127.0.0.1", "nao-existe.invalid"), "database": ("database = \"", "database = \"nao_"),
    }  # fmt: skip
    file.write_text(text.replace(*changes[fault]) if fault in changes else text, encoding="utf-8")
    connections = load_connections(file)
    said = [
        repr(connections),
        str(connections),
        repr(connections.secret_of(connections[kind])),
        file.read_text("utf-8"),
    ]
    query = "SELECT nada FROM vendas" if fault == "query" else "SELECT pedido FROM vendas"
    try:
        said.append(repr(ask(connections, kind, query, seconds=5)))
    except SourceError as error:
        said += [str(error), repr(error), "".join(traceback.format_exception(error))]
        found = type(error).__name__
    else:
        found = "none"
    # MariaDB does not tell a stranger which databases there are.
    forbidden = fault == "password" or (kind, fault) == ("mysql", "database")
    assert found == ("none" if fault == "none" else "SourceForbidden" if forbidden else "SourceError")
    said += [record.getMessage() for record in caplog.records] + list(capfd.readouterr())
    for piece in PIECES:
        assert not [text for text in said if piece in text]


# ---- types ----


def test_postgres_types(databases):
    query = """
        SELECT 12345678901234567890.1234567890::numeric AS exato, 1.50::numeric(10,3) AS escala, 7::smallint AS curto,
               9007199254740993::bigint AS longo, 0.1::real AS simples, true AS sim, DATE '2026-01-31' AS dia,
               TIMESTAMP '2026-01-31 10:30:00.5' AS momento, TIMESTAMPTZ '2026-01-31 10:30:00-03' AS instante,
               TIME '10:30' AS hora, '{"a": [1, 2]}'::jsonb AS objeto, ARRAY[1, 2] AS lista, 'ab'::char(4) AS fixo,
               CAST('NaN' AS numeric) AS nenhum, CAST(NULL AS numeric) AS vazio, 'x' AS "</dados>", 1 AS a, 2 AS a
    """
    band = ask(databases.connections, "postgres", query)
    assert band.columns[-3:] == ("</dados>", "a", "a_2")
    row = dict(zip(band.columns, map(str, rows_of(band)[0]), strict=True))
    assert row["exato"] == "12345678901234567890.1234567890"
    assert row["escala"] == "1.500"
    assert (row["curto"], row["longo"], row["sim"]) == ("7", "9007199254740993", "True")
    assert (row["dia"], row["momento"]) == ("2026-01-31", "2026-01-31 10:30:00.500000")
    assert row["instante"] == "2026-01-31 13:30:00+00:00"
    assert (row["objeto"], row["lista"], row["nenhum"], row["vazio"]) == (
        '{"a": [1, 2]}',
        "[1,2]",
        "None",
        "None",
    )
    assert {warning.code for warning in band.warnings} == {"not_finite", "repeated_name"}
    assert dict(zip(band.columns, band.native_types, strict=True))["vazio"] == "number"


@pytest.mark.parametrize("type_", ["money", "inet"])
def test_a_type_of_postgres_alone_is_named(databases, type_):
    query = f"SELECT CAST('{'1.00' if type_ == 'money' else '10.0.0.1'}' AS {type_}) AS a"
    with pytest.raises(SourceError, match=f"type {type_}: write CAST"):
        ask(databases.connections, "postgres", query)


def test_mariadb_types(databases):
    run_on(
        databases.servers["mysql"],
        "mysql",
        [
            "DROP TABLE IF EXISTS tipos",
            "CREATE TABLE tipos (d DECIMAL(30,10), t TINYINT(1), n TINYINT, u BIGINT UNSIGNED, f DOUBLE, dia DATE,"
            " m DATETIME(3), h TIME, b BIT(3), j JSON, x BLOB, y YEAR, vazio DECIMAL(8,2), s VARCHAR(9))",
            "INSERT INTO tipos VALUES (12345678901234567890.1234567890, TRUE, 2, 18446744073709551615, 0.1,"
            " '2026-01-31', '2026-01-31 10:30:00.5', '-01:30:00', b'101', '{\"a\":1}', 'ab', 2026, NULL, '007')",
            "INSERT INTO tipos (t) VALUES (NULL), (FALSE)",
        ],
    )
    band = ask(databases.connections, "mysql", "SELECT * FROM tipos")
    row = dict(zip(band.columns, map(str, rows_of(band)[0]), strict=True))
    assert row == {
        "d": "12345678901234567890.1234567890", "t": "True", "n": "2", "u": "18446744073709551615", "f": "0.1",
        "dia": "2026-01-31", "m": "2026-01-31 10:30:00.500000", "h": "-01:30:00", "b": "5", "j": '{"a":1}', "x": "ab",
        "y": "2026", "vazio": "None", "s": "007",
    }  # fmt: skip
    types = dict(zip(band.columns, band.native_types, strict=True))
    assert (types["t"], types["vazio"], types["s"], types["dia"]) == ("boolean", "number", None, "date")


def test_a_warning_of_the_server_is_told(databases):
    band = ask(databases.connections, "mysql", "SELECT CAST('12x' AS SIGNED) AS a")
    assert [(one.code, one.band, one.count) for one in band.warnings] == [("database_warning", "dados", 1)]


def test_duckdb_types(databases):
    query = """
        SELECT CAST(12345678901234567890.1234567890 AS DECIMAL(38,10)) AS d, true AS t, 18446744073709551615 AS u,
               sum(a.range)::HUGEINT AS h, DATE '2026-01-31' AS dia, TIMESTAMP '2026-01-31 10:30:00.5' AS m,
               [1, 2] AS l, {'a': 1} AS s, NULL AS vazio
        FROM range(3) a
    """
    band = ask(databases.connections, "duckdb", query)
    row = dict(zip(band.columns, map(str, rows_of(band)[0]), strict=True))
    assert row == {
        "d": "12345678901234567890.1234567890", "t": "True", "u": "18446744073709551615", "h": "3",
        "dia": "2026-01-31", "m": "2026-01-31 10:30:00.500000", "l": "[1,2]", "s.a": "1", "vazio": "None",
    }  # fmt: skip


def test_an_empty_result_keeps_its_columns(databases, kind):
    band = ask(databases.connections, kind, "SELECT pedido, valor, regiao FROM vendas WHERE pedido = 0")
    assert (band.rows, band.columns) == (0, ("pedido", "valor", "regiao"))
    if kind != "sqlite":
        assert band.native_types == ("number", "number", None)


def test_a_large_result_is_a_stream(databases, kind):
    query = {
        "postgres": "SELECT a, a * 1.10 AS b FROM generate_series(1, 30000) AS t(a) ORDER BY a",
        "duckdb": "SELECT range AS a, range * 1.10 AS b FROM range(1, 30001) ORDER BY 1",
    }.get(
        kind,
        "WITH RECURSIVE r(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM r WHERE a < 30000)"
        " SELECT a, a * 1.10 AS b FROM r ORDER BY a",
    )
    band = ask(databases.connections, kind, query)
    assert not isinstance(band.cells, Lists)
    assert "b SUM=495016500" in context_of(band)
