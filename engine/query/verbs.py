"""What each verb may be asked of, and what it asks of SQL: sums, counts and order statistics, nothing rounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datasources.base import Role
from engine.columns import ColumnType
from engine.exceptions import QueryError
from engine.notes import Term
from engine.query import deadline
from engine.query.comparisons import LOCAL_TIME
from engine.query.filter_values import TYPE_TERMS
from engine.query.measured import Measured
from engine.query.questions import COUNTS, EDGES, FIELD_OPTIONAL, SUMMED, Verb
from engine.roles import AVERAGED, SUMMABLE

if TYPE_CHECKING:
    from engine.profile import FieldProfile

ROLE_TERMS: Mapping[Role, str] = {
    "%": "a_percentage",
    "rate": "a_rate",
    "year": "a_year",
    "part": "a_part",
    "id": "an_id",
    "measure": "a_number",
}


def verb_term(verb: Verb) -> Term:
    """What *verb* computes, in words."""
    return Term(f"verb_{verb}")


def check_verb(verb: Verb, field: FieldProfile | None) -> None:
    """Raise QueryError where *verb* has no meaning for *field*, saying what to ask instead."""
    if field is None:
        if verb not in FIELD_OPTIONAL:
            raise QueryError("field_needed", verb=verb)
        return
    if verb in COUNTS:
        return
    if verb in EDGES:
        if field.type == "boolean":
            raise QueryError("no_edge", verb=verb, field=field.name, type=Term("a_boolean"))
        return
    if field.type != "number":
        raise QueryError("number_needed", verb=verb, field=field.name, type=Term(TYPE_TERMS[field.type]))
    role = field.role or "measure"
    if role not in (SUMMABLE if verb in SUMMED else AVERAGED):
        code = "no_sum" if role in AVERAGED else "no_average"
        raise QueryError(code, verb=verb_term(verb), field=field.name, role=Term(ROLE_TERMS[role]))


LIMB = 10**18
"""Wide decimals are summed in two parts, neither of which can overflow."""
SQUARE_LIMB = 10**9
"""The squares of narrow ones in three: of the upper digits, of both, and of the lower ones."""


@dataclass(frozen=True, slots=True)
class Expressions:
    """What SQL shows for a verb, behind the rows and the cells."""

    verb: Verb
    column: ColumnType | None
    sql: tuple[str, ...] = ()
    narrow: bool = True
    """Whether the column's decimals have at most 18 digits."""
    is_list: bool = False
    """Whether the cells themselves are listed, since SQL cannot add them exactly."""
    rank: str | None = None
    """Of rows `r`, cells `n` and expressions `v0…` the one that orders groups as their values do, if SQL can."""

    def read(self, found: Sequence[Any], whole: Measured | None = None) -> Measured:
        """What a row of SQL says: rows, cells, then the expressions."""
        rows, cells, *values = found
        parts = self._parts(values) if cells and values else {}
        if self.verb == "DISTINCT":
            parts = {"distinct": values[0] if values else 0}
        return Measured(self.verb, self.column, rows, cells, whole=whole, **parts)

    def _parts(self, values: Sequence[Any]) -> dict[str, Any]:
        if self.verb in EDGES:
            return {"edge": values[0]}
        if self.verb == "MEDIAN":
            return {"middle": (values[0], values[1])}
        if self.is_list:
            return self._parts_of_list(values[0])
        if not self.narrow:
            return {"total": values[0] * LIMB + values[1]}
        if self.verb != "STDDEV":
            return {"total": values[0]}
        total, upper, both, lower = values
        squares = upper * SQUARE_LIMB**2 + 2 * both * SQUARE_LIMB + lower
        return {"total": total, "squares": squares}

    def _parts_of_list(self, cells: Any) -> dict[str, Any]:
        from engine.query.doubles import exact_squares, exact_total, rounded_total

        assert self.column is not None
        if not self.column.double:  # wide decimals, which Arrow has as Decimal: sums of those are rounded
            whole = [int(cell) for cell in deadline.checked(cells)]
            return {"total": sum(whole), "squares": sum(cell * cell for cell in whole)}
        if self.verb != "STDDEV":
            return {"total": rounded_total(cells, self.column)}
        return {"total": exact_total(cells), "squares": exact_squares(cells)}


def expressions(verb: Verb, cell: str, column: ColumnType | None, *, narrow: bool) -> Expressions:
    """What to show for *verb* of the column *cell*, None of rows; *narrow* as in BandTable."""
    from engine.stored_band import scaled_sql

    if column is None or verb == "COUNT":
        return Expressions(verb, column, rank="r" if column is None else "n")
    if verb == "DISTINCT":
        return Expressions(verb, column, (f"count(DISTINCT {cell})",), rank="v0")
    if verb in EDGES:
        rank = None if column.type == "datetime" else "v0"
        return Expressions(verb, column, (_edge_sql(verb, cell, column),), rank=rank)
    if verb == "MEDIAN":
        # From either end, the cell at half the way is the lower or the upper one of the two middle cells.
        halves = [f"quantile_disc({cell}, 0.5 ORDER BY {cell}{order})" for order in ("", " DESC")]
        shown = halves if column.double else [scaled_sql(half) for half in halves]
        return Expressions(verb, column, tuple(shown))
    if column.double or (verb == "STDDEV" and not narrow):
        listed = cell if column.double else scaled_sql(cell)
        shown = [f"list({listed}) FILTER ({cell} IS NOT NULL)"]
        return Expressions(verb, column, tuple(shown), narrow, is_list=True)
    if not narrow:
        scaled = scaled_sql(cell)
        return Expressions(verb, column, (f"sum({scaled} // {LIMB})", f"sum({scaled} % {LIMB})"), narrow)
    total = scaled_sql(f"sum({cell})")
    if verb != "STDDEV":
        return Expressions(verb, column, (total,), rank="v0" if verb in SUMMED else None)
    scaled = f"CAST(replace(CAST({cell} AS VARCHAR), '.', '') AS BIGINT)"
    upper, lower = f"({scaled} // {SQUARE_LIMB})", f"({scaled} % {SQUARE_LIMB})"
    squares = (f"sum({upper} * {upper})", f"sum({upper} * {lower})", f"sum({lower} * {lower})")
    return Expressions(verb, column, (total, *squares))


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
