"""The sentences of answers, in the languages that readers have: one file a language, one line a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal, get_args

Language = Literal["pt", "en", "es"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

NAMES_MAX = 50
"""So many names are listed; of more, the rest is counted."""
CHARS_MAX = 60
"""A longer value of the data or of a question is cut in a sentence."""


class Term(str):
    """A word that has its own line in each language, such as `a_date`."""

    __slots__ = ()


class Note:
    """A sentence that is not in a language yet."""

    __slots__ = ("code", "values")

    def __init__(self, code: str, **values: object) -> None:
        self.code = code
        self.values = values

    def __repr__(self) -> str:
        """As it reads in English."""
        return f"Note({self.text('en')!r})"

    def text(self, language: Language) -> str:
        """The sentence in *language*."""
        return note(self.code, language, **self.values)


def note(code: str, language: Language = "en", **values: object) -> str:
    """
    The sentence *code* in *language*, with *values* in its places.

    Texts are cut where they are long; a tuple is a list of names, of which at most `NAMES_MAX` are written; a
    Term is written in the language.

    >>> note("unknown_band", "pt", name="x", names=("vendas", "itens"))
    'A banda "x" não existe. Bandas disponíveis: vendas, itens.'
    """
    return write_sentence("engine.notes", code, language, **values)


def write_sentence(catalogue: str, code: str, language: Language, **values: object) -> str:
    """The same from another *catalogue*: a package with one file a language, such as `chat.sentences`."""
    sentences = _sentences(catalogue, language)
    return sentences[code].format_map({key: _shown(value, sentences) for key, value in values.items()})


@cache
def _sentences(catalogue: str, language: Language) -> Mapping[str, str]:
    import tomllib
    from importlib.resources import files

    text = files(catalogue).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _shown(value: object, sentences: Mapping[str, str]) -> str:
    if isinstance(value, tuple):
        names = [_cut(str(name)) for name in value[:NAMES_MAX]]
        if len(value) > NAMES_MAX:
            names[-1] += sentences["and_more"].format(count=len(value) - NAMES_MAX)
        return ", ".join(names)
    return sentences[value] if isinstance(value, Term) else _cut(str(value))


def _cut(text: str) -> str:
    return text if len(text) <= CHARS_MAX else f"{text[:CHARS_MAX]}…"
