"""The id of a snapshot is that of its content: no split, source, order of keys or process shows in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.base import Cell, Lists, RawBand
from engine import snapshot_id
from engine.band import Band, type_band
from engine.columns import ColumnType
from engine.profile import ReportAggregate, profile_bands
from engine.snapshot import Snapshot
from engine.snapshot_hash import array_cells, plain_cells
from engine.typed_parts import typed_parts
from tests.engine.random_bands import KINDS, random_band, random_column, random_cuts
from tests.engine.streams import streamed

ROOT = Path(__file__).parent.parent.parent
SEEDS = st.integers(0, 2**32)


def snapshot(*raw: RawBand) -> Snapshot:
    bands = [type_band(one) for one in raw]
    return Snapshot(tuple(bands), profile_bands(bands))


def band(*columns: Sequence[Cell], names: str = "abcdefgh", name: str = "b") -> RawBand:
    lists = tuple(list(column) for column in columns)
    return RawBand(name, tuple(names[: len(lists)]), Lists(lists, len(lists[0])), "text")


PLAIN = band(["x", "y", None], ["1,50", "2,00", ""], ["05/01/2026", "06/01/2026", "31/12/2026"])


def test_the_id_is_the_one_it_has_always_been():
    assert snapshot_id(snapshot(PLAIN)) == (
        "249bc001fb3cc5a7147804817084217fe7123e0cbf4cc9b36703d5a3017e7ee9"
    )


@given(SEEDS)
def test_neither_executor_nor_cuts_show(seed):
    random = Random(seed)
    raw = random_band(random)
    cut = streamed(raw, random_cuts(random, raw.rows), random.choice([1, 5, 4_096]))
    one, other = type_band(raw), type_band(cut)
    # The facts of both are compared elsewhere; here only the cells are to speak.
    profile = profile_bands([one])
    assert snapshot_id(Snapshot((one,), profile)) == snapshot_id(Snapshot((other,), profile))


@pytest.mark.parametrize("kind", KINDS)
def test_arrow_arrays_give_the_same_bytes_as_lists(kind):
    random = Random(kind)
    for rows in (1, 7, 3_000):
        raw = RawBand("b", ("data",), Lists((random_column(random, rows, kind),), rows), "records")
        (column,), (values,) = type_band(raw).columns, type_band(raw).values or ()
        stream = type_band(streamed(raw, random_cuts(random, rows)))
        arrays = [batch.column(0) for batch in typed_parts(stream).batches]
        lengths, cells = plain_cells(values, column)
        assert b"".join(bytes(array_cells(array, column)[0]) for array in arrays) == lengths
        assert b"".join(bytes(array_cells(array, column)[1]) for array in arrays) == cells


TEXT = ColumnType("x", "text")
NUMBER = ColumnType("x", "number", scale=2)


@pytest.mark.parametrize(
    ("array", "column", "values"),
    [
        pytest.param(
            pa.Array.from_buffers(
                pa.large_string(),
                3,
                [
                    pa.py_buffer(b"\x05"),
                    pa.array([0, 1, 3, 4], pa.int64()).buffers()[1],
                    pa.py_buffer(b"aXXb"),
                ],
            ),
            TEXT,
            ["a", None, "b"],
            id="text under a null",
        ),
        pytest.param(
            pa.array(["ab", "é", "c"], pa.large_string()).slice(1, 1), TEXT, ["é"], id="a slice of texts"
        ),
        pytest.param(
            pa.array([Decimal("1.25"), None, Decimal("-3.00")], pa.decimal128(18, 2)).slice(1),
            NUMBER,
            [None, -300],
            id="a slice of decimals",
        ),
        pytest.param(
            pa.array([Decimal("1e30"), None], pa.decimal128(38, 2)),
            NUMBER,
            [10**32, None],
            id="a wide decimal",
        ),
        pytest.param(
            pa.array([-0.0, 0.0]),
            ColumnType("x", "number", double=True),
            [0.0, -0.0],
            id="zeros of both signs",
        ),
        pytest.param(
            pa.array([True, None, False]), ColumnType("x", "boolean"), [True, None, False], id="booleans"
        ),
        pytest.param(
            pa.array([date(1, 1, 1), None]), ColumnType("x", "date"), ["0001-01-01", None], id="an early date"
        ),
        pytest.param(pa.array([], pa.large_string()), TEXT, [], id="nothing"),
    ],
)
def test_the_hash_input_of_an_array(array, column, values):
    lengths, cells = array_cells(array, column)
    assert (bytes(lengths), bytes(cells)) == plain_cells(values, column)


def test_text_file_and_typed_table_of_equal_values_are_one():
    text = band(["ana", "bia"], ["1.234,50", "2,00"], ["05/01/2026", "31/01/2026"], ["true", "FALSE"])
    typed = band(
        ["ana", "bia"],
        [Decimal("1234.50"), Decimal("2.00")],
        [date(2026, 1, 5), date(2026, 1, 31)],
        [True, False],
    )
    assert snapshot_id(snapshot(text)) == snapshot_id(
        snapshot(streamed(replace(typed, origin="typed"), (1,)))
    )


def test_what_was_noticed_on_the_way_does_not_show():
    noted = replace(PLAIN, notes=("Relatório",), warnings=type_band(band(["1,234", "5,678"])).warnings)
    assert snapshot_id(snapshot(PLAIN)) == snapshot_id(snapshot(noted))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(
            [band(["y", "x", None], ["2,00", "1,50", ""], ["06/01/2026", "05/01/2026", "31/12/2026"])],
            id="other order",
        ),
        pytest.param(
            [band(["x", "y", None], ["1,50", "2,01", ""], ["05/01/2026", "06/01/2026", "31/12/2026"])],
            id="other number",
        ),
        pytest.param(
            [band(["x", "y", "n"], ["1,50", "2,00", ""], ["05/01/2026", "06/01/2026", "31/12/2026"])],
            id="no null",
        ),
        pytest.param(
            [band(["x", "y", None], ["1,500", "2,000", ""], ["05/01/2026", "06/01/2026", "31/12/2026"])],
            id="other scale",
        ),
        pytest.param(
            [band(["x", "y", None], ["R$ 1,50", "2,00", ""], ["05/01/2026", "06/01/2026", "31/12/2026"])],
            id="other unit",
        ),
        pytest.param([replace(PLAIN, columns=("a", "c", "b"))], id="other column names"),
        pytest.param([replace(PLAIN, columns=("a", "preco", "c"))], id="other role"),
        pytest.param([replace(PLAIN, name="c")], id="other band name"),
        pytest.param([PLAIN, replace(PLAIN, name="c")], id="twice"),
    ],
)
def test_other_content_has_another_id(other):
    assert snapshot_id(snapshot(PLAIN)) != snapshot_id(snapshot(*other))


@given(SEEDS)
def test_any_change_of_rows_changes_the_id(seed):
    random = Random(seed)
    one = type_band(random_band(random, sizes=(2, 5, 30)))
    assert one.values is not None
    rows = list(zip(*one.values, strict=True))
    changed = list(rows)
    position, column = random.randrange(len(rows)), random.randrange(len(one.columns))
    if random.random() < 0.5:
        random.shuffle(changed)
    else:
        cell = rows[position][column]
        new = (
            None
            if cell is not None
            else {"number": 7, "boolean": True}.get(one.columns[column].type, "2024-01-01")
        )
        changed[position] = (*rows[position][:column], new, *rows[position][column + 1 :])
    other = replace(one, values=tuple(list(cells) for cells in zip(*changed, strict=True)))
    profile = profile_bands([one])
    same = snapshot_id(Snapshot((one,), profile)) == snapshot_id(Snapshot((other,), profile))
    assert same == (rows == changed)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param([["ab", "c"]], [["a", "bc"]], id="between rows"),
        pytest.param([["a"], ["b"]], [["b"], ["a"]], id="between columns"),
        pytest.param([["a", None]], [[None, "a"]], id="of a null"),
    ],
)
def test_no_cell_can_move_unseen(one, other):
    assert snapshot_id(snapshot(band(*one))) != snapshot_id(snapshot(band(*other)))


def test_what_a_total_row_states_counts():
    one = snapshot(PLAIN)
    other = replace(one, profile=replace(one.profile, aggregates=(ReportAggregate("total.b.b", "3.50"),)))
    assert snapshot_id(one) != snapshot_id(other)


def test_bands_without_columns_count_their_rows():
    nothing = [Snapshot((one,), profile_bands([one])) for one in map(empty, (0, 1))]
    assert snapshot_id(nothing[0]) != snapshot_id(nothing[1])


def empty(rows: int) -> Band:
    return type_band(RawBand("b", (), Lists((), rows), "records"))


PROGRAM = """
import sys
from datasources.base import Lists, RawBand
from engine import snapshot_id
from engine.band import type_band
from engine.profile import profile_bands
from engine.snapshot import Snapshot
rows = [f"{n},5" for n in range(100)]
names = [f"n{n % 7}" for n in range(100)]
one = type_band(RawBand("b", ("valor", "nome"), Lists((rows, names), 100), "text"))
print(snapshot_id(Snapshot((one,), profile_bands([one]))))
print([name for name in ("polars", "duckdb", "pyarrow", "numpy") if name in sys.modules])
"""


def test_every_process_gives_the_same_id_and_a_small_report_needs_no_library():
    said = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(said) == 1
    assert said.pop().endswith("\n[]\n")
