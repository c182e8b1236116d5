"""The type of a column, decided once from all of its cells (spec 1 and 2)."""

from __future__ import annotations

import pytest

from engine import materialize, profile_snapshot
from engine.band import type_band
from engine.cleaning import is_null_token
from tests.engine.small import codes, field_profile, raw_band, typed

TYPES = [
    pytest.param(["true", "FALSE", "True"], "boolean", [True, False, True], id="boolean, any case"),
    pytest.param([True, False, None], "boolean", [True, False, None], id="native booleans"),
    pytest.param(["true", "-", ""], "boolean", [True, None, None], id="boolean with null tokens"),
    pytest.param(["S", "N"], "text", ["S", "N"], id="S and N are an enumeration"),
    pytest.param(["Sim", "Não"], "text", ["Sim", "Não"], id="Sim and Não too"),
    pytest.param(["true", "yes"], "text", ["true", "yes"], id="other words for it"),
    pytest.param(["0", "1"], "number", [0, 1], id="0 and 1 are numbers"),
    pytest.param(["1", "x"], "text", ["1", "x"], id="one counterexample"),
    pytest.param(["", " ", None], "text", [None, None, None], id="nothing at all"),
    pytest.param(["-", "N/A"], "text", ["-", "N/A"], id="null tokens alone are text"),
    pytest.param(["Fabiana", "Tadeu"], "text", ["Fabiana", "Tadeu"], id="words with T and F"),
    pytest.param([5021, "05021"], "text", ["5021", "05021"], id="native number and text"),
    pytest.param([True, 1], "text", ["true", "1"], id="True is not 1"),
    pytest.param([1, 2.5], "number", [1, 2.5], id="native integers and floats"),
    pytest.param(["5E1", "7"], "text", ["5E1", "7"], id="an exponent is a code"),
]


@pytest.mark.parametrize(("cells", "kind", "values"), TYPES)
def test_a_column_has_this_type(cells, kind, values):
    column, found, _ = typed(cells)
    assert (column.type, [float(str(cell)) if kind == "number" else cell for cell in found]) == (kind, values)


STRIPPED = [
    pytest.param("  a ", "a", id="blanks"),
    pytest.param("\u00a0a\u3000", "a", id="other blanks"),
    pytest.param("\ufeffa\u200b", "a", id="marks of no width"),
    pytest.param("\t\r\na\x85\u2028", "a", id="line ends"),
    pytest.param("a\u00a0b", "a\u00a0b", id="inside they stay"),
    pytest.param("\u200d", "\u200d", id="a joiner is no white space"),
]


@pytest.mark.parametrize(("cell", "expected"), STRIPPED)
def test_text_is_stripped(cell, expected):
    assert typed([cell, "x"])[1] == [expected, "x"]


TOKENS = [
    "-", "--", "...", "..", "**", "*****", "X", "N/A", "n/a", "NA", "n/d", "N/D", "null", "NULL", "nil",
    "none", "None", "#N/D", "#NULO#", "#NE#", "s/d", "NaN", "nan", "inf", "-inf", "Infinity", "-Infinity",
    "INF", "R$ -", "$--", "€-",
]  # fmt: skip


@pytest.mark.parametrize("token", TOKENS)
def test_a_null_token_is_null_in_a_typed_column_and_stays_in_text(token):
    assert is_null_token(token)
    assert [str(value) for value in typed(["1,5", token])[1]] == ["1.5", "None"]
    assert typed(["true", token])[1] == [True, None]
    assert typed(["2026-01-02", token])[1] == ["2026-01-02", None]
    assert typed(["word", token])[1] == ["word", token]


@pytest.mark.parametrize(
    "text", ["*", "x", "na", "N.A.", "sem dados", "---", "....", "R$", "NULL!", "R$ - 5"]
)
def test_another_text_is_no_null_token(text):
    assert not is_null_token(text)
    assert typed(["1,5", text])[0].type == "text"


def test_a_declared_null_value_is_null_in_every_column():
    band = type_band(raw_band({"a": ["1", "?"], "b": ["x", "?"]}, null_values=("?",)))
    assert band.take([0, 1]) == [(1, "x"), (None, None)]


def test_not_finite_native_numbers_are_null_and_counted():
    _, values, band = typed([0.25, float("nan"), float("-inf")])
    assert [str(value) for value in values] == ["0.25", "None", "None"]
    assert [(w.code, w.count) for w in band.warnings] == [("not_finite", 2)]


ALMOST = [
    pytest.param([*map(str, range(9)), "x"], ["almost_number"], 1, id="nine of ten numbers"),
    pytest.param([*map(str, range(8)), "x", "y"], [], None, id="eight of ten"),
    pytest.param(
        [*(f"2026-01-{day:02d}" for day in range(1, 10)), "?"], ["almost_date"], 1, id="nine of ten dates"
    ),
    pytest.param([f"{n:03d}" for n in range(9)] + ["x"], [], None, id="codes were never going to be numbers"),
]


@pytest.mark.parametrize(("cells", "warned", "count"), ALMOST)
def test_a_near_miss_is_a_warning(cells, warned, count):
    column, _, band = typed(cells)
    assert column.type == "text"
    assert codes(band.warnings) == warned
    assert [warning.count for warning in band.warnings] == ([count] if warned else [])


def test_a_near_miss_shows_what_does_not_fit():
    _, _, band = typed([*map(str, range(9)), "in restauro"])
    assert band.warnings[0].sample == ("in restauro",)


def test_the_evidence_is_kept():
    field = field_profile(["1,5", "R$ 2.000,25", "-", "1.234"])
    assert field.coercion is not None
    assert field.coercion.style == "br"
    assert dict(field.coercion.evidence) == {
        "br": 2,
        "dot": 1,
        "R$": 1,
        "decided_by": "cells",
        "null_tokens": 1,
    }
    assert not field.coercion.assumed


def test_an_empty_band_keeps_its_columns():
    band = type_band(raw_band({"a": [], "b": []}))
    assert [(column.name, column.type) for column in band.columns] == [("a", "text"), ("b", "text")]
    assert band.rows == 0


def test_a_typed_column_without_cells_keeps_its_type():
    import pyarrow as pa

    table = pa.table(
        {
            "valor": pa.array([], pa.decimal128(12, 2)),
            "dia": pa.array([], pa.date32()),
            "pago": pa.array([], pa.bool_()),
            "nome": pa.array([], pa.string()),
        }
    )
    (band,) = profile_snapshot(materialize({"vendas": table})).bands
    assert [(field.name, field.type) for field in band.fields] == [
        ("valor", "number"),
        ("dia", "date"),
        ("pago", "boolean"),
        ("nome", "text"),
    ]
