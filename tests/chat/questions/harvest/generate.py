"""
Writes the deliveries and freights of a cooperative that exists nowhere: the same bytes on every run.

    python -m tests.chat.questions.harvest.generate

All names and values are invented. Only `Random.random()` is drawn from, since it alone keeps its sequence between
versions of Python.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import TypeVar

SEED = 20260202
FIRST_DAY = date(2026, 2, 2)
DAYS = 117
"""The harvest comes in from February to May 2026."""

DELIVERIES = 96
MEMBERS = (
    *("Fazenda Santa Rita",) * 4,
    *("Fazenda Rio Manso",) * 3,
    *("Sítio do Ipê",) * 2,
    *("Sítio Três Irmãos",) * 2,
    "Chácara Boa Sorte",
    "Sítio Pedra Branca",
    "Chácara São José",
)
CROPS = ("soja",) * 9 + ("milho",) * 6 + ("feijão",) * 3 + ("café",) * 2
CENTS_PER_KG = {"soja": 215, "milho": 108, "feijão": 460, "café": 2380}
WAREHOUSES = ("Central",) * 4 + ("Serrinha",) * 3 + ("Lagoa Nova",) * 2
STATES = ("recebido",) * 17 + ("em análise",) * 2 + ("recusado",) * 2

FREIGHTS = 48
CARRIERS = ("Rápido Cerrado",) * 3 + ("TransGrão",) * 2 + ("Irmãos Furtado",) * 2

T = TypeVar("T")


def harvest_files() -> dict[str, str]:
    """The text of each file by its name."""
    return {"entregas.csv": _deliveries(Random(SEED)), "fretes.csv": _freights(Random(SEED + 1))}


def _deliveries(rng: Random) -> str:
    header = (
        *("romaneio", "data_entrega", "cooperado", "produto", "armazem", "situacao"),
        *("peso_bruto_kg", "peso_liquido_kg", "umidade", "valor"),
    )
    rows = []
    for number, day in enumerate(_days(rng, DELIVERIES), start=1):
        member, crop, state = _pick(rng, MEMBERS), _pick(rng, CROPS), _pick(rng, STATES)
        gross = 1_200 + _below(rng, 29_000)
        net = gross * (940 + _below(rng, 50)) // 1000
        cents = net * (CENTS_PER_KG[crop] + _below(rng, 12))
        rows.append(
            (
                f"RM-{number:04}",
                day,
                member,
                crop,
                _pick(rng, WAREHOUSES),
                state,
                _thousands(gross),
                # What was refused is not unloaded, and what is still tested is not paid.
                "" if state == "recusado" else _thousands(net),
                f"{11 + _below(rng, 9)},{_below(rng, 10)}%",
                f"R$ {_money(cents)}" if state == "recebido" else "",
            )
        )
    return _csv(header, rows)


def _freights(rng: Random) -> str:
    rows = []
    for day in _days(rng, FREIGHTS):
        distance = 18 + _below(rng, 190)
        cents = 12_000 + distance * (390 + _below(rng, 160))
        rows.append((day, _pick(rng, CARRIERS), _pick(rng, WAREHOUSES), str(distance), f"R$ {_money(cents)}"))
    return _csv(("data", "transportador", "armazem", "km", "valor_frete"), rows)


def _days(rng: Random, count: int) -> list[str]:
    days = sorted(_below(rng, DAYS) for _ in range(count))
    return [f"{FIRST_DAY + timedelta(days=day):%d/%m/%Y}" for day in days]


def _below(rng: Random, end: int) -> int:
    return int(rng.random() * end)


def _pick(rng: Random, values: Sequence[T]) -> T:
    return values[_below(rng, len(values))]


def _thousands(units: int) -> str:
    return f"{units:,}".replace(",", ".")


def _money(cents: int) -> str:
    whole, rest = divmod(cents, 100)
    return f"{_thousands(whole)},{rest:02}"


def _csv(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


if __name__ == "__main__":
    for name, text in harvest_files().items():
        (Path(__file__).parent / name).write_bytes(text.encode())
