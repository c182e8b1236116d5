"""Every column has a name of its own (spec 1.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.names import WHITE_SPACE, unique_names

NAMES = [
    pytest.param(["id", "valor"], ["id", "valor"], [], id="names of their own"),
    pytest.param([" id ", "\ufeffvalor\u200b"], ["id", "valor"], [], id="stripped"),
    pytest.param(["v", "v", "v"], ["v", "v_2", "v_3"], ["repeated_name"], id="repeated"),
    pytest.param(["v", " v"], ["v", "v_2"], ["repeated_name"], id="repeated once stripped"),
    pytest.param(["", "a", " "], ["column_1", "a", "column_3"], ["empty_name"], id="empty"),
    pytest.param(
        ["", "column_1"], ["column_1_2", "column_1"], ["empty_name"], id="a name that we would give"
    ),
    pytest.param(["v", "v_2", "v"], ["v", "v_2", "v_3"], ["repeated_name"], id="a number that is taken"),
    pytest.param(["V", "v", "Vé", "Ve"], ["V", "v", "Vé", "Ve"], [], id="case and accents are kept apart"),
    pytest.param(["a.b", "a b", 'a"b'], ["a.b", "a b", 'a"b'], [], id="dots, blanks and quotes are kept"),
]


@pytest.mark.parametrize(("given_names", "expected", "warned"), NAMES)
def test_columns_are_named(given_names, expected, warned):
    names, warnings = unique_names(given_names, "b")
    assert list(names) == expected
    assert [warning.code for warning in warnings] == warned


@given(st.lists(st.sampled_from(["", " ", "v", "v_2", "column_1", "column_2", "x", "v "]), max_size=9))
def test_names_are_unique_never_empty_and_kept_where_they_can_be(given_names):
    names, _ = unique_names(given_names, "b")
    assert len(set(names)) == len(names) == len(given_names)
    assert all(names)
    assert {name.strip(WHITE_SPACE) for name in given_names} - {""} <= set(names)
