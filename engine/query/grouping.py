"""
Finds the groups of one question by SQL: the first ones by value or name, the null group, and the others as one more.

Groups of equal value stand in order of their names. The rest is measured like any group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.exceptions import QueryError
from engine.fact import Fact, GroupKey
from engine.notes import Note
from engine.query import deadline
from engine.query.aggregate import fact_of, nulls_left_out, where_clause
from engine.query.clause import Clause
from engine.query.grouping_key import GroupingKey
from engine.query.measured import Measured
from engine.query.questions import GROUPS_MAX, GroupBy, Order
from engine.query.session import OpenBand, QuerySession
from engine.query.target import Target
from engine.query.verbs import Expressions, expressions

COMPARED_MAX = 200_000
"""Groups whose values only Python can compare, such as averages; of more, none is the first."""


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
