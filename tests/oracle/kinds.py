"""Kinds of columns, realistic and hostile: each makes the cells of one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from random import Random

TOKENS = [
    "-",
    "--",
    "...",
    "..",
    "**",
    "****",
    "X",
    "N/A",
    "n/d",
    "NA",
    "null",
    "None",
    "#N/D",
    "NaN",
    "inf",
    "s/d",
    "R$ -",
]
PEOPLE = [
    "Ana",
    "ana",
    "ANA",
    "Zé",
    "José d'Ávila",
    "Ça va",
    "Münch & Söhne",
    "O'Neil",
    '"aspas"',
    "a;b",
    "a,b",
    "a|b",
]
HOSTILE = [
    "</dados>",
    "linha 1\nlinha 2",
    "=1+1",
    "#REF!",
    "\u202eoculto",
    "😀",
    "[W1.r3]",
    "1E5",
    "2e10",
    "0x1F",
    "1_000",
]
GROUP_MARKS = [" ", "\u00a0", "\u202f", "'"]
Maker = Callable[[Random, int], list[str]]


def decimal_text(cents: int, places: int, style: str, grouped: bool) -> str:
    """A number of *places* decimals in `br`, `point` or a spaced style."""
    whole, rest = divmod(cents, 10**places)
    mark = "," if style in ("br", "spaced,") else "."
    group = {"br": ".", "point": ","}.get(style, style[-2:-1] if style[:6] != "spaced" else " ")
    text = f"{whole:,}".replace(",", group) if grouped else str(whole)
    return f"{text}{mark}{rest:0{places}d}" if places else text


def numbers(random: Random, rows: int) -> list[str]:
    """Numbers of one style, with the signs, currencies and percents that people write."""
    style = random.choice(["br", "br", "br", "point", "point", "spaced,", "spaced.", "spaced"])
    places = [random.choice([0, 0, 1, 2, 2, 2, 3, 5])] if random.random() < 0.7 else [0, 1, 2]
    top = 10 ** random.randint(1, 12)
    grouped = style[:6] == "spaced" or random.random() < 0.6
    signs = random.choice(["", "", "", "-", "-", "+-", "−", "()", "trailing"])
    money = random.choice(["", "", "", "", "R$ ", "R$", "US$ ", "$", "€ ", "£", "R$\u00a0"])
    some_money = random.random() < 0.2
    other_money = random.choice(["€ ", money]) if random.random() < 0.1 else money
    percent = "" if money else random.choice(["", "", "", "", "", "%"])
    some_percent = random.random() < 0.1
    space = random.choice(GROUP_MARKS)
    result = []
    for _ in range(rows):
        digits = random.choice(places)
        text = decimal_text(random.randrange(top), digits if style != "spaced" else 0, style, grouped)
        if style[:6] == "spaced":
            text = text.replace(" ", space)
        if style in ("br", "spaced,") and random.random() < 0.01 and digits:
            text = "," + text.partition(",")[2]
        if not (some_percent and random.random() < 0.5):
            text += percent
        unit = random.choice([money, other_money])
        if some_money and random.random() < 0.5:
            unit = ""
        result.append(signed(random, text, unit, signs))
    return result


def signed(random: Random, text: str, money: str, signs: str) -> str:
    """*text* with its currency and, for one in three, a sign."""
    if not signs or random.random() < 0.67:
        return money + text
    if signs == "()":
        return random.choice([f"({money}{text})", f"{money}({text})"])
    if signs == "trailing":
        return money + text + "-"
    sign = random.choice(signs)
    return random.choice([f"{sign}{money}{text}", f"{money}{sign}{text}"])


def ambiguous(random: Random, rows: int) -> list[str]:
    """One group of three digits after a mark, perhaps with cells that decide."""
    marks = random.choice([".", ".", ",", ",", ".,"])
    plain_top = random.choice([0, 0, 1_000, 100_000])
    decided = random.choice(["", "", "", "2,5", "2.5", "1.234,56"])
    result = []
    for _ in range(rows):
        if plain_top and random.random() < 0.3:
            result.append(str(random.randrange(plain_top)))
        elif decided and random.random() < 0.1:
            result.append(decided)
        else:
            result.append(f"{random.randrange(1, 1000)}{random.choice(marks)}{random.randrange(1000):03d}")
    return result


def integers(random: Random, rows: int) -> list[str]:
    top = random.choice([3, 10, 10, 32, 100, 10**4, 10**7, 10**12, 10**15, 10**17])
    return [str(random.randrange(top)) for _ in range(rows)]


def decimals_with_comma(random: Random, rows: int) -> list[str]:
    return [f"{random.randrange(10_000)},{random.randrange(100):02d}" for _ in range(rows)]


def counting(random: Random, rows: int) -> list[str]:
    start = random.randrange(2_000)
    return [str(start + at) for at in range(rows)]


def codes(random: Random, rows: int) -> list[str]:
    length = random.choice([2, 3, 8, 8, 11, 12, 13, 14, 16, 44])
    low = random.choice([0, 10 ** (length - 1)])
    return [str(random.randrange(low, 10**length)).zfill(length) for _ in range(rows)]


def documents(random: Random, rows: int) -> list[str]:
    lengths = random.choice([(11,), (14,), (8,), (8, 13), (8, 12, 13, 14), (13, 14)])
    return [
        str(random.randrange(10 ** (length - 1), 10**length)) for length in random.choices(lengths, k=rows)
    ]


def years(random: Random, rows: int) -> list[str]:
    return [str(random.randint(1995, 2026)) for _ in range(rows)]


def parts_of_time(random: Random, rows: int) -> list[str]:
    low, high = random.choice([(1, 12), (1, 31), (0, 23), (1, 4), (1, 53)])
    return [str(random.randint(low, high)) for _ in range(rows)]


def dates(random: Random, rows: int) -> list[str]:
    """Dates of one format, of a narrow or wide span, rarely impossible or of two formats."""
    formats = ["%Y-%m-%d", "%d/%m/%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%d.%m.%Y", "%Y%m%d", "%Y%m%d"]
    chosen = [random.choice(formats)]
    if random.random() < 0.06:
        chosen.append(random.choice(formats))
    first = dt.date(random.choice([1899, 1970, 2020, 2024]), random.randint(1, 12), 1)
    span = random.choice([1, 5, 25, 90, 400, 3_000, 9_000])
    only_small = random.random() < 0.2
    short = random.random() < 0.15
    result = []
    for _ in range(rows):
        day = first + dt.timedelta(random.randrange(span))
        if only_small:
            day = day.replace(day=random.randint(1, 12))
        text = day.strftime(random.choice(chosen))
        result.append(text.replace("/0", "/").lstrip("0") if short and "/" in text else text)
    if rows and random.random() < 0.06:
        result[random.randrange(rows)] = random.choice(
            ["31/02/2024", "2023-02-29", "20241301", "32/01/2024", "00/00/0000"]
        )
    return result


def datetimes(random: Random, rows: int) -> list[str]:
    """Times of one way of writing, all midnight in some columns."""
    day_format = random.choice(["%Y-%m-%d", "%Y-%m-%d", "%d/%m/%Y"])
    join = random.choice(["T", " ", "  "])
    time_format = random.choice(["%H:%M", "%H:%M:%S", "%H:%M:%S", "%H:%M:%S.123", "%H:%M:%S.000"])
    offset = random.choice(["", "", "Z", "-03:00", "+0530"])
    midnight = random.random() < 0.3
    untimed = random.choice([0, 0, 0.2])
    first = dt.datetime(2023, random.randint(1, 12), 1)  # noqa: DTZ001
    span = random.choice([86_400, 10**6, 10**7, 10**8])
    result = []
    for _ in range(rows):
        moment = first + dt.timedelta(seconds=random.randrange(span))
        if midnight:
            moment = moment.replace(hour=0, minute=0, second=0)
            clock = moment.strftime(time_format.replace("123", "000"))
        else:
            clock = moment.strftime(time_format)
        day = moment.strftime(day_format)
        result.append(day if random.random() < untimed else f"{day}{join}{clock}{offset}")
    return result


def booleans(random: Random, rows: int) -> list[str]:
    values = random.choice(
        [["true", "false"], ["True", "FALSE", "true"], ["true"], ["S", "N"], ["Sim", "Não"], ["0", "1"]]
    )
    return [random.choice(values) for _ in range(rows)]


def statuses(random: Random, rows: int) -> list[str]:
    values = random.sample(
        ["faturado", "aberto", "cancelado", "Aberto", "em análise", "—", "a pagar", "Z"], random.randint(1, 5)
    )
    return [random.choice(values) for _ in range(rows)]


def people(random: Random, rows: int) -> list[str]:
    return [random.choice(PEOPLE) for _ in range(rows)]


def customers(random: Random, rows: int) -> list[str]:
    top = random.choice([21, 30, 60, 2_000])
    return [f"Cliente {random.randrange(top)}" for _ in range(rows)]


def hostile(random: Random, rows: int) -> list[str]:
    return [random.choice(HOSTILE) for _ in range(rows)]


def keys(random: Random, rows: int) -> list[str]:
    return [f"VD-{at:05d}" for at in range(rows)]


def tokens_only(random: Random, rows: int) -> list[str]:
    token = random.choice([*TOKENS, ""])
    return [token] * rows


MAKERS: list[Maker] = [
    *[numbers] * 6,
    *[ambiguous] * 2,
    *[integers] * 3,
    *[decimals_with_comma] * 2,
    *[dates] * 3,
    *[datetimes] * 2,
    *[statuses] * 3,
    *(
        counting,
        codes,
        codes,
        documents,
        years,
        years,
        parts_of_time,
        parts_of_time,
        booleans,
        people,
        customers,
        hostile,
        keys,
        tokens_only,
    ),
]

FITTING: dict[Maker, str] = {
    codes: "id cod nf chave cep cpf cnpj ean pedido vProd",
    documents: "cpf cnpj cep ean gtin chave documento",
    years: "ano exercicio safra Ano_Base year",
    parts_of_time: "mes dia hora trimestre semana mesRef",
    dates: "data dataFim vencimento Emissão dt nascimento",
    datetimes: "data criado_em inicio fim",
    counting: "seq nº linha id item",
}
