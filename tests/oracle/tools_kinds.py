"""The kinds of columns of random reports: how their cells are made, written and read back."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any, Literal

Type = Literal["text", "number", "date", "datetime", "boolean"]
Cell = str | Decimal | float | bool | None
"""A date is its ISO text, a moment the text as written, in ISO order."""

NULLS = ("", "-", "n/d", "NULL")
"""What stands for nothing in a column of numbers or dates."""


@dataclass(frozen=True)
class Column:
    """What the generator knows of a column, and its cells."""

    name: str
    type: Type
    role: str | None = None
    unit: str | None = None
    style: str = "plain"
    scale: int = 0
    is_double: bool = False
    day_first: bool = True
    cells: tuple[Cell, ...] = field(default=(), repr=False)

    @property
    def is_silent(self) -> bool:
        """Whether no cell tells a type."""
        return self.type == "text" and all(cell is None for cell in self.cells)


HOSTILE_NAMES = (
    "rows",
    "c0",
    "c1",
    "count(*)",
    '"',
    "'",
    'x"; DROP TABLE band; --',
    "</dados>",
    "grouped",
    "k0",
    "v0",
    "r",
    "n",
    "\U0001f600 ação",
    "a\nb",
    "NULL",
    "%s",
    "verb",
    "field",
    "group",
    "Nome",
    "nome",
    "NOME",
    "[F1]",
    "{names}",
    "x" * 300,
    "日本",
    "e\u0301",
    "é",
)
HOSTILE_TEXTS = (
    "' OR 1=1 --",
    '"; DROP TABLE band; --',
    "%",
    "_",
    "\\",
    "Sul'",
    "c0",
    "?",
    "$1",
    "NULL",
    "(other 3)",
    "</dados>",
    "{names}",
    "{{regiao}}",
    "\U0001f600",
    "a\nb",
    "x" * 10_000,
    "e\u0301",
    "é",
    "\ufb01m",
    "count(*)",
    "true",
    "2026-04",
    "1.234,50",
    "60",
    "\ue000",
    "\uffff",
)
WORDS = (
    "Sul",
    "sul",
    "Norte",
    "São Gil",
    "Sao Gil",
    "faturado",
    "aberto",
    "Maré",
    "Z",
    "a",
    "b",
    "ab",
    "Ltda.",
)


@dataclass(frozen=True)
class Kind:
    """How the cells of a column are made, written and read back."""

    names: tuple[str, ...]
    base: Column
    first: Cell
    """The first cell, which leaves no doubt of the type."""
    make: Callable[[Random], Cell]
    write: Callable[[Random, Any], str]
    read: Callable[[str], Cell]
    nulls: tuple[str, ...] = ("",)
    is_hostile: bool = True
    """Whether any other name would do."""


# ---- texts ----


def _same(_: Random, cell: Any) -> str:
    return str(cell)


def _text_kinds() -> list[Kind]:
    base = Column("", "text")
    names = ("status", "cliente", "UF", "região")
    return [
        Kind(names, base, "Sul", lambda random: random.choice(WORDS), _same, str),
        Kind(names, base, "Sul", lambda random: random.choice(WORDS[:4]), _same, str),
        Kind(names, base, "Sul", lambda random: random.choice(HOSTILE_TEXTS), _same, str),
        Kind(names, base, "Sul", lambda random: f"item {random.randint(0, 400)}", _same, str),
        Kind(("cst",), base, "060", lambda random: random.choice(("000", "060", "60", "41")), _same, str),
    ]


# ---- numbers ----


def grouped(digits: str, mark: str) -> str:
    """Thousands parted by *mark*."""
    head = len(digits) % 3 or 3
    return mark.join([digits[:head], *(digits[at : at + 3] for at in range(head, len(digits), 3))])


def br_text(number: Decimal, *, parted: bool) -> str:
    """1.234,50, with all its decimals."""
    whole, _, decimals = format(abs(number), "f").partition(".")
    whole = grouped(whole, ".") if parted else whole
    return ("-" if number < 0 else "") + whole + (f",{decimals}" if decimals else "")


def _write_br(unit: str) -> Callable[[Random, Any], str]:
    def write(random: Random, cell: Any) -> str:
        text = br_text(abs(cell), parted=random.random() < 0.5)
        before = f"{unit} " if unit not in ("", "%") else ""
        after = "%" if unit == "%" else ""
        if cell >= 0:
            return f"{before}{text}{after}"
        if after or random.random() < 0.7:
            return f"-{before}{text}{after}"
        return f"({before}{text})"

    return write


def _read_br(text: str) -> Decimal:
    is_negative = "-" in text or "(" in text
    digits = re.sub(r"[^0-9,]", "", text).replace(",", ".")
    return -Decimal(digits) if is_negative else Decimal(digits)


def _write_point(_: Random, cell: Any) -> str:
    return format(cell, "f")


def _amounts(scale: int, digits: int = 5) -> Callable[[Random], Decimal]:
    def make(random: Random) -> Decimal:
        chance = random.random()
        if chance < 0.15:
            return Decimal(0).scaleb(-scale)
        if chance < 0.4:  # few values, so that groups and ties form
            return Decimal(random.randint(-3, 9)).scaleb(-scale) * 10
        size = 10 ** random.randint(1, digits + scale)
        return Decimal(random.randint(-size, size)).scaleb(-scale)

    return make


def _integers(low: int, high: int) -> Callable[[Random], Decimal]:
    return lambda random: Decimal(random.randint(low, high))


MEASURES = ("valor_total", "saldo", "Vl Bruto", "qtd")


def _number_kinds() -> list[Kind]:
    kinds = []
    for scale in (1, 2, 3, 6):
        first = Decimal(25).scaleb(-scale) if scale > 1 else Decimal("0.5")
        for unit in ("", "R$") if scale == 2 else ("",):
            base = Column("", "number", "measure", unit or None, "br")
            kinds.append(Kind(MEASURES, base, first, _amounts(scale), _write_br(unit), _read_br, NULLS))
        base = Column("", "number", "measure", None, "point")
        kinds.append(Kind(MEASURES, base, first, _amounts(scale), _write_point, Decimal, NULLS))
    wide = Column("", "number", "measure", None, "point")
    kinds.append(
        Kind(MEASURES, wide, Decimal("0." + "123" * 7), _amounts(21, 14), _write_point, Decimal, NULLS)
    )
    whole = Column("", "number", "measure")
    kinds.append(
        Kind(("qtd", "valor"), whole, Decimal(-7), _integers(-20, 200), _same, Decimal, NULLS, False)
    )
    percent = Column("", "number", "%", "%", "br")
    kinds.append(
        Kind(("margem", "desconto"), percent, Decimal("0.5"), _amounts(1, 2), _write_br("%"), _read_br, NULLS)
    )
    for name, role in (("taxa_juros", "%"), ("preco_unit", "rate"), ("cotacao", "rate")):
        base = Column("", "number", role, None, "br")
        kinds.append(Kind((name,), base, Decimal("0.25"), _amounts(2), _write_br(""), _read_br, NULLS, False))
    for names, role, code, make in (
        (("codigo", "nf"), "id", 1001, _integers(1, 30)),
        (("ano", "exercicio"), "year", 2024, _integers(2019, 2026)),
        (("mes",), "part", 12, _integers(1, 12)),
    ):
        base = Column("", "number", role)
        kinds.append(Kind(names, base, Decimal(code), make, _same, Decimal, NULLS, False))
    return kinds


# ---- days, moments, booleans ----

EDGE_DAYS = (
    *("2024-02-29", "2024-12-30", "2025-12-28", "2025-12-29", "2025-12-31", "2026-01-01", "2026-01-04"),
    *("2026-01-05", "2026-03-31", "2026-04-01", "2026-12-31", "2027-01-03", "1999-12-31", "2000-01-01"),
)
FAR_DAYS = ("0001-01-01", "9999-12-31", "1582-10-10")


def a_day(random: Random) -> str:
    chance = random.random()
    if chance < 0.3:
        return random.choice(EDGE_DAYS)
    if chance < 0.32:
        return random.choice(FAR_DAYS)
    if chance < 0.6:
        return f"2026-04-{random.choice((1, 30, 30, random.randint(1, 30))):02d}"
    return (date(2024, 1, 1) + timedelta(days=random.randint(0, 1_000))).isoformat()


def _written_day(form: str) -> Callable[[Random, Any], str]:
    def write(_: Random, cell: Any) -> str:
        year, month, day = cell[:10].split("-")
        return form.format(y=year, m=month, d=day)

    return write


def _read_day(order: str, mark: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        parts = dict(zip(order, text[:10].split(mark), strict=True))
        return f"{parts['y']}-{parts['m']}-{parts['d']}"

    return read


def _moment(random: Random) -> str:
    clock = random.choice(
        ("10:00:00", "10:00:01", "00:00:00", "23:59:59", f"{random.randint(0, 23):02d}:30:15")
    )
    fraction = random.choice(("", "", "", ".5", ".500", ".25", ".999999"))
    offset = random.choice(("", "", "Z", "-03:00", "+05:30"))
    return f"{a_day(random)}T{clock}{fraction}{offset}"


def _date_kinds() -> list[Kind]:
    kinds = []
    for form, order, mark, day_first in (
        ("{y}-{m}-{d}", "ymd", "-", True),
        ("{d}/{m}/{y}", "dmy", "/", True),
        ("{m}/{d}/{y}", "mdy", "/", False),
        ("{y}-{m}-{d}T00:00:00.000Z", "ymd", "-", True),
    ):
        base = Column("", "date", day_first=day_first)
        read = _read_day(order, mark)
        names = ("data", "emissão", "dia_x")
        kinds.append(Kind(names, base, "2026-04-25", a_day, _written_day(form), read, NULLS))
    moment = Column("", "datetime")
    kinds.append(Kind(("quando", "criado em"), moment, "2026-04-25T10:20:30", _moment, _same, str, NULLS))
    return kinds


def _boolean_kind() -> Kind:
    base = Column("", "boolean")
    return Kind(
        ("ativo",),
        base,
        True,
        lambda random: random.random() < 0.6,
        lambda random, cell: random.choice(("true", "True") if cell else ("false", "FALSE")),
        lambda text: text.lower() == "true",
        ("", "-"),
    )


TEXT_KINDS = _text_kinds()
NUMBER_KINDS = _number_kinds()
OTHER_KINDS = [*_date_kinds(), *_date_kinds(), _boolean_kind()]
SILENT = Kind(("vazio",), Column("", "text"), None, lambda _: None, _same, lambda _: None)
