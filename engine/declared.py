"""Holds a column to what the report declares of it: what does not fit becomes null, and is counted (spec 2)."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Literal

from datasources.base import Cell, DataWarning, DecimalStyle, FieldType, RawBand, counted
from datasources.locales import is_month_first
from engine.cleaning import DATE_NULL_TOKENS, is_null_token
from engine.columns import ColumnType, is_finite, read_cell, read_declared_boolean
from engine.dates import DateEvidence, read_date
from engine.evidence import ColumnEvidence, Misfits
from engine.numbers import UNITS, NumberEvidence, read_number, scale_of

DATES: tuple[FieldType, ...] = ("date", "datetime")


def kind_of(raw: RawBand, position: int) -> FieldType | None:
    """The type that the report declares for the column at *position*, if it does."""
    declared = raw.declared.get(raw.columns[position])
    return declared.kind if declared is not None else None


def may_fit(cell: Cell, kind: FieldType) -> bool:
    """Whether *cell* (stripped, no null) fits *kind* under some reading of its column, or means nothing in it."""
    if kind == "text" or _is_nothing(cell, kind):
        return True
    if kind == "boolean":
        return read_declared_boolean(cell) is not None
    if isinstance(cell, str):
        return (read_number(cell) if kind == "number" else read_date(cell, compact=True)) is not None
    if isinstance(cell, bool) or cell is None:
        return False
    is_number = isinstance(cell, int | float) or type(cell).__name__ == "Decimal"
    if kind == "number":
        return is_number
    return not is_number or (isinstance(cell, int) and read_date(str(cell), compact=True) is not None)


def _is_nothing(cell: Cell, kind: FieldType) -> bool:
    if not isinstance(cell, str):
        return not is_finite(cell)
    return is_null_token(cell) or (kind in DATES and cell in DATE_NULL_TOKENS)


def misfits_among(counts: Mapping[Cell, int], column: ColumnType) -> Misfits:
    """The misfits among the distinct cells (stripped, no nulls) of a declared column."""
    found = Misfits()
    if not column.declared or column.type == "text":
        return found
    for cell, count in counts.items():
        if read_cell(cell, column) is None and not _is_nothing(cell, column.type):
            found.add(cell, count)
    return found


def declared_warnings(
    column: ColumnType, evidence: ColumnEvidence, misfits: Misfits, band: str
) -> list[DataWarning]:
    """What a declared type cost: cells that became null, and times of day that were left out."""
    warnings = []
    if misfits.cells:
        message = (
            f"{counted(misfits.cells, 'cell', 'cells')} of “{column.name}” {'does' if misfits.cells == 1 else 'do'}"
            f" not fit the declared type {column.type} and {'counts' if misfits.cells == 1 else 'count'} as null."
        )
        sample = tuple(misfits.sample)
        warnings.append(DataWarning("declared_mismatch", message, band, column.name, misfits.cells, sample))
    if column.declared and column.type == "date" and evidence.dates.timed:
        count = evidence.dates.timed
        message = (
            f"{counted(count, 'cell', 'cells')} of “{column.name}” {'has' if count == 1 else 'have'} a time of day,"
            " which the declared type date leaves out."
        )
        warnings.append(DataWarning("declared_date", message, band, column.name, count))
    return warnings


def unknown_fields(raw: RawBand) -> list[DataWarning]:
    """A warning for each declared field that the data do not have, with the name that was probably meant."""
    warnings = []
    for name in raw.declared:
        if name not in raw.columns:
            near = get_close_matches(name, raw.columns, n=1)
            hint = f"did you mean “{near[0]}”?" if near else "correct the report, or the source."
            message = f"The report declares “{name}”, which the data do not have: {hint}"
            warnings.append(DataWarning("declared_missing", message, raw.name, name))
    return warnings


# ---- what a column of mixed cells is read as ----


def settle_order(evidence: DateEvidence, locale: str | None) -> tuple[Literal["day", "month"], bool]:
    """Which part of a date comes first, and whether that had to be assumed; some cells may not fit then."""
    day, month = evidence.first_over_12, evidence.second_over_12
    if day or month:
        return ("month" if month > day else "day"), False
    if not evidence.separated:
        return "day", False
    return ("month", False) if is_month_first(locale) else ("day", not locale)


def settle_style(evidence: NumberEvidence, locale: DecimalStyle | None, source: DecimalStyle) -> DecimalStyle:
    """The style of a column with unambiguous cells of both: the locale's, the commoner, or the source's."""
    marks = evidence.spaced_marks
    br = evidence.kinds.get("br", 0) + marks.get(",", 0)
    point = evidence.kinds.get("point", 0) + marks.get(".", 0)
    commoner: DecimalStyle = source if br == point else "br" if br > point else "point"
    return locale or commoner


def settle_unit(evidence: NumberEvidence, declared: str | None) -> str | None:
    """The unit of a column's cells: the declared one, or what most of them are written with."""
    units = evidence.units
    if declared in UNITS:
        return declared if declared in units else None
    if units.get("%", 0) * 2 > evidence.cells:
        return "%"
    money = [(-count, unit) for unit, count in units.items() if unit != "%"]
    return min(money)[1] if money else None


def scale_in(evidence: NumberEvidence, style: str) -> int:
    """The most decimals of the cells that are of *style*."""
    other = {"br": "point", "point": "br"}.get(style)
    kept = {kind: decimals for kind, decimals in evidence.decimals.items() if kind != other}
    return scale_of(NumberEvidence(decimals=kept), style)
