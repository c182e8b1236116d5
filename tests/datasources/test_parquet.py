"""Parquet files, one or many, are one band: of plain types, read in parts, with any rows taken quickly."""

from __future__ import annotations

import datetime as dt
import random
import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources import kept_rows
from datasources.base import Lists
from datasources.exceptions import SourceNotFound, SourceTooLarge, SourceUnreadable
from datasources.fine_moment import FineMoment
from datasources.options import ReadOptions
from datasources.parquet import read_parquet
from datasources.parquet_stream import GROUP_ROWS_MAX, ParquetStream
from tests.datasources.real_data import real_file

D = Decimal


def write(path, table, **options):
    pq.write_table(table, path, **options)
    return path


def read(*paths, **options):
    return read_parquet(paths, "b", ReadOptions(**options))


def stream(*paths) -> ParquetStream:
    cells = read(*paths).cells
    assert isinstance(cells, ParquetStream)
    return cells


def cells_of(band):
    assert isinstance(band.cells, Lists)
    return dict(zip(band.columns, band.cells.columns, strict=True))


NAIVE = dt.datetime.fromisoformat("2026-01-02T03:00")
ZONED = NAIVE.replace(tzinfo=dt.UTC)
EPOCH = dt.datetime.fromisoformat("1970-01-01T00:00:00.000001")
CELLS = [
    ("int8", pa.array([1, None], pa.int8()), [1, None]),
    ("uint64", pa.array([2**64 - 1, None], pa.uint64()), [D(2**64 - 1), None]),
    ("float16", pa.array([0.1, None], pa.float16()), [0.1, None]),
    ("float32", pa.array([0.1, None], pa.float32()), [0.1, None]),
    ("large float32", pa.array([3e38, -0.0], pa.float32()), [3e38, 0.0]),
    ("double", pa.array([0.1, float("inf")]), [0.1, float("inf")]),
    ("bool", pa.array([True, None]), [True, None]),
    ("decimal128", pa.array([D("1.50"), None], pa.decimal128(12, 2)), [D("1.50"), None]),
    ("decimal256", pa.array([D("1.50"), None], pa.decimal256(50, 2)), ["1.5", None]),
    ("text", pa.array(["é", None]), ["é", None]),
    ("large text", pa.array(["é", None], pa.large_string()), ["é", None]),
    ("dictionary", pa.array(["a", None]).dictionary_encode(), ["a", None]),
    ("text view", pa.array(["é", None], pa.string_view()), ["é", None]),
    ("utf-8 bytes view", pa.array(["é".encode(), None], pa.binary_view()), ["é", None]),
    ("other bytes view", pa.array([b"\xff\x00", b"ab"], pa.binary_view()), ["ff00", "6162"]),
    ("list of views", pa.array([["a", None], None], pa.list_(pa.string_view())), ['["a",null]', None]),
    ("null", pa.nulls(2), [None, None]),
    ("utf-8 bytes", pa.array(["é".encode(), None]), ["é", None]),
    ("other bytes", pa.array([b"\xff\x00", b"ab"]), ["ff00", "6162"]),
    ("fixed bytes", pa.array([b"ab", None], pa.binary(2)), ["6162", None]),
    ("uuid", pa.array([uuid.UUID(int=5).bytes, None], pa.uuid()), [str(uuid.UUID(int=5)), None]),
    ("date", pa.array([dt.date(2026, 1, 2), None]), [dt.date(2026, 1, 2), None]),
    ("time", pa.array([dt.time(9, 30), dt.time(1, 2, 3, 500_000)]), ["09:30:00", "01:02:03.500000"]),
    ("timestamp", pa.array([NAIVE, None], pa.timestamp("us")), [NAIVE, None]),
    ("zoned", pa.array([ZONED, None], pa.timestamp("us", "UTC")),
     [ZONED, None]),
    ("whole nanoseconds", pa.array([1_000, None], pa.timestamp("ns")),
     [EPOCH, None]),
    ("nanoseconds", pa.array([1_001, None], pa.timestamp("ns")), [FineMoment.of(EPOCH, 1), None]),
    ("one with nanoseconds", pa.array([1_000, -999], pa.timestamp("ns")),
     [EPOCH, FineMoment.of(EPOCH - dt.timedelta(microseconds=2), 1)]),
    ("one day past 9999 in a list", pa.array([[0], [0, 2_932_897]], pa.list_(pa.date32())),
     ['["1970-01-01"]', '["1970-01-01","10000-01-01"]']),
    ("list", pa.array([["a", None], []]), ['["a",null]', "[]"]),
    ("list of structs", pa.array([[{"x": 1, "y": D("2.50")}], None]), ['[{"x":1,"y":2.5}]', None]),
    ("list of float32", pa.array([[0.1, None], []], pa.list_(pa.float32())), ["[0.1,null]", "[]"]),
    ("structs of float32", pa.array([[{"x": 0.1}], None], pa.list_(pa.struct([("x", pa.float32())]))),
     ['[{"x":0.1}]', None]),
    ("map of float32", pa.array([[("k", 0.1)], None], pa.map_(pa.string(), pa.float32())),
     ['[["k",0.1]]', None]),
    ("map", pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())), ['[["k",1]]', None]),
]  # fmt: skip


