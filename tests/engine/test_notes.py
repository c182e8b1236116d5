"""Every sentence stands in every language, with the same places, and the terms that it may name."""

from __future__ import annotations

import ast
import string
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from engine import notes
from engine.notes import LANGUAGES, Note, Term, note
from engine.query.questions import Verb

ROOT = Path(__file__).parent.parent.parent
FOLDER = Path(notes.__file__).parent


def sentences(language):
    return tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))


def places(sentence):
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_same_lines_in_the_same_order(language):
    assert list(sentences(language)) == list(sentences("en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_sentence_has_the_same_places(language):
    there = {code: places(sentence) for code, sentence in sentences(language).items()}
    assert there == {code: places(sentence) for code, sentence in sentences("en").items()}


def written_codes():
    """Every literal that names a line: the first argument of QueryError, Note, Term, UnknownName and others."""
    for folder in ("engine", "chat", "lastro"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def test_no_line_is_left_over():
    used = set(written_codes()) | {"and_more", "did_you_mean", *(f"verb_{verb}" for verb in get_args(Verb))}
    from datasources.filters import MISFITS

    assert [code for code in sentences("en") if code not in used | set(MISFITS)] == []


def test_every_misfit_of_a_filter_has_a_sentence():
    from datasources.filters import MISFITS

    for code, message in MISFITS.items():
        assert places(sentences("en")[code]) == places(message) | {"path"}


def test_a_list_has_an_end_and_a_text_too():
    names = tuple(f"c{number}" for number in range(80))
    text = note("unknown_band", "pt", name="x" * 100, names=names)
    assert text.startswith(f'A banda "{"x" * 60}…" não existe.')
    assert text.endswith("c49 e mais 30.")


def test_data_are_no_places():
    assert note("absent_value", "en", value="{field}", field="{0}") == "No row has “{field}” in “{0}”."


def test_a_term_is_written_in_the_language():
    said = Note("no_order", field="ok")
    assert said.text("es") == "“ok” es verdadero o falso, lo que no tiene orden: use =."
    assert note("no_edge", "pt", field="ok", type=Term("a_boolean"), verb="MAX").startswith(
        "“ok” é verdadeiro ou falso"
    )
