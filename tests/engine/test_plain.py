"""The short ways of a small band give what the long ones give."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

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


def test_a_period_is_the_start_of_its_days():
    days: list[Typed] = ["2026-04-05", None, "0001-12-31"]
    assert Axis(0, "period", "month").keys(days) == ["2026-04", None, "0001-12"]
    assert Axis(0, "enum").keys(days) == days
