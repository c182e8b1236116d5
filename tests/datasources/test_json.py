"""JSON documents and JSON Lines become flat bands with every digit as it was written."""

from __future__ import annotations

import gzip
import json
import math
import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.base import Lists, RawBand
from datasources.exceptions import SourceError, SourceTooLarge, SourceUnreadable
from datasources.json import read_decimal, read_integer, read_json
from datasources.options import ReadOptions
from tests.datasources.real_data import real_file


def read(folder, text: str | bytes, **options) -> tuple[RawBand, ...]:
    path = folder / "b.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    return read_json(path, "b", ReadOptions(**options))


def content(band: RawBand) -> dict[str, list[object]]:
    """The cells of a band by column, whatever they are kept in."""
    if isinstance(band.cells, Lists):
        return dict(zip(band.columns, map(list, band.cells.columns), strict=True))
    parts = [part() for part in band.cells.parts(range(len(band.columns)))]
    return {
        name: [cell for part in parts for cell in part.column(i).to_pylist()]
        for i, name in enumerate(band.columns)
    }


SHAPES = [
    ('[{"a":1},{"b":2}]', {"b": {"a": [1, None], "b": [None, 2]}}, "columns of all records"),
    ('{"a":1,"b":"x"}', {"b": {"a": [1], "b": ["x"]}}, "object is one row"),
    ("[]", {"b": {}}, "no records"),
    ("{}", {"b": {}}, "object without keys"),
    ('[{"p":{"x":1,"q":{"y":2}}}]', {"b": {"p.x": [1], "p.q.y": [2]}}, "nested objects"),
    ('[{"p":{"x":1},"z":3},{"d":4,"p":{"y":5}}]',
     {"b": {"p.x": [1, None], "z": [3, None], "d": [None, 4], "p.y": [None, 5]}},
     "order of first appearance"),
    ('[{"p":null},{"p":{"x":1}}]', {"b": {"p.x": [None, 1]}}, "null where an object may stand"),
    ('[{"p":7},{"p":{"x":1}}]',
     {"b": {"p": [7, None], "p.x": [None, 1]}}, "scalar where an object may stand"),
    ('[{"p":{}},{"p":{}}]', {"b": {"p": [None, None]}}, "empty objects"),
    ('[{"p.x":1,"p":{"x":2}}]', {"b": {"p.x": [1], "p.x_2": [2]}}, "equal names from different places"),
    ('[{"t":["a",1.50,null,true]}]', {"b": {"t": ['["a",1.5,null,true]']}}, "array of scalars"),
    ('[{"t":[12345678901234567]}]', {"b": {"t": ["[12345678901234567]"]}}, "long digits in an array"),
    ('[{"t":[]},{"t":[1]}]', {"b": {"t": ["[]", "[1]"]}}, "empty array among arrays of scalars"),
    ('[{"n":1,"i":[{"v":1},{"v":2}]},{"n":2,"i":[]},{"n":3,"i":[{"v":3}]}]',
     {"b": {"n": [1, 2, 3]}, "b.i": {"_parent": [1, 1, 3], "v": [1, 2, 3]}}, "array of objects"),
    ('[{"n":1,"i":[{"k":[{"v":9}]}]}]',
     {"b": {"n": [1]}, "b.i": {"_parent": [1]}, "b.i.k": {"_parent": [1], "v": [9]}}, "arrays in arrays"),
    ('[{"n":1,"p":{"i":[{"v":1}]}}]',
     {"b": {"n": [1]}, "b.p.i": {"_parent": [1], "v": [1]}}, "array in an object"),
    ('[{"n":1,"i":[{"v":1},5,null]}]',
     {"b": {"n": [1]}, "b.i": {"_parent": [1, 1, 1], "v": [1, None, None], "value": [None, 5, None]}},
     "scalars among objects"),
    ('[{"n":1,"i":[[{"v":1}],[{"v":2}]]}]',
     {"b": {"n": [1]}, "b.i": {"_parent": [1, 1]}, "b.i.value": {"_parent": [1, 2], "v": [1, 2]}},
     "arrays of arrays"),
    ('[{"_parent":5,"i":[{"_parent":6}]}]',
     {"b": {"_parent": [5]}, "b.i": {"_parent": [1], "_parent_2": [6]}}, "a key that is named as ours"),
    ('{"page":{"n":1},"rows":[{"a":1},{"a":2}]}',
     {"b": {"page.n": [1]}, "b.rows": {"_parent": [1, 1], "a": [1, 2]}}, "header and rows"),
    ('{"rows":[{"a":1}]}', {"b.rows": {"_parent": [1], "a": [1]}}, "nothing but rows"),
    ("[[1,2],[3]]", {"b": {"column_1": [1, 3], "column_2": [2, None]}}, "arrays as rows"),
    ('[1,"x",null]', {"b": {"value": [1, "x", None]}}, "scalars as rows"),
    ("42", {"b": {"value": [42]}}, "one scalar"),
    ('{"a":1}\n\n{"b":2}\r\n', {"b": {"a": [1, None], "b": [None, 2]}}, "JSON Lines"),
    ("[1,2]\n[3,4]", {"b": {"column_1": [1, 3], "column_2": [2, 4]}}, "JSON Lines of arrays"),
    ('{"a":1,\n"b":2}', {"b": {"a": [1], "b": [2]}}, "one document on two lines"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [c[:2] for c in SHAPES], ids=[c[2] for c in SHAPES])
@pytest.mark.parametrize("small", [4_000_000, 0], ids=["small", "as a large file"])
def test_shapes(tmp_path, text, expected, small):
    bands = read(tmp_path, text, small_bytes=small)
    assert {band.name: content(band) for band in bands} == expected
    for band in bands:
        assert list(content(band)) == list(expected[band.name])
        assert band.parent_column == (0 if band.name != "b" else None)
        assert band.origin == "records"


NUMBERS = [
    ("0", 0), ("-0", 0), ("999999999999999", 999999999999999), ("-999999999999999", -999999999999999),
    ("1000000000000000", "1000000000000000"), ("-1000000000000000", "-1000000000000000"),
    ("9" * 5000, "9" * 5000), ("3262.00", Decimal("3262")), ("100.0", Decimal("100")),
    ("0.10", Decimal("0.1")),
    ("-0.0", Decimal(0)), ("1e2", Decimal("100")), ("1.5E+3", Decimal("1500")),
    ("1.20e-3", Decimal("0.0012")),
    ("1e999999999", math.inf), ("-1e999999999", -math.inf), ("1e-999999999", 0.0), ("1e41", 1e41),
    ("Infinity", math.inf),
    ("12345678901234567.25", Decimal("12345678901234567.25")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), NUMBERS, ids=[text[:24] for text, _ in NUMBERS])
def test_numbers_keep_their_digits(tmp_path, text, expected):
    (band,) = read(tmp_path, f'[{{"v":{text}}}]')
    (cell,) = content(band)["v"]
    assert cell == expected
    assert type(cell) is type(expected)
    assert str(cell) == str(expected)


def test_a_hostile_exponent_takes_no_time():
    start = time.perf_counter()
    assert read_decimal("1e" + "9" * 100_000) == math.inf
    assert read_integer("9" * 1_000_000) == "9" * 1_000_000
    assert time.perf_counter() - start < 1


BROKEN = [
    ('[{"a":1},\n{"a":}]', "line 2, column 6"), ('[{"a":1},{"a":2', "truncated"),
    ('{"a":1} xyz', "line 1, column 9"),
    ("[1,2]]", "line 1, column 6"), ('{"a":1}\n{"a":\n{"a":3}', "line 2"),
    ('{"a":1}\n{"a":2}\nnot json', "line 3"),
    ("", "empty"), (" \n ", "empty"), ("[" * 100_000, "nested too deeply"),
    ("[" * 100_000 + "]" * 100_000, "nested"),
    ('{"a":' * 100_000, "nested"), ("[{},]", "line 1"), ('["a\tb"]', "line 1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BROKEN, ids=[repr(text[:24]) for text, _ in BROKEN])
@pytest.mark.parametrize("small", [4_000_000, 0], ids=["small", "as a large file"])
def test_broken_text_is_one_clear_error(tmp_path, text, message, small):
    with pytest.raises(SourceUnreadable) as caught:
        read(tmp_path, text, small_bytes=small)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"])
@pytest.mark.parametrize("small", [4_000_000, 0], ids=["small", "as a large file"])
def test_encodings_are_found(tmp_path, encoding, small):
    (band,) = read(tmp_path, '[{"cidade":"São João é ação"}]'.encode(encoding), small_bytes=small)
    assert content(band) == {"cidade": ["São João é ação"]}


def test_the_last_of_repeated_keys_wins_with_a_warning(tmp_path):
    (band,) = read(tmp_path, '[{"a":1,"a":2,"a":3},{"a":4}]')
    assert content(band) == {"a": [3, 4]}
    (warning,) = band.warnings
    assert (warning.code, warning.field, warning.count) == ("repeated_key", "a", 2)


@pytest.mark.parametrize(
    "text", [r'[{"a":"x\ud800y"}]', r'[{"a":["x\uDC00y"]}]', '{"a":"x\\udfff"}\n{"a":"y"}']
)
def test_lone_surrogates_are_replaced_with_a_warning(tmp_path, text):
    (band,) = read(tmp_path, text)
    assert "\ufffd" in str(content(band)["a"])
    assert [warning.code for warning in band.warnings] == ["lone_surrogate"]
    json.dumps(content(band), ensure_ascii=False).encode()


def test_a_pair_of_surrogates_is_a_character(tmp_path):
    (band,) = read(tmp_path, r'[{"a":"\ud83d\ude00"}]')
    assert (content(band), band.warnings) == ({"a": ["😀"]}, ())


def test_a_key_that_comes_late_is_not_lost(tmp_path):
    records = [{"id": i, "p": {"x": 1}} for i in range(1, 25_001)]
    for record in records[23_999:]:
        record |= {"desconto": 0.5, "p": {"x": 1, "y": 2}}
    for text in (json.dumps(records), "\n".join(map(json.dumps, records))):
        for small in (4_000_000, 0):
            (band,) = read(tmp_path, text, small_bytes=small)
            cells = content(band)
            assert band.rows == 25_000
            assert sum(v for v in cells["desconto"] if isinstance(v, Decimal)) == Decimal("500.5")
            assert sum(v is not None for v in cells["p.y"]) == 1001


def test_a_band_of_many_cells_is_a_stream_of_the_same_values(tmp_path):
    records = [
        {"i": i, "d": i + 0.25, "t": f"é{i % 7}", "b": i % 2 == 0, "m": i if i % 3 else "x",
         "late": 1.5 if i > 59_000 else None}
        for i in range(70_000)
    ]  # fmt: skip
    for text in (json.dumps(records), "\n".join(map(json.dumps, records))):
        (band,) = read(tmp_path, text)
        assert not isinstance(band.cells, Lists)
        assert [str(kind) for kind in band.cells.schema.types] == [
            "int64", "decimal128(38, 2)", "large_string", "bool", "large_string", "decimal128(38, 1)",
        ]  # fmt: skip
        cells = content(band)
        assert cells["d"] == [Decimal(str(r["d"])) for r in records]
        assert cells["m"] == [str(r["m"]) for r in records]
        assert cells["late"][58_000] is None
        assert cells["late"][-1] == Decimal("1.5")


def test_compressed_files_are_inflated(tmp_path):
    (band,) = read(tmp_path, gzip.compress(b'{"a":1}\n{"a":2}\n'))
    assert content(band) == {"a": [1, 2]}


def test_keys_that_are_data_are_refused_early(tmp_path):
    text = json.dumps([{f"k{i}": i} for i in range(20_000)])
    with pytest.raises(SourceTooLarge, match="share almost no keys"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "limit"),
    [('[{"a":1,"b":2,"c":3}]', {"columns_max": 2}), ('[{"a":"xxxxxxxxxx"}]', {"cell_bytes_max": 9})],
    ids=["columns", "cell"],
)
def test_limits_are_kept(tmp_path, text, limit):
    with pytest.raises(SourceTooLarge):
        read(tmp_path, text, **limit)


SCALARS = st.none() | st.booleans() | st.integers(-(10**14), 10**14) | st.text(max_size=8)
RECORDS = st.lists(
    st.dictionaries(st.text("abcdé", min_size=1, max_size=3), SCALARS, min_size=1), max_size=12
)


@given(records=RECORDS, lines=st.booleans(), small=st.sampled_from([0, 4_000_000]))
def test_what_was_written_is_read(tmp_path_factory, records, lines, small):
    text = "\n".join(map(json.dumps, records)) if lines else json.dumps(records)
    if lines and not records:
        return
    (band,) = read(tmp_path_factory.mktemp("json"), text, small_bytes=small)
    keys = list(dict.fromkeys(key for record in records for key in record))
    assert content(band) == {key: [record.get(key) for record in records] for key in keys}
    assert list(band.columns) == keys


JSON_VALUES = st.recursive(
    SCALARS | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=20,
)


@given(value=JSON_VALUES, small=st.sampled_from([0, 4_000_000]))
def test_any_document_becomes_bands_of_whole_columns(tmp_path_factory, value, small):
    bands = read(tmp_path_factory.mktemp("json"), json.dumps(value), small_bytes=small)
    assert bands
    for band in bands:
        assert len(set(band.columns)) == len(band.columns)
        assert all(band.columns)
        assert all(len(cells) == band.rows for cells in content(band).values())


@given(
    data=st.binary(max_size=60) | st.text('{}[]",:0123456789.eE+-truefalsn \n', max_size=40).map(str.encode)
)
def test_any_bytes_are_bands_or_one_clear_error(tmp_path_factory, data):
    try:
        bands = read(tmp_path_factory.mktemp("json"), data)
    except SourceError as error:
        message = error.message
    else:
        message = f"{len(bands)} bands"
    assert "\n" not in message


def test_portfolio_has_header_and_rows():
    head, rows = read_json(real_file("b3-mercado/GetTheoricalPortfolio.json"), "carteira", ReadOptions())
    assert content(head)["header.reductor"] == ["18.673.489,42022432"]
    assert (rows.name, rows.rows, rows.parent_column) == ("carteira.results", 92, 0)
    quantities = [int(str(cell).replace(".", "")) for cell in content(rows)["theoricalQty"]]
    assert sum(quantities) == 96626612142


def test_northwind_keeps_numbers_and_orders():
    bands = {b.name: b for b in read_json(real_file("jasper-northwind/northwind.json"), "n", ReadOptions())}
    customers, orders = bands["n.Northwind.Customers"], bands["n.Northwind.Customers.Orders"]
    assert (customers.rows, orders.rows) == (30, 259)
    freights = [cell for cell in content(orders)["Freight"] if isinstance(cell, (int, Decimal))]
    assert sum(freights) == Decimal("19215.05")
    assert [type(cell) for cell in content(customers)["PostalCode"]].count(int) == 21
    assert content(orders)["ShippedDate"].count(None) == 6


def test_template_keeps_the_table_in_its_string():
    bands = {b.name: b for b in read_json(real_file("pdfme-invoice/template.json"), "t", ReadOptions())}
    kinds = content(bands["t.schemas.value"])["type"]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "text": 13, "multiVariableText": 2, "line": 1, "svg": 1, "table": 1
    }  # fmt: skip
