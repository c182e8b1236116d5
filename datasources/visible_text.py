"""Reads text as a person sees it, whatever characters it is written in."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_unusual = re.compile(r"[^ -~]").search
_unseen = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+"
)
"""Controls and zero-width characters that are no white space."""

is_plain_text = re.compile(r"[ -~À-ÖØ-öø-ÿ]*").fullmatch
"""Whether a text is of characters that `plain` leaves as they are; others may be, too."""


def plain(text: str) -> str:
    """
    *text* with digits, dashes, spaces and line breaks in ASCII, compatible forms as one, and nothing unseen.

    >>> plain("１１１．444\u200b．777\u201335")
    '111.444.777-35'
    """
    return "".join(map(_plain_character, text)) if _unusual(text) else text


def plain_with_origins(text: str) -> tuple[str, list[int]]:
    """*text* as `plain` gives it and, if that differs, for each of its characters the position where it comes from."""
    if not _unusual(text):
        return text, []
    parts = list(map(_plain_character, text))
    return "".join(parts), [position for position, part in enumerate(parts) for _ in part]


def folded(text: str) -> str:
    """
    *text* without what two writers of one name do differently: case, runs of white space, compatible forms.

    >>> folded(" Maria  DA\\xa0Silva")
    'maria da silva'
    """
    if text.isascii():
        common = text.casefold()
    else:
        common = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    if not common.isprintable():
        common = _unseen.sub("", common)
    return " ".join(common.split())


@lru_cache(maxsize=4096)
def _plain_character(character: str) -> str:
    return "".join(map(_common, unicodedata.normalize("NFKC", character)))


def _common(character: str) -> str:
    if character.isspace():
        return "\n" if character.splitlines() == [""] else " "
    category = unicodedata.category(character)
    if category in ("Cc", "Cf", "Mn", "Me"):  # controls, zero-width characters, marks upon a digit
        return ""
    if category == "Pd" or character == "\N{MINUS SIGN}":
        return "-"
    return str(unicodedata.decimal(character)) if category == "Nd" else character
