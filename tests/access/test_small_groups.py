"""A reader who may ask anything learns no number of fewer than k rows, from one answer or from all together."""

from __future__ import annotations

import os

import numpy as np
import pytest

from engine import disclosure_algebra
from tests.access.small_groups import attack

TABLES = int(os.environ.get("LASTRO_SMALL_GROUP_TABLES", "6"))
"""How many random tables are attacked."""
QUESTIONS = int(os.environ.get("LASTRO_SMALL_GROUP_QUESTIONS", "80"))
"""How many questions each is asked."""
TOGETHER = 3
ANSWERED_MIN = 0.15
"""Of the questions about k rows or more: who refuses everything reveals nothing either."""


@pytest.mark.parametrize("start", range(0, TABLES, TOGETHER))
def test_no_reader_finds_fewer_than_k_rows(start):
    attacks = [attack(seed, QUESTIONS) for seed in range(start, min(start + TOGETHER, TABLES))]
    assert [one.found for one in attacks] == [[] for _ in attacks]
    answered = sum(one.notebook.answered for one in attacks)
    assert answered > ANSWERED_MIN * sum(one.notebook.possible for one in attacks)


def only_blocks_are_large(codes, rows, k):
    """What is often done: each set is looked at by itself."""
    return all(
        not ((sizes > 0) & (sizes < k)).any()
        for column in codes.T
        for sizes in [np.bincount(column[column >= 0], rows[column >= 0])]
    )


def test_the_same_reader_finds_rows_where_only_the_size_of_each_group_is_looked_at(monkeypatch):
    monkeypatch.setattr(disclosure_algebra, "is_safe", only_blocks_are_large)
    assert all(attack(seed, QUESTIONS).found for seed in range(2))


def test_the_same_reader_finds_names_where_all_values_are_named(monkeypatch):
    from engine import disclosure_names

    monkeypatch.setattr(disclosure_names, "objection", lambda *_: None)
    monkeypatch.setattr("engine.disclosure_answers.objection", lambda *_: None)
    monkeypatch.setattr(disclosure_algebra, "is_safe", lambda *_: True)
    assert any("counted" in one for one in attack(0, QUESTIONS).found)
