"""A context is fitted by leaving out what matters least first (spec 8)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompts.budget import Plan, count_tokens, fit
from prompts.exceptions import BudgetTooSmall

TOKENS = [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("ção", 2), ("日本語", 3), ("🙂", 2)]


@pytest.mark.parametrize(("text", "expected"), TOKENS)
def test_a_token_is_three_bytes_begun(text, expected):
    assert count_tokens(text) == expected


LISTS = [
    {
        "top": ["v by f", "w by f"],
        "period": ["v by month(d)"],
        "enum": ["v by s"],
        "counts": ["s"],
        "values": ["s"],
    },
    {"enum": ["x by k", "y by k"], "counts": ["k"]},
]


def steps(rows, lists):
    """What is left out, one thing after the other."""
    plan: Plan | None = Plan.whole(rows, lists)
    found: list[object] = []
    while plan is not None:
        smaller = plan.smaller()
        if smaller is None:
            break
        if smaller.rows != plan.rows:
            found.append(next(index for index, share in enumerate(smaller.rows) if share != plan.rows[index]))
        else:
            found.append(plan.lists[plan.done])
        plan = smaller
    return found


def test_rows_go_first_of_the_band_with_the_largest_share_the_last_of_equal_ones():
    assert steps([5, 4, 5], []) == [2, 0, 2, 1, 0]


def test_three_rows_a_band_stay():
    assert steps([3, 2, 0, 4], []) == [3]


def test_then_lists_go_kind_by_kind_the_last_first():
    assert steps([1, 1], LISTS) == [
        (0, "top", "w by f"),
        (0, "top", "v by f"),
        (0, "period", "v by month(d)"),
        (1, "enum", "y by k"),
        (1, "enum", "x by k"),
        (0, "enum", "v by s"),
        (1, "counts", "k"),
        (0, "counts", "s"),
        (0, "values", "s"),
    ]


class SixBytes:
    """Six bytes a row and a list, and six that stay."""

    def write(self, plan: Plan) -> str:
        return "x" * self.count_bytes(plan)

    def count_bytes(self, plan: Plan) -> int:
        return 6 * (1 + sum(plan.rows) + len(plan.lists) - plan.done)

    def least_bytes(self, rows: Sequence[int]) -> int:
        return 5 * sum(rows)

    def saved_bytes(self, plan: Plan) -> Sequence[int]:
        return [6 * done + 3 for done in range(1, len(plan.lists) + 1)]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4), st.integers(0, 40))
def test_many_rows_go_as_they_would_one_by_one(rows, count):
    plan = Plan(tuple(rows), ())
    for _ in range(count):
        plan = plan.smaller() or plan
    assert Plan(tuple(rows), ()).without_rows(count) == plan


@given(st.lists(st.integers(0, 9), min_size=2, max_size=2), st.integers(1, 60))
def test_the_first_plan_that_fits_is_taken(rows, allowed):
    whole = Plan.whole(rows, LISTS)
    smallest = 2 * (1 + sum(min(share, 3) for share in rows))
    if allowed < smallest:
        with pytest.raises(BudgetTooSmall) as caught:
            fit(whole, SixBytes(), allowed)
        assert (caught.value.needed, caught.value.allowed) == (smallest, allowed)
        assert f"{smallest - allowed} more" in str(caught.value)
    else:
        tokens = count_tokens(fit(whole, SixBytes(), allowed))
        assert tokens == min(allowed // 2 * 2, count_tokens(SixBytes().write(whole)))


def test_without_a_limit_nothing_is_left_out():
    whole = Plan.whole([50], LISTS)
    assert fit(whole, SixBytes(), None) == SixBytes().write(whole)
