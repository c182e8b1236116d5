"""Says in our words, and with the path, what the models refused in a report definition."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from datasources.access_policy import AccessPolicy, ColumnRule, RowRule, RuleAll, RuleAny, RuleCondition
from datasources.elements import (
    AggregateElement,
    BandDefinition,
    BarcodeElement,
    ChartElement,
    DeclaredField,
    FieldElement,
    FileSource,
    InlineSource,
    MemorySource,
    Page,
    Parameter,
    ReportDefinition,
    SqlSource,
    TableElement,
    TextElement,
)
from datasources.exceptions import Problem
from datasources.filters import MISFITS, AllOf, AnyOf, Condition
from datasources.suggestion import allowed, found_text, nearest

Step = str | int

_SOURCES: Mapping[str, type[BaseModel]] = {
    "file": FileSource,
    "inline": InlineSource,
    "memory": MemorySource,
    "sql": SqlSource,
}
_ELEMENTS: Mapping[str, type[BaseModel]] = {
    "text": TextElement,
    "field": FieldElement,
    "table": TableElement,
    "barcode": BarcodeElement,
    "chart": ChartElement,
}
_FILTERS: Mapping[str, type[BaseModel]] = {"and": AllOf, "or": AnyOf, "condition": Condition}
_RULES: Mapping[str, type[BaseModel]] = {"and": RuleAll, "or": RuleAny, "condition": RuleCondition}
_LISTED: Mapping[str, type[BaseModel]] = {
    "parameters": Parameter,
    "bands": BandDefinition,
    "fields": DeclaredField,
    "aggregates": AggregateElement,
}

_FORMS = {
    r"^[A-Za-z_][A-Za-z0-9_]{0,63}$": "letters, digits and _, no digit first, 64 at most",
    r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$": "letters, digits, _, . and -, a letter or digit first, 100 at most",
    r"^#[0-9A-Fa-f]{6}$": "# and six hexadecimal digits, such as #1A2B3C",
}
"""The patterns of the models, in words."""

_KINDS = {
    "string_type": "a text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a number that is not infinite",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
}
_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}
_VALUE = "a text, a number, true or false, or a list of them"
_RULE_VALUE = f'{_VALUE}, or {{"viewer": …}} with the name of an attribute'


def problems_of(error: ValidationError, data: Any) -> tuple[Problem, ...]:
    """Each thing that *error* holds against *data*, once, in document order of the models."""
    found: dict[tuple[str, str], Problem] = {}
    for detail in error.errors(include_url=False):
        steps = _steps(detail["loc"], data)
        if steps is None or _is_consequence(detail):
            continue
        problem = _problem(detail, steps, data)
        found.setdefault((problem.path, problem.message), problem)
    return tuple(found.values())


def path_text(steps: Sequence[Step]) -> str:
    """
    A place in the document.

    >>> path_text(["bands", 2, "fields", 0, "type"]), path_text(["datasources", "a b", "kind"])
    ('bands[2].fields[0].type', 'datasources["a b"].kind')
    """
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", step):
            text += f".{step}" if text else step
        else:
            text += f"[{found_text(step)}]"
    return text


def _steps(loc: Sequence[Step], data: Any) -> list[Step] | None:
    """The keys and positions of *loc* without the names of union members; None for a member that was not meant."""
    steps = list(loc)
    if steps[:1] == ["datasources"] and len(steps) > 2:
        del steps[2]  # the kind of source, or `[key]`
    elif steps[:1] == ["bands"] and len(steps) > 4 and steps[2] == "elements":
        del steps[4]
    elif (at := _where_of(steps)) is not None and len(steps) > at:
        rest = _filter_steps(steps[at:], _node_at(steps[:at], data))
        return None if rest is None else steps[:at] + rest
    return steps


def _where_of(steps: Sequence[Step]) -> int | None:
    """Where in *steps* the inside of a filter begins: behind its `where`."""
    match list(steps):
        case ["aggregates", int(), "where", *_]:
            return 3
        case ["access", "rows", int(), "where", *_]:
            return 4
    return None


def _filter_steps(loc: list[Step], node: Any) -> list[Step] | None:
    """The same inside a filter, whose members are told apart by their keys."""
    member = _filter_member(node)
    written = str(loc[0])
    told = (
        "and" if written in ("AllOf", "RuleAll") else "or" if written in ("AnyOf", "RuleAny") else "condition"
    )
    if told != member:
        return None
    rest = loc[1:]
    if member == "condition":
        # Below `value` stand the names of all types that it could have been.
        return [step for step in rest[:1] if step in ("field", "op", "value") or len(rest) == 1]
    if len(rest) > 2 and isinstance(rest[1], int):
        below = _filter_steps(rest[2:], node[member][rest[1]])
        return None if below is None else rest[:2] + below
    return rest


def _filter_member(node: Any) -> str:
    keys = node if isinstance(node, dict) else {}
    return "and" if "and" in keys else "or" if "or" in keys else "condition"


def _is_consequence(detail: ErrorDetails) -> bool:
    """Whether a list counts as empty only because what is in it was refused."""
    return detail["type"] == "too_short" and bool(detail["input"])


def _problem(detail: ErrorDetails, steps: list[Step], data: Any) -> Problem:
    kind, found, context = detail["type"], detail["input"], detail.get("ctx", {})
    path = path_text(steps)
    is_of_value = kind != "extra_forbidden" or "ViewerAttribute" in detail["loc"]
    if "where" in steps and steps[-1] == "value" and is_of_value:
        # It was tried as each type that it could have been: what is said once is the whole value.
        what = _RULE_VALUE if steps[0] == "access" else _VALUE
        return Problem(path, f"found {found_text(_node_at(steps, data))}; allowed is {what}.")
    if kind == "missing":
        return Problem(path, "is missing, and required.")
    if kind == "extra_forbidden":
        return Problem(path, _unknown_key(str(steps[-1]), _model_at(steps[:-1], data)))
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        key = str(context["discriminator"]).strip("'")
        known = _SOURCES if key == "kind" else _ELEMENTS
        if kind == "union_tag_not_found":
            return Problem(f"{path}.{key}", f"is missing; {allowed(known)}.")
        return Problem(f"{path}.{key}", _not_among(found[key], list(known)))
    if kind == "literal_error":
        return Problem(path, _not_among(found, _literals(str(context["expected"]))))
    if kind == "string_pattern_mismatch":
        form = _FORMS.get(str(context["pattern"]), "a text of another form")
        return Problem(path, f"found {found_text(found)}; allowed are {form}.")
    if kind in _KINDS:
        return Problem(path, f"found {found_text(found)}; allowed is {_KINDS[kind]}.")
    if kind in _BOUNDS:
        key, words = _BOUNDS[kind]
        return Problem(path, f"found {found_text(found)}; allowed is {words} {context[key]:g}.")
    if kind in ("too_short", "string_too_short"):
        return Problem(
            path,
            "is empty; at least one " + ("entry" if kind == "too_short" else "character") + " is needed.",
        )
    if kind == "string_too_long":
        return Problem(path, f"has {len(found):,} characters; allowed are at most {context['max_length']:,}.")
    if kind in MISFITS:
        return Problem(path, f"{detail['msg']}.")
    if kind == "value_error":
        return Problem(path, f"{context['error']}.")
    return Problem(path, f"found {found_text(found)}, which does not fit here.")


def _literals(expected: str) -> list[str]:
    """The values that are quoted, or listed, in the library's words."""
    return re.findall(r"'([^']*)'", expected) or [expected]


