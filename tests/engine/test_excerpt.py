"""The rows that travel: equal shares, evenly spaced (spec 7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.spaced_rows import spaced_rows
from engine.band import type_band
from engine.excerpt import excerpt_bands, share_rows
from tests.engine.small import raw_band

SHARES = [
    pytest.param([500], 100, [100], id="one band"),
    pytest.param([500, 500], 100, [50, 50], id="equal shares"),
    pytest.param([500, 500, 500], 100, [34, 33, 33], id="the first ones one more"),
    pytest.param([3, 500, 500], 100, [3, 49, 48], id="what a small band leaves is shared again"),
    pytest.param([500, 1, 2, 500], 100, [49, 1, 2, 48], id="twice"),
    pytest.param([10, 20], 100, [10, 20], id="all rows"),
    pytest.param([0, 5], 3, [0, 3], id="an empty band uses nothing"),
    pytest.param([5, 5, 5], 2, [1, 1, 0], id="fewer rows than bands"),
    pytest.param([5, 5], 0, [0, 0], id="none"),
    pytest.param([], 10, [], id="no bands"),
]


@pytest.mark.parametrize(("sizes", "rows_max", "expected"), SHARES)
def test_bands_share_the_budget(sizes, rows_max, expected):
    assert share_rows(sizes, rows_max) == expected


SPACED = [
    pytest.param(24, 10, [0, 2, 4, 7, 9, 12, 14, 16, 19, 21], id="10 of 24"),
    pytest.param(5, 2, [0, 2], id="2 of 5"),
    pytest.param(3, 3, [0, 1, 2], id="all"),
    pytest.param(3, 9, [0, 1, 2], id="no more than there are"),
    pytest.param(7, 1, [0], id="one"),
    pytest.param(7, 0, [], id="none"),
    pytest.param(0, 5, [], id="of none"),
]


@pytest.mark.parametrize(("rows", "share", "expected"), SPACED)
def test_rows_are_evenly_spaced(rows, share, expected):
    assert list(spaced_rows(rows, share)) == expected


@given(st.lists(st.integers(0, 60), max_size=6), st.integers(0, 150))
def test_the_budget_is_used_up_and_no_band_gets_less_than_its_equal_share(sizes, rows_max):
    shares = share_rows(sizes, rows_max)
    assert sum(shares) == min(rows_max, sum(sizes))
    assert all(share <= size for share, size in zip(shares, sizes, strict=True))
    equal = rows_max // max(sum(size > 0 for size in sizes), 1)
    assert all(share >= min(size, equal) for share, size in zip(shares, sizes, strict=True))


@given(st.integers(0, 200), st.integers(0, 250))
def test_spaced_rows_are_distinct_and_in_order(rows, share):
    found = spaced_rows(rows, share)
    assert len(found) == min(rows, share)
    assert sorted(set(found)) == list(found)
    assert all(0 <= row < rows for row in found)


def test_an_excerpt_holds_typed_rows():
    band = type_band(raw_band({"v": ["1,5", "-", "3"], "t": ["a", "b", "c"]}))
    excerpt = excerpt_bands([band], 2)
    (found,) = excerpt.bands
    assert (found.positions, found.cells) == ((0, 1), ((15, "a"), (None, "b")))
    assert (excerpt.shown, excerpt.rows) == (2, 3)
    assert found.more([2]) == [(30, "c")]
