"""The same data give the same bytes, whatever the process, its threads, its zone, or how they are cut."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasources import ReadOptions
from datasources.base import Cell, Lists, RawBand
from engine import Snapshot, materialize, profile_snapshot, take_excerpt
from engine.band import type_band
from engine.profile import GroupProfile, Profile, profile_bands
from lastro.document import document_of
from prompts import render_data_context
from tests.engine.random_bands import KINDS, random_band, random_column
from tests.engine.streams import streamed
from tests.oracle.generate import table

ROOT = Path(__file__).parent.parent
SEEDS = st.integers(0, 2**32)
SAMPLED = (1, 5, 40, 4_096)
"""Rows of the sample, from which a stream is planned: a bad plan costs time, never a byte."""

PROGRAM = """
import os, sys
threads, *paths = sys.argv[1:]
os.cpu_count = lambda: int(threads)
from datasources import ReadOptions
from engine import materialize, profile_snapshot, take_excerpt
from lastro.document import document_of
from prompts import render_data_context
for path in paths:
    for small in (0, 10**9):
        snapshot = materialize([path], options=ReadOptions(delimiter=";", small_bytes=small))
        profile = profile_snapshot(snapshot)
        text = render_data_context(profile, take_excerpt(snapshot)) + document_of(profile).model_dump_json()
        sys.stdout.buffer.write(text.encode() + b"\\n")
