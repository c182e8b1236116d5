"""A first or last row that only repeats the sum of the others is no row of the data (spec 0.4)."""

from __future__ import annotations

import pytest

from tests.engine.small import codes, profile_of, raw_band

LABELLED = [
    pytest.param("Total", id="total"),
    pytest.param("TOTAIS", id="totais"),
    pytest.param("  total geral ", id="total geral, with blanks"),
    pytest.param("Soma", id="soma"),
    pytest.param("Subtotal", id="subtotal"),
    pytest.param("tótal", id="accents ignored"),
]


@pytest.mark.parametrize("label", LABELLED)
@pytest.mark.parametrize("at", [0, 2], ids=["first", "last"])
def test_a_labelled_total_is_no_row(label, at):
    rows = [("Norte", "10,50"), ("Sul", "20,00")]
    rows.insert(at, (label, "30,50"))
    names, values = zip(*rows, strict=True)
    profile = profile_of(raw_band({"uf": names, "valor": values}, style="br"))
    (band,) = profile.bands
    assert (band.rows, band.field("valor").sum) == (2, "30.5")
    assert [(one.id, one.value) for one in profile.aggregates] == [("total.b.valor", "30.50")]
    assert codes(profile.warnings) == ["total_row"]


def test_a_labelled_total_that_differs_is_said():
    profile = profile_of(raw_band({"uf": ["a", "b", "Total"], "valor": ["10", "20", "31"]}))
    assert codes(profile.warnings) == ["total_row", "total_differs"]
    assert profile.warnings[1].sample == ("31", "30")
    assert [(one.id, one.value) for one in profile.aggregates] == [("total.b.valor", "31")]


ROWS_AFTER_ALL = [
    pytest.param({"uf": ["a", "Total"], "valor": ["10", "10"]}, id="only one other row"),
    pytest.param({"uf": ["a", "b", "Total"], "ano": ["2001", "2002", "2003"]}, id="no measure"),
    pytest.param({"uf": ["a", "b", "Total"], "valor": ["0", "0", "0"]}, id="only a sum of zero"),
    pytest.param({"uf": ["a", "Total", "b"], "valor": ["10", "25", "15"]}, id="in the middle"),
    pytest.param({"uf": ["a", "b", "Total Ltda"], "valor": ["10", "20", "31"]}, id="not exactly the word"),
    pytest.param(
        {"uf": ["a", "b", "c"], "obs": ["x", "y", "Total"], "valor": ["1", "2", "9"]}, id="not the first text"
    ),
]


@pytest.mark.parametrize("columns", ROWS_AFTER_ALL)
def test_a_row_that_stays(columns):
    profile = profile_of(raw_band(columns))
    assert profile.bands[0].rows == len(columns["uf"])
    assert profile.aggregates == ()


UNLABELLED = [
    pytest.param(
        {"uf": ["Brasil", "a", "b"], "valor": ["30", "10", "20"]}, "Brasil", id="the only measure, first"
    ),
    pytest.param({"uf": ["a", "b", ""], "valor": ["10", "20", "30"]}, "30", id="an empty label"),
    pytest.param(
        {"uf": ["a", "b", "Geral"], "x": ["1", "2", "3"], "y": ["5", "6", "11"]}, "Geral", id="two measures"
    ),
    pytest.param({"uf": ["a", "b", ""], "valor": ["-10", "4", "-6"]}, "-6", id="negative"),
]


@pytest.mark.parametrize(("columns", "label"), UNLABELLED)
def test_a_row_that_equals_the_sum_of_all_others_is_no_row(columns, label):
    profile = profile_of(raw_band(columns))
    assert profile.bands[0].rows == 2
    assert [(warning.code, warning.sample) for warning in profile.warnings] == [("total_row", (label,))]
    assert len(profile.aggregates) == len(columns) - 1


NOT_TOTALS = [
    pytest.param(
        {"uf": ["a", "b", "c"], "x": ["1", "2", "3"], "y": ["5", "6", "12"]}, id="one measure differs"
    ),
    pytest.param({"uf": ["a", "b"], "valor": ["10", "10"]}, id="two rows alike"),
    pytest.param(
        {"dia": ["30/04/2019", "01/05/2019", "05/12/2019"], "valor": ["10", "20", "30"]},
        id="a row with its date",
    ),
    pytest.param({"uf": ["a", "b", "c"], "valor": ["0", "0", "0"]}, id="nothing but zeros"),
]


@pytest.mark.parametrize("columns", NOT_TOTALS)
def test_a_row_is_kept_where_its_sum_may_be_chance(columns):
    profile = profile_of(raw_band(columns))
    assert profile.bands[0].rows == len(next(iter(columns.values())))


@pytest.mark.parametrize("origin", ["records", "typed"])
def test_records_and_typed_tables_hold_rows_only(origin):
    profile = profile_of(raw_band({"uf": ["a", "b", "Total"], "valor": [10, 20, 30]}, origin=origin))
    assert profile.bands[0].rows == 3


def test_the_types_are_those_of_the_rows_without_the_total():
    profile = profile_of(raw_band({"ano": ["2001", "2002", "Total"], "valor": ["1", "2", "3"]}))
    assert (profile.bands[0].field("ano").type, profile.bands[0].field("ano").role) == ("number", "year")
