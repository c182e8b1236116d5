"""Numbers read in bulk are what the grammar reads of each cell on its own, and they say the same of their column."""

from __future__ import annotations

import re

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.base import Cell
from engine.cell_words import words_of
from engine.columns import ColumnType, read_cell
from engine.compiled_numbers import read_compiled
from engine.number_words import BLOCK_ROWS, SCALE_MAX, Read, Writing, read_views
from engine.numbers import NumberEvidence, read_number
from engine.numeric_text import text_numbers
from engine.uniform import uniform_pattern
from tests.kernels import by_both_ways, running

UNITS = (None, "%", "R$", "US$", "€", "£", "$")
STYLES = ("br", "point", "plain")


def read(cells: list[str | None], writing: Writing, way: str) -> Read:
    """The cells as *way* reads them."""
    with running(way):
        found = read_compiled(views(cells), writing)
    assert (found is None) == (way == "plain")
    return found or read_views(views(cells), writing)


def views(cells: list[str | None]) -> pa.StringViewArray:
    return pl.Series(cells, dtype=pl.String).to_arrow(compat_level=pl.CompatLevel.newest())


@st.composite
def numbers(draw: st.DrawFn, unit: str | None, mark: str, group: str, scale: int) -> str:
    """A number as people write it, and now and then a little wrong."""
    digits = str(draw(st.integers(0, 10 ** draw(st.integers(1, 17)))))
    if draw(st.booleans()):
        digits = re.sub(r"(?<=[0-9])(?=(?:[0-9]{3})+$)", lambda _: group, digits)
    decimals = draw(st.integers(0, scale)) if draw(st.booleans()) else scale
    core = digits + (mark + draw(st.text("0123456789", min_size=decimals, max_size=decimals))) * (
        decimals > 0
    )
    money = draw(st.sampled_from(["", unit, unit + " "])) if unit and unit != "%" else ""
    core = money + core + ("%" if unit == "%" else "")
    cell = draw(st.sampled_from([core, core, f"-{core}", f"({core})"]))
    if draw(st.integers(0, 9)):
        return cell
    at = draw(st.integers(0, len(cell)))
    return (
        cell[:at]
        + draw(st.sampled_from(["", "0", ".", ",", "-", "(", ")", " ", "x", "é", "\0"]))
        + cell[at + 1 :]
    )


@st.composite
def columns(draw: st.DrawFn) -> tuple[list[str | None], Writing]:
    style, unit = draw(st.sampled_from(STYLES)), draw(st.sampled_from(UNITS))
    scale = 0 if style == "plain" else draw(st.integers(0, SCALE_MAX))
    mark, group = (",", ".") if style == "br" else (".", ",")
    cell = numbers(unit, mark, group, scale)
    cells = draw(st.lists(st.none() | st.just("") | cell | cell | cell, max_size=30))
    return cells, Writing(style, unit, scale)


def expected(cells: list[str | None], writing: Writing) -> NumberEvidence:
    found = NumberEvidence()
    for cell in cells:
        number = read_number(cell) if cell is not None else None
        assert number is not None
        found.add(number)
    return found


@by_both_ways
@given(column=columns())
def test_regular_cells_are_what_the_grammar_reads(way: str, column: tuple[list[str | None], Writing]) -> None:
    cells, writing = column
    found = read(cells, writing, way)
    kind = ColumnType("n", "number", writing.unit, writing.scale, style=writing.style)
    for cell, value, regular in zip(cells, found.values.tolist(), found.regular.tolist(), strict=True):
        assert value == (read_cell(cell, kind) if regular else 0)
    one_by_one = expected(
        [cell for cell, regular in zip(cells, found.regular, strict=True) if regular], writing
    )
    for evidence in (found.evidence, one_by_one):
        if evidence.kinds.keys() - {"plain"}:
            # Only whether it passes the limit matters.
            evidence.integer_digits = 0
        evidence.signed_plain = min(evidence.signed_plain, 1)
    assert found.evidence == one_by_one


@by_both_ways
@given(column=columns())
def test_short_cells_of_exactly_the_scale_are_regular(
    way: str, column: tuple[list[str | None], Writing]
) -> None:
    cells, writing = column
    style = writing.style if writing.scale else "plain"
    pattern = re.compile(uniform_pattern(style, writing.scale, writing.unit))
    found = read(cells, writing, way)
    for cell, regular in zip(cells, found.regular.tolist(), strict=True):
        if cell is not None and len(cell.encode()) <= 16 and pattern.fullmatch(cell):
            assert regular, cell


