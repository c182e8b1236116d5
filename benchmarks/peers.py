"""
What other tools are measured at, each in a process of its own: `python -m benchmarks.peers NAME FILE`.

Each is written as its users would write it, with the faster of two ways where there are two.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

ENUMERATIONS = (
    *("status", "prioridade", "canal", "regiao", "forma_pagamento"),
    *("cst", "filial", "uf", "categoria", "vendedor"),
)
DATES = ("data_emissao", "data_vencimento")
AMOUNT = (
    "try_cast("
    "replace(replace(replace(replace(replace({}, '.', ''), 'R$ ', ''), ')', ''), '(', '-'), ',', '.') "
    "AS DECIMAL(18, 2))"
)
"""Brazilian money; nested `replace` is the fastest of DuckDB's ways."""
MEASURES: Mapping[str, str] = {
    "quantidade": "quantidade",
    "margem": "margem::DECIMAL(18, 4)",
    "valor_total": AMOUNT.format("valor_total"),
    "frete": AMOUNT.format("frete"),
    "ajuste": AMOUNT.format("ajuste"),
}
"""The numbers that can be added up, and DuckDB's exact reading of each."""
NUMBERS: Mapping[str, str] = {**MEASURES, "preco_unitario": "preco_unitario::DECIMAL(18, 2)"}


def summarize(file: str) -> object:
    """DuckDB's own profile of a file; it neither reads Brazilian numbers nor gives sums by group."""
    import duckdb

    source = f"read_csv('{file}', delim=';')" if file.endswith(".csv") else f"'{file}'"
    return duckdb.connect().execute(f"SUMMARIZE SELECT * FROM {source}").fetchall()


def describe(file: str) -> object:
    """The obvious program with polars: statistics of all columns, and the values of all text columns."""
    import polars as pl

    frame = decode(file)
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    return [frame.describe(), *(frame[name].value_counts(sort=True) for name in texts)]


def decode(file: str) -> pl.DataFrame:
    """Nothing but the whole file in memory: what reading costs at least."""
    import polars as pl

    if file.endswith(".csv"):
        # Without help polars refuses the 44 digits of the key as a number too large.
        key = {"chave_nfe": pl.String}
        return pl.read_csv(file, separator=";", infer_schema_length=10_000, schema_overrides=key)
    return pl.read_parquet(file)


def pair_queries(file: str) -> object:
    """The facts of the data context by one DuckDB query for each enumeration and number; prints them."""
    import duckdb

    connection = duckdb.connect()

    def rows(query: str) -> Sequence[tuple[object, ...]]:
        return connection.execute(query.format(file=file)).fetchall()

    facts: list[tuple[object, ...]] = []
    for name, read in NUMBERS.items():
        columns = f"min({read}), max({read}), avg({read}), count(*) - count({read}), sum({read})"
        ((low, high, _, nulls, total),) = rows(f"SELECT {columns} FROM '{{file}}'")
        facts += [(name, "min", low), (name, "max", high), (name, "nulls", nulls)]
        facts += [(name, "sum", total)] if name in MEASURES else []
    for name in DATES:
        ((first, last),) = rows(f"SELECT min({name}[:10]), max({name}[:10]) FROM '{{file}}'")
        facts += [(name, "min", first), (name, "max", last)]
    groups = {name: name for name in ENUMERATIONS} | {f"month({name})": f"{name}[:7]" for name in DATES}
    for name, key in groups.items():
        if name in ENUMERATIONS:
            facts += [
                ("rows", name, *row) for row in rows(f"SELECT {key}, count(*) FROM '{{file}}' GROUP BY 1")
            ]
        for measure, read in MEASURES.items():
            query = f"SELECT {key}, coalesce(sum({read}), 0) FROM '{{file}}' GROUP BY 1"
            facts += [(measure, name, *row) for row in rows(query)]
    print(json.dumps(facts, default=str))
    return None


def import_table(file: str) -> object:
    """DuckDB keeps the file as a table of its own, untyped text and all; prints the seconds and bytes."""
    import duckdb

    with TemporaryDirectory(dir=Path(file).parent, prefix="import-") as folder:
        start = time.perf_counter()
        stored = Path(folder) / "table.duckdb"
        with duckdb.connect(str(stored)) as connection:
            connection.execute(f"CREATE TABLE sales AS FROM '{file}'")
        print(json.dumps({"save_s": time.perf_counter() - start, "bytes": stored.stat().st_size}))
    return None


PEERS: Mapping[str, Callable[[str], object]] = {
    "summarize": summarize,
    "describe": describe,
    "decode": decode,
    "pair_queries": pair_queries,
    "import_table": import_table,
}


def peer_command(name: str, file: Path) -> list[str]:
    """The command that runs one of the peers on *file*."""
    return [sys.executable, "-m", "benchmarks.peers", name, str(file)]


def context_command(*arguments: str | Path) -> list[str]:
    """Our own command, beside which the peers run."""
    return [sys.executable, "-m", "lastro", "context", *map(str, arguments)]


if __name__ == "__main__":
    PEERS[sys.argv[1]](sys.argv[2])
