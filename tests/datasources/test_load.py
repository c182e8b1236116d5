"""What a person names is read: the kind is found by content, and what is no data is said in one sentence."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import ipc

from datasources.base import Lists
from datasources.exceptions import (
    SourceError,
    SourceForbidden,
    SourceNotFound,
    SourceOptionError,
    SourceTooLarge,
    SourceUnreadable,
)
from datasources.load import Argument, parse_argument, read_bands
from datasources.options import ReadOptions

CSV = b"id;valor\n1;2,50\n2;3,50\n"
JSON = b'[{"id":1,"valor":2.5},{"id":2,"valor":3.5}]'


def parquet_bytes(**columns) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns or {"id": [1, 2], "valor": [2.5, 3.5]}), buffer)
    return buffer.getvalue()


def arrow_bytes(new) -> bytes:
    table = pa.table({"id": [1, 2], "valor": [2.5, 3.5]})
    buffer = io.BytesIO()
    with new(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def zip_bytes(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, b"x")
    return buffer.getvalue()


def read(*arguments: str | Path, **options):
    return read_bands([str(argument) for argument in arguments], ReadOptions(**options))


KINDS = {
    "csv": CSV,
    "json": JSON,
    "json lines": b'{"id":1,"valor":2.5}\n{"id":2,"valor":3.5}\n',
    "utf-16 json": JSON.decode().encode("utf-16"),
    "parquet": parquet_bytes(),
    "arrow file": arrow_bytes(ipc.new_file),
    "arrow stream": arrow_bytes(ipc.new_stream),
    "gz csv": gzip.compress(CSV),
    "zstd json": zstandard.compress(JSON),
}


@pytest.mark.parametrize("content", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize(
    "name", ["dados.csv", "dados.json", "dados.parquet", "dados.xlsx", "dados", "dados.gz"]
)
def test_a_wrong_name_is_no_obstacle(tmp_path, content, name):
    (tmp_path / name).write_bytes(content)
    (band,) = read(tmp_path / name)
    assert (band.name, band.columns, band.rows) == ("dados", ("id", "valor"), 2)


@pytest.mark.parametrize(
    ("header", "columns"),
    [("[id];[valor]", ("[id]", "[valor]")), ("{id};{valor}", ("{id}", "{valor}"))],
    ids=["brackets", "braces"],
)
@pytest.mark.parametrize("name", ["d.csv", "d.txt", "d"])
def test_a_header_in_brackets_is_text(tmp_path, header, columns, name):
    (tmp_path / name).write_text(f"{header}\n1;2\n3;4\n")
    (band,) = read(tmp_path / name)
    assert band.columns == columns


ARGUMENTS = [
    ("vendas=dados/v.csv", ("vendas", "dados/v.csv")),
    ("dados/vendas.2024.csv.gz", ("vendas.2024", "dados/vendas.2024.csv.gz")),
    ("VENDAS.PARQUET", ("VENDAS", "VENDAS.PARQUET")),
    ("relatório final.json", ("relatório final", "relatório final.json")),
    ("notas.v2", ("notas.v2", "notas.v2")),
    ("a=b=c.csv", ("a", "b=c.csv")),
    ("dados/vendas_*.parquet", ("vendas", "dados/vendas_*.parquet")),
    ("dados/*.csv", ("dados", "dados/*.csv")),
    ("-", ("stdin", "-")),
    ("v=-", ("v", "-")),
    (".csv", (".csv", ".csv")),
]


@pytest.mark.parametrize(("text", "expected"), ARGUMENTS, ids=[text for text, _ in ARGUMENTS])
def test_arguments_name_their_band(text, expected):
    assert parse_argument(text) == Argument(*expected)


@pytest.mark.parametrize("text", ["", "=v.csv", " =v.csv", "vendas="])
def test_arguments_without_name_or_path_are_refused(text):
    with pytest.raises(SourceOptionError):
        parse_argument(text)


def test_a_file_with_an_equals_sign_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x=y.csv").write_bytes(CSV)
    (band,) = read("x=y.csv")
    assert band.name == "x=y"
    Path("uf=SP").mkdir()
    Path("uf=SP/p1.parquet").write_bytes(parquet_bytes())
    (band,) = read("uf=SP/*.parquet")
    assert (band.name, band.rows) == ("uf=SP", 2)


def test_repeated_names_get_a_number(tmp_path):
    for folder in "abc":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "v.csv").write_bytes(CSV)
    bands = read(*(tmp_path / folder / "v.csv" for folder in "abc"), f"v_2={tmp_path}/a/v.csv")
    assert [band.name for band in bands] == ["v", "v_3", "v_4", "v_2"]
    assert [w.code for band in bands for w in band.warnings if w.code == "repeated_band"] == [
        "repeated_band"
    ] * 2


def test_what_is_declared_is_handed_on(tmp_path):
    (tmp_path / "v.json").write_bytes(JSON)
    (band,) = read(tmp_path / "v.json", locale="pt-BR", null_values=("s/n",))
    assert (band.locale, band.null_values) == ("pt-BR", ("s/n",))


@pytest.mark.parametrize("small", [4_000_000, 0], ids=["small", "as large files"])
def test_text_parts_are_one_band_in_order_of_their_names(tmp_path, small):
    folder = tmp_path / "vendas.csv"
    folder.mkdir()
    for name, first in (("b.csv", 10), ("a.csv", 0), ("c.csv.gz", 20)):
        text = "id;t\n" + "".join(f"{first + i};x{i}\n" for i in range(10))
        (folder / name).write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    (folder / "_SUCCESS").write_bytes(b"")
    (folder / "README.md").write_bytes(b"# text")
    for argument in (folder, folder / "*.csv*"):
        (band,) = read(argument, small_bytes=small)
        assert (band.name, band.rows, band.columns) == (
            "vendas",
            30,
            ("id", "t"),
        )
        if isinstance(band.cells, Lists):
            ids = band.cells.columns[0]
        else:
            ids = [cell for part in band.cells.parts([0]) for cell in part().column(0).to_pylist()]
            assert band.cells.take([0, 15, 29]).column(0).to_pylist() == ["0", "15", "29"]
        assert ids == [str(i) for i in range(30)]


def test_parquet_parts_are_one_band(tmp_path):
    for name, ids in (("p2.parquet", [3]), ("p1.parquet", [1, 2])):
        (tmp_path / name).write_bytes(parquet_bytes(id=ids))
    (band,) = read(tmp_path / "p*.parquet")
    assert (band.name, band.cells) == ("p", Lists(([1, 2, 3],), 3))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"a.csv": CSV, "b.csv": b"id;total\n1;2\n2;3\n"},
            "b.csv has other columns than a.csv (it lacks valor",
        ),
        (
            {"a.parquet": parquet_bytes(x=[1]), "b.parquet": parquet_bytes(y=[1])},
            "b.parquet has other columns",
        ),
        ({"a.csv": CSV, "b.parquet": parquet_bytes()}, "a.csv is text but b.parquet is parquet"),
        ({"a.json": JSON, "b.json": JSON}, "name the files one by one"),
    ],
    ids=["text", "parquet", "kinds", "json"],
)
def test_parts_that_do_not_fit_are_named(tmp_path, files, message):
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceUnreadable) as caught:
        read(tmp_path)
    assert message in str(caught.value)


FOREIGN = [
    ("a.pdf", b"%PDF-1.7 \xe2\xe3", "a PDF document"),
    ("a.zip", zip_bytes("x.csv"), "a zip archive"),
    ("a.docx", zip_bytes("word/document.xml"), "a Word document"),
    ("a.sqlite", b"SQLite format 3\0" + bytes(80), "a SQLite database"),
    ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(20), "a PNG image"),
    ("a.jpg", b"\xff\xd8\xff\xe0" + bytes(20), "a JPEG image"),
    ("a.xml", b"<?xml version='1.0'?><nfe/>", "an XML document"),
    ("a.xml", b"<nfeProc/>", "an XML document"),
    ("a.xls", b"<html><table></table></html>", "an HTML page"),
    ("a.doc", b"\xd0\xcf\x11\xe0" + bytes(600), "an old Office document"),
    ("a.csv", bytes(range(256)) * 4, "a binary file"),
    ("a.parquet", b"PARE" + bytes(40), "an encrypted Parquet file"),
    ("a.xlsx", zip_bytes("xl/workbook.xml")[:40], "a broken zip file or workbook"),
    ("a.parquet.gz", gzip.compress(parquet_bytes()), "a compressed parquet file"),
    ("a.csv", b"", "is empty"),
    ("a.csv.gz", gzip.compress(b""), "is empty"),
]


@pytest.mark.parametrize(("name", "content", "message"), FOREIGN, ids=[case[2] for case in FOREIGN])
def test_what_is_no_table_is_named_with_a_remedy(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceUnreadable) as caught:
        read(tmp_path / name)
    text = str(caught.value)
    assert text.startswith(name)
    assert message in text
    assert ":" in text
    assert "\n" not in text


def test_a_missing_file_has_a_suggestion(tmp_path):
    (tmp_path / "vendas_2026.csv").write_bytes(CSV)
    with pytest.raises(SourceNotFound, match=r"did you mean vendas_2026\.csv\?"):
        read(tmp_path / "venda_2026.csv")
    with pytest.raises(SourceNotFound, match="There is no folder"):
        read(tmp_path / "no" / "v.csv")
    with pytest.raises(SourceNotFound, match="No file fits the pattern"):
        read(tmp_path / "*.parquet")
    with pytest.raises(SourceNotFound, match="download it first"):
        read("https://example.org/v.csv")
    with pytest.raises(SourceNotFound):
        read("v\0.csv")
    (tmp_path / "empty" / "inner").mkdir(parents=True)
    with pytest.raises(SourceNotFound, match="holds no data files: name one of its folders, such as inner"):
        read(tmp_path / "empty")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_forbidden_file_is_said(tmp_path):
    (tmp_path / "v.csv").write_bytes(CSV)
    (tmp_path / "v.csv").chmod(0)
    with pytest.raises(SourceForbidden):
        read(tmp_path / "v.csv")


def test_a_workbook_is_read(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    book = openpyxl.Workbook()
    for row in (("id", "valor"), (1, 2.5), (2, 3.5)):
        book.active.append(row)
    book.save(tmp_path / "dados.xlsx")
    (tmp_path / "dados.xlsx").rename(tmp_path / "dados.csv")
    (band,) = read(tmp_path / "dados.csv")
    assert (band.columns, band.rows, band.origin) == (("id", "valor"), 2, "sheet")


def test_a_device_is_refused():
    with pytest.raises(SourceUnreadable, match="is a device"):
        read("/dev/zero")


def test_too_many_bytes_are_refused(tmp_path):
    (tmp_path / "v.csv").write_bytes(CSV)
    with pytest.raises(SourceTooLarge):
        read(tmp_path / "v.csv", bytes_max=5)


def test_a_pipe_is_read(tmp_path):
    os.mkfifo(tmp_path / "p.csv")
    writer = threading.Thread(target=(tmp_path / "p.csv").write_bytes, args=(CSV,))
    writer.start()
    (band,) = read(tmp_path / "p.csv")
    writer.join()
    assert (band.name, band.rows) == ("p", 2)


PROGRAM = """
import sys
from datasources import ReadOptions, read_bands
from datasources.exceptions import SourceError
try:
    bands = read_bands(["-"], ReadOptions(small_bytes=int(sys.argv[1])))
