"""A frame of any library gives the same band, and what a cell cannot be becomes text."""

from __future__ import annotations

import datetime as dt
import enum
import uuid
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.base import Lists, RawBand
from datasources.exceptions import SourceUnreadable
from datasources.memory import band_from, bands_from, plain_cell
from datasources.options import ReadOptions

D = Decimal


class Capsule:
    """What knows nothing but the Arrow interface."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class Interchange:
    """What knows nothing but the data frame interchange protocol."""

    def __init__(self, table):
        self.table = table

    def __dataframe__(self, **options):
        return self.table.__dataframe__(**options)


FRAMES = {
    "pyarrow table": lambda t: t,
    "pyarrow batch": lambda t: t.combine_chunks().to_batches()[0],
    "pyarrow reader": lambda t: t.to_reader(),
    "polars": pl.from_arrow,
    "polars lazy": lambda t: pl.LazyFrame(pl.from_arrow(t)),
    "pandas": lambda t: t.to_pandas(types_mapper=pd.ArrowDtype),
    "duckdb": duckdb.from_arrow,
    "capsule": Capsule,
    "records": lambda t: t.to_pylist(),
    "columns": lambda t: t.to_pydict(),
}


def cells_of(band: RawBand) -> dict[str, list[object]]:
    if isinstance(band.cells, Lists):
        return dict(zip(band.columns, map(list, band.cells.columns), strict=True))
    parts = [part() for part in band.cells.parts(range(len(band.columns)))]
    return {
        name: [c for part in parts for c in part.column(i).to_pylist()] for i, name in enumerate(band.columns)
    }


RECORDS = st.lists(
    st.permutations(["a", "b", "c"]).flatmap(
        lambda keys: st.integers(0, 3).map(lambda count: {key: f"{key}{count}" for key in keys[:count]})
    ),
    min_size=1,
)


@given(RECORDS)
def test_each_record_has_its_own_keys_in_any_order(records):
    names = list(dict.fromkeys(key for record in records for key in record))
    if names:
        expected = {name: [record.get(name) for record in records] for name in names}
        assert cells_of(band_from(records, "b")) == expected


TABLES = st.integers(1, 6).flatmap(
    lambda rows: st.fixed_dictionaries(
        {
            "i": st.lists(st.none() | st.integers(-(2**40), 2**40), min_size=rows, max_size=rows),
            "t": st.lists(st.none() | st.text(max_size=5), min_size=rows, max_size=rows),
            "b": st.lists(st.none() | st.booleans(), min_size=rows, max_size=rows),
            "f": st.lists(st.none() | st.floats(allow_nan=False), min_size=rows, max_size=rows),
            "d": st.lists(
                st.none() | st.dates(dt.date(1700, 1, 1), dt.date(2200, 1, 1)), min_size=rows, max_size=rows
            ),
        }
    )
)
TYPES = pa.schema(
    [("i", pa.int64()), ("t", pa.string()), ("b", pa.bool_()), ("f", pa.float64()), ("d", pa.date32())]
)


@given(columns=TABLES)
def test_every_library_gives_the_same_band(columns):
    table = pa.table(columns, TYPES)
    for make in FRAMES.values():
        band = band_from(make(table), "b")
        assert cells_of(band) == columns
        assert band.name == "b"


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_large_frame_is_a_stream_of_the_same_cells(make):
    rows = 30_000 if make is not FRAMES["records"] and make is not FRAMES["columns"] else 210_000
    table = pa.table({"n": range(rows), "t": [f"é{i % 5}" for i in range(rows)]})
    band = band_from(make(table), "b")
    assert not isinstance(band.cells, Lists)
    assert cells_of(band) == table.to_pydict()
    assert str(band.cells.schema.types[0]) == "int64"
    assert str(band.cells.schema.types[1]) in ("string", "large_string")


def test_the_interchange_protocol_is_enough():
    frame = Interchange(pa.table({"n": [1, 2], "t": ["a", "b"]}))
    assert cells_of(band_from(frame, "b")) == {"n": [1, 2], "t": ["a", "b"]}


def test_a_polars_frame_is_not_copied():
    frame = pl.DataFrame({"n": range(50_000)})
    cells = band_from(frame, "b").cells
    assert not isinstance(cells, Lists)
    (part,) = cells.parts([0])
    assert part().column(0).chunk(0).buffers()[1].address == frame["n"].to_arrow().buffers()[1].address


T = pd.Timestamp
PANDAS = [
    ({"x": [1.5, np.nan]}, {"x": [1.5, None]}, "NaN is null"),
    ({"x": [1, "a", None]}, {"x": ["1", "a", None]}, "mixed is text"),
    ({"x": pd.Series([True, "a", 1.50, D("2.50")], dtype=object)},
     {"x": ["true", "a", "1.5", "2.5"]}, "text of each"),
    ({"x": pd.Series([1, 2.5, None], dtype=object)}, {"x": [1.0, 2.5, None]}, "numbers of two kinds"),
    ({"x": pd.Series([1, D("2.50")], dtype=object)}, {"x": [D("1.00"), D("2.50")]}, "integers and decimals"),
    ({"x": pd.Series([1, pd.NA], dtype="Int64")}, {"x": [1, None]}, "NA is null"),
    ({"x": [T("2026-01-02 03:04"), pd.NaT]},
     {"x": [dt.datetime.fromisoformat("2026-01-02T03:04"), None]}, "NaT is null"),
    ({"x": pd.Categorical(["a", None, "a"])}, {"x": ["a", None, "a"]}, "categories"),
    ({"x": pd.period_range("2026-01", periods=2, freq="M")}, {"x": ["2026-01", "2026-02"]}, "periods"),
    ({"x": pd.interval_range(0, 2)}, {"x": ["(0, 1]", "(1, 2]"]}, "intervals"),
    ({"x": pd.Series([{"k": 1}, None], dtype=object)}, {"x.k": [1, None]}, "dictionaries"),
    ({"x": pd.Series([[1, 2], None], dtype=object)}, {"x": ["[1,2]", None]}, "lists"),
    ({"x": [1 + 2j]}, {"x": ["(1+2j)"]}, "complex numbers"),
    ({"x": [pd.Timedelta(minutes=1.5)]}, {"x": ["90"]}, "spans"),
    ({"x": [uuid.UUID(int=5)]}, {"x": [str(uuid.UUID(int=5))]}, "UUIDs"),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "expected"), [c[:2] for c in PANDAS], ids=[c[2] for c in PANDAS])
def test_pandas_columns(columns, expected):
    assert cells_of(band_from(pd.DataFrame(columns), "b")) == expected


def test_pandas_names_and_index():
    frame = pd.DataFrame([[1, 2, 3]], columns=["a", "a", ("x", "y")])
    assert band_from(frame, "b").columns == ("a", "a_2", "x y")
    assert "index" not in band_from(frame.iloc[[0, 0]], "b").columns
    named = pd.DataFrame({"v": [1, 2]}, index=pd.Index(["p", "q"], name="uf"))
    assert cells_of(band_from(named, "b")) == {"uf": ["p", "q"], "v": [1, 2]}
    levels = pd.MultiIndex.from_tuples([("p", 1)], names=["uf", "mes"])
    assert band_from(pd.DataFrame({"v": [1]}, index=levels), "b").columns == ("uf", "mes", "v")
    assert band_from(pd.DataFrame(), "b").columns == ()


class Colour(enum.Enum):
    RED = "vermelho"


CELLS = [
    (None, None), (True, True), (7, 7), (1.5, 1.5), ("a", "a"), (D("1.50"), D("1.50")),
    (dt.date(2026, 1, 2), dt.date(2026, 1, 2)), (dt.time(9, 30), "09:30:00"),
    (dt.timedelta(seconds=90), "90"),
    (b"abc", "abc"), (b"\xff", "ff"), (Colour.RED, "vermelho"), (np.int32(7), 7), (np.float64(0.1), 0.1),
    (np.float32(0.1), 0.1), (np.bool_(True), True), (np.str_("a"), "a"), (pd.NaT, None), (pd.NA, None),
    (T("2026-01-02"), dt.datetime.fromisoformat("2026-01-02")), (np.datetime64("2026-01-02"), "2026-01-02"),
    ({"k": 1}, '{"k":1}'),
    (np.array([1, 2]), "[1,2]"), ((1, "a"), '[1,"a"]'), (uuid.UUID(int=1), str(uuid.UUID(int=1))),
]  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), CELLS, ids=[repr(value) for value, _ in CELLS])
def test_any_value_is_a_cell(value, expected):
    cell = plain_cell(value)
    assert cell == expected
    assert type(cell) is type(expected)


def test_records_are_shaped_as_json_is():
    records = [{"n": 1, "p": {"x": dt.date(2026, 1, 2)}, "i": [{"v": D("2.50")}]}, {"late": 3}]
    band, items = bands_from(records, "b")
    assert cells_of(band) == {"n": [1, None], "p.x": [dt.date(2026, 1, 2), None], "late": [None, 3]}
    assert (items.name, cells_of(items)) == ("b.i", {"_parent": [1], "v": [D("2.50")]})
    assert (band.origin, items.parent_column) == ("records", 0)
    assert band_from(records, "b") == band


def test_columns_without_rows_keep_their_names():
    band = band_from({"a": [], "b": []}, "b")
    assert (band.columns, band.cells) == (("a", "b"), Lists(([], []), 0))


def test_columns_of_other_lengths_are_refused():
    with pytest.raises(SourceUnreadable, match="a has 1, c 3"):
        band_from({"a": [1], "b": [1, 2], "c": [1, 2, 3]}, "b")


def test_what_is_declared_is_handed_on():
    band = band_from([{"a": 1}], "b", ReadOptions(locale="pt-BR", null_values=("s/n",)))
    assert (band.locale, band.null_values) == ("pt-BR", ("s/n",))


@pytest.mark.parametrize("frame", [7, "text", b"bytes", ..., None], ids=repr)
def test_what_is_no_table_is_refused(frame):
    with pytest.raises(SourceUnreadable, match="is not a table for the band b"):
        band_from(frame, "b")


def test_a_frame_that_cannot_be_computed_is_one_clear_error():
    lazy = pl.LazyFrame({"a": ["x"]}).select(pl.col("a").cast(pl.Int64))
    with pytest.raises(SourceUnreadable, match="could not be computed") as caught:
        band_from(lazy, "b")
    assert "\n" not in str(caught.value)


def test_what_a_library_says_of_its_failure_may_hold_data_and_stays_inside():
    lazy = pl.LazyFrame({"a": ["123.456.789-09"]}).select(pl.col("a").cast(pl.Int64))
    with pytest.raises(SourceUnreadable) as caught:
        band_from(lazy, "b")
    assert str(caught.value) == (
        "The table for the band b could not be computed (InvalidOperationError): compute it in the program that"
        " hands it in, which will say why."
    )
    assert "123.456.789-09" in str(caught.value.__cause__)


def test_any_name_passes_from_polars():
    frame = pl.DataFrame({"a\0b": [1, 2], "1": [3, 4], "0": [5, 6]})
    assert band_from(frame, "b").columns == ("a\0b", "1", "0")
    assert frame.columns == ["a\0b", "1", "0"]


WIDE = [(5, D(5)), (2**100, D(2**100)), (2**127 - 1, str(2**127 - 1)), (-(2**127), str(-(2**127)))]


@pytest.mark.parametrize(("value", "expected"), WIDE, ids=["short", "31 digits", "most", "least"])
def test_integers_of_128_bits_are_exact(value, expected):
    frame = pl.DataFrame({"a": pl.Series([value, None], dtype=pl.Int128)})
    assert cells_of(band_from(frame, "b")) == {"a": [expected, None]}


def test_a_struct_that_polars_cannot_hand_on_is_one_clear_error(capfd):
    frame = pl.DataFrame({"a": [{"x\0y": 1}]})
    with pytest.raises(SourceUnreadable, match="could not be computed"):
        band_from(frame, "b")


def test_an_index_named_like_a_column_is_a_column_too():
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index([3, 4], name="a"))
    assert cells_of(band_from(frame, "b")) == {"a": [3, 4], "a_2": [1, 2]}


def test_integers_past_64_bits_of_pandas_are_exact():
    assert cells_of(band_from(pd.DataFrame({"a": [2**70, 1]}), "b")) == {"a": [str(2**70), "1"]}


def test_records_that_hold_themselves_are_refused():
    record: dict[str, object] = {}
    record["a"] = record
    with pytest.raises(SourceUnreadable, match="hold themselves"):
        band_from([record], "b")


def test_a_text_of_arrow_that_is_none_is_refused():
    broken = pa.array([b"\xff"], pa.binary()).view(pa.string())
    with pytest.raises(SourceUnreadable, match="could not be computed"):
        band_from(pa.table({"a": broken}), "b")


def test_objects_of_polars_are_their_text_not_where_they_lie():
    frame = pl.DataFrame({"a": [{"x": 1}, None]}, schema={"a": pl.Object})
    assert cells_of(band_from(frame, "b")) == {"a": ["{'x': 1}", None]}
