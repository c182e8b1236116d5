"""
Computes SUM, AVG, COUNT, MIN and MAX of a band, exactly, with or without a filter.

Without one, the statistics of the band already know; else SQL gives exact sums, counts and order statistics, and
nothing that was rounded. Quotients are taken here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Literal

from engine.band import Band
from engine.columns import ColumnType, Typed
from engine.exceptions import QueryError
from engine.facts import (
    AVERAGE_DECIMALS_MIN,
    DOUBLE_DIGITS,
    cell_text,
    divide_half_even,
    double_text,
    nearest_double,
)
from engine.query.filters import LOCAL_TIME, Clause, compile_filter, position_of
from engine.roles import AVERAGED, SUMMABLE
from engine.statistics import Total

if TYPE_CHECKING:
    from datasources.filters import Filter
    from engine.profile import BandProfile, FieldProfile
    from engine.query.connection import BandTable
    from engine.snapshot import Snapshot, SnapshotBand

_WIDE = Context(prec=500)

Verb = Literal["SUM", "AVG", "COUNT", "MIN", "MAX"]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A question for one exact value."""

    band: str
    verb: Verb
    field: str | None = None
    """None counts rows."""
    where: Filter | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The exact value of an aggregate, with what it was computed from."""

    verb: Verb
    column: ColumnType | None
    rows: int
    """Rows that the filter finds."""
    cells: int
    """Those of them in which the field is not null; all for a count of rows."""
    total: Total | None = None
    edge: Typed = None
    """Of MIN and MAX."""

    def text(self, decimals: int | None = None) -> str | None:
        """
        The value in full, rounded half-even to *decimals*; None where there is none.

        Left out, they are the column's, and for an average two at least.
        """
        column = self.column
        if self.verb == "COUNT":
            return _fixed(self.cells, 0, decimals or 0)
        if not self.cells or column is None:
            return None
        if self.verb in ("SUM", "AVG"):
            assert self.total is not None
            divisor = self.cells if self.verb == "AVG" else 1
            if column.double:
                return _double(self.total if divisor == 1 else _mean(self.total, divisor), decimals)
            shown = decimals if decimals is not None else self._decimals(column)
            return _fixed(int(self.total), column.scale, shown, divisor)
        if column.type != "number":
            return cell_text(self.edge, column)
        assert isinstance(self.edge, int | float)
        if column.double:
            return _double(self.edge, decimals)
        return _fixed(int(self.edge), column.scale, column.scale if decimals is None else decimals)

    def _decimals(self, column: ColumnType) -> int:
        return max(AVERAGE_DECIMALS_MIN, column.scale) if self.verb == "AVG" else column.scale


def _fixed(value: int, scale: int, decimals: int, divisor: int = 1) -> str:
    """`value / 10**scale / divisor` with exactly *decimals*."""
    shift = decimals - scale
    dividend, divisor = (value * 10**shift, divisor) if shift >= 0 else (value, divisor * 10**-shift)
    return _with_decimals(divide_half_even(dividend, divisor), decimals)


def _with_decimals(value: int, decimals: int) -> str:
    return format(Decimal(value).scaleb(-decimals, _WIDE), "f")


def _mean(total: int | float, cells: int) -> int | float:
    return total / cells if isinstance(total, float) else nearest_double(total, cells)


def _double(value: int | float, decimals: int | None) -> str:
    if decimals is None:
        return double_text(value, DOUBLE_DIGITS)
    from fractions import Fraction

    exact = Fraction(value) * 10**decimals
    return _with_decimals(divide_half_even(exact.numerator, exact.denominator), decimals)


def aggregate(snapshot: Snapshot, question: Aggregate) -> Answer:
    """The answer to *question*; raises QueryError where the data have none, saying what to ask instead."""
    return aggregate_all(snapshot, [question])[0]


def check(snapshot: Snapshot, question: Aggregate) -> None:
    """Raise QueryError where the data cannot answer *question*, without computing anything."""
    _plan(snapshot, question)


def aggregate_all(snapshot: Snapshot, questions: Sequence[Aggregate]) -> list[Answer]:
    """The answer to each of *questions*; a band is opened once for all of them. Raises QueryError."""
    plans = [_plan(snapshot, question) for question in questions]
    answers: dict[int, Answer] = {}
    with ExitStack() as stack:
        tables: dict[int, _Opened] = {}
        for index, plan in enumerate(plans):
            known = plan.known()
            if known is not None:
                answers[index] = known
                continue
            if plan.index not in tables:
                fields = {field for one in plans if one.index == plan.index for field in one.fields()}
                tables[plan.index] = _open(stack, plan.band, plan.facts, fields)
            answers[index] = plan.ask(tables[plan.index])
    return [answers[index] for index in range(len(plans))]


@dataclass(frozen=True, slots=True)
class _Opened:
    table: BandTable

    def position(self, name: str) -> int:
        return position_of(name, self.table.columns)


def _open(stack: ExitStack, band: SnapshotBand, facts: BandProfile, fields: set[int]) -> _Opened:
    from engine.query.connection import open_table

    return _Opened(stack.enter_context(open_table(band, facts, fields)))


def _plan(snapshot: Snapshot, question: Aggregate) -> _Plan:
    for index, (band, facts) in enumerate(zip(snapshot.bands, snapshot.profile.bands, strict=True)):
        if question.band == band.name or question.band in band.names:
            # A band without records has no fields either: nothing can be wrong with the question then.
            named = question.field is not None and bool(band.columns)
            position = position_of(str(question.field), band.columns) if named else None
            plan = _Plan(index, band, facts, question, position)
            plan.check()
            return plan
    raise QueryError.unknown_band(question.band, [name for band in snapshot.bands for name in band.names])


@dataclass(frozen=True, slots=True)
class _Plan:
    """A question with the band and the column that it asks about."""

    index: int
    band: SnapshotBand
    facts: BandProfile
    question: Aggregate
    position: int | None

    def check(self) -> None:
        """Refuse what has no meaning, or names what is not there, before anything is computed."""
        if not self.band.columns:
            return
        if self.question.where is not None:
            compile_filter(self.question.where, self.band.columns)
        if self.position is None:
            if self.question.verb != "COUNT":
                raise QueryError(f"{self.question.verb} needs a field: name one.")
            return
        if self.is_silent:
            return
        _check_verb(self.question.verb, self.facts.fields[self.position])

    @property
    def is_silent(self) -> bool:
        """Whether no cell of the field tells its type: what its reader chose left none, and nobody declared it."""
        if self.position is None:
            return False
        field = self.facts.fields[self.position]
        return field.type == "text" and field.role is None and field.nulls == self.band.rows

    def known(self) -> Answer | None:
        """The answer, where the statistics of the band have it already."""
        question, band = self.question, self.band
        if not band.columns:
            return Answer(question.verb, None, band.rows, 0 if question.field else band.rows)
        if self.is_silent:
            column = band.columns[self.position or 0]
            return Answer(question.verb, column, band.rows, 0) if question.where is None else None
        if question.where is not None:
            return None
        if self.position is None:
            return Answer("COUNT", None, band.rows, band.rows)
        if not isinstance(band, Band):
            return None
        found = band.statistics.fields[self.position]
        edge = found.minimum if question.verb == "MIN" else found.maximum
        has_edge = found.column.type in ("number", "date", "datetime")
        if question.verb in ("MIN", "MAX") and not has_edge and found.cells:
            return None
        if found.column.type in ("text", "boolean") and question.verb == "COUNT" and found.counts is None:
            return None  # a wide text may not have been read
        return Answer(question.verb, found.column, band.rows, found.cells, found.total, edge)

    def fields(self) -> Iterator[int]:
        """The positions that the table needs."""
        from datasources.filters import fields_of

        if self.position is not None:
            yield self.position
        if self.question.where is not None:
            for name in sorted(fields_of(self.question.where)):
                yield position_of(name, self.band.columns)

    def ask(self, opened: _Opened) -> Answer:
        """The answer of the band's table."""
        table, question = opened.table, self.question
        where = Clause("TRUE")
        if question.where is not None:
            where = compile_filter(question.where, table.columns)
        if self.position is None:
            (rows,) = _one(table, "count(*)", where)
            return Answer("COUNT", None, rows, rows)
        position = opened.position(self.band.columns[self.position].name)
        column, cell = table.columns[position], f"c{position}"
        rows, cells = _one(table, f"count(*), count({cell})", where)
        if question.verb == "COUNT" or not cells:
            return Answer(question.verb, column, rows, cells)
        if question.verb in ("MIN", "MAX"):
            (edge,) = _one(table, _edge_sql(question.verb, cell, column), where)
            return Answer(question.verb, column, rows, cells, edge=edge)
        return Answer(question.verb, column, rows, cells, _sum(table, position, where))


