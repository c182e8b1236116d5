"""Tells which rows of a table fit a rule, cell by cell: no other row has a say in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, assert_never

from datasources.base import Cell, DecimalStyle, Declared, NativeType

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from datasources.access import CompileTest
    from datasources.filters import Condition, Filter

Test = Callable[[Cell], bool]
"""Whether a cell fits a condition."""


@dataclass(frozen=True, slots=True)
class RuleColumn:
    """What is known of a column without looking at its cells."""

    name: str
    declared: Declared | None = None
    native: NativeType | None = None
    locale: str | None = None
    decimal_style: DecimalStyle = "point"
    null_values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Leaf:
    """One condition, of the column at *position*."""

    position: int
    test: Test


@dataclass(frozen=True, slots=True)
class Group:
    """Conditions that must all hold, or of which one must."""

    members: tuple[RowRule, ...]
    is_all: bool


RowRule = Leaf | Group


def compile_rule(
    where: Filter, columns: Mapping[str, tuple[int, RuleColumn]], compile_test: CompileTest
) -> RowRule:
    """The rule of *where* over *columns*, by name with their positions; KeyError for a field that is none of them."""
    from datasources.filters import AllOf, AnyOf, Condition

    match where:
        case AllOf():
            members = tuple(compile_rule(one, columns, compile_test) for one in where.all_of)
            return Group(members, is_all=True)
        case AnyOf():
            members = tuple(compile_rule(one, columns, compile_test) for one in where.any_of)
            return Group(members, is_all=False)
        case Condition():
            return _leaf(where, columns, compile_test)
        case _:
            assert_never(where)


def _leaf(
    condition: Condition, columns: Mapping[str, tuple[int, RuleColumn]], compile_test: CompileTest
) -> Leaf:
    position, column = columns[condition.field]
    return Leaf(position, compile_test(condition, column))


def positions_of(rule: RowRule) -> frozenset[int]:
    """The columns that *rule* looks at."""
    if isinstance(rule, Leaf):
        return frozenset({rule.position})
    return frozenset[int]().union(*map(positions_of, rule.members))


# ---- lists ----


def fitting_rows(rule: RowRule, columns: Mapping[int, Sequence[Cell]]) -> list[bool]:
    """For each row of *columns* (by position, equally long) whether it fits; each distinct cell is tested once."""
    if isinstance(rule, Leaf):
        return _test_all(rule.test, columns[rule.position])
    found = [fitting_rows(one, columns) for one in rule.members]
    return list(map(all if rule.is_all else any, zip(*found, strict=True)))


def _test_all(test: Test, cells: Sequence[Cell]) -> list[bool]:
    # 1, 1.0 and True are one key of a dictionary, but three texts: cells of several kinds are tested one by one.
    if len(set(map(type, cells)) - {type(None)}) > 1:
        return [test(cell) for cell in cells]
    known = {cell: test(cell) for cell in set(cells)}
    return [known[cell] for cell in cells]


# ---- tables ----


def fitting_table_rows(
    rule: RowRule, table: pa.Table, places: Mapping[int, int], numerics: Collection[int] = ()
) -> NDArray[np.bool_]:
    """
    The same for an Arrow table, whose column at `places[position]` is the one at *position*.

    The columns at *numerics* hold decimals as text, of any number of digits.
    """
    import numpy as np

    if isinstance(rule, Leaf):
        column = table.column(places[rule.position])
        return _test_column(rule.test, column, rule.position in numerics)
    found = [fitting_table_rows(one, table, places, numerics) for one in rule.members]
    combined: NDArray[np.bool_] = (np.logical_and if rule.is_all else np.logical_or).reduce(found)
    return combined


def _test_column(test: Test, column: pa.ChunkedArray, is_numeric: bool) -> NDArray[np.bool_]:
    import numpy as np

    from datasources.arrow_types import python_values
    from datasources.distinct import codes_of

    for_null = test(None)
    found = [np.zeros(0, np.bool_)]
    for codes, values in codes_of(column):
        cells = python_values(values)
        if is_numeric:
            cells = list(map(_decimal, cells))
        # The last place is that of null.
        fits = np.array([*map(test, cells), for_null], np.bool_)
        found.append(fits[codes])
    return np.concatenate(found)


def _decimal(cell: Cell) -> Decimal | None:
    """A decimal that is written as PostgreSQL does; NaN and infinities mean nothing, as in the band itself."""
    found = None if cell is None else Decimal(str(cell))
    return found if found is not None and found.is_finite() else None
