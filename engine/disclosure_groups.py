"""
Answers a question for groups under small groups: those of k rows or more by name, all others together as one.

Which groups have a name depends on their rows, never on what is measured of them. Where naming them all would give
away fewer than k rows, the group with the fewest rows goes with the others, then the next: only as many as needed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from engine.disclosure import ROWS, BandDisclosure, Blocks, Disclosure
from engine.disclosure_answers import DEVIATION_MIN, PUBLISHES_CELLS, fetch_columns, sums_of
from engine.disclosure_names import naming_of, objection
from engine.disclosure_search import names_near
from engine.exceptions import QueryError
from engine.fact import GroupKey
from engine.filter_json import filter_json
from engine.notes import Note
from engine.query.aggregate import nulls_left_out
from engine.query.comparisons import LOCAL_TIME
from engine.query.group_by import GroupByAnswer
from engine.query.grouping import FoundGroup, GroupAnswer, Grouping
from engine.query.grouping_key import DATES
from engine.query.questions import EDGES, GroupBy
from engine.query.session import OpenBand, QuerySession
from engine.query.target import Target, find_target

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.disclosure import Labels
    from engine.query.measured import Measured

NAMED_MAX = 5_000
"""Groups of enough rows that one answer looks at."""
SHOWS_ROWS = EDGES | {"MEDIAN", "DISTINCT"}
"""Verbs of which each group's value is looked at by itself."""

Found = tuple[tuple[GroupAnswer, ...], tuple[Note, ...]]


def withheld_group_by(session: QuerySession, question: GroupBy, disclosure: Disclosure) -> GroupByAnswer:
    """The answer to *question*, or one whose note says that it is withheld; raises as `engine.query.group_by` does."""
    target = find_target(session.snapshot, question)
    groups: tuple[GroupAnswer, ...] = ()
    notes: tuple[Note, ...] = (Note("small_group", k=disclosure.k),)
    with disclosure.lock:
        if target.band.columns and target.band.rows >= disclosure.k:
            with session.ask(target.index, target.fields) as opened:
                refused = objection(disclosure, opened, target)
                if refused is None:
                    groups, notes = _WithheldGrouping(session, question, target, opened, disclosure).answer()
                else:
                    notes = (refused, *names_near(session, disclosure, target))
    rows = sum(group.rows for group in groups) if groups else None
    return GroupByAnswer.to(question, target.band.name, rows, groups, notes)


