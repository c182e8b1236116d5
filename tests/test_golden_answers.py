"""Ten questions of each example report have the answers that its files give in plain Python, and are golden."""

from __future__ import annotations

import csv
import json
import runpy
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import isqrt
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from chat import Toolset
from datasources.connections import load_connections
from datasources.definition import read_definition
from engine import materialize, process_report

EXAMPLES = Path(__file__).parent.parent / "examples"
GOLDEN = Path(__file__).parent / "golden" / "answers"
LINE_CHARS_MAX = 110


class Num(str):
    """A JSON number by its text."""

    __slots__ = ()


Row = Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """What a reader asks, the call that answers it, and the result worked out by other means."""

    text: str
    tool: str
    arguments: dict[str, Any]
    result: Callable[[Mapping[str, list[Row]]], Any]


# ---- the files, read by what a person sees in them ----


def amount(cell: str) -> Decimal | None:
    """1.234,50, R$ 1.234,50 or 12,5%."""
    return Decimal(cell.strip("R$ %").replace(".", "").replace(",", ".")) if cell else None


def sales(row: Row) -> Row:
    day, month, year = row["data"].split("/")
    amounts = {name: amount(row[name]) for name in ("valor_total", "margem_bruta")}
    return {**row, **amounts, "data": f"{year}-{month}-{day}"}


def payments(row: Row) -> Row:
    read = {"valor": amount(row["valor"]), "data": row["data"][:10], "dias_atraso": int(row["dias_atraso"])}
    return {**row, **read, "fornecedor": row["fornecedor"] or None}


def financeiro() -> dict[str, list[Row]]:
    folder = EXAMPLES / "financeiro" / "trimestres" / "2026-T1"
    tables: dict[str, list[Row]] = {}
    for name, read in (("vendas", sales), ("pagamentos", payments)):
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            tables[name] = [read(row) for row in csv.DictReader(file, delimiter=";")]
    return tables


def dashboard(path: Path) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {}
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        for name in ("vendas", "pagamentos"):
            found = database.execute(f"SELECT * FROM {name} WHERE data BETWEEN '2026-01-01' AND '2026-06-30'")
            tables[name] = [
                {
                    key: Decimal(repr(row[key])) if isinstance(row[key], float) else row[key]
                    for key in row.keys()  # noqa: SIM118  # iterated, it gives values
                }
                for row in found
            ]
    return tables


