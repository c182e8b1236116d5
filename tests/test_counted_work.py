"""
How much work is done, counted: passes, rows, bytes, columns and queries, which no busy machine changes.

Each number has its reason beside it; one that grows is a step back, whatever the seconds say.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.data import write_sales
from benchmarks.files import KINDS, table_files
from chat import Toolset
from datasources.load import read_bands
from datasources.options import ReadOptions
from datasources.work import Stage, Tally, tell, watched_by
from engine import materialize, take_excerpt
from tests.test_import_cost import HEAVY, ROOT

ROWS = 300_000
"""Three parts of a CSV file, three row groups of a Parquet file, and far too large for lists."""
WIDE_TEXT = {"numero", "cliente", "chave_nfe"}
"""Columns of which the data context prints nothing but their type: a sample proves it, so they are not decoded."""
EVERY_COLUMN = 21
WITHOUT_WIDE_TEXT = EVERY_COLUMN - len(WIDE_TEXT)
SUM = {
    "verb": "SUM",
    "field": "valor_total",
    "filter": {"field": "status", "op": "=", "value": "faturado"},
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    files = table_files(tmp_path_factory.mktemp("counted"), ROWS)
    write_sales(files, ROWS)
    return files


@pytest.fixture(scope="module")
def contexts(files):
    """The work of a data context of each kind of file."""
    return {kind: context_of(getattr(files, kind)) for kind in KINDS}


@pytest.fixture(scope="module")
def whole(files):
    """A snapshot of everything, and the work of making it."""
    with watched_by(tally := Tally()):
        snapshot = materialize(files.parquet)
    return snapshot, tally


def readings(tally: Tally) -> list[Stage]:
    return [stage for stage in tally.stages if stage.activity == "reading"]


def context_of(path: Path) -> Tally:
    with watched_by(tally := Tally()):
        take_excerpt(materialize(path, complete=False))
    return tally


@pytest.mark.parametrize("kind", KINDS)
def test_a_data_context_is_one_pass_over_the_columns_it_prints(contexts, kind):
    tally = contexts[kind]
    (reading,) = readings(tally)  # the sample guesses every type right, so no column is read again
    assert reading.rows == tally.done["rows"] == ROWS  # each row once
    assert len(reading.columns) == WITHOUT_WIDE_TEXT


def test_what_is_stored_is_read_whole_but_still_once(whole):
    _, tally = whole
    assert [len(reading.columns) for reading in readings(tally)] == [EVERY_COLUMN]


def test_each_byte_of_a_csv_file_is_read_three_times(files, contexts):
    tally = contexts["csv"]
    # Is it UTF-8, where do its rows start, and what do they hold: each needs all bytes, and none more than once.
    assert [stage.activity for stage in tally.stages] == ["checking", "splitting", "reading"]
    assert tally.done["bytes"] == sum(stage.bytes for stage in tally.stages)
    size = files.csv.stat().st_size
    assert 2.99 * size < tally.done["bytes"] <= 3 * size


def test_of_a_parquet_file_only_the_columns_that_are_printed_are_read(files, contexts):
    tally = contexts["parquet"]
    # The wide text, random digits above all, is half of the file.
    assert tally.done["bytes"] < 0.55 * files.parquet.stat().st_size
    assert [stage.activity for stage in tally.stages] == ["reading"]


@pytest.mark.parametrize(
    ("kind", "taken"),
    [
        # The sample of the plan, the first and last row (may they be totals?), and the hundred rows that travel.
        pytest.param("csv", 4096 + 2 + 100, id="csv"),
        # A typed file has no total rows, and its sample is whole slices.
        pytest.param("parquet", 100, id="parquet"),
    ],
)
def test_no_more_rows_are_looked_up_than_travel(contexts, kind, taken):
    assert contexts[kind].done["taken"] == taken


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="the system does not count reads")
def test_the_system_saw_no_more_reads_of_a_csv_file_than_we_tell(files):
    # The sample and the rows that travel are found by marks: together they are less than a twentieth of the file.
    program = (
        "import re, sys; from engine import materialize, take_excerpt; import polars, pyarrow, duckdb\n"
        "def read(): return int(re.search(r'rchar: (\\d+)', open('/proc/self/io').read())[1])\n"
        "before = read(); take_excerpt(materialize(sys.argv[1], complete=False)); print(read() - before)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, files.csv], cwd=ROOT, capture_output=True, text=True, check=True
    )
    libraries = 20_000_000  # what Python reads of modules that are imported on the way
    assert int(run.stdout) < 3.05 * files.csv.stat().st_size + libraries


def test_a_wrong_guess_costs_a_pass_over_the_columns_concerned(tmp_path):
    # Row 777 stands between the stretches of the sample, so `n` is guessed a number and turns out to be text.
    path = tmp_path / "guessed.csv"
    lines = [f"{row};{row % 7};{row % 1000},5;a{row % 3}" for row in range(20_000)]
    lines[777] = "x;1;2,5;a1"
    path.write_text("\n".join(["n;few;amount;group", *lines]), encoding="utf-8")
    (raw,) = read_bands([str(path)], ReadOptions(small_bytes=0))
    with watched_by(tally := Tally()):
        materialize([raw])
    # The second pass reads the one column again.
    assert [reading.columns for reading in readings(tally)] == [(0, 1, 2, 3), (0,)]


# ---- questions ----


@pytest.fixture(scope="module")
def tools(whole):
    with Toolset(whole[0]) as tools:
        yield tools


@pytest.mark.parametrize(
    ("tool", "arguments", "queries"),
    [
        # The sum, its cells and the rows that fit come of one look.
        pytest.param("sulfite_aggregate_data", SUM, 1, id="a sum of rows that fit"),
        # The groups are gathered once; then they are counted, the first are listed, and the whole is summed.
        pytest.param("sulfite_group_by", {**SUM, "by": "vendedor", "top": 5}, 4, id="the first five groups"),
    ],
)
def test_a_question_is_few_queries_and_a_second_one_opens_nothing(tools, tool, arguments, queries):
    assert not tools.call(tool, arguments).is_refused  # opens the band, if it is the first
    with watched_by(tally := Tally()):
        tools.call(tool, arguments)
    assert tally.done["queries"] <= queries
    assert tally.stages == []


def test_a_first_question_to_a_file_reads_the_columns_that_it_needs(whole):
    with watched_by(tally := Tally()), Toolset(whole[0]) as tools:
        tools.call("sulfite_aggregate_data", SUM)
    (reading,) = readings(tally)
    assert len(reading.columns) == 2  # status and valor_total


# ---- small reports, and nobody watching ----


def test_a_small_report_loads_no_heavy_library(tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("id;valor;dia\n1;10,50;01/02/2026\n2;7,25;03/02/2026\n", encoding="utf-8")
    program = (
        "import json, sys; from lastro.cli import main; status = main(['context', sys.argv[1]])\n"
        f"print(json.dumps([status, [name for name in {HEAVY!r} if name in sys.modules]]))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, path], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(run.stdout.splitlines()[-1]) == [0, []]


def test_nothing_is_told_where_nobody_watches(whole):
    with watched_by(tally := Tally()), watched_by(None):
        tell("queries")
        take_excerpt(whole[0])
    assert not tally.stages
    assert not tally.done
