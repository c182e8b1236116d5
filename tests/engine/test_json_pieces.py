"""Pieces give the same texts however they are put together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.json_pieces import Layout, Piece, constant, cuts, large_strings, merged, only_where

ROWS = 64


@st.composite
def pieces(draw):
    texts = draw(
        st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), min_size=1, max_size=6)
    )
    if len(texts) == 1:
        return constant(texts[0])
    random = np.random.default_rng(draw(st.integers(0, 99)))
    kind = draw(st.sampled_from([np.uint8, np.uint16, np.int32, np.int64]))
    return Piece(large_strings(texts), random.integers(0, len(texts), ROWS).astype(kind))


def rows_of(piece):
    texts = piece.texts.to_pylist()
    return texts * ROWS if piece.codes is None else [texts[code] for code in piece.codes]


@given(st.lists(pieces(), min_size=1, max_size=6), st.integers(1, ROWS))
def test_rows_are_their_pieces_in_order(parts, step):
    rows = ["".join(row) for row in zip(*map(rows_of, parts), strict=True)]
    for some in (parts, merged(parts, ROWS), merged(parts, 1_000_000)):
        layout = Layout.of(some, ROWS)
        assert layout.texts().to_pylist() == rows
        written = [bytes(layout.written(at, min(at + step, ROWS))) for at in range(0, ROWS, step)]
        assert b"".join(written) == "".join(rows).encode()
    assert len(merged(parts, 1_000_000)) == 1


@given(pieces(), st.integers(0, 99))
def test_nothing_stands_where_a_cell_is_null(piece, seed):
    valid = np.random.default_rng(seed).random(ROWS) < 0.5
    rows = [text if is_filled else "" for text, is_filled in zip(rows_of(piece), valid, strict=True)]
    assert rows_of(only_where(valid, piece)) == rows


def test_as_many_texts_as_small_codes_can_name():
    piece = Piece(large_strings([f"{number} " for number in range(256)]), np.arange(256).astype(np.uint8))
    valid = np.arange(256) % 2 == 0
    layout = Layout.of([only_where(valid, piece)], 256)
    assert bytes(layout.written(0, 256)).decode() == "".join(f"{number} " for number in range(0, 256, 2))


@pytest.mark.parametrize(
    ("texts", "rows", "count"),
    [
        pytest.param([["a"], ["b"], ["c"]], 1, 1, id="constants are always one"),
        pytest.param([["a", "b"], ["c", "d"]], 64, 1, id="few pairs"),
        pytest.param([["a", "b"], ["c", "d"]], 63, 2, id="too few rows"),
        pytest.param([["a" * 2_000, "b"], ["c", "d"]], 64, 2, id="long texts are not repeated"),
    ],
)
def test_pieces_are_merged_where_it_repays(texts, rows, count):
    parts = [
        constant(some[0]) if len(some) == 1 else Piece(large_strings(some), np.zeros(rows, np.uint8))
        for some in texts
    ]
    assert len(merged(parts, rows)) == count


def test_the_same_texts_are_kept_once():
    shared = large_strings(["a", "b"])
    layout = Layout.of([Piece(shared, np.array([0, 1])), constant("-"), Piece(shared, np.array([1, 1]))], 2)
    assert layout.texts().to_pylist() == ["a-b", "b-b"]
    assert len(layout.known) == 3


@given(st.lists(pieces(), min_size=1, max_size=5))
def test_the_sizes_of_rows_are_those_of_their_texts(parts):
    layout = Layout.of(parts, ROWS)
    sizes = [len(text.encode()) for text in layout.texts().to_pylist()]
    assert layout.sizes().tolist() == sizes
    assert layout.longest <= max(len(text.encode()) for piece in parts for text in piece.texts.to_pylist())


@pytest.mark.parametrize(
    ("sizes", "ends"),
    [
        pytest.param([3, 3, 3], [3], id="one piece"),
        pytest.param([4, 4, 4, 4], [2, 4], id="several"),
        pytest.param([1, 99, 1, 1], [1, 4], id="a long row"),
        pytest.param([99, 99], [1, 2], id="long rows"),
        pytest.param([0, 0, 0], [3], id="nothing in them"),
    ],
)
def test_rows_are_cut_by_their_sizes(sizes, ends):
    assert cuts(np.array(sizes), 10) == ends
