"""Databases that are files: SQLite keeps cells as stored, and neither can be made to write or to look elsewhere."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from datasources import RawBand, SourceError
from datasources.connections import Connections, load_connections
from datasources.exceptions import SourceNotFound
from tests.datasources.databases import ask, rows_of
from tests.datasources.real_data import real_file

Script = list[str]


def lite(folder: Path, script: Script, functions: str = "[]") -> Connections:
    with closing(sqlite3.connect(folder / "x.db")) as database:
        for statement in script:
            database.executescript(statement)
        database.commit()
    return named(folder, "sqlite", "x.db", functions)


def named(folder: Path, kind: str, path: str, functions: str = "[]") -> Connections:
    file = folder / "connections.toml"
    file.write_text(f'[dados]\nkind = "{kind}"\npath = "{path}"\nfunctions = {functions}', encoding="utf-8")
    return load_connections(file)


def read(connections: Connections, query: str) -> RawBand:
    return ask(connections, "dados", query)


def test_sqlite_cells_are_as_stored(tmp_path):
    connections = lite(
        tmp_path,
        [
            "CREATE TABLE t (codigo TEXT, misto, inteiro INTEGER, valor NUMERIC, dia DATE, bytes BLOB)",
            "INSERT INTO t VALUES ('007', 1, 9007199254740993, 12.50, '2026-01-31', x'6162'),"
            " ('1e5', 'x', NULL, 3, '31/01/2026', x'ff'), ('', 2.5, -1, NULL, NULL, NULL)",
        ],
    )
    band = read(connections, "SELECT * FROM t")
    assert rows_of(band) == [
        ("007", "1", 9007199254740993, 12.5, "2026-01-31", "ab"),
        ("1e5", "x", None, 3.0, "31/01/2026", "ff"),
        ("", "2.5", -1, None, None, None),
    ]
    assert band.native_types == (None, None, "number", "number", None, None)


def test_sqlite_text_that_is_no_utf8_is_mended_and_counted(tmp_path):
    connections = lite(
        tmp_path, ["CREATE TABLE t (a TEXT)", "INSERT INTO t VALUES (CAST(x'53e36f' AS TEXT)), ('ok')"]
    )
    band = read(connections, "SELECT a FROM t")
    assert rows_of(band) == [("S\ufffdo",), ("ok",)]
    assert [(one.code, one.count, one.sample) for one in band.warnings] == [("not_utf8", 1, ("S\ufffdo",))]


@pytest.mark.parametrize("name", ["100% #1?.db", "espaço e ç.db"])
def test_sqlite_file_names_are_no_addresses(tmp_path, name):
    with closing(sqlite3.connect(tmp_path / name)) as database:
        database.executescript("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    assert rows_of(read(named(tmp_path, "sqlite", name), "SELECT a FROM t")) == [(1,)]


def test_sqlite_refuses_by_itself_what_a_careless_operator_allows(tmp_path):
    script = ["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"]
    connections = lite(
        tmp_path, script, '["load_extension", "readfile", "pragma_table_info", "pragma_user_version"]'
    )
    for query in (
        "SELECT load_extension('x')",
        "SELECT readfile('x')",
        "SELECT * FROM pragma_table_info('t')",
        "SELECT * FROM pragma_user_version()",
    ):
        with pytest.raises(SourceError):
            read(connections, query)


def test_a_locked_sqlite_database_is_named(tmp_path, monkeypatch):
    connections = lite(tmp_path, ["CREATE TABLE t (a)"])
    monkeypatch.setattr("datasources.sql_sqlite.LOCK_SECONDS", 0.1)
    with closing(sqlite3.connect(tmp_path / "x.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(SourceError, match="locked by another program"):
            read(connections, "SELECT a FROM t")


def test_a_database_in_write_ahead_mode_is_read(tmp_path):
    connections = lite(
        tmp_path, ["PRAGMA journal_mode = WAL", "CREATE TABLE t (a)", "INSERT INTO t VALUES (7)"]
    )
    assert rows_of(read(connections, "SELECT a FROM t")) == [(7,)]


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_file_that_is_no_database_is_named(tmp_path, kind):
    (tmp_path / "x.txt").write_text("a;b\n1;2\n" * 99, encoding="utf-8")
    with pytest.raises(SourceError, match="The file of the connection dados"):
        read(named(tmp_path, kind, "x.txt"), "SELECT a FROM t")


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_missing_file_is_not_made(tmp_path, kind):
    with pytest.raises(SourceNotFound, match=r"no file x\.db for the connection dados"):
        read(named(tmp_path, kind, "x.db"), "SELECT 1 AS a")
    assert not (tmp_path / "x.db").exists()


def test_duckdb_refuses_by_itself_what_a_careless_operator_allows(tmp_path, monkeypatch):
    import duckdb

    (tmp_path / "segredo.csv").write_text("a\ncanário\n", encoding="utf-8")
    monkeypatch.setenv("LASTRO_CANARIO", "canário")
    with duckdb.connect(str(tmp_path / "x.duckdb")) as database:
        database.execute("CREATE TABLE t AS SELECT 1 AS a")
    connections = named(
        tmp_path, "duckdb", "x.duckdb", '["read_csv", "read_text", "glob", "getenv", "write_log", "nextval"]'
    )
    file = tmp_path / "segredo.csv"
    for query in (
        f"SELECT * FROM read_csv('{file}')",
        f"SELECT * FROM read_text('{file}')",
        f"SELECT * FROM glob('{file}')",
    ):
        with pytest.raises(SourceError) as caught:
            read(connections, query)
        assert "canário" not in caught.value.message
    with pytest.raises(SourceError, match="getenv"):  # only DuckDB's own command line has it
        read(connections, "SELECT getenv('LASTRO_CANARIO') AS a")
    assert rows_of(read(connections, "SELECT a FROM t")) == [(1,)]


def test_a_duckdb_worker_leaves_nothing_behind(tmp_path):
    import duckdb

    with duckdb.connect(str(tmp_path / "x.duckdb")) as database:
        database.execute("CREATE TABLE t AS SELECT 1 AS a")
    connections = named(tmp_path, "duckdb", "x.duckdb")
    before = sorted(os.listdir(tmp_path)), len(os.listdir("/proc/self/fd"))
    for query in ("SELECT a FROM t", "SELECT b FROM t", "SELECT a FROM t ORDER BY a"):
        try:
            read(connections, query)
        except SourceError:
            pass
    assert (sorted(os.listdir(tmp_path)), len(os.listdir("/proc/self/fd"))) == before


def test_sqlite_reads_the_tables_of_json(tmp_path):
    connections = lite(tmp_path, ["CREATE TABLE t (a TEXT)", "INSERT INTO t VALUES ('[1, 2]')"])
    query = "SELECT j.value, k.key FROM t, json_each(t.a) j, json_tree(t.a) k WHERE k.type = 'array'"
    assert rows_of(read(connections, query)) == [(1, None), (2, None)]


def test_what_sqlite_says_of_a_cell_or_a_parameter_stays_inside(tmp_path):
    connections = lite(tmp_path, ["CREATE TABLE t (a TEXT)", "INSERT INTO t VALUES ('segredo'), ('{}')"])
    named = [{"id": "p", "type": "text"}]
    for query in ("SELECT json_extract('{}', {{p}}) AS x", "SELECT json_extract('{}', a) AS x FROM t"):
        with pytest.raises(SourceError) as caught:
            ask(connections, "dados", query, named, {"p": "segredo"})
        assert "segredo" not in caught.value.message
        assert "refused the query (SQLITE_ERROR)" in caught.value.message
    with pytest.raises(SourceError, match=r"\(no such column: b\)"):
        read(connections, "SELECT b FROM t")


# ---- real data ----


@pytest.fixture(scope="module")
def municipios(tmp_path_factory: pytest.TempPathFactory) -> Connections:
    scripts = [
        real_file(f"municipios-sql/{name}.sql").read_text("utf-8-sig") for name in ("estados", "municipios")
    ]
    return lite(tmp_path_factory.mktemp("municipios"), scripts)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("SELECT count(*) FROM municipios", [(405,)], id="rows"),
        pytest.param(
            "SELECT fuso_horario, count(*) FROM municipios GROUP BY 1 ORDER BY 2 DESC",
            [("America/Sao_Paulo", 368), ("America/Porto_Velho", 36), ("America/Rio_Branco", 1)],
            id="time zones",
        ),
        pytest.param(
            "SELECT regiao, count(*) FROM estados GROUP BY regiao ORDER BY 2 DESC, 1",
            [("Nordeste", 9), ("Norte", 7), ("Centro-Oeste", 4), ("Sudeste", 4), ("Sul", 3)],
            id="states by region",
        ),
    ],
)
def test_real_counts(municipios, query, expected):
    assert rows_of(read(municipios, query)) == expected


def test_real_parameters(municipios):
    capital = {"id": "capital", "type": "boolean"}
    band = ask(
        municipios,
        "dados",
        "SELECT nome FROM municipios WHERE capital = {{capital}}",
        [capital],
        {"capital": True},
    )
    assert rows_of(band) == [("Aracaju",)]
    parte = {"id": "parte", "type": "text"}
    query = "SELECT nome FROM municipios WHERE nome LIKE '%{{parte}}%' ORDER BY nome"
    names = [row[0] for row in rows_of(ask(municipios, "dados", query, [parte], {"parte": "d'o"}))]
    assert names == ["Alta Floresta D'Oeste", "Alvorada D'Oeste", "Aparecida d'Oeste"]


def test_real_facts(municipios):
    from engine import materialize, profile_snapshot, take_excerpt
    from prompts import render_data_context

    band = read(municipios, "SELECT * FROM municipios")
    siafi = [str(row[band.columns.index("siafi_id")]) for row in rows_of(band)]
    assert sum(code.startswith("0") for code in siafi) == 69
    snapshot = materialize([band])
    context = render_data_context(profile_snapshot(snapshot), take_excerpt(snapshot))
    assert "latitude SUM=-6388.749825 " in context
    assert "siafi_id (text)" in context
    assert '"siafi_id":"0' in context
