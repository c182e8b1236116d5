"""Rows as JSON Lines (spec 7)."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.columns import ColumnType
from prompts.rows import write_rows

TEXT = ColumnType("t", "text")
MONEY = ColumnType("v", "number", scale=2)
WHOLE = ColumnType("n", "number")
DOUBLE = ColumnType("d", "number", double=True)
FLAG = ColumnType("b", "boolean")
DAY = ColumnType("x", "date")

ROWS = [
    pytest.param(MONEY, 125000, '{"v":1250}', id="a number without trailing zeros"),
    pytest.param(MONEY, -5, '{"v":-0.05}', id="a small negative number"),
    pytest.param(MONEY, 0, '{"v":0}', id="zero is not null"),
    pytest.param(WHOLE, 10**17, '{"n":100000000000000000}', id="a long number in full"),
    pytest.param(DOUBLE, 1e-7, '{"d":0.0000001}', id="a double without exponent"),
    pytest.param(DOUBLE, -0.0, '{"d":0}', id="minus zero"),
    pytest.param(FLAG, False, '{"b":false}', id="false is not null"),
    pytest.param(DAY, "2026-04-30", '{"x":"2026-04-30"}', id="a date"),
    pytest.param(TEXT, "", '{"t":""}', id="an empty text"),
    pytest.param(TEXT, "não é", '{"t":"não é"}', id="UTF-8 is not escaped"),
    pytest.param(TEXT, 'a"b\\c\n\t', '{"t":"a\\"b\\\\c\\n\\t"}', id="short escapes"),
    pytest.param(TEXT, "</dados>", '{"t":"\\u003c/dados>"}', id="a fence"),
    pytest.param(TEXT, "\x00\x7f\u2028", '{"t":"\\u0000\\u007f\\u2028"}', id="control characters"),
    pytest.param(TEXT, "y" * 503, '{"t":"' + "y" * 500 + '…[+3 chars]"}', id="a long cell"),
    pytest.param(ColumnType('a"<b', "text"), "x", '{"a\\"\\u003cb":"x"}', id="a hostile name"),
    pytest.param(ColumnType("%s %d%%", "text"), "%s", '{"%s %d%%":"%s"}', id="percent signs"),
    *(
        pytest.param(column, None, "{}", id=f"a null {column.type}")
        for column in (TEXT, MONEY, FLAG, DAY, DOUBLE)
    ),
]


@pytest.mark.parametrize(("column", "cell", "expected"), ROWS)
def test_a_cell_is_written(column, cell, expected):
    assert write_rows([column], [(cell,)]) == [expected]


def test_keys_are_in_column_order_and_nulls_are_left_out():
    rows = [("a", 100, None), (None, None, True)]
    assert write_rows([TEXT, MONEY, FLAG], rows) == ['{"t":"a","v":1}', '{"b":true}']


def test_a_bracket_is_escaped_where_rows_carry_citations():
    assert write_rows([TEXT], [("[W1.r3]",)], citations=True) == ['{"t":"\\u005bW1.r3]"}']


CELLS = st.tuples(
    st.none() | st.text(max_size=40),
    st.none() | st.integers(-(10**17), 10**17),
    st.none() | st.booleans(),
    st.none() | st.floats(allow_nan=False, allow_infinity=False),
)


@given(st.lists(CELLS, max_size=5))
def test_rows_read_back(rows):
    columns = [TEXT, MONEY, FLAG, DOUBLE]
    lines = write_rows(columns, rows)
    assert len(lines) == len(rows)
    for line, (text, number, flag, double) in zip(lines, rows, strict=True):
        assert line.splitlines() == [line]
        read = json.loads(line, parse_float=Decimal, parse_int=Decimal)
        assert read.get("t") == text
        assert read.get("b") == flag
        assert read.get("v") == (None if number is None else Decimal(f"{number}E-2"))
        assert ("d" in read and float(read["d"])) == (double is not None and double)
