"""Feather files, Arrow files and Arrow streams are read; tables in memory are streamed without a copy."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, ipc

from datasources.arrow import ArrowStream, ChainedStream, band_from_table, read_arrow
from datasources.arrow_types import python_values
from datasources.base import Lists
from datasources.exceptions import SourceTooLarge, SourceUnreadable
from datasources.options import ReadOptions

TABLE = pa.table({"n": range(50_000), "t": [f"t{i % 9}" for i in range(50_000)]})


def write_file(path, table):
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=7_000)


def write_stream(path, table):
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


WRITERS = {
    "file": write_file,
    "stream": write_stream,
    "feather": lambda path, table: feather.write_feather(table, str(path), compression="zstd"),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_every_format_is_read(tmp_path, write):
    path = tmp_path / "t.arrow"
    write(path, TABLE)
    band = read_arrow(path, "b", ReadOptions())
    assert (band.name, band.columns, band.rows, band.origin) == ("b", ("n", "t"), 50_000, "typed")
    assert not isinstance(band.cells, Lists)
    whole = pa.concat_tables([part() for part in band.cells.parts([1, 0])])
    assert whole.column(1).to_pylist() == list(range(50_000))
    write(path, TABLE.slice(0, 2))
    assert read_arrow(path, "b", ReadOptions()).cells == Lists(([0, 1], ["t0", "t1"]), 2)


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("cut", [6, 100, 5_000, -20])
def test_a_cut_file_is_one_clear_error(tmp_path, write, cut):
    path = tmp_path / "t.arrow"
    write(path, TABLE)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(SourceUnreadable, match=r"t\.arrow is not a whole Arrow file"):
        read_arrow(path, "b", ReadOptions())


def test_too_many_columns_are_refused(tmp_path):
    write_file(tmp_path / "t.arrow", TABLE)
    with pytest.raises(SourceTooLarge):
        read_arrow(tmp_path / "t.arrow", "b", ReadOptions(columns_max=1))


def test_names_are_made_unique():
    table = pa.table([pa.array([1]), pa.array([2]), pa.array([3])], names=["a", "", "a"])
    band = band_from_table(table, "b")
    assert band.columns == ("a", "column_2", "a_2")
    assert {warning.code for warning in band.warnings} == {"empty_name", "repeated_name"}


def test_nothing_is_copied():
    stream = ArrowStream(TABLE)
    (part,) = stream.parts([0])
    assert part().column(0).chunk(0).buffers()[1].address == TABLE.column("n").chunk(0).buffers()[1].address


def test_encoded_columns_are_dictionaries():
    (part,) = ArrowStream(TABLE).parts([1, 0], encoded=[0, 1])
    text, number = part().columns
    assert pa.types.is_dictionary(text.type)
    assert number.type == pa.int64()
    assert text.to_pylist() == TABLE.column("t").to_pylist()


def test_the_sample_is_spread():
    sample = ArrowStream(TABLE).sample()
    assert sample.num_rows == 4_096
    assert (sample.column(0)[0].as_py(), sample.column(0)[-1].as_py()) == (0, 49_999)


@given(
    cuts=st.lists(st.integers(0, 300), max_size=4),
    picks=st.sets(st.integers(0, 299), max_size=20),
)
def test_a_chain_is_its_streams_in_order(cuts, picks):
    table = TABLE.slice(0, 300)
    edges = [0, *sorted(cuts), 300]
    chain = ChainedStream(tuple(ArrowStream(table.slice(a, b - a)) for a, b in pairwise(edges)))
    assert chain.rows == 300
    whole = pa.concat_tables([part() for part in chain.parts([0])])
    assert whole.column(0).to_pylist() == list(range(300))
    assert chain.take(sorted(picks)).column(0).to_pylist() == sorted(picks)
    assert chain.sample().num_rows == 300


DAY = 86_400
MOMENTS = {
    "nanoseconds": pa.array([0, 10**18 + 1, -1, 10**18, None], pa.timestamp("ns")),
    "nanoseconds of a zone": pa.array(
        [0, 10**18 + 1, -1, 10**18, None], pa.timestamp("ns", "America/Sao_Paulo")
    ),
    "nanoseconds of an offset": pa.array([0, 10**18 + 1, -1, 10**18, None], pa.timestamp("ns", "+05:45")),
    "years that Python has not": pa.array([0, 3 * 10**11, -(10**11), DAY, None], pa.timestamp("s")),
    "the year 0 of a zone": pa.array([0, -62_135_596_800, DAY, None], pa.timestamp("s", "America/Sao_Paulo")),
    "days that Python has not": pa.array([0, 4_000_000, -1_000_000, None], pa.date32()),
    "a zone that is not installed": pa.array([0, 10**18 + 1, None], pa.timestamp("ns", "Nowhere/Here")),
    "an hour that comes twice": pa.array(
        [h * 1_800 + 1_729_985_400 for h in range(9)], pa.timestamp("s", "Europe/Lisbon")
    ),
}


@pytest.mark.parametrize("array", MOMENTS.values(), ids=MOMENTS)
def test_no_cell_decides_how_another_arrives(array):
    """A column is read part by part, and its type may not depend on how it is cut (spec 2)."""
    whole = python_values(pa.chunked_array([array]))
    apart = [cell for i in range(len(array)) for cell in python_values(pa.chunked_array([array.slice(i, 1)]))]
    assert [(type(cell), str(cell)) for cell in whole] == [(type(cell), str(cell)) for cell in apart]
    assert len(set(whole)) == len(array)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "nanoseconds",
            ["1970-01-01 00:00:00", "2001-09-09 01:46:40.000000001", "1969-12-31 23:59:59.999999999"],
        ),
        (
            "years that Python has not",
            ["1970-01-01 00:00:00", "11476-08-15T05:20:00", "-1199-02-15T14:13:20"],
        ),
        (
            "a zone that is not installed",
            ["1970-01-01 00:00:00.000000000Z", "2001-09-09 01:46:40.000000001Z"],
        ),
    ],
    ids=["nanoseconds", "years", "zone"],
)
def test_what_python_has_not_is_text(name, expected):
    assert [str(cell) for cell in python_values(pa.chunked_array([MOMENTS[name]]))][
        : len(expected)
    ] == expected
