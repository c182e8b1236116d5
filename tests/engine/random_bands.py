"""Raw bands of random columns of every kind, for properties that hold for all tables."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Context, Decimal
from random import Random

from datasources.base import Cell, Lists, RawBand

DAY = date(2024, 1, 1)
MOMENT = datetime(2024, 1, 1)  # noqa: DTZ001 - as written, in no zone
ODD_TEXTS = ("-", "N/D", "", "  ", "x1", "1.234", "12", "5,00-", "1E5", "1 234,5")
NAMES = (
    "valor",
    "data",
    "ano",
    "mes",
    "id",
    "preco",
    "qtd",
    "cliente",
    "status",
    "x",
    "cep",
    "total",
    "taxa",
    "obs",
)


WIDE = Context(prec=40)
"""Without it a wide decimal would be rounded, and lose its scale: a native column has one scale."""


def brazilian(cents: int) -> str:
    """`1.234,56`."""
    return f"{abs(cents) // 100:,}".replace(",", ".") + f",{abs(cents) % 100:02d}"


KINDS: dict[str, Callable[[Random, int], Cell]] = {
    "few texts": lambda r, i: r.choice("abc"),
    "many texts": lambda r, i: f" VD-{i:05d}\u200b",
    "names": lambda r, i: r.choice(["Ana", "ana", "Zé", " ", "\0", "日本", "e\u0301"]),
    "codes": lambda r, i: r.choice(["060", "000"]),
    "money": lambda r, i: brazilian(r.randrange(10**8)),
    "signed money": lambda r, i: f"(R$ {brazilian(r.randrange(10**6))})" if r.random() < 0.3 else "R$ 1,00",
    "points": lambda r, i: f"{r.randrange(10**6) / 10 ** r.randrange(4)}",
    "ambiguous": lambda r, i: f"{r.randrange(1, 999)}.{r.randrange(1000):03d}",
    "percent": lambda r, i: f"{r.randrange(100)}%",
    "counter": lambda r, i: str(i + 7),
    "long decimals": lambda r, i: f"{r.randrange(10**15)}.{r.randrange(10**9):09d}",
    "too long": lambda r, i: f"{r.randrange(10**12)}.{r.randrange(10**9):030d}",
    "days": lambda r, i: (DAY + timedelta(r.randrange(400))).strftime("%d/%m/%Y"),
    "iso midnights": lambda r, i: f"{DAY + timedelta(r.randrange(9000))}T00:00:00.000Z",
    "iso times": lambda r, i: (MOMENT + timedelta(seconds=r.randrange(10**7))).isoformat(),
    "odd times": lambda r, i: r.choice(
        [
            "2024-01-05 1:02",
            "2024-01-05T10:00:00.500-03:00",
            "2024-01-05 23:59:59,25",
            "2024-02-29T00:00:00.000Z",
        ]
    ),
    "booleans": lambda r, i: r.choice(["true", "FALSE", "True"]),
    "native booleans": lambda r, i: r.choice([True, False]),
    "native integers": lambda r, i: r.randrange(-100, 10 ** r.randrange(1, 14)),
    "native keys": lambda r, i: r.randrange(10**17, 10**18),
    "native doubles": lambda r, i: r.random() * 10.0 ** r.randrange(-3, 9),
    "native cents": lambda r, i: round(r.random() * 1000, 2),
    "native zeros": lambda r, i: r.choice([0.0, -0.0, 1 / 3]),
    "native decimals": lambda r, i: Decimal(r.randrange(-(10**8), 10**8)).scaleb(-3),
    "wide decimals": lambda r, i: Decimal(r.choice([1, -1]) * r.randrange(10**30, 10**33)).scaleb(-5, WIDE),
    "native dates": lambda r, i: DAY + timedelta(r.randrange(40)),
    "old dates": lambda r, i: date(1, 1, 1) + timedelta(r.randrange(3_600_000)),
    "native midnights": lambda r, i: MOMENT + timedelta(r.randrange(400)),
    "native times": lambda r, i: (
        MOMENT + timedelta(seconds=r.randrange(10**6), milliseconds=r.choice([0, 120]))
    ),
}


def random_column(random: Random, rows: int, kind: str | None = None) -> list[Cell]:
    """Cells of one kind, some null, some texts that do not fit."""
    make = KINDS[kind or random.choice(list(KINDS))]
    nulls, odd = random.choice([0, 0, 0.05, 0.4, 1]), random.choice([0, 0, 0, 0.02, 0.3])
    cells: list[Cell] = []
    for row in range(rows):
        cell = make(random, row)
        if random.random() < nulls:
            cell = None
        elif isinstance(cell, str) and random.random() < odd:
            cell = random.choice(ODD_TEXTS)
        cells.append(cell)
    return cells


def random_band(random: Random, name: str = "b", sizes: tuple[int, ...] = (0, 1, 2, 5, 30, 200)) -> RawBand:
    """A band of one to six random columns."""
    rows, width = random.choice(sizes), random.randrange(1, 7)
    columns = tuple(random_column(random, rows) for _ in range(width))
    if rows > 3 and random.random() < 0.2:
        columns = (["Total", *("Ana" for _ in range(rows - 1))], *columns[1:])
    return RawBand(
        name,
        tuple(random.sample(NAMES, width)),
        Lists(columns, rows),
        random.choice(["text", "records", "typed"]),
        random.choice(["br", "point"]),
        locale=random.choice([None, None, "pt-BR", "en-US"]),
    )


def random_cuts(random: Random, rows: int) -> tuple[int, ...]:
    """Up to three positions at which a stream is cut."""
    return tuple(sorted(random.sample(range(rows), min(rows, random.randrange(4)))))
