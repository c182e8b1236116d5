"""Reads the sheets of a workbook (.xlsx, .ods, .xls) as raw bands (spec 0)."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from datasources.base import Cell, DataWarning, Lists, RawBand, counted
from datasources.csv import column_names, columns_of
from datasources.declared_table import check_declared, declared_table
from datasources.exceptions import SourceError, SourceTooLarge, SourceUnreadable
from datasources.extent import Table, find_table, is_filled
from datasources.options import MIB, ReadOptions

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

CELLS_MAX = 50_000_000
"""A sheet is a full rectangle in memory, so two far corners alone can claim billions of cells."""
_WORKSHEET = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_CELL_PLACE = re.compile(rb"""\br=["']([A-Za-z]{1,3})(\d{1,7})["']""")
_ERROR_CELL = re.compile(rb'<c(?:\s[^<>]*)?\st="e"')
OVERLAP_BYTES = 256
"""What is looked at again with the next block of a sheet: more than the tag of a cell has."""
_ODS_REPEAT = re.compile(rb"""number-(columns|rows)-repeated=["'](\d{1,9})["'][^>]*?(/?)>""")


def read_workbook(path: Path, name: str, options: ReadOptions) -> tuple[RawBand, ...]:
    """
    Read each sheet of *path* that holds cells as a band; a single one is called *name*.

    Raises `SourceUnreadable` for a broken or encrypted workbook or one without cells, `SourceTooLarge` past
    a limit, and `SourceError` when the optional reader is not installed.
    """
    try:
        check_declared(path.name, options)
        errors = _check_archive(path, options)
        sheets = _sheets(path)
        tables = [(title, rows, table) for title, rows in sheets if (table := _find_table(rows, options))]
        if not tables:
            raise SourceUnreadable(f"{path.name} holds no filled cell; give a workbook with a table.")
        if len(tables) == 1:
            tables = [(name, *tables[0][1:])]
        first, *others = [_band(title, rows, table, options) for title, rows, table in tables]
        return replace(first, warnings=(*first.warnings, *_error_warnings(errors))), *others
    except SourceError as error:
        error.source = error.source or str(path)
        raise


def _sheets(path: Path) -> list[tuple[str, list[list[Cell]]]]:
    """Each worksheet's name and rows, all of one length."""
    with _open(path) as workbook:
        from python_calamine import CalamineError

        try:
            return [
                (title, [list(map(_cell, row)) for row in workbook.get_sheet_by_name(title).to_python()])
                for title in _worksheets(workbook)
            ]
        except CalamineError as error:
            raise _broken(path) from error


def _open(path: Path) -> CalamineWorkbook:
    try:
        from python_calamine import CalamineError, PasswordError, load_workbook
    except ImportError as error:
        raise SourceError(
            "Workbooks need an optional reader; install it with: pip install 'lastro[excel]'."
        ) from error
    try:
        return load_workbook(path)
    except PasswordError as error:
        raise _encrypted(path) from error
    except CalamineError as error:
        raise _broken(path) from error


def _worksheets(workbook: CalamineWorkbook) -> list[str]:
    from python_calamine import SheetTypeEnum

    return [sheet.name for sheet in workbook.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]


def _cell(value: object) -> Cell:
    """A native cell as it is; whole floats become integers, times and durations text."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if value is None or value == "":
        return None
    return value if isinstance(value, str | bool | int | date | datetime) else str(value)


def _text(cell: Cell) -> str:
    """What a cell looks like, for the rules that look for the header."""
    if cell is None:
        return ""
    if isinstance(cell, date | datetime):
        return cell.isoformat()
    return format(cell, "f") if isinstance(cell, Decimal) else str(cell)


def _find_table(rows: Sequence[Sequence[Cell]], options: ReadOptions) -> Table | None:
    records = [list(map(_text, row)) for row in rows]
    return find_table(records) if options.header is None else declared_table(records, options)


def _band(title: str, rows: Sequence[Sequence[Cell]], table: Table, options: ReadOptions) -> RawBand:
    header = table.header.names
    columns = columns_of([rows[index] for index in table.rows], len(header))
    # Titles and notes may reach further than the table: nobody sees a column without name and cells.
    seen = _named(header) if options.visible else _seen(header, columns, table.header.is_row)
    names, renamed = column_names([header[position] for position in seen], title, options)
    return RawBand(
        title,
        names,
        Lists(tuple(columns[position] for position in seen), len(table.rows)),
        "sheet",
        "br",
        options.locale,
        options.null_values,
        notes=table.notes,
        warnings=(*table.warnings(title), *renamed),
    )


def _named(header: Sequence[str]) -> range:
    """The columns between the first and the last one that has a name, whatever their cells are."""
    named = [position for position, name in enumerate(header) if is_filled(name)]
    return range(named[0], named[-1] + 1)


def _seen(header: Sequence[str], columns: Sequence[Sequence[Cell]], unnamed: bool) -> range:
    """The columns between the first and the last one that has a name or a cell."""
    shown = [
        position
        for position, (name, cells) in enumerate(zip(header, columns, strict=True))
        if (name.strip() and not unnamed) or any(cell is not None for cell in cells)
    ]
    return range(shown[0], shown[-1] + 1)


# ------------------------------------------------------------------ before it is opened


def _check_archive(path: Path, options: ReadOptions) -> int:
    """
    Refuse what would inflate past the limits, by what the archive declares and where its cells stand.

    Gives how many cells hold an error: the reader takes them for empty ones.
    """
    errors = 0
    if not zipfile.is_zipfile(path):
        return errors
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if any(member.flag_bits & 1 for member in members):
                raise _encrypted(path)
            _check_inflated(path, sum(member.file_size for member in members), options)
            for member in members:
                if _WORKSHEET.fullmatch(member.filename):
                    errors += _check_corners(path, archive, member)
                elif member.filename == "content.xml":
                    _check_repeats(path, archive, member)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, OSError) as error:
        raise _broken(path) from error
    return errors


def _error_warnings(errors: int) -> tuple[DataWarning, ...]:
    if not errors:
        return ()
    holding = counted(errors, "cell of the workbook holds", "cells of the workbook hold")
    message = (
        f"{holding} an error, such as #N/A or #DIV/0!, and {'counts' if errors == 1 else 'count'} as empty."
    )
    return (DataWarning("error_cells", message, None, None, errors),)


def _check_inflated(path: Path, inflated: int, options: ReadOptions) -> None:
    if inflated > options.inflated_bytes_max:
        raise SourceTooLarge(
            f"{path.name} inflates to more than {options.inflated_bytes_max} bytes (inflated_bytes_max)."
        )
    if inflated > MIB and inflated > path.stat().st_size * options.inflated_ratio_max:
        raise SourceTooLarge(
            f"{path.name} inflates to more than {options.inflated_ratio_max} times its size "
            "(inflated_ratio_max), which looks like a decompression bomb."
        )


def _check_corners(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> int:
    """Refuse a sheet whose filled cells span more cells than fit into memory; gives how many hold an error."""
    letters: set[bytes] = set()
    bottom, errors, overlap = 0, 0, b""
    with archive.open(member) as sheet:
        while block := sheet.read(MIB):
            places = _CELL_PLACE.findall(overlap + block)
            letters.update(place[0] for place in places)
            bottom = max(bottom, *(int(place[1]) for place in places), 0)
            if b'"e"' in block:
                errors += len(_ERROR_CELL.findall(overlap + block)) - len(_ERROR_CELL.findall(overlap))
            overlap = block[-OVERLAP_BYTES:]
    right = max(map(_column_number, letters), default=0)
    _check_cells(path, right * bottom)
    return errors


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number


def _check_repeats(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Refuse an .ods sheet that writes a filled cell once and repeats it beyond what fits into memory."""
    # An empty cell or row closes itself or is cut off at the end; a repeated filled one is what costs.
    columns = rows = 1
    overlap = b""
    with archive.open(member) as content:
        while block := content.read(MIB):
            for kind, count, closed in _ODS_REPEAT.findall(overlap + block):
                if kind == b"columns" and not closed:
                    columns = max(columns, int(count))
                elif kind == b"rows":
                    rows = max(rows, int(count))
            overlap = block[-256:]
    if columns > 1_000:
        _check_cells(path, columns * rows)


def _check_cells(path: Path, cells: int) -> None:
    if cells > CELLS_MAX:
        raise SourceTooLarge(
            f"A sheet of {path.name} spans {cells} cells, more than the limit of {CELLS_MAX}; delete what "
            "stands far outside of its table, or export it as CSV."
        )


def _broken(path: Path) -> SourceUnreadable:
    return SourceUnreadable(f"{path.name} is not a complete workbook; open it, save it again and retry.")


def _encrypted(path: Path) -> SourceUnreadable:
    return SourceUnreadable(f"{path.name} is protected by a password; save it without one.")
