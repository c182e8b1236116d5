"""Invented reports of other kinds than the examples: wages, a clinic, a stock, an English shop."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from datasources.base import Cell
from engine import Snapshot, materialize
from tests.engine.small import raw_band

Columns = dict[str, Sequence[Cell]]

SECTORS = ("Comercial", "Fábrica", "Financeiro")
DOCTORS = ("Dra. Iara Monte", "Dr. Caetano Reis", "Dra. Iara Monte", "Dr. Benício Prado")
PLANS = ("Vida Plena", "Particular", "Vida Plena")
PATIENTS = tuple(
    f"{first} {last}"
    for first in ("Noel", "Rita", "Tadeu", "Vera", "Ciro")
    for last in ("Abreu", "Lins", "Mota", "Pires", "Rocha")
)
COUNTRIES = ("Portugal", "Spain", "Portugal", "France")
CUSTOMERS = tuple(f"{name} Ltd" for name in ("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir"))
REASONS = ("damaged", "late", "wrong item")


def _wages() -> Snapshot:
    columns: Columns = {
        "colaborador": [f"Pessoa {number:02}" for number in range(24)],
        "setor": [SECTORS[number % 3] for number in range(24)],
        "salario": [f"R$ {2000 + 37 * number},50" for number in range(24)],
        "bonus": [f"R$ {100 + 11 * number},25" for number in range(24)],
        "admissao": [f"{1 + number:02}/0{1 + number % 6}/2024" for number in range(24)],
    }
    return materialize([raw_band(columns, "folha", style="br", locale="pt-BR")])


def _clinic() -> Snapshot:
    months = ("2025-11", "2025-12", "2026-01", "2026-02")
    columns: Columns = {
        "data": [f"{months[number % 4]}-{1 + number % 27:02}" for number in range(60)],
        "medico": [DOCTORS[number % 4] for number in range(60)],
        "paciente": [PATIENTS[number * 7 % 25] for number in range(60)],
        "convenio": [PLANS[number % 3] if number % 10 else None for number in range(60)],
        "valor_consulta": [f"R$ {150 + 13 * (number % 9)},00" for number in range(60)],
    }
    return materialize([raw_band(columns, "consultas", style="br", locale="pt-BR")])


def _stock() -> Snapshot:
    columns: Columns = {
        "produto": [f"Peça {number:02}" for number in range(30)],
        "deposito": [("Matriz", "Anexo")[number % 2] for number in range(30)],
        "quantidade": [str(3 + number * 5 % 17) for number in range(30)],
        "custo_unitario": [f"{1 + number % 7},35" for number in range(30)],
        "valor_estoque": [f"R$ {40 + number * 9 % 23},10" for number in range(30)],
    }
    return materialize([raw_band(columns, "estoque", style="br", locale="pt-BR")])


def _shop() -> Snapshot:
    orders: Columns = {
        "order_id": [f"A-{number:03}" for number in range(40)],
        "customer": [CUSTOMERS[number % 6] for number in range(40)],
        "country": [COUNTRIES[number % 4] for number in range(40)],
        "order_date": [f"2026-0{1 + number % 3}-{1 + number % 28:02}" for number in range(40)],
        "ship_date": [f"2026-0{1 + number % 3}-{1 + (number + 2) % 28:02}" for number in range(40)],
        "amount": [f"{20 + number * 3.25:.2f}" for number in range(40)],
    }
    returns: Columns = {
        "order_id": [f"A-{number:03}" for number in range(0, 40, 4)],
        "reason": [REASONS[number % 3] for number in range(10)],
        "refund": [f"{5 + number:.2f}" for number in range(10)],
    }
    return materialize([raw_band(orders, "orders"), raw_band(returns, "returns")])


@cache
def invented(name: str) -> Snapshot:
    """The report *name*."""
    return {"wages": _wages, "clinic": _clinic, "stock": _stock, "shop": _shop}[name]()
