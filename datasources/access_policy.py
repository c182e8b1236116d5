"""What a report says of who may see what: rules for rows and columns, as part of its definition."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from datasources.filters import NODES_MAX, FilterOp, FilterValue, check_value
from datasources.mask_payloads import MaskKind
from datasources.strict_model import Name, Strict


class ViewerAttribute(Strict):
    """`{"viewer": "regioes"}`: the value that the viewer's attribute of that name has."""

    viewer: Name


class RuleCondition(Strict):
    """One comparison of a field, with a value of its own or with an attribute of the viewer."""

    field: Name
    op: FilterOp
    value: ViewerAttribute | FilterValue | tuple[FilterValue, ...] | None = None

    @model_validator(mode="after")
    def _fits_its_operator(self) -> Self:
        # The shape of an attribute is only known with the viewer.
        if self.op == "is_null" or not isinstance(self.value, ViewerAttribute):
            check_value(self.op, self.value)
        return self


class RuleAll(Strict):
    """Conditions that must all hold."""

    all_of: tuple[Rule, ...] = Field(alias="and", min_length=1)


class RuleAny(Strict):
    """Conditions of which one must hold."""

    any_of: tuple[Rule, ...] = Field(alias="or", min_length=1)


Rule = RuleCondition | RuleAll | RuleAny
"""A filter (`datasources/filters`) in which a value may be an attribute of the viewer."""

RuleAll.model_rebuild()
RuleAny.model_rebuild()


class RowRule(Strict):
    """The rows of a band that a viewer may see: those that fit *where*."""

    band: Name
    where: Rule

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if len(nodes_of(self.where)) > NODES_MAX:
            raise ValueError(f"a rule has at most {NODES_MAX} conditions")
        return self


class ColumnRule(Strict):
    """A field that does not exist for a viewer, or whose cells are masked."""

    band: Name
    field: Name
    action: Literal["hide", "mask"]
    mask: MaskKind | None = None
    """How, for `mask`; by default as the field's `pii` says, else as `other`."""
    except_roles: tuple[Name, ...] = ()
    """Whoever has one of these roles sees the field as it is."""

    @model_validator(mode="after")
    def _mask_has_a_kind(self) -> Self:
        if self.action == "hide" and self.mask is not None:
            raise ValueError("a field that is hidden has no mask: take mask out, or say action mask")
        return self


class AccessPolicy(Strict):
    """Who may see what of a report; applied before anything of its data is typed, counted or enumerated."""

    rows: tuple[RowRule, ...] = ()
    columns: tuple[ColumnRule, ...] = ()
    small_groups: int | None = Field(default=None, ge=2, le=1_000)
    """Groups of fewer rows are withheld; None withholds none."""
    detect_pii: bool = True
    """Whether text columns of which nothing is declared are masked when their cells are personal data."""


def nodes_of(where: Rule) -> tuple[Rule, ...]:
    """*where* and all conditions and groups in it."""
    match where:
        case RuleAll():
            return (where, *(node for one in where.all_of for node in nodes_of(one)))
        case RuleAny():
            return (where, *(node for one in where.any_of for node in nodes_of(one)))
    return (where,)


def conditions_of(where: Rule) -> tuple[RuleCondition, ...]:
    """The comparisons of *where*, in order."""
    return tuple(node for node in nodes_of(where) if isinstance(node, RuleCondition))