class _WithheldGrouping(Grouping):
    """The groups of one question, those without a name together."""

    def __init__(
        self,
        session: QuerySession,
        question: GroupBy,
        target: Target,
        opened: OpenBand,
        disclosure: Disclosure,
    ) -> None:
        super().__init__(session, question, target, opened)
        self._disclosure = disclosure
        self._k = disclosure.k

    def answer(self) -> Found:
        """The groups in order, those without a name behind them, and what is to be said of them."""
        refused: Found = ((), (Note("small_group", k=self._k),))
        self._gather()
        _, _, nulls, rows = self._count()
        if rows < self._k or rows - nulls < self._k:
            return refused
        if self._question.verb == "STDDEV" and self._k < DEVIATION_MIN:
            return refused
        whole = self._whole() if self._question.verb == "SHARE" else None
        by_name = self._candidates(whole)
        lists = _Lists(by_name, self._listed_first(by_name), self._top, self._k, rows, rows - nulls)
        step = self._band.admit(self._name(), lambda: self._blocks(lists), lists)
        if step is None:
            return refused
        listed, others, merged = lists.at(step)
        return self._written(listed, others, merged, whole, nulls, rows)

    @property
    def _band(self) -> BandDisclosure:
        return self._disclosure.of_band(self._session.snapshot, self._target.index)

    def _name(self, *more: object) -> str:
        one = self._question
        where = None if one.where is None else filter_json(one.where)
        return json.dumps(
            ["groups", one.verb, self._target.field, one.by, one.period, self._top, self._order, where, *more]
        )

    def _candidates(self, whole: Measured | None) -> list[FoundGroup]:
        """The groups that may be named, in order of their names."""
        enough = f"r >= {self._k} AND n >= {self._k}"
        for index, (key, position) in enumerate(zip(self._keys, self._target.by, strict=True)):
            is_date = self._target.band.columns[position].type in DATES
            period = self._question.period if is_date else None
            naming = naming_of(self._disclosure, self._opened, self._target, position, period)
            if naming.joined >= 0:
                joined = f"SELECT {key.sql} FROM {self._opened.table.name} WHERE rowid = {naming.joined}"
                enough += f" AND k{index} IS DISTINCT FROM ({joined})"
        order = ", ".join(key.name_order(f"k{index}") for index, key in enumerate(self._keys))
        if self._order == "group":
            order = ", ".join(key.order(f"k{index}") for index, key in enumerate(self._keys))
        found = self._read(enough, order, NAMED_MAX + 1, whole)
        if len(found) > NAMED_MAX:
            raise QueryError("too_many_named", most=NAMED_MAX)
        return found

    def _listed_first(self, candidates: Sequence[FoundGroup]) -> list[FoundGroup]:
        """The candidates in the order in which they are listed, the null group behind the others."""
        # An order by values that are withheld would tell them apart.
        is_by_name = self._question.verb in SHOWS_ROWS or self._order == "group"
        ordered = candidates if is_by_name else self._compare(list(candidates))
        return sorted(ordered, key=lambda one: one.is_null)

    # ---- which rows are in which group ----

    def _blocks(self, lists: _Lists) -> list[Blocks]:
        import numpy as np

        codes = {one.id: at for at, one in enumerate(lists.candidates)}
        target, field = self._target, self._target.field
        cell = "TRUE" if field is None else f"c{self._opened.position(field)} IS NOT NULL"
        rows, found, has_cell = self._rows(codes, f"{cell} AS cell", every=True)
        labels = np.full(target.band.rows, -1, np.int32)
        labels[rows] = found
        blocks = [Blocks(labels, frozenset({ROWS}))]
        numbers = frozenset[int]()
        if field is not None and self._question.verb not in SHOWS_ROWS:
            numbers = sums_of(target, field) if self._question.verb != "COUNT" else numbers
            if self._question.verb in PUBLISHES_CELLS:
                numbers |= {ROWS}
        if numbers and not has_cell.all():
            cells = labels.copy()
            cells[rows[~has_cell.astype(np.bool_)]] = -1
            blocks.append(Blocks(cells, numbers))
        elif numbers:
            blocks[0] = Blocks(labels, numbers | {ROWS})
        return blocks

    def _rows(self, codes: dict[int, int], shown: str, *, every: bool = False) -> Sequence[Labels]:
        """
        Rows, the code of the group of each, and what is *shown* of it.

        Rows of groups without a code are left out or, where *every* row is asked for, have the next code.
        """
        if not codes:
            codes = {-1: -1}
        pairs = ", ".join(f"({one}, {code})" for one, code in codes.items())
        matched = self._matched
        named = f"SELECT g.*, named.code FROM grouped g JOIN (VALUES {pairs}) AS named(id, code) ON g.rowid = named.id"
        table = self._opened.table.name
        code = f"coalesce(o.code, {max(codes.values()) + 1})" if every else "o.code"
        query = (
            f"SELECT {table}.rowid AS row, CAST({code} AS INTEGER) AS code, {shown} FROM {table} "
            f"{'LEFT ' if every else ''}JOIN ({named}) AS o ON {matched} WHERE {self._where.sql}"
        )
        return fetch_columns(self._opened, query, self._where.values)

    @property
    def _matched(self) -> str:
        pairs = (f"o.k{index} IS NOT DISTINCT FROM {key.sql}" for index, key in enumerate(self._keys))
        return " AND ".join(pairs)

    # ---- what is told of them ----

    def _written(
        self,
        listed: Sequence[FoundGroup],
        others: Sequence[FoundGroup],
        merged: bool,
        whole: Measured | None,
        nulls: int,
        rows: int,
    ) -> Found:
        shown = self._shown_alone(listed) if self._question.verb in SHOWS_ROWS else {one.id for one in listed}
        answers = [
            self._answer(one) if one.id in shown else self._without_value(one.measured, self._keys_of(one))
            for one in listed
        ]
        notes = [Note("withheld_values", k=self._k)] if len(shown) < len(listed) else []
        if any(one.is_null for one in listed):
            notes.append(Note("null_group", names=self._question.by))
        if nulls and self._target.column is not None and self._question.verb in ("AVG", "STDDEV"):
            notes.append(nulls_left_out(nulls, rows, self._target.column.name))
        if others:
            keys = tuple(GroupKey(key.field, None, key.period, len(others)) for key in self._keys)
            answers.append(self._together(keys, [one.id for one in others], True, whole))
            notes.append(Note("other_groups", count=len(others)))
        if merged:
            keys = tuple(GroupKey(key.field, None, key.period, withheld=True) for key in self._keys)
            named = [one.id for one in (*listed, *others)]
            answers.append(self._together(keys, named, False, whole))
            notes.append(Note("withheld_groups", k=self._k))
        return tuple(answers), tuple(notes)

    def _keys_of(self, found: FoundGroup) -> tuple[GroupKey, ...]:
        return tuple(
            GroupKey(key.field, name, key.period) for key, name in zip(self._keys, found.names, strict=True)
        )

    def _together(
        self, keys: tuple[GroupKey, ...], ids: Iterable[int], are_in: bool, whole: Measured | None
    ) -> GroupAnswer:
        """The groups *ids*, or those that are not among them, as one."""
        listed = ", ".join(map(str, ids)) or "-1"
        chosen = f"SELECT * FROM grouped WHERE rowid {'' if are_in else 'NOT '}IN ({listed})"
        found = self._measure_rows(self._where, f"JOIN ({chosen}) AS o ON {self._matched}", whole)
        if self._question.verb in SHOWS_ROWS:
            return self._without_value(found, keys)
        return self._group(keys, found)

    def _without_value(self, found: Measured, keys: tuple[GroupKey, ...]) -> GroupAnswer:
        return GroupAnswer(keys, found.rows, None)

    def _shown_alone(self, listed: Sequence[FoundGroup]) -> set[int]:
        """The ids of the groups whose own value may be shown: enough rows have it, or each of its values."""
        import numpy as np

        verb, field, band = self._question.verb, self._target.field, self._target.band
        assert field is not None
        codes = {one.id: at for at, one in enumerate(listed)}
        cell = f"c{self._opened.position(field)}"
        numbers = frozenset({ROWS})
        if verb == "DISTINCT":
            shown = f"CAST(dense_rank() OVER (PARTITION BY o.code ORDER BY {cell}) - 1 AS INTEGER) AS value"
            hidden = -1
        else:
            edge = f"{self._edge(cell)} OVER (PARTITION BY o.code)"
            shown = f"CAST({cell} IS NOT DISTINCT FROM {edge} AS INTEGER) - 1 AS value"
            numbers |= sums_of(self._target, field)
            hidden = naming_of(self._disclosure, self._opened, self._target, field).joined
        rows, groups, values = self._rows(codes, shown)
        found: set[int] = set()
        for one in listed:
            if verb == "MEDIAN" and (
                one.measured.middle is None or one.measured.middle[0] != one.measured.middle[1]
            ):
                continue
            inside = (groups == codes[one.id]) & (values >= 0)
            sizes = np.bincount(values[inside])
            if not len(sizes) or sizes.min() < self._k or hidden in rows[inside]:
                continue
            labels = np.full(band.rows, -1, np.int32)
            labels[rows[inside]] = values[inside]
            blocks = [Blocks(labels, numbers)]
            if self._band.admit(self._name(*one.names), lambda blocks=blocks: blocks) is not None:  # type: ignore[misc]
                found.add(one.id)
        return found

    def _edge(self, cell: str) -> str:
        """SQL for the value whose rows are looked at."""
        column = self._target.column
        if column is not None and column.type == "datetime":
            key = f"{LOCAL_TIME.format(cell=cell)} || chr(0) || {cell}"
            return f"arg_{self._question.verb.lower()}({cell}, {key})"
        if self._question.verb == "MEDIAN":
            return f"quantile_disc({cell}, 0.5)"
        return f"{self._question.verb.lower()}({cell})"