@pytest.mark.parametrize(("array", "expected"), [c[1:] for c in CELLS], ids=[c[0] for c in CELLS])
def test_every_type_becomes_a_plain_cell(tmp_path, array, expected):
    band = read(write(tmp_path / "t.parquet", pa.table({"c": array})))
    assert cells_of(band) == {"c": expected}
    assert (band.origin, band.warnings) == ("typed", ())


def repeated(array: pa.Array, rows: int) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        return array.take(pa.array([i % len(array) for i in range(rows)]))
    return pa.concat_arrays([array] * (rows // len(array) + 1)).slice(0, rows)


@pytest.mark.parametrize("array", [c[1] for c in CELLS], ids=[c[0] for c in CELLS])
def test_a_stream_has_the_cells_that_lists_have(tmp_path, array):
    big = repeated(array, 45_000)
    cells = stream(write(tmp_path / "t.parquet", pa.table({"c": big}), row_group_size=20_000))
    (kind,) = cells.schema.types
    (small,) = cells_of(read(write(tmp_path / "s.parquet", pa.table({"c": array})))).values()
    for encoded in ((), (0,)):
        parts = pa.concat_tables([part() for part in cells.parts([0], encoded)]).column(0)
        encodes = pa.types.is_dictionary(parts.type) or pa.types.is_string_view(parts.type)
        values = parts.cast(kind) if encodes else parts
        assert values.type == kind
        assert values.slice(44_990, 2).to_pylist() == cells.take([0, 1]).column(0).to_pylist()
        assert cells.sample().schema.types == [kind]
        if not pa.types.is_timestamp(kind):
            assert values.slice(0, 2).to_pylist() == small


def test_structs_become_columns_of_their_own(tmp_path):
    inner = pa.array([{"x": 1, "q": {"y": "a"}, "l": [1]}, None])
    band = read(write(tmp_path / "t.parquet", pa.table({"p": inner, "p.x": [5, 6]})))
    assert cells_of(band) == {"p.x": [1, None], "p.q.y": ["a", None], "p.l": ["[1]", None], "p.x_2": [5, 6]}


def test_text_in_a_struct_of_several_row_groups_is_encoded(tmp_path):
    inner = pa.array([{"x": i, "y": f"t{i % 3}"} for i in range(45_000)])
    cells = stream(write(tmp_path / "t.parquet", pa.table({"p": inner}), row_group_size=20_000))
    whole = pa.concat_tables([part() for part in cells.parts([0, 1], (1,))])
    assert pa.types.is_dictionary(whole.column(1).type)
    assert whole.column(1).to_pylist() == [f"t{i % 3}" for i in range(45_000)]


UNKNOWN = pa.timestamp("us", "Nowhere/Here")


@pytest.mark.parametrize(
    ("kind", "beside"), [(UNKNOWN, UNKNOWN), (pa.list_(UNKNOWN), pa.null())], ids=["alone", "in a list"]
)
def test_a_zone_that_is_not_installed_makes_no_noise(tmp_path, capfd, kind, beside):
    """Polars panics at it, whatever column it reads; a file beside it is one that Polars does read."""
    texts = pa.array([f"t{i}" for i in range(30_000)])
    first = write(tmp_path / "a.parquet", pa.table({"t": texts, "m": pa.nulls(30_000, kind)}))
    second = write(tmp_path / "b.parquet", pa.table({"t": texts, "m": pa.nulls(30_000, beside)}))
    cells = stream(first, second)
    (part,) = cells.parts([0])
    assert part().column(0).to_pylist() == texts.to_pylist() * 2
    assert cells.take([7, 30_008]).column(0).to_pylist() == ["t7", "t8"]
    assert capfd.readouterr().err == ""


def test_repeated_names_and_dots_keep_their_own_cells(tmp_path):
    columns = [
        pa.array(["t"] * 30_000),
        pa.array(["u"] * 30_000),
        pa.array([1] * 30_000),
        pa.array(["v"] * 30_000),
    ]
    table = pa.table(columns, names=["a", "a", "a.b", "ab"])
    band = read(write(tmp_path / "t.parquet", table))
    assert band.columns == ("a", "a_2", "a.b", "ab")
    (part,) = band.cells.parts([3, 1, 0, 2])
    assert [column[0].as_py() for column in part().columns] == ["v", "u", "t", 1]
    assert [column[0].as_py() for column in band.cells.take([7]).columns] == ["t", "u", 1, "v"]


def table_of(rows: int) -> pa.Table:
    chance = random.Random(7)
    return pa.table(
        {
            "n": pa.array(range(rows)),
            "status": pa.array([chance.choice(["a", "é", None]) for _ in range(rows)]),
            "chave": pa.array([f"{i:044d}" for i in range(rows)], pa.large_string()),
            "v": pa.array([i / 4 if i % 7 else None for i in range(rows)]),
            "d": pa.array([D(i) / 100 for i in range(rows)], pa.decimal128(12, 2)),
            "p": pa.array([{"x": i} if i % 5 else None for i in range(rows)], pa.struct([("x", pa.int32())])),
        }
    )


@pytest.mark.parametrize("group", [1_000, 7_777, 100_000], ids=str)
def test_parts_hold_all_rows_in_order_from_any_thread(tmp_path, group):
    table = table_of(30_000)
    cells = stream(write(tmp_path / "t.parquet", table, row_group_size=group))
    expected = table.flatten().combine_chunks()
    for columns, encoded in (
        ([0, 1, 2, 3, 4, 5], ()),
        ([5, 2, 1], (1, 2)),
        ([2], ()),
        ([1], (1,)),
        ([0], (0,)),
    ):
        with ThreadPoolExecutor(2) as pool:
            tables = list(pool.map(lambda part: part(), cells.parts(columns, encoded)))
        whole = pa.concat_tables(tables)
        for position, column in enumerate(columns):
            values = whole.column(position)
            assert values.to_pylist() == expected.column(column).to_pylist()
            assert pa.types.is_dictionary(values.type) == (column in encoded and column in (1, 2))


def test_a_huge_row_group_is_cut(tmp_path):
    rows = GROUP_ROWS_MAX + 50_000
    table = pa.table({"t": pa.array([f"t{i % 1000}" for i in range(rows)]), "n": pa.array(range(rows))})
    cells = stream(write(tmp_path / "t.parquet", table, row_group_size=rows))
    for columns, encoded in (([0, 1], ()), ([0], ()), ([1, 0], (0,))):
        parts = [part() for part in cells.parts(columns, encoded)]
        assert max(part.num_rows for part in parts) <= 250_000
        assert sum(part.num_rows for part in parts) == rows
        if 1 in columns:
            numbers = [n for part in parts for n in part.column(columns.index(1)).to_pylist()]
            assert numbers == list(range(rows))
        texts = pa.chunked_array(
            [c for part in parts for c in part.column(columns.index(0)).cast("string").chunks]
        )
        assert texts.slice(rows - 3).to_pylist() == table.column("t").slice(rows - 3).to_pylist()


@pytest.mark.parametrize("count", [1, 7, 100, 5_000], ids=str)
def test_taken_rows_are_those_asked_for(tmp_path, count):
    table = table_of(40_000)
    cells = stream(write(tmp_path / "t.parquet", table, row_group_size=6_000))
    rows = [i * 40_000 // count for i in range(count)]
    taken = cells.take(rows)
    assert [c.to_pylist() for c in taken.columns] == [
        c.to_pylist() for c in table.flatten().take(rows).columns
    ]
    assert taken.schema.types == cells.schema.types
    assert cells.take([]).num_rows == 0


@pytest.mark.parametrize("array", [c[1] for c in CELLS], ids=[c[0] for c in CELLS])
@pytest.mark.parametrize("encoded", [(), (0,)], ids=["read", "encoded"])
def test_rows_that_a_pass_has_kept_are_those_of_the_file(tmp_path, monkeypatch, array, encoded):
    monkeypatch.setattr(kept_rows, "ROWS_MIN", 1)
    big = repeated(array, 45_007)
    table = pa.table({"c": big, "unread": pa.array(range(45_007))})
    cells = stream(write(tmp_path / "t.parquet", table, row_group_size=20_000))
    rows = [i * 45_007 // 100 for i in range(100)]
    from_the_file = cells.take(rows)
    assert not cells.kept.take(rows, (0, 1))
    for part in cells.parts([0], encoded):
        part()
    assert list(cells.kept.take(rows, (0, 1))) == [0]
    assert cells.take(rows).equals(from_the_file)
    assert cells.take(rows[3:9]).equals(from_the_file.slice(3, 6))
    assert cells.take([7, 450]).column(1).to_pylist() == [7, 450]


def test_rows_are_kept_across_files_and_not_of_short_bands(tmp_path):
    half = pa.table({"n": pa.array(range(300_000))})
    paths = [write(tmp_path / f"{name}.parquet", half, row_group_size=70_000) for name in "ab"]
    rows = [i * 6_000 for i in range(100)]
    for files, kept in ((paths, {0}), (paths[:1], set())):
        cells = stream(*files)
        for part in cells.parts([0]):
            part()
        assert set(cells.kept.take(rows[:50], (0,))) == kept
        assert cells.take(rows[:50]).column(0).to_pylist() == rows[:50]
    assert stream(*paths).take(rows).column(0).to_pylist() == [row % 300_000 for row in rows]


def test_the_sample_is_spread_over_the_row_groups(tmp_path):
    cells = stream(write(tmp_path / "t.parquet", table_of(100_000), row_group_size=10_000))
    sample = cells.sample()
    assert sample.num_rows == 4096
    assert sample.column(0)[-1].as_py() > 80_000


def test_files_of_the_same_columns_are_one_band(tmp_path):
    table = table_of(30_000).drop_columns(["p"])
    first = write(tmp_path / "a.parquet", table.slice(0, 20_000), row_group_size=3_000)
    # The same columns in another order, a narrower integer, and one without cells.
    other = table.slice(20_000).select(["d", "v", "chave", "status", "n"])
    other = other.set_column(4, "n", other.column("n").cast("int32"))
    second = write(tmp_path / "b.parquet", other)
    third = write(tmp_path / "c.parquet", table.slice(0, 0))
    cells = stream(first, second, third)
    assert cells.rows == 30_000
    whole = pa.concat_tables([part() for part in cells.parts(range(5))])
    assert [c.to_pylist() for c in whole.columns] == [c.to_pylist() for c in table.columns]
    rows = list(range(0, 30_000, 311))
    assert cells.take(rows).column(2).to_pylist() == table.column("chave").take(rows).to_pylist()
    assert cells.sample().num_rows > 3_000


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": [1]}, "z.parquet has other columns than a.parquet (lacks y)"),
        ({"x": [1], "y": ["a"], "w": [1]}, "z.parquet has other columns than a.parquet (has w besides)"),
        ({"x": ["text"], "y": ["a"]}, "The column x is string in z.parquet but int64 in a.parquet"),
    ],
    ids=["fewer", "more", "another type"],
)
def test_other_columns_are_an_error_that_names_the_part(tmp_path, columns, message):
    first = write(tmp_path / "a.parquet", pa.table({"x": [1], "y": ["a"]}))
    other = write(tmp_path / "z.parquet", pa.table(columns))
    with pytest.raises(SourceUnreadable) as caught:
        read(first, other)
    assert message in str(caught.value)


def test_no_rows_and_no_columns(tmp_path):
    empty = read(
        write(
            tmp_path / "e.parquet", pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string())})
        )
    )
    assert cells_of(empty) == {"a": [], "b": []}
    bare = read(write(tmp_path / "n.parquet", pa.table({})))
    assert (bare.columns, bare.rows) == ((), 0)


