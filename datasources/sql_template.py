"""Cuts the text of a query into code and the places of its `{{parameter}}`s, as each database would read it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from datasources.exceptions import QueryRefused
from datasources.suggestion import found_text

if TYPE_CHECKING:
    from datasources.connections import ConnectionKind

DEPTH_MAX = 100
"""Parentheses within parentheses; parsers of SQL recurse."""

_PLACEHOLDER = r"\{\{\s*(?P<name>[A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}"
# As `elements.PLACEHOLDER`, which is not imported since it brings pydantic.
_placeholder = re.compile(_PLACEHOLDER)

_PLAIN = r"'(?:[^']|'')*'"
_BACKSLASHED = r"'(?:[^'\\]|\\.|'')*'"
_DOUBLE = r'"(?:[^"]|"")*"'
_BACKTICK = r"`(?:[^`]|``)*`"
_ESCAPED = rf"(?<![\w$])[eE]{_BACKSLASHED}"

# Text and names as the four write them: only MySQL takes the backslash and double quotes for text.
_LITERALS: dict[str, tuple[str, str]] = {
    "postgres": (f"{_ESCAPED}|{_PLAIN}", _DOUBLE),
    "duckdb": (f"{_ESCAPED}|{_PLAIN}", _DOUBLE),
    "sqlite": (_PLAIN, rf"{_DOUBLE}|{_BACKTICK}|\[[^\]]*\]"),
    "mysql": (rf'{_BACKSLASHED}|"(?:[^"\\]|\\.|"")*"', _BACKTICK),
}
_LINE = r"--[^\n]*"
_MYSQL_LINE = r"--(?=\s|\Z)[^\n]*|\#[^\n]*"


def _lexer(kind: str) -> re.Pattern[str]:
    text, name = _LITERALS[kind]
    line = _MYSQL_LINE if kind == "mysql" else _LINE
    return re.compile(
        rf"""(?P<placeholder>{_PLACEHOLDER})
        |(?P<comment>{line}|/\*.*?\*/)
        |(?P<text>{text})
        |(?P<quoted>{name})
        |(?P<word>[^\W\d][\w$]*)
        |(?P<number>\d[\w.]*)
        |(?P<other>.)""",
        re.DOTALL | re.VERBOSE,
    )


_LEXERS = {kind: _lexer(kind) for kind in _LITERALS}
_TYPE_WORDS = frozenset({"date", "time", "timestamp", "timestamptz", "datetime", "interval"})
_MYSQL_ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}


@dataclass(frozen=True, slots=True)
class Slot:
    """A place that becomes one bound argument: a placeholder alone, or a text that has some in it."""

    fixed: tuple[str, ...]
    """The text before, between and after the placeholders: one more than there are names."""
    names: tuple[str, ...]
    quoted: bool = False
    """Whether it stands in quotes, so that it is a text whatever its type."""

    @property
    def is_whole(self) -> bool:
        """Whether it is one placeholder alone, `{{x}}` or `'{{x}}'`: bound in its own type."""
        return len(self.names) == 1 and not any(self.fixed)

    def __str__(self) -> str:
        return f"{{{{{self.names[0]}}}}}"


Template = tuple[str | Slot, ...]


def parse_template(query: str, kind: ConnectionKind) -> Template:
    """
    Cut *query* into its code, without comments, and its slots.

    Raises QueryRefused for several statements, and for what the four databases or two parsers could read in
    two ways: comments that run, dollar quotes, marks of arguments, texts or comments without an end.
    """
    return _Cutter(query, kind).cut()


class _Cutter:
    def __init__(self, query: str, kind: ConnectionKind) -> None:
        self.query = query.rstrip().rstrip(";").rstrip()
        self.kind = kind
        self.parts: list[str | Slot] = []
        self.code: list[str] = []
        self.depth = 0
        self.last_word = ""

    def cut(self) -> Template:
        if "\0" in self.query:
            raise QueryRefused("The query has a NUL character: remove it.")
        for match in _LEXERS[self.kind].finditer(self.query):
            token = match.group()
            match match.lastgroup:
                case "placeholder" | "name":
                    self._check_neighbours(match)
                    self._add(Slot(("", ""), (match["name"],)))
                case "comment":
                    self._check_comment(token)
                    self.code.append(" ")
                    continue
                case "text":
                    self._add_text(match)
                case "quoted":
                    if _placeholder.search(token):
                        raise QueryRefused(
                            f"A parameter stands within the name {found_text(token)}: a parameter is a value,"
                            " and never a table, a column or a part of their names."
                        )
                    self.code.append(token)
                case "word" | "number":
                    self.code.append(token)
                case _:
                    self._check_sign(match)
                    self.code.append(token)
            if not token.isspace():
                self.last_word = token.lower() if match.lastgroup == "word" else ""
        self._flush()
        return tuple(self.parts)

    def _add(self, slot: Slot) -> None:
        self._flush()
        self.parts.append(slot)

    def _flush(self) -> None:
        if self.code:
            self.parts.append("".join(self.code))
            self.code = []

    def _add_text(self, match: re.Match[str]) -> None:
        token = match.group()
        found = list(_placeholder.finditer(token))
        if not found:
            self.code.append(token)
            return
        before = self.query[: match.start()][-1:]
        if token[0] in "eE" or before.isalnum() or before in ("_", "&", "$"):
            raise QueryRefused(
                f"A parameter stands within {found_text(token)}, a text with a prefix: write a plain text in quotes."
            )
        if self.last_word in _TYPE_WORDS:
            word = self.last_word.upper()
            raise QueryRefused(
                f"A parameter stands in {word} {found_text(token)}: write CAST({found[0].group()} AS {word}), or"
                " a parameter of that type alone."
            )
        bounds = [1, *(position for one in found for position in one.span()), len(token) - 1]
        fixed = tuple(
            self._decode(token[a:b], token[0]) for a, b in zip(bounds[::2], bounds[1::2], strict=True)
        )
        self._add(Slot(fixed, tuple(one["name"] for one in found), quoted=True))

    def _decode(self, text: str, quote: str) -> str:
        """The text that a piece of a literal stands for."""
        if self.kind != "mysql":
            return text.replace(quote * 2, quote)
        # A LIKE pattern keeps \% and \_ as they are written.
        return re.sub(
            rf"\\(.)|{quote}{quote}",
            lambda m: quote if m[1] is None else m[0] if m[1] in "%_" else _MYSQL_ESCAPES.get(m[1], m[1]),
            text,
            flags=re.DOTALL,
        )

    def _check_neighbours(self, match: re.Match[str]) -> None:
        before, after = self.query[: match.start()][-1:], self.query[match.end() : match.end() + 1]
        if re.match(r"[\w$.\"'`{}@#:]", before) and not self.query[: match.start()].endswith("::"):
            beside = before
        elif re.match(r"[\w$.\"'`{}@#]", after):
            beside = after
        else:
            return
        raise QueryRefused(
            f"The parameter {match.group()} touches {found_text(beside)}: a parameter is a whole value, and never"
            " part of a name, a number or another text."
        )

    def _check_comment(self, token: str) -> None:
        if token.startswith("/*") and (token[2:3] in ("!", "+") or token[2:4] == "M!" or "/*" in token[2:]):
            raise QueryRefused(
                f"The query has the comment {found_text(token)}, which a database may run as code: remove it."
            )

    def _check_sign(self, match: re.Match[str]) -> None:
        sign, rest = match.group(), self.query[match.start() :]
        if sign == ";":
            raise QueryRefused("The query has a ; in its middle: write exactly one SELECT.")
        if sign in "'\"`" or rest.startswith("/*"):
            raise QueryRefused(f"The query has a quote or comment without an end at {found_text(rest[:20])}.")
        if sign in "?$" or (sign == "@" and self.kind == "mysql"):
            raise QueryRefused(
                f"The query has {found_text(rest[:12])}: values enter only as {{{{name}}}} of a declared parameter,"
                " and texts stand in single quotes."
            )
        if rest.startswith("--"):
            raise QueryRefused(
                "The query has -- without a blank after it: write a comment as '-- ', or a - (-b)."
            )
        if sign.isspace() is False and not sign.isprintable():
            raise QueryRefused(f"The query has the control character U+{ord(sign):04X}: remove it.")
        self.depth += (sign in "([{") - (sign in ")]}")
        if self.depth > DEPTH_MAX:
            raise QueryRefused(
                f"The query has more than {DEPTH_MAX} parentheses within each other: simplify it."
            )
