"""The one model of a filter: a tree of conditions on fields, data and never SQL (compiled in `engine/query`)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal, LiteralString, Self

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, model_validator
from pydantic_core import PydanticCustomError

FilterOp = Literal[
    "=", "!=", ">", ">=", "<", "<=", "in", "not_in", "between", "contains", "starts_with", "is_null"
]
FilterValue = Annotated[StrictBool | StrictInt | StrictStr | Decimal, Field(union_mode="left_to_right")]
"""A value to compare with; text, dates among it, is read as the field's type reads it."""

NODES_MAX = 50
"""Conditions and groups of one filter."""
DIGITS_MAX = 400
"""Of a number to compare with: the largest double has 309 of them."""
VALUES_MAX = 1_000
"""Values of one `in`."""

LISTS: frozenset[FilterOp] = frozenset({"in", "not_in", "between"})
"""They take several values."""


class Condition(BaseModel):
    """One comparison of a field."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    field: str = Field(min_length=1)
    op: FilterOp
    value: FilterValue | tuple[FilterValue, ...] | None = None
    """A list for `in`, `not_in` and `between` (two values); nothing, or `false`, for `is_null`."""

    @model_validator(mode="after")
    def _fits_its_operator(self) -> Self:
        check_value(self.op, self.value)
        return self


def check_value(op: FilterOp, value: object) -> None:
    """Raise PydanticCustomError (one of `MISFITS`) unless *value* has the shape that *op* compares with."""
    if op == "is_null":
        if value is not None and not isinstance(value, bool):
            raise _misfit("filter_no_value")
    elif value is None:
        raise _misfit("filter_value_needed", op=op)
    elif isinstance(value, tuple) != (op in LISTS):
        raise _misfit("filter_list_needed" if op in LISTS else "filter_one_value", op=op)
    values = value if isinstance(value, tuple) else (value,)
    if any(isinstance(one, Decimal) and _is_long(one) for one in values):
        raise _misfit("filter_long_number", most=DIGITS_MAX)
    if isinstance(value, tuple):
        if op == "between" and len(value) != 2:
            raise _misfit("filter_two_values")
        if len(value) > VALUES_MAX:
            raise _misfit("filter_many_values", op=op, most=VALUES_MAX)


def _is_long(number: Decimal) -> bool:
    """Whether *number*, written in full, is longer than anyone means: twelve characters may stand for a gigabyte."""
    _, digits, exponent = number.as_tuple()
    return isinstance(exponent, int) and (len(digits) > DIGITS_MAX or abs(exponent) > DIGITS_MAX)


def _misfit(code: str, **values: str | int) -> PydanticCustomError:
    return PydanticCustomError(code, MISFITS[code], values)


MISFITS: Mapping[str, LiteralString] = {
    "filter_no_value": "is_null takes no value, or false for the opposite",
    "filter_value_needed": "{op} needs a value; use is_null to find empty cells",
    "filter_list_needed": "{op} takes a list",
    "filter_one_value": "{op} takes one value",
    "filter_two_values": "between takes a list of two values, the least and the greatest",
    "filter_long_number": "a number has at most {most} digits",
    "filter_many_values": "{op} takes at most {most} values",
}
"""What a value can be that does not fit its operator, by code."""


class AllOf(BaseModel):
    """Conditions that must all hold."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    all_of: tuple[Filter, ...] = Field(alias="and", min_length=1)


class AnyOf(BaseModel):
    """Conditions of which one must hold."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    any_of: tuple[Filter, ...] = Field(alias="or", min_length=1)


Filter = Condition | AllOf | AnyOf
"""`{"field","op","value"}`, `{"and": […]}` or `{"or": […]}`."""

AllOf.model_rebuild()
AnyOf.model_rebuild()


def count_nodes(where: Filter) -> int:
    """How many conditions and groups *where* has."""
    match where:
        case AllOf():
            return 1 + sum(map(count_nodes, where.all_of))
        case AnyOf():
            return 1 + sum(map(count_nodes, where.any_of))
    return 1


def conditions_in(where: Filter) -> tuple[Condition, ...]:
    """The comparisons of *where*, in order."""
    match where:
        case AllOf():
            return tuple(one for part in where.all_of for one in conditions_in(part))
        case AnyOf():
            return tuple(one for part in where.any_of for one in conditions_in(part))
        case Condition():
            return (where,)


def fields_of(where: Filter) -> frozenset[str]:
    """The fields that *where* asks about."""
    match where:
        case AllOf():
            return frozenset[str]().union(*map(fields_of, where.all_of))
        case AnyOf():
            return frozenset[str]().union(*map(fields_of, where.any_of))
        case Condition():
            return frozenset({where.field})
