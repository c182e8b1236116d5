"""`lastro inspect` in a terminal and in a pipe."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from datasources.base import Cell, Lists, RawBand
from datasources.options import ReadOptions
from engine import materialize
from engine.columns import Coercion
from engine.facts import cell_text
from engine.histogram import ColumnSample, sample_columns
from lastro import cli
from lastro.inspect_cost import csv_bytes, json_bytes
from lastro.inspect_report import inspect_snapshot
from lastro.inspect_table import figure, name_lines
from lastro.inspect_view import render_text
from lastro.inspect_words import coercion_words

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
FINANCEIRO = [str(EXAMPLES / "financeiro" / name) for name in ("vendas.csv", "pagamentos.csv")]
DANFE = [str(EXAMPLES / "danfe" / f"{name}.json") for name in ("canhoto", "header", "itens", "duplicatas")]
ANSI = re.compile("\x1b\\[[0-9;]*m")


def raw_band(columns: dict[str, list[str]], name: str = "b") -> RawBand:
    cells: tuple[list[Cell], ...] = tuple(list(column) for column in columns.values())
    return RawBand(name, tuple(columns), Lists(cells, len(cells[0]) if cells else 0), "text")


def shown(*bands: RawBand, columns: int | None = None, terminal: bool = False, width: int = 80) -> str:
    return render_text(inspect_snapshot(materialize(bands), columns), terminal=terminal, width=width)


@pytest.mark.parametrize(
    ("files", "name"),
    [pytest.param(FINANCEIRO, "financeiro", id="financeiro"), pytest.param(DANFE, "danfe", id="danfe")],
)
def test_examples_are_shown_as_ever(files, name, golden, capfdbinary):
    assert cli.main(["inspect", *files]) == 0
    written = capfdbinary.readouterr()
    golden(f"inspect/{name}.txt", written.out.decode())
    assert written.err == b""


TABLE = {
    "codigo_do_município_de_origem_da_mercadoria": ["0012", "0013", "0012", "0012"],
    "valor": ["123456789012,34", "1,5", "-98765432109876,25", "1234567,5"],
    "名前": ["日本語のとても長い名前です日本語のとても長い名前です", "b", "b", "b"],
    "em": ["01/02/2026 10:11:12", "13/02/2026 00:00", "02/02/2026 00:00", "02/02/2026 00:00"],
}


@pytest.mark.parametrize("width", [60, 72, 80, 100, 120])
def test_no_line_is_wider_than_the_page(width):
    lines = shown(raw_band(TABLE, "relatório"), width=width).splitlines()
    assert max(map(cell_len, lines)) <= width


def test_a_pipe_gets_no_colour_and_no_frames():
    text = shown(raw_band(TABLE))
    assert "\x1b" not in text
    assert not re.search("[\u2500-\u257f]", text)
    assert all(line == line.rstrip() for line in text.split("\n"))


def test_a_terminal_gets_colours_and_the_same_words(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = shown(raw_band(TABLE), terminal=True)
    assert "\x1b[1;36m" in text
    plain = [line.rstrip() for line in ANSI.sub("", text).splitlines()]
    assert plain == shown(raw_band(TABLE)).splitlines()


def test_no_color_is_respected(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search("\x1b\\[[0-9;]*3[0-7]", shown(raw_band(TABLE), terminal=True))


@pytest.mark.parametrize("variable", ["FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS"])
def test_the_environment_does_not_change_what_a_pipe_gets(variable, monkeypatch):
    usual = shown(raw_band(TABLE))
    monkeypatch.setenv(variable, "1")
    assert shown(raw_band(TABLE)) == usual


HOSTILE = [
    "[red]x[/red]",
    "[link=file:///x]y[/link]",
    ":smile:",
    "\x1b[31mred",
    "a\u202eb",
    "x\r\ny\tz",
    "\\[bold]",
]


def test_what_comes_from_data_does_not_act():
    columns = {f"{text}{index}": [text, "other", text] for index, text in enumerate(HOSTILE)}
    text = shown(raw_band(columns, "[bold]b[/bold]\x1b[0m"), terminal=False, width=120)
    assert "\x1b" not in text
    assert "\u202e" not in text
    for seen in (
        "[red]x[/red]",
        ":smile:",
        r"\u001b[31mred",
        r"a\u202eb",
        r"x\u000d\u000ay\u0009z",
        "[bold]b[/bold]",
    ):
        assert seen in text


def test_a_text_that_reads_like_the_null_group_is_told_apart():
    text = shown(raw_band({"uf": ["(null)", "", "MG", "MG"]}))
    assert '"(null)"' in text
    assert re.search(r" \(null\) +1 ", text)


@pytest.mark.parametrize(
    ("option", "columns", "said"),
    [
        pytest.param([], 30, "… and 10 more columns: --columns all shows every one.", id="usual"),
        pytest.param(["--columns", "39"], 39, "… and 1 more column:", id="number"),
        pytest.param(["--columns", "all"], 40, None, id="all"),
    ],
)
def test_of_very_many_columns_the_first_are_shown(option, columns, said, tmp_path, capfd):
    names = [f"c{index:02d}" for index in range(40)]
    (tmp_path / "wide.csv").write_text(f"{','.join(names)}\n{','.join(names)}\n")
    assert cli.main(["inspect", str(tmp_path / "wide.csv"), *option]) == 0
    text = capfd.readouterr().out
    table = text.partition("Always the same")[0]
    assert sum(f"\n{name} " in table for name in names) == columns
    assert (said in table) if said else ("more column" not in table)


@pytest.mark.parametrize("count", ["0", "-1", "x", "1.5", "²"])
def test_a_wrong_number_of_columns_is_refused(count, capsys):
    with pytest.raises(SystemExit) as exit_:
        cli.main(["inspect", "a.csv", f"--columns={count}"])
    assert exit_.value.code == 2
    assert "neither a whole number" in capsys.readouterr().err


def test_help_has_an_example_of_a_file_that_is_there(capsys):
    with pytest.raises(SystemExit) as exit_:
        cli.main(["inspect", "--help"])
    assert exit_.value.code == 0
    assert "lastro inspect examples/financeiro/vendas.csv\n" in capsys.readouterr().out


def test_a_missing_file_is_one_sentence(capfd):
    assert cli.main(["inspect", "missing.csv"]) == 2
    written = capfd.readouterr()
    assert written.out == ""
    assert written.err.startswith("lastro: ")
    assert written.err.count("\n") == 1


def test_a_table_without_rows_is_shown():
    text = shown(RawBand("vazio", ("a", "b"), Lists(([], []), 0), "text"))
    assert "vazio  0 rows, 2 columns" in text


def test_costs_of_a_streamed_band_are_scaled_up_from_a_sample():
    class Stream:
        names, name, rows = ("b",), "b", 1_000
        columns = materialize([raw_band({"n": ["1", "2"]})]).bands[0].columns

        def take(self, rows):
            return [(row % 10,) for row in rows]

    sample = sample_columns(Stream(), rows_max=100)
    assert csv_bytes(Stream(), sample) == len("n\n") + 2 * 1_000
    assert json_bytes(Stream(), sample) == len("[]") + len('{"n":1},') * 1_000 - 1


def test_what_comes_from_a_sample_says_so(tmp_path):
    lines = ["n,uf", *(f"{index % 50},{'MG' if index % 2 else 'SP'}" for index in range(20_000))]
    (tmp_path / "b.csv").write_text("\n".join(lines), encoding="utf-8")
    streamed = ReadOptions(small_bytes=0)
    inspection = inspect_snapshot(materialize([tmp_path / "b.csv"], options=streamed), None)
    text = render_text(inspection, terminal=False)
    assert "Shapes of numbers and dates: from a sample of 4096 of 20000 rows." in text
    assert re.search(r"as CSV +about \d+\n", text)
    assert re.search(r"uf +MG +10000 ", text)


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=6)


@given(st.integers(1, 4).flatmap(lambda width: st.lists(st.tuples(*[CELLS] * width), max_size=6)))
def test_raw_costs_are_those_of_the_written_text(rows):
    names = [f"c{index}" for index in range(len(rows[0]) if rows else 2)]
    band = raw_band({name: [row[index] for row in rows] for index, name in enumerate(names)})
    (typed,) = materialize([band]).bands
    sample = sample_columns(typed)
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(names)
    table = typed.take(range(typed.rows))
    writer.writerows(
        [cell_text(value, column) for value, column in zip(row, typed.columns, strict=True)] for row in table
    )
    assert csv_bytes(typed, sample) == len(written.getvalue().encode())
    if all(column.type == "text" for column in typed.columns):
        records = [dict(zip(names, row, strict=True)) for row in table]
        text = json.dumps(records, ensure_ascii=False, separators=(",", ":"))
        assert json_bytes(typed, sample) == len(text.encode())


def test_a_band_without_rows_costs_its_frame():
    (typed,) = materialize([RawBand("b", ("a", "b"), Lists(([], []), 0), "text")]).bands
    sample = ColumnSample(((), ()), 0, 0)
    assert (csv_bytes(typed, sample), json_bytes(typed, sample)) == (len("a,b\n"), len("[]"))


@pytest.mark.parametrize(
    ("text", "cells", "expected"),
    [
        pytest.param("17260.61", 10, "17260.61", id="fits"),
        pytest.param("123456789012345.67", 10, "~1.235e+14", id="power of ten"),
        pytest.param("1.23456789012", 10, "~1.2345679", id="decimals"),
        pytest.param("-0.0012345678901", 10, "~-0.001235", id="small"),
        pytest.param("0.000000000000123", 10, "~1.230e-13", id="very small"),
        pytest.param("2026-01-02 10:11:12", 10, "2026-01-02\n10:11:12", id="time"),
        pytest.param("2026-01-02 10:11:12.123-03:00", 10, "2026-01-02\n10:11:12.1\n23-03:00", id="offset"),
    ],
)
def test_a_figure_fits(text, cells, expected):
    assert figure(text, cells) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("valor", ["valor"], id="short"),
        pytest.param("Unidade da Federação", ["Unidade da", "Federação"], id="words"),
        pytest.param("margem_bruta", ["margem_", "bruta"], id="marks"),
        pytest.param("x_valorespecial", ["x_valorespe", "cial"], id="no break that leaves almost nothing"),
        pytest.param("a" * 40, ["a" * 11, "a" * 11, "a" * 10 + "…"], id="cut"),
        pytest.param("日本語日本語日本語", ["日本語日本", "語日本語"], id="wide letters"),
    ],
)
def test_a_name_is_broken_where_it_reads_well(name, expected):
    assert name_lines(name, 11) == expected


@pytest.mark.parametrize(
    ("coercion", "expected"),
    [
        pytest.param(
            Coercion("br", {"br": 23, "dot": 4, "plain": 2, "decided_by": "cells", "R$": 29}),
            "decimal comma (br), proved by 23 cells; 4 ambiguous (like 1.234: could be point), decided by "
            "its unambiguous cells; 2 without a mark; R$ in 29 cells",
            id="proved",
        ),
        pytest.param(
            Coercion("point", {"comma": 1, "decided_by": "source"}, True),
            "decimal point (point); 1 ambiguous (like 1,234: could be br), assumed from the kind of file, "
            "not proved",
            id="assumed",
        ),
        pytest.param(
            Coercion("plain", {"plain": 5, "null_tokens": 1}),
            "plain digits; 1 cell such as “-” or “N/A” counts as null",
            id="null token",
        ),
        pytest.param(
            Coercion("text", {"plain": 9, "leading_zero": 3, "decided_by": "leading_zero"}),
            "kept as text: a zero leads in 3 cells, so these are codes",
            id="codes",
        ),
        pytest.param(
            Coercion("text", {"numbers": 95, "not_numbers": 1}),
            "kept as text: 95 cells read as numbers, 1 cell does not",
            id="near miss",
        ),
        pytest.param(
            Coercion("DD/MM/YYYY", {"DD/MM/YYYY": 8, "day_over_12": 5, "not_midnight": 1}),
            "dates as DD/MM/YYYY; day first, proved by 5 cells; 1 cell with a time",
            id="day first",
        ),
        pytest.param(
            Coercion("DD/MM/YYYY", {"DD/MM/YYYY": 8, "day_over_12": 0}, True),
            "dates as DD/MM/YYYY; day first is assumed: no cell rules out the other order",
            id="assumed day first",
        ),
        pytest.param(
            Coercion("MM/DD/YYYY", {"MM/DD/YYYY": 8, "day_over_12": 0}),
            "dates as MM/DD/YYYY; month first, by the declared locale",
            id="declared month first",
        ),
        pytest.param(Coercion("boolean", {"boolean": 2}), "true or false in 2 cells", id="boolean"),
        pytest.param(Coercion("native", {"native": 2}), "typed by the source", id="native"),
    ],
)
def test_verdicts_in_words(coercion, expected):
    assert coercion_words(coercion) == expected


def test_what_was_assumed_comes_first_and_is_marked():
    band = raw_band({"certo": ["1,50", "2,25"] * 3, "talvez": ["1.234", "5.678"] * 3})
    text = shown(band).partition("How the columns were read")[2]
    assert text.index("talvez: ASSUMED") < text.index("certo: decimal comma (br), proved by 6 cells")


def test_warnings_notes_and_aggregates_are_shown():
    text = "Relatório de vendas\n\nloja;valor\nA;1,50\nB;2,50\nTotal;5,00\n"
    records = [line.split(";") for line in text.splitlines() if ";" in line]
    band = RawBand(
        "vendas",
        ("loja", "valor"),
        Lists(tuple(map(list, zip(*records[1:], strict=True))), 3),
        "text",
        "br",
        notes=("Relatório de vendas",),
    )
    found = shown(band)
    assert "total.vendas.valor = 5.00" in found
    assert "Warnings (2)" in found
    assert "the row “Total” says 5, but the rows add up to 4" in " ".join(found.split())
    assert "  - Relatório de vendas" in found
