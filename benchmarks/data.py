"""
Writes a seeded table of Brazilian sales as CSV and as Parquet: `python -m benchmarks.data --rows 1000000`.

The rows come in blocks, each with a random stream of its own, so that neither the number of threads nor the
number of rows changes a row: the first rows of a bigger table are a smaller table.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.files import KINDS, SEED, Kind, TableFiles, table_files, unfinished

BLOCK_ROWS = 250_000
"""Rows that share a random stream; another number gives another table."""
ROW_GROUP_ROWS = 125_000

ENUMERATIONS: Mapping[str, tuple[str, ...]] = {
    "status": ("faturado", "aberto", "cancelado"),
    "prioridade": ("normal", "alta", "baixa"),
    "canal": ("loja", "e-commerce", "televendas", "marketplace"),
    "regiao": ("Sudeste", "Sul", "Nordeste", "Centro-Oeste", "Norte"),
    "forma_pagamento": ("Pix", "Cartão", "Boleto", "Dinheiro", "Crediário", "Depósito"),
    "cst": ("000", "060", "020", "040", "010", "041", "070", "090"),
    "filial": tuple(f"{number:03d}" for number in range(1, 11)),
    "uf": ("SP", "RJ", "MG", "PR", "SC", "RS", "BA", "PE", "CE", "GO", "DF", "AM"),
    "categoria": (
        *("Alimentos", "Bebidas", "Limpeza", "Higiene", "Padaria", "Hortifrúti", "Açougue", "Frios"),
        *("Papelaria", "Ferragens", "Elétrica", "Jardim", "Pet shop", "Brinquedos", "Calçados", "Vestuário"),
    ),
    "vendedor": (
        *(
            "Abelardo",
            "Benedita",
            "Cícero",
            "Dalva",
            "Eurico",
            "Flávia",
            "Genésio",
            "Hilda",
            "Inácio",
            "Jussara",
        ),
        *(
            "Laércio",
            "Mafalda",
            "Nélson",
            "Odete",
            "Plínio",
            "Rosângela",
            "Sílvio",
            "Tereza",
            "Ubirajara",
            "Zuleica",
        ),
    ),
}
"""Text columns of few values, 3 to 20; the codes of two have leading zeros."""
NULL_SHARES: Mapping[str, float] = {
    "prioridade": 0.02,
    "forma_pagamento": 0.01,
    "data_vencimento": 0.03,
    "frete": 0.05,
}
CLIENTS = 50_000
FIRST_DAY = date(2025, 1, 1)
SALES_DAYS = 480
TERM_DAYS = 90

Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


def sales_blocks(rows: int, seed: int = SEED, block_rows: int = BLOCK_ROWS) -> Iterator[pa.Table]:
    """
    The table of *rows* rows, block by block; every block but the last has *block_rows*.

    Threads make the next blocks meanwhile: that takes three times as long as to write them.
    """
    threads = os.cpu_count() or 1
    waiting: deque[Future[pa.Table]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for start in range(0, rows, block_rows):
                waiting.append(pool.submit(_block, seed, start, block_rows))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while len(waiting) > 1:
                yield waiting.popleft().result()
            if waiting:
                yield waiting.popleft().result().slice(0, (rows - 1) % block_rows + 1)
        finally:
            pool.shutdown(cancel_futures=True)


def write_sales(
    files: TableFiles,
    rows: int,
    seed: int = SEED,
    block_rows: int = BLOCK_ROWS,
    kinds: Collection[Kind] = KINDS,
) -> None:
    """Write the table as those of *files* that *kinds* names; they appear only when they are whole."""
    files.csv.parent.mkdir(parents=True, exist_ok=True)
    schema = _block(seed, 0, 1).schema
    with ExitStack() as stack:
        parts = {kind: _part_of(getattr(files, kind), stack) for kind in KINDS if kind in kinds}
        with ExitStack() as open_files:
            writes = [open_files.enter_context(WRITERS[kind](part, schema)) for kind, part in parts.items()]
            for block in sales_blocks(rows, seed, block_rows):
                for writer in writes:
                    # A CSV file has no row groups, and a block is one batch of its own there.
                    writer.write_table(block, ROW_GROUP_ROWS)
        for kind, part in parts.items():
            part.replace(getattr(files, kind))


def _part_of(path: Path, stack: ExitStack) -> Path:
    """A name to write *path* under, which is gone at the end of *stack*, whatever happens."""
    part = unfinished(path)
    stack.callback(part.unlink, missing_ok=True)
    return part


def _csv_writer(part: Path, schema: pa.Schema) -> pa_csv.CSVWriter:
    layout = pa_csv.WriteOptions(delimiter=";", quoting_style="none", quoting_header="none")
    return pa_csv.CSVWriter(part, schema, write_options=layout)


def _parquet_writer(part: Path, schema: pa.Schema) -> pq.ParquetWriter:
    return pq.ParquetWriter(part, schema, compression="zstd")


WRITERS: Mapping[Kind, Callable[[Path, pa.Schema], Any]] = {"csv": _csv_writer, "parquet": _parquet_writer}
"""Both have `write_table(table, rows)`; Arrow gives them no type."""


def _block(seed: int, start: int, rows: int) -> pa.Table:
    """Always a whole block, or a cut one would hold other rows than the whole."""
    random = np.random.Generator(np.random.Philox(key=[seed, start // rows]))
    clients = (random.pareto(1.1, rows) * 900).astype(np.int64) % CLIENTS
    sale_days = random.integers(0, SALES_DAYS, rows)
    due_days = sale_days + random.integers(0, TERM_DAYS, rows)
    quantities = random.geometric(0.15, rows)
    prices = (np.exp(random.normal(4.2, 1.1, rows)) * 100).astype(np.int64) + 1
    freights = (np.exp(random.normal(3.0, 0.8, rows)) * 100).astype(np.int64)
    adjustments = (random.normal(0, 250, rows) * 100).astype(np.int64)
    numbers = np.arange(start, start + rows, dtype=np.int64)
    columns = {
        "numero": _joined("VD-", _padded(numbers, 8)),
        "data_emissao": _midnights(sale_days),
        "data_vencimento": _with_nulls(random, "data_vencimento", _midnights(due_days)),
        "cliente": _joined("Cliente ", _padded(clients, 5), " Comércio Ltda"),
        **{name: _with_nulls(random, name, _chosen(random, name, rows)) for name in ENUMERATIONS},
        "quantidade": pa.array(quantities, pa.int32()),
        "preco_unitario": pa.array(prices / 100),
        "margem": pa.array(np.round(random.normal(0.22, 0.1, rows), 4)),
        "valor_total": _brazilian(quantities * prices),
        "frete": _with_nulls(random, "frete", _joined("R$ ", _brazilian(freights))),
        "ajuste": _in_parentheses(_brazilian(adjustments), adjustments < 0),
        "chave_nfe": _joined("3526", *(_padded(random.integers(0, 10**10, rows), 10) for _ in range(4))),
    }
    return pa.table(columns)


def _chosen(random: np.random.Generator, name: str, rows: int) -> pa.Array:
    """Values of an enumeration, the first ones more often, as in life."""
    values = ENUMERATIONS[name]
    weights = np.arange(1, len(values) + 1) ** -0.7
    limits = np.cumsum(weights / weights.sum())[:-1]
    return _looked_up(np.searchsorted(limits, random.random(rows)), values)


def _looked_up(codes: Integers, values: tuple[str, ...]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(values)).cast(pa.string())


def _midnights(days: Integers) -> pa.Array:
    known = range(SALES_DAYS + TERM_DAYS)
    return _looked_up(days, tuple(f"{FIRST_DAY + timedelta(days=day)}T00:00:00.000Z" for day in known))


def _with_nulls(random: np.random.Generator, name: str, values: pa.Array) -> pa.Array:
    if name not in NULL_SHARES:
        return values
    return pc.if_else(pa.array(random.random(len(values)) < NULL_SHARES[name]), None, values)


def _brazilian(cents: Integers) -> pa.Array:
    """The size of an amount, without its sign: 378227 → `3.782,27`."""
    whole, rest = np.divmod(np.abs(cents), 100)
    units, thousands, millions = whole % 1000, whole // 1000 % 1000, whole // 1_000_000
    grouped = pc.case_when(
        pc.make_struct(pa.array(whole >= 1_000_000), pa.array(whole >= 1000)),
        _joined(_padded(millions), ".", _padded(thousands, 3), ".", _padded(units, 3)),
        _joined(_padded(thousands), ".", _padded(units, 3)),
        _padded(units),
    )
    return _joined(grouped, ",", _padded(rest, 2))


def _in_parentheses(amounts: pa.Array, negative: Mask) -> pa.Array:
    return pc.if_else(pa.array(negative), _joined("(", amounts, ")"), amounts)


def _padded(values: Integers, digits: int = 1) -> pa.Array:
    return pc.utf8_lpad(pa.array(values).cast(pa.string()), digits, "0")


def _joined(*parts: pa.Array | str) -> pa.Array:
    return pc.binary_join_element_wise(*parts, "")


def main() -> int:
    """Write the table that the arguments describe."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.data", description=__doc__)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--only", choices=KINDS, help="write this kind of file only")
    asked = parser.parse_args()
    # A kill by a polite signal cleans up as an interrupt does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    kinds = [asked.only] if asked.only else KINDS
    try:
        write_sales(table_files(asked.folder, asked.rows), asked.rows, kinds=kinds)
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        print(f"{asked.folder}: {error.strerror or error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
