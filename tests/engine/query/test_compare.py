"""Two sets of rows are compared exactly, and what cannot be compared is said."""

from __future__ import annotations

import pytest

from datasources.filters import Condition
from engine.band import type_band
from engine.exceptions import QueryError
from engine.profile import profile_bands
from engine.query.compare import compare
from engine.query.questions import Compare
from engine.query.session import QuerySession
from engine.snapshot import Snapshot
from tests.engine.small import raw_band


def session_of(*raws):
    bands = tuple(type_band(raw) for raw in raws)
    return QuerySession(Snapshot(bands, profile_bands(bands)))


VENDAS = raw_band(
    {
        "uf": ["SP", "SP", "RJ", "BA", "AC"],
        "valor": ["R$ 100,00", "R$ 20,50", "R$ 90,00", "-R$ 10,00", "R$ 0,00"],
        "dia": ["05/01/2026", "31/01/2026", "01/02/2026", "02/02/2026", "03/02/2026"],
        "taxa": ["1%", "2%", "4%", "5%", "6%"],
    },
    "vendas",
    style="br",
    locale="pt-BR",
)


def of(uf):
    return Condition(field="uf", op="=", value=uf)


@pytest.mark.parametrize(
    ("verb", "field", "a", "b", "expected"),
    [
        pytest.param(
            "SUM", "valor", "2026-01", "2026-02", ("120.5", "80", "-40.5", "-33.61"), id="months"
        ),
        pytest.param("SUM", "valor", of("RJ"), of("SP"), ("90", "120.5", "30.5", "33.89"), id="filters"),
        pytest.param("COUNT", None, "2026-01", of("SP"), ("2", "2", "0", "0"), id="one of each"),
        pytest.param("AVG", "taxa", of("SP"), of("RJ"), ("1.5", "4", "2.5", "166.67"), id="points"),
        pytest.param("AVG", "valor", "2026-01", "2026-02", ("60.25", "26.67", "-33.58", "-55.74"), id="averages"),
        pytest.param("SHARE", "valor", "2026-01", "2026-02", ("60.1", "39.9", "-20.2", "-33.61"), id="shares"),
        pytest.param("SUM", "valor", of("AC"), of("SP"), ("0", "120.5", "120.5", None), id="from nothing"),
        pytest.param("SUM", "valor", of("BA"), of("RJ"), ("-10", "90", "100", "1000"), id="from below nothing"),
        pytest.param("SUM", "valor", of("RJ"), of("PE"), ("90", None, None, None), id="with no rows"),
    ],
)  # fmt: skip
def test_values(verb, field, a, b, expected):
    with session_of(VENDAS) as session:
        found = compare(session, Compare(None, verb, field, a, b))
    facts = (found.a.fact, found.b.fact, found.difference, found.growth)
    assert tuple(fact and fact.value for fact in facts) == expected


def test_the_fields_of_both_filters_tell_the_band():
    other = raw_band({"valor": ["1", "2"], "uf": ["a", "b"]}, "metas")
    a, b = of("SP"), Condition(field="taxa", op=">", value=3)
    with session_of(other, VENDAS) as session:
        found = compare(session, Compare(None, "SUM", "valor", a, b))
    assert (found.band, *(one.fact and one.fact.value for one in (found.a, found.b))) == (
        "vendas",
        "120.5",
        "80",
    )


def test_a_difference_has_the_unit_of_both_and_growth_is_in_percent():
    with session_of(VENDAS) as session:
        found = compare(session, Compare(None, "SUM", "valor", "2026-01", "2026-02"))
    assert [one and one.unit for one in (found.difference, found.growth)] == ["R$", "%"]
    with session_of(VENDAS) as session:
        shares = compare(session, Compare(None, "SHARE", "valor", "2026-01", "2026-02"))
    assert shares.difference is not None
    assert shares.difference.unit == "pp"
    assert found.a.where == Condition(field="dia", op="=", value="2026-01")


@pytest.mark.parametrize(
    ("a", "note"),
    [
        pytest.param("AC", "The first value is 0, so there is no growth from it.", id="nothing"),
        pytest.param("BA", "The first value is negative: growth is given in percent of its size.", id="less"),
    ],
)
def test_what_growth_means_is_said(a, note):
    with session_of(VENDAS) as session:
        found = compare(session, Compare(None, "SUM", "valor", of(a), of("SP")))
    assert [one.text("en") for one in found.notes] == [note]


@pytest.mark.parametrize(
    ("raw", "question", "message"),
    [
        pytest.param(
            VENDAS, Compare(None, "MAX", "dia", of("SP"), of("RJ")), "MAX of “dia” is not a number", id="days"
        ),
        pytest.param(
            VENDAS,
            Compare(None, "SUM", "valor", "janeiro", "2026"),
            "“dia” is a date, and “janeiro” is not one",
            id="words",
        ),
        pytest.param(
            raw_band({"x": ["1", "2"]}, "b"),
            Compare(None, "SUM", "x", "2026", "2025"),
            "“2026” is a period, and “b” has no date",
            id="no date",
        ),
        pytest.param(
            raw_band({"x": ["1"], "de": ["2026-01-01"], "ate": ["2026-01-02"]}, "b"),
            Compare(None, "COUNT", None, "2026", "2025"),
            "“2026” may be of several dates: de, ate.",
            id="two dates",
        ),
    ],
)
def test_what_cannot_be_compared_is_said(raw, question, message):
    with session_of(raw) as session, pytest.raises(QueryError) as raised:
        compare(session, question)
    assert raised.value.message.startswith(message)
