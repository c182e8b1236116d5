"""
Reads calculations as people write them: the name of an operation, then what it takes.

    sum 10,5 20 'R$ 30'                       what it takes in its own order
    growth initial=100 final=120              or by name
    sum 10 20 percentage part='#1' whole=F2   several, one after the other: #1 is the result of the first

A whole operation may stand in quotes, `'sum 1.234,50 R$ 5,15'`: blanks are then between its operands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from datasources.suggestion import nearest
from engine.calculate import OPERANDS
from engine.exceptions import QueryError
from lastro.exceptions import WordsError

LIST = "values"
DECIMALS = "decimals"
EXAMPLE = "lastro calc growth initial=100 final=120"
_currency = re.compile(r"(?:.*[=(+-])?(?:R\$|US\$|\$|€|£)").fullmatch
_named = re.compile(r"([A-Za-z_]+)=(.*)", re.DOTALL).fullmatch


def read_operations(words: Sequence[str]) -> list[dict[str, Any]]:
    """
    The operations that *words* are, as the tool `calculate` takes them.

    >>> read_operations(["sum 1.234,50 R$ 5,15", "growth", "#1", "final=120"])
    [{'op': 'sum', 'values': ['1.234,50', 'R$ 5,15']}, {'op': 'growth', 'initial': '#1', 'final': '120'}]

    Raises WordsError, and QueryError for an operand that an operation does not take.
    """
    operations: list[dict[str, Any]] = []
    for word in _words(words):
        name = word.lower()
        if name in OPERANDS:
            operations.append({"op": name})
        elif not operations:
            near = nearest(name, list(OPERANDS))
            hint = f" Did you mean {near}?" if near else ""
            raise WordsError(
                f"“{word}” is no operation. There are: {', '.join(OPERANDS)}.{hint} Write it like this: {EXAMPLE}"
            )
        else:
            _take(operations[-1], word, len(operations))
    return operations


def _words(words: Sequence[str]) -> Iterator[str]:
    """Each word, an operation in quotes in its parts, and a currency with its number."""
    parts: list[str] = []
    for word in words:
        inner = word.split()
        parts += inner if inner and inner[0].lower() in OPERANDS else [word.strip()]
    waiting = ""
    for part in parts:
        joined = f"{waiting} {part}" if waiting else part
        waiting = joined if _currency(joined) else ""
        if not waiting:
            yield joined
    if waiting:
        yield waiting


def _take(operation: dict[str, Any], word: str, number: int) -> None:
    """Put *word* into its place in *operation*, the *number*-th."""
    op = operation["op"]
    names = OPERANDS[op]
    if match := _named(word):
        name, value = match[1].lower(), match[2].strip()
        if name == DECIMALS:
            operation[name] = int(value) if re.fullmatch("[0-9]{1,9}", value) else value
            return
        if name not in names:
            raise QueryError(
                "calc_unknown_operand", number=number, op=op, name=name, names=(*names, DECIMALS)
            )
    else:
        value = word
        free = [one for one in names if one == LIST or one not in operation]
        if not free:
            raise WordsError(f"{op} takes {_listed(names)}, and “{word}” is one too many: leave it out.")
        name = free[0]
    if name == LIST:
        operation.setdefault(LIST, []).append(value)
    elif name in operation:
        raise WordsError(f"{op} takes one {name}, and it is given twice: leave one out.")
    else:
        operation[name] = value


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
