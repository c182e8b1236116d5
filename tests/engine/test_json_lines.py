"""Every row is exported once, exactly, and the same from memory, streams and stored files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasources.base import Cell, Lists, RawBand
from datasources.exceptions import SourceUnreadable
from engine import coded_text, json_columns, json_lines
from engine.band import type_band
from engine.coded_parts import coded_parts
from engine.dedup import merge_duplicates
from engine.exceptions import EngineError, QueryError
from engine.facts import double_text
from engine.json_lines import export_json_lines
from engine.profile import profile_bands
from engine.snapshot import Snapshot
from engine.snapshot_file import open_snapshot, save_snapshot
from tests.engine.random_bands import KINDS, random_band, random_column, random_cuts
from tests.engine.small import raw_band
from tests.engine.streams import CutStream, streamed
from tests.test_import_cost import HEAVY, ROOT

NUMBER = re.compile(r"0|-?[1-9][0-9]*|-?(?:0|[1-9][0-9]*)\.[0-9]*[1-9]")


def snapshot_of(*raws):
    bands = merge_duplicates([type_band(raw) for raw in raws])
    return Snapshot(bands, profile_bands(bands))


def exported(snapshot, band=None):
    out = BytesIO()
    rows = export_json_lines(snapshot, out, band=band)
    text = out.getvalue().decode()
    assert rows == text.count("\n")
    assert text == "" or text.endswith("\n")
    return text


@contextmanager
def in_columns(step_cells=json_lines.PART_CELLS):
    """Small bands are written as large ones are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "PLAIN_CELLS_MAX", -1)
        patch.setattr(json_lines, "PART_CELLS", step_cells)
        patch.setattr(json_lines, "PART_ROWS_MIN", 1)
        patch.setattr(json_lines, "STEP_BYTES", 10 * step_cells)
        yield


def number(text):
    assert NUMBER.fullmatch(text), text
    return Decimal(text)


def parsed(text):
    """The members of each line in order; numbers exact, and written in the one way there is."""
    lines = text.removesuffix("\n").split("\n") if text else []
    return [json.loads(line, parse_float=number, parse_int=number, object_pairs_hook=list) for line in lines]


def expected(snapshot):
    """What a reader would expect of each row, from the typed cells."""
    return [
        [
            (column.name, _exact(cell, column))
            for cell, column in zip(row, band.columns, strict=True)
            if cell is not None
        ]
        for band in snapshot.bands
        for row in band.take(range(band.rows))
    ]


def _exact(cell, column):
    if column.type != "number":
        return cell
    return Decimal(repr(float(cell))) if column.double else Decimal(f"{cell}E-{column.scale}")


