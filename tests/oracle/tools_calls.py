"""Random calls of the tools: sensible ones, hostile ones, and ones that are no calls at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from tests.oracle.tools_kinds import (
    EDGE_DAYS,
    HOSTILE_NAMES,
    HOSTILE_TEXTS,
    WORDS,
    Column,
    br_text,
    grouped,
)
from tests.oracle.tools_tables import Band, World

VERBS = ("SUM", "AVG", "COUNT", "MIN", "MAX", "DISTINCT", "MEDIAN", "STDDEV", "SHARE")
ORDERED = ("=", "!=", ">", ">=", "<", "<=", "in", "not_in", "between", "is_null")
TEXT_OPS = (*ORDERED, "contains", "starts_with", "contains", "starts_with")
PERIODS = ("day", "week", "month", "quarter", "year")
HOSTILE_VALUES = (
    *HOSTILE_TEXTS,
    "a\0b",
    "\0",
    "\ud800",
    "a\udfffb",
    "",
    " ",
    "1; SELECT * FROM read_csv('/etc/passwd')",
    "${x}",
    "0x10",
    "1e5",
    "--",
    "٣",
    "é" * 10_000,
)


@dataclass(frozen=True)
class Call:
    """A call, and what its text is."""

    tool: str
    given: Mapping[str, Any] | None
    """None of a call that has no meaning at all."""
    text: str
    is_malformed: bool = False


def json_of(value: Any, random: Random) -> str:
    """JSON in which a Decimal keeps its digits."""
    match value:
        case Decimal():
            return str(value)
        case dict():
            pairs = (f"{json_of(key, random)}:{json_of(one, random)}" for key, one in value.items())
            return "{" + ",".join(pairs) + "}"
        case list():
            return "[" + ", ".join(json_of(one, random) for one in value) + "]"
        case str() if random.random() < 0.5 and not any("\ud800" <= mark <= "\udfff" for mark in value):
            return json.dumps(value, ensure_ascii=False)
    return json.dumps(value)


def call(random: Random, world: World) -> Call:
    """One call."""
    chance = random.random()
    if chance < 0.04:
        return malformed(random, world)
    band = random.choice(world.bands)
    if chance < 0.45:
        tool, given = "sulfite_aggregate_data", _aggregate(random, band)
    elif chance < 0.86:
        tool, given = "sulfite_group_by", _group_by(random, band)
    else:
        tool, given = "sulfite_compare", _compare(random, band)
    if random.random() < 0.6:
        given["band"] = random.choice((band.name, *band.names))
    elif random.random() < 0.03:
        given["band"] = random.choice(("x", "vendas ", "", *HOSTILE_NAMES))
    pairs = list(given.items())
    random.shuffle(pairs)
    return Call(tool, given, json_of(dict(pairs), random))


def _aggregate(random: Random, band: Band) -> dict[str, Any]:
    given = _verb(random, band)
    if random.random() < 0.8:
        given["filter"] = where(random, band)
    return given


def _group_by(random: Random, band: Band) -> dict[str, Any]:
    given = _verb(random, band)
    by = [_name(random, band) for _ in range(random.choice((1, 1, 2)))]
    given["by"] = by[0] if len(by) == 1 and random.random() < 0.3 else by
    if random.random() < 0.5:
        given["filter"] = where(random, band)
    if random.random() < 0.5:
        given["top"] = random.choice((1, 2, 3, 5, 200))
    if random.random() < 0.5:
        given["order"] = random.choice(("desc", "asc", "group"))
    has_date = any(one.type in ("date", "datetime") for name in by if (one := band.column(name)))
    if random.random() < (0.7 if has_date else 0.04):
        given["period"] = random.choice(PERIODS)
    return given


def _compare(random: Random, band: Band) -> dict[str, Any]:
    given = _verb(random, band)
    dates = [one for one in band.columns if one.type in ("date", "datetime")]
    for side in ("a", "b"):
        if random.random() < (0.5 if len(dates) == 1 else 0.05):
            given[side] = random.choice(
                ("2026-04", "2026", "2025", "04/2026", "2024-02-29", "2026-04-25", "x")
            )
        else:
            given[side] = where(random, band)
    return given


def _verb(random: Random, band: Band) -> dict[str, Any]:
    """A verb of a field, most of them with a meaning."""
    verb = random.choice(VERBS)
    given: dict[str, Any] = {"verb": verb if random.random() < 0.9 else verb.lower()}
    if verb in ("COUNT", "SHARE") and random.random() < 0.4:
        return given
    fields = [one for one in band.columns if _fits(verb, one)]
    if fields and random.random() < 0.85:
        given["field"] = random.choice(fields).name
    elif random.random() < 0.95:
        given["field"] = _name(random, band)
    return given


def _fits(verb: str, column: Column) -> bool:
    if verb in ("COUNT", "DISTINCT"):
        return True
    if verb in ("MIN", "MAX"):
        return column.type != "boolean"
    return column.type == "number" and column.role in (
        ("measure",) if verb in ("SUM", "SHARE") else ("measure", "%", "rate")
    )


def _name(random: Random, band: Band) -> str:
    if random.random() < 0.03:
        return random.choice((*HOSTILE_NAMES, *HOSTILE_VALUES, "vendedor", band.columns[0].name.upper()))
    return random.choice(band.columns).name


# ---- filters ----


def where(random: Random, band: Band) -> dict[str, Any]:
    """A filter of one condition or a few, now and then of far too many."""
    chance = random.random()
    if chance < 0.01:
        return {"and": [condition(random, band) for _ in range(random.choice((49, 50)))]}
    if chance < 0.015:
        deep = condition(random, band)
        for _ in range(random.choice((30, 49, 50, 60, 90))):
            deep = {random.choice(("and", "or")): [deep]}
        return deep
    return _tree(random, band, 0)


def _tree(random: Random, band: Band, depth: int) -> dict[str, Any]:
    if depth == 3 or random.random() < 0.55:
        return condition(random, band)
    word = random.choice(("and", "or"))
    return {word: [_tree(random, band, depth + 1) for _ in range(random.randint(1, 3))]}


def condition(random: Random, band: Band) -> dict[str, Any]:
    """One comparison."""
    name = _name(random, band) or "x"
    column = band.column(name) or Column(name, "text")
    ops: tuple[str, ...] = TEXT_OPS if column.type == "text" else ORDERED
    if column.type == "boolean":
        ops = ("=", "!=", "in", "not_in", "is_null")
    op = random.choice(ops if random.random() < 0.98 else TEXT_OPS)
    given: dict[str, Any] = {"field": name, "op": op}
    if op == "is_null":
        return given | random.choice(({}, {"value": True}, {"value": False}))
    if op == "between":
        given["value"] = [value(random, column), value(random, column)]
    elif op in ("in", "not_in"):
        count = random.choice((0, 1, 2, 3)) if random.random() < 0.99 else 1_000
        given["value"] = [value(random, column) for _ in range(count)]
    elif op in ("contains", "starts_with"):
        text = str(value(random, column))
        start = random.randint(0, len(text))
        given["value"] = text[start : start + random.randint(0, 4)] if op == "contains" else text[:start]
    else:
        given["value"] = value(random, column)
    return given


def value(random: Random, column: Column) -> Any:
    """A value to compare with, most of them near a cell."""
    if random.random() < 0.015:
        return random.choice((*HOSTILE_VALUES, True, 0, Decimal("1.5"), Decimal("1E+400"), 10**60))
    cells = [cell for cell in column.cells if cell is not None]
    cell: Any = random.choice(cells) if cells else None
    match column.type:
        case "number":
            return _number(random, column, cell)
        case "date" | "datetime":
            return _day(random, column, cell)
        case "boolean":
            return random.choice((True, False, "true", "false", "sim", "Não", "S", "n", 1, 0))
    if cell is not None and random.random() < 0.7:
        return cell if random.random() < 0.9 else f" {cell}\u00a0"
    return random.choice((*WORDS, *HOSTILE_VALUES, "Faturado", 60, True, Decimal("1.50")))


def _number(random: Random, column: Column, cell: Any) -> Any:
    number = Decimal(0) if cell is None else Decimal(repr(cell)) if isinstance(cell, float) else cell
    chance = random.random()
    if column.is_double or (chance < 0.4 and column.scale > 12):
        if chance < 0.5 or abs(number) > 10**30:
            return number
    elif chance < 0.1:
        number += Decimal(1).scaleb(-column.scale)
    elif chance < 0.2:
        number -= Decimal(5).scaleb(-column.scale - 1)
    elif chance < 0.25:
        number = Decimal(random.randint(-2_000, 2_000))
    elif chance < 0.28:
        return random.choice((10**60, -(10**40), Decimal("1E-400"), Decimal("-1E+400"), Decimal("0.0050")))
    return _written(random, column, number)


def _written(random: Random, column: Column, number: Decimal) -> Any:
    """*number* as a JSON number, or in one of the ways in which people write it."""
    plain = format(number, "f")
    match random.randint(0, 8):
        case 0 | 1 | 2:
            return int(number) if number == number.to_integral_value() else number
        case 3:
            return plain
        case 4:
            return br_text(number, parted=True)
        case 5:
            return br_text(number, parted=False)
        case 6:
            whole, _, decimals = format(abs(number), "f").partition(".")
            text = grouped(whole, ",") + (f".{decimals}" if decimals else "")
            return f"({text})" if number < 0 else text
        case 7:
            unit = column.unit or random.choice(("R$", "%", "US$", ""))
            text = br_text(abs(number), parted=True)
            sign = "-" if number < 0 else ""
            return f"{sign}{text}%" if unit == "%" else f"{sign}{unit} {text}".strip()
    return random.choice((f" {plain} ", f"{plain}-" if number > 0 else plain, f"€ {abs(number):f}"))


def _day(random: Random, column: Column, cell: Any) -> Any:
    text = str(cell or "2026-04-25") if random.random() < 0.8 else random.choice(EDGE_DAYS)
    day, _, clock = text.partition("T")
    year, month, number = day.split("-")
    match random.randint(0, 15):
        case 0:
            return year
        case 1:
            return int(year)
        case 2 | 12 | 13 | 14 | 15:
            return f"{year}-{month}"
        case 3:
            return f"{month}/{year}"
        case 4:
            return f"{number}/{month}/{year}"
        case 5:
            return f"{int(number)}.{int(month)}.{year}"
        case 6:
            return f"{year}{month}{number}"
        case 7 | 8 if column.type == "datetime":
            return random.choice((text, f"{number}/{month}/{year} {clock or '10:00'}", f"{day} 10:00"))
        case 7:
            return f"{day}T00:00:00.000Z"
        case 8:
            return random.choice(
                ("31/02/2026", "2026-13", "0000", "2026-04-05T10:00", "hoje", "2026-00", "1/2")
            )
    return day


# ---- what is no call ----


def malformed(random: Random, world: World) -> Call:
    """A call that every reading refuses."""
    band = world.bands[0]
    tool = random.choice(("sulfite_aggregate_data", "sulfite_group_by", "sulfite_compare"))
    good = condition(random, band)
    given: dict[str, Any] = {"verb": "COUNT", "band": band.name}
    if tool == "sulfite_group_by":
        given["by"] = [band.columns[0].name]
    if tool == "sulfite_compare":
        given |= {"a": good, "b": good}
    place = "a" if tool == "sulfite_compare" else "filter"
    wrong: list[dict[str, Any]] = [
        {"verb": random.choice(("TOTAL", "", "SUM; DROP", "COUNT(*)", 7, None, ["SUM"], {"a": 1}))},
        {"campo": "x"},
        {"where": good},
        {"field": random.choice((7, ["x"], {"x": 1}, True))},
        {"band": random.choice((7, ["x"], {}))},
        {place: random.choice((7, [], [good], {}, {"and": []}, {"or": good}, {"and": [good], "or": [good]}))},
        {place: {**good, "sql": "1=1"}},
        {
            place: {
                "field": good["field"],
                "op": random.choice(("==", "like", "IN", "", None, "; --")),
                "value": 1,
            }
        },
        {place: {"field": good["field"], "op": "=", "value": random.choice(([], {}, [1, 2], None))}},
        {place: {"field": good["field"], "op": "between", "value": random.choice(([1], [1, 2, 3], 1, "1"))}},
        {
            place: {
                "field": good["field"],
                "op": "in",
                "value": random.choice((1, "a", ["a"] * 1_001, [None], [[1]])),
            }
        },
        {place: {"field": random.choice((None, "", 7)), "op": "is_null"}},
        {place: {"field": good["field"], "op": "is_null", "value": random.choice((1, "true", []))}},
        {place: {"op": "=", "value": 1}},
    ]
    if tool == "sulfite_group_by":
        wrong += [
            {"top": random.choice((0, -1, 201, Decimal("2.5"), "5", True, 10**30))},
            {"order": random.choice(("up", "DESC; --", 1))},
            {"period": random.choice(("decade", "MONTH", "month'", 4))},
            {"by": random.choice(([], [band.columns[0].name] * 3, 7, {"a": 1}, [["x"]], [None]))},
        ]
    if tool == "sulfite_compare":
        wrong += [{"b": "x" * 41}, {"a": None}]
    if random.random() < 0.3:
        return Call(tool, None, _no_object(random), is_malformed=True)
    return Call(tool, None, json_of({**given, **random.choice(wrong)}, random), is_malformed=True)


def _no_object(random: Random) -> str:
    return random.choice(
        (
            "[]",
            "null",
            "7",
            '"SELECT 1"',
            "{",
            "{}",
            "",
            "{'verb': 'COUNT'}",
            '{"verb": NaN}',
            '{"verb": "COUNT", "verb": "SUM"}',
            '{"verb": "COUNT", "filter": ' + '{"and": [' * 3_000 + "]}" * 3_000 + "}",
            "[" * 50_000,
            '{"verb": "COUNT", "filter": {"field": "x", "op": "=", "value": ' + "9" * 5_000 + "}}",
            '{"verb": "COUNT", "field": "' + "x" * 200_000 + '"}',
            "\ud800",
            "SELECT * FROM band",
            '{"verb": "COUNT"} {"verb": "COUNT"}',
        )
    )
