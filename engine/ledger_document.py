"""Writes the facts of a ledger as one JSON document, and reads them back equal; what is damaged is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, get_args

from engine.exceptions import EngineError
from engine.fact import Fact, FactKind, GroupKey, PeriodName
from engine.filter_json import filter_tree, read_filter_tree

FORMAT = 1
"""Raised when an older Lastro could not read what this one writes."""

_is_canonical_number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?").fullmatch
_is_id = re.compile(r"F[1-9][0-9]{0,8}").fullmatch

_FACT_DEFAULTS = {one.name: one.default for one in fields(Fact)}
_GROUP_DEFAULTS = {one.name: one.default for one in fields(GroupKey)}


def damaged(problem: str) -> EngineError:
    """The error of a ledger in which *problem* was found."""
    return EngineError(f"The ledger of facts is damaged ({problem}): start the conversation again.")


def write_facts(facts: Sequence[Fact]) -> str:
    """The document of *facts*: what a fact does not have is left out."""
    return json.dumps({"format": FORMAT, "facts": [_fact_tree(one) for one in facts]}, separators=(",", ":"))


def _fact_tree(fact: Fact) -> dict[str, object]:
    tree = _tree(fact, _FACT_DEFAULTS)
    if fact.group:
        tree["group"] = [_tree(key, _GROUP_DEFAULTS) for key in fact.group]
    if fact.where is not None:
        tree["where"] = filter_tree(fact.where)
    return tree


def _tree(noun: Fact | GroupKey, defaults: Mapping[str, object]) -> dict[str, object]:
    pairs = [(name, getattr(noun, name)) for name in defaults]
    return {name: value for name, value in pairs if value != defaults[name]}


def read_facts(text: str) -> tuple[Fact, ...]:
    """The facts that `write_facts` wrote; raises EngineError where *text* is damaged or of a newer Lastro."""
    try:
        found = json.loads(text)
        if not isinstance(found, dict) or "format" not in found:
            raise ValueError("it is not a ledger")
        if found["format"] != FORMAT:
            raise EngineError(
                f"The ledger of facts has format {found['format']!r} and this Lastro reads format {FORMAT}: "
                "use the Lastro that wrote it."
            )
        _expect(found.keys() == {"format", "facts"} and isinstance(found["facts"], list), "its parts")
        return tuple(_read_fact(tree) for tree in found["facts"])
    except (ValueError, RecursionError) as error:
        raise damaged(str(error).splitlines()[0][:200]) from error


def _expect(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"{what} is not as it was written")


def _read_fact(tree: Any) -> Fact:  # whatever JSON may hold
    _expect(isinstance(tree, Mapping) and tree.keys() <= _FACT_DEFAULTS.keys(), "a fact")
    for name in ("value", "kind", "verb", "id"):
        _expect(isinstance(tree.get(name), str), f"the {name} of a fact")
    for name in ("band", "field", "unit", "snapshot", "label"):
        _expect(isinstance(tree.get(name), str | None), f"the {name} of a fact")
    _expect(tree["kind"] in get_args(FactKind), "the kind of a fact")
    _expect(tree["kind"] != "number" or _is_number(tree["value"]), "the value of a fact")
    _expect(bool(_is_id(tree["id"])), "the id of a fact")
    _expect(_is_count(tree.get("rows", 0)), "the rows of a fact")
    _expect(type(tree.get("unbound", False)) is bool, "what backs a fact")
    _expect(tree["kind"] != "boolean" or tree["value"] in ("true", "false"), "the value of a fact")
    groups, sources = tree.get("group", []), tree.get("sources", [])
    _expect(isinstance(groups, list), "the group of a fact")
    _expect(isinstance(sources, list) and all(map(_is_source, sources)), "what a fact was calculated from")
    others: dict[str, Any] = {
        "group": tuple(_read_group(one) for one in groups),
        "sources": tuple(sources),
        "where": None if tree.get("where") is None else read_filter_tree(tree["where"]),
    }
    return Fact(**{**tree, **others})


def _is_number(text: str) -> bool:
    return text != "-0" and bool(_is_canonical_number(text))


def _is_source(value: object) -> bool:
    return isinstance(value, str) and bool(_is_id(value))


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _read_group(tree: Any) -> GroupKey:  # whatever JSON may hold
    _expect(isinstance(tree, Mapping) and tree.keys() <= _GROUP_DEFAULTS.keys(), "a group")
    _expect(isinstance(tree.get("field"), str), "the field of a group")
    _expect(isinstance(tree.get("value"), str | None), "the value of a group")
    _expect(tree.get("period") is None or tree["period"] in get_args(PeriodName), "the period of a group")
    _expect(_is_count(tree.get("others", 0)), "the rest of a group")
    _expect(type(tree.get("withheld", False)) is bool, "what a group withholds")
    return GroupKey(**tree)