def danfe() -> dict[str, list[Row]]:
    return {
        name: json.loads((EXAMPLES / "danfe" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("header", "itens", "duplicatas")
    }


# ---- values in plain Python ----


def num(value: Fraction | Decimal | int, decimals: int = 2) -> Num:
    """Rounded half-even, without trailing zeros."""
    rounded = round(Fraction(value) * 10**decimals)
    text = format(Decimal(rounded).scaleb(-decimals), "f")
    return Num(text.rstrip("0").rstrip(".") if "." in text else text)


def cells(rows: Iterable[Row], name: str) -> list[Decimal]:
    return [Decimal(row[name]) for row in rows if row[name] is not None]


def total(rows: Iterable[Row], name: str) -> Num:
    return num(sum(cells(rows, name)), 4)


def average(rows: Iterable[Row], name: str, decimals: int = 2) -> Num:
    found = cells(rows, name)
    return num(Fraction(sum(found)) / len(found), decimals)


def deviation(rows: Iterable[Row], name: str) -> Num:
    found = [Fraction(cell) for cell in cells(rows, name)]
    mean = sum(found) / len(found)
    square = sum((cell - mean) ** 2 for cell in found) / (len(found) - 1)
    return num(Fraction(isqrt(int(square * 10**40)), 10**20))


def groups(
    rows: Iterable[Row],
    key: Callable[[Row], Any],
    value: Callable[[list[Row]], Num],
    *,
    top: int | None = None,
    order: str = "desc",
) -> list[dict[str, Any]]:
    """Groups in order, the null group, and the rest as one."""
    found = defaultdict(list)
    for row in rows:
        found[key(row)].append(row)
    null = found.pop(None, None)
    names = sorted(found)
    if order != "group":
        names.sort(key=lambda name: Decimal(value(found[name])), reverse=order == "desc")
    named, cut = names[:top], names[top:] if top else []
    listed = [(list(name) if isinstance(name, tuple) else name, found[name]) for name in named]
    if null:
        listed.append((None, null))
    if cut:
        listed.append((f"(other {len(cut)})", [row for name in cut for row in found[name]]))
    return [{"group": name, "value": value(part), "rows": Num(str(len(part)))} for name, part in listed]


def having(rows: Iterable[Row], **wanted: Any) -> list[Row]:
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def quarter(row: Row) -> str:
    return f"{row['data'][:4]}-Q{(int(row['data'][5:7]) + 2) // 3}"


def week(row: Row) -> str:
    year, number, _ = date.fromisoformat(row["data"]).isocalendar()
    return f"{year}-W{number:02d}"


def comparison(verb: Callable[[list[Row]], Num], sides: list[tuple[Any, list[Row]]]) -> dict[str, Any]:
    (_, first), (_, second) = sides
    a, b = Decimal(verb(first)), Decimal(verb(second))
    return {
        **{
            name: {"value": verb(rows), "filter": where, "rows": Num(str(len(rows)))}
            for name, (where, rows) in zip("ab", sides, strict=True)
        },
        "difference": {"value": num(b - a, 3)},
        "growth": {"value": num((Fraction(b) - Fraction(a)) / abs(Fraction(a)) * 100)},
    }


# ---- the questions ----

AGGREGATE, GROUP_BY, COMPARE = "sulfite_aggregate_data", "sulfite_group_by", "sulfite_compare"


def where(field: str, op: str, value: Any) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


FINANCEIRO = (
    Question(
        "Quanto vendemos no trimestre?",
        AGGREGATE,
        {"verb": "SUM", "field": "valor_total"},
        lambda tables: total(tables["vendas"], "valor_total"),
    ),
    Question(
        "Quanto disso foi faturado?",
        AGGREGATE,
        {"verb": "SUM", "field": "valor_total", "filter": where("status", "=", "faturado")},
        lambda tables: total(having(tables["vendas"], status="faturado"), "valor_total"),
    ),
    Question(
        "Qual é o ticket médio das vendas faturadas?",
        AGGREGATE,
        {"verb": "AVG", "field": "valor_total", "filter": where("status", "=", "faturado")},
        lambda tables: average(having(tables["vendas"], status="faturado"), "valor_total"),
    ),
    Question(
        "Qual foi o maior pagamento por Pix?",
        AGGREGATE,
        {"verb": "MAX", "field": "valor", "filter": where("forma", "=", "Pix")},
        lambda tables: num(max(cells(having(tables["pagamentos"], forma="Pix"), "valor"))),
    ),
    Question(
        "Quem são os três vendedores que mais venderam?",
        GROUP_BY,
        {"by": ["vendedor"], "verb": "SUM", "field": "valor_total", "top": 3},
        lambda tables: groups(
            tables["vendas"], lambda row: row["vendedor"], lambda rows: total(rows, "valor_total"), top=3
        ),
    ),
    Question(
        "Quanto vendemos no Sul em cada mês?",
        GROUP_BY,
        {
            "by": ["data"],
            "period": "month",
            "verb": "SUM",
            "field": "valor_total",
            "filter": where("regiao", "=", "Sul"),
        },
        lambda tables: groups(
            having(tables["vendas"], regiao="Sul"),
            lambda row: row["data"][:7],
            lambda rows: total(rows, "valor_total"),
            order="group",
        ),
    ),
    Question(
        "As vendas de março superaram as de fevereiro?",
        COMPARE,
        {"band": "vendas", "verb": "SUM", "field": "valor_total", "a": "2026-02", "b": "2026-03"},
        lambda tables: comparison(
            lambda rows: total(rows, "valor_total"),
            [
                (
                    where("data", "=", month),
                    [row for row in tables["vendas"] if row["data"].startswith(month)],
                )
                for month in ("2026-02", "2026-03")
            ],
        ),
    ),
    Question(
        "Qual é a margem mediana das vendas canceladas?",
        AGGREGATE,
        {"verb": "MEDIAN", "field": "margem_bruta", "filter": where("status", "=", "cancelado")},
        lambda tables: num(median(cells(having(tables["vendas"], status="cancelado"), "margem_bruta"))),
    ),
    Question(
        "Que parte do valor vendido vem de vendas acima de R$ 10.000,00?",
        AGGREGATE,
        {"verb": "SHARE", "field": "valor_total", "filter": where("valor_total", ">", "R$ 10.000,00")},
        lambda tables: num(
            Fraction(sum(cell for cell in cells(tables["vendas"], "valor_total") if cell > 10_000))
            / Fraction(sum(cells(tables["vendas"], "valor_total")))
            * 100
        ),
    ),
    Question(
        "Quantos pagamentos de cada fornecedor atrasaram?",
        GROUP_BY,
        {"by": "fornecedor", "verb": "COUNT", "filter": where("dias_atraso", ">", 0)},
        lambda tables: groups(
            [row for row in tables["pagamentos"] if row["dias_atraso"] > 0],
            lambda row: row["fornecedor"],
            lambda rows: num(len(rows)),
        ),
    ),
)

DASHBOARD = (
    Question(
        "Quantas vendas houve no semestre?",
        AGGREGATE,
        {"verb": "COUNT", "band": "vendas"},
        lambda tables: num(len(tables["vendas"])),
    ),
    Question(
        "Quantos clientes diferentes compraram?",
        AGGREGATE,
        {"verb": "DISTINCT", "field": "cliente"},
        lambda tables: num(len({row["cliente"] for row in tables["vendas"]} - {None})),
    ),
    Question(
        "Quais são as cinco maiores combinações de região e status?",
        GROUP_BY,
        {"by": ["regiao", "status"], "verb": "SUM", "field": "valor_total", "top": 5},
        lambda tables: groups(
            tables["vendas"],
            lambda row: (row["regiao"], row["status"]),
            lambda rows: total(rows, "valor_total"),
            top=5,
        ),
    ),
    Question(
        "Quais são os três vendedores de menor ticket médio?",
        GROUP_BY,
        {"by": ["vendedor"], "verb": "AVG", "field": "valor_total", "top": 3, "order": "asc"},
        lambda tables: groups(
            tables["vendas"],
            lambda row: row["vendedor"],
            lambda rows: average(rows, "valor_total"),
            top=3,
            order="asc",
        ),
    ),
    Question(
        "Quanto vendemos em cada trimestre?",
        GROUP_BY,
        {"by": ["data"], "period": "quarter", "verb": "SUM", "field": "valor_total"},
        lambda tables: groups(
            tables["vendas"], quarter, lambda rows: total(rows, "valor_total"), order="group"
        ),
    ),
    Question(
        "Quantas vendas houve em cada semana de abril?",
        GROUP_BY,
        {
            "by": ["data"],
            "period": "week",
            "verb": "COUNT",
            "band": "vendas",
            "filter": where("data", "=", "04/2026"),
        },
        lambda tables: groups(
            [row for row in tables["vendas"] if row["data"].startswith("2026-04")],
            week,
            lambda rows: num(len(rows)),
            order="group",
        ),
    ),
    Question(
        "A venda mediana do Sul é maior que a do Norte?",
        COMPARE,
        {
            "verb": "MEDIAN",
            "field": "valor_total",
            "a": where("regiao", "=", "Norte"),
            "b": where("regiao", "=", "Sul"),
        },
        lambda tables: comparison(
            lambda rows: num(median(cells(rows, "valor_total")), 3),
            [
                (where("regiao", "=", region), having(tables["vendas"], regiao=region))
                for region in ("Norte", "Sul")
            ],
        ),
    ),
    Question(
        "Quanto variam os pagamentos atrasados?",
        AGGREGATE,
        {"verb": "STDDEV", "field": "valor", "filter": where("dias_atraso", ">", 0)},
        lambda tables: deviation([row for row in tables["pagamentos"] if row["dias_atraso"] > 0], "valor"),
    ),
    Question(
        "Quando foi a primeira venda cancelada?",
        AGGREGATE,
        {"verb": "MIN", "field": "data", "filter": where("status", "=", "cancelado")},
        lambda tables: min(row["data"] for row in having(tables["vendas"], status="cancelado")),
    ),
    Question(
        "Quanto vendeu a Livia Sampaio?",
        AGGREGATE,
        {"verb": "SUM", "field": "valor_total", "filter": where("vendedor", "=", "Livia Sampaio")},
        lambda tables: having(tables["vendas"], vendedor="Livia Sampaio") or None,
    ),
)

DANFE = (
    Question(
        "Qual é o valor total da nota?",
        AGGREGATE,
        {"verb": "SUM", "field": "valor_total", "band": "header"},
        lambda tables: total(tables["header"], "valor_total"),
    ),
    Question(
        "Quanto somam os produtos?",
        AGGREGATE,
        {"verb": "SUM", "field": "vProd"},
        lambda tables: total(tables["itens"], "vProd"),
    ),
    Question(
        "Qual é o maior preço unitário?",
        AGGREGATE,
        {"verb": "MAX", "field": "vUnCom"},
        lambda tables: num(max(cells(tables["itens"], "vUnCom")), 4),
    ),
    Question(
        "Qual é o preço unitário médio?",
        AGGREGATE,
        {"verb": "AVG", "field": "vUnCom"},
        lambda tables: average(tables["itens"], "vUnCom", 4),
    ),
    Question(
        "Qual é a soma dos preços unitários?",
        AGGREGATE,
        {"verb": "SUM", "field": "vUnCom"},
        lambda tables: None,
    ),
    Question(
        "Quanto há em cada CST?",
        GROUP_BY,
        {"by": ["CST"], "verb": "SUM", "field": "vProd"},
        lambda tables: groups(tables["itens"], lambda row: row["CST"], lambda rows: total(rows, "vProd")),
    ),
    Question(
        "Que parte do valor tem substituição tributária (CFOP 5405)?",
        AGGREGATE,
        {"verb": "SHARE", "field": "vProd", "filter": where("CFOP", "=", "5405")},
        lambda tables: num(
            Fraction(sum(cells(having(tables["itens"], CFOP="5405"), "vProd")))
            / Fraction(sum(cells(tables["itens"], "vProd")))
            * 100
        ),
    ),
    Question(
        "Quantas caixas de caneta há na nota?",
        AGGREGATE,
        {
            "verb": "SUM",
            "field": "qCom",
            "filter": {"and": [where("xProd", "starts_with", "Caneta"), where("uCom", "=", "CX")]},
        },
        lambda tables: total(
            [row for row in having(tables["itens"], uCom="CX") if row["xProd"].startswith("Caneta")], "qCom"
        ),
    ),
    Question(
        "Quando vence a primeira duplicata?",
        AGGREGATE,
        {"verb": "MIN", "field": "dVenc"},
        lambda tables: min(row["dVenc"] for row in tables["duplicatas"]),
    ),
    Question(
        "Quanto vence em cada mês?",
        GROUP_BY,
        {"by": ["dVenc"], "period": "month", "verb": "SUM", "field": "vDup"},
        lambda tables: groups(
            tables["duplicatas"],
            lambda row: row["dVenc"][:7],
            lambda rows: total(rows, "vDup"),
            order="group",
        ),
    ),
)


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dashboard")
    (folder / "connections.toml").write_bytes((EXAMPLES / "dashboard" / "connections.toml").read_bytes())
    runpy.run_path(str(EXAMPLES / "generate.py"))["write_database"](folder / "vendas.sqlite")
    return folder


def snapshot_of(report: str, database: Path):
    folder = EXAMPLES / report
    if report == "danfe":
        names = ("canhoto", "header", "itens", "duplicatas")
        return materialize([folder / f"{name}.json" for name in names])
    definition = read_definition(folder / f"{report}.report.json")
    connections = load_connections(database / "connections.toml") if report == "dashboard" else None
    return process_report(definition, {}, roots={"data": folder}, connections=connections)


def parsed(text: str) -> Any:
    return json.loads(text, parse_float=Num, parse_int=Num)


def without_facts(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {key: without_facts(one) for key, one in answer.items() if key not in ("fact", "note")}
    return [without_facts(one) for one in answer] if isinstance(answer, list) else answer


def pretty(value: Any, indent: str = "") -> str:
    """JSON that keeps the digits of numbers, what is short on one line."""
    line = one_line(value)
    if len(indent) + len(line) <= LINE_CHARS_MAX or not isinstance(value, dict | list):
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        parts = [f"{one_line(key)}: {pretty(one, inner)}" for key, one in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + pretty(one, inner) for one in value) + f"\n{indent}]"


def one_line(value: Any) -> str:
    match value:
        case Num():
            return str(value)
        case dict():
            return "{" + ", ".join(f"{one_line(key)}: {one_line(one)}" for key, one in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(one_line, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize(
    ("report", "questions"), [("financeiro", FINANCEIRO), ("dashboard", DASHBOARD), ("danfe", DANFE)]
)
def test_answers_are_those_of_the_files(golden, database, report, questions):
    tables = {
        "financeiro": financeiro,
        "dashboard": lambda: dashboard(database / "vendas.sqlite"),
        "danfe": danfe,
    }[report]()
    blocks = []
    with Toolset(snapshot_of(report, database), language="pt") as tools:
        for question in questions:
            text = tools.call(question.tool, json.dumps(question.arguments, ensure_ascii=False)).text
            answer = parsed(text)
            assert without_facts(answer["result"]) == question.result(tables), question.text
            block = {"question": question.text, "tool": question.tool, "arguments": question.arguments}
            blocks.append({**block, "answer": answer})
    golden(f"answers/{report}.json", pretty(blocks) + "\n")


@pytest.mark.parametrize(
    ("report", "questions"), [("financeiro", FINANCEIRO), ("dashboard", DASHBOARD), ("danfe", DANFE)]
)
def test_the_golden_files_hold_the_results_of_the_files(database, report, questions):
    tables = {
        "financeiro": financeiro,
        "dashboard": lambda: dashboard(database / "vendas.sqlite"),
        "danfe": danfe,
    }[report]()
    blocks = parsed((GOLDEN / f"{report}.json").read_text(encoding="utf-8"))
    found = {block["question"]: without_facts(block["answer"]["result"]) for block in blocks}
    assert found == {question.text: question.result(tables) for question in questions}


def test_a_field_that_does_not_exist_is_answered_as_the_first_specification_says():
    row = {
        "vendedor": "Lívia",
        "numero": "VD-001",
        "produto": "Café",
        "valor": Decimal("91.04"),
        "ativo": True,
    }
    with Toolset(materialize({"vendas": [row]})) as tools:
        reply = tools.call("sulfite_aggregate_data", '{"verb": "SUM", "field": "orçamento"}')
    expected = (GOLDEN / "unknown_field.json").read_text(encoding="utf-8")
    assert json.loads(reply.text, object_pairs_hook=list) == json.loads(expected, object_pairs_hook=list)
