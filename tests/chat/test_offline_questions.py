"""The labelled questions, and forty more about other reports: no answer is wrong, and most questions have one."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from engine import materialize
from tests.chat.offline_chat import ask, verdict
from tests.chat.offline_reports import invented
from tests.chat.questions.reports import HERE, process

RECORDS = [json.loads(line) for line in (HERE / "questions.jsonl").read_text("utf-8").splitlines()]
REAL = Path(os.environ.get("LASTRO_REAL_DATA", Path(__file__).parents[3] / "shared/data/real"))


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    made = {}

    def report(name, renamed):
        if (name, renamed) not in made:
            made[name, renamed] = process(name, tmp_path_factory.mktemp(name), renamed)
        return made[name, renamed]

    return report


@pytest.mark.parametrize("renamed", [False, True], ids=["as it is", "renamed"])
def test_most_questions_with_an_answer_get_it_and_no_answer_is_wrong(reports, renamed):
    verdicts = {}
    for record in RECORDS:
        if record["renamed"] or not renamed:
            asked = ask(reports(record["report"], renamed), record["question"], record["language"])
            assert asked.ending == "done"
            verdicts[record["id"]] = verdict(asked, record["expected"])
    assert [name for name, found in verdicts.items() if found == "wrong"] == []
    answerable = {record["id"] for record in RECORDS if record["answerable"]}
    counts = Counter(found for name, found in verdicts.items() if name in answerable)
    assert counts["right"] >= 0.85 * counts.total()


# ---- reports that nobody has seen ----


def summed(field, band, where=None, verb="SUM"):
    return given(verb=verb, field=field, band=band, filter=where)


def counted(band, where=None):
    return given(verb="COUNT", band=band, filter=where)


def given(**arguments):
    return {name: value for name, value in arguments.items() if value is not None}


def equal(field, value):
    return {"field": field, "op": "=", "value": value}


def named(field):
    return {"field": field, "op": "is_null", "value": False}


WAGES = [
    ("total de salários", summed("salario", "folha")),
    (
        "qual o salário médio do setor Comercial?",
        summed("salario", "folha", equal("setor", "Comercial"), "AVG"),
    ),
    (
        "qual setor tem o maior salário médio?",
        given(by=["setor"], verb="AVG", field="salario", band="folha", top=1),
    ),
    (
        "quem tem o maior salário?",
        given(by=["colaborador"], verb="SUM", field="salario", band="folha", top=1),
    ),
    ("maior bônus", summed("bonus", "folha", verb="MAX")),
    (
        "compare os salários da Fábrica e do Financeiro",
        given(
            verb="SUM",
            field="salario",
            band="folha",
            a=equal("setor", "Fábrica"),
            b=equal("setor", "Financeiro"),
        ),
    ),
    (
        "quantos colaboradores por setor?",
        given(by=["setor"], verb="DISTINCT", field="colaborador", band="folha"),
    ),
    ("total de vendas", None),  # there is a sector of sales, which are none
    ("qual o total da folha?", None),
    ("custo total", None),
    ("salário líquido total", None),
    ("quantos ganham mais de 2500 reais?", None),
]
CLINIC = [
    ("quantas consultas em janeiro?", counted("consultas", equal("data", "2026-01"))),
    (
        "valor das consultas do convênio Vida Plena",
        summed("valor_consulta", "consultas", equal("convenio", "Vida Plena")),
    ),
    ("quantas consultas da Vera Lins?", counted("consultas", equal("paciente", "Vera Lins"))),
    ("consultas por mês", given(by=["data"], verb="COUNT", band="consultas", period="month")),
    (
        "qual convênio tem mais consultas?",
        given(by=["convenio"], verb="COUNT", band="consultas", top=1, filter=named("convenio")),
    ),
    ("quantos pacientes?", summed("paciente", "consultas", verb="DISTINCT")),
    ("valor das consultas do Noel", None),  # there are five
    ("quantas consultas em março?", None),  # of which year?
    ("quantas consultas em 2025?", None),  # the data begin in November
    ("total de consultas por médico", None),
]
STOCK = [
    (
        "valor do estoque por depósito",
        given(by=["deposito"], verb="SUM", field="valor_estoque", band="estoque"),
    ),
    ("quantidade total no Anexo", summed("quantidade", "estoque", equal("deposito", "Anexo"))),
    ("custo unitário médio", summed("custo_unitario", "estoque", verb="AVG")),
    ("custo total", None),  # what one costs is not added up
    ("quantos produtos?", None),  # kinds, or pieces?
    ("top 3 produtos", None),
]
SHOP = [
    ("how many orders were shipped in March?", counted("orders", equal("ship_date", "2026-03"))),
    ("number of returns by reason", given(by=["reason"], verb="COUNT", band="returns")),
    (
        "what share of the amount is from Spain?",
        summed("amount", "orders", equal("country", "Spain"), "SHARE"),
    ),
    ("average refund for late", summed("refund", "returns", equal("reason", "late"), "AVG")),
    (
        "how many customers by country?",
        given(by=["country"], verb="DISTINCT", field="customer", band="orders"),
    ),
    ("how many orders in January?", None),  # ordered, or shipped?
    ("average amount per order", summed("amount", "orders", verb="AVG")),
    ("total sales", None),
    ("how many customers returned an order?", None),
    ("which customer spent the most?", None),
]
INVENTED = {"wages": WAGES, "clinic": CLINIC, "stock": STOCK, "shop": SHOP}


@pytest.mark.parametrize(
    ("report", "question", "arguments"),
    [pytest.param(name, *row, id=f"{name}: {row[0]}") for name, rows in INVENTED.items() for row in rows],
)
def test_other_reports_are_asked_what_was_meant_or_nothing(report, question, arguments):
    asked = ask(invented(report), question)
    if arguments is None:
        assert asked.figures == ()
    else:
        assert asked.arguments == arguments
        assert asked.figures


REAL_FILES = {
    "bens": "tse-bens-candidatos/bem_candidato_2022_BR.csv",
    "despesas": "camara-ceap/reimbursements_sample.csv",
    "spend": "moj-spend-2011/moj-aramis-data-march-11.csv",
    "hotels": "brussels-hotels/table-with-accents.csv",
}
REAL_ROWS = [
    ("bens", "valor total dos bens", ["176827742.42"]),
    ("bens", "quantos bens?", ["240"]),
    ("bens", "quantos candidatos?", []),
    ("bens", "qual o maior bem?", []),
    ("despesas", "total net value for PT", ["92140.11"]),
    ("despesas", "which congressperson has the highest total net value?", ["59246.44"]),
    ("despesas", "quantas despesas do PT em março?", ["37"]),
    ("despesas", "total de despesas por partido", []),  # of the document, or net?
    ("despesas", "qual partido gastou mais?", []),
    ("spend", "what is the total amount?", ["428603933.54"]),
    ("spend", "total amount for Tribunals", ["15402487.76"]),
    ("spend", "total in March", []),  # its dates are no days that can be read
    ("hotels", "average occupancy rate in 2015", ["0.711405974"]),
    ("hotels", "which hotel is the most expensive?", []),
]


@pytest.fixture(scope="module")
def real():
    made = {}

    def table(name):
        path = REAL / REAL_FILES[name]
        if not path.exists():
            pytest.skip(f"{path.name} is not here (LASTRO_REAL_DATA)")
        if name not in made:
            made[name] = materialize({name: path})
        return made[name]

    return table


@pytest.mark.parametrize(
    ("table", "question", "figures"), REAL_ROWS, ids=[f"{row[0]}: {row[1]}" for row in REAL_ROWS]
)
def test_tables_that_nobody_here_wrote_are_answered_rightly_or_not_at_all(real, table, question, figures):
    assert list(ask(real(table), question).figures) == figures
