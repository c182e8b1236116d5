"""The one place that escapes: writes names, values and cells of data so that they stay inert (spec 3, 7, 9)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from json.encoder import encode_basestring

from prompts import unseen

VALUE_CHARS_MAX = 60
"""A longer value of an enumeration or group is cut in the schema and the summary."""
NULL = "(null)"
"""How the null group is written; a value that looks so is quoted."""
CELL_CHARS_MAX = 500
"""A longer cell is cut in the rows."""

# All that Unicode calls control, format or separator: what could end a line, turn it round or hide in it. Fillers and
# selectors stay, since they are letters and marks of data; a prompt escapes them once it is whole (`system.py`).
_UNSEEN_BELOW = (
    unseen.LINES + unseen.CONTROLS + unseen.SEPARATORS + unseen.FORMATS + unseen.JOINERS + unseen.SURROGATES
)
_UNSEEN = _UNSEEN_BELOW + unseen.FORMATS_ABOVE
_escaped = re.compile(f"[<{_UNSEEN}]").sub
_escaped_for_citations = re.compile(rf"[<\[{_UNSEEN}]").sub
_MARKS = r"|,:=<\"'`\[\](){}\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
# What already looks like one of our escapes needs quotes too, so that it is read back as what it is.
_needs_quotes = re.compile(rf"[{_MARKS}]|^[#-]|^\s|\s$|^$|\\u[0-9a-f]{{4}}").search
_looks_escaped = re.compile(r"\\u[0-9a-f]{4}").search
_LIVE = rf"{_MARKS}\\{_UNSEEN}"
_is_bare = re.compile(rf"[^\s#{_LIVE}-](?:[^{_LIVE}]*[^\s{_LIVE}])?").fullmatch

# A first look, mostly at many texts together; what it finds is looked at one by one. Ranges above U+FFFF would make
# it five times as slow, so that there all is found.
_FOUND = f"{_UNSEEN_BELOW}\U00010000-\U0010ffff"
_BARE = rf"[^\s#{_MARKS}\\{_FOUND}-](?:[^{_MARKS}\\{_FOUND}]*[^\s{_MARKS}\\{_FOUND}])?"
_are_bare = re.compile(rf"{_BARE}(?:\n{_BARE})*").fullmatch
_may_be_live = re.compile(rf"[<\[{_FOUND}]").search


def inert(text: str, *, citations: bool = False) -> str:
    """
    *text* with `<` and every unseen character written as `\\uXXXX`, and `[` too where rows carry *citations*.

    >>> inert("</dados>")
    '\\\\u003c/dados>'
    """
    return (_escaped_for_citations if citations else _escaped)(escape_character, text)


def escape_character(match: re.Match[str]) -> str:
    """The one character of *match* as `\\uXXXX`, as two of these above U+FFFF."""
    code = ord(match.group())
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def json_text(text: str, *, citations: bool = False) -> str:
    """*text* as a JSON string that nothing inside can leave."""
    quoted: str = encode_basestring(text)
    return inert(quoted, citations=citations) if _may_be_live(quoted) else quoted


def json_texts(cells: Sequence[str], *, citations: bool = False) -> list[str]:
    """Each of the *cells* of a row as a JSON string that nothing inside can leave, cut where it is very long."""
    joined = "".join(cells)
    is_short = len(joined) <= CELL_CHARS_MAX or max(map(len, cells)) <= CELL_CHARS_MAX
    if is_short and not _may_be_live(joined):
        return list(map(encode_basestring, cells))
    return [json_text(cut_cell(cell), citations=citations) for cell in cells]


def name_text(name: str, *, citations: bool = False) -> str:
    """A column's or band's name outside JSON: bare where that is plain to read, else as a JSON string."""
    if _is_bare(name):
        return name
    if _needs_quotes(name):
        return json_text(name, citations=citations)
    return inert(name, citations=citations)


def line_text(text: str, *, citations: bool = False) -> str:
    """A text that has its line to itself: as it stands, or as a JSON string where it would be read as another."""
    if text.startswith('"') or _looks_escaped(text):
        return json_text(text, citations=citations)
    return inert(text, citations=citations)


def value_texts(values: Iterable[str | None], *, citations: bool = False) -> Mapping[str | None, str]:
    """
    How each of a column's *values* is written outside JSON; None is the null group.

    Long ones are cut, unless two of them would look the same.
    """
    texts = list(values)
    filled = [value for value in texts if value is not None]
    shown = _cut(filled)
    if not _all_bare(shown):
        shown = [name_text(value, citations=citations) for value in shown]
    written = dict.fromkeys(texts, NULL)
    written |= zip(filled, shown, strict=True)
    return written


def _all_bare(texts: Sequence[str]) -> bool:
    """Whether each of *texts* is written as it stands, so far as one look at all of them can say."""
    joined = "\n".join(texts)
    return _are_bare(joined) is not None and joined.count("\n") < len(texts)


def _cut(values: list[str]) -> list[str]:
    if max(map(len, values), default=0) <= VALUE_CHARS_MAX:
        return values
    cuts = {value: f"{value[:VALUE_CHARS_MAX]}…" for value in values if len(value) > VALUE_CHARS_MAX}
    seen = Counter(cuts.values())
    return [cuts[value] if value in cuts and seen[cuts[value]] == 1 else value for value in values]


def cut_cell(text: str) -> str:
    """A cell's text, cut with a note of how much is missing when it is very long."""
    if len(text) <= CELL_CHARS_MAX:
        return text
    return f"{text[:CELL_CHARS_MAX]}…[+{len(text) - CELL_CHARS_MAX} chars]"
