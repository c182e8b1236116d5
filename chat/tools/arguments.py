"""Reads the arguments that a model sends, exactly, and says in a reader's language what is wrong with them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, NoReturn, TypeVar

from pydantic import ValidationError

from chat.tools.base import Arguments
from engine.exceptions import QueryError
from engine.notes import Term
from engine.query.questions import GROUPS_MAX

CHARS_MAX = 100_000
DEPTH_MAX = 200
"""No question nests as deep, and what goes through one is safe from running out of stack."""

A = TypeVar("A", bound=Arguments)


def read_json(text: str) -> dict[str, Any]:
    """
    The object that *text* is, its fractions as decimals; empty text is an object without keys.

    Raises QueryError for what is no object, has a key twice, or a number that JSON does not know, and for lists in
    lists without end.
    """
    if len(text) > CHARS_MAX:
        raise QueryError("long_arguments", most=CHARS_MAX)
    try:
        found = json.loads(
            text or "{}", parse_float=Decimal, parse_constant=_no_json, object_pairs_hook=_unique
        )
    except (ValueError, RecursionError, ArithmeticError) as error:  # numbers of thousands of digits, or 1e9…9
        raise QueryError("no_json") from error
    if not isinstance(found, dict) or _is_deep(found):
        raise QueryError("no_json")
    return found


def _is_deep(found: object) -> bool:
    """Whether *found* nests deeper than `DEPTH_MAX`."""
    level = [found]
    for _ in range(DEPTH_MAX):
        level = [inner for one in level for inner in _inner(one)]
        if not level:
            return False
    return True


def _inner(one: object) -> Iterable[object]:
    return one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()


def _no_json(_: str) -> NoReturn:
    raise QueryError("no_json")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise QueryError("same_key_twice", name=key)
        found[key] = value
    return found


def read_arguments(given: Mapping[str, object], model: type[A]) -> A:
    """*given* as *model* has it; raises QueryError that names the first place that does not fit."""
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        raise _problem(error, model) from None
    except RecursionError as error:
        raise QueryError("no_json") from error


def _problem(error: ValidationError, model: type[Arguments]) -> QueryError:
    problems = error.errors(include_url=False, include_context=True, include_input=False)
    found = min(problems, key=lambda one: _RANK.get(one["type"], 1))
    path, context = _path(found["loc"]), found.get("ctx", {})
    if path == "by" and found["type"] in ("too_long", "too_short"):
        return QueryError("by_count", count=context["actual_length"])
    if path == "operations" and found["type"] == "too_long":
        most = context["max_length"]
        return QueryError("calc_too_many_operations", count=context["actual_length"], max=most)
    if found["loc"][:1] == ("operations",) and len(found["loc"]) > 3:
        # What follows is which of the types of an operand was tried.
        end = 4 if isinstance(found["loc"][3], int) else 3
        return QueryError("wrong_operand", path=_path(found["loc"][:end]))
    match found["type"]:
        case "missing":
            return QueryError("missing_argument", path=path)
        case "extra_forbidden" if len(found["loc"]) == 1:
            return QueryError("unknown_argument", path=path, names=tuple(model.model_fields))
        case "literal_error":
            expected = str(found["ctx"]["expected"]).replace(" or ", ", ").replace("'", "")
            return QueryError("one_of", path=path, names=tuple(expected.split(", ")))
    if path == "top":
        return QueryError("top_range", most=GROUPS_MAX)
    return QueryError(
        "wrong_argument", path=path, expected=Term(_EXPECTED.get(found["type"], "another_value"))
    )


_RANK = {"extra_forbidden": 0, "missing": 0}
"""A key that is wrong explains what is missing, so that it is told first."""
_EXPECTED = {
    "int_type": "a_whole_number",
    "string_type": "a_text_here",
    "tuple_type": "a_list_here",
    "too_long": "too_many_here",
    "string_too_long": "too_many_here",
    "less_than_equal": "too_many_here",
    "too_short": "too_few_here",
    "greater_than_equal": "too_few_here",
}


def _path(loc: tuple[int | str, ...]) -> str:
    """`operations[0].values`."""
    text = ""
    for part in loc:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text
