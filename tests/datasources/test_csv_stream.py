"""A large text file is the same table as a small one, part by part."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from datasources.base import Lists, RawBand
from datasources.csv import read_text
from datasources.csv_scan import measure
from datasources.csv_stream import TextStream, stream_text
from datasources.exceptions import SourceError
from datasources.options import ReadOptions
from tests.datasources.real_data import ROOT
from tests.kernels import by_both_ways, running


def cells_of(band: RawBand) -> list[list[object]]:
    """All cells, column by column, an empty one as null."""
    if isinstance(band.cells, Lists):
        return [[cell or None for cell in column] for column in band.cells.columns]
    columns = range(len(band.columns))
    tables = [part() for part in band.cells.parts(columns)]
    return [[cell or None for table in tables for cell in table.column(i).to_pylist()] for i in columns]


def outcome(read) -> object:
    try:
        band = read()
    except SourceError as error:
        return type(error), error.message
    return band.columns, band.rows, cells_of(band), band.notes, band.warnings, band.decimal_style


def assert_same(path: Path, options: ReadOptions, part_rows: int, way: str = "plain") -> None:
    small = outcome(lambda: read_text(path, "t", options))
    with running(way):
        large = outcome(lambda: stream_text(path.open("rb"), "t", options, part_rows))
    assert large == small


LINES = st.lists(
    st.sampled_from(
        [
            *["a;b;c", "1;2;3", "x;y;z", "1;;3", "1;2;", "1;;", ";2;", ";;", "", " ", "título", "Fonte: x"],
            *[
                '"a";"b";"c"',
                '"x;y";"";"q""z"',
                '"l1\nl2";b;c',
                'a"b;c;d',
                '"a"b;c;d',
                '"open;b;c',
                '"";"";""',
            ],
            *[
                "1;2",
                "1;2;3;4",
                "é;ã;ç",
                "\u00a0;\u2003;\u200b",
                "a;\u3000;\ufeff",
                "011;x;y",
                ";g;h",
                "a;b;\r",
            ],
        ]
    ),
    max_size=14,
)


@by_both_ways
@given(
    lines=LINES, end=st.sampled_from(["\n", "\r\n", "\r"]), last=st.booleans(), part_rows=st.integers(1, 9)
)
def test_both_paths_agree(tmp_path_factory, way, lines, end, last, part_rows):
    path = tmp_path_factory.getbasetemp() / "lines.csv"
    path.write_bytes((end.join(lines) + end * last).encode())
    assert_same(path, ReadOptions(delimiter=";"), part_rows, way)
    assert_same(path, ReadOptions(), part_rows, way)


@by_both_ways
@given(data=st.text(st.sampled_from('a1;"\n\r é'), max_size=40), part_rows=st.integers(1, 5))
@example(data='a;b\r1;2\r"', part_rows=1)
def test_both_paths_agree_on_any_text(tmp_path_factory, way, data, part_rows):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(data.encode())
    assert_same(path, ReadOptions(delimiter=";"), part_rows, way)


REAL = sorted(
    path.relative_to(ROOT).as_posix() for path in ROOT.glob("*/*") if path.suffix in (".csv", ".txt", ".ret")
)


@by_both_ways
@pytest.mark.parametrize("name", REAL)
def test_both_paths_agree_on_real_files(name, way):
    for part_rows in (7, 100_000):
        assert_same(ROOT / name, ReadOptions(), part_rows, way)


def stream_of(path: Path, part_rows: int) -> TextStream:
    cells = stream_text(path.open("rb"), "t", ReadOptions(), part_rows).cells
    assert isinstance(cells, TextStream)
    return cells


@pytest.fixture
def table(tmp_path):
    """5,000 rows with accents, empty cells and quotes, one long row and blank records among them."""
    random.seed(7)
    rows = [
        [f"k{i}", random.choice(["São Paulo", "Rio", ""]), f'"a;{i}"' if i % 3 else ""] for i in range(5000)
    ]
    lines = ["chave;cidade;obs", *(";".join(row) for row in rows)]
    lines.insert(2500, "k;x;y;extra")
    lines.insert(4000, "")
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("part_rows", [100, 1500, 100_000])
def test_rows_are_taken_where_they_stand(table, part_rows):
    columns = cells_of(read_text(table, "t", ReadOptions()))
    stream = stream_of(table, part_rows)
    for wanted in ([], [0], [5000], [2499, 2500, 2501], range(0, 5001, 13)):
        taken = stream.take(wanted)
        assert [column.to_pylist() for column in taken.columns] == [
            [column[row] for row in wanted] for column in columns
        ]


def test_some_columns_come_in_the_order_asked_as_dictionaries(table):
    stream = stream_of(table, 500)
    whole = [part() for part in stream.parts([3, 1, 0])]
    coded = [part() for part in stream.parts([3, 1, 0], encoded={1})]
    assert all(pa.types.is_dictionary(part.schema.field(1).type) for part in coded)
    for plain, part in zip(whole, coded, strict=True):
        text = pa.schema([(name, pa.large_string()) for name in plain.column_names])
        assert part.cast(text).equals(plain.cast(text))


def test_a_dictionary_holds_the_values_of_its_part_only(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n" + "".join(f"v{i // 100};x\n" for i in range(1000)))
    stream = stream_of(path, 100)
    sizes = [len(part().column(0).chunk(0).dictionary) for part in stream.parts([0], encoded={0})]
    assert len(sizes) > 5
    assert max(sizes) <= 3


def test_a_sample_is_spread_over_the_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n" + "".join(f"{i};x\n" for i in range(30_000)))
    stream = stream_of(path, 4_000)
    rows = [int(cell) for cell in stream.sample().column(0).to_pylist()]
    assert rows == sorted(set(rows))
    assert rows[0] == 0
    assert rows[-1] > 20_000
    assert 1_000 < len(rows) < 6_000


@pytest.mark.parametrize(
    "head",
    [
        pytest.param("a;b\n" + "1;2\n" * 1500, id="another width is commoner after the head"),
        pytest.param("x;y\n" * 1200, id="a header far down"),
    ],
)
def test_the_whole_file_votes_for_the_width(tmp_path, head):
    path = tmp_path / "t.csv"
    path.write_text(head + "p;q;r\n" + "1;2;3\n" * 4000)
    assert_same(path, ReadOptions(), 300)
    assert len(read_text(path, "t", ReadOptions()).columns) == 3


def test_a_small_limit_streams(table):
    assert not isinstance(read_text(table, "t", ReadOptions(small_bytes=0)).cells, Lists)


# ------------------------------------------------------------------ the proof that a stretch is regular


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        pytest.param(b"a;b\nc;d\n", 2, id="plain"),
        pytest.param(b"a;b\nc;d\ne;", 2, id="the last record is cut off"),
        pytest.param(b"a;b\r\nc;d\r\n", 2, id="CRLF"),
        pytest.param(b'"a";"b;""\n"\nc;d\n', 2, id="quotes"),
        pytest.param(b'a;b\n"c', 1, id="a cell that is cut off"),
        pytest.param(b"a\nb;c\n", None, id="short"),
        pytest.param(b"a;b;c\nd\n", None, id="long, and as much too short"),
        pytest.param(b"a;b\n\nc;d\n", None, id="blank"),
        pytest.param(b"a;b\rc;d\n", None, id="a return alone"),
        pytest.param(b'a"b;c\n', None, id="a quote within a cell"),
        pytest.param(b'"a"b;c\n', None, id="text after a quote"),
        pytest.param(b'"a;b\n', None, id="a quote that is never closed"),
        pytest.param(b"a;b", None, id="no line end"),
    ],
)
def test_only_regular_stretches_have_a_shape(data, rows):
    shape = measure(data, 2, ord(";"))
    assert (shape and shape.rows) == rows


@pytest.mark.parametrize(
    ("record", "sure"),
    [
        *[(record, True) for record in (b"a;b;c", b"a;b;", b"a;;c", b'"a";"b";""', "ã;;é".encode())],
        *[
            (record, False)
            for record in (b";;", b"a;;", b";b;c", b" ;b;c", b'"";"";"x"', b"a; ;", b'"a";"";""')
        ],
        *[(record, False) for record in ("a;;\u00a0".encode(), "\u3000;b;c".encode())],
    ],
)
def test_records_that_may_be_thin_are_named(record, sure):
    shape = measure(record + b"\n", 3, ord(";"))
    assert shape is not None
    assert [number for number, _, _ in shape.unsure] == ([] if sure else [0])