"""
"""Prints all that is said of each file, read as a stream and as a whole, by a machine of so many threads."""

PROCESSES = {
    "one thread": ("1", {"PYTHONHASHSEED": "0", "POLARS_MAX_THREADS": "1", "TZ": "UTC", "LANG": "C"}),
    "two threads": ("2", {"PYTHONHASHSEED": "1", "POLARS_MAX_THREADS": "2", "TZ": "America/Sao_Paulo"}),
    "four threads": ("4", {"PYTHONHASHSEED": "4000", "POLARS_MAX_THREADS": "4", "LANG": "pt_BR.UTF-8"}),
    "far away": ("7", {"PYTHONHASHSEED": "random", "TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8"}),
}


def said(snapshot: Snapshot) -> tuple[str, str]:
    """Everything that leaves: the data context and the document, warnings among it."""
    profile = profile_snapshot(snapshot)
    return render_data_context(profile, take_excerpt(snapshot, 20)), document_of(profile).model_dump_json()


def of_band(raw: RawBand) -> tuple[str, str]:
    return said(materialize([raw]))


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """Files of many rows, with columns of few and of many values, ties among them."""
    folder = tmp_path_factory.mktemp("stability")
    written = []
    for number, seed in enumerate((1, 2)):
        random = Random(seed)
        kinds = [
            "few texts",
            "money",
            "signed money",
            "days",
            "iso times",
            "ambiguous",
            "many texts",
            "codes",
        ]
        columns = [random_column(random, 4_000, kind) for kind in kinds]
        rows = [";".join('"' + str(cell or "") + '"' for cell in row) for row in zip(*columns, strict=True)]
        path = folder / f"b{number}.csv"
        path.write_text(
            "\n".join(["status;valor;saldo;data;criado;peso;item;nome", *rows, ""]), encoding="utf-8"
        )
        written.append(path)
    return written


def printed(paths, threads, environment):
    known = {key: value for key, value in os.environ.items() if key not in ("LANG", "LC_ALL", "TZ")}
    run = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", PROGRAM, threads, *map(str, paths)],
        cwd=ROOT,
        env={**known, **environment},
        capture_output=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr.decode()
    return run.stdout


def test_fresh_processes_give_the_same_bytes(paths):
    outputs = {name: printed(paths, *settings) for name, settings in PROCESSES.items()}
    first = outputs["one thread"]
    assert [name for name, output in outputs.items() if output != first] == []
    assert len(first) > 10_000


@settings(max_examples=80)
@given(SEEDS)
def test_no_cut_of_a_stream_changes_a_byte(seed):
    random = Random(seed)
    raw = random_band(random, sizes=(0, 1, 2, 3, 5, 30, 60, 200, 1_000))
    cuts = sorted(random.choices(range(raw.rows + 1), k=random.randrange(5)))
    assert of_band(streamed(raw, tuple(cuts), random.choice(SAMPLED))) == of_band(raw)


@pytest.mark.parametrize("rows", [3_000, 3_001, 12_000])
@pytest.mark.parametrize("seed", [1, 2])
def test_no_cut_of_a_long_stream_changes_a_byte(rows, seed):
    """Columns of more values than are counted one by one are read in another way, and must say the same."""
    random = Random(seed * rows)
    raw = random_band(random, sizes=(rows,))
    for sampled in (40, 4_096):
        cuts = tuple(sorted(random.sample(range(rows), 3)))
        assert of_band(streamed(raw, cuts, sampled)) == of_band(raw)


@pytest.mark.parametrize("kind", KINDS)
def test_no_cut_of_a_wide_column_changes_a_byte(kind):
    """Each kind of column beside a measure, where its values are many and where its sample misleads."""
    random = Random(kind)
    rows = 2_500
    columns = (random_column(random, rows, kind), random_column(random, rows, "money"))
    raw = RawBand("b", ("data", "valor"), Lists(columns, rows), "text", "br")
    assert of_band(streamed(raw, (1_000, 2_400), 3)) == of_band(raw)


@pytest.mark.parametrize("seed", range(0, 1_000, 25))
def test_a_file_read_in_parts_gives_the_same_bytes(seed, tmp_path):
    one = table(seed)
    path = one.write(tmp_path)
    options = ReadOptions(delimiter=one.delimiter, locale=one.locale)
    in_parts = materialize([path], options=replace(options, small_bytes=0))
    assert said(in_parts) == said(materialize([path], options=options))


def test_a_dictionary_may_hold_values_that_no_row_has():
    """What a slice or a filter leaves in an Arrow dictionary is no value, no group and no evidence."""
    status = pa.DictionaryArray.from_arrays([0, 1, 0, 1], ["aberto", "pago", "apagado", "12/31/1999"])
    filtered = pa.table({"status": status, "valor": [1, 2, 3, 4]})
    plain = filtered.set_column(0, "status", filtered.column(0).cast(pa.string()))
    assert said(materialize({"b": filtered})) == said(materialize({"b": plain}))
    assert "apagado" not in "".join(said(materialize({"b": filtered})))


def test_a_band_without_rows_is_the_same_in_parts(tmp_path):
    path = tmp_path / "b.csv"
    path.write_text("data;valor\n", encoding="utf-8")
    in_parts = materialize([path], options=ReadOptions(small_bytes=0))
    assert said(in_parts) == said(materialize([path]))


def sums_of(profile: Profile) -> dict[object, object]:
    """Every fact that the order of rows has no part in; leaders and values are in an order of their own."""
    (band,) = profile.bands
    fields: dict[object, object] = {
        one.name: (
            one.type,
            one.unit,
            one.nulls,
            one.distinct,
            one.sum,
            one.avg,
            one.min,
            one.max,
            one.values,
        )
        for one in band.fields
    }
    return {**fields, **{(one.measure, one.by, one.kind): parts_of(one) for one in band.groups}}


def parts_of(group: GroupProfile) -> dict[str | None, str]:
    return {part.value: part.sum for part in group.parts}


@given(SEEDS)
def test_shuffled_rows_give_the_same_sums_and_groups(seed):
    random = Random(seed)
    raw = random_band(random, sizes=(2, 5, 30, 200))
    assert isinstance(raw.cells, Lists)
    # A column that counts the rows is an id in one order only, and a total is found at an edge only.
    order = random.sample(range(raw.rows), raw.rows)
    counters = [
        at
        for at, column in enumerate(raw.cells.columns)
        if column == [str(row + 7) for row in range(raw.rows)]
    ]
    columns = tuple(column for at, column in enumerate(raw.cells.columns) if at not in counters)
    names = tuple(name for at, name in enumerate(raw.columns) if at not in counters)
    if not columns:
        return
    sorted_ = replace(raw, columns=names, cells=Lists(columns, raw.rows), origin="records")
    shuffled = tuple([column[row] for row in order] for column in columns)
    other = replace(sorted_, cells=Lists(shuffled, raw.rows))
    one, two = profile_bands([type_band(sorted_)]), profile_bands([type_band(other)])
    assert sums_of(one) == sums_of(two)
    assert profile_bands([type_band(streamed(other, (1,), 5))]) == two


def test_a_declared_null_is_none_of_the_numbers_of_a_stream():
    column: list[Cell] = [*(f"{number},50" for number in range(3_000)), *["999,99"] * 50]
    band = RawBand("b", ("valor",), Lists((column,), len(column)), "text", "br", null_values=("999,99",))
    plain, cut = (profile_bands([type_band(one)]) for one in (band, streamed(band, (1_700,))))
    assert plain == cut
    assert plain.band("b").field("valor").nulls == 50
    assert plain.band("b").field("valor").max == "2999.5"
