"""A wide table of few rows is kept in memory though its file is not small: each column costs a stream dearly."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from datasources.arrow import SMALL_CELLS_MAX, WIDE_CELLS_MAX, WIDE_ROWS_MAX, is_small
from datasources.base import Lists
from datasources.csv import WIDE_TIMES, read_text
from datasources.options import ReadOptions
from datasources.parquet import read_parquet

LINE = ";".join(["12345"] * 200)


@pytest.mark.parametrize(
    ("lines", "small_bytes", "in_memory"),
    [
        pytest.param([LINE] * 90, 200_000, True, id="small"),
        pytest.param([LINE] * 90, 20_000, True, id="few rows"),
        pytest.param([LINE] * 90, 90 * len(LINE) // WIDE_TIMES, False, id="few rows, too large"),
        pytest.param([LINE] * 90, 0, False, id="never"),
        pytest.param([LINE, *["1;2"] * 9_000], 20_000, False, id="only the first line is long"),
        pytest.param(["t", *[LINE] * 90], 20_000, False, id="a title above"),
    ],
)
def test_a_text_file_of_few_rows_is_read_into_memory(tmp_path, lines, small_bytes, in_memory):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    band = read_text(path, "t", ReadOptions(small_bytes=small_bytes))
    assert isinstance(band.cells, Lists) == in_memory


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [
        pytest.param(SMALL_CELLS_MAX, 1, True, id="small"),
        pytest.param(SMALL_CELLS_MAX + 1, 1, False, id="long"),
        pytest.param(WIDE_ROWS_MAX, WIDE_CELLS_MAX // WIDE_ROWS_MAX, True, id="wide"),
        pytest.param(WIDE_ROWS_MAX, WIDE_CELLS_MAX // WIDE_ROWS_MAX + 1, False, id="too wide"),
        pytest.param(WIDE_ROWS_MAX + 1, 1_000, False, id="too many rows"),
    ],
)
def test_a_typed_band_is_small_by_its_cells_or_its_rows(rows, columns, expected):
    assert is_small(rows, columns) == expected


def test_a_wide_parquet_file_of_few_rows_is_read_into_memory(tmp_path):
    path = tmp_path / "t.parquet"
    columns = SMALL_CELLS_MAX // WIDE_ROWS_MAX + 1
    cells = [1, None, *range(2, WIDE_ROWS_MAX)]
    pq.write_table(pa.table({f"c{index}": cells for index in range(columns)}), path)
    band = read_parquet([path], "t", ReadOptions())
    assert isinstance(band.cells, Lists)
    assert band.cells.columns[1] == cells
