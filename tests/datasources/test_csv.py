"""A small text file becomes lists of text, as written."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.base import Lists, RawBand
from datasources.csv import read_text
from datasources.exceptions import SourceNotFound, SourceTooLarge, SourceUnreadable
from datasources.options import ReadOptions
from tests.datasources.real_data import ROOT, real_file


def read(folder: Path, text: str | bytes, **options: object) -> RawBand:
    path = folder / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_text(path, "t", ReadOptions(**options))  # type: ignore[arg-type]


def rows_of(band: RawBand) -> list[tuple[object, ...]]:
    assert isinstance(band.cells, Lists)
    assert all(len(column) == band.rows for column in band.cells.columns)
    return list(zip(*band.cells.columns, strict=True))


def codes_of(band: RawBand) -> dict[str, int | None]:
    return {warning.code: warning.count for warning in band.warnings}


@pytest.mark.parametrize(
    ("text", "columns", "rows", "codes"),
    [
        pytest.param("a;b\n1;2\n", ("a", "b"), [("1", "2")], {}, id="plain"),
        pytest.param("a;b\n 1 ; \n", ("a", "b"), [(" 1 ", " ")], {}, id="cells are not stripped"),
        pytest.param("a;b\r\n1;2\r\n", ("a", "b"), [("1", "2")], {}, id="CRLF"),
        pytest.param("a;b\r1;2\r", ("a", "b"), [("1", "2")], {}, id="CR"),
        pytest.param("a;b\n1;2\r\n3;4\r5;6", ("a", "b"), [("1", "2"), ("3", "4"), ("5", "6")], {}, id="all"),
        pytest.param('a;b\n"x\ny";"q""z"\n', ("a", "b"), [("x\ny", 'q"z')], {}, id="quotes"),
        pytest.param("a;b\n", ("a", "b"), [], {}, id="header only"),
        pytest.param(" a ;;a\n1;2;3\n", ("a", "column_2", "a_2"), [("1", "2", "3")],
                     {"empty_name": 1, "repeated_name": 1}, id="names"),
        pytest.param("a;b;\n1;2;\n", ("a", "b", "column_3"), [("1", "2", "")], {"empty_name": 1},
                     id="a delimiter at the end of each line"),
        pytest.param("a;b;c\n1;2\n1;2;3\n1;2;3;4\n", ("a", "b", "c", "column_4"),
                     [("1", "2", None, None), ("1", "2", "3", None), ("1", "2", "3", "4")],
                     {"short_rows": 1, "long_rows": 1}, id="ragged"),
        pytest.param("a;b\n1;2\n\n \n3;4\n", ("a", "b"), [("1", "2"), ("3", "4")], {"blank_records": 2},
                     id="blank records"),
        pytest.param("a\n1\n\n2\n", ("a",), [("1",), ("2",)], {"blank_records": 1}, id="one column"),
        pytest.param("001;x\n002;y\n", ("column_1", "column_2"), [("001", "x"), ("002", "y")],
                     {"no_header": 2}, id="no header"),
        pytest.param('a;b\n1;2\n3;"x\ny;z\n', ("a", "b"), [("1", "2"), ("3", "x\ny;z\n")],
                     {"unclosed_quote": 1}, id="a quote that is never closed"),
    ],
)  # fmt: skip
def test_a_table_is_read(tmp_path, text, columns, rows, codes):
    band = read(tmp_path, text)
    assert (band.columns, rows_of(band), codes_of(band)) == (columns, rows, codes)
    assert (band.name, band.origin) == ("t", "text")


def test_what_is_declared_is_handed_on(tmp_path):
    band = read(tmp_path, "a,b|c\n1,5|2\n", delimiter="|", locale="pt-BR", null_values=("?",))
    assert (band.columns, band.locale, band.null_values) == (("a,b", "c"), "pt-BR", ("?",))


@pytest.mark.parametrize(
    ("text", "style"), [("a;b\n1;2\n", "br"), ("a,b\n1,2\n", "point"), ("a\n1\n", "point")]
)
def test_semicolons_speak_for_decimal_commas(tmp_path, text, style):
    assert read(tmp_path, text).decimal_style == style


@pytest.mark.parametrize("text", ["", "\n", " \r\n\t\n", "\ufeff"])
@pytest.mark.parametrize("small_bytes", [1000, 0])
def test_an_empty_file_is_refused(tmp_path, text, small_bytes):
    with pytest.raises(SourceUnreadable, match="is empty"):
        read(tmp_path, text, small_bytes=small_bytes)


@pytest.mark.parametrize("small_bytes", [1000, 0])
def test_a_quote_that_swallows_the_table_is_named(tmp_path, small_bytes):
    with pytest.raises(SourceUnreadable, match="quote is never closed"):
        read(tmp_path, 'a;b\n"x;1\ny;2\n', small_bytes=small_bytes)


@pytest.mark.parametrize("small_bytes", [1000, 0])
@pytest.mark.parametrize("options", [{"columns_max": 2}, {"cell_bytes_max": 3}])
def test_limits_refuse(tmp_path, options, small_bytes):
    with pytest.raises(SourceTooLarge, match=r"columns_max|cell_bytes_max"):
        read(tmp_path, "a;b;c\n1;2222;3\n", small_bytes=small_bytes, **options)


@pytest.mark.parametrize("small_bytes", [10_000_000, 0])
def test_a_long_cell_is_no_obstacle(tmp_path, small_bytes):
    csv.field_size_limit(131_072)
    band = read(tmp_path, f"a;b\n1;{'x' * 500_000}\n", small_bytes=small_bytes)
    assert [len(str(column[0])) for column in columns_of_band(band)] == [1, 500_000]


def test_errors_know_their_source(tmp_path):
    with pytest.raises(SourceNotFound) as caught:
        read_text(tmp_path / "none.csv", "t", ReadOptions())
    assert caught.value.source == str(tmp_path / "none.csv")
    with pytest.raises(SourceUnreadable) as unreadable:
        read(tmp_path, "")
    assert unreadable.value.source == str(tmp_path / "t.csv")


def test_gz_is_read_like_the_text_in_it(tmp_path):
    assert rows_of(read(tmp_path, gzip.compress(b"a;b\n1;2\n"))) == [("1", "2")]


def test_a_small_file_needs_no_engine_library(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1;2\n")
    code = (
        "import sys; from pathlib import Path; from datasources.csv import read_text;"
        "from datasources.options import ReadOptions;"
        f"read_text(Path({str(tmp_path / 't.csv')!r}), 't', ReadOptions());"
        "print([m for m in ('polars', 'pyarrow', 'numpy', 'duckdb') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Any text but lone surrogates, NUL, and what the codecs below cannot hold; letters, so that a table is a table.
CELLS = st.text(st.sampled_from("ab1,;|\t\"\n\r 'çã."), max_size=6)


@given(
    body=st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=8),
    delimiter=st.sampled_from(";\t|,"),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "latin-1"]),
)
@pytest.mark.parametrize("small_bytes", [100_000, 0])
def test_what_was_written_is_read(
    tmp_path_factory, small_bytes, body, delimiter, quoting, line_end, encoding
):
    # A key and a name of their own keep the records from looking like blank ones, notes or header levels.
    rows = [["k", "k", "id", "x", "y"], *([f"r{i}", "k", *row] for i, row in enumerate(body))]
    if quoting != csv.QUOTE_ALL:
        # Python before 3.13 quotes only its own line end, though the other one ends a line as well.
        other = {"\n": "\r", "\r": "\n", "\r\n": ""}[line_end]
        rows = [[cell.translate(dict.fromkeys(map(ord, other))) for cell in row] for row in rows]
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, quoting=quoting, lineterminator=line_end).writerows(rows)
    path = tmp_path_factory.getbasetemp() / "written.csv"
    data = buffer.getvalue().encode(encoding)
    path.write_bytes(b"\xfe\xff" + data if encoding == "utf-16-be" else data)
    band = read_text(path, "t", ReadOptions(delimiter=delimiter, small_bytes=small_bytes))
    assert band.columns == ("k", "k_2", "id", "x", "y")
    written = [[cell or None for cell in column] for column in zip(*rows[1:], strict=True)]
    assert columns_of_band(band) == (written or [[]] * 5)


def columns_of_band(band: RawBand) -> list[list[object]]:
    if isinstance(band.cells, Lists):
        return [[cell or None for cell in column] for column in band.cells.columns]
    table = band.cells.take(range(band.rows))
    return [column.to_pylist() for column in table.columns]


# ------------------------------------------------------------------ real files

REAL = {
    "ans-operadoras/Relatorio_cadop.csv": (300, 19, 1),
    "b3-mercado/NegociosBalcao.csv": (8, 11, 1),
    "bcb-sgs/bcdata.sgs.433.csv": (180, 2, 0),
    "brussels-hotels/table-with-accents.csv": (638, 8, 0),
    "camara-ceap/reimbursements_sample.csv": (1000, 29, 0),
    "cnab400-itau/itau.ret": (5, 1, 0),
    "csvkit-edu-fy09/FY09_EDU_Recipients_by_State.csv": (52, 10, 0),
    "cvm-cad-cia-aberta/cad_cia_aberta.csv": (250, 47, 0),
    "hmrc-over25k-2011/over25k-transparency.csv": (188, 8, 0),
    "ibama-autuacoes/autuacao-amazonas-2010-pag2.csv": (9, 12, 0),
    "ibge-pam-valor/Tabela_5457_valor.csv": (639, 4, 4),
    "mg-municipios/areas_mun2010.csv": (853, 5, 0),
    "moj-spend-2011/moj-aramis-data-march-11.csv": (871, 7, 0),
    "nasa-glb-cr/mixedGLB.csv": (133, 19, 2),
    "nhs-utf16le/utf-16le_encoded.csv": (327, 19, 0),
    "opencoesione-mixed/comma_decimal_null.csv": (8, 28, 0),
    "receita-cnpj/Socios0.csv": (7, 11, 0),
    "sped-efd-icms-ipi/EFD_ICMS_IPI_2020.txt": (958, 40, 0),
    "tabnet-hanseniase/base_hanseniase.csv": (48, 14, 2),
    "transparencia-despesas/Despesas_Empenho.csv": (36, 63, 0),
}


@pytest.mark.parametrize("name", REAL)
def test_real_tables_have_the_extent_that_a_person_sees(name):
    band = read_text(real_file(name), "t", ReadOptions())
    assert (band.rows, len(band.columns), len(band.notes)) == REAL[name]


def test_a_table_with_more_notes_than_rows_is_found():
    band = read_text(real_file("ibge-sidra-6579/tabela6579.csv"), "t", ReadOptions())
    assert (band.rows, band.columns[1]) == (28, "Ano 2020")


@pytest.mark.parametrize("name", ["Cnaes.csv", "Empresas0.csv", "Estabelecimentos0.csv", "Simples.csv"])
def test_real_files_without_a_header(name):
    band = read_text(real_file(f"receita-cnpj/{name}"), "t", ReadOptions())
    assert band.columns[0] == "column_1"
    assert "no_header" in codes_of(band)


def bugs() -> list[object]:
    path = ROOT.parent / "bugs.jsonl"
    if not path.exists():
        return []
    found = [json.loads(line) for line in path.read_text().splitlines() if line]
    return [pytest.param(bug, id=bug["id"]) for bug in found if bug["input"]["format"] == "csv"]


@pytest.mark.parametrize("bug", bugs())
def test_inputs_of_reported_bugs_keep_their_cells(tmp_path, bug):
    text = bug["input"]["text"]
    band = read(tmp_path, text)
    assert band.rows == len(text.splitlines()) - 1
    expected = bug["expect"].get("columns")
    assert expected is None or list(band.columns) == expected
