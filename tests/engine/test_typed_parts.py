"""Texts that many rows share become texts of their own in no more memory than they need."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
import pytest

from datasources import distinct
from datasources.base import Cell
from datasources.distinct import texts_at
from engine import typed_parts
from engine.band import type_band
from tests.engine.small import raw_band
from tests.engine.streams import streamed

GIB = 1 << 30
LAID_OUT = [
    pytest.param([], [], [], id="nothing"),
    pytest.param([], [None], [None], id="no text"),
    pytest.param(["a", "", "é" * 300], [2, 0, 0, 1], ["é" * 300, "a", "a", ""], id="texts"),
    pytest.param(["a", None], [1, None, 0], [None, None, "a"], id="nulls of both"),
]


@pytest.mark.parametrize("reserved", [0, 1 << 20], ids=["exact", "reserved"])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
@pytest.mark.parametrize(("texts", "codes", "expected"), LAID_OUT)
def test_texts_are_laid_out_by_their_codes(monkeypatch, texts, codes, expected, kind, reserved):
    monkeypatch.setattr(distinct, "RESERVED_BYTES_MAX", reserved)
    found = texts_at(pa.array(texts, kind), pa.array(codes, pa.int32()))
    assert found.type == pa.large_string()
    assert found.to_pylist() == expected


def test_one_long_text_reserves_no_memory_for_each_row():
    texts = pa.array(["a", "x" * 10_000_000], pa.large_string())
    found = texts_at(texts, pa.array([0] * 60_000 + [1], pa.int32()))
    assert found.nbytes < 11_000_000
    assert pa.default_memory_pool().max_memory() < 4 * GIB


@pytest.mark.parametrize("column", ["text", "number", "nulls"])
@pytest.mark.parametrize("cut_bytes", [10, 1_000, 1 << 20])
def test_parts_are_cut_where_many_rows_share_a_long_text(monkeypatch, cut_bytes, column):
    monkeypatch.setattr(typed_parts, "CUT_BYTES", cut_bytes)
    kinds: dict[str, list[Cell]] = {
        "text": ["a", "b" * 500, ""],
        "number": ["1,50", "2,25", "3"],
        "nulls": [None, "a", ""],
    }
    cells = kinds[column]
    band = raw_band({"x": cells * 40, "y": [f"{'c' * row}" for row in range(120)], "z": ["d", "e"] * 60})
    stream = type_band(streamed(band, (50, 51)))
    batches = list(typed_parts.typed_parts(stream).batches)
    rows = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    whole = typed_parts.typed_parts(type_band(band)).batches
    assert rows == [tuple(row.values()) for batch in whole for row in batch.to_pylist()]
    assert all(batch.num_rows for batch in batches)
    if column == "text":
        # Those of `y` are of one row each, and count for nothing.
        shared = [sum(len(cell or "") for cell in batch.column(0).to_pylist()) for batch in batches]
        assert all(size <= cut_bytes + 500 for size in shared)


def test_pieces_are_as_few_as_may_be(monkeypatch):
    monkeypatch.setattr(typed_parts, "CUT_BYTES", 2_500)
    stream = type_band(streamed(raw_band({"x": (["a"] + ["b" * 500] * 9) * 2})))
    batches = list(typed_parts.typed_parts(stream).batches)
    sizes = [sum(map(len, batch.column(0).to_pylist())) for batch in batches]
    assert len(batches) <= 9_002 // 2_500 + 1
    assert all(one + other > 2_500 - 500 for one, other in pairwise(sizes))
