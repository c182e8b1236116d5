"""Shows a person what a model asked of a tool, and what it was told, on one line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from lastro.where import where_text

if TYPE_CHECKING:
    from chat.rounds import AnsweredCall

NEXT_LINE = "\n"
RESULTS_MAX = 3
"""So many results of one call are written out; of more, the rest is counted."""


def call_line(call: AnsweredCall) -> str:
    """
    *call* with its answer: `sulfite_aggregate_data: SUM valor_total where status = faturado → 563180.87 [F61]`.

    A call that was not answered says why.
    """
    asked = _asked(_object(call.call.arguments))
    name = f"{call.call.name}: {asked}" if asked else call.call.name
    return f"{name} → {_ending(call)}"


def _ending(call: AnsweredCall) -> str:
    match call.status:
        case "done":
            return _told(_object(call.text))
        case "duplicate" if not call.is_error:  # a remark, and on the next line what was told before
            return f"asked before: {_told(_object(call.text.partition(NEXT_LINE)[2]))}"
        case _:
            return f"{call.status}: {call.detail}"


def _object(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError, ArithmeticError):
        return {}
    return found if isinstance(found, dict) else {}


def _asked(arguments: Mapping[str, Any]) -> str:
    """The arguments as one would say them; those of no known name as JSON."""
    match arguments:
        case {"operations": list() as operations}:
            return "; ".join(map(_operation, operations[:RESULTS_MAX]))
        case {"query": str() as query}:
            words = [f'"{query}"']
        case _:
            words = [str(arguments[key]) for key in ("verb", "field") if key in arguments]
    by = arguments.get("by")
    if isinstance(by, list):
        words.append("by " + ", ".join(map(str, by)))
    words += [f"{key} {arguments[key]}" for key in ("period", "top", "order") if key in arguments]
    if "band" in arguments:
        words.append(f"in {arguments['band']}")
    if "a" in arguments and "b" in arguments:
        words.append(f"with {_where(arguments['a'])} and {_where(arguments['b'])}")
    if "filter" in arguments:
        words.append(f"where {_where(arguments['filter'])}")
    return " ".join(words)


def _where(value: object) -> str:
    if not isinstance(value, Mapping):
        return str(value)
    try:
        return where_text(value)
    except (KeyError, TypeError, ValueError, AttributeError):  # a model may write anything
        return json.dumps(value, ensure_ascii=False, default=str)


def _operation(one: object) -> str:
    if not isinstance(one, Mapping):
        return str(one)
    operands = ", ".join(_operand(value) for key, value in one.items() if key != "op")
    return f"{one.get('op')}({operands})"


def _operand(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _told(answer: Mapping[str, Any]) -> str:
    """The results with their facts; the note where there is none."""
    match answer.get("results", answer.get("result")):
        case None:
            return str(answer.get("note") or "nothing")
        case list() as results:
            more = len(results) - RESULTS_MAX
            shown = ", ".join(map(_result, results[:RESULTS_MAX]))
            return f"{shown} and {more} more" if more > 0 else shown or "nothing"
        case dict() as parts:
            return ", ".join(f"{name} {_result(part)}" for name, part in parts.items())
        case _:
            return _result(answer)


def _result(one: object) -> str:
    if not isinstance(one, Mapping):
        return str(one)
    group, value = one.get("group"), one.get("value", one.get("result"))
    name = f"{', '.join(map(str, group)) if isinstance(group, list) else group}=" if "group" in one else ""
    fact = f" [{one['fact']}]" if one.get("fact") else ""
    return f"{name}{'nothing' if value is None else value}{fact}"
