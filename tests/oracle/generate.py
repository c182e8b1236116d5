"""Random tables, the same for the same seed: columns of many kinds, with what files do to them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.oracle.kinds import FITTING, MAKERS, TOKENS, Maker, decimal_text

WORDS = (
    "valor vl total qtd saldo custo preco unit media taxa aliquota pct perc ano exercicio safra mes dia hora"
)
MORE_WORDS = (
    "trimestre semana id cod sq nf cfop cst cnpj cpf cep ean chave numero nº nota num venc data dt inicio fim"
)
OTHER_WORDS = (
    "cliente status obs peso Situação x região Emissão vUnCom vProd Ano_Base mesRef dataFim qtdTotal"
)
NAME_WORDS = f"{WORDS} {MORE_WORDS} {OTHER_WORDS}".split()
SPACED_NAMES = [
    "valor total",
    "data de emissão",
    "  taxa ",
    "número da nota",
    "preço unit.",
    "CEP (cobrança)",
    "nº nf",
]

ODD = [
    "x1",
    "1E5",
    "1.2.3",
    "12,5%",
    "R$ 5",
    "€ 7",
    "1.234",
    "1,234",
    "007",
    "12",
    "2,5",
    "2.5",
    "31/02/2024",
    "abc",
    "1 234,5",
]
SPACES = [" ", "  ", "\u00a0", "\t", "\u200b", "\u3000", "\n"]
WHITE = "".join(SPACES)
TOTALS = ["Total", "TOTAL", "totais", "Total Geral", "Soma", "subtotal", " Total "]


@dataclass(frozen=True)
class Table:
    """A text file before it is written, and what a caller declares about it."""

    name: str
    records: list[list[str]]
    delimiter: str
    locale: str | None
    quote_all: bool
    line_end: str

    def write(self, folder: Path) -> Path:
        path = folder / f"{self.name}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(
                file,
                delimiter=self.delimiter,
                quoting=csv.QUOTE_ALL if self.quote_all else csv.QUOTE_MINIMAL,
                lineterminator=self.line_end,
            )
            writer.writerows(self.records)
        return path


def table(seed: int) -> Table:
    """The table of *seed*."""
    random = Random(seed)
    rows = row_count(random)
    width = random.choice([1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8]) if rows <= 300 else random.randint(2, 4)
    kinds = [random.choice(MAKERS) for _ in range(width)]
    columns = [column(random, rows, kind) for kind in kinds]
    names = header(random, kinds)
    body = [[cells[at] for cells in columns] for at in range(rows)]
    if random.random() < 0.25:
        add_total(random, body)
    if random.random() < 0.1 and width > 2:
        make_ragged(random, body)
    if random.random() < 0.1:
        for _ in range(random.randint(1, 3)):
            body.insert(random.randint(0, len(body)), random.choice([[], [""] * width, [" "] * width]))
    records = [names, *body]
    if random.random() < 0.05 and can_be_headless(body, width):
        records = body
    return Table(
        name="b",
        records=records,
        delimiter=random.choice([";", ";", ",", ",", "\t", "|"]),
        locale=random.choice([None, None, None, None, "pt-BR", "en-US"]),
        quote_all=random.choice([False, False, False, True]),
        line_end=random.choice(["\n", "\n", "\r\n"]),
    )


def can_be_headless(body: list[list[str]], width: int) -> bool:
    """Whether the first row is whole, and does not look like the upper of two header levels."""
    if len(body) < 4 or width < 2 or len(body[0]) != width:
        return False
    firsts = [row[0].strip(WHITE) if row else "" for row in body[:3]]
    return all(firsts) and len({*firsts}) == 3 and bool(body[0][1].strip(WHITE))


def row_count(random: Random) -> int:
    chance = random.random()
    if chance < 0.02:
        return 0
    if chance < 0.2:
        return random.randint(1, 6)
    if chance < 0.65:
        return random.randint(7, 30)
    if chance < 0.9:
        return random.randint(31, 100)
    return random.randint(101, 300) if chance < 0.997 else 2_000


def header(random: Random, kinds: list[Maker]) -> list[str]:
    """Names, half of them fitting, a few repeated; empty ones only past the second."""
    names: list[str] = []
    for position, kind in enumerate(kinds):
        chance = random.random()
        if chance < 0.03 and position > 1:
            names.append(random.choice(["", " "]))
        elif chance < 0.06 and names:
            names.append(random.choice(names))
        elif chance < 0.15:
            names.append(random.choice(SPACED_NAMES))
        elif chance < 0.5:
            names.append(random.choice(FITTING.get(kind, OTHER_WORDS).split()))
        else:
            words = random.sample(NAME_WORDS, random.choice([1, 1, 1, 2]))
            names.append(random.choice(["_", " ", "."]).join(words))
    return names


def column(random: Random, rows: int, kind: Maker) -> list[str]:
    """The cells of one column: one kind, then nulls, a few odd cells and white space."""
    cells = kind(random, rows)
    empty = random.choice([0, 0, 0, 0.05, 0.4])
    tokens = random.choice([0, 0, 0, 0.05, 0.2])
    token = random.choice(TOKENS)
    padding = random.choice([0, 0, 0.1])
    odd = random.choice([0, 0, 0, 0, 0, 0, 0.03, 0.3])
    odd_cell = random.choice(ODD)
    result = []
    for made in cells:
        cell = made
        if random.random() < empty:
            cell = random.choice(["", "", " "])
        elif random.random() < tokens:
            cell = token
        elif random.random() < odd:
            cell = odd_cell
        if random.random() < padding:
            cell = f"{random.choice(SPACES)}{cell}{random.choice(SPACES)}"
        result.append(cell)
    if rows and random.random() < 0.04:
        result[random.randrange(rows)] = odd_cell
    return result


def add_total(random: Random, body: list[list[str]]) -> None:
    """A first or last row that adds up columns of integers or decimal commas, or claims to."""
    if len(body) < 2:
        return
    label = random.choice([*TOTALS, "", "", "Brasil"]) if len(body[0]) > 1 else ""
    row = [
        total_cell(random, [cell for cell in cells if cell], label in TOTALS)
        for cells in zip(*body, strict=True)
    ]
    if label:
        row[row.index("") if "" in row else 0] = label
    stated = [at for at, cell in enumerate(row) if cell.isdigit()]
    if stated and random.random() < 0.2:
        row[stated[0]] = random.choice(
            [str(int(row[stated[0]]) + 1), row[stated[0]] + ",5", row[stated[0]] + ".25"]
        )
    if random.random() < 0.2:
        row[row.index(random.choice([cell for cell in row if cell != label] or row))] = ""
    body.insert(random.choice([0, len(body), len(body)]), row)


def total_cell(random: Random, cells: list[str], labelled: bool) -> str:
    """
    What *cells* add up to, or nothing if they are not plain enough.

    A sum that makes its column something else can only be found under a label: thousands that are parted in
    it alone, or more than fifteen digits.
    """
    parts = [cell.partition(",") for cell in cells]
    if not cells or not all(
        (whole + rest).isdigit() and (whole + rest).isascii() for whole, _, rest in parts
    ):
        return ""
    places = {len(rest) for _, _, rest in parts}
    if len(places) > 1 or 3 in places:
        return ""
    digits = places.pop()
    cents = sum(int(whole + rest) for whole, _, rest in parts)
    if not labelled and len(str(cents)) - digits > 15:
        return ""
    return decimal_text(cents, digits, "br", grouped=(labelled or digits > 0) and random.random() < 0.4)


def make_ragged(random: Random, body: list[list[str]]) -> None:
    """A few rows that are too short or too long."""
    if len(body) < 12:
        return
    for at in random.sample(range(len(body)), len(body) // 12):
        if random.random() < 0.5:
            body[at] = body[at][: random.randint(2, len(body[at]))]
        else:
            body[at] = [*body[at], *random.choices(["", "7", "extra", "1,5"], k=random.randint(1, 2))]
