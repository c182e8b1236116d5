"""
Reads the conditions of `--where` as people write them, and writes filters back the same way.

    field  = != > >= < <=  value        valor_total >= 1.234,50        data = 2026-04
    field  in | not in  (a, b)          status in (aberto, cancelado)  valor in 1,5; 2,5
    field  between  a and b             data between 05/04/2026 and 2026-04-30
    field  contains | starts with  text
    field  is null | is not null

Fields and values that would be read otherwise stand in quotes, `"…"`, `'…'`, `“…”` or backquotes; a quote among
them is doubled. What begins with `{` is a filter as JSON, a tree of `and` and `or` perhaps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from chat.sentences import sentence
from engine.notes import Language
from lastro.exceptions import WordsError

EXAMPLE = "status = faturado"
EXAMPLE_JSON = '{"field": "status", "op": "=", "value": "faturado"}'

OPERATORS = (
    "= != > >= < <= in", "not in", "between", "contains", "starts with", "is null", "is not null"
)  # fmt: skip

_QUOTES = {'"': '"', "'": "'", "“": "”", "`": "`"}
_QUOTED = r"""(?:"(?:[^"]|"")*"|'(?:[^']|'')*'|“(?:[^”]|””)*”|`(?:[^`]|``)*`)"""
_quoted = re.compile(_QUOTED).match
_apart = re.compile(rf"(?<![^\s,;(]){_QUOTED}(?![^\s,;)])")
"""A quoted text that stands alone: the apostrophes of `d'Ávila, l'Oréal` are none."""
_SYMBOLS = "=!<>≠≥≤"
_operator = re.compile(
    r"(?P<symbol>!=|<>|>=|<=|==|[=><≠≥≤])"
    r"|(?<=\s)(?P<word>not[\s_]+in|in|between|contains|starts[\s_]+with|is[\s_]+not[\s_]+null|is[\s_]+null)"
    r"(?=[\s(]|$)",
    re.IGNORECASE,
)
_SAME = {"==": "=", "<>": "!=", "≠": "!=", "≥": ">=", "≤": "<="}
_WRITTEN = {"not_in": "not in", "starts_with": "starts with"}
_and = re.compile(r"\s+and\s+", re.IGNORECASE)
_joined = re.compile(r"\s(?:and|or)\s", re.IGNORECASE)
_comma = re.compile(r",")
_between_digits = re.compile(r"(?<=\d),(?=\d)")


class WhereError(WordsError):
    """A condition that cannot be read; the message is a line of `chat/sentences`, with its place."""

    def __init__(self, text: str, at: int, code: str, example: str = EXAMPLE, **values: object) -> None:
        self.code = code
        self._text, self._at, self._example, self._values = text, at, example, values
        super().__init__(self.text("en"))

    def text(self, language: Language) -> str:
        """The message in *language*."""
        place = sentence("where_character", language, number=self._at + 1)
        problem = sentence(self.code, language, **self._values)
        # What was written stands there in full: its place is counted in it.
        return (
            f"{sentence('where_in', language)} “{self._text}”, {place}: {problem}. "
            f"{sentence('where_like_this', language)} '{self._example}'."
        )


class _Part(NamedTuple):
    """A piece of a condition, and where in it it begins."""

    whole: str
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.whole[self.start : self.end]

    def stripped(self) -> _Part:
        """The piece without the blanks around it."""
        text = self.text
        start = self.start + len(text) - len(text.lstrip())
        return _Part(self.whole, start, max(start, self.start + len(text.rstrip())))

    def split(self, places: Sequence[tuple[int, int]]) -> list[_Part]:
        """The pieces around *places*, spans within the piece."""
        starts = [self.start, *(self.start + end for _, end in places)]
        ends = [*(self.start + start for start, _ in places), self.end]
        return [_Part(self.whole, start, end) for start, end in zip(starts, ends, strict=True)]

    def wrong(self, code: str, example: str = EXAMPLE, **values: object) -> WhereError:
        return WhereError(self.whole, self.start, code, example, **values)


