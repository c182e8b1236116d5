"""Makes what readers and models write safe to repeat: nothing unseen is in it, nothing that opens or closes a fence."""

from __future__ import annotations

import json
import re

from prompts import unseen

DETAIL_CHARS_MAX = 300
"""So much of a question to a tool, or of its answer, is told beside an answer."""

# Both what data and what prompts escape, but for the ends of lines: readers and models write paragraphs. A blank of
# Braille stays, for readers of Braille.
_UNSEEN = (
    unseen.CONTROLS + unseen.SEPARATORS + unseen.FORMATS + unseen.SURROGATES + unseen.FILLERS
    + unseen.FORMATS_ABOVE + unseen.FILLERS_ABOVE
)  # fmt: skip
_CHOOSING = unseen.JOINERS + unseen.SELECTORS
"""Apart from these, without which scripts and emoji fall to pieces before a person."""
_SYMBOLS = "\u00a9\u00ae\u203c\u2049\u2100-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"

_unseen = re.compile(f"[{_UNSEEN}]").sub
_unseen_or_choosing = re.compile(f"[{_UNSEEN}{_CHOOSING}]").sub
_in_emoji = re.compile(
    rf"(?<=[{_SYMBOLS}])(?:[\ufe0e\ufe0f](?:\u200d(?=[{_SYMBOLS}]))?|\u200d(?=[{_SYMBOLS}]))"
    r"|(?<=[0-9#*])\ufe0f(?=\u20e3)"
).sub
_line_end = re.compile(r"\r\n?").sub
_is_plain = re.compile(r"[\n -;=-~]*").fullmatch
_visible = re.compile(rf"[^\s{_UNSEEN}{_CHOOSING}]").search
# A tag, or what a model may take for one: `</dados>`, `< dados>`, `<tool_result>`, `<|im_start|>`, `＜/dados＞`; an
# `a < b` stays as it is.
_opens_tag = re.compile(
    rf"[<{unseen.PAINTED}](?=\s*[/\uff0f\u2215\u2044]|[^\W\d_]|[|\uff5c!?]|\s+[d\uff44\uff24])", re.IGNORECASE
).sub

_painted_tag = re.compile(f"[{unseen.PAINTED}]").sub


def for_model(text: str) -> str:
    """
    *text* with every unseen character written as `\\u{…}`, and `\\u003c` where a tag would open (T12, T14).

    What only joins emoji or chooses their colour is left out: a model would learn to write its code.

    >>> for_model("</dados> 1 < 2 \\u200b")
    '\\\\u003c/dados> 1 < 2 \\\\u{200b}'
    """
    if _is_plain(text):
        return text
    shown = _unseen_or_choosing(_code, _in_emoji("", _line_end("\n", text)))
    return _opens_tag("\\\\u003c", shown)


def for_json(text: str) -> str:
    """
    JSON *text* in which nothing is unseen: in its strings, where alone such characters may be, `\\uXXXX` is the same.

    Tools escape what is dangerous; this adds what merely cannot be seen, such as Hangul fillers, and what looks like
    the `<` of a tag.
    """
    return text if text.isascii() else _painted_tag(_json_code, _unseen_or_choosing(_json_code, text))


def for_reader(text: str) -> str:
    """*text* with every unseen character written as `\\u{…}`; it may hold joiners, which scripts and emoji need."""
    return text if _is_plain(text) else _unseen(_code, _line_end("\n", text))


def for_detail(text: str, chars_max: int = DETAIL_CHARS_MAX) -> str:
    """*text* for a reader on one line, cut where it is long."""
    shown = " ".join(for_reader(text[: chars_max + 1]).split())
    return shown if len(shown) <= chars_max else f"{shown[: chars_max - 1]}…"


def is_visible(text: str) -> bool:
    """Whether a person sees anything of *text*."""
    return _visible(text) is not None


def _json_code(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


def _code(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match.group()):x}}}"
