"""Blocks of rows determine fewer than k rows exactly where trying every set of atoms says so."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest

from engine import disclosure_algebra, disclosure_words
from engine.disclosure_algebra import is_safe
from tests.access.small_groups import rank_of


def codes_of(*lists):
    """The block of each atom, from one list of blocks a row."""
    return np.array(lists, np.int32).T


def rows_of(*rows):
    return np.array(rows, np.int64)


@pytest.mark.parametrize(
    ("codes", "rows", "k", "safe"),
    [
        pytest.param(codes_of([0]), rows_of(30), 5, True, id="all rows"),
        pytest.param(codes_of([0]), rows_of(4), 5, False, id="too few rows"),
        pytest.param(codes_of([0, 0], [0, -1]), rows_of(20, 10), 5, True, id="a part and the rest"),
        pytest.param(codes_of([0, 0], [0, -1]), rows_of(20, 4), 5, False, id="the rest is small"),
        pytest.param(codes_of([0, -1], [-1, 0]), rows_of(20, 5), 5, True, id="exactly k"),
        pytest.param(
            codes_of([0, 0, 1, 1], [0, 1, 0, 1]), rows_of(3, 3, 3, 3), 5, True, id="margins of small cells"
        ),
        pytest.param(
            codes_of([0, 0, 1, 1], [0, -1, 0, -1]), rows_of(3, 3, 3, 3), 5, True, id="a margin less"
        ),
        pytest.param(
            codes_of([0, 0, 1, 1], [0, 1, 0, 1], [0, -1, -1, -1]),
            rows_of(9, 3, 3, 9),
            5,
            False,
            id="a cell gives all",
        ),
        pytest.param(
            codes_of([0, 0, 1], [-1, 0, 0]), rows_of(1, 9, 1), 5, False, id="a difference of two single rows"
        ),
        pytest.param(
            codes_of([0, 1, -1], [0, -1, 0], [-1, 0, 0]), rows_of(9, 9, 4), 5, False, id="three sums of two"
        ),
        pytest.param(codes_of([-1, -1]), rows_of(1, 1), 5, True, id="nothing published"),
    ],
)
def test_blocks_are_safe_or_not(codes, rows, k, safe):
    assert is_safe(codes, rows, k) is safe


def is_safe_by_trying(codes, rows, k):
    """Whether no set of atoms with fewer than k rows has a word of its own: the rank without it is the same."""
    blocks = np.array(
        [codes[:, at] == code for at in range(codes.shape[1]) for code in range(codes[:, at].max() + 1)], int
    )
    if not len(blocks):
        return True
    whole = rank_of(blocks)
    for size in range(1, k):
        for chosen in combinations(range(len(rows)), size):
            if rows[list(chosen)].sum() < k and rank_of(np.delete(blocks, chosen, axis=1)) < whole:
                return False
    return True


def random_blocks(random):
    atoms, lists = random.randint(2, 9), random.randint(1, 4)
    rows = [[random.randint(-1, random.randint(0, 2)) for _ in range(lists)] for _ in range(atoms)]
    codes = np.unique(np.array(rows, np.int32), axis=0)
    return codes, np.array([random.choice([1, 1, 2, 3, 7]) for _ in codes], np.int64)


@pytest.mark.parametrize("seed", range(5))
def test_all_small_cases_are_as_trying_says(seed):
    random = Random(seed)
    for _ in range(60):
        codes, rows = random_blocks(random)
        k = random.randint(2, 6)
        assert is_safe(codes, rows, k) is is_safe_by_trying(codes, rows, k), (
            codes.tolist(),
            rows.tolist(),
            k,
        )


@pytest.mark.parametrize(
    ("module", "bounds"),
    [
        pytest.param(disclosure_words, {"BUDGET": -1}, id="bases of words"),
        pytest.param(disclosure_algebra, {"WORDS_FEW": -1, "WORDS_MAX": -1}, id="k bases"),
    ],
)
def test_without_room_for_trying_nothing_is_called_safe_that_is_not(monkeypatch, module, bounds):
    for name, bound in bounds.items():
        monkeypatch.setattr(module, name, bound)
    random, certified = Random(7), 0
    for _ in range(300):
        codes, rows = random_blocks(random)
        k = random.randint(2, 6)
        if is_safe(codes, rows, k):
            certified += 1
            assert is_safe_by_trying(codes, rows, k)
    assert certified > 10


def test_large_tables_of_small_cells_are_settled_by_bases():
    # 60 by 60 cells of one row each: their sums by row and by column have words of 60 rows and more.
    grid = np.indices((60, 60), np.int32).reshape(2, -1).T
    rows = np.ones(len(grid), np.int64)
    assert is_safe(grid, rows, 5)
    assert is_safe(grid, rows, 20)
    one_more = np.full((len(grid), 1), -1, np.int32)
    one_more[: 60 + 4] = 0  # a whole row, and four cells of the next
    assert not is_safe(np.hstack([grid, one_more]), rows, 5)
