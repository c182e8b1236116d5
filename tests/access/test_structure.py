"""With access rules the structure of a source is declared: no row that is hidden decides how another one reads."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from datasources import json as json_module
from datasources import parquet_stream, records, secured, sql_rows
from datasources.access import Access, Viewer
from datasources.access_rules import views_of
from datasources.base import Lists
from datasources.connections import load_connections
from datasources.csv import read_text
from datasources.csv_stream import stream_text
from datasources.definition import parse_definition
from datasources.exceptions import AccessError, DefinitionError, SourceNotFound, SourceUnreadable
from datasources.mask_key import MaskKey
from datasources.options import ReadOptions
from datasources.parameters import resolve
from datasources.report import load_report
from datasources.secured_records import VisibleRecords
from datasources.secured_stream import to_lists
from engine import process_report
from engine.row_tests import compile_test
from lastro.document import document_of

KEY = MaskKey.derive(b"0123456789abcdef0123456789abcdef", "w1")
ANA = Viewer("ana", "w1", frozenset(), {"ufs": ("RS",)})
IN_SOUTH = {"field": "uf", "op": "in", "value": {"viewer": "ufs"}}
TEXT = {"encoding": "utf-8", "delimiter": ";", "header": True, "totals": "none"}


def document(source, bands=None, rows=None, columns=(), **others):
    return {
        "id": "r",
        "name": "R",
        "datasources": {"d": source},
        "bands": bands or [{"name": "b", "datasource": "d", "fields": [{"name": "uf"}]}],
        "access": {
            "rows": [{"band": "b", "where": IN_SOUTH}] if rows is None else rows,
            "columns": list(columns),
            "detect_pii": False,
        },
        **others,
    }


def load(made, folder=None, frames=None):
    definition = parse_definition(json.dumps(made))
    access = Access(ANA, compile_test, KEY)
    return load_report(
        definition, resolve(definition, {}), roots={"data": folder}, frames=frames, access=access
    )


def file(folder: Path, name: str, text: str | bytes, **options):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return {"kind": "file", "root": "data", "path": name, **options}


def shown(band):
    lists = band.cells if isinstance(band.cells, Lists) else to_lists(band.cells)
    return dict(zip(band.columns, lists.columns, strict=True))


# ---- what must be declared ----


@pytest.mark.parametrize("missing", ["encoding", "delimiter", "header", "totals"])
def test_a_text_file_declares_what_would_be_guessed(missing, tmp_path):
    options = {key: value for key, value in TEXT.items() if key != missing}
    with pytest.raises(DefinitionError, match=rf"datasources\.d\.{missing}: is missing"):
        load(document(file(tmp_path, "v.csv", "uf;n\nRS;1\n", **options)), tmp_path)
    # A file that does not tell its kind by its name is told by its content.
    with pytest.raises(AccessError, match=rf"declare its {missing}\."):
        load(document(file(tmp_path, "dados", "uf;n\nRS;1\n", **options)), tmp_path)


def test_without_rules_nothing_need_be_declared(tmp_path):
    made = document(file(tmp_path, "v.csv", "uf;n\nRS;1\nSP;2\n"))
    del made["access"]
    definition = parse_definition(json.dumps(made))
    (band,) = load_report(definition, resolve(definition, {}), roots={"data": tmp_path})
    assert band.rows == 2


def test_a_file_without_a_header_has_the_names_that_are_declared(tmp_path):
    source = file(
        tmp_path, "v.csv", "SP;1;x\nRS;2\nRS;3;4;5\n", **{**TEXT, "header": False, "columns": ["uf", "n"]}
    )
    (band,) = load(document(source), tmp_path)
    assert shown(band) == {"uf": ["RS", "RS"], "n": ["2", "3"]}
    with pytest.raises(DefinitionError, match=r"datasources\.d\.columns: is missing"):
        load(document(file(tmp_path, "v.csv", "RS;1\n", **{**TEXT, "header": False})), tmp_path)
    with pytest.raises(DefinitionError, match="say header false too"):
        load(document(file(tmp_path, "v.csv", "RS;1\n", **{**TEXT, "columns": ["uf"]})), tmp_path)


# ---- text ----

HIDDEN = [
    pytest.param([], id="none"),
    pytest.param(["SP;1"], id="one"),
    pytest.param(["SP;1;2;3;4", "SP", "SP;"], id="ragged"),
    pytest.param([f"SP;{at};x;y" for at in range(20)], id="most are wider"),
    pytest.param(["Fonte: IBGE", "Total;99", ";", "SP,1,2,3"], id="notes, totals, other delimiters"),
    pytest.param(['SP;"a\nb;c"', "\xa0;", "sp;1"], id="line ends in quotes"),
    pytest.param([f"SP;{'é' * 3_000}"] * 3, id="long"),
]


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("is_large", [False, True], ids=["small", "large"])
def test_hidden_records_do_not_decide_what_the_table_is(hidden, is_large, tmp_path):
    for at in range(3):
        visible = ["RS;1", "RS;2;extra", " RS ;"]
        lines = ["uf;n", *visible[:at], *hidden, *visible[at:]]
        (tmp_path / "v.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        rules = VisibleRecords([], None)
        options = ReadOptions(delimiter=";", encoding="utf-8", header=True, visible=rules)
        if is_large:
            raw = stream_text((tmp_path / "v.csv").open("rb"), "b", options, part_rows=2)
        else:
            raw = read_text(tmp_path / "v.csv", "b", options)
        assert raw.columns == ("uf", "n")
        rows = zip(*shown(raw).values(), strict=True)
        south = [(uf.strip(), n or None) for uf, n in rows if uf and uf.strip() == "RS"]
        assert south == [("RS", "1"), ("RS", "2"), ("RS", None)]
        (band,) = load(
            document({**file(tmp_path, "v.csv", (tmp_path / "v.csv").read_bytes()), **TEXT}), tmp_path
        )
        assert shown(band) == {"uf": ["RS", "RS", " RS "], "n": ["1", "2", ""]}
        assert (band.notes, band.warnings) == ((), ())


def test_bytes_that_are_hidden_do_not_decide_the_encoding(tmp_path):
    for hidden in (b"SP;x\n", b"SP;\xe9\xff\xfe\x81\n" * 50):
        source = file(tmp_path, "v.csv", "uf;n\nRS;é\n".encode() + hidden, **TEXT)
        (band,) = load(document(source), tmp_path)
        assert shown(band) == {"uf": ["RS"], "n": ["é"]}


def test_a_row_of_nothing_but_a_hidden_cell_is_a_row_whatever_the_cell(tmp_path):
    columns = [{"band": "b", "field": "salario", "action": "hide"}]
    for cell in ("", "5", " "):
        source = file(tmp_path, "v.csv", f"uf;n;salario\nRS;1;9\n;;{cell}\n", **TEXT)
        (band,) = load(document(source, rows=[], columns=columns), tmp_path)
        assert shown(band) == {"uf": ["RS", ""], "n": ["1", ""]}


FIRST = [
    pytest.param([], id="none"),
    pytest.param(["SP;1"], id="a row"),
    pytest.param([";;"], id="no cell filled"),
    pytest.param(['[{"uf":"RS"}];;'], id="like JSON"),
    pytest.param(["<html>;;"], id="like a page"),
    pytest.param(["%PDF;1"], id="like a document"),
]


@pytest.mark.parametrize("name", ["v.csv", "dados"])
@pytest.mark.parametrize("hidden", FIRST)
def test_the_first_row_of_a_file_without_a_header_decides_nothing(hidden, name, tmp_path):
    options = {**TEXT, "header": False, "columns": ["uf", "n"]}
    (band,) = load(document(file(tmp_path, name, "\n".join([*hidden, "RS;1", ""]), **options)), tmp_path)
    assert shown(band) == {"uf": ["RS"], "n": ["1"]}


@pytest.mark.parametrize("cell", ["", "5", " "])
@pytest.mark.parametrize("is_large", [False, True], ids=["small", "large"])
def test_a_hidden_cell_does_not_decide_which_record_is_the_first(cell, is_large, tmp_path):
    path = tmp_path / "v.csv"
    path.write_text(f";;{cell}\nRS;1;9\n", encoding="utf-8")
    options = ReadOptions(
        delimiter=";",
        encoding="utf-8",
        header=False,
        column_names=("uf", "n", "salario"),
        visible=VisibleRecords([], None),
    )
    raw = stream_text(path.open("rb"), "b", options) if is_large else read_text(path, "b", options)
    assert raw.rows == 2


@pytest.mark.parametrize("hidden", ["", "SP;1\n"], ids=["none", "one"])
def test_a_file_of_hidden_rows_alone_reads_as_one_of_none(hidden, tmp_path):
    options = {**TEXT, "header": False, "columns": ["uf", "n"]}
    (band,) = load(document(file(tmp_path, "v.csv", hidden, **options)), tmp_path)
    assert shown(band) == {"uf": [], "n": []}


BLANK = [
    pytest.param([], id="none"),
    pytest.param([";;"], id="one"),
    pytest.param([" ;\xa0; "], id="white space"),
    pytest.param([";;"] * 300, id="many"),
    pytest.param(["", ""], id="empty lines"),
]


@pytest.mark.parametrize("blank", BLANK)
@pytest.mark.parametrize("totals", ["first", "last", "both"])
@pytest.mark.parametrize("is_large", [False, True], ids=["small", "large"])
@pytest.mark.parametrize("total", ["Total;9;9", ";;9"], ids=["named", "of hidden cells alone"])
def test_a_total_is_one_whatever_blank_rows_stand_around_it(
    total, is_large, totals, blank, tmp_path, monkeypatch
):
    if is_large:
        monkeypatch.setattr(
            ReadOptions.__init__, "__defaults__", (*(ReadOptions.__init__.__defaults__ or ())[:-1], 1)
        )
        monkeypatch.setattr(secured, "LISTS_CELLS_MAX", -1)
    above = [*blank, total] if totals in ("first", "both") else []
    below = [total, *blank] if totals in ("last", "both") else []
    lines = ["uf;n;salario", *above, "RS;1;4", "SP;7;2", "RS;2;3", *below, ""]
    source = file(tmp_path, "v.csv", "\n".join(lines), **{**TEXT, "totals": totals})
    rows = [{"band": "b", "where": {"field": "uf", "op": "!=", "value": "SP"}}]
    columns = [{"band": "b", "field": "salario", "action": "hide"}]
    for parts in (1, 2):
        if parts > 1:
            (tmp_path / "v2.csv").write_text("\n".join(lines), encoding="utf-8")
            source["path"] = "v*.csv"
        (band,) = load(document(source, rows=rows, columns=columns), tmp_path)
        assert shown(band) == {"uf": ["RS", "RS"] * parts, "n": ["1", "2"] * parts}


@pytest.mark.parametrize("text", ["uf;n\n", "uf;n\n;\n;\n"], ids=["no row", "blank rows"])
@pytest.mark.parametrize("is_large", [False, True], ids=["small", "large"])
def test_a_total_of_nothing_is_none(text, is_large, tmp_path, monkeypatch):
    if is_large:
        monkeypatch.setattr(
            ReadOptions.__init__, "__defaults__", (*(ReadOptions.__init__.__defaults__ or ())[:-1], 1)
        )
    (band,) = load(document(file(tmp_path, "v.csv", text, **{**TEXT, "totals": "both"}), rows=[]), tmp_path)
    assert shown(band) == {"uf": [], "n": []}


@pytest.mark.parametrize("is_large", [False, True], ids=["small", "large"])
@pytest.mark.parametrize("totals", ["none", "first", "last", "both"])
def test_each_part_of_a_band_has_totals_of_its_own(totals, is_large, tmp_path, monkeypatch):
    if is_large:
        monkeypatch.setattr(
            ReadOptions.__init__, "__defaults__", (*(ReadOptions.__init__.__defaults__ or ())[:-1], 1)
        )
    above, below = totals in ("first", "both"), totals in ("last", "both")
    others = {"field": "uf", "op": "!=", "value": "SP"}
    for hidden in ([], ["SP;7"]):
        for at in range(3):
            total = [f"Total;{at + 7 * len(hidden)}"]
            rows = [*total * above, f"RS;{at}", *hidden, *total * below]
            (tmp_path / f"v{at}.csv").write_text("\n".join(["uf;n", *rows, ""]), encoding="utf-8")
        source = {"kind": "file", "root": "data", "path": "v*.csv", **TEXT, "totals": totals}
        (band,) = load(document(source, rows=[{"band": "b", "where": others}]), tmp_path)
        assert shown(band) == {"uf": ["RS"] * 3, "n": ["0", "1", "2"]}


def test_a_quote_that_is_never_closed_tells_nothing_of_what_it_swallowed(tmp_path):
    source = file(tmp_path, "v.csv", '"uf;n\nRS;segredo\n', **TEXT)
    with pytest.raises(SourceUnreadable) as raised:
        load(document(source), tmp_path)
    assert raised.value.message == "The datasource d could not be read: read it without a viewer to see why."
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


def test_dictionaries_of_a_large_file_hold_visible_cells_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(secured, "LISTS_CELLS_MAX", -1)
    rows = 30_000
    lines = [f"{('RS', 'SP', '')[at % 3]};{'' if at % 5 == 0 else f'n{at % 70}'};{at}" for at in range(rows)]
    path = tmp_path / "v.csv"
    path.write_text("uf;n;x\n" + "\n".join(lines) + "\n", encoding="utf-8")
    options = ReadOptions(delimiter=";", encoding="utf-8", header=True, visible=VisibleRecords([], None))
    raw = stream_text(path.open("rb"), "b", options, part_rows=4_000)
    made = parse_definition(json.dumps(document({"kind": "memory", "name": "q"})))
    view = replace(views_of(made, Access(ANA, compile_test, KEY))["b"], totals="none")
    found = secured.secure_band(raw, view).cells
    assert not isinstance(found, Lists)
    assert found.rows == rows // 3
    taken = 0
    for read in found.parts([0, 1, 2], [0, 1]):
        part = read()
        for chunk in part.column(1).chunks:
            assert set(chunk.dictionary.to_pylist()) == set(chunk.to_pylist()) - {None}
        expected = [lines[row].split(";")[1] or None for row in map(int, part.column(2).to_pylist())]
        assert part.column(1).to_pylist() == expected
        taken += part.num_rows
    assert taken == found.rows


def test_a_file_that_is_not_there_is_named():
    source = {"kind": "file", "root": "data", "path": "nada.csv", **TEXT}
    with pytest.raises(
        SourceNotFound, match=r"^The datasource d could not be read: There is no file nada.csv"
    ):
        load(document(source), Path(__file__).parent)


@pytest.mark.parametrize("rows", [0, 1])
def test_a_query_without_the_field_of_its_rule_shows_nothing_rows_or_none(rows, tmp_path):
    with closing(sqlite3.connect(tmp_path / "b.sqlite")) as database:
        database.execute("CREATE TABLE t (estado)")
        database.executemany("INSERT INTO t VALUES (?)", [("RS",)] * rows)
        database.commit()
    (tmp_path / "connections.toml").write_text('[banco]\nkind = "sqlite"\npath = "b.sqlite"\n')
    made = document({"kind": "sql", "connection": "banco", "query": "SELECT estado FROM t"})
    definition = parse_definition(json.dumps(made))
    with pytest.raises(AccessError, match="asks for “uf”, which the data do not have"):
        load_report(
            definition,
            resolve(definition, {}),
            connections=load_connections(tmp_path / "connections.toml"),
            access=Access(ANA, compile_test, KEY),
        )


# ---- records ----

ITEMS = [
    {"name": "b", "datasource": "d", "fields": [{"name": "uf"}]},
    {"name": "b.itens", "datasource": "d", "fields": [{"name": "sku"}]},
]
PARENTS = [
    {"uf": "RS", "itens": [{"sku": "P1"}, {"sku": "P9"}]},
    {"uf": "RS", "n": 2, "itens": [{"sku": "P1", "kg": 3}]},
]
SP = {"uf": "SP", "novo": 1, "n": "texto", "itens": [{"sku": "P1", "outro": 7}], "notas": [{"x": 1}]}


@pytest.mark.parametrize(
    "hidden", [[], [SP], [SP, 7, None, [1, 2], {"uf": ["RS"]}]], ids=["none", "one", "odd"]
)
@pytest.mark.parametrize("kind", ["json", "lines", "frame", "inline"])
def test_hidden_records_leave_no_key_no_type_and_no_parent(hidden, kind, tmp_path):
    for at in range(3):
        records = [*PARENTS[:at], *hidden, *PARENTS[at:]]
        frames = {"q": records}
        match kind:
            case "json":
                source = file(tmp_path, "v.json", json.dumps(records))
            case "lines":
                source = file(tmp_path, "v.jsonl", "\n".join(map(json.dumps, records)))
            case "inline":
                source = {"kind": "inline", "records": [one for one in records if isinstance(one, dict)]}
            case _:
                source = {"kind": "memory", "name": "q"}
        sku = {"band": "b.itens", "where": {"field": "sku", "op": "=", "value": "P1"}}
        parents, items = load(
            document(source, ITEMS, [{"band": "b", "where": IN_SOUTH}, sku]), tmp_path, frames=frames
        )
        assert shown(parents) == {"uf": ["RS", "RS"], "n": [None, 2]}
        assert shown(items) == {"_parent": [1, 2], "sku": ["P1", "P1"], "kg": [None, 3]}
        assert items.parent_column == 0


@pytest.mark.parametrize("kind", ["v.json", "v.jsonl", "v.ndjson"])
def test_records_of_which_none_is_visible_read_as_no_records(kind, tmp_path):
    texts = ["", "\n", json.dumps(SP), "\n".join([json.dumps(SP)] * 3)]
    for text in texts if kind != "v.json" else [f"[{text}]" for text in texts[:3]]:
        (band,) = load(document(file(tmp_path, kind, text)), tmp_path)
        assert shown(band) == {"uf": []}


MIXED = ["1e300", "0.30000000000000001", '"x"', "true", "3", "0.70000000000000001", "null", "1e300", "5"]
"""Cells of one column, as they are written."""


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_hidden_records_do_not_decide_which_others_are_read_together(count, tmp_path, monkeypatch):
    monkeypatch.setattr(json_module, "BATCH_RECORDS", 3)
    monkeypatch.setattr(records.BandBuilder.spill, "__defaults__", (1,))
    seen = []
    for many in (0, count):
        hidden = ['{"uf": "SP", "n": 1}'] * many
        lines = [line for cell in MIXED for line in [f'{{"uf": "RS", "n": {cell}}}', *hidden]]
        source = file(tmp_path, "v.jsonl", "\n".join(lines))
        monkeypatch.setattr(
            ReadOptions.__init__, "__defaults__", (*(ReadOptions.__init__.__defaults__ or ())[:-1], 1)
        )
        (band,) = load(document(source), tmp_path)
        seen.append(shown(band))
    assert seen[0] == seen[1]
    assert len(seen[0]["n"]) == len(MIXED)


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param([1, 20], id="whole numbers"),
        pytest.param([1.25, 2.5], id="numbers"),
        pytest.param([True, False], id="booleans"),
        pytest.param([None, None], id="nulls"),
        pytest.param([[1], [2]], id="arrays"),
        pytest.param(["x", "y"], id="texts"),
    ],
)
def test_what_of_many_records_is_no_text_is_not_looked_at_as_one(cells, tmp_path, monkeypatch):
    seen = []
    for most in (400_000, -1):
        defaults = [
            most if one == 400_000 else one for one in records.BandBuilder.__init__.__defaults__ or ()
        ]
        monkeypatch.setattr(records.BandBuilder.__init__, "__defaults__", tuple(defaults))
        monkeypatch.setattr(secured, "LISTS_CELLS_MAX", most)
        lines = [{"uf": "RS", "n": cell, "obs": "ligar para 111.444.777-35"} for cell in cells]
        made = document(file(tmp_path, "v.json", json.dumps(lines)))
        made["access"]["detect_pii"] = True
        definition = parse_definition(json.dumps(made))
        snapshot = process_report(definition, roots={"data": tmp_path}, viewer=ANA, key=KEY)
        seen.append(document_of(snapshot.profile).model_dump_json())
        assert "111.444" not in seen[-1]
    assert seen[0] == seen[1]


@pytest.mark.parametrize("count", [1, 2, 7, 300])
def test_hidden_rows_of_a_query_do_not_decide_which_others_are_read_together(count, tmp_path, monkeypatch):
    monkeypatch.setattr(sql_rows, "FIRST_ROWS", 3)
    monkeypatch.setattr(sql_rows, "ROWS_MAX", 5)
    (tmp_path / "connections.toml").write_text('[banco]\nkind = "sqlite"\npath = "b.sqlite"\n')
    cells = [1, 276.0, 2.5, "x", 3, None, "y", 4.0, 5, 1e300, 10**15, 7]
    seen = []
    for many in (0, count):
        rows = [row for cell in cells for row in [("RS", cell), *[("SP", 1)] * many]]
        with closing(sqlite3.connect(tmp_path / "b.sqlite")) as database:
            database.execute("DROP TABLE IF EXISTS t")
            database.execute("CREATE TABLE t (uf, n)")
            database.executemany("INSERT INTO t VALUES (?, ?)", rows)
            database.commit()
        made = document({"kind": "sql", "connection": "banco", "query": "SELECT uf, n FROM t"})
        definition = parse_definition(json.dumps(made))
        connections = load_connections(tmp_path / "connections.toml")
        (band,) = load_report(
            definition,
            resolve(definition, {}),
            connections=connections,
            access=Access(ANA, compile_test, KEY),
        )
        seen.append(shown(band))
    assert seen[0] == seen[1]
    assert len(seen[0]["n"]) == len(cells)


@pytest.mark.parametrize("items", [None, [], [{"sku": "X"}], ["P1", 3], [[{"sku": "X"}]]], ids=str)
def test_an_array_of_nothing_but_hidden_rows_is_none(items, tmp_path):
    records = [{"uf": "RS", "itens": [{"sku": "P1"}]}, {"uf": "RS", "itens": items}]
    sku = {"band": "b.itens", "where": {"field": "sku", "op": "=", "value": "P1"}}
    parents, found = load(document(file(tmp_path, "v.json", json.dumps(records)), ITEMS, [sku]), tmp_path)
    assert shown(parents) == {"uf": ["RS", "RS"]}
    assert shown(found) == {"_parent": [1], "sku": ["P1"]}


def test_a_band_whose_array_is_nowhere_is_empty_and_never_another_one(tmp_path):
    columns = [{"band": "b", "field": "cpf", "action": "hide"}]
    bands = [{**ITEMS[0], "fields": [{"name": "uf"}, {"name": "cpf"}]}, ITEMS[1]]
    source = file(tmp_path, "v.json", json.dumps([{"uf": "RS", "cpf": "1"}]))
    parents, items = load(document(source, bands, [], columns), tmp_path)
    assert shown(parents) == {"uf": ["RS"]}
    assert shown(items) == {"sku": []}


def test_a_hidden_object_takes_its_parts_along(tmp_path):
    bands = [{"name": "b", "datasource": "d", "fields": [{"name": "uf"}, {"name": "s"}]}]
    columns = [{"band": "b", "field": "s", "action": "hide"}]
    for value in (1, {"a": 1}, [1], [{"a": 1}], {"a": {"b": [{"c": 1}]}}, None):
        source = file(tmp_path, "v.json", json.dumps([{"uf": "RS", "s": value}]))
        (found,) = load(document(source, bands, [], columns), tmp_path)
        assert shown(found) == {"uf": ["RS"]}


def test_bands_that_share_records_share_their_rule(tmp_path):
    bands = [ITEMS[0], {**ITEMS[0], "name": "c"}]
    with pytest.raises(DefinitionError, match="the same records under another row rule"):
        load(document(file(tmp_path, "v.json", "[]"), bands), tmp_path)
    with pytest.raises(AccessError, match="the same records of d under different row rules"):
        load(document({"kind": "memory", "name": "q"}, bands), frames={"q": [{"uf": "RS"}]})
    rules = [{"band": name, "where": IN_SOUTH} for name in ("b", "c")]
    one, two = load(document({"kind": "memory", "name": "q"}, bands, rules), frames={"q": [{"uf": "RS"}, SP]})
    assert shown(one) == shown(two) == {"uf": ["RS"]}


def test_records_declare_the_fields_of_their_rules():
    bands = [{"name": "b", "datasource": "d"}]
    with pytest.raises(AccessError, match="records name no columns: declare the field"):
        load(document({"kind": "memory", "name": "q"}, bands), frames={"q": [{"uf": "RS"}]})


# ---- typed sources ----


def test_one_hidden_cell_does_not_turn_a_column(tmp_path):
    import pandas as pd

    for hidden in ([], [("SP", "x", b"\xff")]):
        rows = [("RS", 5, b"ab"), *hidden]
        columns = {name: [row[at] for row in rows] for at, name in enumerate(("uf", "n", "b"))}
        frame = pd.DataFrame({name: pd.Series(cells, dtype="object") for name, cells in columns.items()})
        (band,) = load(document({"kind": "memory", "name": "q"}), frames={"q": frame})
        assert shown(band) == {"uf": ["RS"], "n": ["5"], "b": ["ab"]}
        table = pa.table({"uf": columns["uf"], "b": pa.array(columns["b"], pa.binary())})
        (band,) = load(document({"kind": "memory", "name": "q"}), frames={"q": table})
        assert shown(band) == {"uf": ["RS"], "b": ["6162"]}
        pq.write_table(table, tmp_path / "v.parquet")
        source = {"kind": "file", "root": "data", "path": "v.parquet"}
        (band,) = load(document(source), tmp_path)
        assert shown(band) == {"uf": ["RS"], "b": ["6162"]}


@pytest.mark.parametrize(
    ("cells", "hidden"),
    [
        pytest.param([True, False], None, id="booleans"),
        pytest.param([1, 2], None, id="whole numbers"),
        pytest.param([1.5, 2.0], None, id="numbers"),
        pytest.param(["a", "b"], 5, id="texts"),
    ],
)
def test_a_hidden_null_in_a_frame_does_not_turn_a_column(cells, hidden):
    import pandas as pd

    seen = []
    for more in ([], [hidden]):
        frame = pd.DataFrame({"uf": ["RS", "RS", *["SP"] * len(more)], "n": [*cells, *more]})
        made = parse_definition(json.dumps(document({"kind": "memory", "name": "q"})))
        snapshot = process_report(made, frames={"q": frame}, viewer=ANA, key=KEY)
        seen.append(document_of(snapshot.profile).model_dump_json())
    assert seen[0] == seen[1]


def test_nanoseconds_that_are_hidden_make_no_texts():
    moments = pa.array([1_700_000_000_000_000_000, 1_700_000_000_000_000_001], pa.timestamp("ns"))
    table = pa.table({"uf": ["RS", "SP"], "t": moments})
    (band,) = load(document({"kind": "memory", "name": "q"}), frames={"q": table})
    assert [type(cell).__name__ for cell in shown(band)["t"]] == ["datetime"]


def test_large_row_groups_are_cut_alike_for_every_column(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_stream, "PART_ROWS", 1_000)
    monkeypatch.setattr(parquet_stream, "GROUP_ROWS_MAX", 2_000)
    monkeypatch.setattr(secured, "TYPED_CELLS_MAX", -1)
    rows = 10_500
    table = pa.table(
        {
            "uf": pa.array([("RS", "SP", "AC")[at % 3] for at in range(rows)]),
            "n": pa.array(range(rows), pa.int64()),
            "x": pa.array([f"t{at}" for at in range(rows)]),
            "s": pa.array([{"a": at, "b": str(at % 7)} for at in range(rows)]),
        }
    )
    pq.write_table(table, tmp_path / "v.parquet", row_group_size=rows)
    source = {"kind": "file", "root": "data", "path": "v.parquet"}
    (band,) = load(document(source), tmp_path)
    for columns, encoded in (
        ((0, 1, 2, 3, 4), ()),
        ((0, 2), (0, 2)),
        ((1,), ()),
        ((2,), (2,)),
        ((4, 3), (4,)),
    ):
        parts = [read() for read in band.cells.parts(columns, encoded)]
        assert sum(part.num_rows for part in parts) == band.rows == rows // 3
    assert shown(band)["n"] == list(range(0, rows, 3))
    assert shown(band)["s.b"] == [str(at % 7) for at in range(0, rows, 3)]


# ---- sheets ----


def test_a_sheet_is_what_is_declared_of_it(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    columns = [{"band": "b", "field": "salario", "action": "hide"}]
    for hidden in ([], [["SP", 1, 9, "nota", 5]] * 5, [["Fonte: x"], [None, None, 7]]):
        book = openpyxl.Workbook()
        sheet = book.active
        for row in [["uf", "n", "salario"], ["RS", 1, 5], *hidden, [None], ["RS", "x", None]]:
            sheet.append(row)
        other = book.create_sheet("outra")
        other.append(["segredo", "x"])
        other.append(["1", "2"])
        book.save(tmp_path / "v.xlsx")
        source = {"kind": "file", "root": "data", "path": "v.xlsx", "header": True, "totals": "none"}
        found = load(document(source, columns=columns), tmp_path)
        assert [shown(band) for band in found] == [{"uf": ["RS", "RS"], "n": [1, "x"]}]
    source = {"kind": "file", "root": "data", "path": "v.xlsx", "totals": "none"}
    with pytest.raises(DefinitionError, match="needs a header"):
        load(document({**source, "header": False, "columns": ["uf"]}), tmp_path)