_INSTEAD = {
    "%": "a percentage",
    "rate": "a rate",
    "year": "a year",
    "part": "a part of a date",
    "id": "an id",
}


def _check_verb(verb: Verb, field: FieldProfile) -> None:
    name = field.name
    if verb == "COUNT":
        return
    if verb in ("MIN", "MAX"):
        if field.type == "boolean":
            raise QueryError(f"“{name}” is true or false, which have no {verb}: use COUNT with a filter.")
        return
    if field.type != "number":
        raise QueryError(f"{verb} needs a number, and “{name}” is a {field.type}: use COUNT, MIN or MAX.")
    fitting = SUMMABLE if verb == "SUM" else AVERAGED
    if field.role not in fitting:
        others = "AVG, MIN or MAX" if field.role in AVERAGED else "COUNT, MIN or MAX"
        raise QueryError(
            f"“{name}” is {_INSTEAD[str(field.role)]}, and its {verb} means nothing: "
            f"use {others}, or declare its role."
        )


# ---- SQL ----


def _one(table: BandTable, shown: str, where: Clause) -> tuple[int, ...]:
    query = f"SELECT {shown} FROM {table.name} WHERE {where.sql}"
    row = table.connection.execute(query, where.values).fetchone()
    assert row is not None  # an aggregate always has a row
    return tuple(row)


