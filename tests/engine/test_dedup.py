"""Bands of the same columns and rows are one band (spec 4)."""

from __future__ import annotations

import pytest

from engine.band import type_band
from engine.dedup import merge_duplicates
from tests.engine.small import profile_of, raw_band
from tests.engine.streams import streamed

ROWS = {"a": ["1", "2"], "b": ["x", "y"]}


def test_columns_may_be_in_any_order():
    profile = profile_of(raw_band(ROWS, "canhoto"), raw_band(dict(reversed(ROWS.items())), "header"))
    (band,) = profile.bands
    assert (band.name, band.names) == ("canhoto+header", ("canhoto", "header"))
    assert [field.name for field in band.fields] == ["a", "b"]


def test_a_merged_band_answers_to_either_name():
    profile = profile_of(raw_band(ROWS, "canhoto"), raw_band(ROWS, "header"))
    assert profile.band("canhoto") is profile.band("header") is profile.band("canhoto+header")
    with pytest.raises(KeyError):
        profile.band("itens")


def test_three_of_a_kind_and_one_of_its_own():
    other = {"a": ["1", "2"], "b": ["x", "z"]}
    raws = [raw_band(rows, name) for name, rows in (("p", ROWS), ("q", other), ("r", ROWS), ("s", ROWS))]
    assert [band.name for band in profile_of(*raws).bands] == ["p+r+s", "q"]


def test_what_is_equal_after_cleaning_is_equal():
    raws = raw_band({"v": ["1,50", " 2,00"]}, "p"), raw_band({"v": ["1,5 ", "2,00"]}, "q")
    assert [band.name for band in profile_of(*raws).bands] == ["p+q"]


DIFFERENT = [
    pytest.param({"a": ["2", "1"], "b": ["y", "x"]}, id="rows in another order"),
    pytest.param({"a": ["1", "2"], "c": ["x", "y"]}, id="another name"),
    pytest.param({"a": ["1", "2"]}, id="a column less"),
    pytest.param({"a": ["1", "2", "9"], "b": ["x", "y", "z"]}, id="a row more"),
    pytest.param({"a": ["1", "2"], "b": ["x", None]}, id="a null"),
    pytest.param({"a": ["1", "x"], "b": ["x", "y"]}, id="another type"),
    pytest.param({"a": ["1", "2,5"], "b": ["x", "y"]}, id="another scale"),
]


@pytest.mark.parametrize("other", DIFFERENT)
@pytest.mark.parametrize("how", [lambda raw: raw, streamed], ids=["in memory", "streamed"])
def test_bands_of_other_content_stay_apart(other, how):
    bands = merge_duplicates([type_band(how(raw_band(ROWS, "p"))), type_band(how(raw_band(other, "q")))])
    assert [band.name for band in bands] == ["p", "q"]


def test_a_streamed_band_and_one_in_memory_may_be_equal():
    reordered = dict(reversed(ROWS.items()))
    bands = merge_duplicates([type_band(raw_band(ROWS, "p")), type_band(streamed(raw_band(reordered, "q")))])
    assert [band.name for band in bands] == ["p+q"]


def test_empty_bands_of_the_same_columns_are_one():
    assert [band.name for band in profile_of(raw_band({"a": []}, "p"), raw_band({"a": []}, "q")).bands] == [
        "p+q"
    ]
