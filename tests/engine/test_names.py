"""Name tokens, by which documents, compact dates and roles are known (spec, notation)."""

from __future__ import annotations

import pytest

from engine.names import fold, name_tokens

TOKENS = [
    pytest.param("Data de Emissão", ["data", "de", "emissao"], id="accents and spaces"),
    pytest.param("vUnCom", ["v", "un", "com"], id="camel case"),
    pytest.param("NCM", ["ncm"], id="capitals stay together"),
    pytest.param("total.bruto_2026", ["total", "bruto", "2026"], id="dots and underscores"),
    pytest.param("cnpj8", ["cnpj8"], id="digits stay with letters"),
    pytest.param("qtd1Item", ["qtd1", "item"], id="a capital after a digit"),
    pytest.param("Valor (R$)", ["valor", "r"], id="signs"),
    pytest.param("ＡＮＯ", ["ano"], id="full width letters"),
    pytest.param("Nº", ["no"], id="an ordinal sign"),
    pytest.param("Москва-Год", ["москва", "год"], id="other alphabets"),
    pytest.param("-- ", [], id="nothing"),
]


@pytest.mark.parametrize(("name", "expected"), TOKENS)
def test_a_name_has_these_tokens(name, expected):
    assert list(name_tokens(name)) == expected


def test_folding_takes_the_marks_away_and_keeps_case():
    assert fold("Última AÇÃO") == "Ultima ACAO"
