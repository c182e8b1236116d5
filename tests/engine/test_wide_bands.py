"""A band of hundreds of columns is summed by the first of its fields, and a warning says so: work has a bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import pytest

from engine import Snapshot, materialize, take_excerpt
from engine.band import type_band
from engine.not_summed import CODE, lists_not_summed
from engine.passes import run_pass
from engine.plan import Sample
from engine.query.group_by import group_by
from engine.query.questions import GroupBy
from engine.query.session import QuerySession
from engine.statistics import SUMS_MAX, within_sums_max
from lastro.inspect_report import inspect_snapshot
from prompts import render_data_context
from tests.engine.small import band_profile, codes, raw_band
from tests.engine.streams import CutStream, stream_of, streamed

MEASURES = 150
GROUPS = 20
ROWS = 2 * GROUPS
FIELDS = {
    "enum": [chr(97 + row % GROUPS) for row in range(ROWS)],
    "date": [
        f"{2024 + row % GROUPS // 12}-{row % GROUPS % 12 + 1:02d}-{row // 2 + 1:02d}" for row in range(ROWS)
    ],
}
SUMMED = SUMS_MAX // (MEASURES * GROUPS)
"""Fields of so many groups that there is place for."""


def wide(fields: int, kind: str = "enum", measures: int = MEASURES):
    columns = {f"{kind} {index}": FIELDS[kind] for index in range(fields)}
    columns |= {f"valor {index}": [f"{row * index}.5" for row in range(ROWS)] for index in range(measures)}
    return raw_band(columns)


@dataclass(frozen=True)
class CountedStream(CutStream):
    """It knows for how many passes it was read."""

    passes: list[Sequence[int]] = field(default_factory=list)

    def parts(self, columns, encoded=()):
        self.passes.append(columns)
        return super().parts(columns, encoded)


@lru_cache
def snapshot_of(kind: str = "enum") -> Snapshot:
    """Four fields more than there is place for."""
    return materialize([wide(SUMMED + 4, kind)])


@pytest.mark.parametrize(
    ("sizes", "measures", "kept"),
    [
        pytest.param([], 9, [], id="nothing"),
        pytest.param([20, 1_000], 0, [0, 1], id="no measures cost nothing"),
        pytest.param([20, 1_001, 20], 200, [0, 2], id="the next one is tried"),
        pytest.param([1_000, 1], 200, [0], id="to the last sum"),
        pytest.param([2] * 9, SUMS_MAX // 20, [0, 1], id="a short list counts as ten"),
    ],
)
def test_fields_are_taken_whole_in_order_while_there_is_place(sizes, measures, kept):
    assert within_sums_max(sizes, measures) == kept


def test_as_many_lists_as_fit_say_nothing():
    band = type_band(wide(SUMMED))
    assert len(band.statistics.sums) == SUMMED * MEASURES
    assert CODE not in codes(band.warnings)


def test_past_the_bound_the_first_fields_are_summed_by_and_the_others_counted():
    profile = snapshot_of().profile
    assert [group.by for group in profile.bands[0].groups[::MEASURES]] == [
        f"enum {index}" for index in range(SUMMED)
    ]
    (warning,) = [one for one in profile.warnings if one.code == CODE]
    assert (warning.band, warning.count) == ("b", 4 * MEASURES)
    assert warning.sample == tuple(f"enum {SUMMED + index}" for index in range(3))
    assert f"by {SUMMED} of {SUMMED + 4} fields only" in warning.message


def test_identities_of_which_nothing_is_printed_go_first():
    names = [f"nome {index}" for index in range(GROUPS)]
    columns = {f"a {index}": names for index in range(80)} | {"z": list("ab" * 10)}
    columns |= {f"valor {index}": [f"{row}.5" for row in range(20)] for index in range(MEASURES)}
    assert {group.by for group in band_profile(raw_band(columns)).groups} == {"z"}


@pytest.mark.parametrize(
    ("kind", "cuts"),
    [pytest.param("enum", (), id="one part"), pytest.param("date", (7, 15), id="three parts of dates")],
)
def test_a_stream_is_bounded_by_the_same_rule_in_one_pass(kind, cuts):
    band = streamed(wide(SUMMED + 4, kind), cuts)
    stream = CountedStream(stream_of(band).table, cuts)
    assert materialize([replace(band, cells=stream)]).profile == snapshot_of(kind).profile
    assert len(stream.passes) == 1


def test_a_first_pass_sums_no_more_than_there_is_place_for():
    band = streamed(wide(SUMMED * 3))
    plan = Sample.of(band, stream_of(band), complete=True).plan()
    assert len(plan.axes) * len(plan.measures) * GROUPS <= SUMS_MAX


def test_a_pass_sums_dates_of_several_months_by_month():
    band = streamed(raw_band({"dia": FIELDS["date"] * 3, "valor": [f"{n}.5" for n in range(ROWS * 3)]}))
    stream = stream_of(band)
    state = run_pass(band, stream, frozenset(), Sample.of(band, stream, complete=True).plan())
    assert len([cell for cell in state.sums[0] if cell is not None]) == GROUPS


def test_what_was_not_summed_is_asked_for_as_ever():
    with QuerySession(snapshot_of()) as session:
        answer = group_by(session, GroupBy("b", (f"enum {SUMMED + 3}",), "SUM", "valor 2"))
    # Two rows a letter, `row * 2 + 0.5` in each.
    assert [group.fact.value for group in answer.groups if group.fact][:2] == ["117", "113"]


def test_the_data_context_names_the_first_lists_and_counts_the_others():
    text = render_data_context(snapshot_of().profile, take_excerpt(snapshot_of(), 0), section="schema")
    named = text[text.index("not shown: ") :].splitlines()[0].split(", ")
    # Lists of a constant measure say nothing, 20 lists of 20 sums are printed, and a thousand are named.
    others = (SUMMED + 4) * MEASURES - SUMMED - 20 - 1_000
    assert len(named) == 1_001
    assert named[-1].startswith(f"{others} more lists (ask sulfite_group_by)")


def test_a_person_is_told_of_all_lists():
    (band,) = inspect_snapshot(snapshot_of(), 5).bands
    assert len(band.sums) + band.sums_more == (SUMMED + 4) * MEASURES - SUMMED


def test_of_a_single_row_nothing_is_missing():
    profile = snapshot_of().profile
    assert lists_not_summed(profile, profile.bands[0]) == 4 * MEASURES
    assert lists_not_summed(profile, replace(profile.bands[0], rows=1)) == 0
