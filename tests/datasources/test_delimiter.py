"""The delimiter is the one that cuts most records to one width (spec 0.2)."""

from __future__ import annotations

import io

import pytest

from datasources.delimiter import (
    END_OF_FILE,
    declared_delimiter,
    find_delimiter,
    is_blank,
    read_records,
)
from datasources.exceptions import SourceOptionError, SourceTooLarge
from datasources.options import ReadOptions


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        pytest.param("a;b\n1;2\n", ";", id="semicolon"),
        pytest.param("a\tb\n1\t2\n", "\t", id="tab"),
        pytest.param("a|b\n1|2\n", "|", id="bar"),
        pytest.param("a,b\n1,2\n", ",", id="comma"),
        pytest.param("a;b\n1,5;2,5\n", ";", id="decimal commas"),
        pytest.param("mun;area\nUb;4115,206\nAb;881,064\n", ";", id="a comma in every row"),
        pytest.param("produto; valor, em reais\nchapa; 1,50\n", ";", id="a tie goes to the first"),
        pytest.param('"a;x",b\n"c;y",d\n', ",", id="quotes respected"),
        pytest.param("nome\nAna\nEva\n", None, id="one column"),
        pytest.param("nome\nSilva, Ana\nEva\nLia\n", None, id="one column with a stray comma"),
        pytest.param("", None, id="nothing"),
        pytest.param("\n\n \n", None, id="blank records do not count"),
        pytest.param("a;b\r1;2\r", ";", id="carriage returns"),
        pytest.param("title\n\na;b\n1;2\n3;4\n", ";", id="a title above"),
        pytest.param("|0000|x|1,5|\n|0001|0|\n|C100|2,5|3|4|\n", "|", id="bars at both ends, many widths"),
        pytest.param("a,b\n1,2\n3,4\n" + "a long note\n" * 9, ",", id="more notes than rows"),
        pytest.param("x\na, b\nc\nd, e\nf\ng, h\ni\n" + "j\n" * 9, None, id="commas strewn over prose"),
        pytest.param("a;b\n" + "1;2\n" * 999 + "1,2,3\n" * 5000, ";", id="the first thousand decide"),
    ],
)
def test_the_delimiter_is_found(text, delimiter):
    assert find_delimiter(lambda: io.StringIO(text, newline="")) == delimiter


@pytest.mark.parametrize(
    ("declared", "delimiter"),
    [(None, None), (";", ";"), ("tab", "\t"), ("\\t", "\t"), ("\t", "\t"), ("§", "§")],
)
def test_a_declared_delimiter_is_taken(declared, delimiter):
    assert declared_delimiter(ReadOptions(delimiter=declared)) == delimiter


@pytest.mark.parametrize("declared", ["", ";;", '"', "\n", "\r", "\0"])
def test_what_cannot_separate_cells_is_refused(declared):
    with pytest.raises(SourceOptionError, match="cannot separate cells"):
        declared_delimiter(ReadOptions(delimiter=declared))


@pytest.mark.parametrize(
    ("record", "blank"),
    [
        ([], True),
        ([""], True),
        (["", " ", "\u00a0\ufeff\u200b\t"], True),
        (["", "x"], False),
        (["\u00e3"], False),
        (["\x1f"], False),
    ],
)
def test_white_space_fills_no_cell(record, blank):
    assert is_blank(record) is blank


def test_a_quote_that_is_never_closed_swallows_our_last_line():
    records = list(read_records(['a;"b\n', "c;d\n"], ";", ReadOptions()))
    assert records == [["a", "b\nc;d\n" + END_OF_FILE]]


def test_a_cell_past_the_limit_is_refused():
    with pytest.raises(SourceTooLarge, match="cell_bytes_max"):
        list(read_records(["a;" + "x" * 99], ";", ReadOptions(cell_bytes_max=50)))
