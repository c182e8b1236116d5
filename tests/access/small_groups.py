"""A reader who asks everything, writes down every number with the rows it is of, and solves for single rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any

import numpy as np

from chat import Toolset
from engine import Snapshot, materialize, take_excerpt
from engine.disclosure import Disclosure
from engine.disclosure_profile import withhold
from engine.withheld import WithheldBand, WithheldProfile
from prompts import render_data_context

K = 5
NEAR_ZERO = 1e-7
VERBS = ("SUM", "AVG", "COUNT", "MIN", "MAX", "DISTINCT", "MEDIAN", "STDDEV", "SHARE")

Cell = str | int | None
Mask = frozenset[int]


@dataclass(frozen=True)
class Table:
    """Rows of categories and measures."""

    columns: Mapping[str, Sequence[Cell]]
    categories: tuple[str, ...]
    measures: tuple[str, ...]
    date: str | None

    @classmethod
    def random(cls, random: Random) -> Table:
        """10 to 60 rows; categories of 2 to 6 values, some of them rare; measures with some nulls."""
        rows = random.randint(10, 60)
        columns: dict[str, list[Cell]] = {}
        categories = tuple(f"grupo{at}" for at in range(random.randint(2, 4)))
        for name in categories:
            values: list[Cell] = [f"{name}v{at}" for at in range(random.randint(2, 6))]
            if random.random() < 0.3:
                values[-1] = None
            weights = [random.choice([1, 2, 4, 8, 12]) for _ in values]
            columns[name] = random.choices(values, weights, k=rows)
        measures = tuple(f"valor{at}" for at in range(random.randint(1, 2)))
        for name in measures:
            most = random.choice([3, 1_000, 1_000])
            gaps = random.choice([0, 0, 0.1, 0.5])
            columns[name] = [None if random.random() < gaps else random.randint(1, most) for _ in range(rows)]
        date = None
        if random.random() < 0.5:
            date, months = "data", random.randint(1, 4)
            columns[date] = [
                f"2026-{random.randint(1, months):02d}-{random.randint(1, 28):02d}" for _ in range(rows)
            ]
        return cls(columns, categories, measures, date)

    @property
    def rows(self) -> int:
        return len(self.columns[self.categories[0]])

    def materials(self) -> dict[str, object]:
        names = list(self.columns)
        return {
            "vendas": [dict(zip(names, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]
        }

    def rows_of(self, where: Any) -> Mask:
        """The rows that a filter finds, read anew."""
        if where is None:
            return frozenset(range(self.rows))
        if "and" in where:
            return frozenset.intersection(*(self.rows_of(one) for one in where["and"]))
        if "or" in where:
            return frozenset.union(*(self.rows_of(one) for one in where["or"]))
        cells, op, value = self.columns[where["field"]], where["op"], where.get("value")
        return frozenset(at for at, cell in enumerate(cells) if _fits(cell, op, value))

    def cells_of(self, rows: Mask, name: str | None) -> Mask:
        return rows if name is None else frozenset(at for at in rows if self.columns[name][at] is not None)


def _fits(cell: Cell, op: str, value: Any) -> bool:
    if op == "is_null":
        return (cell is None) != (value is False)
    if cell is None:
        return False
    if op in ("=", "in"):
        return any(_is(cell, one) for one in (value if op == "in" else [value]))
    if op in ("!=", "not_in"):
        return not any(_is(cell, one) for one in (value if op == "not_in" else [value]))
    if isinstance(cell, str) and isinstance(value, str):
        bound = value if op != "<=" else value + "~"  # a month stands for all of its days
        return cell >= bound if op == ">=" else cell <= bound
    assert isinstance(cell, int)
    return bool(cell >= value if op == ">=" else cell <= value)


def _is(cell: Cell, value: Any) -> bool:
    return cell == value or (
        isinstance(cell, str) and cell.startswith("2026") and cell.startswith(str(value))
    )


# ---- everything that can be asked ----


def conditions(table: Table) -> list[dict[str, Any]]:
    """Each condition on one field."""
    found: list[dict[str, Any]] = []
    for name in table.categories:
        values = [f"{name}v{at}" for at in range(7)]
        found += [{"field": name, "op": op, "value": value} for op in ("=", "!=") for value in values]
        for pair in combinations(values[:5], 2):
            found += [{"field": name, "op": op, "value": list(pair)} for op in ("in", "not_in")]
        found += [{"field": name, "op": "is_null", "value": value} for value in (True, False)]
    for name in table.measures:
        found += [
            {"field": name, "op": op, "value": value} for op in (">=", "<=", "=") for value in (1, 2, 500)
        ]
        found += [{"field": name, "op": "is_null", "value": value} for value in (True, False)]
    if table.date:
        values = ["2026-01", "2026-02", "2026-03", "2026-02-10", "2026"]
        found += [{"field": table.date, "op": op, "value": one} for op in (">=", "<=", "=") for one in values]
    return found


def questions(table: Table, random: Random, most: int) -> list[tuple[str, dict[str, Any]]]:
    """*most* questions of every kind, in random order."""
    single = conditions(table)
    filters: list[Any] = [None, *single]
    for _ in range(most):
        filters.append({random.choice(["and", "or"]): random.sample(single, random.choice([2, 2, 3]))})
    fields = [*table.measures, *table.categories, *([table.date] if table.date else [])]
    found: list[tuple[str, dict[str, Any]]] = []
    for where in filters:
        found.append(("sulfite_aggregate_data", {"verb": "COUNT", "filter": where}))
        found.append(
            (
                "sulfite_aggregate_data",
                {"verb": "SUM", "field": random.choice(table.measures), "filter": where},
            )
        )
        verb, name = random.choice(VERBS), random.choice(fields)
        found.append(("sulfite_aggregate_data", {"verb": verb, "field": name, "filter": where}))
    by = [*table.categories, *([table.date] if table.date else [])]
    lists = [(one,) for one in by] + list(combinations(by, 2))
    for names, verb in product(lists, VERBS):
        for where in (None, random.choice(single)):
            asked: dict[str, Any] = {
                "by": list(names),
                "verb": verb,
                "field": random.choice(fields),
                "filter": where,
            }
            if table.date in names:
                asked["period"] = random.choice(["month", "year", "day"])
            if random.random() < 0.3:
                asked["top"] = random.randint(1, 3)
            found.append(("sulfite_group_by", asked))
    for _ in range(10):
        a, b = random.sample(filters[1:], 2)
        found.append(("sulfite_compare", {"verb": "SUM", "field": table.measures[0], "a": a, "b": b}))
    found += [("sulfite_search_values", {"query": query}) for query in ("grupo0", "grupo1v3", "v2", "valor")]
    random.shuffle(found)
    first = [one for one in found if one[0] != "sulfite_aggregate_data"][: most // 2]
    some = [*first, *[one for one in found if one[0] == "sulfite_aggregate_data"][: most - len(first)]]
    random.shuffle(some)
    return some


# ---- what the reader writes down ----


@dataclass
class Notebook:
    """Every number that was told, as the rows that it adds up."""

    table: Table
    counts: set[Mask] = field(default_factory=set)
    sums: dict[str, set[Mask]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    asked: int = 0
    answered: int = 0
    possible: int = 0
    """Questions of at least k rows, answered or not."""

    def count(self, rows: Mask) -> None:
        if 0 < len(rows) < K:
            self.wrong.append(f"{len(rows)} rows were counted")
        self.counts.add(rows)

    def add_sum(self, rows: Mask, name: str) -> None:
        self.sums.setdefault(name, set()).add(self.table.cells_of(rows, name))

    def value(self, verb: str, name: str | None, rows: Mask, value: Any, whole: Mask) -> None:
        """A value of *verb* of the field *name* over *rows*."""
        cells = self.table.cells_of(rows, name)
        is_number = name in self.table.measures
        if verb == "COUNT" or (verb == "SHARE" and name is None):
            self.count(cells)
            return
        assert name is not None
        if verb in ("AVG", "STDDEV"):
            self.count(cells)
        if verb in ("SUM", "AVG", "STDDEV", "SHARE"):
            self.add_sum(rows, name)
            if verb == "SHARE":
                self.add_sum(whole, name)
            return
        if verb == "DISTINCT":
            for one in {self.table.columns[name][at] for at in rows}:
                self.count(frozenset(at for at in rows if self.table.columns[name][at] == one))
            return
        having = frozenset(at for at in cells if str(self.table.columns[name][at]) == str(value))
        if len(having) < K:
            self.wrong.append(f"{verb} of {name} is {value}, which {len(having)} rows have")
        self.count(having)
        if is_number:
            self.add_sum(having, name)

    def read_context(self, profile: WithheldProfile) -> None:
        """What the data context tells."""
        (band,) = profile.bands
        assert isinstance(band, WithheldBand)
        every = self.table.rows_of(None)
        self.count(every)
        for one in band.fields:
            for verb, value in (("SUM", one.sum), ("AVG", one.avg), ("MIN", one.min), ("MAX", one.max)):
                if value is not None:
                    self.value(verb, one.name, every, value, every)
            if one.nulls:
                self.count(self.table.cells_of(every, one.name))
            for item in one.values or ():
                self.count(self.group(every, (one.name,), (item.value,), None))
        for group in band.groups:
            for part in group.parts:
                self.add_sum(self.group(every, (group.by,), (part.value,), group.period), group.measure)

    def group(self, rows: Mask, by: Sequence[str], names: Sequence[Any], period: str | None) -> Mask:
        """The rows of a group."""
        chars = {"month": 7, "year": 4}.get(period or "", 10)
        found = rows
        for one, name in zip(by, names, strict=True):
            length = chars if one == self.table.date else 100
            cells = self.table.columns[one]
            keys = {at: cell[:length] if isinstance(cell, str) else cell for at, cell in enumerate(cells)}
            found = frozenset(at for at in found if str(keys[at]) == str(name))
        return found

    def read(self, tool: str, asked: Mapping[str, Any], answer: Any) -> None:
        """An answer."""
        if tool == "sulfite_compare":
            for side in ("a", "b"):
                if answer["result"] is not None:
                    told = answer["result"][side]
                    self.read(
                        "", {**asked, "filter": asked[side]}, {"result": told["value"], "rows": told["rows"]}
                    )
            return
        if tool == "sulfite_search_values":
            self._read_hits(answer["result"] or [])
            return
        rows = self.table.rows_of(asked.get("filter"))
        self.asked += 1
        self.possible += len(rows) >= K
        if answer.get("rows") is None:
            if answer["result"] is not None:
                self.wrong.append("a result without rows")
            return
        self.answered += 1
        if answer["rows"] != len(rows):
            self.wrong.append(f"{answer['rows']} rows instead of {len(rows)}: {asked}")
        self.count(rows)
        if tool == "sulfite_group_by":
            self._read_groups(asked, answer["result"] or [], rows)
        else:
            if answer["result"] is not None:
                self.value(
                    asked["verb"], asked.get("field"), rows, answer["result"], self.table.rows_of(None)
                )

    def _read_groups(self, asked: Mapping[str, Any], groups: Sequence[Any], rows: Mask) -> None:
        left, rest = rows, 0
        for one in groups:
            name = one["group"]
            if isinstance(name, str) and name.startswith("("):
                rest += one["rows"]
                continue
            names = name if isinstance(name, list) else [name]
            inside = self.group(rows, asked["by"], names, asked.get("period"))
            left -= inside
            if one["rows"] != len(inside):
                self.wrong.append(f"{one['rows']} rows instead of {len(inside)}: {asked}")
            self.count(inside)
            if one["value"] is not None:
                self.value(asked["verb"], asked.get("field"), inside, one["value"], rows)
        if rest != len(left):
            self.wrong.append(f"the groups do not add up: {asked}")
        if left:
            self.count(left)

    def _read_hits(self, hits: Sequence[Any]) -> None:
        for hit in hits:
            if hit["kind"] == "value":
                having = self.group(self.table.rows_of(None), (hit["field"],), (hit["value"],), None)
                if len(having) < K or hit["rows"] is not None:
                    self.wrong.append(f"{hit['value']} was found")


# ---- what follows from it ----


def determined(sets: set[Mask], rows: int) -> list[int] | None:
    """Rows, fewer than K, of which a number follows from those of *sets*; None where there are none."""
    matrix = np.array([[at in one for at in range(rows)] for one in sorted(sets, key=sorted)], float)
    if not len(matrix):
        return None
    patterns, first, weights = np.unique(matrix, axis=1, return_index=True, return_counts=True)
    inside = patterns.any(axis=0)
    patterns, first, weights = patterns[:, inside], first[inside], weights[inside]
    _, sizes, right = np.linalg.svd(patterns)
    rank = int((sizes > NEAR_ZERO).sum())
    null = right[rank:].T
    together = null @ null.T
    for size in range(1, K):
        chosen = np.array(list(combinations(range(len(weights)), size)), int)
        if not len(chosen):
            continue
        chosen = chosen[weights[chosen].sum(axis=1) < K]
        for start in range(0, len(chosen), 50_000):
            some = chosen[start : start + 50_000]
            least = np.linalg.eigvalsh(together[some[:, :, None], some[:, None, :]])[:, 0]
            for one in some[least < NEAR_ZERO]:
                if _follows(patterns, one):
                    return sorted(int(first[at]) for at in one)
    return None


def _follows(patterns: Any, chosen: Any) -> bool:
    """The same exactly: whether a combination is other than zero only in the *chosen* atoms."""
    others = np.delete(patterns, chosen, axis=1)
    return rank_of(others) < rank_of(patterns)


def rank_of(matrix: Any) -> int:
    rows = [[Fraction(int(cell)) for cell in row] for row in matrix]
    rank = 0
    for column in range(matrix.shape[1]):
        pivot = next((at for at in range(rank, len(rows)) if rows[at][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for at in range(rank + 1, len(rows)):
            if rows[at][column]:
                factor = rows[at][column] / rows[rank][column]
                rows[at] = [one - factor * other for one, other in zip(rows[at], rows[rank], strict=True)]
        rank += 1
    return rank


@dataclass
class Attack:
    """What one reader found out."""

    found: list[str]
    notebook: Notebook


def attack(seed: int, most: int) -> Attack:
    """Ask *most* questions of a random table, in two conversations, and solve."""
    random = Random(seed)
    table = Table.random(random)
    snapshot = materialize(table.materials())
    disclosure = Disclosure(K)
    notebook = Notebook(table)
    profile = withhold(snapshot, disclosure)
    notebook.read_context(profile)
    found = [f"the context has {one}" for one in rare(table) if one in context(snapshot, profile)]
    with Toolset(snapshot, disclosure=disclosure) as one, Toolset(snapshot, disclosure=disclosure) as other:
        for tool, asked in questions(table, random, most):
            reply = random.choice([one, other]).call(tool, asked)
            notebook.read(tool, asked, json.loads(reply.text))
            said = json.dumps(
                [reply.answer["result"] if tool != "sulfite_compare" else None, reply.answer["note"]]
            )
            found += [
                f"{name} in {said}" for name in rare(table) if name in said and name not in json.dumps(asked)
            ]
    found += notebook.wrong
    for name, sets in [("rows", notebook.counts), *notebook.sums.items()]:
        rows = determined(sets, table.rows)
        if rows is not None:
            found.append(f"{name} of the rows {rows}")
    return Attack(found, notebook)


def context(snapshot: Snapshot, profile: WithheldProfile) -> str:
    return render_data_context(profile, take_excerpt(snapshot))


def rare(table: Table) -> Iterator[str]:
    """Values of fewer than K rows."""
    for name in table.categories:
        for at in range(7):
            value = f"{name}v{at}"
            if 0 < list(table.columns[name]).count(value) < K:
                yield value