@pytest.mark.parametrize("cut", [0, 4, 100, -9, -1], ids=str)
def test_a_cut_file_is_one_clear_error(tmp_path, cut):
    path = write(tmp_path / "t.parquet", pa.table({"a": list(range(1000))}))
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(SourceUnreadable, match=r"t\.parquet is not a whole Parquet file") as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_a_file_that_breaks_later_is_one_clear_error(tmp_path):
    path = write(tmp_path / "t.parquet", table_of(30_000), row_group_size=5_000)
    data = bytearray(path.read_bytes())
    data[1000 : len(data) // 2] = bytes(len(data) // 2 - 1000)
    path.write_bytes(data)
    cells = stream(path)
    with pytest.raises(SourceUnreadable, match="not a whole Parquet file"):
        [part() for part in cells.parts(range(6), (1,))]
    with pytest.raises(SourceUnreadable, match="not a whole Parquet file"):
        cells.take(range(0, 30_000, 100))


def test_a_file_that_is_gone_is_said(tmp_path):
    with pytest.raises(SourceNotFound):
        read(tmp_path / "no.parquet")


def test_limits_are_kept(tmp_path):
    path = write(tmp_path / "t.parquet", pa.table({"a": [1], "b": [2]}))
    for limit in ({"columns_max": 1}, {"bytes_max": 10}):
        with pytest.raises(SourceTooLarge):
            read(path, **limit)


def test_text_that_is_no_utf8_is_mended(tmp_path):
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0\4\0\0\0"), pa.py_buffer(b"a\xffok")]
    )
    small = read(write(tmp_path / "t.parquet", pa.table({"c": broken})))
    assert cells_of(small) == {"c": ["a\ufffd", "ok"]}
    cells = stream(write(tmp_path / "u.parquet", pa.table({"c": pa.concat_arrays([broken] * 25_000)})))
    for encoded in ((), (0,)):
        (part,) = cells.parts([0], encoded)
        assert part().column(0).slice(0, 2).to_pylist() == ["a\ufffd", "ok"]


