"""
Computes one exact value for each group of a band's rows, the first ones by name and the others as one group more.

Groups of equal value stand in order of their names. The rows without a value are a group too, named last, and the
rest is measured like any group: so the rows of an answer add up to those that its filter finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

from engine.columns import ColumnType, Typed
from engine.exceptions import QueryError
from engine.fact import Fact, GroupKey, PeriodName
from engine.facts import cell_text
from engine.notes import Note
from engine.query import deadline
from engine.query.aggregate import fact_of, nulls_left_out, where_clause
from engine.query.filters import LOCAL_TIME, Clause
from engine.query.measured import Measured
from engine.query.printed_doubles import printed_sql
from engine.query.questions import BY_MAX, GROUPS_MAX, GroupBy, Order, Verb
from engine.query.session import OpenBand, QuerySession, one_request
from engine.query.target import Target, find_target
from engine.query.verbs import Expressions, expressions, verb_term

if TYPE_CHECKING:
    from datasources.filters import Filter

COMPARED_MAX = 200_000
"""Groups whose values only Python can compare, such as averages; of more, none is the first."""
_WIDE = Context(prec=80)
DATES = frozenset({"date", "datetime"})


@dataclass(frozen=True, slots=True)
class GroupAnswer:
    """One group of an answer."""

    keys: tuple[GroupKey, ...]
    rows: int
    fact: Fact | None
    """Without an id yet; None where the group has no value."""

    @property
    def others(self) -> int:
        """How many groups it stands for, where it is the rest; else 0."""
        return self.keys[0].others


@dataclass(frozen=True, slots=True)
class GroupByAnswer:
    """The answer to a GroupBy: groups in order, then the null group, then the rest."""

    band: str
    by: tuple[str, ...]
    verb: Verb
    field: str | None
    period: PeriodName | None
    where: Filter | None
    rows: int | None
    """Rows that the filter finds; None where that is withheld."""
    groups: tuple[GroupAnswer, ...]
    notes: tuple[Note, ...] = ()

    @classmethod
    def to(
        cls,
        question: GroupBy,
        band: str,
        rows: int | None,
        groups: tuple[GroupAnswer, ...],
        notes: tuple[Note, ...],
    ) -> GroupByAnswer:
        """What answers *question*, which says the rest itself."""
        return cls(
            band,
            question.by,
            question.verb,
            question.field,
            question.period,
            question.where,
            rows,
            groups,
            notes,
        )


@one_request
def group_by(session: QuerySession, question: GroupBy) -> GroupByAnswer:
    """The answer to *question*; raises QueryError where the data have none, saying what to ask instead."""
    from engine.query.absent import notes_of_filter

    _check_shape(question)
    target = find_target(session.snapshot, question)
    _check_period(question, target)
    if session.disclosure is not None:
        from engine.disclosure_groups import withheld_group_by

        return withheld_group_by(session, question, session.disclosure)
    groups: tuple[GroupAnswer, ...] = ()
    notes: tuple[Note, ...] = ()
    if target.band.columns:
        with session.ask(target.index, target.fields) as opened:
            groups, notes = Grouping(session, question, target, opened).answer()
    rows = sum(group.rows for group in groups)
    if not rows:
        notes = (Note("no_rows" if question.where else "no_rows_at_all", verb=verb_term(question.verb)),)
    notes = (*notes, *notes_of_filter(session, target, rows))
    return GroupByAnswer.to(question, target.band.name, rows, groups if rows else (), notes)


def _check_shape(question: GroupBy) -> None:
    if not 1 <= len(question.by) <= BY_MAX:
        raise QueryError("by_count", count=len(question.by))
    if len(set(question.by)) < len(question.by):
        raise QueryError("same_field_twice", field=question.by[0])
    if question.top is not None and not 1 <= question.top <= GROUPS_MAX:
        raise QueryError("top_range", most=GROUPS_MAX)


def _check_period(question: GroupBy, target: Target) -> None:
    if question.period is None or not target.band.columns:
        return
    dated = [name for name in question.by if target.band.columns[target.band_position(name)].type in DATES]
    if not dated and not any(target.is_without_cells(target.band_position(name)) for name in question.by):
        raise QueryError("period_needs_date", names=question.by)
    if len(dated) > 1:
        raise QueryError("two_dates", names=tuple(dated))


@dataclass(frozen=True, slots=True)
class FoundGroup:
    """A group as SQL found it."""

    id: int
    names: tuple[str | None, ...]
    measured: Measured

    @property
    def is_null(self) -> bool:
        """Whether it is the one group of the rows without a value."""
        return self.names == (None,)


class Grouping:
    """The groups of one question, kept as a table of the question's own cursor while it is answered."""

    def __init__(self, session: QuerySession, question: GroupBy, target: Target, opened: OpenBand) -> None:
        self._session, self._question, self._target, self._opened = session, question, target, opened
        self._where = where_clause(target, opened)
        self._keys = [GroupingKey.of(opened, target, position, question.period) for position in target.by]
        self._shown = self._expressions()
        self._top = question.top or GROUPS_MAX
        self._order: Order = question.order or ("desc" if question.top or not question.period else "group")

    def _expressions(self) -> Expressions:
        target = self._target
        if target.field is None:
            return expressions(self._question.verb, "", None, narrow=True)
        position = self._opened.position(target.field)
        if target.is_silent:
            return Expressions(self._question.verb, target.column)
        narrow = position in self._opened.table.narrow
        return expressions(self._question.verb, f"c{position}", target.column, narrow=narrow)

    def answer(self) -> tuple[tuple[GroupAnswer, ...], tuple[Note, ...]]:
        """The groups in order, and what is to be said of them."""
        self._gather()
        count, null, nulls, rows = self._count()
        whole = self._whole() if self._question.verb == "SHARE" else None
        found = self._first(whole, count)
        named, cut = found[: self._top], found[self._top :]
        listed = [*named, *([self._null(whole)] if null else [])]
        notes = self._notes(named, cut, null)
        if nulls and self._target.column is not None and self._question.verb != "COUNT":
            notes.append(nulls_left_out(nulls, rows, self._target.column.name))
        notes += self._reasons(listed, whole)
        answers = [self._answer(one) for one in listed]
        if count > len(named):
            answers.append(self._rest(listed, count - len(named), whole))
            others = count - len(named)
            notes.append(Note("other_groups" if others > 1 else "other_group", count=others))
        return tuple(answers), tuple(notes)

    def _reasons(self, listed: Sequence[FoundGroup], whole: Measured | None) -> list[Note]:
        """Why groups that have cells have no value."""
        if whole is not None and not whole.amount:
            return [Note("share_of_nothing")]
        if self._question.verb == "STDDEV" and any(one.measured.cells == 1 for one in listed):
            return [Note("two_needed")]
        return []

    def _gather(self) -> None:
        keys = ", ".join(f"{key.sql} AS k{index}" for index, key in enumerate(self._keys))
        values = "".join(f", {sql} AS v{index}" for index, sql in enumerate(self._shown.sql))
        groups = ", ".join(f"k{index}" for index in range(len(self._keys)))
        self._opened.run(
            f"CREATE OR REPLACE TEMP TABLE grouped AS SELECT {keys}, count(*) AS r, {self._cells} AS n{values} "
            f"FROM {self._opened.table.name} WHERE {self._where.sql} GROUP BY {groups}",
            self._where.values,
        )

    @property
    def _cells(self) -> str:
        if self._target.field is None:
            return "count(*)"
        return f"count(c{self._opened.position(self._target.field)})"

    @property
    def _is_null(self) -> str:
        """SQL for the null group, which competes with no other; of two fields a null is a name like others."""
        return "k0 IS NULL" if len(self._keys) == 1 else "FALSE"

    def _count(self) -> tuple[int, bool, int, int]:
        """How many groups there are beside the null group, whether there is one, rows without a cell, rows."""
        count, null, nulls, rows = self._opened.row(
            f"SELECT count(*) FILTER (NOT ({self._is_null})), count(*) FILTER ({self._is_null}), "
            "coalesce(sum(r) - sum(n), 0), coalesce(sum(r), 0) FROM grouped"
        )
        return count, bool(null), int(nulls), int(rows)

    def _first(self, whole: Measured | None, count: int) -> list[FoundGroup]:
        """The groups that are named, and one more to tell whether the cut is a tie."""
        names = ", ".join(key.name_order(f"k{index}") for index, key in enumerate(self._keys))
        limit = self._top + 1
        if self._order == "group":
            order = ", ".join(key.order(f"k{index}") for index, key in enumerate(self._keys))
        elif self._shown.rank is not None:
            # A group without a cell has no value, which is last either way.
            way = "ASC" if self._order == "asc" else "DESC"
            value = f"CASE WHEN n > 0 OR {self._is_counted} THEN {self._rank(whole)} END"
            order = f"{value} {way} NULLS LAST, {names}"
        elif count > COMPARED_MAX:
            raise QueryError("too_many_groups", most=COMPARED_MAX, verb=self._question.verb)
        else:
            return self._compare(self._read(f"NOT ({self._is_null})", names, None, whole))[:limit]
        return self._read(f"NOT ({self._is_null})", order, limit, whole)

    def _rank(self, whole: Measured | None) -> str:
        """SQL for what orders groups: shares of less than nothing the other way round, of nothing not at all."""
        amount = 1 if whole is None else whole.amount or 0
        if not amount:
            return "NULL"
        return str(self._shown.rank) if amount > 0 else f"-{self._shown.rank}"

    @property
    def _is_counted(self) -> str:
        return "TRUE" if self._question.verb in ("COUNT", "DISTINCT") else "FALSE"

    def _compare(self, found: list[FoundGroup]) -> list[FoundGroup]:
        """In order of their values; *found* are in order of their names, which stays among equals."""
        # Of one verb, so of one kind.
        values: dict[int, Any] = {one.id: one.measured.order for one in deadline.checked(found)}
        with_value = [one for one in found if values[one.id] is not None]
        with_value.sort(key=lambda one: values[one.id], reverse=self._order == "desc")
        return [*with_value, *(one for one in found if values[one.id] is None)]

    def _read(
        self, condition: str, order: str, limit: int | None, whole: Measured | None
    ) -> list[FoundGroup]:
        keys = len(self._keys)
        shown = ["rowid", *(f"k{index}" for index in range(keys)), "r", "n"]
        shown += [f"v{index}" for index in range(len(self._shown.sql))]
        query = f"SELECT {', '.join(shown)} FROM grouped WHERE {condition} ORDER BY {order}"
        if limit is not None:
            query += f" LIMIT {limit}"
        rows = self._opened.listed_rows(query) if self._shown.is_list else self._opened.rows(query)
        return [
            FoundGroup(
                row[0],
                tuple(key.name(value) for key, value in zip(self._keys, row[1 : 1 + keys], strict=True)),
                self._shown.read(row[1 + keys :], whole),
            )
            for row in deadline.checked(rows)
        ]

    def _null(self, whole: Measured | None) -> FoundGroup:
        (found,) = self._read(self._is_null, "r", None, whole)
        return found

    def _whole(self) -> Measured:
        return self._measure_rows(self._where, "", None)

    def _rest(self, listed: Sequence[FoundGroup], count: int, whole: Measured | None) -> GroupAnswer:
        """The groups that are not listed, as one."""
        ids = ", ".join(str(one.id) for one in listed) or "-1"
        matched = " AND ".join(
            f"o.k{index} IS NOT DISTINCT FROM {key.sql}" for index, key in enumerate(self._keys)
        )
        others = f"JOIN (SELECT * FROM grouped WHERE rowid NOT IN ({ids})) AS o ON {matched}"
        found = self._added(ids, whole) or self._measure_rows(self._where, others, whole)
        keys = tuple(GroupKey(key.field, None, key.period, count) for key in self._keys)
        return self._group(keys, found)

    def _added(self, ids: str, whole: Measured | None) -> Measured | None:
        """What can be added up from the groups that are found already; None of what needs their rows."""
        is_sum = self._shown.rank == "v0" and self._question.verb in ("SUM", "SHARE")
        if not (is_sum or self._question.verb == "COUNT" or self._target.field is None):
            return None
        total = ", sum(v0)" if is_sum else ""
        row = self._opened.row(
            f"SELECT CAST(sum(r) AS BIGINT), CAST(sum(n) AS BIGINT){total} FROM grouped WHERE rowid NOT IN ({ids})"
        )
        return self._shown.read(row, whole)

    def _measure_rows(self, where: Clause, others: str, whole: Measured | None) -> Measured:
        columns = ", ".join(["count(*)", self._cells, *self._shown.sql])
        query = f"SELECT {columns} FROM {self._opened.table.name} {others} WHERE {where.sql}"
        row = self._opened.listed_row if self._shown.is_list else self._opened.row
        return self._shown.read(row(query, where.values), whole)

    # ---- what is said of them ----

    def _answer(self, found: FoundGroup) -> GroupAnswer:
        keys = tuple(
            GroupKey(key.field, name, key.period) for key, name in zip(self._keys, found.names, strict=True)
        )
        return self._group(keys, found.measured)

    def _group(self, keys: tuple[GroupKey, ...], found: Measured) -> GroupAnswer:
        value = found.value
        fact = None
        if value is not None:
            fact = fact_of(self._session, self._target, self._question.verb, found, value, keys)
        return GroupAnswer(keys, found.rows, fact)

    def _notes(self, named: Sequence[FoundGroup], cut: Sequence[FoundGroup], null: bool) -> list[Note]:
        notes = []
        if cut and named and self._order != "group":
            order = cut[0].measured.order
            if order is not None and named[-1].measured.order == order:
                tied = sum(one.measured.order == order for one in (*named, *cut))
                notes.append(Note("ties", count=tied, value=cut[0].measured.value))
        if null:
            notes.append(Note("null_group", names=self._question.by))
        return notes