except SourceError as error:
    print(type(error).__name__, error)
else:
    for band in bands:
        cells = band.cells
        rows = cells.rows if hasattr(cells, "columns") else sum(part().num_rows for part in cells.parts([0]))
        print(band.name, band.rows, rows, *band.columns)
"""


def run(content: bytes, small: int = 4_000_000) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, str(small)],
        input=content,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


@pytest.mark.parametrize("kind", ["csv", "json", "parquet", "gz csv"])
def test_standard_input_of_any_kind(kind):
    assert run(KINDS[kind]) == "stdin 2 2 id valor"


def test_large_standard_input_is_streamed():
    assert run(CSV, small=0) == "stdin 2 2 id valor"
    assert run(parquet_bytes(id=list(range(50_000)))) == "stdin 50000 50000 id"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "SourceUnreadable Standard input is empty"),
        (b"[1,", "SourceUnreadable Standard input is not valid JSON"),
    ],
    ids=["empty", "broken"],
)
def test_errors_of_standard_input_name_it(content, expected):
    assert run(content).startswith(expected)


@given(
    content=st.binary(max_size=80),
    prefix=st.sampled_from([b"", b"PAR1", b"ARROW1\0\0", b"\xff\xff\xff\xff", b"PK\x03\x04", b"\x1f\x8b"]),
)
def test_any_bytes_are_bands_or_one_clear_error(tmp_path_factory, content, prefix):
    path = tmp_path_factory.mktemp("load") / "d.dat"
    path.write_bytes(prefix + content)
    try:
        bands = read(path)
    except SourceError as error:
        said = (error.message, error.source)
    else:
        said = (f"{len(bands)} bands", str(path))
    assert "\n" not in said[0]
    assert said[1]


@pytest.mark.parametrize("padding", [b"\0", b"\x1a", b"\0" * 512], ids=["NUL", "Ctrl-Z", "a block"])
def test_padding_at_the_end_does_not_make_a_text_binary(tmp_path, padding):
    path = tmp_path / "v.csv"
    path.write_bytes(CSV + padding)
    (band,) = read(path)
    assert band.rows == 2


def test_a_link_that_leads_nowhere_is_named_as_one(tmp_path):
    link = tmp_path / "v.csv"
    link.symlink_to("gone.csv")
    with pytest.raises(
        SourceNotFound, match=r"^v\.csv is a link to gone\.csv, where no file is: correct the link"
    ):
        read(link)


@pytest.mark.parametrize("argument", ["{folder}", "{folder}/*.csv"], ids=["folder", "pattern"])
@pytest.mark.parametrize("make", [lambda part: part.symlink_to("gone.csv"), os.mkfifo], ids=["link", "pipe"])
def test_a_part_that_cannot_be_read_is_not_left_out(tmp_path, argument, make):
    (tmp_path / "a.csv").write_bytes(CSV)
    make(tmp_path / "b.csv")
    with pytest.raises(SourceError, match=r"^b\.csv is a "):
        read(argument.format(folder=tmp_path))


def test_standard_input_is_read_once():
    with pytest.raises(SourceOptionError, match="only once"):
        read("a=-", "b=-")


def test_standard_input_that_is_closed_is_one_sentence(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(SourceNotFound, match="is closed"):
        read("-")


def test_a_name_may_hold_an_equals_sign(tmp_path):
    (tmp_path / "v.csv").write_bytes(CSV)
    (band,) = read_bands([Argument("a=b", str(tmp_path / "v.csv"))], ReadOptions())
    assert band.name == "a=b"


def test_a_name_is_utf_8_in_every_locale():
    program = "import sys, datasources.load as load; print(ascii(load.parse_argument(sys.argv[1]).name))"
    found = subprocess.run(
        [sys.executable, "-c", program, "é=v.csv"],
        cwd=Path(__file__).parent.parent.parent,
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        check=True,
    )
    assert found.stdout == b"'\\xe9'\n"


def test_without_room_for_temporary_files_there_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "v.csv.gz").write_bytes(gzip.compress(CSV))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with pytest.raises(SourceError, match=r"^v\.csv\.gz cannot be copied into a temporary folder \(No such"):
        read(tmp_path / "v.csv.gz")
