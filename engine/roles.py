"""Gives every number column its role: not every number can be added up (spec 2, "Roles")."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from datasources.base import Role
from engine.names import name_tokens

AMOUNT_TOKENS = frozenset(
    ["valor", "vl", "vlr", "vr", "total", "qtd", "qtde", "quantidade", "saldo", "custo"]
)
PERCENT_TOKENS = frozenset(["perc", "percentual", "pct", "aliquota", "aliq", "taxa"])
RATE_TOKENS = frozenset(
    ["unit", "unitario", "unitaria", "preco", "price", "cotacao", "media", "medio", "avg"]
)
UNIT_PRICES = frozenset({"vUnCom", "vUnTrib"})
"""The NF-e's own names of unit prices (leiaute 4.00, group I)."""
YEAR_TOKENS = frozenset(["ano", "year", "exercicio", "safra", "annee", "anno"])
YEARS = (1000, 2999)
PARTS = {
    "mes": (1, 12),
    "month": (1, 12),
    "dia": (1, 31),
    "day": (1, 31),
    "hora": (0, 23),
    "hour": (0, 23),
    "trimestre": (1, 4),
    "quarter": (1, 4),
    "semana": (1, 53),
    "week": (1, 53),
}
ID_TOKENS = frozenset(
    [
        "id",
        "cod",
        "codigo",
        "code",
        "cd",
        "sq",
        "seq",
        "sequencial",
        "chave",
        "matricula",
        "protocolo",
        "processo",
        "registro",
        "zona",
        "secao",
        "serie",
        "nf",
        "pedido",
        "cfop",
        "ncm",
        "cst",
        "cnae",
        "cep",
        "cpf",
        "cnpj",
        "ibge",
        "ddd",
        "tel",
        "telefone",
        "fone",
        "fax",
        "celular",
    ]
)
ID_ALONE_TOKENS = frozenset(["num", "nr", "nro", "numero", "no", "number", "nota"])
"""Tokens of an id where they stand alone or beside only such tokens or `ID_TOKENS`."""
ID_CELLS_MIN = 10
ID_DIGITS_MIN = 8
COUNTER_ROWS_MIN = 20

SUMMABLE: frozenset[Role] = frozenset({"measure"})
AVERAGED: frozenset[Role] = frozenset({"measure", "%", "rate"})
BOUNDED: frozenset[Role] = AVERAGED | {"year", "part"}
CATEGORICAL: frozenset[Role] = frozenset({"id", "year", "part"})
"""Roles whose numbers are labels: they may be enumerations."""


class NumberColumn(NamedTuple):
    """What decides the role of a number column."""

    name: str
    unit: str | None
    integers: bool
    """Whether no cell has decimals, and the numbers are not floating point."""
    minimum: int | float | None
    """In whole units, like `maximum`; None when the column has no numbers."""
    maximum: int | float | None
    cells: int
    one_length: int | None
    """The digits of every cell, when all are plain digits of one length."""
    counts_up: bool
    """Whether no cell is null and each is one more than the one before, in source order."""
    rows: int


class _Signs(NamedTuple):
    """What the name of a number column says."""

    percent: bool
    amount: bool
    rate: bool
    year: bool
    parts: tuple[tuple[int, int], ...]
    """The ranges of the parts that it names."""
    id: bool


@lru_cache(maxsize=4096)
def _signs_of(name: str) -> _Signs:
    has = frozenset(name_tokens(name))
    amount = bool(has & AMOUNT_TOKENS)
    return _Signs(
        percent=bool(has & PERCENT_TOKENS),
        amount=amount,
        rate=bool(not amount and has & RATE_TOKENS) or name in UNIT_PRICES,
        year=bool(has & YEAR_TOKENS),
        parts=tuple(PARTS[token] for token in sorted(has) if token in PARTS),
        id=bool(has & ID_TOKENS) or bool(has & ID_ALONE_TOKENS and has <= ID_ALONE_TOKENS),
    )


def role_of(column: NumberColumn) -> Role:
    """The role of *column*: the first of the spec's table that matches."""
    signs = _signs_of(column.name)
    currency = column.unit is not None and column.unit != "%"
    if column.unit == "%" or (not currency and signs.percent):
        return "%"
    if signs.rate:
        return "rate"
    low, high = column.minimum, column.maximum
    if column.integers and low is not None and high is not None:
        if signs.year and low >= YEARS[0] and high <= YEARS[1]:
            return "year"
        if any(low >= first and high <= last for first, last in signs.parts):
            return "part"
        if not currency and not signs.amount and (signs.id or _looks_like_id(column)):
            return "id"
    return "measure"


def _looks_like_id(column: NumberColumn) -> bool:
    """Whether the numbers themselves say so: keys of one length, or a counter."""
    if column.one_length is not None and column.one_length >= ID_DIGITS_MIN and column.cells >= ID_CELLS_MIN:
        return True
    return column.counts_up and column.rows >= COUNTER_ROWS_MIN
