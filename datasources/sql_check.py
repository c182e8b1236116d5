"""Refuses every query that is not one plain SELECT, by a walk through the whole tree that sqlglot reads."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from datasources.exceptions import QueryRefused
from datasources.sql_grammar import (
    FUNCTION_NAMES,
    FUNCTION_NODES,
    NODES,
    SYSTEM_SCHEMAS,
    SYSTEM_TABLE_PREFIXES,
)
from datasources.sql_patterns import (
    LikePattern,
    Pattern,
    borrowed_pattern,
    has_like_as_a_function,
    pattern_of,
)
from datasources.suggestion import found_text

if TYPE_CHECKING:
    from sqlglot import exp

    from datasources.connections import ConnectionKind

WORDS = {
    "Into": "SELECT INTO", "Lock": "FOR UPDATE or another lock", "Parameter": "a variable",
    "SessionParameter": "a variable of the server", "Hint": "a hint",
}  # fmt: skip
"""How messages call what sqlglot calls otherwise."""


@dataclass(frozen=True, slots=True)
class SlotUse:
    """Where a slot stands in the query, which decides how it is bound."""

    in_list: bool = False
    """Among the values of an `IN (…)`: a list gives as many arguments as it has values."""
    null_tested: bool = False
    """Before `IS NULL` or `IS NOT NULL`."""
    pattern: Pattern | LikePattern | None = None
    """In a pattern: how its signs are escaped, or that they cannot be."""


@dataclass(frozen=True, slots=True)
class CheckedSelect:
    """A query that may run, and where its slots stand in it."""

    tree: exp.Expr
    uses: tuple[SlotUse, ...]
    """One for each slot."""


def check_select(
    text: str, kind: ConnectionKind, *, slots: int = 0, functions: Collection[str] = ()
) -> CheckedSelect:
    """
    Check *text*, in which `:p1` to `:pN` stand for its slots, and say where each of them stands.

    *functions* are the operator's own. Raises QueryRefused with the first thing that is not allowed.
    """
    tree = _parse(text, kind)
    allowed = FUNCTION_NAMES[kind] | frozenset(functions)
    found: dict[str, SlotUse] = {}
    for node in tree.walk():
        _check_node(node, kind, allowed)
        if type(node).__name__ == "Placeholder":
            name = str(node.this)
            if name in found:
                break
            found[name] = _use_of(node, kind)
    expected = [f"p{number}" for number in range(1, slots + 1)]
    if sorted(found) != sorted(expected):
        raise QueryRefused(
            "The query has a mark such as :name, or its quotes can be read in two ways: values enter only as"
            " {{name}} of a declared parameter, and texts stand in single quotes."
        )
    uses = tuple(found[name] for name in expected)
    _check_patterns(tree, text, kind, uses)
    return CheckedSelect(tree, uses)


def tables_in(tree: exp.Expr, kind: ConnectionKind) -> tuple[str, ...]:
    """
    The tables that a checked query reads, each once and as it is written, without what the query itself names.

    >>> tables_in(
    ...     check_select('WITH v AS (SELECT * FROM "Vendas") SELECT 1 FROM v, s.itens i', "sqlite").tree,
    ...     "sqlite",
    ... )
    ('"Vendas"', 's.itens')
    """
    from sqlglot import exp
    from sqlglot.optimizer.scope import traverse_scope

    found = (table for scope in traverse_scope(tree) for table in scope.sources.values())
    named = (one for one in found if isinstance(one, exp.Table) and isinstance(one.this, exp.Identifier))
    return tuple(dict.fromkeys(".".join(part.sql(kind) for part in one.parts) for one in named))


def _check_patterns(tree: exp.Expr, text: str, kind: ConnectionKind, uses: Collection[SlotUse]) -> None:
    borrowed = borrowed_pattern(tree, kind)
    if borrowed is not None:
        raise QueryRefused(
            f"A pattern ({borrowed.called}) is a column that is made of a parameter, whose signs would be signs of"
            " the pattern: write the parameter where the pattern is, as LIKE '%{{name}}%'."
        )
    names_an_escape = any(isinstance(use.pattern, LikePattern) and not use.pattern.escape for use in uses)
    if names_an_escape and has_like_as_a_function(text, kind):
        raise QueryRefused(
            "The query calls like() as a function, behind which no escape can be named: write column LIKE '%{{name}}%'."
        )


def _parse(text: str, kind: ConnectionKind) -> exp.Expr:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    # What it reads as a command it would log, with the text.
    first = re.match(r"[\s(]*([^\W\d]\w*)?", text)
    word = (first[1] or "").upper() if first else ""
    if word not in ("SELECT", "WITH", "FROM"):
        begins = f"begins with {found_text(word)}" if word else "does not begin with SELECT"
        raise QueryRefused(f"The query {begins}: write exactly one SELECT.")
    try:
        statements = [one for one in sqlglot.parse(text, read=kind) if one is not None]
    except RecursionError as error:
        raise QueryRefused("The query is nested too deeply: simplify it.") from error
    except SqlglotError as error:
        raise QueryRefused(f"The query cannot be read as one SELECT{_place(error)}: correct it.") from error
    if len(statements) != 1:
        raise QueryRefused(f"The query has {len(statements)} statements: write exactly one SELECT.")
    tree = statements[0]
    if not isinstance(tree, exp.Select | exp.SetOperation | exp.Subquery):
        raise QueryRefused(f"The query is {_called(tree)}: write exactly one SELECT.")
    return tree


def _place(error: Exception) -> str:
    details = getattr(error, "errors", None) or [{}]
    line, near = details[0].get("line"), details[0].get("highlight")
    return f" (line {line}, at {found_text(near)})" if line and near else ""


def _check_node(node: exp.Expr, kind: ConnectionKind, functions: Collection[str]) -> None:
    from sqlglot import exp

    name = type(node).__name__
    if isinstance(node, exp.Anonymous):
        _check_function(node, functions)
    elif isinstance(node, exp.Func):
        names = [one.lower() for one in node.sql_names()]
        if name not in FUNCTION_NODES and not any(one in functions for one in names):
            raise _unknown_function(names[0])
    elif name not in NODES:
        raise QueryRefused(f"The query has {_called(node)}, which is not part of a plain SELECT: remove it.")
    if isinstance(node, exp.Select):
        _check_modifiers(node)
    elif isinstance(node, exp.Table):
        _check_table(node, kind)
    elif isinstance(node, exp.Placeholder) and isinstance(node.parent, exp.Table):
        raise QueryRefused("A parameter stands for a table: a parameter is a value, and never a name.")


def _check_function(node: exp.Anonymous, functions: Collection[str]) -> None:
    from sqlglot import exp

    name = str(node.name).lower()
    outer: exp.Expr = node
    while isinstance(outer.parent, exp.Dot) and outer.parent.expression is outer:
        outer = outer.parent
        name = f"{outer.this.sql().lower()}.{name}"
    if name not in functions:
        raise _unknown_function(name)


def _unknown_function(name: str) -> QueryRefused:
    return QueryRefused(
        f"The query calls {found_text(name)}, which is not among the functions that only compute: leave it out, or"
        " ask the operator to add it to the functions of the connection."
    )


def _check_modifiers(node: exp.Select) -> None:
    if not node.expressions:
        raise QueryRefused("The query selects no column: name at least one.")
    for modifier in node.args.get("operation_modifiers") or ():
        raise QueryRefused(f"The query has {str(modifier).upper()}: remove it.")


def _check_table(node: exp.Table, kind: ConnectionKind) -> None:
    name, schemas = str(node.name).lower(), {str(node.db).lower(), str(node.catalog).lower()}
    if schemas & SYSTEM_SCHEMAS or name.startswith(SYSTEM_TABLE_PREFIXES[kind]):
        raise QueryRefused(
            f"The query reads {found_text(name)}, a table of the database itself: use the data's tables."
        )
    # DuckDB reads a file where a name looks like one.
    if kind == "duckdb" and any(sign in name for sign in "./\\:*?"):
        raise QueryRefused(
            f"The query reads {found_text(name)}, which is not a plain table name: rename the table."
        )


def _called(node: exp.Expr) -> str:
    from sqlglot import exp

    name = type(node).__name__
    if isinstance(node, exp.Command):
        return f"a {str(node.this).upper()}"
    return WORDS.get(name, f"{'an' if name[0] in 'AEIOU' else 'a'} {name.upper()}")


def _use_of(node: exp.Expr, kind: ConnectionKind) -> SlotUse:
    from sqlglot import exp

    parent = node.parent
    if isinstance(parent, exp.In):
        return SlotUse(in_list=node.arg_key == "expressions", pattern=pattern_of(node, kind))
    if isinstance(parent, exp.Is):
        return SlotUse(null_tested=node.arg_key == "this")
    return SlotUse(pattern=pattern_of(node, kind))
