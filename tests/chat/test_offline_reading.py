"""What each shape of question asks of the tools, in both languages."""

from __future__ import annotations

import json

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from chat.offline.reading import Doubt, Reading, Search
from tests.chat.offline_reading import both, understood
from tests.chat.offline_reports import invented
from tests.chat.test_offline_questions import counted, equal, given, named, summed


def within(first, last):
    return {"field": "data", "op": "between", "value": [first, last]}


def vendas(**arguments):
    return given(**{"verb": "SUM", "field": "valor_total", "band": "vendas"} | arguments)


SUL, NORTE = equal("regiao", "Sul"), equal("regiao", "Norte")
CAIO, INES = equal("vendedor", "Caio Magalhães"), equal("vendedor", "Inês Quaresma")
APRIL, MAY = equal("data", "2026-04"), equal("data", "2026-05")
INVOICED = equal("status", "faturado")

ASKED = [
    # a total
    ("qual o total de vendas?", vendas()),
    ("Bom dia! Me diz o total de vendas, por favor", vendas()),
    ("quanto vendemos?", vendas()),
    ("total_vendas", vendas()),
    ("What's the total of sales?", vendas()),
    ("how much did we sell in the South?", vendas(filter=SUL)),
    ("quanto foi pago no Pix?", summed("valor", "pagamentos", equal("forma", "Pix"))),
    # an average and its like
    ("venda média", vendas(verb="AVG")),
    ("média de dias de atraso", summed("dias_atraso", "pagamentos", verb="AVG")),
    ("mediana do valor das vendas", vendas(verb="MEDIAN")),
    ("desvio padrão da margem", summed("margem_bruta", "vendas", verb="STDDEV")),
    ("what's the average delay?", summed("dias_atraso", "pagamentos", verb="AVG")),
    # a count
    ("quantas vendas canceladas?", counted("vendas", equal("status", "cancelado"))),
    ("número de vendas", counted("vendas")),
    ("how many payments were made by card?", counted("pagamentos", equal("forma", "cartão"))),
    ("quantos clientes diferentes?", summed("cliente", "vendas", verb="DISTINCT")),
    (
        "quantas vendas acima de 10 mil?",
        counted("vendas", {"field": "valor_total", "op": ">", "value": 10000}),
    ),
    (
        "quantos pagamentos com mais de 10 dias de atraso?",
        counted("pagamentos", {"field": "dias_atraso", "op": ">", "value": 10}),
    ),
    (
        "quantas vendas entre 1000 e 2000 reais?",
        counted("vendas", {"field": "valor_total", "op": "between", "value": [1000, 2000]}),
    ),
    ("how many different customers bought in the South?", summed("cliente", "vendas", SUL, "DISTINCT")),
    # least and greatest
    ("qual a maior venda?", vendas(verb="MAX")),
    ("menor pagamento em TED", summed("valor", "pagamentos", equal("forma", "TED"), "MIN")),
    ("what was the largest payment in April?", summed("valor", "pagamentos", APRIL, "MAX")),
    ("quando foi a última venda?", vendas(verb="MAX", field="data")),
    ("em que dia foi a primeira venda?", vendas(verb="MIN", field="data")),
    # groups
    ("vendas por região", vendas(by=["regiao"])),
    ("total de vendas por região e status", vendas(by=["regiao", "status"])),
    ("vendas por mês", vendas(by=["data"], period="month")),
    ("show me total sales by month", vendas(by=["data"], period="month")),
    (
        "quantas vendas cada vendedor fez em abril?",
        given(by=["vendedor"], verb="COUNT", band="vendas", filter=APRIL),
    ),
    ("average sale by region", vendas(verb="AVG", by=["regiao"])),
    ("ranking de vendedores por total de vendas", vendas(by=["vendedor"])),
    # the first of them
    ("quem vendeu mais?", vendas(by=["vendedor"], top=1)),
    ("quem vendeu menos?", vendas(by=["vendedor"], top=1, order="asc")),
    ("os 3 vendedores que mais venderam", vendas(by=["vendedor"], top=3)),
    ("os cinco maiores clientes do Sul", vendas(by=["cliente"], top=5, filter=SUL)),
    ("em que mês vendemos mais?", vendas(by=["data"], top=1, period="month")),
    (
        "which supplier received the most?",
        summed("valor", "pagamentos", named("fornecedor")) | {"by": ["fornecedor"], "top": 1},
    ),
    (
        "which region has the highest average margin?",
        given(by=["regiao"], verb="AVG", field="margem_bruta", band="vendas", top=1),
    ),
    (
        "top 3 sellers in the North by number of sales",
        given(by=["vendedor"], verb="COUNT", band="vendas", top=3, filter=NORTE),
    ),
    ("list the top 10 customers by total sales", vendas(by=["cliente"], top=10)),
    # values and periods
    ("quanto vendeu o Caio em maio de 2026?", vendas(filter=both(CAIO, MAY))),
    ("total das vendas com CST 060", vendas(filter=equal("cst", "060"))),
    ("total de vendas no segundo trimestre", vendas(filter=equal("data", "2026-Q2"))),
    ("total de vendas no primeiro semestre", vendas(filter=within("2026-01", "2026-06"))),
    ("total de vendas de fevereiro a abril", vendas(filter=within("2026-02", "2026-04"))),
    ("total sales between February and April", vendas(filter=within("2026-02", "2026-04"))),
    ("total de vendas a partir de maio", vendas(filter={"field": "data", "op": ">=", "value": "2026-05"})),
    (
        "quantas vendas até 15 de março?",
        counted("vendas", {"field": "data", "op": "<=", "value": "2026-03-15"}),
    ),
    ("quantas vendas dia 15 de março?", counted("vendas", equal("data", "2026-03-15"))),
    ("quantas vendas em 15/03/2026?", counted("vendas", equal("data", "2026-03-15"))),
    ("total de vendas em janeiro de 2025", vendas(filter=equal("data", "2025-01"))),  # the tool says: no rows
    ("participação do Sul no valor total", vendas(verb="SHARE", filter=SUL)),
    # comparisons
    ("compare as vendas de abril e maio", vendas(a=APRIL, b=MAY)),
    ("diferença entre as vendas do Norte e do Sul", vendas(a=NORTE, b=SUL)),
    ("quem vendeu mais em abril: Caio ou Inês?", vendas(a=both(CAIO, APRIL), b=both(INES, APRIL))),
    ("sales growth from April to May", vendas(a=APRIL, b=MAY)),
    ("how much more did the South sell than the North?", vendas(a=SUL, b=NORTE)),
    # what the report states, and its meaning carried on
    ("qual o ticket médio?", vendas(verb="AVG", filter=INVOICED)),
    ("ticket médio por vendedor", vendas(verb="AVG", by=["vendedor"], filter=INVOICED)),
    ("ticket médio do Sul", vendas(verb="AVG", filter=both(INVOICED, SUL))),
    ("how many payments were late?", counted("pagamentos", {"field": "dias_atraso", "op": ">", "value": 0})),
    # slips
    ("qual o totla de vendsa?", None),  # too short a word to tell
    ("total de pagametos", summed("valor", "pagamentos")),
    ("qual o total de vednas?", vendas()),
    ("total por fornecdor", summed("valor", "pagamentos", named("fornecedor")) | {"by": ["fornecedor"]}),
]