# ---- what rows are grouped by ----

_STARTS: dict[PeriodName, str] = {
    "week": "date_trunc('week', {day})",
    "month": "date_trunc('month', {day})",
    "quarter": "date_trunc('quarter', {day})",
    "year": "date_trunc('year', {day})",
    "day": "{day}",
}
"""SQL for the first day of the period that a day is in."""


@dataclass(frozen=True, slots=True)
class GroupingKey:
    """A field to group by."""

    field: str
    column: ColumnType
    sql: str
    period: PeriodName | None

    @classmethod
    def of(cls, opened: OpenBand, target: Target, position: int, period: PeriodName | None) -> GroupingKey:
        """The key of the band's column at *position*, whose days a *period* gathers."""
        column, cell = target.band.columns[position], f"c{opened.position(position)}"
        if column.double:
            return cls(column.name, column, printed_sql(cell), None)
        if column.type not in DATES or period is None:
            return cls(column.name, column, cell, None)
        day = cell if column.type == "date" else f"CAST(substr({cell}, 1, 10) AS DATE)"
        return cls(column.name, column, f"CAST({_STARTS[period].format(day=day)} AS DATE)", period)

    def order(self, cell: str) -> str:
        """SQL that orders the values in *cell*: numbers by size, days and moments by time; nulls last."""
        if self.column.type == "datetime" and self.period is None:
            return f"{LOCAL_TIME.format(cell=cell)} NULLS LAST, {cell}"
        return f"{cell} NULLS LAST"

    def name_order(self, cell: str) -> str:
        """SQL that orders groups of equal value: by what they are called, as statistics do (spec 3)."""
        # The text of a DOUBLE may have an exponent, which its name has not.
        return f"{cell} NULLS LAST" if self.column.double else f"CAST({cell} AS VARCHAR) NULLS LAST"

    def name(self, value: Any) -> str | None:
        """What the group of SQL's *value* is called."""
        if value is None:
            return None
        if isinstance(value, date):
            return _period_name(value, self.period)
        return cell_text(_typed(value, self.column), self.column)


def _typed(value: Any, column: ColumnType) -> Typed:
    """SQL's value as typed cells have it."""
    if isinstance(value, Decimal):
        return int(value.scaleb(column.scale, _WIDE))
    return value  # type: ignore[no-any-return]  # a text, a boolean or a double


def _period_name(first: date, period: PeriodName | None) -> str:
    match period:
        case "week":
            year, week, _ = first.isocalendar()
            return f"{year:04d}-W{week:02d}"
        case "month":
            return first.isoformat()[:7]
        case "quarter":
            return f"{first.year:04d}-Q{(first.month + 2) // 3}"
        case "year":
            return f"{first.year:04d}"
        case _:
            return first.isoformat()
