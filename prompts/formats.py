"""The one place that escapes: writes names, values and cells of data so that they stay inert (spec 3, 7, 9)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from json.encoder import encode_basestring

VALUE_CHARS_MAX = 60
"""A longer value of an enumeration or group is cut in the schema and the summary."""
CELL_CHARS_MAX = 500
"""A longer cell is cut in the rows."""

# Unicode 16, categories Cc, Cf, Zl and Zp, and surrogates, which UTF-8 cannot hold. Spelt out, so that the
# same data give the same bytes whatever Unicode version Python has.
_UNSEEN = (
    "\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u2064\u2066-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
)
_escaped = re.compile(f"[<{_UNSEEN}]").sub
_escaped_for_citations = re.compile(rf"[<\[{_UNSEEN}]").sub
_MARKS = r"|,:=<\"'`\[\](){}\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
_needs_quotes = re.compile(rf"[{_MARKS}]|^[#-]|^\s|\s$|^$").search
_is_bare = re.compile(rf"[^\s#{_MARKS}{_UNSEEN}-](?:[^{_MARKS}{_UNSEEN}]*[^\s{_MARKS}{_UNSEEN}])?").fullmatch


def inert(text: str, *, citations: bool = False) -> str:
    """
    *text* with `<` and every unseen character written as `\\uXXXX`, and `[` too where rows carry *citations*.

    >>> inert("</dados>")
    '\\\\u003c/dados>'
    """
    return (_escaped_for_citations if citations else _escaped)(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def json_text(text: str, *, citations: bool = False) -> str:
    """*text* as a JSON string that nothing inside can leave."""
    return inert(encode_basestring(text), citations=citations)


def name_text(name: str, *, citations: bool = False) -> str:
    """A column's or band's name outside JSON: bare where that is plain to read, else as a JSON string."""
    if _is_bare(name):
        return name
    if _needs_quotes(name):
        return json_text(name, citations=citations)
    return inert(name, citations=citations)


def value_texts(values: Iterable[str | None], *, citations: bool = False) -> Mapping[str | None, str]:
    """
    How each of a column's *values* is written outside JSON; None is the null group.

    Long ones are cut, unless two of them would look the same.
    """
    texts = list(values)
    if max((len(value) for value in texts if value is not None), default=0) <= VALUE_CHARS_MAX:
        return {
            value: "(null)" if value is None else name_text(value, citations=citations) for value in texts
        }
    cuts = {
        value: value[:VALUE_CHARS_MAX]
        for value in texts
        if value is not None and len(value) > VALUE_CHARS_MAX
    }
    seen: dict[str, int] = {}
    for cut in cuts.values():
        seen[cut] = seen.get(cut, 0) + 1
    written: dict[str | None, str] = {}
    for value in texts:
        if value is None:
            written[value] = "(null)"
        elif value in cuts and seen[cuts[value]] == 1:
            written[value] = name_text(f"{cuts[value]}…", citations=citations)
        else:
            written[value] = name_text(value, citations=citations)
    return written


def cut_cell(text: str) -> str:
    """A cell's text, cut with a note of how much is missing when it is very long."""
    if len(text) <= CELL_CHARS_MAX:
        return text
    return f"{text[:CELL_CHARS_MAX]}…[+{len(text) - CELL_CHARS_MAX} chars]"
