"""Random reports with access rules, and the same ones with what a viewer may not see changed."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any, Literal

from datasources.access import Viewer
from datasources.connections import Connections, load_connections
from datasources.definition import parse_definition
from datasources.elements import ReportDefinition

Kind = Literal["text", "records", "parquet", "arrow", "pandas", "sqlite"]
KINDS: tuple[Kind, ...] = (
    "text",
    "text",
    "text",
    "records",
    "records",
    "parquet",
    "arrow",
    "pandas",
    "sqlite",
)

REGIONS = ("Sul", "Norte", "Leste", "Oeste", "Nordeste")
SHOPS = ("A1", "7", "007", "Centro", "São José", "loja, nova", 'loja "X"', "a;b")
NAMES = ("Ana Lima", "Rui Melo", "Zé Dias", "Eva Reis", "Léo Maia", "Ivo Paz", "Bia Sá", "Caê Luz")
DAY = date(2026, 3, 1)
CLEAR = "CANARIO"
"""In every masked or hidden cell, and in every hidden row: no output may have it."""


@dataclass
class Row:
    """A row by field, whether the viewer may see it, and (of records) its nested rows."""

    cells: dict[str, Any]
    is_visible: bool
    items: list[Row] = field(default_factory=list)


@dataclass
class Table:
    """A band, and what is done with its columns."""

    name: str
    kind: Kind
    rule: str | None
    hidden: frozenset[str]
    masked: frozenset[str]
    rows: list[Row]
    has_items: bool = False
    item_rule: bool = False


@dataclass
class Case:
    """A report, its viewer and its data."""

    tables: list[Table]
    viewer: Viewer
    document: dict[str, Any]

    @property
    def definition(self) -> ReportDefinition:
        return parse_definition(json.dumps(self.document))

    @property
    def inside_texts(self) -> tuple[str, ...]:
        """What of the cells of `obs` may not be shown."""
        return (
            ("111.444.777-35", "ana@x.com", "529.982.247-25") if self.document["access"]["detect_pii"] else ()
        )


INSIDE = ("ligar para 111.444.777-35", "ana@x.com (trabalho)", "ver NF 529.982.247-25 e 35")
"""Cells of `obs`, of which no rule says anything: where personal data are detected, these are masked inside."""
FIELDS = ("regiao", "loja", "valor", "dia", "obs", "cpf", "nome", "salario", "qtd", "codigo")
NUMBERS = frozenset({"valor", "salario", "qtd", "codigo"})


# ---- cells ----


def _number(random: Random, kind: Kind, low: int, high: int) -> Any:
    cents = random.randint(low * 100, high * 100)
    if kind in ("text", "records") and (kind == "text" or random.random() < 0.5):
        whole = f"{cents // 100:,}".replace(",", ".")
        return f"{whole},{cents % 100:02d}"
    if kind == "records":
        return cents // 100
    return Decimal(cents).scaleb(-2)


def _day(random: Random, kind: Kind, visible: bool) -> Any:
    """A day of March for the visible, of another month for the hidden."""
    day = DAY + timedelta(random.randrange(31)) if visible else DAY + timedelta(random.randrange(40, 300))
    return day if kind in ("parquet", "arrow") else day.strftime("%d/%m/%Y")


def _cells(random: Random, kind: Kind, rule: str | None, fits: bool) -> dict[str, Any]:
    """A row that fits *rule*, or does not."""
    region = (
        random.choice(REGIONS[:3])
        if fits or rule != "region"
        else random.choice((*REGIONS[3:], None, "sul", ""))
    )
    pad = random.choice(("", "", " ", "\u00a0")) if kind == "text" else ""
    low = fits or rule != "number"
    return {
        "regiao": None if region is None else f"{pad}{region}{pad}",
        "loja": random.choice(SHOPS),
        "valor": _number(random, kind, 0, 900) if low else _number(random, kind, 1_001, 90_000),
        "dia": _day(random, kind, fits or rule != "day"),
        "obs": random.choice((None, "ok", "ver", "", "1.234", "x" * 70, "<b>", "Total", *INSIDE)),
        "cpf": _secret(random, "cpf"),
        "nome": _secret(random, "nome"),
        "salario": _secret(random, "salario"),
        "qtd": random.choice((1, 2, 3, None)) if kind != "text" else random.choice(("1", "2", "-", "")),
        "codigo": random.choice(("A1", "12", "0012")) if kind in ("text", "records") else random.randrange(5),
    }


def cpf(number: int) -> str:
    """The CPF of nine digits."""
    digits = [int(one) for one in f"{number:09d}"]
    for length in (10, 11):
        total = sum(digit * (length - at) for at, digit in enumerate(digits))
        digits.append((total * 10) % 11 % 10)
    text = "".join(map(str, digits))
    return f"{text[:3]}.{text[3:6]}.{text[6:9]}-{text[9:]}"


SALARIES = tuple(f"{CLEAR}{number:04d}" for number in range(400))


def _secret(random: Random, name: str) -> Any:
    """A cell of a column that may be masked or hidden: some repeat, some are empty."""
    if random.random() < 0.1:
        return None
    if name == "cpf":
        return cpf(random.randrange(100_000_000, 100_000_030))
    if name == "nome":
        return f"{random.choice(NAMES)} {CLEAR}"
    return random.choice(SALARIES)


def _open(cell: Any) -> Any:
    """The cell of a column that everybody sees."""
    return None if cell is None else cell.replace(CLEAR, "x")


def _noise(random: Random, kind: Kind, cells: dict[str, Any]) -> dict[str, Any]:
    """A hidden row may hold anything that its source can hold, and a record any key."""
    wild: tuple[Any, ...] = (
        CLEAR,
        f"{CLEAR}\n{CLEAR}",
        "9.9",
        "1.5",
        "31/12/1999",
        "Total",
        "true",
        "é" * 90,
        "cpf 11144477735",
        "0001",
        "1e5",
    )
    if kind in ("records", "pandas", "sqlite"):
        wild = (*wild, 10**20 if kind != "sqlite" else 10**15, 2.5, True, 10**14)
    free = [name for name in ("loja", "obs", "qtd", "codigo", "nome", "salario") if name in cells]
    if kind in ("parquet", "arrow"):
        free = [name for name in free if name not in ("qtd", "codigo")]
        wild = wild[:11]
    for name in free:
        if random.random() < 0.4:
            cells[name] = random.choice(wild)
    if kind == "records" and random.random() < 0.3:
        cells[random.choice(("extra", "novo", "obs.x"))] = random.choice(wild)
    if kind == "records" and random.random() < 0.2:
        cells["obs"] = random.choice(({"a": CLEAR}, [1, 2], [{"z": CLEAR}], {"b": {"c": 1}}))
    return cells


# ---- reports ----


def make(seed: int) -> Case:
    """The report of *seed*."""
    random = Random(f"access {seed}")
    tables = [_table(random, f"b{at}") for at in range(random.choice((1, 1, 1, 2)))]
    viewer = Viewer(
        "ana",
        "w1",
        frozenset(
            random.sample(("rh", "vendas", "fiscal"), random.randrange(3)) if random.random() < 0.5 else ()
        ),
        {"regioes": REGIONS[:3], "limite": 1_000, "mes": "2026-03"},
    )
    return Case(tables, viewer, _document(random, tables, viewer))


def _table(random: Random, name: str) -> Table:
    kind = random.choice(KINDS)
    rule = random.choice(("region", "region", "number", "day", "both", None))
    secret = random.sample(("cpf", "nome", "salario"), random.randrange(4))
    cut = random.randrange(len(secret) + 1)
    has_items = kind == "records" and random.random() < 0.5
    table = Table(
        name, kind, rule, frozenset(secret[:cut]), frozenset(secret[cut:]), [], has_items,
        has_items and random.random() < 0.6,
    )  # fmt: skip
    table.rows = [visible_row(random, table) for _ in range(random.choice((0, 1, 2, 3, 8, 25)))]
    table.rows = with_hidden(random, table, table.rows)
    return table


def visible_row(random: Random, table: Table) -> Row:
    row = Row(_cells(random, table.kind, table.rule, fits=True), True)
    for name in ("nome", "salario"):
        if name not in table.hidden | table.masked:
            row.cells[name] = _open(row.cells[name])
    if table.has_items:
        row.items = [
            Row({"sku": random.choice(("P1", "P2")), "peso": random.randrange(9)}, True)
            for _ in range(random.randrange(3))
        ]
    return row


def with_hidden(random: Random, table: Table, rows: list[Row]) -> list[Row]:
    """The visible *rows* in their order, hidden ones among them, and other cells in hidden columns."""
    if table.item_rule:
        rows = [Row(row.cells, True, _with_hidden_items(random, row.items)) for row in rows]
    found = [Row(_hide(random, table, row.cells), True, row.items) for row in rows]
    if table.rule is None:
        return found
    for _ in range(random.choice((0, 1, 3, 10))):
        rule = random.choice(("region", "number")) if table.rule == "both" else table.rule
        cells = _noise(random, table.kind, _cells(random, table.kind, rule, fits=False))
        if rule == "region" and random.random() < 0.2:
            cells["regiao"] = random.choice((CLEAR, None))
        row = Row(cells, False)
        if table.has_items:
            row.items = [
                Row({"sku": random.choice(("P1", CLEAR)), CLEAR: 1}, True) for _ in range(random.randrange(3))
            ]
        found.insert(random.randint(0, len(found)), row)
    return found


def _with_hidden_items(random: Random, items: list[Row]) -> list[Row]:
    found = list(items)
    for _ in range(random.randrange(3)):
        found.insert(
            random.randint(0, len(found)), Row({"sku": random.choice((CLEAR, None, 5)), "novo": CLEAR}, False)
        )
    return found


def _hide(random: Random, table: Table, cells: dict[str, Any]) -> dict[str, Any]:
    """Any other cells in the hidden columns."""
    changed = dict(cells)
    for name in sorted(table.hidden):
        changed[name] = random.choice((_secret(random, name), None, CLEAR, "12", "Total"))
        if table.kind == "records" and random.random() < 0.3:
            changed[name] = random.choice((7, {"a": CLEAR}, [CLEAR], [{"b": CLEAR}]))
    return changed


def _document(random: Random, tables: list[Table], viewer: Viewer) -> dict[str, Any]:
    bands, sources, rows, columns, aggregates = [], {}, [], [], []
    for table in tables:
        declared: dict[str, dict[str, Any]] = {"valor": {"type": "number"}, "dia": {"type": "date"}}
        for name in ("regiao", *sorted(table.hidden | table.masked)):
            declared.setdefault(name, {})
        if table.rule is None and random.random() < 0.5:
            del declared["valor"], declared["dia"]
        for name in sorted(table.masked):
            if name != "salario" and random.random() < 0.5:
                declared[name]["pii"] = {"cpf": "cpf", "nome": "name"}[name]
                continue
            rule: dict[str, Any] = {"band": table.name, "field": name, "action": "mask"}
            if random.random() < 0.5:
                rule["mask"] = {"cpf": "cpf", "nome": "name", "salario": "other"}[name]
            columns.append(rule)
        for name in sorted(table.hidden):
            rule = {"band": table.name, "field": name, "action": "hide"}
            if random.random() < 0.3:
                rule["except_roles"] = ["ninguem"]
            columns.append(rule)
        if table.rule is not None:
            rows.append({"band": table.name, "where": _where(table.rule)})
        bands.append(
            {
                "name": table.name,
                "datasource": f"d_{table.name}",
                "fields": [{"name": name, **said} for name, said in declared.items()],
            }
        )
        if table.has_items:
            name = f"{table.name}.itens"
            bands.append({"name": name, "datasource": f"d_{table.name}", "fields": [{"name": "sku"}]})
            if table.item_rule:
                rows.append({"band": name, "where": {"field": "sku", "op": "in", "value": ["P1", "P2"]}})
        sources[f"d_{table.name}"] = _source(table)
        aggregates += _aggregates(random, table)
    return {
        "id": "r", "name": "R", "locale": "pt-BR", "datasources": sources, "bands": bands, "aggregates": aggregates,
        "access": {"rows": rows, "columns": columns, "detect_pii": random.random() < 0.5},
    }  # fmt: skip


def _where(rule: str) -> dict[str, Any]:
    region = {"field": "regiao", "op": "in", "value": {"viewer": "regioes"}}
    number = {"field": "valor", "op": "<=", "value": {"viewer": "limite"}}
    day = {"field": "dia", "op": "=", "value": {"viewer": "mes"}}
    wheres: dict[str, dict[str, Any]] = {"region": region, "number": number, "day": day}
    return wheres.get(rule, {"and": [region, number]})


def _aggregates(random: Random, table: Table) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"id": f"{table.name}_soma", "band": table.name, "verb": "SUM", "field": "valor"},
        {"id": f"{table.name}_linhas", "band": table.name, "verb": "COUNT"},
        {"id": f"{table.name}_maior", "band": table.name, "verb": "MAX", "field": "salario"},
    ]
    if table.kind == "records" and table.rule is None:
        return []  # without a row there may be no such field
    found = random.sample(found, random.randrange(4))
    if random.random() < 0.03:
        where = {"field": "loja", "op": "=", "value": "Centro"}
        found.append({"id": f"{table.name}_loja", "band": table.name, "verb": "COUNT", "where": where})
    if random.random() < 0.04:
        found.append(
            {"id": "errado", "band": table.name, "verb": "SUM", "field": random.choice(("loja", "nada"))}
        )
    return found


def _source(table: Table) -> dict[str, Any]:
    if table.kind == "text":
        return {
            "kind": "file", "root": "data", "path": f"{table.name}.csv", "encoding": "utf-8", "delimiter": ";",
            "header": True, "totals": "none",
        }  # fmt: skip
    if table.kind == "records":
        return {"kind": "file", "root": "data", "path": f"{table.name}.json"}
    if table.kind == "parquet":
        return {"kind": "file", "root": "data", "path": f"{table.name}.parquet"}
    if table.kind == "sqlite":
        return {"kind": "sql", "connection": "banco", "query": f"SELECT * FROM {table.name}"}
    return {"kind": "memory", "name": table.name}


# ---- files ----


def materials(case: Case, folder: Path) -> dict[str, Any]:
    """The files, frames and databases of *case*, as `process_report` takes them."""
    frames: dict[str, object] = {}
    connections: Connections | None = None
    for table in case.tables:
        columns = {name: [row.cells.get(name) for row in table.rows] for name in FIELDS}
        match table.kind:
            case "text":
                (folder / f"{table.name}.csv").write_text(_csv(columns), encoding="utf-8", newline="")
            case "records":
                (folder / f"{table.name}.json").write_text(_json(table), encoding="utf-8")
            case "sqlite":
                connections = _database(folder, table.name, columns)
            case "pandas":
                import pandas as pd

                frames[table.name] = pd.DataFrame(
                    {name: pd.Series(cells, dtype="object") for name, cells in columns.items()}
                )
            case _:
                frames[table.name] = _arrow(columns)
                if table.kind == "parquet":
                    import pyarrow.parquet as pq

                    pq.write_table(frames.pop(table.name), folder / f"{table.name}.parquet", row_group_size=7)
    return {"roots": {"data": folder}, "frames": frames, "connections": connections}


def _csv(columns: dict[str, list[Any]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=";", lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return file.getvalue()


def _json(table: Table) -> str:
    return json.dumps([_record(row) for row in table.rows])


def _record(row: Row) -> dict[str, Any]:
    found = {name: cell for name, cell in row.cells.items() if cell is not None}
    if row.items:
        found["itens"] = [_record(item) for item in row.items]
    return found


def _arrow(columns: dict[str, list[Any]]) -> Any:
    import pyarrow as pa

    kinds = {"valor": pa.decimal128(12, 2), "dia": pa.date32(), "qtd": pa.int64(), "codigo": pa.int32()}
    return pa.table({name: pa.array(cells, kinds.get(name, pa.string())) for name, cells in columns.items()})


def _database(folder: Path, name: str, columns: dict[str, list[Any]]) -> Connections:
    path = folder / "banco.sqlite"
    database = sqlite3.connect(path)
    database.execute("PRAGMA synchronous = OFF")
    database.execute(f"DROP TABLE IF EXISTS {name}")
    database.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
    rows = [tuple(map(_stored, row)) for row in zip(*columns.values(), strict=True)]
    database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows)
    database.commit()
    database.close()
    named = folder / "connections.toml"
    named.write_text('[banco]\nkind = "sqlite"\npath = "banco.sqlite"\n', encoding="utf-8")
    return load_connections(named)


def _stored(cell: Any) -> Any:
    return float(cell) if isinstance(cell, Decimal) else cell


# ---- changes ----


def without_hidden(table: Table) -> list[Row]:
    """The rows that the viewer may see."""
    return [
        Row(row.cells, True, [item for item in row.items if item.is_visible])
        for row in table.rows
        if row.is_visible
    ]


def changed(case: Case, seed: object) -> Case:
    """The same report with other hidden rows, more or fewer, and other cells in its hidden columns."""
    random = Random(f"change {seed}")
    tables = [
        Table(**{**vars(table), "rows": with_hidden(random, table, without_hidden(table))})
        for table in case.tables
    ]
    return Case(tables, case.viewer, case.document)


def renamed(case: Case, seed: object) -> Case:
    """The same report with other values in its masked columns: equal ones stay equal, others stay others."""
    random = Random(f"rename {seed}")
    tables = []
    for table in case.tables:
        maps: dict[str, Callable[[Any], Any]] = {
            "cpf": _bijection(random, [cpf(n) for n in range(100_000_000, 100_000_030)]),
            "nome": _bijection(random, [f"{name} {CLEAR}" for name in NAMES]),
            "salario": _bijection(random, list(SALARIES)),
        }
        rows = [
            Row(
                {
                    name: maps[name](cell) if name in table.masked and row.is_visible else cell
                    for name, cell in row.cells.items()
                },
                row.is_visible,
                row.items,
            )
            for row in table.rows
        ]
        tables.append(Table(**{**vars(table), "rows": rows}))
    return Case(tables, case.viewer, case.document)


def _bijection(random: Random, values: list[Any]) -> Callable[[Any], Any]:
    others = random.sample(values, len(values))
    names = dict(zip(values, others, strict=True))
    return lambda cell: names.get(cell, cell)
