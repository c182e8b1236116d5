"""Splits a column's name into the tokens that roles and documents are known by (spec, notation)."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import filterfalse

_split = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9\u0080-\U0010ffff]+").split


def fold(text: str) -> str:
    """*text* after NFKD without combining marks."""
    if text.isascii():
        return text
    return "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFKD", text)))


@lru_cache(maxsize=4096)
def name_tokens(name: str) -> tuple[str, ...]:
    """
    The name tokens of *name*, lower-cased, in order.

    >>> name_tokens("vUnCom"), name_tokens("Data de Emissão")
    (('v', 'un', 'com'), ('data', 'de', 'emissao'))
    """
    folded = "".join(mark if mark.isalnum() else " " for mark in fold(name))
    return tuple(token.lower() for token in _split(folded) if token)
