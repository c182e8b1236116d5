"""What other tools got wrong comes out right (`data/bug_cases.py`)."""

from __future__ import annotations

import json
import time
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from datasources.load import read_bands
from datasources.options import ReadOptions
from engine import materialize, profile_snapshot, take_excerpt
from lastro.document import BandModel, FieldModel, document_of
from prompts import render_data_context
from tests.data.bug_cases import CASES, BugCase

EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.id} {case.source}")
ZONES = ["UTC", "America/Sao_Paulo", "Asia/Tokyo"]


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory):
    """The snapshot of every case."""
    folder = tmp_path_factory.mktemp("bugs")
    return {case.id: materialize(read_bands([write(case, folder)], ReadOptions())) for case in CASES}


def write(case: BugCase, folder) -> str:
    path = folder / f"{case.id}.{case.kind}"
    if case.kind != "parquet":
        path.write_text(case.text, encoding="utf-8", newline="")
        return str(path)
    types = {"string": pa.string(), "decimal": pa.decimal128(12, 2)}
    columns = zip(*(line.split(";") for line in case.text.splitlines()), strict=True)
    arrays = {
        name: pa.array([Decimal(cell) for cell in cells] if kind == "decimal" else cells, types[kind])
        for (name, kind), cells in zip(case.schema.items(), columns, strict=True)
    }
    pq.write_table(pa.table(arrays), path)
    return str(path)


def number(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


def field(band: BandModel, name: str) -> FieldModel:
    return next(one for one in band.fields if one.name == name)


@EACH
def test_the_facts_are_right(case, snapshots):
    document = document_of(profile_snapshot(snapshots[case.id]))
    (band,) = document.bands
    names = [one.name for one in band.fields]
    assert len(set(names)) == len(names)
    assert names == list(case.columns or names)
    assert band.rows == (case.rows or band.rows)
    for name, kind in case.types.items():
        assert field(band, name).type == kind
    for name, role in case.roles.items():
        assert field(band, name).role == role
    for name, unit in case.units.items():
        assert field(band, name).unit == unit
    for name, total in case.sums.items():
        assert number(field(band, name).sum) == number(total)
    for name, cells in case.cells.items():
        assert (band.rows or 0) - (field(band, name).nulls or 0) == cells
    for name, distinct in case.distinct.items():
        assert field(band, name).distinct == distinct
    for name, counts in case.counts.items():
        assert {value.value: value.count for value in field(band, name).values or []} == counts
    assert {one.code for one in document.warnings} >= set(case.warnings)


@EACH
def test_group_sums_are_right_and_add_up(case, snapshots):
    (band,) = document_of(profile_snapshot(snapshots[case.id])).bands
    groups = {(group.measure, group.by): group for group in band.groups}
    for key, expected in case.groups.items():
        assert {part.value: number(part.sum) for part in groups[key].parts} == {
            value: number(total) for value, total in expected.items()
        }
    for group in band.groups:
        parts = sum((Decimal(part.sum) for part in group.parts), Decimal(group.rest.sum if group.rest else 0))
        assert parts == number(field(band, group.measure).sum)


@EACH
def test_the_cells_are_right(case, snapshots):
    (band,) = snapshots[case.id].bands
    rows = band.take(range(min(band.rows, 100)))
    names = [column.name for column in band.columns]
    for name, expected in case.values.items():
        position = names.index(name)
        column, cells = band.columns[position], [row[position] for row in rows]
        if column.type == "number":
            exact = [None if cell is None else Decimal(f"{cell}E-{column.scale}") for cell in cells]
            assert exact == [number(value) for value in expected]
        else:
            assert cells == list(expected)


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


@EACH
def test_the_context_is_inert_and_strict(case, snapshots):
    snapshot = snapshots[case.id]
    text = render_data_context(profile_snapshot(snapshot), take_excerpt(snapshot))
    rows = [line for line in text.splitlines() if line.startswith("{")]
    assert len(rows) == min(snapshot.bands[0].rows, 100)
    for row in rows:
        json.loads(row, parse_constant=refuse)
    assert [wrong for wrong in case.never if wrong in text] == []


@pytest.mark.parametrize("zone", ZONES)
def test_a_date_is_the_same_in_every_time_zone(zone, tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        case = next(one for one in CASES if one.id == "B25")
        (band,) = materialize(read_bands([write(case, tmp_path)], ReadOptions())).bands
        assert [row[1] for row in band.take(range(band.rows))] == case.values["data"]
    finally:
        monkeypatch.undo()
        time.tzset()
