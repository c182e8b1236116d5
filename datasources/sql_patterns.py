"""
Finds the parameters that stand in a pattern of a query, and how what a reader types there can mean only itself.

In a text in quotes, `LIKE '%{{name}}%'`, the signs `%` and `_` of a value are escaped. Everywhere else that a pattern
is made of a parameter (joined texts, GLOB, regular expressions) the reader would write a part of the pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from datasources.sql_grammar import words

if TYPE_CHECKING:
    from sqlglot import exp

    from datasources.connections import ConnectionKind

_WITHOUT_SIGNS = frozenset({"number", "date", "datetime", "boolean"})


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern with a parameter in it that nothing escapes."""

    called: str
    """How messages call it."""
    harmless: frozenset[str] = frozenset()
    """The types of parameters whose values have none of its signs."""


@dataclass(frozen=True, slots=True)
class LikePattern:
    """The pattern of a LIKE, written right behind it, in which values can be escaped."""

    escape: str
    """The character that takes `%` and `_` their meaning; empty where none does, unless the query names one."""
    closing: int = 0
    """Parentheses that close between the slot and the end of the pattern, as in `LIKE lower('%{{x}}%')`."""


_LIKE = Pattern("LIKE", _WITHOUT_SIGNS)
_REGEX = Pattern("a regular expression", frozenset({"date", "boolean"}))
_PROGRAM = Pattern("a path or a search that has operators of its own")

_NODES: dict[str, tuple[Pattern, tuple[str, ...]]] = {
    **dict.fromkeys(("Like", "ILike", "LikeAny", "ILikeAny"), (_LIKE, ("expression",))),
    "Escape": (Pattern("ESCAPE"), ("expression",)),
    "Glob": (Pattern("GLOB", _WITHOUT_SIGNS), ("expression",)),
    "SimilarTo": (Pattern("SIMILAR TO", frozenset({"date", "boolean"})), ("expression",)),
    "RegexpReplace": (_REGEX, ("expression", "replacement")),
    **dict.fromkeys(
        (
            "RegexpLike", "RegexpILike", "RegexpCount", "RegexpExtract", "RegexpExtractAll", "RegexpFullMatch",
            "RegexpInstr", "RegexpSplit", "RegexpSubstr",
        ),
        (_REGEX, ("expression",)),
    ),
    "JSONBPathExists": (_PROGRAM, ("expression",)),
}  # fmt: skip
"""By the name of sqlglot's node: the pattern, and the arguments that are it."""

_FUNCTIONS: dict[str, Pattern] = {
    **dict.fromkeys(
        (
            "regexp", "regexp_match", "regexp_matches", "regexp_like", "regexp_count", "regexp_instr",
            "regexp_substr", "regexp_replace", "regexp_extract", "regexp_extract_all", "regexp_full_match",
            "regexp_split_to_array", "regexp_split_to_table", "string_split_regex", "str_split_regex",
        ),
        _REGEX,
    ),
    **dict.fromkeys(("like_escape", "ilike_escape", "not_like_escape", "not_ilike_escape", "json_search"), _LIKE),
    **dict.fromkeys(
        (
            "jsonb_path_query", "jsonb_path_query_first", "jsonb_path_query_array", "jsonb_path_exists",
            "jsonb_path_match", "to_tsquery",
        ),
        _PROGRAM,
    ),
}  # fmt: skip
"""By the name of a function that sqlglot does not know: all arguments but the first may be its pattern."""


def pattern_of(node: exp.Expr, kind: ConnectionKind) -> Pattern | LikePattern | None:
    """The pattern that the placeholder *node* is in, if it is in one."""
    return _escaped(node, kind) or next(_patterns_around(node, kind), None)


def borrowed_pattern(tree: exp.Expr, kind: ConnectionKind) -> Pattern | None:
    """A pattern that is a column of a subquery, and there is made of a parameter."""
    from sqlglot import exp

    names = _names_of_parameters(tree)
    for column in tree.find_all(exp.Column) if names else ():
        if str(column.name).lower() in names:
            found = next(_patterns_around(column, kind), None)
            if found is not None and not isinstance(column.this, exp.Star):
                return found
    return None


def _escaped(node: exp.Expr, kind: ConnectionKind) -> LikePattern | None:
    from sqlglot import exp

    inner, closing = node, 0
    while inner.parent is not None and _keeps_text(inner, kind):
        inner, closing = inner.parent, closing + 1
    like = inner.parent
    if not isinstance(like, exp.Like | exp.ILike) or inner.arg_key != "expression":
        return None
    outer = like.parent
    if isinstance(outer, exp.Escape) and outer.this is like:
        character = outer.expression
        text = str(character.this) if isinstance(character, exp.Literal) else ""
        return LikePattern(text, closing) if len(text) == 1 and text not in "%_" else None
    return LikePattern("\\" if kind in ("postgres", "mysql") else "", closing)


