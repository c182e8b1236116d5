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

from datasources.locales import style_of_locale
from datasources.suggestion import nearest
from engine.calculate import OPERANDS
from engine.exceptions import QueryError
from lastro.exceptions import WordsError

LIST = "values"
DECIMALS = "decimals"
EXAMPLE = "lastro calc growth initial=100 final=120"
_currency = re.compile(r"(?:.*[=(+-])?(?:R\$|US\$|\$|€|£)").fullmatch
_ambiguous = re.compile(
    r"(?P<before>[^0-9#F]*)(?P<head>[1-9][0-9]{0,2})(?P<mark>[.,])(?P<tail>[0-9]{3})(?P<after>[^0-9.,]*)"
).fullmatch
_named = re.compile(r"([A-Za-z_]+)=(.*)", re.DOTALL).fullmatch


def read_operations(words: Sequence[str], locale: str | None = None) -> list[dict[str, Any]]:
    """
    The operations that *words* are, as the tool `calculate` takes them.

    `1.234` is a thousand and more to some and a fraction to others: only a *locale* (`pt-BR`, `en`) tells.

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
                f"“{word}” is not an operation. There are: {', '.join(OPERANDS)}.{hint} Write it like this: {EXAMPLE}"
            )
        else:
            _take(operations[-1], word, len(operations), locale)
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


def _take(operation: dict[str, Any], word: str, number: int, locale: str | None) -> None:
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
    value = _told_apart(value, locale)
    if name == LIST:
        operation.setdefault(LIST, []).append(value)
    elif name in operation:
        raise WordsError(f"{op} takes one {name}, and it is given twice: leave one out.")
    else:
        operation[name] = value


def _told_apart(value: str, locale: str | None) -> str:
    """*value*, of which a point (or comma) before three digits is read as *locale* writes numbers."""
    match = _ambiguous(value)
    if match is None:
        return value
    style = style_of_locale(locale)
    if style is None:
        plain, fraction = f"{match['head']}{match['tail']}", f"{match['head']}.{match['tail']}0"
        raise WordsError(
            f"“{value}” may mean {plain} or {fraction}: write it so, or say with --locale how you write numbers."
        )
    groups = "." if style == "br" else ","
    if match["mark"] == groups:
        return f"{match['before']}{match['head']}{match['tail']}{match['after']}"
    return f"{match['before']}{match['head']}.{match['tail']}0{match['after']}"


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