LINES = [
    pytest.param(["1,50", "-2,25", "1000,00"], ['{"x":1.5}', '{"x":-2.25}', '{"x":1000}'], id="decimals"),
    pytest.param(["0,00", "-0,05", "0,10"], ['{"x":0}', '{"x":-0.05}', '{"x":0.1}'], id="near zero"),
    pytest.param([100, -20, 0], ['{"x":100}', '{"x":-20}', '{"x":0}'], id="whole numbers keep their zeros"),
    pytest.param(["5%", "12,5%"], ['{"x":5}', '{"x":12.5}'], id="percent"),
    pytest.param(["R$ 1.234,50", None], ['{"x":1234.5}', "{}"], id="money and null"),
    pytest.param(["13/01/2026", "01/02/0001"], ['{"x":"2026-01-13"}', '{"x":"0001-02-01"}'], id="dates"),
    pytest.param(
        ["2026-01-01T10:00:00.500-03:00", "2026-01-01 10:00"],
        ['{"x":"2026-01-01T10:00:00.500-03:00"}', '{"x":"2026-01-01T10:00:00"}'],
        id="times",
    ),
    pytest.param(["true", "FALSE", None], ['{"x":true}', '{"x":false}', "{}"], id="booleans"),
    pytest.param(["a", "", "  ", "b "], ['{"x":"a"}', "{}", "{}", '{"x":"b"}'], id="empty texts are null"),
    pytest.param(["060", "1E5"], ['{"x":"060"}', '{"x":"1E5"}'], id="codes"),
    pytest.param(
        ['"q"', "a\\b", "a\nb\tc\r\b\f.", "\x00\x1f\x7f.", ".\u2028</dados>", "é日𝄞"],
        [
            r'{"x":"\"q\""}', r'{"x":"a\\b"}', r'{"x":"a\nb\tc\r\b\f."}', '{"x":"\\u0000\\u001f\x7f."}',
            '{"x":".\u2028</dados>"}', '{"x":"é日𝄞"}',
        ],
        id="only what JSON forbids is escaped",
    ),
    pytest.param(["z" * 600, "a"], ['{"x":"' + "z" * 600 + '"}', '{"x":"a"}'], id="long cells stay whole"),
    pytest.param(
        [1 / 3, 1e-7, -1.5e-7, 1e16, 5.0, -0.0, 5e-324, -1.25e300],
        [
            '{"x":0.3333333333333333}', '{"x":0.0000001}', '{"x":-0.00000015}', '{"x":10000000000000000}',
            '{"x":5}', '{"x":0}', '{"x":0.' + "0" * 323 + '5}', '{"x":-125' + "0" * 298 + "}",
        ],
        id="doubles in full",
    ),
    pytest.param(
        [Decimal("12345678901234567890123456789012345.678"), Decimal("-0.100"), None],
        ['{"x":12345678901234567890123456789012345.678}', '{"x":-0.1}', "{}"],
        id="38 digits",
    ),
    pytest.param([Decimal("1E-38"), Decimal(0)], ['{"x":0.' + "0" * 37 + '1}', '{"x":0}'], id="38 decimals"),
    pytest.param([None, None], ["{}", "{}"], id="nothing"),
    pytest.param([date(2026, 1, 2), date(1500, 3, 4)], ['{"x":"2026-01-02"}', '{"x":"1500-03-04"}'], id="days"),
    pytest.param([datetime(2026, 1, 2, 3, 4, 5)], ['{"x":"2026-01-02T03:04:05"}'], id="a moment"),  # noqa: DTZ001
]  # fmt: skip


@pytest.mark.parametrize("way", ["plain", "columns", "stream"])
@pytest.mark.parametrize(("cells", "lines"), LINES)
def test_lines(cells, lines, way):
    raw = raw_band({"x": cells}, style="br", locale="pt-BR", origin="typed")
    snapshot = snapshot_of(streamed(raw) if way == "stream" else raw)
    with in_columns() if way == "columns" else pytest.MonkeyPatch.context():
        assert exported(snapshot).removesuffix("\n").split("\n") == lines


@given(st.integers(0, 2**32))
@settings(max_examples=25)
def test_memory_streams_and_files_give_the_same_exact_lines(tmp_path_factory, seed):
    random = Random(seed)
    while True:
        raw = random_band(random)
        try:
            stream = snapshot_of(streamed(raw, random_cuts(random, raw.rows), 40))
            break
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            continue
    snapshot = snapshot_of(raw)
    lines = exported(snapshot)
    assert parsed(lines) == expected(snapshot)
    path = save_snapshot(snapshot, tmp_path_factory.mktemp("stored") / "b")
    assert exported(open_snapshot(path)) == lines
    with in_columns(random.choice([1, 7, 1_000])):
        for one in (snapshot, stream, open_snapshot(path)):
            assert exported(one) == lines


@pytest.mark.parametrize("step_cells", [500, 20_000])
def test_every_kind_of_column(step_cells):
    raw = RawBand(
        "b", tuple(KINDS), Lists(tuple(random_column(Random(k), 2_000, k) for k in KINDS), 2_000), "records"
    )
    snapshot = snapshot_of(raw)
    lines = exported(snapshot)
    assert parsed(lines) == expected(snapshot)
    with in_columns(step_cells):
        assert exported(snapshot) == lines


DOUBLES = st.floats(allow_nan=False, allow_infinity=False) | st.floats(1e15, 1e23) | st.floats(-1e-3, 1e-3)


@given(st.lists(DOUBLES | st.none(), max_size=30))
def test_doubles_are_written_as_the_shortest_text_that_reads_back(cells):
    snapshot = snapshot_of(raw_band({"x": [1 / 3, *cells]}, origin="typed"))
    assert snapshot.bands[0].columns[0].double
    lines = ["{}" if cell is None else f'{{"x":{double_text(cell)}}}' for cell in [1 / 3, *cells]]
    with in_columns():
        text = exported(snapshot)
    assert text.splitlines() == lines
    assert [dict(row)["x"] for row in parsed(text) if row] == [
        Decimal(repr(cell)) for cell in [1 / 3, *cells] if cell is not None
    ]


