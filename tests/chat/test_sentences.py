"""Every sentence of the chat stands in every language, with the same places, and is said somewhere."""

from __future__ import annotations

import ast
import string
import tomllib
from pathlib import Path

import pytest

from chat import sentences as package
from chat.sentences import sentence
from engine.notes import LANGUAGES

ROOT = Path(__file__).parent.parent.parent
FOLDER = Path(package.__file__).parent
USED_BY_OTHERS = {"and_more"}


def sentences(language):
    return tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))


def places(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def headings(language):
    lines = (FOLDER / f"{language}.toml").read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(lines) if line.startswith("# ----")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_same_lines_in_the_same_order(language):
    assert list(sentences(language)) == list(sentences("en"))
    assert headings(language) == headings("en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_sentence_has_the_same_places(language):
    there = {code: places(text) for code, text in sentences(language).items()}
    assert there == {code: places(text) for code, text in sentences("en").items()}


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_no_sentence_is_left_in_another_language(language):
    same = {code for code, text in sentences(language).items() if text == sentences("en")[code]}
    assert same == set()


def written():
    """Every literal of the chat and the command."""
    for folder in ("chat", "lastro"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def test_no_line_is_left_over():
    used = {*written()} | USED_BY_OTHERS
    assert [code for code in sentences("en") if code not in used] == []


def test_every_error_that_is_raised_has_its_line():
    prefixes = ("model_", "setting_", "settings_", "history_")
    errors = {
        node.args[0].value
        for path in (ROOT / "chat").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)
        if isinstance(node.args[0].value, str) and node.args[0].value.startswith(prefixes)
    }
    assert errors - set(sentences("en")) - FIELDS == set()


FIELDS = {"model_dump", "model_validate"}
"""Words that begin as errors do."""


def test_data_are_no_places():
    said = sentence("setting_not_one_of", "en", name="{names}", names=("{name}",))
    assert said == "{names} must be one of: {name}."
