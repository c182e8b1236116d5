"""A question finds the band and the fields that it means, or is told which there are."""

from __future__ import annotations

import pytest

from datasources.filters import AllOf, Condition
from engine.band import type_band
from engine.exceptions import QueryError
from engine.profile import profile_bands
from engine.query.questions import Aggregate, GroupBy
from engine.query.target import find_target
from engine.snapshot import Snapshot
from tests.engine.small import raw_band

BANDS = tuple(
    type_band(raw)
    for raw in (
        raw_band({"valor": ["1", "2"], "data": ["2026-01-01", "2026-01-02"], "uf": ["a", "b"]}, "vendas"),
        raw_band({"valor": ["1", "2"], "prazo": ["1", "2"]}, "pagamentos"),
        raw_band({}, "vazia"),
    )
)
SNAPSHOT = Snapshot(BANDS, profile_bands(BANDS))
ON_UF = Condition(field="uf", op="=", value="a")


@pytest.mark.parametrize(
    ("question", "band"),
    [
        pytest.param(Aggregate("pagamentos", "SUM", "valor"), "pagamentos", id="by name"),
        pytest.param(Aggregate(None, "SUM", "prazo"), "pagamentos", id="the only one with the field"),
        pytest.param(Aggregate(None, "SUM", "valor", ON_UF), "vendas", id="the only one with the filter's"),
        pytest.param(Aggregate(None, "COUNT", None, ON_UF), "vendas", id="rows of a filter"),
        pytest.param(GroupBy(None, ("uf",), "SUM", "valor"), "vendas", id="the only one with the groups"),
        pytest.param(Aggregate("vazia", "SUM", "valor"), "vazia", id="without columns nothing is wrong"),
    ],
)
def test_the_band_that_is_meant(question, band):
    assert find_target(SNAPSHOT, question).band.name == band


@pytest.mark.parametrize(
    ("question", "message"),
    [
        pytest.param(
            Aggregate(None, "SUM", "valor"),
            'Field "valor" is in several bands: vendas, pagamentos. Say which band.',
            id="field of two",
        ),
        pytest.param(
            Aggregate(None, "COUNT"),
            "There are several bands: vendas, pagamentos, vazia. Say which band.",
            id="rows of which",
        ),
        pytest.param(
            Aggregate(None, "SUM", "valr"),
            'Field "valr" does not exist. Available fields: valor, data, uf, prazo. Did you mean "valor"?',
            id="field of none",
        ),
        pytest.param(
            Aggregate("venda", "SUM", "valor"),
            'Band "venda" does not exist. Available bands: vendas, pagamentos, vazia. Did you mean "vendas"?',
            id="no such band",
        ),
        pytest.param(
            Aggregate(None, "SUM", "prazo", ON_UF),
            'Field "uf" does not exist. Available fields: valor, prazo.',
            id="a filter of another band",
        ),
        pytest.param(
            Aggregate("vendas", "COUNT", None, AllOf.model_validate({"and": [ON_UF] * 50})),
            "The filter has more than 50 conditions and groups: use fewer.",
            id="a large filter",
        ),
    ],
)
def test_what_is_not_there_is_answered_with_what_is(question, message):
    with pytest.raises(QueryError) as raised:
        find_target(SNAPSHOT, question)
    assert raised.value.message == message


def test_without_bands_there_is_nothing_to_ask():
    with pytest.raises(QueryError, match=r"^The report has no bands\.$"):
        find_target(Snapshot((), profile_bands(())), Aggregate(None, "COUNT"))
