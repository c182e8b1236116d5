"""Random reports whose columns are known: a CSV text or records, and the cells that a plain reading of it gives."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from math import isnan
from pathlib import Path
from random import Random
from typing import Any

from tests.oracle.tools_kinds import (
    HOSTILE_NAMES,
    NUMBER_KINDS,
    OTHER_KINDS,
    SILENT,
    TEXT_KINDS,
    WORDS,
    Cell,
    Column,
    Kind,
    a_day,
)


@dataclass(frozen=True)
class Band:
    """One table."""

    names: tuple[str, ...]
    """More than one where tables repeat each other."""
    columns: tuple[Column, ...]
    rows: int

    @property
    def name(self) -> str:
        """What the band is called in answers."""
        return "+".join(self.names)

    def column(self, name: str) -> Column | None:
        """The column *name*."""
        return next((one for one in self.columns if one.name == name), None)


@dataclass(frozen=True)
class World:
    """A report: what is read, and the bands that a plain reading gives."""

    sources: dict[str, str | dict[str, list[Any]]] = field(repr=False)
    """Band name to the text of a CSV file, or to columns in memory."""
    bands: tuple[Band, ...]

    def materials(self, folder: Path) -> dict[str, Any]:
        """What `materialize` takes."""
        found: dict[str, Any] = {}
        for name, source in self.sources.items():
            found[name] = source
            if isinstance(source, str):
                path = folder / f"{name}.csv"
                path.write_text(source, encoding="utf-8", newline="")
                found[name] = path
        return found


# ---- files ----


def world(seed: int) -> World:
    """The report of *seed*."""
    random = Random(f"world {seed}")
    chance = random.random()
    if chance < 0.15:
        source, band = _in_memory(random, "t")
        return World({"t": source}, (band,))
    text, band = _file(random, "vendas", _row_count(random))
    if chance < 0.2 and band.rows:
        return World({"vendas": text, "copia": text}, (Band(("vendas", "copia"), band.columns, band.rows),))
    if chance < 0.5:
        other, second = _file(random, "itens", random.choice((0, 1, 7, 20)))
        return World({"vendas": text, "itens": other}, (band, second))
    return World({"vendas": text}, (band,))


def _row_count(random: Random) -> int:
    chance = random.random()
    if chance < 0.03:
        return 0
    if chance < 0.15:
        return random.randint(1, 5)
    return random.randint(6, 60) if chance < 0.95 else random.randint(250, 400)


def _file(random: Random, name: str, rows: int) -> tuple[str, Band]:
    while True:
        kinds = [random.choice(TEXT_KINDS), random.choice(NUMBER_KINDS)]
        kinds += random.choices([*TEXT_KINDS, *NUMBER_KINDS, *OTHER_KINDS], k=random.randint(1, 5))
        if random.random() < 0.15:
            kinds.append(SILENT)
        names = _names(random, kinds)
        columns = [_cells(random, kind, rows, can_be_null=at > 1) for at, kind in enumerate(kinds)]
        records = [names, *map(list, zip(*columns, strict=True))]
        if not _is_misread(records, kinds):
            break
    file = io.StringIO()
    csv.writer(file, delimiter=";", lineterminator="\n").writerows(records)
    return file.getvalue(), read_band(name, file.getvalue(), kinds)


def _names(random: Random, kinds: Sequence[Kind]) -> list[str]:
    names: list[str] = []
    for kind in kinds:
        offered = [*kind.names, *(f"{one} {len(names)}" for one in kind.names)]
        if kind.is_hostile and random.random() < 0.3:
            offered = list(HOSTILE_NAMES)
        names.append(random.choice([one for one in offered if one not in names]))
    return names


def _cells(random: Random, kind: Kind, rows: int, *, can_be_null: bool) -> list[str]:
    nulls = random.choice((0, 0.1, 0.5)) if can_be_null else 0
    cells = []
    for row in range(rows):
        cell = kind.make(random) if row else kind.first
        is_null = cell is None or (row and random.random() < nulls)
        cells.append(random.choice(kind.nulls) if is_null else kind.write(random, cell))
    return cells


def _is_misread(records: list[list[str]], kinds: Sequence[Kind]) -> bool:
    """Whether the rules of whole tables would take a row for a total, or a second header."""
    if len(records) > 1 and records[0][0] == records[1][0]:
        return True
    for row in (records[1:2], records[-1:]):
        for at, kind in enumerate(kinds):
            if kind.base.role != "measure" or len(records) < 4:
                continue
            cells = [
                kind.read(one[at]) for one in records[1:] if one is not row[0] and one[at] not in kind.nulls
            ]
            if row[0][at] not in kind.nulls and kind.read(row[0][at]) == sum(cells):  # type: ignore[arg-type]
                return True
    return False


def read_band(name: str, text: str, kinds: Sequence[Kind]) -> Band:
    """The band that *text* is, read by what is known of its columns."""
    names, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=";")
    columns = []
    for at, (title, kind) in enumerate(zip(names, kinds, strict=True)):
        cells = tuple(None if row[at] in kind.nulls else kind.read(row[at]) for row in rows)
        columns.append(_column(title, kind.base, cells))
    return Band((name,), tuple(columns), len(rows))


def _column(name: str, base: Column, cells: tuple[Cell, ...]) -> Column:
    if all(cell is None for cell in cells):
        return Column(name, "text", cells=cells)
    exponents = [cell.as_tuple().exponent for cell in cells if isinstance(cell, Decimal)]
    scale = max((-int(one) for one in exponents), default=0)
    return Column(
        name, base.type, base.role, base.unit, base.style, scale, base.is_double, base.day_first, cells
    )


# ---- columns in memory: what only native types hold ----

DOUBLES = (
    *(1 / 3, 0.1 + 0.2, 0.3, 1e300, -1e300, 5e-324, 2.5, -0.0, 0.0, 123456.789012345678, 1e-300),
    *(float("nan"), float("inf"), 1.7e308, 2 / 3, 1e20, 7.0),
)
OFFSETS = (None, UTC, timezone(timedelta(hours=-3)), timezone(timedelta(hours=5, minutes=30)))


def _in_memory(random: Random, name: str) -> tuple[dict[str, list[Any]], Band]:
    rows = random.randint(1, 40)

    def column(first: Any, make: Callable[[], Any]) -> list[Any]:
        return [first, *(None if random.random() < 0.15 else make() for _ in range(rows - 1))]

    wide, scale = random.choice(((36, 2), (22, 9), (30, 1)))
    doubles = (
        [cell for cell in DOUBLES if abs(cell) < 1e300 or cell != cell] if random.random() < 0.6 else DOUBLES
    )
    size = 10 ** (wide - 1)
    source = {
        "nome": column("Sul", lambda: random.choice((*WORDS, "a\0b", "a"))),
        "medida": column(1 / 3, lambda: random.choice(doubles) * random.choice((1, 1, -1))),
        "saldo": column(
            Decimal(1).scaleb(-scale), lambda: Decimal(random.randint(-size, size)).scaleb(-scale)
        ),
        "qtd": column(-3, lambda: random.randint(-5, 5)),
        "dia": column(date(2026, 4, 25), lambda: date.fromisoformat(a_day(random))),
        "quando": column(
            datetime(2026, 4, 25, 10),  # noqa: DTZ001  # a time without an offset
            lambda: datetime(
                *(2026, 4, random.randint(1, 30), 10, 0, 0, random.choice((0, 500_000, 25))),
                tzinfo=random.choice(OFFSETS),
            ),
        ),
        "ok": column(True, lambda: random.random() < 0.5),
    }
    known: dict[str, Column] = {
        "nome": Column("", "text"),
        "medida": Column("", "number", "measure", is_double=True),
        "saldo": Column("", "number", "measure"),
        "qtd": Column("", "number", "measure"),
        "dia": Column("", "date"),
        "quando": Column("", "datetime"),
        "ok": Column("", "boolean"),
    }
    columns = [
        _column(title, known[title], tuple(map(_plain_cell, cells))) for title, cells in source.items()
    ]
    return source, Band((name,), tuple(columns), rows)


def _plain_cell(cell: Any) -> Cell:
    match cell:
        case float():
            return None if isnan(cell) or abs(cell) == float("inf") else cell + 0.0
        case datetime():
            offset = cell.strftime("%z")
            offset = "Z" if offset == "+0000" else f"{offset[:3]}:{offset[3:]}" if offset else ""
            fraction = f".{cell.microsecond:06d}".rstrip("0") if cell.microsecond else ""
            return f"{cell:%Y-%m-%dT%H:%M:%S}{fraction}{offset}"
        case date():
            return cell.isoformat()
        case bool() | str() | Decimal() | None:
            return cell
        case _:
            return Decimal(cell)