def _not_among(found: Any, known: Sequence[str]) -> str:
    return f"found {found_text(found)}; {allowed(known)}."


def _unknown_key(key: str, model: type[BaseModel] | None) -> str:
    if model is None:
        return "is not a known key here."
    known = [field.alias or name for name, field in model.model_fields.items()]
    near = nearest(key.replace("_", ""), known)
    return f"is not a known key here; {f'did you mean {near}?' if near else f'{allowed(known)}.'}"


def _model_at(steps: Sequence[Step], data: Any) -> type[BaseModel] | None:
    """The model whose keys may stand at *steps*."""
    node = _node_at(steps, data)
    match list(steps):
        case []:
            return ReportDefinition
        case ["page"]:
            return Page
        case ["access"]:
            return AccessPolicy
        case ["access", "rows", int()]:
            return RowRule
        case ["access", "columns", int()]:
            return ColumnRule
        case ["access", "rows", int(), "where", *_]:
            return _RULES[_filter_member(node)]
        case ["datasources", _]:
            return _SOURCES.get(node["kind"])
        case [*_, "elements", int()]:
            return _ELEMENTS.get(node["type"])
        case ["aggregates", int(), "where", *_]:
            return _FILTERS[_filter_member(node)]
        case [*_, str(name), int()]:
            return _LISTED.get(name)
    return None


def _node_at(steps: Sequence[Step], data: Any) -> Any:
    for step in steps:
        data = data[step]
    return data
