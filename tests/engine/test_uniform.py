"""Columns read at once read as they do cell by cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.base import Lists, RawBand
from engine.band import type_band
from engine.columns import read_cell
from engine.evidence import allows_compact, observe_each
from engine.typing import decide_types
from engine.uniform import read_cells, read_uniform, read_uniform_numbers

DECIMAL = st.integers(-(10**9), 10**9)
WRITERS: list[Callable[[int], str]] = [
    str,
    lambda n: f"{n / 100:,.2f}".replace(",", "_").replace(".", ",").replace("_", "."),
    lambda n: f"{n / 100:.2f}".replace(".", ","),
    lambda n: f"{n / 10_000:.4f}",
    lambda n: f"{n / 1_000:,.3f}",
    lambda n: f"R$ {n / 100:.2f}".replace(".", ","),
    lambda n: f"({abs(n)})",
    lambda n: f"{n / 10:.1f}%",
    lambda n: f"{n % 9000 + 1000}-{n % 12 + 1:02d}-{n % 28 + 1:02d}",
    lambda n: f"{n % 31 + 1:02d}/{n % 12 + 1:02d}/{n % 9000 + 1000}",
    lambda n: f"{n % 9000 + 1000}{n % 12 + 1:02d}{n % 28 + 1:02d}",
    lambda n: f"{n:.15g}",
]
ODD = ["", "-", "x", "1.234", "01", "1E5", "00:00", "2026-01-01T10:00:00", "1 234", "0", "5"]
NAMES = ["x", "data", "valor"]


def verdict(name, evidence, cells):
    (column,), warnings = decide_types(RawBand("b", (name,), Lists(([],), 0), "text"), [evidence])
    return column, warnings, [read_cell(cell, column) for cell in cells]


@given(
    st.lists(DECIMAL, min_size=1, max_size=12),
    st.sampled_from(WRITERS),
    st.lists(st.sampled_from(ODD), max_size=1),
    st.sampled_from(NAMES),
)
def test_texts_read_at_once_read_the_same(numbers, writer, odd, name):
    counts = Counter(cell for cell in [*map(writer, numbers), *odd] if cell)
    cells = list(counts)
    uniform = read_uniform(cells, list(counts.values()), compact=allows_compact(name))
    if uniform is None:
        return
    expected = verdict(name, observe_each(counts, name), cells)
    column, warnings, _ = verdict(name, uniform.evidence, cells)
    assert (column, warnings) == expected[:2]
    if uniform.fits(column):
        assert list(uniform.values) == expected[2]


@pytest.mark.parametrize("kind", [int, float])
@given(st.data())
def test_numbers_read_at_once_read_the_same(kind, data):
    values = {
        int: st.integers(-(10**20), 10**20),
        float: st.floats(allow_nan=False, allow_infinity=False) | DECIMAL.map(lambda n: n / 100),
    }[kind]
    counts = Counter(data.draw(st.lists(values, min_size=1, max_size=8)))
    cells = list(counts)
    uniform = read_uniform_numbers(cells, list(counts.values()), kind)
    if uniform is None:
        return
    expected = verdict("x", observe_each(counts, "x"), cells)
    column, warnings, _ = verdict("x", uniform.evidence, cells)
    assert (column, warnings) == expected[:2]
    if uniform.fits(column):
        assert list(uniform.values) == expected[2]


@pytest.mark.parametrize(
    "cells", [["12,50", "1.250,75"], ["R$ 5,00"], ["2026-01-31"], ["31/01/2026"], ["7", "-8"]]
)
def test_a_column_of_one_writing_is_read_at_once(cells):
    assert read_uniform(cells, [1] * len(cells)) is not None


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(["12,50", "1,75\n2,75"], id="numbers"),
        pytest.param(["7", "8\n9"], id="integers"),
        pytest.param(["2026-01-31", "2026-02-01\n2026-02-02"], id="ISO dates"),
        pytest.param(["31/01/2026", "01/02/2026\n02/02/2026"], id="dates"),
        pytest.param(["1.5", "2.25\n3"], id="points"),
    ],
)
def test_a_line_break_within_a_cell_makes_no_two_of_it(cells):
    assert read_uniform(cells, [1] * len(cells)) is None
    raw = RawBand("b", ("x",), Lists((list(cells),), len(cells)), "text")
    band = type_band(raw)
    assert (band.columns[0].type, band.take(range(2))) == ("text", [(cell,) for cell in cells])


@given(
    st.lists(
        st.none() | DECIMAL.map(WRITERS[1]) | st.sampled_from(["-", " 7 ", "2026-01-31", "x"]), min_size=1
    ),
    st.sampled_from(NAMES),
)
def test_cells_read_together_are_those_read_one_by_one(cells, name):
    counts = Counter(cell.strip() for cell in cells if cell)
    column, *_ = verdict(name, observe_each(counts, name), list(counts))
    assert read_cells(cells, column) == [read_cell(cell, column) for cell in cells]
