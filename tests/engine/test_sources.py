"""What may be given to `materialize`, and that a stream says what a list says."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

from engine import materialize, profile_snapshot, take_excerpt
from engine.snapshot import Sources
from prompts import render_data_context

CSV = "id;valor\n1;2,50\n2;3,50\n"


def names(sources: Sources) -> list[str]:
    return [band.name for band in profile_snapshot(materialize(sources)).bands]


@pytest.fixture
def vendas(tmp_path: Path) -> Path:
    path = tmp_path / "vendas.csv"
    path.write_text(CSV)
    return path


def test_arrays_of_objects_in_records_are_bands():
    orders = [{"id": 1, "itens": [{"sku": "a"}, {"sku": "b"}]}, {"id": 2, "itens": []}]
    assert names({"pedidos": orders}) == ["pedidos", "pedidos.itens"]


def test_a_source_alone_needs_no_list(vendas):
    assert names(vendas) == names(str(vendas)) == ["vendas"]
    assert names(pa.table({"a": [1]})) == names(pl.DataFrame({"a": [1]})) == ["data"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a=b", "a=b"), ("a\ud800", "a\ufffd"), (2026, "2026")],
    ids=["=", "half", "number"],
)
def test_any_name_will_do(vendas, name, expected):
    assert names({name: [{"a": 1}]}) == [expected]
    if isinstance(name, int) or name.isprintable():
        assert names({name: vendas}) == [expected]


def test_two_files_of_one_name_are_two_bands(vendas):
    other = vendas.parent / "2026"
    other.mkdir()
    (other / "vendas.csv").write_text(CSV.replace("3,50", "9,50"))
    assert names([vendas, other / "vendas.csv"]) == ["vendas", "vendas_2"]


def context(table: pa.Table) -> str:
    snapshot = materialize({"b": table})
    return render_data_context(profile_snapshot(snapshot), take_excerpt(snapshot, 3))


def moments(unit: str, zone: str | None, *values: int) -> pa.Array:
    return pa.array([*values, None], pa.timestamp(unit, zone))


COLUMNS = {
    "nanoseconds": moments("ns", None, 1, 10**18, 86400 * 10**9),
    "nanoseconds of a zone": moments("ns", "America/Sao_Paulo", 1, 10**18, 86400 * 10**9),
    "past the year 9999": moments("us", None, 0, 2**62, -(2**62)),
    "past any year": moments("s", None, 0, 2**62, -(2**62)),
    "a zone that is not installed": moments("us", "Nowhere/Here", 0, 10**15, 1),
    "sums past the largest double": pa.array([1e308, 1e308, 0.1, None]),
    "dates at both ends": pa.array([dt.date.min, dt.date.max, dt.date(2024, 2, 29), None]),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_a_large_table_says_what_a_small_one_says(column):
    """Large ones are streamed; the facts of extremes do not change with the number of rows."""
    small = pa.table({"a": column, "uf": ["x", "y", "x", "y"]})
    large = pa.concat_tables([small] * 15_000)
    shape = [
        [line for line in context(table).splitlines() if line.startswith(("Fields:", "{"))][:1]
        for table in (small, large)
    ]
    assert shape[0] == shape[1]
