"""Sheets become bands by the rules of text files, with native cells."""

from __future__ import annotations

import builtins
import zipfile
from datetime import date, datetime, time

import openpyxl
import pytest

from datasources.base import Lists
from datasources.excel import read_workbook
from datasources.exceptions import SourceError, SourceTooLarge, SourceUnreadable
from datasources.options import ReadOptions

OPTIONS = ReadOptions(locale="pt-BR", null_values=("?",))


def workbook(path, **sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def columns_of(band):
    assert isinstance(band.cells, Lists)
    return band.cells.columns


MOMENT = datetime.fromisoformat("2026-01-31T10:05:00")


def test_a_sheet_is_a_band_with_native_cells(tmp_path):
    rows = [
        ["Relatório de vendas"],
        [],
        ["id", 2020, "quando", "ativo", "hora"],
        [1, 2.5, date(2026, 1, 31), True, time(8, 30)],
        [2, None, MOMENT, False, "  x "],
        ["Fonte: cadastro"],
    ]
    (band,) = read_workbook(workbook(tmp_path / "v.xlsx", Vendas=rows), "vendas", OPTIONS)
    assert band.columns == ("id", "2020", "quando", "ativo", "hora")
    assert columns_of(band) == (
        [1, 2],
        [2.5, None],
        [date(2026, 1, 31), MOMENT],
        [True, False],
        ["08:30:00", "  x "],
    )
    assert [type(cell) for cell in columns_of(band)[0]] == [int, int]
    assert band.notes == ("Relatório de vendas", "Fonte: cadastro")
    assert [(w.code, w.count) for w in band.warnings] == [("blank_records", 1)]
    assert (band.name, band.origin, band.decimal_style) == ("vendas", "sheet", "br")
    assert (band.locale, band.null_values) == ("pt-BR", ("?",))


def test_each_sheet_with_cells_is_a_band(tmp_path):
    path = workbook(tmp_path / "v.xlsx", A=[["x", "y"], [1, 2]], Vazia=[], B=[["z"], ["w"]])
    assert [band.name for band in read_workbook(path, "file", OPTIONS)] == ["A", "B"]


def test_a_header_of_two_levels(tmp_path):
    rows = [["Título"], [None, "Ano", None], ["uf", 2020, 2021], ["SP", 1, 2]]
    (band,) = read_workbook(workbook(tmp_path / "v.xlsx", A=rows), "t", OPTIONS)
    assert band.columns == ("uf", "Ano 2020", "Ano 2021")


def test_columns_that_only_notes_reach_are_not_seen(tmp_path):
    rows = [[None, None, None, None, "Página 1"], [], ["a", "b"], [1, 2], [3, 4]]
    (band,) = read_workbook(workbook(tmp_path / "v.xlsx", A=rows), "t", OPTIONS)
    assert (band.columns, columns_of(band)) == (("a", "b"), ([1, 3], [2, 4]))


def test_a_header_alone_is_an_empty_band(tmp_path):
    (band,) = read_workbook(workbook(tmp_path / "v.xlsx", A=[["a", "b"]]), "t", OPTIONS)
    assert (band.columns, band.rows) == (("a", "b"), 0)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"a;b\n1;2\n", id="text"),
        pytest.param(b"PK\x03\x04junk", id="no archive"),
        pytest.param(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), id="a broken old workbook"),
    ],
)
def test_a_broken_workbook_is_refused(tmp_path, data):
    (tmp_path / "v.xlsx").write_bytes(data)
    with pytest.raises(SourceUnreadable, match="not a complete workbook"):
        read_workbook(tmp_path / "v.xlsx", "t", OPTIONS)


def test_a_truncated_workbook_is_refused(tmp_path):
    path = workbook(tmp_path / "v.xlsx", A=[["a", "b"], [1, 2]])
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(SourceUnreadable) as caught:
        read_workbook(path, "t", OPTIONS)
    assert caught.value.source == str(path)


def test_a_workbook_without_cells_is_refused(tmp_path):
    with pytest.raises(SourceUnreadable, match="no filled cell"):
        read_workbook(workbook(tmp_path / "v.xlsx", A=[]), "t", OPTIONS)


def rewritten(path, member, content):
    """The workbook with another content for one of its members."""
    with zipfile.ZipFile(path) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**members, member: content}.items():
            archive.writestr(name, data)
    return path


def test_a_bomb_is_refused_by_what_it_declares(tmp_path):
    path = workbook(tmp_path / "v.xlsx", A=[["a"]])
    rewritten(path, "xl/worksheets/sheet1.xml", b" " * 30_000_000)
    with pytest.raises(SourceTooLarge, match="inflated_ratio_max"):
        read_workbook(path, "t", ReadOptions(inflated_ratio_max=100))
    with pytest.raises(SourceTooLarge, match="inflated_bytes_max"):
        read_workbook(path, "t", ReadOptions(inflated_bytes_max=1000))


def test_two_far_corners_are_refused(tmp_path):
    path = workbook(tmp_path / "v.xlsx", A=[["a"]])
    sheet = (
        b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        b'<row r="1"><c r="A1"><v>1</v></c></row>'
        b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>'
    )
    with pytest.raises(SourceTooLarge, match="spans 17179869184 cells"):
        read_workbook(rewritten(path, "xl/worksheets/sheet1.xml", sheet), "t", OPTIONS)


def test_without_the_reader_the_extra_is_named(tmp_path, monkeypatch):
    path = workbook(tmp_path / "v.xlsx", A=[["a"]])
    original = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "python_calamine":
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(SourceError, match=r"pip install 'lastro\[excel\]'"):
        read_workbook(path, "t", OPTIONS)


def test_cells_with_errors_are_counted(tmp_path):
    path = workbook(
        tmp_path / "v.xlsx",
        A=[["a", "b"], ["#N/A", 1], ["#DIV/0!", 2], ["x", 3]],
        B=[["c", "d"], ['t="e"', 2]],
    )
    first, second = read_workbook(path, "t", OPTIONS)
    assert [(warning.code, warning.count) for warning in first.warnings] == [("error_cells", 2)]
    assert columns_of(first)[0] == [None, None, "x"]
    assert second.warnings == ()