WIDE = st.integers(-(10**37), 10**37) | st.integers(-(2**63) - 2, -(2**63) + 2) | st.integers(-99, 99)


@given(st.lists(WIDE | st.none(), max_size=20), st.integers(0, 19))
def test_decimals_of_any_width(cells, scale):
    numbers = [None if cell is None else Decimal(f"{cell}E-{scale}") for cell in cells]
    snapshot = snapshot_of(raw_band({"x": [Decimal(f"1E-{scale}"), *numbers]}, origin="typed"))
    lines = exported(snapshot)
    assert parsed(lines) == expected(snapshot)
    with in_columns():
        assert exported(snapshot) == lines


@pytest.mark.parametrize("step_cells", [100, 100_000])
def test_texts_that_are_stored_as_codes(tmp_path, monkeypatch, step_cells):
    monkeypatch.setattr(coded_text, "ROWS_MIN", 0)
    random = Random(step_cells)
    known = ['say "no"', "a\\b", "a\nb", "é", "plain", "z" * 300]
    columns: dict[str, list[Cell]] = {
        "few": [random.choice([*known, None]) for _ in range(2_000)],
        "more": [random.choice([f'"{k}"' for k in range(150)]) for _ in range(2_000)],
        "own": [f"{k} {random.choice(known)}" for k in range(2_000)],
    }
    snapshot = snapshot_of(raw_band(columns))
    lines = exported(snapshot)
    stored = open_snapshot(save_snapshot(snapshot, tmp_path / "b"))
    kinds = [pa.types.is_dictionary(cells.type) for cells in next(coded_parts(stored.bands[0])).columns]
    assert kinds == [True, True, False]
    with in_columns(step_cells):
        assert exported(stored) == lines


def test_a_long_text_among_few_values_makes_no_short_steps(tmp_path, monkeypatch):
    monkeypatch.setattr(coded_text, "ROWS_MIN", 0)
    monkeypatch.setattr(json_lines, "STEP_BYTES", 20_000)
    cells = [*"abcde" * 1_000, "z" * 50_000, None, *"abcde" * 1_000]
    snapshot = snapshot_of(raw_band({"x": cells}))
    (band,) = open_snapshot(save_snapshot(snapshot, tmp_path / "b")).bands
    (part,) = [json_columns.lines_of(part, band.columns, "") for part in coded_parts(band)]
    steps = [rows for _, rows in json_lines._steps(part)]
    assert [row for rows in steps for row in rows] == list(range(len(cells)))
    assert len(steps) < 20
    lines = b"".join(part.written(rows.start, rows.stop) for rows in steps)
    assert lines.decode() == exported(snapshot)


HOSTILE = [
    "__proto__", "constructor", "", '"', "\\", "a\nb", "\x00", "\u2028", "</dados>", "x", "X", "c0", "literal",
    "a.b", "$ref", "{}", "{", ",", "]", "né", "ne\u0301", "_band",
]  # fmt: skip


@pytest.mark.parametrize("way", ["plain", "columns"])
def test_hostile_names_stay_keys(way):
    raw = raw_band({name: [f"v{index}", None] for index, name in enumerate(HOSTILE)})
    with in_columns() if way == "columns" else pytest.MonkeyPatch.context():
        rows = parsed(exported(snapshot_of(raw)))
    assert rows == [[(name, f"v{index}") for index, name in enumerate(HOSTILE)], []]


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=8))
def test_any_text_reads_back(rows):
    first, second = (list(column) for column in zip(*rows, strict=True))
    snapshot = snapshot_of(raw_band({"a": ["x", *first], 'b"': ["y", *second]}))
    text = exported(snapshot)
    assert parsed(text) == expected(snapshot)
    with in_columns(6):
        assert exported(snapshot) == text


# ---- several bands ----

VENDAS = raw_band({"uf": ["SP", None], "valor": ["1,50", None]}, "vendas", style="br")
ITENS = raw_band({"item": ["a"]}, 'itens "x"')


@pytest.mark.parametrize("way", ["plain", "columns"])
def test_lines_of_several_bands_say_which(way):
    with in_columns() if way == "columns" else pytest.MonkeyPatch.context():
        assert exported(snapshot_of(VENDAS, ITENS)) == (
            '{"_band":"vendas","uf":"SP","valor":1.5}\n{"_band":"vendas"}\n{"_band":"itens \\"x\\"","item":"a"}\n'
        )


