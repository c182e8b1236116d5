"""The role of a number column: not every number can be added up (spec 2, "Roles")."""

from __future__ import annotations

import pytest

from tests.engine.small import band_profile, field_profile, raw_band

FEW = ["3", "5", "4"]
MONEY = ["3,50", "5,25", "4,00"]
TEN_CODES = [str(10_000_000 + 37 * n * n) for n in range(10)]

ROLES = [
    # name, cells, role
    pytest.param("margem", ["12%", "13%"], "%", id="% cells with %"),
    pytest.param("aliquota_icms", MONEY, "%", id="% aliquota"),
    pytest.param("Taxa de juros", MONEY, "%", id="% taxa"),
    pytest.param("taxa", ["R$ 3,50", "R$ 4,00"], "measure", id="a fee in a currency is no rate"),
    pytest.param("valor taxa", MONEY, "%", id="% an amount token does not help"),
    pytest.param("preco_unitario", MONEY, "rate", id="rate unitario"),
    pytest.param("vUnCom", MONEY, "rate", id="rate of an NF-e"),
    pytest.param("vUnTrib", FEW, "rate", id="rate of an NF-e, whole"),
    pytest.param("Média", MONEY, "rate", id="rate media"),
    pytest.param("preço", ["R$ 3,50", "R$ 4,00"], "rate", id="rate in a currency"),
    pytest.param("valor unitario", MONEY, "measure", id="amount goes before rate"),
    pytest.param("vUn", MONEY, "measure", id="another name"),
    pytest.param("ano", ["2005", "2007"], "year", id="year"),
    pytest.param("Safra", ["1000", "2999"], "year", id="year, at both ends"),
    pytest.param("ano", ["999", "2007"], "measure", id="year too low"),
    pytest.param("ano", ["2005", "3000"], "measure", id="year too high"),
    pytest.param("ano", ["2005,5", "2007"], "measure", id="year with decimals"),
    pytest.param("mes", ["1", "12"], "part", id="part month"),
    pytest.param("mes", ["0", "12"], "measure", id="part out of range"),
    pytest.param("hora", ["0", "23"], "part", id="part hour"),
    pytest.param("dia", ["1", "31"], "part", id="part day"),
    pytest.param("trimestre", ["1", "4"], "part", id="part quarter"),
    pytest.param("week", ["1", "53"], "part", id="part week"),
    pytest.param("cod_municipio", FEW, "id", id="id cod"),
    pytest.param("CFOP", ["5102", "6102"], "id", id="id CFOP"),
    pytest.param("id_total", FEW, "measure", id="id with an amount token"),
    pytest.param("pedido", ["R$ 3", "R$ 4"], "measure", id="id with a currency"),
    pytest.param("pedido", MONEY, "measure", id="id with decimals"),
    pytest.param("numero", FEW, "id", id="id numero alone"),
    pytest.param("no", FEW, "id", id="id no alone"),
    pytest.param("nr nota", FEW, "id", id="id beside its like"),
    pytest.param("num pedido", FEW, "id", id="id beside one of the first list"),
    pytest.param("numero de filhos", FEW, "measure", id="numero beside other words"),
    pytest.param("x", TEN_CODES, "id", id="id ten cells of one length, eight digits"),
    pytest.param("x", TEN_CODES[:9], "measure", id="nine cells"),
    pytest.param("x", [*TEN_CODES[:9], "123"], "measure", id="another length among them"),
    pytest.param("x", [str(1_000_000 + 37 * n * n) for n in range(10)], "measure", id="seven digits"),
    pytest.param("total", TEN_CODES, "measure", id="long numbers named an amount"),
    pytest.param("x", [str(n) for n in range(5, 25)], "id", id="id counting up over 20 rows"),
    pytest.param("x", [str(n) for n in range(5, 24)], "measure", id="counting up over 19 rows"),
    pytest.param("x", [str(n) for n in range(25, 5, -1)], "measure", id="counting down"),
    pytest.param("x", [*(str(n) for n in range(20)), ""], "measure", id="counting with a gap"),
    pytest.param("qtd", [str(n) for n in range(20)], "measure", id="counting up, named an amount"),
    pytest.param("dias_atraso", FEW, "measure", id="dias is not dia"),
    pytest.param("valor", MONEY, "measure", id="measure"),
]


@pytest.mark.parametrize(("name", "cells", "role"), ROLES)
def test_a_number_has_this_role(name, cells, role):
    field = field_profile(cells, name, style="br")
    assert (field.type, field.role) == ("number", role)


STATISTICS = [
    pytest.param("valor", MONEY, {"sum", "avg", "min", "max"}, id="measure"),
    pytest.param("taxa", MONEY, {"avg", "min", "max"}, id="%"),
    pytest.param("preco", MONEY, {"avg", "min", "max"}, id="rate"),
    pytest.param("ano", ["2005", "2007"], {"min", "max"}, id="year"),
    pytest.param("mes", FEW, {"min", "max"}, id="part"),
    pytest.param("id", FEW, set(), id="id"),
]


@pytest.mark.parametrize(("name", "cells", "shown"), STATISTICS)
def test_a_role_has_these_statistics(name, cells, shown):
    field = field_profile(cells, name, style="br")
    assert {verb for verb in ("sum", "avg", "min", "max") if getattr(field, verb) is not None} == shown


@pytest.mark.parametrize(("name", "expected"), [("id", True), ("ano", True), ("mes", True), ("valor", False)])
def test_codes_years_and_parts_are_enumerations(name, expected):
    cells = {"ano": ["2005", "2007", "2005"]}.get(name, ["3", "5", "3"])
    assert field_profile(cells, name).is_enumeration is expected


def test_the_parent_column_of_a_nested_band_is_an_id():
    raw = raw_band({"_parent": [1, 1, 2], "v": [1, 2, 3]}, origin="records", parent_column=0)
    assert [field.role for field in band_profile(raw).fields] == ["id", "measure"]


@pytest.mark.parametrize("cells", [["a"], ["true"], ["2026-01-01"]])
def test_only_numbers_have_roles(cells):
    assert field_profile(cells).role is None
