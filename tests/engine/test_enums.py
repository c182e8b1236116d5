"""Columns that take only a few values (spec 3)."""

from __future__ import annotations

import pytest

from tests.engine.small import codes, field_profile, typed


def letters(count: int, repeated: int = 1) -> list[str]:
    """So many distinct values, each so often."""
    return [f"v{number:02d}" for number in range(count)] * repeated


SIZES = [(1, False), (2, True), (20, True), (21, False)]


@pytest.mark.parametrize(("distinct", "expected"), SIZES)
def test_2_to_20_distinct_values_are_an_enumeration(distinct, expected):
    assert field_profile(letters(distinct, repeated=2)).is_enumeration is expected


def test_values_are_ordered_by_count_then_by_value():
    field = field_profile(["b", "a", "c", "c", "é", "Z", None])
    assert [(one.value, one.count) for one in field.values or ()] == [
        ("c", 2),
        ("Z", 1),
        ("a", 1),
        ("b", 1),
        ("é", 1),
        (None, 1),
    ]


IDENTITIES = [
    pytest.param(["a", "b", "c"], True, id="no value repeats"),
    pytest.param(["a", "b", None], True, id="null is a value too"),
    pytest.param(["a", "b", "b"], False, id="one repeats"),
    pytest.param(["a", "b", None, None], False, id="null repeats"),
]


@pytest.mark.parametrize(("cells", "expected"), IDENTITIES)
def test_an_identity_has_no_value_twice(cells, expected):
    assert field_profile(cells).is_identity is expected


def test_booleans_are_enumerations():
    field = field_profile(["true", "FALSE", "true"])
    assert [(one.value, one.count) for one in field.values or ()] == [("true", 2), ("false", 1)]


def test_measures_dates_and_rates_are_none():
    for name, cells in (
        ("valor", ["1", "2", "1"]),
        ("preco", ["1", "2", "1"]),
        ("d", ["2026-01-01", "2026-01-02"]),
    ):
        assert field_profile(cells, name).is_enumeration is False


NEAR_EQUAL = [
    pytest.param(["Célia", "Celia", "Ana"], ("Celia", "Célia"), id="accents"),
    pytest.param(["ANA", "Ana", "Bia"], ("ANA", "Ana"), id="case"),
    pytest.param(["a\nb", "A\nb", "c"], ("A\nb", "a\nb"), id="line breaks"),
]


@pytest.mark.parametrize(("cells", "sample"), NEAR_EQUAL)
def test_values_that_differ_only_by_case_or_accents_stay_apart_with_a_warning(cells, sample):
    _, _, band = typed(cells)
    assert [(warning.code, warning.sample) for warning in band.warnings] == [("near_equal_values", sample)]
    assert field_profile(cells).distinct == 3


def test_other_values_are_no_cause_for_a_warning():
    assert codes(typed(["Ana", "Bia"])[2].warnings) == []


@pytest.mark.parametrize(("distinct", "given"), [(1_000, 1_000), (1_001, None)])
def test_distinct_is_exact_up_to_a_thousand(distinct, given):
    assert field_profile([f"v{number}" for number in range(distinct)]).distinct == given
