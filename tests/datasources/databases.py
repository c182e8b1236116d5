"""The same tables in all four databases, and how a test asks them."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasources import RawBand, parameters
from datasources.base import Cell, Lists
from datasources.connections import Connections, load_connections
from datasources.elements import ReportDefinition, SqlSource
from datasources.sql import SqlLimits, read_sql
from tests.datasources.servers import Server

KINDS = ("postgres", "mysql", "sqlite", "duckdb")
PASSWORD = "canário-7f3a 'aspas' \\barra"
"""Of the user that reads; it must appear nowhere."""
SECRET = "LASTRO_TEST_PASSWORD"

NAMES = (
    "Sul", "sul", "Norte", "d'Oeste", "d''Oeste", "100%", "100x", "a_b", "axb", "a\\b", "a\\\\b", "%", "_", "\\", "'",
    '"', "' OR 1=1 --", "'; DROP TABLE vendas; --",
    "\\' OR 1=1 -- ", "') OR (1=1", "\u2019 OR 1=1", "＇ OR 1=1", "{{x}}",
    "$1", "?", ":p1", "@x", "NULL", "1", "1 OR 1=1", "/* x */", "-- x", "x; SELECT 1", "São Paulo", "😀",
)  # fmt: skip
"""What people and attackers write, each a row of `nomes`."""

SALES: tuple[tuple[Cell, ...], ...] = (
    (1, "Sul", "faturado", "1250.50", 3, "2026-01-05", "entrega d'Oeste"),
    (2, "Norte", "aberto", "80.00", 1, "2026-01-17", None),
    (3, "Sul", "faturado", "-12.25", 1, "2026-02-02", "devolução; 100%"),
    (4, "Centro-Oeste", "cancelado", None, 2, "2026-02-20", 'tamanho 5"'),
    (5, "Norte", "faturado", "999999.99", 10, "2026-03-03", "linha\\barra"),
    (6, "Sul", "aberto", "0.10", 4, None, "São João"),
)
SALES_COLUMNS = ("pedido", "regiao", "status", "valor", "quantidade", "data", "observacao")
SALES_TYPES = ("INTEGER", "VARCHAR(40)", "VARCHAR(40)", "DECIMAL(12,2)", "INTEGER", "DATE", "VARCHAR(100)")


@dataclass(frozen=True, slots=True)
class Databases:
    """The connections to all of them, named by their kind."""

    connections: Connections
    servers: Mapping[str, Server]
    folder: Path


def make_files(folder: Path) -> None:
    """Write the SQLite and the DuckDB file."""
    import duckdb

    with closing(sqlite3.connect(folder / "dados.sqlite")) as lite:
        for statement in statements("sqlite"):
            lite.execute(statement)
        lite.commit()
    with duckdb.connect(str(folder / "dados.duckdb")) as duck:
        for statement in statements("duckdb"):
            duck.execute(statement)


def run_on(server: Server, kind: str, script: Iterable[str]) -> None:
    """Run statements as the one who may do everything."""
    if kind == "postgres":
        from adbc_driver_postgresql import dbapi

        where = f"host={server.host} port={server.port} dbname=postgres"
        address = f"{where} user={server.admin} password='{server.password}'"
        with dbapi.connect(address) as postgres, postgres.cursor() as cursor:
            for statement in script:
                cursor.execute(statement)
            postgres.commit()
        return
    import pymysql

    with closing(
        pymysql.connect(
            host=server.host, port=server.port, user=server.admin, password=server.password.encode(),
            database="relatorios", charset="utf8mb4", autocommit=True,
        )
    ) as maria, maria.cursor() as cursor:  # fmt: skip
        for statement in script:
            cursor.execute(statement)


def fill(server: Server, kind: str) -> None:
    """Make the tables, and a user that might write if it were let."""
    password = PASSWORD.replace("'", "''")
    if kind == "postgres":
        user = [
            f"CREATE USER leitor PASSWORD '{password}'",
            "GRANT ALL ON ALL TABLES IN SCHEMA public TO leitor",
            "GRANT CREATE ON SCHEMA public TO leitor",
        ]
    else:
        password = password.replace("\\", "\\\\")
        user = [
            f"CREATE USER leitor@'127.0.0.1' IDENTIFIED BY '{password}'",
            "GRANT ALL ON relatorios.* TO leitor@'127.0.0.1'",
        ]
    run_on(server, kind, [*statements(kind), *user])


def statements(kind: str) -> list[str]:
    """What makes and fills the tables."""
    # Bytes decide what is equal, as in Python: no case, no accents and no blanks at the end are ignored.
    collate = " COLLATE utf8mb4_nopad_bin" if kind == "mysql" else ""
    columns = ", ".join(f"{name} {type_}" for name, type_ in zip(SALES_COLUMNS, SALES_TYPES, strict=True))
    return [
        f"CREATE TABLE vendas ({columns})",
        f"INSERT INTO vendas VALUES {_rows(SALES, kind)}",
        f"CREATE TABLE nomes (id INTEGER, nome VARCHAR(60){collate})",
        f"INSERT INTO nomes VALUES {_rows(list(enumerate(NAMES)), kind)}",
        "CREATE TABLE segredos (id INTEGER)",
        "INSERT INTO segredos VALUES (1)",
    ]


def _rows(rows: Iterable[Sequence[object]], kind: str) -> str:
    return ", ".join(f"({', '.join(_literal(cell, kind) for cell in row)})" for row in rows)


def _literal(cell: object, kind: str) -> str:
    if cell is None or isinstance(cell, int):
        return "NULL" if cell is None else str(cell)
    text = str(cell).replace("'", "''")
    return f"'{text.replace(chr(92), chr(92) * 2) if kind == 'mysql' else text}'"


def write_connections(folder: Path, servers: Mapping[str, Server]) -> Connections:
    """The operator's file, read."""
    os.environ[SECRET] = PASSWORD
    file = folder / "connections.toml"
    tables = [
        '[sqlite]\nkind = "sqlite"\npath = "dados.sqlite"',
        '[duckdb]\nkind = "duckdb"\npath = "dados.duckdb"',
    ]
    for kind, server in servers.items():
        database = "postgres" if kind == "postgres" else "relatorios"
        tables.append(
            f'[{kind}]\nkind = "{kind}"\nhost = "{server.host}"\nport = {server.port}\ndatabase = "{database}"\n'
            f'user = "leitor"\nsecret = "{SECRET}"'
        )
    file.write_text("\n".join(tables), encoding="utf-8")
    return load_connections(file)


def ask(
    connections: Connections,
    connection: str,
    query: str,
    declared: Sequence[Mapping[str, Any]] = (),
    given: Mapping[str, object] | None = None,
    **limits: Any,
) -> RawBand:
    """Read the band of *query*, with the parameters *declared* as *given*."""
    definition = ReportDefinition.model_validate(
        {
            "id": "teste", "name": "Teste", "parameters": list(declared),
            "datasources": {"dados": {"kind": "sql", "connection": connection, "query": query}},
            "bands": [{"name": "dados", "datasource": "dados"}],
        }
    )  # fmt: skip
    source = definition.datasources["dados"]
    assert isinstance(source, SqlSource)
    values = parameters.resolve(definition, given or {})
    return read_sql(source, "dados", values, connections, limits=SqlLimits(**limits))


def rows_of(band: RawBand) -> list[tuple[Cell, ...]]:
    """The rows of a small band."""
    assert isinstance(band.cells, Lists)
    return list(zip(*band.cells.columns, strict=True)) if band.rows else []
