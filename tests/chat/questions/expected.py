"""
Works out the answers of the labelled questions in plain Python, one small function a kind of answer.

Nothing of the engine has a part in it: the files are read by what a person sees in them, the columns by the
lists below.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples"

Cell = str | Decimal | None
Row = Mapping[str, Cell]
Conditions = Sequence[Sequence[Any]]
"""Each a field, an operator and a value; a row has to fit all of them."""

NUMBERS = frozenset(
    (
        *("valor_total", "margem_bruta", "valor", "dias_atraso", "comissao", "meta"),
        *("qCom", "vUnCom", "vProd", "vDup"),
        *("peso_bruto_kg", "peso_liquido_kg", "umidade", "km", "valor_frete"),
    )
)
DATES = frozenset({"data", "data_entrega", "dVenc", "emissao"})
AVERAGE_DECIMALS = 2
"""At least: the average of a column has as many decimals as the column, where those are more."""


# ---- the files ----


@cache
def bands_of(report: str) -> Mapping[str, Sequence[Row]]:
    """The rows of each band of *report*, as its reader sees them."""
    match report:
        case "dashboard":
            return _tables(EXAMPLES / "financeiro", "vendas", "pagamentos")
        case "financeiro":
            # The quarter that the report has when nobody chooses one.
            return _tables(EXAMPLES / "financeiro" / "trimestres" / "2026-T1", "vendas", "pagamentos")
        case "danfe":
            stub = _records(EXAMPLES / "danfe" / "canhoto.json")
            others = {name: _records(EXAMPLES / "danfe" / f"{name}.json") for name in ("itens", "duplicatas")}
            return {"canhoto+header": stub, **others}
        case "restrito_vendedora" | "restrito_diretora":
            return _seen_by(report.removeprefix("restrito_"))
        case "cooperativa":
            return _tables(HERE / "harvest", "entregas", "fretes")
    raise KeyError(report)


def _seen_by(viewer: str) -> Mapping[str, Sequence[Row]]:
    """The regions of the viewer, without the row that adds up the targets."""
    person = json.loads((EXAMPLES / "restrito" / "viewers" / f"{viewer}.json").read_text("utf-8"))
    regions = person["attributes"]["regioes"]
    tables = _tables(EXAMPLES / "restrito", "vendas", "metas")
    return {name: [row for row in rows if row["regiao"] in regions] for name, rows in tables.items()}


def _tables(folder: Path, *names: str) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {}
    for name in names:
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter=";")
            tables[name] = [
                {field: _cell(field, text, brazilian) for field, text in row.items()} for row in rows
            ]
    return tables


def _records(path: Path) -> list[Row]:
    records = json.loads(path.read_text("utf-8"))
    return [{field: _cell(field, text, Decimal) for field, text in record.items()} for record in records]


def _cell(field: str, text: str, number: Callable[[str], Decimal]) -> Cell:
    if not text:
        return None
    if field in NUMBERS:
        return number(text)
    return iso(text) if field in DATES else text


def brazilian(text: str) -> Decimal:
    """1.234,50, R$ 1.234,50 or 12,5%."""
    return Decimal(text.strip("R$ %").replace(".", "").replace(",", "."))


def iso(text: str) -> str:
    """05/04/2026, or a timestamp at midnight, as 2026-04-05."""
    day = text[:10]
    return f"{day[6:]}-{day[3:5]}-{day[:2]}" if "/" in day else day


# ---- the rows that are meant ----


def chosen(rows: Sequence[Row], where: Conditions) -> list[Row]:
    """The rows that fit all conditions; an empty cell fits none."""
    return [row for row in rows if all(_fits(row[field], op, value) for field, op, value in where)]


def _fits(cell: Cell, op: str, value: Any) -> bool:
    match cell, op:
        case None, _:
            return False
        case _, "=":
            return bool(cell == value)
        case _, "!=":
            return bool(cell != value)
        case Decimal(), ">":
            return cell > Decimal(str(value))
        case str(), "between":
            return bool(value[0] <= cell <= value[1])
    raise ValueError(f"No meaning: {cell!r} {op} {value!r}")


def _numbers(rows: Sequence[Row], field: str) -> list[Decimal]:
    return [cell for row in rows if isinstance(cell := row[field], Decimal)]


# ---- one value of some rows ----


def count(rows: Sequence[Row], _field: str | None, _all: Sequence[Row]) -> str:
    """How many rows."""
    return str(len(rows))


def distinct(rows: Sequence[Row], field: str, _all: Sequence[Row]) -> str:
    """How many different values."""
    return str(len({row[field] for row in rows} - {None}))


def total(rows: Sequence[Row], field: str, _all: Sequence[Row]) -> str:
    """The exact sum."""
    return plain(sum(_numbers(rows, field), Decimal(0)))


def average(rows: Sequence[Row], field: str, every: Sequence[Row]) -> str:
    """The exact mean of the filled cells, rounded once, half to even."""
    numbers = _numbers(rows, field)
    decimals = max(AVERAGE_DECIMALS, *(_decimals(number) for number in _numbers(every, field)))
    return rounded(Fraction(sum(map(Fraction, numbers)), len(numbers)), decimals)


def least(rows: Sequence[Row], field: str, _all: Sequence[Row]) -> str:
    """The least number, or the first date."""
    return _extreme(rows, field, min)


def greatest(rows: Sequence[Row], field: str, _all: Sequence[Row]) -> str:
    """The greatest number, or the last date."""
    return _extreme(rows, field, max)


def share(rows: Sequence[Row], field: str | None, every: Sequence[Row]) -> str:
    """What percentage of all rows, or of their sum, these are."""
    if field is None:
        return rounded(Fraction(100 * len(rows), len(every)), 2)
    part, whole = (Fraction(sum(_numbers(some, field))) for some in (rows, every))
    return rounded(100 * part / whole, 2)


def _extreme(rows: Sequence[Row], field: str, pick: Callable[[list[Any]], Any]) -> str:
    found = pick([cell for row in rows if (cell := row[field]) is not None])
    return plain(found) if isinstance(found, Decimal) else str(found)


VERBS: Mapping[str, Callable[[Sequence[Row], Any, Sequence[Row]], str]] = {
    "SUM": total,
    "AVG": average,
    "COUNT": count,
    "DISTINCT": distinct,
    "MIN": least,
    "MAX": greatest,
    "SHARE": share,
}


# ---- the kinds of answers ----


def one_value(reading: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, object]:
    """A value of the rows that are meant."""
    return {"value": _value(reading, chosen(rows, reading.get("where", ())), rows)}


def comparison(reading: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, object]:
    """A value of what is named first, of what is named second, and how far the second is from the first."""
    a, b = (_value(reading, chosen(rows, reading[side]), rows) for side in ("a", "b"))
    return {"a": a, "b": b, "difference": plain(Decimal(b) - Decimal(a))}


def ranking(reading: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, object]:
    """
    The first groups with their values: greatest first, least first where `order` says so, months in order of time.

    Rows without a name are no group.
    """
    groups: dict[str, list[Row]] = {}
    for row in chosen(rows, reading.get("where", ())):
        if (name := row[reading["by"]]) is not None:
            groups.setdefault(str(name)[:7] if "period" in reading else str(name), []).append(row)
    values = [[name, _value(reading, some, rows)] for name, some in groups.items()]
    values.sort(key=lambda one: one[0])
    if "period" not in reading:
        values.sort(key=lambda one: Decimal(one[1]), reverse=reading.get("order") != "asc")
    return {"groups": values[: reading.get("top")]}


def expected(report: str, reading: Mapping[str, Any]) -> dict[str, object]:
    """The right answer to a question with this *reading*."""
    rows = bands_of(report)[reading["band"]]
    kind = comparison if "a" in reading else ranking if "by" in reading else one_value
    return {"verb": reading["verb"], "band": reading["band"], **kind(reading, rows)}


def _value(reading: Mapping[str, Any], rows: Sequence[Row], every: Sequence[Row]) -> str:
    return VERBS[reading["verb"]](rows, reading.get("field"), every)


# ---- numbers as text ----


def plain(number: Decimal) -> str:
    """Every digit, no exponent, and no zeros at the end of decimals."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def rounded(exact: Fraction, decimals: int) -> str:
    """*exact* with at most so many decimals, half to even."""
    return plain(Decimal(round(exact * 10**decimals)).scaleb(-decimals))


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0
