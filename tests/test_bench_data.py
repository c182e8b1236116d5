"""The table of the benchmarks is the same whenever it is written, and however many rows are asked for."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.data import ENUMERATIONS, sales_blocks, write_sales
from benchmarks.files import table_files

BLOCK_ROWS = 400
"""So that 1,000 rows end within a block."""


def written(folder, rows):
    files = table_files(folder, rows)
    write_sales(files, rows, block_rows=BLOCK_ROWS)
    return files


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def large(folder):
    return written(folder, 2000)


@pytest.fixture(scope="module")
def small(folder):
    return written(folder, 1000)


@pytest.fixture(scope="module")
def table(large):
    return pq.read_table(large.parquet)


def test_a_smaller_csv_is_the_beginning_of_a_bigger_one(large, small):
    assert large.csv.read_bytes().startswith(small.csv.read_bytes())
    assert [path.read_bytes().count(b"\n") for path in (small.csv, large.csv)] == [1001, 2001]


def test_a_smaller_parquet_is_the_beginning_of_a_bigger_one(table, small):
    assert table.slice(0, 1000).equals(pq.read_table(small.parquet))
    assert table.num_rows == 2000


def test_the_same_bytes_every_time(small, tmp_path):
    again = written(tmp_path, 1000)
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in small]


def test_nothing_unfinished_stays(small, folder):
    assert not list(folder.glob("*.part"))


@pytest.mark.parametrize("seed", [8, 9])
def test_another_seed_is_another_table(table, seed):
    other = pa.concat_tables(sales_blocks(2000, seed, BLOCK_ROWS))
    assert other.schema == table.schema
    assert not other.equals(table)


def test_both_files_hold_the_same_cells(small):
    lines = small.csv.read_text(encoding="utf-8").splitlines()
    table = pq.read_table(small.parquet)
    assert lines[0].split(";") == table.column_names
    texts = [name for name in table.column_names if pa.types.is_string(table.schema.field(name).type)]
    for line, row in zip(lines[1:], table.to_pylist(), strict=True):
        cells = dict(zip(table.column_names, line.split(";"), strict=True))
        assert {name: cells[name] for name in texts} == {name: row[name] or "" for name in texts}


def test_the_columns_are_of_every_kind(table):
    assert len(table.column_names) == 21
    for name, values in ENUMERATIONS.items():
        assert set(table[name].to_pylist()) - {None} == set(values)
    with_nulls = [name for name in table.column_names if table[name].null_count]
    assert with_nulls == ["data_vencimento", "prioridade", "forma_pagamento", "frete"]


@pytest.mark.parametrize(
    ("column", "pattern"),
    [
        pytest.param("numero", r"^VD-\d{8}$", id="order number"),
        pytest.param("data_emissao", r"^202[56]-\d\d-\d\dT00:00:00\.000Z$", id="midnight"),
        pytest.param("cliente", r"^Cliente \d{5} Comércio Ltda$", id="client"),
        pytest.param("valor_total", r"^(0|[1-9]\d{0,2}(\.\d{3})*),\d\d$", id="money"),
        pytest.param("frete", r"^R\$ (0|[1-9]\d{0,2}(\.\d{3})*),\d\d$", id="money with its currency"),
        pytest.param(
            "ajuste", r"^(\(\d{1,3}(\.\d{3})*,\d\d\)|\d{1,3}(\.\d{3})*,\d\d)$", id="money in parentheses"
        ),
        pytest.param("chave_nfe", r"^\d{44}$", id="44 digits"),
    ],
)
def test_the_texts_look_as_in_life(table, column, pattern):
    import pyarrow.compute as pc

    assert pc.all(pc.match_substring_regex(table[column].drop_null(), pattern)).as_py()
