"""Facts of Brazilian registers, of codes and of documents: companies, operators, fines, people's expenses."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from typing import Any

from engine import numbers
from tests.real_facts.access import Fact, Table, add, most_common, plain

CPF = r"\d{3}\.\d{3}\.\d{3}-\d{2}"
CODES = ("CD_CVM", "DDD_TEL", "TEL", "CEP")


def br_number(text: str) -> Decimal | None:
    """What a cell that had to stay text says, read as a Brazilian number; None for other text."""
    cell = numbers.read_number(text)
    return None if cell is None else Decimal(f"{cell.digits}E-{numbers.decimals_in(cell, 'br')}")


def is_code(table: Table, name: str) -> bool:
    """Whether a column is never summed."""
    field = table.field(name)
    return (field.type == "text" or field.role == "id") and field.sum is None


def digits(cells: list[Any]) -> Counter[int]:
    """How many cells have how many digits."""
    return Counter(len(str(cell)) for cell in cells)


def accounts(table: Table) -> list[tuple[str, str, Decimal]]:
    """Account, value as text and value of the rows that are accounts, and not a second header."""
    rows = zip(table.cells("conta"), table.cells("valor_text"), table.cells("valor"), strict=True)
    return [(account, text, value) for account, text, value in rows if account.isdigit()]


def account(table: Table, *wanted: str) -> str:
    """The sum of some accounts."""
    return add([value for code, _, value in accounts(table) if code in wanted])


REGISTERS = (
    Fact("cvm-cad-cia-aberta", "rows x columns", "json", lambda f: f["*.csv"].shape),
    Fact("cvm-cad-cia-aberta", "rows by SIT", "json", lambda f: f["*.csv"].counts("SIT")),
    Fact(
        "cvm-cad-cia-aberta",
        "rows by UF, top 4",
        "snapshot",
        lambda f: most_common(f["*.csv"].cells("UF"), 4),
    ),
    Fact(
        "cvm-cad-cia-aberta",
        "distinct SETOR_ATIV",
        "json",
        lambda f: f["*.csv"].field("SETOR_ATIV").distinct,
    ),
    Fact(
        "cvm-cad-cia-aberta",
        "CEP with 7 digits (its zero was lost at the source), with 8",
        "snapshot",
        lambda f: [digits(f["*.csv"].cells("CEP"))[length] for length in (7, 8)],
    ),
    Fact("cvm-cad-cia-aberta", "empty DT_CANCEL", "json", lambda f: f["*.csv"].field("DT_CANCEL").nulls),
    Fact(
        "cvm-cad-cia-aberta",
        "columns empty in every row",
        "json",
        lambda f: f["*.csv"].named(lambda field: field.nulls == f["*.csv"].rows),
    ),
    Fact(
        "cvm-cad-cia-aberta",
        "CD_CVM, DDD_TEL, TEL, CEP are codes: a sum of them means nothing",
        "json",
        lambda f: "text" if all(is_code(f["*.csv"], name) for name in CODES) else "number",
    ),
    Fact(
        "cvm-balancete-fundo",
        "accounts whose text and parsed value agree",
        "snapshot",
        lambda f: sum(br_number(text) == value for _, text, value in accounts(f["*.csv"])),
    ),
    Fact(
        "cvm-balancete-fundo",
        "accounts listed twice",
        "json",
        lambda f: f["*.csv"].rows - (f["*.csv"].field("conta").distinct or 0),
    ),
    Fact(
        "cvm-balancete-fundo",
        "sum of valor_text over all accounts (mixes levels, so no total of anything)",
        "snapshot",
        lambda f: add([br_number(text) for _, text, _ in accounts(f["*.csv"])]),
    ),
    Fact(
        "cvm-balancete-fundo",
        "account 10000007 (REALIZÁVEL); 11000006 + 12000005 + 13000004 + 18000009 + 19000008",
        "snapshot",
        lambda f: [
            account(f["*.csv"], "10000007"),
            account(f["*.csv"], "11000006", "12000005", "13000004", "18000009", "19000008"),
        ],
    ),
    Fact(
        "cvm-balancete-fundo",
        "negative values, smallest",
        "snapshot",
        lambda f: [sum(value < 0 for _, _, value in accounts(f["*.csv"])), f["*.csv"].field("valor").min],
    ),
    Fact(
        "cvm-balancete-fundo",
        "account 99999995 (TOTAL GERAL DO PASSIVO)",
        "snapshot",
        lambda f: account(f["*.csv"], "99999995"),
    ),
    Fact(
        "cvm-balancete-fundo",
        "values written without the zero before the comma",
        "snapshot",
        lambda f: [text for text in f["*.csv"].cells("valor_text") if text.startswith(",")],
    ),
    Fact(
        "cvm-balancete-fundo",
        "what a scraper made of 'Cód. CVM: 237477' in the value column",
        "snapshot",
        lambda f: plain(f["*.csv"].cells("valor")[1]),
    ),
    Fact(
        "ans-operadoras",
        "rows x columns (title line and blank line come first)",
        "json",
        lambda f: f["*.csv"].shape,
    ),
    Fact("ans-operadoras", "rows by Modalidade", "json", lambda f: f["*.csv"].counts("Modalidade")),
    Fact(
        "ans-operadoras",
        "leading zero in CNPJ, Registro ANS, CEP",
        "json",
        lambda f: [f["*.csv"].evidence(name, "leading_zero") for name in ("CNPJ", "Registro ANS", "CEP")],
    ),
    Fact(
        "ans-operadoras",
        "distinct Registro ANS and CNPJ",
        "json",
        lambda f: [f["*.csv"].field(name).distinct for name in ("Registro ANS", "CNPJ")],
    ),
    Fact(
        "ans-operadoras",
        "cells with a space at an end",
        "source",
        lambda f: sum(cell != cell.strip() for cell in f["*.csv"].all_source()),
    ),
    Fact("ans-operadoras", "rows by UF, top 3", "snapshot", lambda f: most_common(f["*.csv"].cells("UF"), 3)),
    Fact("ibama-autuacoes", "rows (records span several lines)", "json", lambda f: f["*.csv"].rows),
    Fact(
        "ibama-autuacoes",
        "sum, min, max of valor_multa",
        "json",
        lambda f: [f["*.csv"].sum("valor_multa"), *f["*.csv"].bounds("valor_multa")],
    ),
    Fact(
        "ibama-autuacoes",
        "sum by infracao, line break inside the name kept",
        "json",
        lambda f: f["*.csv"].groups("valor_multa", "infracao"),
    ),
    Fact(
        "ibama-autuacoes",
        "sum by municipio, top 3",
        "json",
        lambda f: f["*.csv"].groups("valor_multa", "municipio", 3),
    ),
    Fact(
        "ibama-autuacoes",
        "cnpjcpf holding a CPF",
        "json",
        lambda f: sum(
            count for value, count in f["*.csv"].counts("cnpjcpf").items() if re.fullmatch(CPF, value or "")
        ),
    ),
    Fact("camara-ceap", "rows x columns", "json", lambda f: f["*.csv"].shape),
    Fact("camara-ceap", "sum of total_net_value", "json", lambda f: f["*.csv"].sum("total_net_value")),
    Fact(
        "camara-ceap",
        "negative values and their sum",
        "snapshot",
        lambda f: negatives(f["*.csv"].cells("total_net_value")),
    ),
    Fact("camara-ceap", "sum by party", "json", lambda f: f["*.csv"].groups("total_net_value", "party")),
    Fact(
        "camara-ceap",
        "sum by subquota_description",
        "json",
        lambda f: f["*.csv"].groups("total_net_value", "subquota_description"),
    ),
    Fact(
        "camara-ceap",
        "cnpj_cpf filled, with leading zero",
        "json",
        lambda f: [
            f["*.csv"].rows - f["*.csv"].nulls("cnpj_cpf"),
            f["*.csv"].evidence("cnpj_cpf", "leading_zero"),
        ],
    ),
    Fact(
        "camara-ceap",
        "columns with one single value",
        "json",
        lambda f: f["*.csv"].named(lambda field: (field.distinct or 0) + bool(field.nulls) == 1),
    ),
    Fact(
        "receita-cnpj",
        "Empresas: rows (no header line in any of these files)",
        "json",
        lambda f: f["Empresas*.csv"].rows,
    ),
    Fact(
        "receita-cnpj",
        "Empresas: sum of column 5 (capital social)",
        "json",
        lambda f: f["Empresas*.csv"].sum("column_5"),
    ),
    Fact(
        "receita-cnpj",
        "Estabelecimentos: columns; basic CNPJ, order, digits",
        "snapshot",
        lambda f: [
            len(f["Estab*.csv"].names),
            *(str(f["Estab*.csv"].cells(f"column_{number}")[0]) for number in (1, 2, 3)),
        ],
    ),
    Fact(
        "receita-cnpj",
        "Estabelecimentos: secondary CNAEs in one cell",
        "json",
        lambda f: next(value or "" for value in f["Estab*.csv"].counts("column_13")).split(","),
    ),
    Fact(
        "receita-cnpj",
        "Socios: rows by basic CNPJ",
        "snapshot",
        lambda f: Counter(map(str, f["Socios*.csv"].cells("column_1"))),
    ),
    Fact(
        "receita-cnpj",
        "Socios: rows by qualification code (stay text: 05)",
        "json",
        lambda f: f["Socios*.csv"].counts("column_5"),
    ),
    Fact(
        "receita-cnpj",
        "Simples: date cells that are 00000000 (no date)",
        "json",
        lambda f: sum(f["Simples.csv"].counts(name).get("00000000", 0) for name in f["Simples.csv"].names),
    ),
    Fact("receita-cnpj", "Cnaes: rows", "json", lambda f: f["Cnaes.csv"].rows),
    Fact(
        "municipios-sql",
        "estados: rows, rows by regiao",
        "json",
        lambda f: [f["estados.csv"].rows, f["estados.csv"].counts("regiao")],
    ),
)


def negatives(values: list[Decimal]) -> list[int | str]:
    """How many values are negative, and their sum."""
    found = [value for value in values if value < 0]
    return [len(found), add([*found])]
