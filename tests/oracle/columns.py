"""Decides what a column is, from all of its cells (spec 2)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from tests.oracle import cells
from tests.oracle.cells import Moment, NumberCell

Value = str | Decimal | Moment | bool | None


def words(text: str) -> set[str]:
    return set(text.split())


COMPACT_TOKENS = words("data dt date inicio fim vencimento emissao nascimento")
DOCUMENTS = {
    "cpf": {11},
    "cnpj": {14},
    "cep": {8},
    "chave": {44},
    "gtin": {8, 12, 13, 14},
    "ean": {8, 12, 13, 14},
}
PERCENT = words("perc percentual pct aliquota aliq taxa")
RATE = words("unit unitario unitaria preco price cotacao media medio avg")
AMOUNT = words("valor vl vlr vr total qtd qtde quantidade saldo custo")
YEAR = words("ano year exercicio safra annee anno")
PARTS = {
    **dict.fromkeys(("mes", "month"), (1, 12)),
    **dict.fromkeys(("dia", "day"), (1, 31)),
    **dict.fromkeys(("hora", "hour"), (0, 23)),
    **dict.fromkeys(("trimestre", "quarter"), (1, 4)),
    **dict.fromkeys(("semana", "week"), (1, 53)),
}
CODES = words(
    "id cod codigo code cd sq seq sequencial chave matricula protocolo processo registro zona secao"
) | words("serie nf pedido cfop ncm cst cnae cep cpf cnpj ibge ddd tel telefone fone fax celular")
NUMBERED = words("num nr nro numero no number nota")


@cache
def name_tokens(name: str) -> list[str]:
    """The words of a column's name (spec, notation)."""
    bare = "".join(one for one in unicodedata.normalize("NFKD", name) if not unicodedata.combining(one))
    spaced = "".join(one if one.isalpha() or one.isdigit() else " " for one in bare)
    return [word.lower() for word in re.sub("(?<=[a-z0-9])(?=[A-Z])", " ", spaced).split()]


@dataclass
class Column:
    """A column with its type, and each of its cells as a value."""

    name: str
    values: list[Value]
    type: str = "text"
    unit: str | None = None
    role: str | None = None
    scale: int = 0
    reader: Reader | None = None
    codes: set[str] = field(default_factory=set)

    @property
    def filled(self) -> list[Value]:
        return [value for value in self.values if value is not None]


class Reader(NamedTuple):
    """How a further cell of a number column is read."""

    style: str
    plain: bool
    """Whether no cell has a mark: that of one group of three then parts thousands."""

    def read(self, cell: str | None) -> Decimal | None:
        if cell is None or cells.is_null_token(cell):
            return None
        number = cells.number_cell(cell)
        return None if number is None else number.value(self.style_of(number))

    def style_of(self, number: NumberCell) -> str:
        """A cell that fits one style only is read in it, whatever its column is."""
        if len(number.styles) == 1:
            return next(iter(number.styles))
        if self.plain and number.styles:
            return "br" if "." in number.digits else "point"
        return self.style


def decide_columns(
    names: Sequence[str], columns: Sequence[list[str | None]], locale: str | None, default_style: str
) -> list[Column]:
    """Every column of a band, typed; the styles of some decide those of others (spec 2, numbers, 1.4)."""
    decided: list[Column | None] = [
        boolean_column(name, column) or date_column(name, column, locale)
        for name, column in zip(names, columns, strict=True)
    ]
    evidence = []
    for column, raw in zip(decided, columns, strict=True):
        numbers = [] if column else number_cells(raw) or []
        evidence.append(set() if keeps_text(numbers) else unambiguous_styles(numbers))
    result = []
    for position, column in enumerate(decided):
        others = set().union(*evidence[:position], *evidence[position + 1 :])
        raw = columns[position]
        typed = column or number_column(names[position], raw, locale, others, default_style)
        result.append(typed or text_column(names[position], raw))
    return result