def read_all(texts: Sequence[str], language: Language = "en") -> Mapping[str, object] | None:
    """
    The filter that all of *texts* are together; None without any. Raises WhereError, its message in *language*.

    >>> read_all(["status = faturado", "valor > 1.234,50"])
    {'and': [{'field': 'status', 'op': '=', 'value': 'faturado'}, {'field': 'valor', 'op': '>', 'value': '1.234,50'}]}
    """
    try:
        read = [read_where(text) for text in texts]
    except WhereError as error:
        error.args = (error.text(language),)
        raise
    return {"and": read} if len(read) > 1 else read[0] if read else None


def read_where(text: str) -> Mapping[str, object]:
    """
    The filter that *text* is, as tools take it: values are texts, which the field's type reads.

    >>> read_where("status in (aberto, cancelado)")
    {'field': 'status', 'op': 'in', 'value': ['aberto', 'cancelado']}

    Raises WhereError.
    """
    if text.lstrip().startswith("{"):
        return _read_json(text)
    field, op, rest = _field(text)
    match op:
        case "is_null":
            return {"field": field, "op": op, **_nothing(rest)}
        case "is_not_null":
            return {"field": field, "op": "is_null", **_nothing(rest), "value": False}
        case "in" | "not_in":
            return {"field": field, "op": op, "value": list(_listed(rest))}
        case "between":
            return {"field": field, "op": op, "value": _two(rest)}
        case _:
            return {"field": field, "op": op, "value": _value(rest)}


def is_where(text: str) -> bool:
    """Whether *text* has the shape of a condition, and is not just a value such as `2026-03`."""
    return text.lstrip().startswith(("{", *_QUOTES)) or _operator.search(text) is not None


def _read_json(text: str) -> Mapping[str, object]:
    from chat.tools.arguments import read_json
    from engine.exceptions import QueryError

    try:
        return read_json(text)
    except QueryError as error:
        start = len(text) - len(text.lstrip())
        raise WhereError(text, start, "where_no_json", EXAMPLE_JSON) from error


def _field(text: str) -> tuple[str, str, _Part]:
    """The field, the operator, and what follows."""
    whole = _Part(text, 0, len(text)).stripped()
    quoted = _quoted(text, whole.start)
    found = _operator.search(text, quoted.end() if quoted else whole.start)
    if found is None:
        at = len(text.rstrip())
        raise WhereError(text, at, "where_no_operator", names=OPERATORS)
    name = _Part(text, whole.start, found.start()).stripped()
    if not _unquoted(name.text):
        raise WhereError(text, found.start(), "where_no_field")
    if quoted and quoted.end() != name.end:
        raise WhereError(text, quoted.end(), "where_after_field")
    rest = _Part(text, found.end(), len(text)).stripped()
    op = found["symbol"] or re.sub(r"[\s_]+", "_", found["word"].lower())
    if found["symbol"] and rest.text.startswith(tuple(_SYMBOLS)):
        raise rest.wrong("where_begins_with", "valor_total >= 1.234,50", sign=rest.text[0])
    return _unquoted(name.text), _SAME.get(op, op), rest


def _unquoted(text: str) -> str:
    found = _quoted(text)
    if found is None or found.end() != len(text):
        return text
    close = _QUOTES[text[0]]
    return text[1:-1].replace(close * 2, close)


# ---- values ----


def _nothing(rest: _Part) -> Mapping[str, object]:
    if rest.text:
        raise rest.wrong("where_after_null", "cliente is null")
    return {}


def _value(part: _Part, example: str = EXAMPLE) -> str:
    part = part.stripped()
    text = part.text
    if not text:
        raise part.wrong("where_no_value", example)
    if text[0] in _QUOTES:
        found = _quoted(text)
        if found is None:
            raise part.wrong("where_open_quote", 'nome = "São João"', sign=text[0])
        if found.end() != len(text):
            raise _Part(part.whole, part.start + found.end(), part.end).wrong("where_after_value")
        return _unquoted(text)
    if text.lower() == "null":
        raise part.wrong("where_null", "cliente is null")
    joined = _joined.search(text)
    if joined and _operator.search(text, joined.end()):
        raise _Part(part.whole, part.start + joined.start() + 1, part.end).wrong("where_two_conditions")
    return text