def _keeps_text(node: exp.Expr, kind: ConnectionKind) -> bool:
    """Whether the parent hands the text on with its signs: parentheses and changes of case or accents."""
    from sqlglot import exp

    parent = node.parent
    if isinstance(parent, exp.Paren | exp.Lower | exp.Upper):
        return True
    if isinstance(parent, exp.Collate) and node.arg_key == "this":
        # Where the escape must be named, it would have to stand behind the name of the collation.
        return kind in ("postgres", "mysql")
    names = ("unaccent", "strip_accents")
    return (
        isinstance(parent, exp.Anonymous)
        and str(parent.name).lower() in names
        and len(parent.expressions) == 1
    )


def _patterns_around(node: exp.Expr, kind: ConnectionKind) -> Iterator[Pattern]:
    """The patterns that the text of *node* becomes a part of, innermost first."""
    inner = node
    while inner.parent is not None:
        found = _pattern_at(inner, kind)
        if found is not None:
            yield found
        if _ends_text(inner):
            return
        inner = inner.parent


def _pattern_at(node: exp.Expr, kind: ConnectionKind) -> Pattern | None:
    """The pattern that *node* is as an argument of its parent."""
    from sqlglot import exp

    parent, key = node.parent, str(node.arg_key)
    if isinstance(parent, exp.Anonymous):
        found = _FUNCTIONS.get(str(parent.name).lower())
        is_method = isinstance(
            parent.parent, exp.Dot
        )  # a.regexp_matches(b): the first argument stands before
        return found if found and (is_method or node is not parent.expressions[0]) else None
    if isinstance(parent, exp.MatchAgainst):
        modifier = str(parent.args.get("modifier") or "").upper()
        is_search = key == "this" and (kind == "postgres" or "BOOLEAN" in modifier)
        return _PROGRAM if is_search else None
    if isinstance(parent, exp.Substring) and kind == "postgres" and key != "this":
        return Pattern("substring(… FROM …)", _WITHOUT_SIGNS)
    pattern, keys = _NODES.get(type(parent).__name__, (None, ()))
    return pattern if key in keys else None


def _ends_text(node: exp.Expr) -> bool:
    """Whether the text of *node* decides what its parent is, but is no part of it."""
    from sqlglot import exp

    parent = node.parent
    if isinstance(parent, exp.Case | exp.If):
        return node.arg_key == "this" and not isinstance(node, exp.If)
    if isinstance(parent, exp.Any | exp.All):  # LIKE ANY (ARRAY['%{{x}}%'])
        return False
    if isinstance(parent, exp.Select):
        return node.arg_key not in ("expressions", "with_", "with", "from_", "from")
    ending = (
        exp.Predicate,
        exp.Connector,
        exp.Not,
        exp.Length,
        exp.StrPosition,
        exp.Count,
        exp.Where,
        exp.Order,
    )
    return isinstance(parent, ending)


def _names_of_parameters(tree: exp.Expr) -> frozenset[str]:
    """The names of columns that are made of parameters, in small letters."""
    from sqlglot import exp

    found: set[str] = set()
    size = -1
    while size != len(found):
        size = len(found)
        for node in tree.find_all(exp.Placeholder, exp.Column):
            is_source = isinstance(node, exp.Placeholder) or str(node.name).lower() in found
            if is_source:
                found.update(_names_given(node))
    return frozenset(found)


def _names_given(node: exp.Expr) -> Iterator[str]:
    """The names that queries around *node* give to what it is a part of."""
    from sqlglot import exp

    inner = node
    while inner.parent is not None and not _ends_text(inner):
        parent = inner.parent
        if isinstance(parent, exp.Alias) and inner.arg_key == "this":
            yield str(parent.alias).lower()
        table = parent.args.get("alias")
        if isinstance(table, exp.TableAlias):
            yield from (str(column.name).lower() for column in table.args.get("columns") or ())
        inner = parent


_BEFORE_A_VALUE = words(
    """
    L_PAREN L_BRACKET COMMA SELECT DISTINCT ALL WHERE AND OR ON USING WHEN THEN ELSE CASE HAVING GROUP_BY ORDER_BY
    EQ NEQ LT LTE GT GTE PLUS DASH STAR SLASH MOD DPIPE PIPE AMP BETWEEN IN LIKE GLOB IS LIMIT OFFSET
    """
)
"""Kinds of sqlglot's tokens behind which a value begins, so that `like(` is a function."""


def has_like_as_a_function(text: str, kind: ConnectionKind) -> bool:
    """Whether the query has `like(pattern, text)`, which sqlglot reads as `text LIKE pattern`."""
    import sqlglot

    types = [token.token_type.name for token in sqlglot.tokenize(text, read=kind)]
    for position, name in enumerate(types[:-1]):
        before = position - 1
        while before >= 0 and types[before] == "NOT":
            before -= 1
        is_called = name == "LIKE" and types[position + 1] == "L_PAREN"
        if is_called and (before < 0 or types[before] in _BEFORE_A_VALUE):
            return True
    return False