def test_one_band_of_several_is_written_as_if_alone():
    snapshot = snapshot_of(VENDAS, ITENS)
    assert exported(snapshot, "vendas") == exported(snapshot_of(VENDAS)) == '{"uf":"SP","valor":1.5}\n{}\n'


def test_the_key_of_bands_gives_way_to_columns():
    raws = [raw_band({"_band": ["a"], "_band_2": ["b"]}, "x"), ITENS]
    assert exported(snapshot_of(*raws)) == (
        '{"_band_3":"x","_band":"a","_band_2":"b"}\n{"_band_3":"itens \\"x\\"","item":"a"}\n'
    )


@pytest.mark.parametrize("name", ["canhoto", "header", "canhoto+header"])
def test_a_merged_band_answers_to_either_name(name):
    snapshot = snapshot_of(replace(ITENS, name="canhoto"), replace(ITENS, name="header"), VENDAS)
    assert exported(snapshot, name) == '{"item":"a"}\n'
    assert exported(snapshot).startswith('{"_band":"canhoto+header","item":"a"}\n')


def test_an_unknown_band_is_answered_with_those_that_there_are(tmp_path):
    with pytest.raises(QueryError, match=r"Available bands: vendas\. Did you mean"):
        export_json_lines(snapshot_of(VENDAS), tmp_path / "out.jsonl", band="venda")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [0, 1, 3])
def test_rows_without_columns_and_columns_without_rows(size):
    assert exported(snapshot_of(RawBand("b", (), Lists((), size), "records"))) == "{}\n" * size
    empty = snapshot_of(raw_band({"a": []}))
    with in_columns():
        assert exported(empty) == ""


# ---- files ----


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text("before")
    path.chmod(0o640)
    assert export_json_lines(snapshot_of(VENDAS), path) == 2
    assert path.read_text() == '{"uf":"SP","valor":1.5}\n{}\n'
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


class BrokenStream(CutStream):
    """Its source can be read once, and only half of it later."""

    def parts(self, columns, encoded=()):
        yield from list(super().parts(columns, encoded))[:1]
        raise SourceUnreadable("The file ends early.")


class ShortStream(CutStream):
    """Its source has lost rows since it was typed."""

    def parts(self, columns, encoded=()):
        yield from list(super().parts(columns, encoded))[:1]


@pytest.mark.parametrize(
    ("kind", "error", "message"),
    [
        pytest.param(BrokenStream, SourceUnreadable, "ends early", id="unreadable"),
        pytest.param(
            ShortStream, EngineError, r"it has 20 rows now instead of 60\): read it again", id="short"
        ),
    ],
)
def test_what_fails_halfway_leaves_the_file_as_it_was(tmp_path, kind, error, message):
    raw = streamed(raw_band({"x": [f"v{row % 50}" for row in range(60)]}), (20,))
    snapshot = snapshot_of(raw)
    (band,) = snapshot.bands
    assert isinstance(raw.cells, CutStream)
    cells = kind(raw.cells.table, raw.cells.cuts)
    broken = replace(snapshot, bands=(replace(band, raw=replace(band.raw, cells=cells)),))
    path = tmp_path / "out.jsonl"
    path.write_text("before")
    with pytest.raises(error, match=message):
        export_json_lines(broken, path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("", "is a folder or a device, not a file: choose another name", id="a folder"),
        pytest.param("missing/out.jsonl", "could not be written to .*No such file", id="no folder"),
    ],
)
def test_where_nothing_can_be_written_is_said(tmp_path, name, message):
    with pytest.raises(EngineError, match=message):
        export_json_lines(snapshot_of(VENDAS), tmp_path / name)


def test_a_small_band_loads_no_heavy_library(tmp_path):
    program = (
        "import io, sys\nfrom pathlib import Path\nfrom engine import materialize\n"
        "from engine.json_lines import export_json_lines\n"
        "export_json_lines(materialize({'b': [{'a': 1.5}]}), Path(sys.argv[1]))\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "out.jsonl")],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.stdout == "[]\n", run.stderr
    assert Path(tmp_path / "out.jsonl").read_text() == '{"a":1.5}\n'