def _edge_sql(verb: str, cell: str, column: ColumnType) -> str:
    from engine.stored_band import scaled_sql

    if column.type == "datetime":
        # By local time, then by text; what ends sorts before what goes on.
        key = f"{LOCAL_TIME.format(cell=cell)} || chr(0) || {cell}"
        return f"arg_{verb.lower()}({cell}, {key})"
    edge = f"{verb.lower()}({cell})"
    if column.type == "number":
        return edge if column.double else scaled_sql(edge)
    return f"CAST({edge} AS VARCHAR)" if column.type == "date" else edge


LIMB = 10**18
"""Wide decimals are summed in two parts, neither of which can overflow."""


def _sum(table: BandTable, position: int, where: Clause) -> Total:
    from engine.stored_band import scaled_sql

    column, cell = table.columns[position], f"c{position}"
    if column.double:
        return _sum_doubles(table, cell, where, column)
    if position in table.narrow:
        (total,) = _one(table, scaled_sql(f"sum({cell})"), where)
        return total
    scaled = scaled_sql(cell)
    upper, lower = _one(table, f"sum({scaled} // {LIMB}), sum({scaled} % {LIMB})", where)
    return upper * LIMB + lower


def _sum_doubles(table: BandTable, cell: str, where: Clause, column: ColumnType) -> Total:
    """DuckDB's sum of doubles depends on their order, so that they are added here."""
    import numpy as np

    from engine.cubes import exact_sum
    from engine.states import finish_sum

    query = f"SELECT {cell} AS x FROM {table.name} WHERE {cell} IS NOT NULL AND {where.sql}"
    found = table.connection.execute(query, where.values).fetchnumpy()["x"]
    return finish_sum(exact_sum(np.asarray(found, np.float64)), column)
