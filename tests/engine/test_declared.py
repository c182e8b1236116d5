"""What a report declares of a field wins, in both executors, and what does not fit is counted (spec 2)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from decimal import Context, Decimal
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasources.base import Declared, Lists
from engine.band import type_band
from engine.profile import profile_bands
from engine.snapshot import Snapshot
from engine.snapshot_hash import BandHash
from tests.engine.random_bands import random_band, random_cuts
from tests.engine.small import exact_cells, raw_band
from tests.engine.streams import streamed

WIDE = Context(prec=60)
NATIVE = datetime(2026, 1, 2, 10, 30)  # noqa: DTZ001 - as written, in no zone


def declared_band(cells, said, name="x", **options):
    return type_band(replace(raw_band({name: cells}, **options), declared={name: said}))


@pytest.mark.parametrize(
    ("said", "cells", "expected", "misfits"),
    [
        pytest.param(Declared("text"), ["1", "2,5", " x "], ["1", "2,5", "x"], 0, id="text"),
        pytest.param(
            Declared("text"), [1.5, float("nan"), None], ["1.5", None, None], 0, id="text of floats"
        ),
        pytest.param(Declared("number"), ["060", "1.234,5", "x"], ["60.0", "1234.5", None], 1, id="zeros"),
        pytest.param(Declared("number"), ["1,5", "2,5", "3.5"], ["1.5", "2.5", None], 1, id="commoner style"),
        pytest.param(Declared("number"), ["R$ 1", "R$ 2", "US$ 3"], ["1", "2", None], 1, id="currencies"),
        pytest.param(Declared("number", unit="US$"), ["R$ 1", "2", "US$ 3"], [None, "2", "3"], 1, id="unit"),
        pytest.param(Declared("number"), ["5%", "6%", "7"], ["5", "6", None], 1, id="percent"),
        pytest.param(Declared("number", unit="%"), ["5%", "6%", "7"], ["5", "6", "7"], 0, id="percent unit"),
        pytest.param(Declared("number"), ["-", "N/D", "7"], [None, None, "7"], 0, id="null tokens"),
        pytest.param(Declared("number"), ["9" * 20, "1"], ["9" * 20, "1"], 0, id="long digits"),
        pytest.param(Declared("number"), [True, date(2026, 1, 2), 5], [None, None, "5"], 2, id="natives"),
        pytest.param(Declared(role="%"), ["1", "x"], ["1", None], 1, id="a role of numbers"),
        pytest.param(Declared("boolean"), ["S", "não", "1", "?"], [True, False, True, None], 1, id="boolean"),
        pytest.param(Declared("boolean"), [1, 0, 2], [True, False, None], 1, id="boolean of integers"),
        pytest.param(
            Declared("date"),
            ["05/04/2026", "2026-04-13", "20260414", "31/02/2026", "x"],
            ["2026-04-05", "2026-04-13", "2026-04-14", None, None],
            2,
            id="dates of many formats",
        ),
        pytest.param(
            Declared("date"),
            ["13/01/2026", "14/01/2026", "01/15/2026"],
            ["2026-01-13", "2026-01-14", None],
            1,
            id="commoner order",
        ),
        pytest.param(Declared("date"), [20260105, 7], ["2026-01-05", None], 1, id="dates of integers"),
        pytest.param(
            Declared("datetime"),
            ["2026-01-02", "2026-01-03 10:00"],
            ["2026-01-02T00:00:00", "2026-01-03T10:00:00"],
            0,
            id="datetime",
        ),
    ],
)
def test_a_declared_type_wins_and_misfits_are_null(said, cells, expected, misfits):
    band = declared_band(cells, said)
    if band.columns[0].type == "number":
        expected = [None if one is None else Decimal(one) for one in expected]
    assert exact_cells(band, 0) == expected
    counts = [one.count for one in band.warnings if one.code == "declared_mismatch"]
    assert counts == ([misfits] if misfits else [])


def test_a_misfit_is_shown():
    warning = declared_band(["1", "b", "a", "c", "d", "a"], Declared("number")).warnings[0]
    assert (warning.field, warning.count, warning.sample) == ("x", 5, ("a", "b", "c"))
    assert warning.message == "5 cells of “x” do not fit the declared type number and count as null."


def test_a_declared_date_leaves_the_time_out_and_says_so():
    band = declared_band([NATIVE, datetime(2026, 1, 3)], Declared("date"))  # noqa: DTZ001
    assert exact_cells(band, 0) == ["2026-01-02", "2026-01-03"]
    assert [(one.code, one.count) for one in band.warnings] == [("declared_date", 1)]


@pytest.mark.parametrize("role", ["measure", "%", "rate", "year", "part", "id"])
def test_a_declared_role_wins(role):
    field = profile_bands((declared_band(["1", "2"], Declared("number", role), "codigo"),)).bands[0].fields[0]
    assert field.role == role
    assert (field.sum is None) == (role != "measure")


def test_a_declared_role_is_not_taken_for_a_counter():
    cells = [str(row) for row in range(30)]
    assert declared_band(cells, Declared(role="measure")).statistics.fields[0].role == "measure"


def test_the_declared_unit_and_label_are_kept():
    field = profile_bands((declared_band(["1", "2"], Declared(unit="kg", label="Peso")),)).bands[0].fields[0]
    assert (field.unit, field.label) == ("kg", "Peso")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        pytest.param("valr", "did you mean “valor”?", id="near"),
        pytest.param("zzz", "correct the report, or the source.", id="far"),
    ],
)
def test_a_declared_field_without_data_is_a_warning(name, hint):
    raw = replace(raw_band({"valor": ["1"]}), declared={name: Declared("number")})
    (warning,) = type_band(raw).warnings
    assert warning.code == "declared_missing"
    assert warning.message == f"The report declares “{name}”, which the data do not have: {hint}"


def declare_randomly(random, band):
    types = [None, "text", "number", "date", "datetime", "boolean"]
    roles = [None, None, "measure", "%", "rate", "year", "part", "id"]
    units = [None, None, "R$", "%", "kg"]
    names = [name for name in band.columns if random.random() < 0.8]
    said = {
        name: Declared(random.choice(types), random.choice(roles), None, random.choice(units))
        for name in names
    }
    # A column of decimals has one scale, which the text of a cell shows.
    cells = tuple([_at_scale(cell) for cell in column] for column in band.cells.columns)
    return replace(band, declared=said, cells=Lists(cells, band.rows))


def _at_scale(cell):
    return WIDE.quantize(cell, Decimal("1E-5")) if isinstance(cell, Decimal) else cell


@given(st.integers(0, 2**32))
@settings(max_examples=150)
def test_both_executors_agree_on_declared_fields(seed):
    random = Random(seed)
    while True:
        band = declare_randomly(random, random_band(random))
        cuts, sampled = random_cuts(random, band.rows), random.choice([1, 5, 40, 4096])
        try:
            stream = streamed(band, cuts, sampled)
            break
        except (pa.ArrowInvalid, pa.ArrowTypeError):  # cells of two kinds are no column of a stream
            continue
    assert isinstance(band.cells, Lists)
    here, there = type_band(band), type_band(stream)
    assert profile_bands((here,)) == profile_bands((there,))
    assert here.take(range(here.rows)) == there.take(range(there.rows))
    assert hexes(BandHash.of(here)) == hexes(BandHash.of(there))


def hexes(found):
    return [(one.lengths.hexdigest(), one.cells.hexdigest()) for one in found.columns]


def test_many_misfits_and_few_values_are_an_enumeration_in_a_stream():
    cells = [str(row % 3) if row % 2 else f"lixo {row}" for row in range(30_000)]
    raw = replace(raw_band({"codigo": cells}), declared={"codigo": Declared("number", "id")})
    here, there = type_band(raw), type_band(streamed(raw, (10_000,), 4_096))
    assert profile_bands((here,)) == profile_bands((there,))
    assert here.statistics.fields[0].counts == {0: 5_000, 1: 5_000, 2: 5_000}
    assert here.warnings[-1].count == 15_000


def test_the_days_of_declared_timestamps_are_counted_in_a_stream():
    cells = [datetime(2026, 1, 1 + row % 20, row % 24, row % 60, row % 59) for row in range(20_000)]  # noqa: DTZ001
    raw = replace(raw_band({"dia": cells}, origin="typed"), declared={"dia": Declared("date")})
    here, there = type_band(raw), type_band(streamed(raw, (7_000,), 4_096))
    assert profile_bands((here,)) == profile_bands((there,))
    assert profile_bands((here,)).bands[0].fields[0].distinct == 20


def test_a_snapshot_of_declared_columns_is_stored_as_it_is(tmp_path):
    from engine.snapshot_file import open_snapshot, save_snapshot

    band = declared_band(["1,5", "x", "R$ 2"], Declared("number", "rate", "Preço", "R$"))
    snapshot = Snapshot((band,), profile_bands((band,)))
    opened = open_snapshot(save_snapshot(snapshot, tmp_path / "p.json"))
    assert opened.profile == snapshot.profile
    assert opened.bands[0].columns == band.columns
    assert opened.bands[0].take(range(3)) == band.take(range(3))
