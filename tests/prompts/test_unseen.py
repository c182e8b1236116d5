"""Each kind of unseen characters is what Unicode says, and none is of two kinds."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

import pytest

from prompts import unseen

KINDS = {name: kind for name, kind in vars(unseen).items() if name.isupper()}
CATEGORIES = {
    "CONTROLS": {"Cc"},
    "LINES": {"Cc"},
    "SEPARATORS": {"Zl", "Zp"},
    "SURROGATES": {"Cs"},
    "FORMATS": {"Cf"},
    "JOINERS": {"Cf"},
    "FORMATS_ABOVE": {"Cf"},
    "FILLERS": {"Lo", "Mn"},
    "SELECTORS": {"Mn"},
    "FILLERS_ABOVE": {"Mn"},
    "BLANK": {"So"},
    "PAINTED": {"Sm"},
}
UNASSIGNED = "Cn"
"""What is ignorable before it is anything, and what this Python's Unicode does not know yet."""


def members(kind: str) -> list[str]:
    """The characters that *kind* stands for between brackets."""
    return re.findall(f"[{kind}]", "".join(map(chr, range(0x110000))))


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_of_its_categories(name):
    assert {unicodedata.category(one) for one in members(KINDS[name])} - {UNASSIGNED} == CATEGORIES[name]


def test_no_character_is_of_two_kinds():
    counted = Counter(one for kind in KINDS.values() for one in members(kind))
    assert [one for one, kinds in counted.items() if kinds > 1] == []


def test_no_control_format_or_separator_is_left_out():
    known = {one for kind in KINDS.values() for one in members(kind)}
    unicodes = {
        one
        for one in map(chr, range(0x110000))
        if unicodedata.category(one) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    }
    assert unicodes - known == set()


@pytest.mark.parametrize("name", KINDS)
def test_kinds_beyond_the_first_plane_stand_apart(name):
    assert (max(KINDS[name]) > "\uffff") == name.endswith("_ABOVE")
