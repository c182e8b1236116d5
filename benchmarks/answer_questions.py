"""Asks about thirty plain questions of a table, from its columns alone, with answers computed row by row."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from itertools import islice
from typing import Literal

from benchmarks.answer_tables import Column, Table
from benchmarks.toon import Cell, number_text

VALUES_MAX = 20
"""A text of at most as many values is one to group by; the rest have a first few."""
MEASURES_ASKED = 2
GROUPS_ASKED = 2
VALUES_ASKED = 2
TOP = 3

Verb = Literal["ROWS", "SUM", "AVG", "MIN", "MAX", "COUNT", "NULLS", "DISTINCT", "TOP"]
KINDS = (
    *("rows", "total", "average", "extreme", "empty cells", "count of a value", "sum of a group"),
    *("sum of a month", "sum of a year", "first three by sum", "average of a group", "different values"),
    "sum of two conditions",
)
"""What is asked, in the order of the table."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a table, with its answer."""

    kind: str
    verb: Verb
    field: str = ""
    where: tuple[tuple[str, str], ...] = ()
    """Conditions that the rows meet: a column and its value, or `month(column)` and a month."""
    by: str = ""
    """The column whose values are ranked."""
    answer: tuple[str, ...] = ()
    """The number or the day; of a ranking the values and their sums by turns."""


def ask(table: Table) -> list[Question]:
    """The questions, in the order of KINDS as far as the columns allow them."""
    asked = sorted(_asked(table), key=lambda question: KINDS.index(question.kind))
    assert len(set(asked)) == len(asked)
    return asked


def _asked(table: Table) -> Iterator[Question]:
    amounts = _of_kind(table, "amount")
    days = _of_kind(table, "date")[:1]
    groups = [column for column in _of_kind(table, "text") if _distinct(column) <= VALUES_MAX]
    leaders = [
        column for column in _of_kind(table, "text") if VALUES_MAX < _distinct(column) <= table.rows / 2
    ]
    yield Question("rows", "ROWS", answer=(str(table.rows),))
    for column in amounts[:MEASURES_ASKED]:
        yield Question("total", "SUM", column.name, answer=(number_text(total(column.cells)),))
    for column in (*amounts[:MEASURES_ASKED], *_of_kind(table, "rate")[:1]):
        yield Question("average", "AVG", column.name, answer=(average(column.cells),))
    for column in (*amounts[:MEASURES_ASKED], *_of_kind(table, "rate")[:1], *days):
        yield Question("extreme", "MIN", column.name, answer=(_text(min(_filled(column.cells))),))
        yield Question("extreme", "MAX", column.name, answer=(_text(max(_filled(column.cells))),))
    for column in [column for column in table.columns if None in column.cells][:VALUES_ASKED]:
        yield Question("empty cells", "NULLS", column.name, answer=(str(column.cells.count(None)),))
    for column in groups[:GROUPS_ASKED]:
        counts = Counter(_filled(column.cells))
        for value in _some(counts):
            yield Question(
                "count of a value",
                "COUNT",
                column.name,
                ((column.name, value),),
                answer=(str(counts[value]),),
            )
    for column in leaders[:1]:
        yield Question("different values", "DISTINCT", column.name, answer=(str(_distinct(column)),))
    for measure in amounts[:1]:
        yield from _about_groups(table, measure, groups, leaders, days)


def _about_groups(
    table: Table, measure: Column, groups: Sequence[Column], leaders: Sequence[Column], days: Sequence[Column]
) -> Iterator[Question]:
    for column in groups[:GROUPS_ASKED]:
        for value in _some(_filled(column.cells)):
            yield _summed(table, "sum of a group", measure, ((column.name, value),))
    for column in groups[:1]:
        value = _some(_filled(column.cells))[0]
        cells = [measure.cells[row] for row in rows_where(table, ((column.name, value),))]
        where = ((column.name, value),)
        yield Question("average of a group", "AVG", measure.name, where, answer=(average(cells),))
    for column in days:
        for period, kind in (("month", "sum of a month"), ("year", "sum of a year")):
            found = [_period(cell, period) for cell in _filled(column.cells)]
            for value in _some(found) if len(set(found)) > 1 else ():
                yield _summed(table, kind, measure, ((f"{period}({column.name})", value),))
    for column in (*groups[:1], *leaders[:1]):
        yield _ranked(measure, column)
    if len(groups) > 1:
        first, second = ((column.name, _some(_filled(column.cells))[0]) for column in groups[:2])
        yield _summed(table, "sum of two conditions", measure, (first, second))


def _summed(table: Table, kind: str, measure: Column, where: tuple[tuple[str, str], ...]) -> Question:
    cells = [measure.cells[row] for row in rows_where(table, where)]
    return Question(kind, "SUM", measure.name, where, answer=(number_text(total(cells)),))


def _ranked(measure: Column, column: Column) -> Question:
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for value, cell in zip(column.cells, measure.cells, strict=True):
        if value is not None:
            sums[str(value)] += cell if isinstance(cell, Decimal) else 0
    first = sorted(sums.items(), key=lambda item: (-item[1], item[0]))[:TOP]
    answer = tuple(part for value, summed in first for part in (value, number_text(summed)))
    return Question("first three by sum", "TOP", measure.name, by=column.name, answer=answer)


def rows_where(table: Table, where: Iterable[tuple[str, str]]) -> list[int]:
    """The numbers of the rows that meet all conditions."""
    columns: Mapping[str, Column] = {column.name: column for column in table.columns}
    rows = list(range(table.rows))
    for name, value in where:
        period, _, inner = name.rstrip(")").rpartition("(")
        cells = columns[inner].cells
        rows = [row for row in rows if _period(cells[row], period) == value]
    return rows


def total(cells: Iterable[Cell]) -> Decimal:
    """The exact sum."""
    return sum((cell for cell in cells if isinstance(cell, Decimal)), Decimal(0))


def average(cells: Iterable[Cell]) -> str:
    """The average of the filled cells, rounded half-even to their decimals, two at least."""
    numbers = [cell for cell in cells if isinstance(cell, Decimal)]
    decimals = max(2, *(-int(cell.as_tuple().exponent) for cell in numbers))
    with localcontext(prec=60):
        exact = total(numbers) / len(numbers)
        return number_text(exact.quantize(Decimal(10) ** -decimals, rounding=ROUND_HALF_EVEN))


def _of_kind(table: Table, kind: str) -> list[Column]:
    return [column for column in table.columns if column.kind == kind]


def _distinct(column: Column) -> int:
    return len(set(column.cells) - {None})


def _filled(cells: Iterable[Cell]) -> list[str]:
    """The cells that hold something; a column holds numbers alone, or texts alone, so that they compare."""
    return [cell for cell in cells if cell is not None]  # type: ignore[misc]


def _text(cell: object) -> str:
    return number_text(cell) if isinstance(cell, Decimal) else str(cell)


def _period(cell: Cell, period: str) -> str:
    """The month or year of a day; any other cell as it is."""
    text = _text(cell) if cell is not None else ""
    return text[: {"month": 7, "year": 4}.get(period, len(text))]


def _some(values: Iterable[str]) -> list[str]:
    """A common value and a rarer one: the first and the middle by how often they are."""
    ordered = [value for value, _ in sorted(Counter(values).items(), key=lambda item: (-item[1], item[0]))]
    return list(islice(dict.fromkeys((ordered[0], ordered[len(ordered) // 2])), VALUES_ASKED))
