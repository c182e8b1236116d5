"""Writes answers as JSON in which numbers keep their digits and no text can leave its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.fact import Fact
from prompts.formats import json_text


class Number(str):
    """The text of a number in full, written as it stands."""

    __slots__ = ()


Value = None | bool | int | str | Number | Sequence["Value"] | Mapping[str, "Value"]
"""What an answer is made of; no binary fraction is among it."""


def value_of(fact: Fact | None) -> Value:
    """The value of *fact*: a number with exactly its digits, a text, a boolean, or null."""
    if fact is None:
        return None
    if fact.kind == "boolean":
        return fact.value == "true"
    return Number(fact.value) if fact.kind == "number" else fact.value


def write(value: Value) -> str:
    """
    *value* as compact JSON.

    >>> write({"result": Number("423891.50"), "note": None, "groups": ["</dados>"]})
    '{"result":423891.50,"note":null,"groups":["\\\\u003c/dados>"]}'
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Number():
            return str(value)
        case str():
            return json_text(value)
        case int():
            return str(value)
        case Mapping():
            return "{" + ",".join(f"{json_text(key)}:{write(one)}" for key, one in value.items()) + "}"
        case _:
            return "[" + ",".join(map(write, value)) + "]"
