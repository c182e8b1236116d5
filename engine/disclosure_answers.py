"""
Answers a question for one value under small groups: the value, or a note that it is withheld.

`AVG`, `STDDEV`, `SHARE` and counts follow from sums and counts of sets of rows, so that those are what is published.
`MIN`, `MAX` and `MEDIAN` show the value of single rows: they are given only where k rows have it, and count as if
the number of these rows had been published. `DISTINCT` says that there are so many groups, and counts as their list.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.disclosure import ROWS, BandDisclosure, Blocks, Disclosure
from engine.disclosure_names import naming_of, objection
from engine.disclosure_search import names_near
from engine.filter_json import filter_json
from engine.notes import Note
from engine.query.aggregate import AggregateAnswer, fact_of, measure, nulls_left_out, where_clause
from engine.query.clause import Clause
from engine.query.comparisons import LOCAL_TIME
from engine.query.questions import EDGES, Aggregate, Verb
from engine.query.session import OpenBand, QuerySession
from engine.query.target import Target, find_target

if TYPE_CHECKING:
    from engine.disclosure import Labels
    from engine.fact import Fact
    from engine.query.clause import Bound
    from engine.query.measured import Measured

PUBLISHES_CELLS: frozenset[Verb] = frozenset({"AVG", "STDDEV", "COUNT"})
"""Beside a sum or alone they say how many rows have a cell."""
DEVIATION_MIN = 3
"""Of two rows the sum and the sum of squares are the values."""
DISTINCT_MAX = 1_000
"""Of more values none is counted."""


def withheld_aggregate(
    session: QuerySession, question: Aggregate, disclosure: Disclosure, *, asked: bool = True
) -> AggregateAnswer:
    """
    The answer to *question*, or one whose note says that it is withheld.

    Unless it is *asked*, but stated by the report itself, its filter may name any value. Raises QueryError as
    `engine.query.aggregate` does.
    """
    target = find_target(session.snapshot, question)
    with disclosure.lock:
        withheld: Note | None = Note("small_group", k=disclosure.k)
        fact: Fact | None = None
        rows: int | None = None
        notes: tuple[Note, ...] = ()
        if target.band.columns and target.band.rows >= disclosure.k:
            with session.ask(target.index, target.fields) as opened:
                withheld = objection(disclosure, opened, target) if asked else None
                if withheld is None:
                    found = measure(session, target, question.verb)
                    if not _Admission(session, disclosure, target, opened, found).is_admitted():
                        withheld = Note("small_group", k=disclosure.k)
                    elif (value := found.value) is None:
                        rows, notes = found.rows, (Note("share_of_nothing"),)
                    else:
                        fact, rows = fact_of(session, target, question.verb, found, value), found.rows
                        notes = notes_of_cells(found)
            if withheld is not None:
                notes = names_near(session, disclosure, target)
    return AggregateAnswer(
        target.band.name,
        question.verb,
        question.field,
        question.where,
        rows,
        fact,
        notes if withheld is None else (withheld, *notes),
    )


def notes_of_cells(found: Measured) -> tuple[Note, ...]:
    """What is left out, where the number of cells is published anyway."""
    nulls = found.rows - found.cells
    if not nulls or found.column is None or found.verb not in ("AVG", "STDDEV"):
        return ()
    return (nulls_left_out(nulls, found.rows, found.column.name),)


@dataclass(frozen=True, slots=True)
class _Admission:
    """Whether what was found may be published."""

    session: QuerySession
    disclosure: Disclosure
    target: Target
    opened: OpenBand
    found: Measured

    def is_admitted(self) -> bool:
        """Publish it if so."""
        if not self._has_enough():
            return False
        where = None if self.target.where is None else filter_json(self.target.where)
        question = json.dumps(["aggregate", self.found.verb, self.target.field, where])
        return self._band.admit(question, self._blocks) is not None

    @property
    def _band(self) -> BandDisclosure:
        return self.disclosure.of_band(self.session.snapshot, self.target.index)

    def _has_enough(self) -> bool:
        found, k = self.found, self.disclosure.k
        if found.rows < k or found.cells < k:
            return False
        if found.verb == "MEDIAN":
            assert found.middle is not None
            return found.middle[0] == found.middle[1]
        if found.verb == "DISTINCT":
            return (found.distinct or 0) <= DISTINCT_MAX
        return found.verb != "STDDEV" or k >= DEVIATION_MIN

    def _blocks(self) -> list[Blocks]:
        rows = frozenset({ROWS})
        where = where_clause(self.target, self.opened)
        verb, field = self.found.verb, self.target.field
        blocks = [] if self.target.where is None else [Blocks(self._labels(where), rows)]
        if field is None:
            return blocks
        cell = f"c{self.opened.position(field)}"
        if verb == "DISTINCT":
            return [*blocks, Blocks(values_labels(self.opened, cell, where, self.target.band.rows), rows)]
        sums = sums_of(self.target, field)
        if verb in EDGES or verb == "MEDIAN":
            edge = edge_clause(self.opened, verb, cell, self.target, where)
            naming = naming_of(self.disclosure, self.opened, self.target, field)
            return [*blocks, Blocks(self._labels(edge, leaving_out=naming.joined), rows | sums)]
        cells = Clause(f"({where.sql}) AND {cell} IS NOT NULL", where.values)
        numbers = sums if verb != "COUNT" else frozenset[int]()
        if verb in PUBLISHES_CELLS:
            numbers |= rows
        if numbers:
            blocks.append(Blocks(self._labels(cells), numbers))
        if verb == "SHARE" and sums:
            blocks.append(Blocks(self._labels(Clause(f"{cell} IS NOT NULL")), sums))
        return blocks

    def _labels(self, where: Clause, *, leaving_out: int = -1) -> Labels:
        """0 for each row of *where*; a set with a row that has no name is cut to one row, which is never admitted."""
        labels = rows_labels(self.opened, where, self.target.band.rows)
        if leaving_out >= 0 and labels[leaving_out] == 0:
            labels[:] = -1
            labels[leaving_out] = 0
        return labels


def sums_of(target: Target, field: int) -> frozenset[int]:
    """
    Where sums of *field* are counted: beside rows only where it has nulls.

    Without nulls each set of its cells is a set of rows, whose number is always published with the sum.
    """
    facts = target.facts.fields[field]
    return frozenset({field}) if facts.type == "number" and facts.nulls else frozenset()


def edge_clause(opened: OpenBand, verb: Verb, cell: str, target: Target, where: Clause) -> Clause:
    """The rows of *where* that have the least, greatest or middle value."""
    column = target.column
    if column is not None and column.type == "datetime":
        key = f"{LOCAL_TIME.format(cell=cell)} || chr(0) || {cell}"
        edge = f"arg_{verb.lower()}({cell}, {key})"
    elif verb == "MEDIAN":
        edge = f"quantile_disc({cell}, 0.5 ORDER BY {cell})"
    else:
        edge = f"{verb.lower()}({cell})"
    found = f"SELECT {edge} FROM {opened.table.name} WHERE {where.sql}"
    return Clause(f"({where.sql}) AND {cell} = ({found})", [*where.values, *where.values])


# ---- the rows of a set, as numbers ----


def rows_labels(opened: OpenBand, where: Clause, rows: int) -> Labels:
    """0 for each of a band's *rows* that *where* finds, -1 for the others."""
    import numpy as np

    labels = np.full(rows, -1, np.int8)
    query = f"SELECT rowid AS row FROM {opened.table.name} WHERE {where.sql}"
    labels[fetch_columns(opened, query, where.values)[0]] = 0
    return labels


def values_labels(opened: OpenBand, cell: str, where: Clause, rows: int) -> Labels:
    """A number for each value of *cell* among the rows that *where* finds, nulls among them; -1 for other rows."""
    import numpy as np

    query = (
        f"SELECT rowid AS row, CAST(dense_rank() OVER (ORDER BY {cell}) - 1 AS INTEGER) AS code "
        f"FROM {opened.table.name} WHERE {where.sql}"
    )
    positions, codes = fetch_columns(opened, query, where.values)
    labels = np.full(rows, -1, np.int32)
    labels[positions] = codes
    return labels


def fetch_columns(opened: OpenBand, query: str, values: Sequence[Bound] = ()) -> Sequence[Labels]:
    """The columns of whole numbers that *query* shows."""
    found = opened.table.connection.execute(query, list(values)).fetchnumpy()
    return tuple(found.values())
