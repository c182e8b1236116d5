"""Writes a filter as JSON text, and reads back an equal one: decimals stay exact, and texts stay texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datasources.filters import Filter

DECIMAL_KEY = "decimal"
"""A decimal is `{"decimal": "12.50"}`: as a JSON number it would be a double for most readers."""


def filter_json(where: Filter) -> str:
    """*where* as one line of JSON: equal for filters that ask the same of the same fields in the same order."""
    return json.dumps(filter_tree(where), separators=(",", ":"))


def read_filter_json(text: str) -> Filter:
    """The filter that `filter_json` wrote; raises ValueError (of JSON or of Pydantic) where it is none."""
    return read_filter_tree(json.loads(text))


def filter_tree(where: Filter) -> dict[str, object]:
    """*where* as what JSON has: objects, lists, texts, whole numbers and booleans."""
    from datasources.filters import AllOf, AnyOf

    match where:
        case AllOf():
            return {"and": [filter_tree(one) for one in where.all_of]}
        case AnyOf():
            return {"or": [filter_tree(one) for one in where.any_of]}
    tree: dict[str, object] = {"field": where.field, "op": where.op}
    if where.value is not None:
        tree["value"] = _written(where.value)
    return tree


def _written(value: object) -> object:
    if isinstance(value, tuple):
        return [_written(one) for one in value]
    return {DECIMAL_KEY: str(value)} if isinstance(value, Decimal) else value


def read_filter_tree(tree: object) -> Filter:
    """The filter of which `filter_tree` made *tree*; raises ValueError where it is none."""
    from pydantic import TypeAdapter

    from datasources.filters import NODES_MAX, Filter, count_nodes

    found: Filter = TypeAdapter(Filter).validate_python(_read(tree))
    if count_nodes(found) > NODES_MAX:
        raise ValueError(f"a filter has at most {NODES_MAX} conditions and groups")
    return found


def _read(tree: object) -> object:
    if isinstance(tree, Mapping):
        if tree.keys() == {DECIMAL_KEY} and isinstance(tree[DECIMAL_KEY], str):
            return _decimal(tree[DECIMAL_KEY])
        return {key: _read(value) for key, value in tree.items()}
    if isinstance(tree, Sequence) and not isinstance(tree, str):
        return tuple(_read(one) for one in tree)
    return tree


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except ArithmeticError as error:
        raise ValueError(f"{text!r} is not a decimal") from error
