"""What may be given to `materialize`, and that a stream says what a list says."""

from __future__ import annotations

import datetime as dt
import io
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from datasources import arrow, parquet_stream
from engine import export_json_lines, materialize, profile_snapshot, take_excerpt
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
    "an hour that comes twice": moments("s", "Europe/Lisbon", 1_729_989_000, 1_729_992_600, 0),
    "floats of 32 bits": pa.array([0.1, 0.2, 0.3, None], pa.float32()),
    "floats of 32 bits and many decimals": pa.array([1e-12, 1e30, 0.1, None], pa.float32()),
    "views of text": pa.array(["a", "b", "a", None], pa.string_view()),
    "views of bytes": pa.array([b"a", b"\xff", b"a", None], pa.binary_view()),
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


UNIT = {"ns": 86_400 * 10**9, "s": 86_400}
ODD = {
    "nanoseconds": (pa.timestamp("ns"), 1_704_067_200 * 10**9 + 1, "datetime", "native"),
    "the year 11476": (pa.timestamp("s"), 300_000_000_000, "text", "text"),
    "the year 0 of a zone": (pa.timestamp("s", "America/Sao_Paulo"), -62_135_596_800, "text", "text"),
    "a day of the year 12921": (pa.date32(), 4_000_000, "text", "text"),
}


@pytest.mark.parametrize(("kind", "odd", "expected", "style"), ODD.values(), ids=ODD)
def test_one_moment_that_python_has_not_is_the_same_by_every_path(
    tmp_path, monkeypatch, kind, odd, expected, style
):
    """It stands in one part of a stream only."""
    unit = UNIT.get(getattr(kind, "unit", ""), 1)
    cells = pa.array([(19_000 + i) * unit for i in range(99)] + [odd], pa.int64())
    path = tmp_path / "t.parquet"
    column = (cells.cast(pa.int32()) if pa.types.is_date(kind) else cells).cast(kind)
    pq.write_table(pa.table({"momento": column}), path, row_group_size=10)
    found = []
    for limit in (-1, 1 << 60):
        monkeypatch.setattr(arrow, "SMALL_CELLS_MAX", limit)
        monkeypatch.setattr(arrow, "WIDE_CELLS_MAX", limit)
        monkeypatch.setattr(parquet_stream, "PART_ROWS", 10)
        snapshot, rows = materialize([path]), io.BytesIO()
        export_json_lines(snapshot, rows)
        found.append(
            (render_data_context(profile_snapshot(snapshot), take_excerpt(snapshot, 3)), rows.getvalue())
        )
        (one,) = profile_snapshot(snapshot).bands[0].fields
        assert (one.type, one.coercion and one.coercion.style) == (expected, style)
    assert found[0] == found[1]


def test_floats_of_32_bits_add_up_as_they_are_written():
    """0.1, not 0.10000000149011612 (spec 2, numbers, 7)."""
    column = pa.array([0.1, 0.2, 0.3], pa.float32())
    snapshot = materialize({"b": pa.table({"valor": column})})
    assert "SUM=0.6 " in render_data_context(profile_snapshot(snapshot), take_excerpt(snapshot, 3))