def number_cells(column: Sequence[str | None]) -> list[NumberCell] | None:
    """The cells of *column* as numbers, those that mean nothing left out; None if one is no number."""
    result = []
    for cell in column:
        if cell is None or cells.is_null_token(cell):
            continue
        number = cells.number_cell(cell)
        if number is None:
            return None
        result.append(number)
    return result or None


def unambiguous_styles(numbers: Sequence[NumberCell]) -> set[str]:
    return set().union(*(number.styles for number in numbers if len(number.styles) == 1))


def keeps_text(numbers: Sequence[NumberCell]) -> bool:
    """Whether a rule keeps these cells text, whichever way their marks are read (spec 2, 1 to 3 and 6)."""
    mixed = (
        len(unambiguous_styles(numbers)) > 1
        or len({one.money for one in numbers} - {None}) > 1
        or len({one.percent for one in numbers}) > 1
    )
    # An ambiguous cell has six digits at most, so its reading does not matter here.
    long = any(min(one.integer_digits(style) for style in one.styles or {"br"}) > 15 for one in numbers)
    return mixed or long or any(one.has_leading_zero for one in numbers)


def boolean_column(name: str, column: list[str | None]) -> Column | None:
    """`true` and `false` in any case."""
    meant = [None if cell is None or cells.is_null_token(cell) else cell.lower() for cell in column]
    if {*meant} - {None} and {*meant} <= {"true", "false", None}:
        return Column(name, [None if cell is None else cell == "true" for cell in meant], "boolean")
    return None


def date_column(name: str, column: list[str | None], locale: str | None) -> Column | None:
    """One format for the whole column."""
    empty = cells.DATE_NULL_TOKENS
    meant = [None if cell is None or cells.is_null_token(cell) or cell in empty else cell for cell in column]
    filled = [cell for cell in meant if cell is not None]
    if not filled:
        return None
    moments = read_moments(filled, name, locale)
    if moments is None or None in moments:
        return None
    read = iter(moments)
    values = [None if cell is None else next(read) for cell in meant]
    midnight = all(one is None or one.is_midnight for one in values)
    return Column(name, [*values], "date" if midnight else "datetime")


def read_moments(filled: Sequence[str], name: str, locale: str | None) -> list[Moment | None] | None:
    """Each cell as a moment, None where it is impossible; None if the cells have no common format."""
    found = [cells.ISO.fullmatch(cell) for cell in filled]
    if all(found):
        return [cells.moment(one, one["year"], one["month"], one["day"]) for one in found if one]
    if COMPACT_TOKENS & {*name_tokens(name)}:
        found = [cells.COMPACT.fullmatch(cell) for cell in filled]
        if all(found):
            return [cells.moment(one, one["year"], one["month"], one["day"]) for one in found if one]
    parts = [one for one in map(cells.PARTS.fullmatch, filled) if one]
    if len(parts) < len(filled) or len({one["mark"] for one in parts}) > 1:
        return None
    day_first = any(int(one["first"]) > 12 for one in parts)
    month_first = any(int(one["second"]) > 12 for one in parts)
    if day_first and month_first:
        return None
    if not day_first and not month_first:
        month_first = locale == "en-US"
    if month_first:
        return [cells.moment(one, one["year"], one["first"], one["second"]) for one in parts]
    return [cells.moment(one, one["year"], one["second"], one["first"]) for one in parts]


def number_column(
    name: str, column: list[str | None], locale: str | None, others: set[str], default_style: str
) -> Column | None:
    """A number, unless a rule says that it only looks like one."""
    numbers = number_cells(column)
    if numbers is None:
        return None
    if keeps_text(numbers) or is_document(name, numbers):
        return None
    style = decide_style(numbers, locale, others, default_style)
    units = {"%" if one.percent else one.money for one in numbers} - {None}
    unit = next(iter(units), None)
    reader = Reader(style, not any(one.styles for one in numbers))
    scale = max(one.decimals(style) for one in numbers)
    result = Column(name, [reader.read(cell) for cell in column], "number", unit, None, scale, reader)
    result.role = role_of(result, numbers)
    return result


