"""
Finds what SQLite compares parameters with: it compares numbers with texts by their kind, and days by their letters.

Where both kinds are known and can never be equal, the query is refused. Where only the stored cells can tell, the
comparison becomes a `StoredCheck`, which `sql_stored` asks of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from datasources.exceptions import QueryRefused
from datasources.sql_base import BEFORE_A_TIME, ArgumentType, StoredCheck, value_text
from datasources.sql_grammar import words
from datasources.sql_sources import cells_of

if TYPE_CHECKING:
    from sqlglot import exp

Kind = Literal["text", "number", "day", "moment", "unknown"]
"""What an expression gives; a column and what is made of one by choice are unknown."""

_TEXTS = words(
    """
    DPipe SafeDPipe Concat ConcatWs Substring Lower Upper Trim Replace TimeToStr Hex LowerHex Chr GroupConcat Typeof
    Left Right Pad Repeat Reverse Format String Initcap Space
    """
)
_NUMBERS = words(
    """
    Add Sub Mul Div Mod IntDiv Neg BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitwiseLeftShift BitwiseRightShift
    Length StrPosition Abs Round Count CountIf Sum Avg Unicode Sign Ceil Floor Trunc Sqrt Pow Ln Log Exp Boolean Not
    And Or Exists RowNumber Rank DenseRank
    """
)
_MAKE_NUMBERS = words("Add Sub Mul Div Mod Neg Abs Round Length StrPosition")
_ANONYMOUS: Mapping[str, Kind] = {
    **dict.fromkeys(("printf", "quote", "time"), "text"),
    **dict.fromkeys(("total", "julianday", "unixepoch", "octet_length"), "number"),
    "date": "day",
    "datetime": "moment",
}
_OPS = {
    "EQ": "=", "NEQ": "<>", "GT": ">", "GTE": ">=", "LT": "<", "LTE": "<=", "NullSafeEQ": "IS", "NullSafeNEQ": "IS",
    "IsDistinctFrom": "IS",
}  # fmt: skip
_TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}
_REFUSED: Mapping[tuple[ArgumentType, Kind], str] = {
    (
        "number",
        "text",
    ): "is a number, and {other} is a text, which equals none: write CAST({other} AS NUMERIC) {op}"
    " {value}, or {other} {op} {as_text}",
    (
        "boolean",
        "text",
    ): "is 1 or 0, and {other} is a text, which equals neither: write {other} {op} {as_text}, or"
    " compare with a text parameter",
    (
        "text",
        "number",
    ): "is a text, and {other} is a number, which equals none: write CAST({other} AS TEXT) {op} {value}",
    (
        "date",
        "number",
    ): "is a day, written as 2026-01-31, and {other} is a number: write date(column) {op} {as_day}",
    ("datetime", "number"): "is a moment, written as 2026-01-31 10:30:00, and {other} is a number: write"
    " datetime(column) {op} {as_moment}",
    (
        "date",
        "moment",
    ): "is a day, and {other} has a time of day, with which it comes after it: write date(column)"
    " {op} {as_day}",
    (
        "datetime",
        "day",
    ): "has a time of day, and {other} has none, so that the days at the edge would be lost: write"
    " {other} {op} {as_day}, or datetime(column) {op} {as_moment}",
}


Slots = Mapping[str, tuple[str, ArgumentType]]
"""The name and type of the parameter of each slot."""


@dataclass(frozen=True, slots=True)
class _Comparison:
    name: str
    type: ArgumentType
    """Of the parameter, or of what the query has made of it."""
    op: str
    other: exp.Expr


def check_comparisons(tree: exp.Expr, text: str, slots: Slots) -> tuple[StoredCheck, ...]:
    """
    What the file must be asked of the comparisons in *tree*, the query that is written in *text*.

    Raises QueryRefused for a comparison of kinds that SQLite never finds equal.
    """
    checks: dict[StoredCheck, None] = {}
    for one in _comparisons(tree, slots):
        kind = _kind_of(one.other, slots)
        written = _written(one.other, slots)
        _refuse(one, kind, written)
        if kind == "unknown" and not _is_converted(one):
            check = StoredCheck(one.name, one.type, one.op, written, cells_of(one.other, text))
            checks[check] = None
    return tuple(checks)


def _refuse(one: _Comparison, kind: Kind, written: str) -> None:
    days_as_text = kind in ("day", "moment") and one.type in ("number", "boolean")
    said = _REFUSED.get((one.type, "text" if days_as_text else kind))
    if said is None or (kind == "moment" and one.type == "date" and one.op in BEFORE_A_TIME):
        return
    words = said.format(
        other=written,
        op=one.op,
        value=value_text(one.name, one.op),
        as_text=value_text(one.name, one.op, "CAST({} AS TEXT)"),
        as_day=value_text(one.name, one.op, "date({})"),
        as_moment=value_text(one.name, one.op, "datetime({})"),
    )
    raise QueryRefused(f"{{{{{one.name}}}}} {words}.")


def _is_converted(one: _Comparison) -> bool:
    """Whether a CAST makes SQLite convert the parameter too; of days it knows nothing."""
    from sqlglot import exp

    return isinstance(_inner(one.other), exp.Cast) and one.type not in ("date", "datetime")


def _written(other: exp.Expr, slots: Slots) -> str:
    """*other* for a message, with parameters as their author writes them."""
    sql = str(other.transform(_cast_as_written).sql("sqlite"))
    return re.sub(
        r":(p[0-9]+)\b", lambda found: f"{{{{{slots[found[1]][0]}}}}}" if found[1] in slots else found[0], sql
    )


def _cast_as_written(node: exp.Expr) -> exp.Expr:
    """A cast to a day as its author wrote it: sqlglot would write the function date(), which is another thing."""
    from sqlglot import exp

    if isinstance(node, exp.Cast) and node.is_type(*exp.DataType.TEMPORAL_TYPES):
        return exp.Var(this=f"CAST({node.this.sql('sqlite')} AS {node.to.sql()})")
    return node


# ---- where a parameter is compared ----


def _comparisons(tree: exp.Expr, slots: Slots) -> Iterator[_Comparison]:
    from sqlglot import exp

    for placeholder in tree.find_all(exp.Placeholder):
        name, given = slots[str(placeholder.this)]
        node, type_ = _outermost(placeholder, given)
        for op, other in _others(node):
            if not isinstance(_inner(other), exp.Null):
                yield _Comparison(name, type_, op, other)


def _outermost(node: exp.Expr, type_: ArgumentType) -> tuple[exp.Expr, ArgumentType]:
    """What is made of *node* before it is compared, and of which type that is."""
    from sqlglot import exp

    while node.parent is not None:
        parent, name = node.parent, type(node.parent).__name__
        kind = _ANONYMOUS.get(str(parent.name).lower()) if isinstance(parent, exp.Anonymous) else None
        if isinstance(parent, exp.Date) or kind == "day":
            type_ = "date"
        elif kind == "moment":
            type_ = "datetime"
        elif name in _MAKE_NUMBERS or kind == "number":
            type_ = "number"
        elif name in _TEXTS or kind == "text":
            type_ = "text"
        elif not isinstance(parent, exp.Paren | exp.Coalesce):
            break
        node = parent
    return node, type_


def _inner(node: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    while isinstance(node, exp.Paren | exp.Collate | exp.Alias):
        node = node.this
    return node


def _others(node: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    """What *node* is compared with, and how, seen from the other side."""
    from sqlglot import exp

    parent, key = node.parent, node.arg_key
    name = type(parent).__name__
    if name in _OPS:
        assert parent is not None
        op = _OPS[name]
        yield (op, parent.this) if key == "expression" else (_TURNED.get(op, op), parent.expression)
    elif isinstance(parent, exp.In):
        if key == "expressions":
            yield "IN", parent.this
        elif key == "this":
            yield from (("IN", one) for one in _listed(parent))
    elif isinstance(parent, exp.Between):
        if key == "this":
            yield from (("<=", parent.args["low"]), (">=", parent.args["high"]))
        else:
            yield (">=" if key == "low" else "<="), parent.this
    elif isinstance(parent, exp.If) and key == "this" and isinstance(parent.parent, exp.Case):
        if isinstance(parent.parent.this, exp.Expr):
            yield "=", parent.parent.this
    elif isinstance(parent, exp.Case) and key == "this":
        yield from (("=", one.this) for one in parent.args.get("ifs") or ())


def _listed(node: exp.In) -> Sequence[exp.Expr]:
    from sqlglot import exp

    query = node.args.get("query")
    if query is None:
        return node.expressions
    select = query.find(exp.Select)
    return select.expressions if select is not None else ()


# ---- what the other side is ----


def _kind_of(node: exp.Expr, slots: Slots) -> Kind:
    from sqlglot import exp

    inner = _inner(node)
    name = type(inner).__name__
    if isinstance(inner, exp.Literal):
        return "text" if inner.is_string else "number"
    if isinstance(inner, exp.Placeholder):
        return _KIND_OF_TYPE[slots[str(inner.this)][1]]
    if isinstance(inner, exp.Cast) and inner.is_type(*exp.DataType.TEMPORAL_TYPES):
        return "number"  # CAST('2026-01-31' AS DATE) is 2026
    if isinstance(inner, exp.Date | exp.CurrentDate):
        return "day"
    if isinstance(inner, exp.CurrentTimestamp):
        return "moment"
    if isinstance(inner, exp.Anonymous):
        return _ANONYMOUS.get(str(inner.name).lower(), "unknown")
    if name in _NUMBERS or isinstance(inner, exp.Predicate):
        return "number"
    return "text" if name in _TEXTS else "unknown"


_KIND_OF_TYPE: Mapping[ArgumentType, Kind] = {
    "text": "text", "number": "number", "boolean": "number", "date": "day", "datetime": "moment",
}  # fmt: skip