class _Lists:
    """What a list could name, from all of its groups of enough rows to none."""

    def __init__(
        self,
        candidates: Sequence[FoundGroup],
        listed: Sequence[FoundGroup],
        top: int,
        k: int,
        rows: int,
        cells: int,
    ) -> None:
        # In the order in which they lose their names; of equally many rows, by name.
        self.candidates = sorted(candidates, key=lambda one: min(one.measured.rows, one.measured.cells))
        self._listed, self._top = listed, top
        self._places = {one.id: at for at, one in enumerate(self.candidates)}
        left_rows = rows - sum(one.measured.rows for one in candidates)
        left_cells = cells - sum(one.measured.cells for one in candidates)
        start = 0
        # The groups without a name are either none, or k rows and cells together.
        while start < len(candidates) and (0 < left_rows < k or 0 < left_cells < k):
            left_rows += self.candidates[start].measured.rows
            left_cells += self.candidates[start].measured.cells
            start += 1
        self._start = start
        self._is_all_named = left_rows == 0

    def at(self, step: int) -> tuple[list[FoundGroup], list[FoundGroup], bool]:
        """Groups by name, the others that could be named, and whether there are some that could not."""
        gone = {one.id for one in self.candidates[: self._start + step]}
        named = [one for one in self._listed if one.id not in gone]
        nulls = [one for one in named if one.is_null]
        rest = [one for one in named if not one.is_null]
        return [*rest[: self._top], *nulls], rest[self._top :], bool(gone) or not self._is_all_named

    def __len__(self) -> int:
        """How many steps there are."""
        return len(self.candidates) - self._start + 1

    def __getitem__(self, step: int) -> NDArray[np.int32]:
        """From each candidate, and at the end from all other rows, to what is published as one at *step*."""
        import numpy as np

        count = len(self.candidates)
        listed, others, _ = self.at(step)
        found = np.full(count + 1, count, np.int32)
        found[[self._places[one.id] for one in listed]] = [self._places[one.id] for one in listed]
        found[[self._places[one.id] for one in others]] = count + 1
        return found