def decide_style(
    numbers: Sequence[NumberCell], locale: str | None, others: set[str], default_style: str
) -> str:
    """`br` or `point`: the first rule that speaks (spec 2, numbers, 1)."""
    proven = unambiguous_styles(numbers)
    if proven:
        return proven.pop()
    ambiguous = [one for one in numbers if len(one.styles) == 2]
    if locale is not None:
        return "br" if locale == "pt-BR" else "point"
    marks = {"," if "," in one.digits else "." for one in ambiguous}
    plain = [len(one.digits) for one in numbers if one.is_plain]
    if len(marks) == 1:
        as_decimal, as_group = ("br", "point") if marks == {","} else ("point", "br")
        if any(length >= 4 for length in plain):
            return as_decimal
        if len(others) == 1:
            return next(iter(others))
        if plain and len(ambiguous) >= 2:
            return as_group
    if len(others) == 1:
        return next(iter(others))
    return default_style


def is_document(name: str, numbers: Sequence[NumberCell]) -> bool:
    """CPF, CNPJ and the like by name and length (spec 2, numbers, 5)."""
    for token in name_tokens(name):
        lengths = DOCUMENTS.get(token, set())
        if lengths and all(is_bare(one) and len(one.digits) in lengths for one in numbers):
            return True
    return False


def is_bare(number: NumberCell) -> bool:
    """Digits and nothing else."""
    return number.is_plain and not number.signed and number.money is None and not number.percent


def role_of(column: Column, numbers: Sequence[NumberCell]) -> str:
    """What a number is for, first match wins (spec 2, roles)."""
    named = name_tokens(column.name)
    tokens = {*named}
    has_money = column.unit not in (None, "%")
    values = [value for value in column.values if isinstance(value, Decimal)]
    is_integer = column.scale == 0
    if column.unit == "%" or (not has_money and tokens & PERCENT):
        return "%"
    if not tokens & AMOUNT and (tokens & RATE or column.name in ("vUnCom", "vUnTrib")):
        return "rate"
    if is_integer and tokens & YEAR and all(1000 <= value <= 2999 for value in values):
        return "year"
    for token in named:
        if is_integer and token in PARTS:
            low, high = PARTS[token]
            if all(low <= value <= high for value in values):
                return "part"
    if is_integer and not has_money and not tokens & AMOUNT:
        if tokens & CODES or (tokens & NUMBERED and tokens <= NUMBERED | CODES):
            return "id"
        lengths = {len(one.digits) if is_bare(one) else 0 for one in numbers}
        if len(numbers) >= 10 and len(lengths) == 1 and min(lengths) >= 8:
            return "id"
        counted = list(range(int(values[0]), int(values[0]) + len(column.values)))
        if len(column.values) >= 20 and values == counted:
            return "id"
    return "measure"


def text_column(name: str, column: list[str | None]) -> Column:
    """What is left: cells as they are, and a warning if nearly all of them are something else."""
    result = Column(name, [*column])
    filled = [cell for cell in column if cell is not None and not cells.is_null_token(cell)]
    if nearly_all(filled, [cell for cell in filled if is_date(cell, name)]):
        result.codes.add("almost_date")
        return result
    numbers = {cell: cells.number_cell(cell) for cell in filled}
    found = [number for number in numbers.values() if number is not None]
    if nearly_all(filled, [cell for cell in filled if numbers[cell]]) and not keeps_text(found):
        result.codes.add("almost_number")
    return result


def nearly_all(filled: Sequence[str], fitting: Sequence[str]) -> bool:
    return len(fitting) < len(filled) and 10 * len(fitting) >= 9 * len(filled)


def is_date(cell: str, name: str) -> bool:
    """Whether *cell* alone would be a date, in whichever order."""
    for order in ("en-US", None):
        moments = read_moments([cell], name, order)
        if moments and moments[0]:
            return True
    return False
