"""
Compiles a filter to SQL over a band's columns `c0…cN`: every value is bound, and read as its field reads its cells.

A null fits no condition but `is_null`, so neither `!=` nor `not_in` finds it. How one value is compared stands in
`comparisons.py`, and what it is to its field in `filter_values.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, assert_never

from engine.columns import ColumnType
from engine.exceptions import QueryError
from engine.query.clause import NEVER, Clause
from engine.query.comparisons import COMPARERS, text_function
from engine.query.filter_values import check_text, number_of, value_text
from engine.query.printed_doubles import printed_as

if TYPE_CHECKING:
    from datasources.filters import Condition, Filter, FilterValue


def compile_filter(where: Filter, columns: Sequence[ColumnType]) -> Clause:
    """
    The SQL of *where* for a table whose columns `c0…cN` are *columns*.

    Raises QueryError for a field that is not there, a value that the field cannot have, and an operator that
    the field's type does not know.
    """
    from datasources.filters import AllOf, AnyOf, Condition

    match where:
        case AllOf():
            return Clause.joined([compile_filter(one, columns) for one in where.all_of], "AND")
        case AnyOf():
            return Clause.joined([compile_filter(one, columns) for one in where.any_of], "OR")
        case Condition():
            return _compile_condition(where, columns)
        case _:
            assert_never(where)


def position_of(name: str, columns: Sequence[ColumnType]) -> int:
    """Where the field *name* stands; raises QueryError with those that there are."""
    for position, column in enumerate(columns):
        if column.name == name:
            return position
    raise QueryError.unknown_field(name, [column.name for column in columns])


def _compile_condition(where: Condition, columns: Sequence[ColumnType]) -> Clause:
    position = position_of(where.field, columns)
    column, cell = columns[position], f"c{position}"
    if where.op == "is_null":
        return Clause(f"{cell} IS {'NOT ' if where.value is False else ''}NULL")
    if where.op in ("contains", "starts_with"):
        check_text(where.op, column)
        return text_function(cell, where.op, value_text(where.value))
    compare = COMPARERS[column.type](cell, column)
    values: Sequence[FilterValue | None] = where.value if isinstance(where.value, tuple) else (where.value,)
    match where.op:
        case "in" | "not_in" if column.double:
            doubles = [double for value in values for double in printed_as(number_of(value, column))]
            return _compare_list(cell, doubles, is_in=where.op == "in")
        case "in":
            return _any_of(cell, [compare("=", value) for value in values])
        case "not_in":
            return _none_of(cell, [compare("!=", value) for value in values])
        case "between":
            return Clause.joined([compare(">=", values[0]), compare("<=", values[1])], "AND")
        case op:
            return compare(op, values[0])


def _compare_list(cell: str, doubles: Sequence[float], *, is_in: bool) -> Clause:
    sign, join = ("=", _any_of) if is_in else ("<>", _none_of)
    return join(cell, [Clause(f"{cell} {sign} CAST(? AS DOUBLE)", [double]) for double in doubles])


LISTED_MIN = 5
"""So many values are looked up in a list: the work for a long row of comparisons grows without bound."""


def _any_of(cell: str, clauses: Sequence[Clause]) -> Clause:
    lists, others = _as_lists(cell, "=", clauses)
    found = [
        *(Clause(f"{cell} IN (SELECT {mark})", [values]) for mark, values in lists.items()),
        *(one for one in others if one.sql != NEVER),
    ]
    return Clause.joined(found, "OR") if found else Clause(NEVER)


def _none_of(cell: str, clauses: Sequence[Clause]) -> Clause:
    lists, others = _as_lists(cell, "<>", clauses)
    filled = f"{cell} IS NOT NULL"
    found = [
        Clause(filled),
        *(Clause(f"{cell} NOT IN (SELECT {mark})", [values]) for mark, values in lists.items()),
        *(one for one in others if one.sql != filled),
    ]
    return Clause.joined(found, "AND")


def _as_lists(
    cell: str, sign: str, clauses: Sequence[Clause]
) -> tuple[Mapping[str, list[str]], Sequence[Clause]]:
    """The values of plain comparisons by how they are cast, where they are many, and the clauses that are left."""
    lists: dict[str, list[str]] = {}
    others = []
    for clause in clauses:
        begin, _, mark = clause.sql.partition(f" {sign} ")
        if len(clauses) >= LISTED_MIN and begin == cell and len(clause.values) == 1:
            lists.setdefault(mark.replace("?", "unnest(?)"), []).append(str(clause.values[0]))
        else:
            others.append(clause)
    return lists, others
