"""
Makes twenty tables as reports have them, of 10 to 10,000 rows, with what each cell means beside what is written.

All names and values are invented. Only `Random.random()` is drawn from, since it alone keeps its sequence between
versions of Python, and each column has a sequence of its own: a new one changes no other.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Literal

from benchmarks.toon import Cell, number_text, toon_table

SEED = 20260701
FIRST_DAY = date(2025, 1, 6)

Kind = Literal["text", "date", "amount", "rate"]
"""A rate (a price, a percentage) has an average, but its sum means nothing."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: what its cells mean, and how they are written."""

    name: str
    kind: Kind
    cells: tuple[Cell, ...]
    """Numbers are `Decimal`, dates ISO text; None where the cell is empty."""
    written: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a report."""

    name: str
    columns: tuple[Column, ...]

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return len(self.columns[0].cells)

    def as_csv(self) -> str:
        """Separated by semicolons and in Brazilian writing, as a report exports it."""
        text = io.StringIO()
        lines = csv.writer(text, delimiter=";", lineterminator="\n")
        lines.writerow(column.name for column in self.columns)
        lines.writerows(zip(*(column.written for column in self.columns), strict=True))
        return text.getvalue()

    def as_json(self) -> str:
        """An array of objects without spaces; numbers are numbers."""
        names = [json.dumps(column.name, ensure_ascii=False) for column in self.columns]
        rows = zip(*(map(_json_cell, column.cells) for column in self.columns), strict=True)
        records = (
            f"{{{','.join(f'{name}:{cell}' for name, cell in zip(names, row, strict=True))}}}" for row in rows
        )
        return f"[{','.join(records)}]\n"

    def as_toon(self) -> str:
        """The tabular form of TOON."""
        rows = list(zip(*(column.cells for column in self.columns), strict=True))
        return toon_table(self.name, [column.name for column in self.columns], rows)


def _json_cell(value: Cell) -> str:
    return number_text(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False)


# One maker a kind of column: what a draw of `random()` between 0 and 1 becomes, and how that is written.


@dataclass(frozen=True, slots=True)
class Plan:
    """How a column is made."""

    name: str
    kind: Kind
    cell: Callable[[float, int], Cell]
    """From a draw and the number of the row."""
    write: Callable[[Cell], str] = str
    null_share: float = 0.0


def one_of(name: str, *values: str, null_share: float = 0.0) -> Plan:
    """A text of few values, the first ones more often."""
    return Plan(name, "text", lambda draw, _: values[int(draw * draw * len(values))], null_share=null_share)


def of_many(name: str, what: str, many: int, null_share: float = 0.0) -> Plan:
    """A text of many values, some far more often than others."""
    return Plan(
        name, "text", lambda draw, _: f"{what} {int(draw * draw * draw * many):04d}", null_share=null_share
    )


def serial(name: str, prefix: str) -> Plan:
    """A text that names the row."""
    return Plan(name, "text", lambda _, row: f"{prefix}{row + 1:05d}")


def prose(name: str) -> Plan:
    """A sentence."""
    parts = (
        "sem acesso",
        "tela em branco",
        "valor divergente",
        "cadastro incompleto",
        "prazo vencido",
        "lentidão",
    )
    return Plan(
        name,
        "text",
        lambda draw, row: (
            f"Relato {row + 1}: {parts[int(draw * 6)]} desde {8 + int(draw * 97) % 9}h, retorno pedido"
        ),
    )


def day(
    name: str, days: int, style: Literal["br", "midnight", "iso"] = "br", null_share: float = 0.0
) -> Plan:
    """A day within *days* from the first."""

    def write(cell: Cell) -> str:
        match style:
            case "br":
                return f"{date.fromisoformat(str(cell)):%d/%m/%Y}"
            case "midnight":
                return f"{cell}T00:00:00.000Z"
            case "iso":
                return str(cell)

    return Plan(
        name, "date", lambda draw, _: str(FIRST_DAY + timedelta(days=int(draw * days))), write, null_share
    )


def each_day(name: str) -> Plan:
    """One day after the other."""
    return Plan(name, "date", lambda _, row: str(FIRST_DAY + timedelta(days=row)))


def amount(
    name: str,
    high: int,
    pattern: str = "{}",
    *,
    decimals: int = 2,
    low: int = 0,
    kind: Kind = "amount",
    null_share: float = 0.0,
) -> Plan:
    """
    A number from *low* to *high*, mostly small, in Brazilian writing.

    *pattern* is what stands around it, `R$ {}` or `{}%`; `( )` writes negative numbers in parentheses, and `.` writes
    a plain number with a point.
    """

    def write(cell: Cell) -> str:
        assert isinstance(cell, Decimal)
        if pattern == ".":
            return str(cell)
        size = f"{abs(cell):,}".translate(str.maketrans(",.", ".,"))
        if pattern == "( )":
            return f"({size})" if cell < 0 else size
        return pattern.format(f"-{size}" if cell < 0 else size)

    unit = Decimal(10) ** -decimals
    span = (high - low) * 10**decimals
    return Plan(
        name, kind, lambda draw, _: (low * 10**decimals + int(draw * draw * span)) * unit, write, null_share
    )


def count(name: str, high: int, null_share: float = 0.0) -> Plan:
    """A whole number, which can be added up."""
    return amount(name, high, ".", decimals=0, low=1, null_share=null_share)


STATUS = one_of("status", "faturado", "aberto", "cancelado")
UF = one_of("uf", "SP", "RJ", "MG", "PR", "SC", "RS", "BA", "PE", "CE")
FORMA = one_of("forma", "Pix", "boleto", "TED", "cartão", null_share=0.03)
CST = one_of("cst", "000", "060", "020", "040")
REGIAO = one_of("regiao", "Sudeste", "Sul", "Nordeste", "Norte")

SALES = (
    serial("numero", "VD-"),
    day("data", 170),
    STATUS,
    one_of("vendedor", "Antônia", "Caio", "Débora", "Inês", "Jônatas", "Lívia", "Otávio"),
    REGIAO,
    of_many("cliente", "Cliente", 60),
    amount("valor_total", 18_000, null_share=0.03),
    amount("margem_perc", 45, "{}%", decimals=1, kind="rate", null_share=0.03),
    CST,
)
PAYMENTS = (
    serial("numero", "PAG-"),
    of_many("fornecedor", "Fornecedor", 45, null_share=0.02),
    day("data", 350, "midnight"),
    amount("valor", 9_000, "R$ {}"),
    count("dias_atraso", 40, null_share=0.1),
    FORMA,
)
ITEMS = (
    one_of("produto", *(f"Produto {letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")),
    CST,
    one_of("unidade", "UN", "CX", "PC"),
    count("quantidade", 130),
    amount("preco_unitario", 700, kind="rate"),
    amount("valor", 5_000),
)
STOCK = (
    of_many("produto", "Produto", 3_000),
    one_of("deposito", "Matriz", "Filial Norte", "Filial Sul"),
    one_of("filial", "001", "002", "003", "004"),
    count("quantidade", 900, null_share=0.05),
    amount("custo_total", 40_000),
    day("ultima_entrada", 1_400, null_share=0.05),
)
PAYROLL = (
    serial("matricula", "M"),
    one_of("setor", "Produção", "Vendas", "Financeiro", "Logística", "Diretoria"),
    one_of("vinculo", "CLT", "PJ", "estágio"),
    day("admissao", 3_000),
    amount("valor_bruto", 24_000, low=1_500),
    amount("desconto", 4_000, "( )", low=-400),
    amount("reajuste_perc", 12, "{}%", decimals=2, kind="rate"),
)
TICKETS = (
    serial("chamado", "CH-"),
    day("abertura", 400, "iso"),
    one_of("prioridade", "baixa", "média", "alta", "urgente", null_share=0.04),
    one_of("fila", "suporte", "financeiro", "fiscal", "comercial"),
    of_many("solicitante", "Pessoa", 400),
    prose("relato"),
    count("minutos", 600),
)
FREIGHT = (
    serial("cte", "CT"),
    day("coleta", 330, "midnight"),
    day("entrega", 350, "midnight", null_share=0.06),
    of_many("transportadora", "Transportadora", 35),
    UF,
    one_of("modal", "rodoviário", "aéreo", "cabotagem"),
    one_of("tomador", "remetente", "destinatário"),
    FORMA,
    STATUS,
    REGIAO,
    one_of("tipo", "normal", "complementar", "devolução"),
    count("volumes", 60),
    amount("peso", 9_000, decimals=3),
    amount("valor_carga", 250_000, "R$ {}"),
    amount("valor_frete", 8_000, "R$ {}"),
    amount("valor_icms", 1_200, "R$ {}", null_share=0.05),
    amount("ajuste", 500, "( )", low=-500),
    amount("seguro_perc", 3, "{}%", decimals=2, kind="rate"),
)
DAILY = (each_day("data"), amount("consumo", 900, ".", decimals=1, low=200), count("pessoas", 80))
SENSORS = (
    day("data", 45, "iso"),
    one_of("sensor", *(f"S{number:02d}" for number in range(1, 13))),
    amount("temperatura", 60, ".", decimals=2, low=-5, kind="rate"),
    amount("vazao", 300, ".", decimals=1, null_share=0.02),
    amount("energia", 40, ".", decimals=2),
)
CONTRACTS = (
    serial("contrato", "CTR-"),
    of_many("orgao", "Secretaria", 25),
    one_of("modalidade", "pregão", "dispensa", "concorrência", "inexigibilidade"),
    day("assinatura", 2_200),
    prose("objeto"),
    amount("valor_inicial", 900_000, "R$ {}"),
    amount("valor_aditivos", 120_000, "R$ {}", null_share=0.4),
)

SHAPES: Sequence[tuple[str, tuple[Plan, ...], int]] = (
    ("orcamento", ITEMS, 10),
    ("itens_nota", ITEMS, 24),
    ("folha", PAYROLL, 36),
    ("estoque", STOCK, 60),
    ("consumo", DAILY, 90),
    ("vendas_mes", SALES, 120),
    ("vendas", SALES, 180),
    ("pagamentos", PAYMENTS, 205),
    ("chamados", TICKETS, 300),
    ("itens_mes", ITEMS, 400),
    ("fretes", FREIGHT, 500),
    ("contratos", CONTRACTS, 750),
    ("folha_grupo", PAYROLL, 800),
    ("vendas_ano", SALES, 1_000),
    ("estoque_rede", STOCK, 2_000),
    ("chamados_ano", TICKETS, 3_000),
    ("fretes_ano", FREIGHT, 4_000),
    ("pagamentos_ano", PAYMENTS, 5_000),
    ("vendas_grupo", SALES, 10_000),
    ("leituras", SENSORS, 10_000),
)
"""Each table's name, its columns and its rows."""


def answer_tables(rows_max: int | None = None) -> list[Table]:
    """The tables of at most *rows_max* rows."""
    return [
        Table(name, tuple(_made(name, plan, rows) for plan in plans))
        for name, plans, rows in SHAPES
        if rows_max is None or rows <= rows_max
    ]


def _made(table: str, plan: Plan, rows: int) -> Column:
    random = Random(f"{SEED} {table} {plan.name}").random
    draws = [(random(), random()) for _ in range(rows)]
    cells = tuple(
        None if hidden < plan.null_share else plan.cell(draw, row) for row, (draw, hidden) in enumerate(draws)
    )
    return Column(
        plan.name, plan.kind, cells, tuple("" if cell is None else plan.write(cell) for cell in cells)
    )