@by_both_ways
@pytest.mark.parametrize(
    ("cells", "style", "unit", "scale", "values"),
    [
        (["3.782,27", "0,05", "999,99"], "br", None, 2, [378227, 5, 99999]),
        (["9.999.999.999,99"], "br", None, 2, [999999999999]),
        (["1234567890123,45", "1.234,50"], "br", None, 2, [123456789012345, 123450]),
        (["R$ 33,78", "(R$ 1.033,78)", "-R$33,78"], "br", "R$", 2, [3378, -103378, -3378]),
        (["12,5%", "-3%"], "br", "%", 1, [125, -30]),
        (["0.3871", "0.4", "-0.25", "7"], "point", None, 4, [3871, 4000, -2500, 70000]),
        (["€ 1,234.50", "€7.25"], "point", "€", 2, [123450, 725]),
        (["0", "7", "999999999999999"], "plain", None, 0, [0, 7, 999999999999999]),
        (["0,123456"], "br", None, 6, [123456]),
    ],
    ids=["grouped", "sixteen bytes", "ungrouped", "money", "percent", "decimals", "euro", "integers", "six"],
)
def test_values(
    way: str, cells: list[str], style: str, unit: str | None, scale: int, values: list[int]
) -> None:
    found = read(list(cells), Writing(style, unit, scale), way)
    assert found.regular.all()
    assert found.values.tolist() == values


@by_both_ways
@pytest.mark.parametrize(
    "cell",
    ["1.23,45", "12.34", "1.2345,00", ".123,45", "0123,45", ",45", "1,4", "1,456", "--1,45", "-(1,45)", "(1,45",
     "1,45)", "1 ,45", "1,4x", "x,45", "R$ 1,45", "1,45%", "1e5,00", "1.234", "1.234.567", "", " 1,45",
     "99999999999999999,45", "1.,45", "1..45", "1,,45", "é,45",
     "5,", "(5,)", "1,,5", "1,2,5", "1,234.567,00", "1/234.567,00", "1-234.567.890,12", "1.234-567.890,12"],
)  # fmt: skip
def test_what_is_no_number_of_two_decimals_is_left(way: str, cell: str) -> None:
    others = ["1,25"] * 3
    found = read([*others, cell, None], Writing("br", None, 2), way)
    assert found.regular.tolist() == [True, True, True, cell == "1,4", False]


@by_both_ways
@pytest.mark.parametrize(
    ("cell", "style", "scale"),
    [("1234567890123456", "plain", 0), ("1234567890123,5", "br", 6), ("1234567890123.5", "point", 6)],
)
def test_a_cell_of_too_many_digits_is_left(way: str, cell: str, style: str, scale: int) -> None:
    assert not read([cell], Writing(style, None, scale), way).regular.any()


@by_both_ways
def test_what_stands_behind_a_null_does_not_count(way: str) -> None:
    texts = views(["1,25", "7,50"])
    bits = pa.py_buffer(bytes([0b01]))
    nulled = pa.Array.from_buffers(texts.type, 2, [bits, *texts.buffers()[1:]])
    with running(way):
        found = read_compiled(nulled, Writing("br", None, 2)) or read_views(nulled, Writing("br", None, 2))
    assert (found.values.tolist(), found.regular.tolist()) == ([125, 0], [True, False])


@given(st.lists(st.none() | st.text(max_size=20), max_size=40), st.integers(0, 40))
def test_words_hold_the_bytes_of_short_texts(cells: list[Cell], start: int) -> None:
    blocks = words_of(views(cells)[start:], 7)  # type: ignore[arg-type]
    rows = [(one, row) for one in blocks for row in range(len(one.sizes))]
    for cell, (found, row) in zip(cells[start:], rows, strict=True):
        written = b"" if cell is None else str(cell).encode()
        assert found.sizes[row] == len(written)
        if len(written) <= 16:
            both = int(found.first[row]).to_bytes(8, "little") + int(found.second[row]).to_bytes(8, "little")
            assert both[: len(written)] == written


def test_many_blocks_are_one_column() -> None:
    rows = 2 * BLOCK_ROWS + 7
    cells = [None if row % 11 == 0 else f"R$ {row},{row % 100:02d}" for row in range(rows)]
    cells[BLOCK_ROWS + 3], cells[-1] = " R$ 1.000.000.000,25 ", "1,2"
    column = ColumnType("n", "number", "R$", 2, style="br")
    found = text_numbers(pa.chunked_array([views(cells)]), column)
    read = [read_cell(cell, column) for cell in cells]
    assert found.values.tolist() == [value or 0 for value in read]
    assert found.totals.sum == sum(value or 0 for value in read)  # type: ignore[misc]
    assert found.nulls == sum(cell is None for cell in cells)
    assert found.evidence.cells == rows - found.nulls
