"""A table has the same types, facts and warnings, whether the kernels read it or the plain path."""

from __future__ import annotations

import pytest

from benchmarks.data import write_sales
from benchmarks.files import TableFiles
from datasources.load import read_bands
from datasources.options import ReadOptions
from engine.band import Band, type_band
from tests.kernels import running

ROWS = 3_000


@pytest.fixture(scope="module")
def sales(tmp_path_factory) -> TableFiles:
    folder = tmp_path_factory.mktemp("sales")
    files = TableFiles(folder / "vendas.csv", folder / "vendas.parquet")
    write_sales(files, ROWS, block_rows=1_000)
    return files


def band_of(path: str, way: str, *, complete: bool) -> Band:
    with running(way):
        (raw,) = read_bands([path], ReadOptions(small_bytes=0))
        return type_band(raw, complete=complete)


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_sales(sales, kind, complete):
    plain, compiled = (
        band_of(str(getattr(sales, kind)), way, complete=complete) for way in ("plain", "compiled")
    )
    assert compiled.columns == plain.columns
    assert compiled.statistics == plain.statistics
    assert compiled.warnings == plain.warnings
    assert plain.rows == ROWS


LINES = [
    pytest.param('k;"a ""quoted"" word";1,5;2024-01-01', id="doubled quotes"),
    pytest.param("k;b;(1.234,50);2024-01-01 10:30:00", id="a time"),
    pytest.param("k;b; 1,5 ;2024-13-01", id="no day, and spaces"),
    pytest.param("k;b;1.5;", id="another style"),
    pytest.param("k;b;99999999999999999999,5;2024-01-01", id="a long number"),
    pytest.param("k;b;-;0000-00-00", id="null tokens"),
    pytest.param("k;é;R$ 1,5;2024-01-01;more", id="a longer row"),
    pytest.param("", id="a blank line"),
]


@pytest.mark.parametrize("line", LINES)
def test_a_line_unlike_the_others(tmp_path, line):
    path = tmp_path / "t.csv"
    rows = [f"k{i};v{i % 7};{i % 1000},{i % 100:02d};2024-01-{i % 28 + 1:02d}" for i in range(6_000)]
    path.write_text("\n".join(["chave;grupo;valor;dia", *rows[:5_900], line, *rows[5_900:]]))
    plain, compiled = (band_of(str(path), way, complete=True) for way in ("plain", "compiled"))
    assert compiled.columns == plain.columns
    assert compiled.statistics == plain.statistics
    assert compiled.warnings == plain.warnings