@pytest.mark.parametrize(("question", "arguments"), ASKED, ids=[row[0] for row in ASKED])
def test_a_question_becomes_one_call(profiles, question, arguments):
    reading = understood(question, profiles("dashboard"))
    if arguments is None:
        assert not isinstance(reading, Reading)
    else:
        assert isinstance(reading, Reading), reading
        assert json.loads(reading.arguments) == arguments


INVOICE = [
    ("qual o valor total da nota?", summed("valor_total", "canhoto+header")),
    ("quantos itens tem a nota?", counted("itens")),
    ("total de vProd dos itens com CST 060", summed("vProd", "itens", equal("CST", "060"))),
    (
        "qual produto tem o maior preço unitário?",
        given(by=["xProd"], verb="MAX", field="vUnCom", band="itens", top=1),
    ),
    ("quando vence a primeira duplicata?", summed("dVenc", "duplicatas", verb="MIN")),
    ("quanto vence em julho?", summed("vDup", "duplicatas", equal("dVenc", "2026-07"))),
    ("quando a nota foi emitida?", summed("emissao", "canhoto+header", verb="MAX")),
]


@pytest.mark.parametrize(("question", "arguments"), INVOICE, ids=[row[0] for row in INVOICE])
def test_an_invoice_is_asked_in_the_words_of_its_reader(profiles, question, arguments):
    reading = understood(question, profiles("danfe"))
    assert isinstance(reading, Reading), reading
    assert json.loads(reading.arguments) == arguments


ANSWERED = [row[0] for row in ASKED if row[1] is not None]


@pytest.mark.parametrize(
    "more", ["líquido", "previsto", "de ontem", "sem boleto", "zumbi", "da concorrência", "999"]
)
def test_one_more_word_that_means_something_else_leaves_no_answer(profiles, more):
    for question in ANSWERED:
        found = understood(f"{question.rstrip('?')} {more}", profiles("dashboard"))
        assert not isinstance(found, Reading), question


@settings(max_examples=150, deadline=None)
@drawn(
    st.text(max_size=80)
    | st.lists(st.sampled_from(sorted(" ".join(ANSWERED).split())), max_size=14).map(" ".join)
)
def test_whatever_is_asked_there_is_one_reading_or_a_doubt(question):
    for name in ("shop", "clinic"):
        assert isinstance(understood(question, invented(name).profile), Reading | Search | Doubt)
