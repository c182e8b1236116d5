"""Offers the name that was probably meant, and writes what was found so that it stays short."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from difflib import get_close_matches

FOUND_CHARS_MAX = 60
"""A longer value is cut in a message."""
NAMES_MAX = 20
"""So many names are listed; of more, the rest is counted."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """
    The one of *known* that *name* most looks like, case ignored.

    >>> nearest("Dt_inicio", ["dt_fim", "dt_inicio"])
    'dt_inicio'
    """
    by_fold: dict[str, str] = {}
    for one in known:
        by_fold.setdefault(one.casefold(), one)
    # A long word is compared by its start: comparing takes time by the product of the lengths.
    found = get_close_matches(name.casefold()[:200], by_fold, n=1, cutoff=0.6)
    return by_fold[found[0]] if found else None


def remedy(name: str, known: Collection[str], *, noun: str) -> str:
    """The sentence after a name that is not *known*: the one probably meant, or those that there are."""
    near = nearest(name, known)
    if near is not None:
        return f"did you mean {near}?"
    if not known:
        return f"there is no {noun}."
    return f"{allowed(known)}."


def allowed(names: Collection[str]) -> str:
    """The names that may stand somewhere, with their verb."""
    return f"allowed {'is' if len(names) == 1 else 'are'} {listed(names)}"


def listed(names: Collection[str], last: str = "and") -> str:
    """
    Names as words.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    shown = list(names)[:NAMES_MAX]
    if len(names) > NAMES_MAX:
        shown.append(f"{len(names) - NAMES_MAX} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def found_text(value: object) -> str:
    """*value* as JSON on one line, cut where it is long."""
    if isinstance(value, str):
        cut = value[: FOUND_CHARS_MAX + 1]
    else:
        cut = str(value) if not _is_json(value) else json.dumps(value, ensure_ascii=False, default=str)
    text = json.dumps(cut, ensure_ascii=False) if isinstance(value, str) else cut
    return text if len(text) <= FOUND_CHARS_MAX else f"{text[:FOUND_CHARS_MAX]}…"


def _is_json(value: object) -> bool:
    return value is None or isinstance(value, bool | list | tuple | dict)
