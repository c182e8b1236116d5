"""The short ways of a small band give what the long ones give."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from datasources.base import Cell
from engine.band import type_band
from engine.cleaning import strip
from engine.columns import Typed
from engine.evidence import observe_each
from engine.statistics import Axis
from engine.typing import decide_types
from tests.engine.small import raw_band, typed

CELLS = st.sampled_from(
    [
        "Ana",
        "Zé",
        "VD-1",
        "true",
        "-",
        "*",
        "**",
        "R$ -",
        "Rua",
        "1",
        "1,5",
        "060",
        "2026-01-02",
        "00000000",
        "1E5",
    ]
)


@given(st.dictionaries(CELLS, st.integers(1, 30), min_size=1))
def test_a_search_that_ends_early_decides_the_same(counts):
    raw = raw_band({"x": list(counts)})
    patient, hurried = observe_each(counts, "x"), observe_each(counts, "x", patient=False)
    assert decide_types(raw, [hurried]) == decide_types(raw, [patient])


SPACED = st.lists(st.text("a| \t\n\r\x1c\xa0\u200b\ufeffé", max_size=4), max_size=5)


@given(SPACED)
def test_cells_are_stripped_whichever_white_space_they_have(cells):
    _, _, band = typed([*cells, "w"])
    assert band.values == ([*(strip(cell) or None for cell in cells), "w"],)


EQUAL_KEYS: list[Cell] = [1, 1.0, True, "1", Decimal(1), None]
"""All but the text and null are one key of a dictionary."""


@given(st.lists(st.sampled_from(EQUAL_KEYS), min_size=1))
def test_a_boolean_beside_numbers_is_a_text(cells):
    kinds = set(map(type, cells)) - {type(None)}
    column, _, band = typed(cells)
    if bool in kinds and len(kinds) > 1:
        assert column.type == "text"
        assert band.values is not None
        assert [value == "true" for value in band.values[0]] == [cell is True for cell in cells]
    elif kinds and bool not in kinds:
        assert column.type == "number"


KEYS = st.lists(st.sampled_from(["a", "b", "c", None]), min_size=2)


@given(KEYS, st.data())
def test_the_sums_of_groups_are_those_of_their_rows(keys, data):
    amounts = data.draw(st.lists(st.integers(-99, 99), min_size=len(keys), max_size=len(keys)))
    band = type_band(raw_band({"nome": keys, "valor": [amount / 4 for amount in amounts]}, origin="records"))
    for (axis, _), sums in band.statistics.sums.items():
        assert axis.field == 0
        scale = 10 ** band.columns[1].scale
        assert {key: value / scale for key, value in sums.items()} == {
            key: sum(amount / 4 for one, amount in zip(keys, amounts, strict=True) if one == key)
            for key in set(keys)
        }


def test_a_period_is_the_start_of_its_days():
    days: list[Typed] = ["2026-04-05", None, "0001-12-31"]
    assert Axis(0, "period", "month").keys(days) == ["2026-04", None, "0001-12"]
    assert Axis(0, "enum").keys(days) == days
