"""What a person sees as the table is found among the records (spec 0.3, 0.5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.extent import (
    Header,
    TableEnd,
    commonest_width,
    find_header,
    find_table,
    is_like_a_row,
    kind_of,
)


def split(*lines: str) -> list[list[str]]:
    return [line.split(";") if line else [] for line in lines]


@pytest.mark.parametrize(
    ("lines", "width"),
    [
        pytest.param(["title", "a;b;c", "1;2;3"], 3, id="commonest"),
        pytest.param(["a;b", "1;2;3"], 2, id="the first of two equal ones"),
        pytest.param(["x;;", "y;;", "a;b"], 2, id="one filled cell has no vote"),
        pytest.param(["a", "b"], 1, id="one column"),
        pytest.param([], 1, id="nothing"),
    ],
)
def test_the_width_is_the_commonest(lines, width):
    assert commonest_width(split(*lines)) == width


@pytest.mark.parametrize(
    ("lines", "names", "first_row"),
    [
        pytest.param(["a;b", "1;2"], ("a", "b"), 1, id="first record"),
        pytest.param(["title", "", "a;b", "1;2"], ("a", "b"), 3, id="below a title"),
        pytest.param(["title;", "a;b", "1;2"], ("a", "b"), 2, id="below a padded title"),
        pytest.param([";Ano;;", "m;14;15;16", "x;1;2;3"], ("m", "Ano 14", "Ano 15", "Ano 16"), 2, id="upper"),
        pytest.param(["x;Ano;", "x;20;21", "y;1;2"], ("x", "Ano 20", "Ano 21"), 2, id="repeated first cell"),
        pytest.param(["x;Ano", "x;Ano", "y;1"], ("x", "Ano"), 2, id="equal levels are not doubled"),
        pytest.param([";Ano;", "", "m;14;15", "x;1;2"], ("m", "14", "15"), 3, id="a title is no upper level"),
        pytest.param(["a;b", "1;2;", "3;4;"], ("a", "b", ""), 1, id="rows end in a delimiter"),
        pytest.param(["a;b;", "1;2;"], ("a", "b", ""), 1, id="header too ends in a delimiter"),
        pytest.param(["a"], ("a",), 1, id="one column"),
        pytest.param(["", "a", "b"], ("a",), 2, id="one column below a blank record"),
    ],
)
def test_the_header_is_found(lines, names, first_row):
    records = split(*lines)
    header = find_header(records, commonest_width(records))
    assert header is not None
    assert (header.names, header.first_row, header.is_row) == (names, first_row, False)


def test_without_a_filled_cell_there_is_no_header():
    assert find_header(split("", ";;"), 1) is None


@pytest.mark.parametrize(
    ("lines", "header"),
    [
        pytest.param(["011;x", "012;y"], Header(("column_1", "column_2"), 0, 0, True), id="a code"),
        pytest.param(["SP;1,5", "SP;2,5"], Header(("column_1", "column_2"), 0, 0, True), id="a decimal"),
        pytest.param(["12345"], Header(("column_1",), 0, 0, True), id="one column"),
        pytest.param(["t", "011;x", "012;y"], Header(("column_1", "column_2"), 1, 1, True), id="a title"),
        pytest.param(
            ["t", "a;b;c", "011;x", "012;y"],
            Header(("column_1", "column_2"), 1, 1, True),
            id="records above are rows of another width",
        ),
    ],
)
def test_a_header_like_a_row_is_a_row(lines, header):
    records = split(*lines)
    assert find_header(records, commonest_width(records)) == header


@pytest.mark.parametrize(
    ("cell", "is_row"),
    [
        *[(cell, True) for cell in ("00", "060", "12345", "1,5", "1.50", "-3,2", "1.234,56", "R$ 10,00")],
        *[
            (cell, True)
            for cell in ("2026-01-31", "31/01/2026", "1.2.2026", "2026-01-31T10:00:00Z", " 12,5 %")
        ],
        *[
            (cell, False)
            for cell in ("0", "2020", "9999", "valor", "1º", "2020/Jul", "31/01", "", "31/01-2026")
        ],
    ],
)
def test_cells_that_no_header_has(cell, is_row):
    assert is_like_a_row(["x", cell]) is is_row


@pytest.mark.parametrize(
    ("line", "width", "kind"),
    [
        ("a;b;c", 3, "regular"),
        ("a;;c", 3, "regular"),
        ("a;b", 3, "other"),
        ("a;b;c;d", 3, "other"),
        ("a;;", 3, "lone"),
        ("a", 3, "lone"),
        (";b;", 3, "other"),
        (";;", 3, "blank"),
        ("", 3, "blank"),
        ("\u00a0; ;", 3, "blank"),
        ("a;", 2, "other"),
        ("a", 2, "lone"),
        ("a;;", 2, "lone"),
        ("a", 1, "regular"),
        ("a;", 1, "regular"),
        ("", 1, "blank"),
    ],
)
def test_what_a_record_is_to_the_table(line, width, kind):
    assert kind_of(split(line)[0], width) == kind


ENDS = [
    pytest.param(["h;h;h", "a;1;2", "Fonte: x"], 1, ["Fonte: x"], id="a note"),
    pytest.param(["h;h;h", "a;1;2", "Fonte: x;;"], 1, ["Fonte: x"], id="a padded note"),
    pytest.param(["h;h;h", "a;1;2", "b", "c;1;2", "d;1;2"], 4, [], id="rows follow"),
    pytest.param(["h;h;h", "a;1;2", "n", "c;1;2", "m"], 1, ["n", "c 1 2", "m"], id="half of what follows"),
    pytest.param(["h;h;h", "a;1;2", "n", "m;n"], 1, ["n", "m n"], id="a note of two cells below a note"),
    pytest.param(["h;h;h", "a;1;2", "m;n"], 2, [], id="two filled cells end nothing"),
    pytest.param(["h;h", "a;1", "b;"], 2, [], id="two columns: an empty second cell is a row"),
    pytest.param(["h;h", "a;1", "b"], 1, ["b"], id="two columns: another width is a note"),
    pytest.param(["h", "a", "b"], 2, [], id="one column has no notes"),
    pytest.param(["t", "h;h;h", "a;1;2", "", "n"], 1, ["t", "n"], id="notes above and below"),
]


@pytest.mark.parametrize(("lines", "rows", "notes"), ENDS)
def test_where_the_table_ends(lines, rows, notes):
    table = find_table(split(*lines))
    assert table is not None
    assert (len(table.rows), list(table.notes)) == (rows, notes)


@given(st.lists(st.sampled_from(["lone", "regular", "other", "blank"]), max_size=30))
def test_one_pass_finds_the_end_that_the_rule_says(kinds):
    end = TableEnd[int]()
    for index, kind in enumerate(kinds):
        end.add(kind, index)

    def is_end(index):
        after = [kind for kind in kinds[index + 1 :] if kind != "blank"]
        return kinds[index] == "lone" and 2 * after.count("regular") <= len(after)

    assert end.end() == next(filter(is_end, range(len(kinds))), None)


def test_ragged_and_blank_records_are_counted():
    table = find_table(split("", "a;b;c", "1;2;3", "", ";;", "1;2", "1;2;3;4", "1;2;3;4;5", "1;2;3", "1;2;3"))
    assert table is not None
    assert {warning.code: warning.count for warning in table.warnings("x")} == {
        "blank_records": 3,
        "short_rows": 1,
        "long_rows": 2,
    }
    assert table.raggedness.widest == 5
