"""Names, values and cells from data stay inert: none starts a line, closes a fence or leaves its string."""

from __future__ import annotations

import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompts.formats import cut_cell, inert, json_text, json_texts, name_text, value_texts

NAMES = [
    pytest.param("valor_total", "valor_total", id="bare"),
    pytest.param("preço médio", "preço médio", id="accents and blanks"),
    pytest.param("v.x/y;z&w", "v.x/y;z&w", id="other signs"),
    pytest.param("a-b", "a-b", id="a hyphen inside"),
    pytest.param("-a", '"-a"', id="a hyphen first"),
    pytest.param("a#", "a#", id="a number sign last"),
    pytest.param("# a", '"# a"', id="a number sign first"),
    pytest.param(" a", '" a"', id="a blank first"),
    pytest.param("a\u00a0", '"a\u00a0"', id="a blank last"),
    pytest.param("", '""', id="nothing"),
    pytest.param("a\nb", '"a\\nb"', id="a line break"),
    pytest.param("a\r\tb", '"a\\r\\tb"', id="short escapes"),
    pytest.param("a\u2028b", '"a\\u2028b"', id="a line separator"),
    pytest.param('a"b', '"a\\"b"', id="a quote"),
    pytest.param("a\\b", "a\\b", id="a backslash"),
    pytest.param("<b>", '"\\u003cb>"', id="a tag"),
    pytest.param("a\u202eb", "a\\u202eb", id="a direction mark"),
    pytest.param("a\u200bb", "a\\u200bb", id="a space of no width"),
    pytest.param("a\U000e0041b", "a\\udb40\\udc41b", id="a tag character, as a surrogate pair"),
    pytest.param("日本", "日本", id="other alphabets"),
    *(pytest.param(f"a{mark}b", json.dumps(f"a{mark}b"), id=f"a {mark}") for mark in "|,:='`[](){}"),
]


@pytest.mark.parametrize(("name", "expected"), NAMES)
def test_a_name_is_written(name, expected):
    assert name_text(name) == expected


def test_a_bracket_is_escaped_where_rows_carry_citations():
    assert name_text("[W9.r9]", citations=True) == '"\\u005bW9.r9]"'
    assert json_text("[W9.r9]", citations=True) == '"\\u005bW9.r9]"'
    assert json_text("[W9.r9]") == '"[W9.r9]"'


LONG = "x" * 60
VALUES = [
    pytest.param(["b", "a"], ["b", "a"], id="bare"),
    pytest.param([None, "(null)"], ["(null)", '"(null)"'], id="the null group is no value"),
    pytest.param([LONG], [LONG], id="60 characters"),
    pytest.param([LONG + "y"], [LONG + "…"], id="61 characters are cut"),
    pytest.param([LONG + "y", LONG + "z"], [LONG + "y", LONG + "z"], id="two of the same cut are not"),
    pytest.param([LONG + "y", LONG], [LONG + "…", LONG], id="the cut itself is another value"),
    pytest.param([LONG[1:] + "|" + "y"], ['"' + LONG[1:] + '|…"'], id="cut, then quoted"),
    pytest.param(["y" * 59 + "ãz"], ["y" * 59 + "ã…"], id="characters, not bytes"),
    pytest.param(["a\nb", "c"], ['"a\\nb"', "c"], id="a line break between bare words"),
    pytest.param(["", "a"], ['""', "a"], id="nothing beside a bare word"),
    pytest.param(["\U0001f600", "a"], ["\U0001f600", "a"], id="a sign beyond the first plane"),
]


@pytest.mark.parametrize(("values", "expected"), VALUES)
def test_values_are_written(values, expected):
    assert list(value_texts(values).values()) == expected


CELLS = [(500, "x" * 500), (501, "x" * 500 + "…[+1 chars]"), (9_999, "x" * 500 + "…[+9499 chars]")]


@pytest.mark.parametrize(("length", "expected"), CELLS)
def test_a_long_cell_is_cut_with_a_note(length, expected):
    assert cut_cell("x" * length) == expected


# ------------------------------------------------------------------ properties

UNSEEN = {
    chr(code)
    for code in range(sys.maxunicode + 1)
    if unicodedata.category(chr(code)) in ("Cc", "Cf", "Zl", "Zp", "Cs")
}
LATER = {chr(code) for code in range(0x13439, 0x13440)}
"""Unseen characters of a newer Unicode than some Python versions know."""


def test_every_unseen_character_is_escaped_and_nothing_else():
    escaped = {chr(code) for code in range(sys.maxunicode + 1) if inert(chr(code)) != chr(code)}
    assert escaped - UNSEEN - {"<"} <= LATER
    assert UNSEEN - escaped == set()


HOSTILE = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from('<>[]{}"\\`#-|\n\r\t\u2028\u2029\u202e\u0085\x1b\x00\U000e0041'),
    )
)


@given(HOSTILE, st.booleans())
def test_a_json_string_reads_back_and_holds_nothing_hostile(text, citations):
    written = json_text(text, citations=citations)
    assert json.loads(written) == text
    assert_inert(written)
    assert not citations or "[" not in written


@given(st.lists(HOSTILE | st.text("xy", min_size=499, max_size=502), max_size=4), st.booleans())
def test_the_cells_of_a_column_are_written_as_one_by_one(cells, citations):
    written = json_texts(cells, citations=citations)
    assert written == [json_text(cut_cell(cell), citations=citations) for cell in cells]


@given(st.lists(HOSTILE, unique=True, max_size=4), st.booleans())
def test_the_values_of_a_column_are_written_as_one_by_one(values, citations):
    short = [value for value in values if len(value) <= 60]
    expected = {value: name_text(value, citations=citations) for value in short}
    assert value_texts(short, citations=citations) == expected


@given(HOSTILE, st.booleans())
def test_a_name_holds_nothing_hostile(text, citations):
    written = name_text(text, citations=citations)
    assert_inert(written)
    assert written
    assert written[0] not in "#- "
    assert not citations or "[" not in written


@given(st.lists(HOSTILE | st.none(), unique=True, max_size=6))
def test_values_stay_apart_and_hold_nothing_hostile(values):
    written = value_texts(values)
    assert list(written) == values
    for text in written.values():
        assert_inert(text)


@given(st.lists(st.text("xy…", min_size=58, max_size=63), unique=True, min_size=2, max_size=4))
def test_long_values_stay_apart(values):
    written = value_texts(values)
    assert len(set(written.values())) == len(values)


def assert_inert(text: str) -> None:
    assert text.splitlines() == [text]
    assert "<" not in text
    assert UNSEEN.isdisjoint(text)
