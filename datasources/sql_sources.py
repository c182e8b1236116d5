"""Writes, for an expression of a query, the SELECTs that give all cells it can have, whatever the reader chose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from datasources.sql_base import CellQuery

if TYPE_CHECKING:
    from sqlglot import exp

_PLAIN = "plain"
_unary_plus = re.compile(
    r"(?:^|[(,=<>*/|%+-]|\b(?:AND|OR|NOT|ON|WHERE|WHEN|THEN|ELSE|BETWEEN|IN|HAVING|SELECT))\s*\+\s*$",
    re.IGNORECASE,
)


def cells_of(node: exp.Expr, text: str) -> tuple[CellQuery, ...]:
    """
    Where the cells of *node*, in the query written in *text*, come from: the first that SQLite takes is meant.

    Conditions that hold a parameter are left out, so that what is found never depends on what a reader chose.
    """
    return tuple(_queries(node, text, follows=True))


def _queries(node: exp.Expr, text: str, *, follows: bool) -> Iterator[CellQuery]:
    # Names that a SELECT gives may lead in a circle, so they are followed once.
    from sqlglot import exp

    inner = node.unalias()
    if isinstance(inner, exp.Max | exp.Min):  # over the groups: their cells are those of the argument
        inner, bare = inner.this, True
    else:
        bare = False
    columns = list(inner.find_all(exp.Column))
    bare = bare or _has_plus(inner, text)
    if not columns or isinstance(inner, exp.Subquery):
        yield CellQuery(_written(inner, "", bare), _tables(node), "")
        return
    tables = {str(column.table).lower() for column in columns}
    scope = node.find_ancestor(exp.Select)
    while scope is not None:
        sources = list(_sources(scope))
        if len(tables) == 1:
            wanted = next(iter(tables))
            for source in sources:
                if not wanted or str(source.alias_or_name).lower() == wanted:
                    name = str(source.alias_or_name)
                    yield CellQuery(_written(inner, name, bare), _tables(node), _plain(source))
            alias = _aliased(inner, scope, wanted) if follows else None
            if alias is not None:
                yield from _queries(alias, text, follows=False)
        if len(sources) > 1:
            # Of several, or of a function over another one; without their conditions, but only so many cells.
            yield CellQuery(_written(inner, "", bare), _tables(node), ", ".join(map(_plain, sources)))
        scope = scope.find_ancestor(exp.Select)


def _has_plus(node: exp.Expr, text: str) -> bool:
    """Whether *node* is a column as `+column`, which has no type; sqlglot leaves the sign out."""
    from sqlglot import exp

    if not isinstance(node, exp.Column):
        return False
    start = node.parts[0].meta.get("start")
    return start is not None and _unary_plus.search(text[:start]) is not None


def _written(node: exp.Expr, table: str, bare: bool) -> str:
    """*node* as SQL over *table*, if *bare* without the type of its column."""
    from sqlglot import exp

    copy = node.copy()
    for column in list(copy.find_all(exp.Column)):
        # By itself SQLite takes a name in double quotes that no column has for a text.
        if table and not column.table and not isinstance(column.this, exp.Star):
            column.set("table", exp.to_identifier(table, quoted=True))
    sql = _plain(copy)
    return f"coalesce({sql}, NULL)" if bare else sql


def _aliased(node: exp.Expr, scope: exp.Expr, table: str) -> exp.Expr | None:
    """What the SELECT itself calls by the name of the column *node*."""
    from sqlglot import exp

    if table or not isinstance(node, exp.Column):
        return None
    for one in scope.expressions:
        if isinstance(one, exp.Alias) and str(one.alias).lower() == str(node.name).lower():
            inner: exp.Expr = one.this
            return inner if node not in list(inner.find_all(exp.Column)) else None
    return None


def _sources(scope: exp.Expr) -> Iterator[exp.Expr]:
    first = scope.args.get("from_") or scope.args.get("from")
    if first is not None:
        yield first.this
    yield from (join.this for join in scope.args.get("joins") or ())


def _tables(node: exp.Expr) -> str:
    """The WITH of all CTEs that are known where *node* stands."""
    from sqlglot import exp

    tables: list[str] = []
    recursive = False
    outer = node.find_ancestor(exp.Select, exp.SetOperation)
    while outer is not None:
        clause = outer.args.get("with_") or outer.args.get("with")
        if isinstance(clause, exp.With):
            recursive = recursive or bool(clause.args.get("recursive"))
            if _PLAIN not in clause.meta:  # written once for all that are compared
                clause.meta[_PLAIN] = [_plain(one) for one in clause.expressions]
            tables = [*clause.meta[_PLAIN], *tables]
        outer = outer.find_ancestor(exp.Select, exp.SetOperation)
    words = "WITH RECURSIVE " if recursive else "WITH "
    return f"{words}{', '.join(tables)}" if tables else ""


def _plain(node: exp.Expr) -> str:
    """*node* as SQL without parameters: conditions that have some are left out, other values are NULL."""
    from sqlglot import exp

    copy = node.copy()
    is_recursive = _is_recursive(node)
    for clause in list(copy.find_all(exp.Where, exp.Having)):
        # A recursion without its end would have none.
        if not is_recursive and clause.find(exp.Placeholder):
            kept = [one for one in _conjuncts(clause.this) if not one.find(exp.Placeholder)]
            if kept:
                clause.set("this", exp.and_(*kept, copy=False))
            else:
                clause.pop()
    for clause in list(copy.find_all(exp.Limit, exp.Offset)):
        if clause.find(exp.Placeholder):
            clause.pop()
    for placeholder in list(copy.find_all(exp.Placeholder)):
        if placeholder is copy:
            return "NULL"
        placeholder.replace(exp.Null())
    return str(copy.sql("sqlite"))


def _conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    from sqlglot import exp

    if isinstance(node, exp.And):
        yield from _conjuncts(node.this)
        yield from _conjuncts(node.expression)
    else:
        yield node


def _is_recursive(node: exp.Expr) -> bool:
    from sqlglot import exp

    clause = node if isinstance(node, exp.With) else node.find_ancestor(exp.With)
    return clause is not None and bool(clause.args.get("recursive"))