def test_a_file_that_polars_wrote_is_read(tmp_path):
    frame = pl.DataFrame(
        {"a": ["x", None] * 30_000, "c": pl.Series(["k", "l"] * 30_000, dtype=pl.Categorical)}
    )
    frame.write_parquet(tmp_path / "p.parquet", row_group_size=9_999)
    cells = stream(tmp_path / "p.parquet")
    whole = pa.concat_tables([part() for part in cells.parts([0, 1])])
    assert [c.to_pylist() for c in whole.columns] == [frame["a"].to_list(), frame["c"].to_list()]


COLUMNS = st.lists(st.sampled_from(["n", "status", "chave", "v", "d"]), min_size=1, unique=True)


@given(
    group=st.integers(500, 12_000),
    names=COLUMNS,
    picks=st.sets(st.integers(0, 44_999), min_size=1, max_size=30),
    page=st.sampled_from([2_000, 1_000_000]),
)
def test_any_rows_of_any_layout(tmp_path_factory, group, names, picks, page):
    table = TABLE.select([*names, "n2"])
    path = tmp_path_factory.mktemp("pq") / "t.parquet"
    cells = stream(write(path, table, row_group_size=group, data_page_size=page))
    rows = sorted(picks)
    assert cells.take(rows).column(len(names)).to_pylist() == rows
    assert cells.take(rows).column(0).to_pylist() == table.column(0).take(rows).to_pylist()


TABLE = table_of(45_000).append_column("n2", pa.array(range(45_000)))


def test_central_bank_rates():
    band = read(real_file("bcb-taxas-parquet/taxas_imobiliario_ipca.parquet"))
    cells = cells_of(band)
    assert (band.rows, len(band.columns)) == (254, 8)
    assert sum(D(str(rate)) for rate in cells["TaxaJurosAoAno"]) == D("1283.69")
    assert all(isinstance(code, str) and code.startswith("0") for code in cells["cnpj8"])