def _listed(rest: _Part) -> Iterator[str]:
    """The values of a list, apart by semicolons or else commas; a comma between two digits may be a decimal one."""
    example = "status in (aberto, cancelado)"
    text = rest.text
    if text.startswith("("):
        if not text.endswith(")"):
            raise rest.wrong("where_open_bracket", example)
        rest = _Part(rest.whole, rest.start + 1, rest.end - 1).stripped()
    if not rest.text:
        raise rest.wrong("where_no_value", example)
    masked = _masked(rest.text)
    places = [match.span() for match in re.finditer(";", masked)]
    if not places:
        decimal = {match.start() for match in _between_digits.finditer(masked)}
        commas = [match.span() for match in _comma.finditer(masked)]
        places = [span for span in commas if span[0] not in decimal]
        if commas and not places:
            raise _Part(rest.whole, rest.start + commas[0][0], rest.end).wrong(
                "where_which_comma", "valor in (1,5; 2)"
            )
    for part in rest.split(places):
        yield _value(part, example)


def _two(rest: _Part) -> list[str]:
    example = "data between 2026-04-05 and 2026-04-30"
    places = [match.span() for match in _and.finditer(_masked(rest.text))]
    if len(places) != 1:
        raise rest.wrong("where_two_values", example)
    return [_value(part, example) for part in rest.split(places)]


def _masked(text: str) -> str:
    """*text* with nothing to be found in its quotes, as long as before."""
    return _apart.sub(lambda match: "x" * len(match.group()), text)


# ---- writing ----


def where_text(where: object) -> str:
    """
    A filter of an answer as a person would write it, so that it reads back as the same.

    >>> where_text({"field": "valor total", "op": "between", "value": ["1", "2"]})
    'valor total between 1 and 2'
    """
    assert isinstance(where, Mapping)
    for word in ("and", "or"):
        if word in where:
            return f" {word} ".join(_inner(one, word) for one in where[word])
    field, op = _field_text(where["field"]), where["op"]
    value: Any = where.get("value")
    if op == "is_null":
        return f"{field} is {'not null' if value is False else 'null'}"
    if op == "between":
        return f"{field} between {_item_text(value[0])} and {_item_text(value[1])}"
    if op in ("in", "not_in"):
        return f"{field} {_WRITTEN.get(op, op)} ({_list_text(value)})"
    return f"{field} {_WRITTEN.get(op, op)} {_value_text(value)}"


def _inner(where: Mapping[str, object], word: str) -> str:
    is_other = ("or" if word == "and" else "and") in where
    return f"({where_text(where)})" if is_other else where_text(where)


def _field_text(name: str) -> str:
    is_read_so = name and name.strip() == name and name[0] not in ("{", *_QUOTES)
    # “not” before “in” would become a part of the operator.
    is_apart = not _operator.search(f"{name} ") and not name.lower().endswith(" not")
    return name if is_read_so and is_apart else _in_quotes(name)


_needs_quotes = re.compile(r"^null$|^\s|\s$|^$|\s(?:and|or)\s", re.IGNORECASE).search


def _value_text(value: object) -> str:
    if not isinstance(value, str):
        return str(value).lower()
    if _needs_quotes(value) or value[0] in _QUOTES or value[0] in _SYMBOLS:
        return _in_quotes(value)
    return value


def _list_text(values: Sequence[object]) -> str:
    items = [_item_text(value) for value in values]
    has_comma = any("," in item for item in items)
    if has_comma and len(items) == 1:
        return _in_quotes(str(values[0]))
    return ("; " if has_comma else ", ").join(items)


def _item_text(value: object) -> str:
    """A value beside others: a quote in it could be taken for one that holds several of them."""
    text = _value_text(value)
    is_plain = text is not value or not re.search(r"""[;()"“”`]|(?<!\w)'|'(?!\w)""", text)
    return text if is_plain else _in_quotes(text)


def _in_quotes(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
