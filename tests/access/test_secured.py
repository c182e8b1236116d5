"""What a viewer may not see is cut out of lists and streams alike, by position, and nothing is left of it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from datasources import secured
from datasources.access_rules import BandView, fold_name
from datasources.arrow import stream_of
from datasources.base import DataWarning, Declared, Lists, RawBand, Stream
from datasources.exceptions import AccessError, SourceUnreadable
from datasources.filters import Condition
from datasources.mask_key import MaskKey
from datasources.secured import secure_band
from datasources.secured_stream import SecuredStream
from engine.band import type_band
from engine.row_tests import compile_test
from tests.engine.streams import CutStream, streamed

KEY = MaskKey.derive(b"0123456789abcdef0123456789abcdef", "w1")
ROOT = Path(__file__).parents[2]
SOUTH = Condition(field="uf", op="=", value="RS")


def view(where=SOUTH, treatments=None, *, declared=None, totals="none", detects=False, fields=()):
    return BandView(
        "b", "d", None, where, {fold_name(k): v for k, v in (treatments or {}).items()}, fields,
        declared or {}, detects, compile_test, KEY, totals,
    )  # fmt: skip


def band(columns, origin="text", **known):
    rows = len(next(iter(columns.values()), ()))
    return RawBand("b", tuple(columns), Lists(tuple(map(list, columns.values())), rows), origin, **known)


def cells(raw):
    lists = raw.cells if isinstance(raw.cells, Lists) else secured_lists(raw.cells)
    return dict(zip(raw.columns, lists.columns, strict=True))


def stream_in(raw) -> Stream:
    cells: Lists | Stream = raw.cells
    assert not isinstance(cells, Lists)
    return cells


def secured_lists(stream):
    from datasources.secured_stream import to_lists

    return to_lists(stream)


SALES: dict[str, list[str | None]] = {
    "uf": ["RS", "SP", " RS ", None, "RS", "sp"],
    "cpf": ["111.444.777-35", "529.982.247-25", "529.982.247-25", "x", None, "y"],
    "valor": ["1", "2", "3", "4", "5", "6"],
}


def test_rows_columns_and_masks():
    found = secure_band(band(SALES), view(treatments={"cpf": ("mask", "cpf"), "valor": "hide"}))
    assert found.columns == ("uf", "cpf")
    assert cells(found)["uf"] == ["RS", " RS ", "RS"]
    one, two, none = cells(found)["cpf"]
    assert none is None
    assert one.startswith("cpf-")
    assert two.startswith("cpf-")
    assert one != two
    assert found.declared == {"cpf": Declared("text", masked=True)}
    assert found.secured


def test_nothing_that_was_noticed_in_all_rows_is_told():
    raw = band(SALES, notes=("Vendas",), warnings=(DataWarning("short_rows", "3 row(s)", "b"),))
    found = secure_band(raw, view(where=None))
    assert (found.notes, found.warnings) == ((), ())


@pytest.mark.parametrize(
    ("totals", "kept"),
    [("none", list("123456")), ("first", list("23456")), ("last", list("12345")), ("both", list("2345"))],
)
@pytest.mark.parametrize("small", [400_000, -1], ids=["lists", "stream"])
def test_declared_total_rows_go_before_the_rule(totals, kept, small, monkeypatch):
    monkeypatch.setattr(secured, "LISTS_CELLS_MAX", small)
    for raw in (band(SALES), streamed(band(SALES), (1, 5))):
        assert cells(secure_band(raw, view(where=None, totals=totals)))["valor"] == kept


def test_a_total_row_that_is_visible_is_no_row_and_no_fact():
    raw = band({"uf": ["RS", "SC", "Total"], "valor": ["10,00", "20,00", "99,00"]})
    found = type_band(secure_band(raw, view(where=None)))
    assert found.rows == 2
    assert [total.values for total in found.totals] == [{}]
    assert [one.code for one in found.warnings] == ["total_row"]


@pytest.mark.parametrize(
    "name",
    ["CPF", " cpf", "c\u200bpf", "ＣＰＦ", "cp\u00adf", "cpf\n", "cpf_2", "CPF_3", "C P F", "c\ufeffpf"],
)
@pytest.mark.parametrize("treatment", ["hide", ("mask", "cpf")], ids=["hide", "mask"])
def test_a_rule_holds_for_every_name_that_looks_the_same(name, treatment):
    raw = band({"uf": ["RS"], "cpf": ["111.444.777-35"], name: ["529.982.247-25"]})
    found = secure_band(raw, view(treatments={"cpf": treatment}, fields=("cpf",)))
    assert "529" not in str(cells(found))
    assert "111" not in str(cells(found))


@pytest.mark.parametrize("name", ["cpfx", "valor", "cpf_2026", "cnpj", "ср\u0444"])
def test_another_name_is_another_field(name):
    raw = band({"uf": ["RS"], "cpf": ["111.444.777-35"], name: ["7"]})
    assert cells(secure_band(raw, view(treatments={"cpf": "hide"})))[name] == ["7"]


def test_a_rule_for_an_object_holds_for_its_parts():
    raw = band({"uf": ["RS"], "pessoa.cpf": ["1"], "pessoa.nome.primeiro": ["2"], "pessoas": ["3"]}, "typed")
    assert secure_band(raw, view(treatments={"pessoa": "hide"}, fields=("pessoa",))).columns == (
        "uf",
        "pessoas",
    )


def test_a_rule_for_a_field_that_is_not_there_shows_nothing():
    with pytest.raises(AccessError, match="name the field “salario”, which the data do not have"):
        secure_band(band(SALES), view(treatments={"salario": "hide"}, fields=("salario",)))
    with pytest.raises(AccessError, match="asks for “estado”, which the data do not have"):
        secure_band(band(SALES), view(Condition(field="estado", op="=", value="RS")))
    with pytest.raises(AccessError, match="declare its totals"):
        secure_band(band(SALES), view(totals=None))


def test_personal_data_that_nobody_declared_are_found_among_visible_rows():
    raw = band(
        {
            "uf": ["RS", "RS", "SP"],
            "doc": ["111.444.777-35", "529.982.247-25", "x"],
            "contato": ["a@b.com", "c@d.com", ""],
            "obs": ["ok", "ver", "111.444.777-35"],
        }
    )
    found = cells(secure_band(raw, view(detects=True)))
    assert [one.split("-")[0] for one in found["doc"] + found["contato"]] == ["cpf", "cpf", "email", "email"]
    assert found["obs"] == ["ok", "ver"]
    declared = {"doc": Declared("text")}
    assert cells(secure_band(raw, view(detects=True, declared=declared)))["doc"][0] == "111.444.777-35"


def words(cells):
    return [f"texto livre {at} {cell}" for at, cell in enumerate(cells)]


INSIDE: dict[str, list[str | None]] = {
    "uf": ["RS", "RS", "SP", "RS", "RS"],
    "obs": words(["ok", "CPF 111.444.777-35, ana@x.com", "rui@y.com", "pedido 12", "(11) 98765-4321"]),
    "cpf": ["111.444.777-35"] * 5,
    "email": ["ana@x.com"] * 5,
}


@pytest.mark.parametrize("small", [400_000, -1], ids=["lists", "stream"])
def test_personal_data_inside_longer_texts_are_masked_as_in_a_column_of_their_own(small, monkeypatch):
    monkeypatch.setattr(secured, "LISTS_CELLS_MAX", small)
    for raw in (band(INSIDE), streamed(band(INSIDE), (1, 3))):
        found = cells(secure_band(raw, view(detects=True)))
        cpf, email = found["cpf"][0], found["email"][0]
        assert cpf.startswith("cpf-")
        assert found["obs"][:3] == [*words(["ok", f"CPF {cpf}, {email}"]), "texto livre 3 pedido 12"]
        assert found["obs"][3].startswith("texto livre 4 phone-")
        assert cells(secure_band(raw, view(detects=False)))["obs"] == [
            text for text, uf in zip(INSIDE["obs"], INSIDE["uf"], strict=True) if uf == "RS"
        ]


@pytest.mark.parametrize(
    ("treatments", "declared"),
    [
        pytest.param({}, {"obs": Declared("text")}, id="declared text"),
        pytest.param({"obs": "show"}, {}, id="an excepted role"),
    ],
)
def test_what_the_report_says_of_a_text_stands(treatments, declared):
    raw = band(INSIDE)
    found = secure_band(raw, view(None, treatments, declared=declared, detects=True))
    assert cells(found)["obs"] == INSIDE["obs"]


def test_a_text_of_hidden_rows_does_not_say_what_numbers_are():
    orders = [f"pedido {number}" for number in range(11_144_477_700, 11_144_477_740)]
    alone = band({"uf": ["RS"], "obs": ["pedido 11144477735"]})
    among = band({"uf": ["RS", *["SP"] * 40], "obs": ["pedido 11144477735", *orders]})
    found = [cells(secure_band(raw, view(detects=True)))["obs"] for raw in (alone, among)]
    assert found[0] == found[1]
    assert "111" not in found[0][0]


def test_personal_data_in_names_of_columns_are_masked():
    raw = band(
        {"uf": ["RS"], "111.444.777-35": ["1"], "11144477735": ["2"], "ana@x.com": ["3"], "2026-01": ["4"]}
    )
    found = secure_band(raw, view(None, detects=True, declared={"ana@x.com": Declared()}))
    uf, cpf, same, declared, month = found.columns
    assert (uf, declared, month) == ("uf", "ana@x.com", "2026-01")
    assert cpf.startswith("cpf-")
    assert same == f"{cpf}_2"


def test_pandas_is_not_loaded_to_cut_rows(tmp_path):
    """It takes 0.2 s, and Arrow loads it wherever it makes an array of a list."""
    program = (
        "import sys, polars as pl, tests.access.test_secured as t; from datasources.arrow import band_from_table;"
        "table = pl.DataFrame({'uf': ['RS', 'SP'] * 30_000, 'x': ['a b', 'c'] * 30_000}).to_arrow();"
        "cells = t.secure_band(band_from_table(table, 'b'), t.view(detects=True)).cells;"
        "cells.sample(); [read() for read in cells.parts([0, 1])]; print('pandas' in sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "False"


def test_documents_that_arrive_as_numbers_are_masked_before_they_are_numbers():
    raw = band(
        {"uf": ["RS", "RS"], "doc": [11144477735, 52998224725]}, "typed", native_types=(None, "number")
    )
    found = secure_band(raw, view(detects=True))
    assert all(one.startswith("cpf-") for one in cells(found)["doc"])
    assert found.native_types == (None, None)


def test_values_that_are_one_key_are_not_one_cell():
    raw = band({"uf": ["RS"] * 4, "x": [1, True, 1.0, "1"]}, "records")
    found = cells(secure_band(raw, view(treatments={"x": ("mask", "other")})))["x"]
    assert len(set(found)) == 3
    rule = Condition(field="x", op="=", value=True)
    assert cells(secure_band(raw, view(rule)))["x"] == [True]


# ---- streams ----


def random_raw(random):
    rows = random.choice((0, 1, 7, 300))
    columns = {
        "uf": [random.choice(("RS", "SP", None, " RS")) for _ in range(rows)],
        "nome": [random.choice(("Ana", "Rui", "Zé", None, "")) for _ in range(rows)],
        "n": [str(random.randrange(1_000)) for _ in range(rows)],
        "x": [f"{at}" for at in range(rows)],
    }
    return band(columns)


@pytest.mark.parametrize("seed", range(25))
def test_streams_hold_what_lists_hold(seed, monkeypatch):
    random = Random(seed)
    raw = random_raw(random)
    cuts = tuple(sorted(random.sample(range(raw.rows), min(3, raw.rows))))
    rules = view(
        random.choice((SOUTH, None)),
        {"nome": random.choice(("hide", ("mask", "name"))), "x": random.choice(("show", "hide"))},
        totals=random.choice(("none", "first", "last", "both")),
    )
    expected = secure_band(raw, rules)
    monkeypatch.setattr(secured, "LISTS_CELLS_MAX", -1)
    found = secure_band(streamed(raw, cuts), rules)
    assert not isinstance(found.cells, Lists)
    stream = found.cells
    assert (found.columns, stream.rows) == (expected.columns, expected.rows)
    wanted = {name: [cell or None for cell in column] for name, column in cells(expected).items()}
    assert {name: [cell or None for cell in column] for name, column in cells(found).items()} == wanted
    rows = sorted(random.sample(range(stream.rows), min(stream.rows, 20)))
    taken = stream.take(rows)
    for at, name in enumerate(found.columns):
        assert [cell or None for cell in taken.column(at).to_pylist()] == [wanted[name][row] for row in rows]
        assert taken.schema.types[at] == stream.schema.types[at]


def test_no_hidden_value_stays_in_a_dictionary(monkeypatch):
    monkeypatch.setattr(secured, "LISTS_CELLS_MAX", -1)
    raw = streamed(band(SALES), (2, 4))
    rules = view(treatments={"cpf": ("mask", "cpf")})
    stream = stream_in(secure_band(raw, rules))
    for read in stream.parts([0, 1, 2], [0, 1, 2]):
        for column in read().columns:
            for chunk in column.chunks:
                assert pa.types.is_dictionary(chunk.type)
                held = set(chunk.dictionary.to_pylist())
                assert held == set(chunk.to_pylist()) - {None}


def test_the_sample_is_of_visible_rows_alone(monkeypatch):
    monkeypatch.setattr(secured, "LISTS_CELLS_MAX", -1)
    rows = 30_000
    uf = ["RS" if at % 3 == 0 else "SP" for at in range(rows)]
    raw = streamed(band({"uf": uf, "n": [str(at) for at in range(rows)]}), tuple(range(5_000, rows, 5_000)))
    stream = stream_in(secure_band(raw, view()))
    sample = stream.sample()
    assert sample.num_rows == 4_096
    assert set(sample.column(0).to_pylist()) == {"RS"}
    alone = band({"uf": ["RS"] * 10_000, "n": [str(at) for at in range(0, rows, 3)]})
    assert stream_in(secure_band(streamed(alone), view())).sample().column(1).equals(sample.column(1))


def test_a_source_that_changes_between_passes_is_noticed(monkeypatch):
    monkeypatch.setattr(secured, "LISTS_CELLS_MAX", -1)
    raw = streamed(band(SALES), (2,))
    stream = stream_in(secure_band(raw, view()))
    assert isinstance(raw.cells, CutStream)
    assert isinstance(stream, SecuredStream)
    other = replace(stream, source=replace(raw.cells, cuts=(3,)))
    with pytest.raises(SourceUnreadable, match="changed while it was read"):
        [read() for read in other.parts([0])]


def test_what_a_text_band_is_kept_in_depends_on_visible_cells_alone(monkeypatch):
    monkeypatch.setattr(secured, "LISTS_CELLS_MAX", 9)
    few: dict[str, list[str | None]] = {name: column[:1] for name, column in SALES.items()}
    for columns in (SALES, few):
        for raw in (band(columns), replace(band(columns), cells=stream_of(band(columns).cells))):
            assert isinstance(secure_band(raw, view()).cells, Lists)
    many = {name: column * 9 for name, column in SALES.items()}
    for raw in (band(many), replace(band(many), cells=stream_of(band(many).cells))):
        assert not isinstance(secure_band(raw, view()).cells, Lists)
