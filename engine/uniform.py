"""
Reads a whole text column in one go when all of its cells are written alike, as report columns mostly are.

One pattern is held against all distinct cells joined by line breaks, and the digits of all of them are read
together. What is not uniform is left to `evidence.observe_each`, which reads cell by cell; both give the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple

from datasources.base import Cell
from engine.column_evidence import ColumnEvidence
from engine.columns import ColumnType, Typed, read_cell
from engine.dates import DateEvidence
from engine.numbers import INTEGER_DIGITS_MAX, STARTS, Kind, NumberEvidence, read_number

INT64_DIGITS = 18
"""Decimal digits that an int64 holds whatever they are."""
NOTHING = r"[^\s\S]"
"""A pattern without matches."""
DECIMALS_MAX = 9


class Uniform(NamedTuple):
    """A column read at once: its evidence, and its typed values if the column turns out as expected."""

    evidence: ColumnEvidence
    values: Sequence[Typed]
    """One for each distinct cell, in their order."""
    type: str
    style: str
    scale: int
    is_typed: bool = False
    """Whether the cells came as they are read: as integers."""

    def fits(self, column: ColumnType) -> bool:
        """Whether *values* are what *column* reads."""
        same = self.type == column.type and self.scale == column.scale and not column.double
        return same and (self.style == column.style or self.type == "date")


def uniform_of(counts: Mapping[Cell, int], *, compact: bool = False) -> Uniform | None:
    """Read the distinct stripped *counts*, of whatever kind, at once; None when they are not alike."""
    kinds = set(map(type, counts))
    if len(kinds) != 1:
        return None
    cells, seen = list(counts), list(counts.values())
    if kinds == {str}:
        return read_uniform(cells, seen, compact=compact) if cells[0][:1] in STARTS else None  # type: ignore[index]
    return read_uniform_numbers(cells, seen, kinds.pop()) if kinds & {int, float} else None


def read_cells(cells: Collection[Cell], column: ColumnType) -> list[Typed]:
    """What `read_cell` gives for each of *cells* of *column*."""
    if column.type in ("number", "date") and not column.declared and not column.null_values:
        counts = dict.fromkeys(cells, 1)
        counts.pop(None, None)
        uniform = uniform_of(counts)
        if uniform is not None and uniform.fits(column):
            read: dict[Cell, Typed] = dict(zip(counts, uniform.values, strict=True))
            return list(map(read.get, cells))
    return [read_cell(cell, column) for cell in cells]


def uniform_core(style: str, scale: int) -> str:
    """The pattern of an unsigned number with exactly *scale* decimals in *style* (`plain`, `br` or `point`)."""
    digits_max = min(INTEGER_DIGITS_MAX, INT64_DIGITS - scale)
    if digits_max < 3:
        return NOTHING
    digits = rf"(?:0|[1-9][0-9]{{0,{digits_max - 1}}})"
    if style == "plain" or scale == 0:
        return digits
    group, mark = (r"\.", ",") if style == "br" else (",", r"\.")
    groups = max(1, digits_max // 3 - 1)
    return rf"(?:{digits}|[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}}){{1,{groups}}}){mark}[0-9]{{{scale}}}"


def uniform_pattern(style: str, scale: int, unit: str | None) -> str:
    """The pattern of a cell of a uniform column: sign or parentheses, the unit, and digits."""
    core = uniform_core(style, scale)
    money = rf"(?:{re.escape(unit)} ?)?" if unit and unit != "%" else ""
    percent = "%" if unit == "%" else ""
    return rf"(?:-?{money}{core}{percent}|\({money}{core}{percent}\))"


DELETED = str.maketrans(dict.fromkeys(".,)% R$US€£") | {"(": "-"})
"""What remains of a uniform cell is the text of one signed integer."""


@lru_cache(maxsize=256)
def _whole(style: str, scale: int, unit: str | None) -> Any:
    cell = uniform_pattern(style, scale, unit)
    return re.compile(rf"{cell}(?:\n{cell})*").fullmatch


def read_uniform(cells: Sequence[Cell], counts: Sequence[int], *, compact: bool = False) -> Uniform | None:
    """
    Read the distinct stripped texts *cells*, each standing *counts* times; None when they are not alike.

    Where *compact* allows `YYYYMMDD`, plain digits may be dates, which is found out cell by cell.
    """
    first = cells[0]
    assert isinstance(first, str)
    if len(first) > 40 or not first or first[-1] not in "0123456789%)Z":
        return None
    joined = "\n".join(cells)  # type: ignore[arg-type]
    if joined.count("\n") >= len(cells):
        return None  # a line break within a cell would make two of it
    number = read_number(first)
    if number is not None:
        if (
            number.kind not in ("plain", "br", "point")
            or number.leading_zero
            or number.decimals > DECIMALS_MAX
        ):
            return None
        if compact and number.kind == "plain":
            return None
        return _read_numbers(cells, counts, joined, number.kind, number.decimals, number.unit)
    if len(first) >= 10 and first[4:5] == "-":
        return _read_iso(cells, counts, joined)
    if len(first) == 10 and first[2] == "/" and first[5] == "/":
        return _read_separated(cells, counts, joined)
    return None


def _read_numbers(
    cells: Sequence[Cell], counts: Sequence[int], joined: str, style: Kind, decimals: int, unit: str | None
) -> Uniform | None:
    # Three decimals may be thousands: cell by cell is the way to count them.
    if decimals == 3 or _whole(style, decimals, unit)(joined) is None:
        return _read_points(cells, counts, joined) if style in ("point", "plain") and unit is None else None
    values = list(map(int, joined.translate(DELETED).split("\n")))
    found = NumberEvidence()
    total = sum(counts)
    found.cells = found.kinds[style] = total
    found.decimals[style] = decimals
    if style == "plain":
        low = min(map(abs, values))
        found.lengths = set(map(len, map(str, map(abs, values))))
        found.integer_digits = max(found.lengths)
        found.plain_long = total if low >= 1000 else 0
        found.signed_plain = int(unit is not None or "-" in joined or "(" in joined)
    if unit is not None:
        with_unit = total if joined.count(unit) == len(cells) else _rows_with(unit, cells, counts)
        found.units[unit] = with_unit
    return Uniform(ColumnEvidence(total, numbers=found, natives={"text"}), values, "number", style, decimals)


def _rows_with(unit: str, cells: Sequence[Cell], counts: Sequence[int]) -> int:
    return sum(count for cell, count in zip(cells, counts, strict=True) if unit in str(cell))


_are_points = re.compile(
    r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,9})?(?:\n-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,9})?)*"
).fullmatch
_is_ambiguous = re.compile(r"^-?[1-9][0-9]{0,2}\.[0-9]{3}$", re.MULTILINE).search


def _read_points(cells: Sequence[Cell], counts: Sequence[int], joined: str) -> Uniform | None:
    """Numbers with a decimal point and any decimals, such as a program writes; at least one has some."""
    if "." not in joined or _are_points(joined) is None or _is_ambiguous(joined) is not None:
        return None
    found = NumberEvidence()
    total = sum(counts)
    wholes = 0
    plain_long = 0
    parts = [cell.partition(".") for cell in cells]  # type: ignore[union-attr]
    scale = max(len(part[2]) for part in parts)
    values = [int(whole + decimals.ljust(scale, "0")) for whole, _, decimals in parts]
    for (whole, mark, _), count in zip(parts, counts, strict=True):
        if not mark:
            wholes += count
            plain_long += count if len(whole.lstrip("-")) >= 4 else 0
    found.cells = total
    found.kinds["point"] = total - wholes
    found.decimals["point"] = scale
    if wholes:
        found.kinds["plain"] = wholes
        found.decimals["plain"] = 0
        found.plain_long = plain_long
    found.integer_digits = 1
    return Uniform(ColumnEvidence(total, numbers=found, natives={"text"}), values, "number", "point", scale)


_ISO_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ]00:00:00(?:\.0+)?Z?)?"
_are_iso_days = re.compile(rf"{_ISO_DAY}(?:\n{_ISO_DAY})*").fullmatch


def _read_iso(cells: Sequence[Cell], counts: Sequence[int], joined: str) -> Uniform | None:
    """ISO dates, at midnight if they have a time."""
    if _are_iso_days(joined) is None:
        return None
    days = [cell[:10] for cell in cells]  # type: ignore[index]
    if not _are_days(days):
        return None
    total = sum(counts)
    found = DateEvidence(total, {"YYYY-MM-DD": total})
    return Uniform(ColumnEvidence(total, dates=found, natives={"text"}), days, "date", "YYYY-MM-DD", 0)


def _are_days(days: Sequence[str]) -> bool:
    """Whether the calendar has all of *days* (`YYYY-MM-DD`)."""
    try:
        list(map(date.fromisoformat, days))
    except ValueError:
        return False
    return True


_are_separated = re.compile(r"[0-9]{2}/[0-9]{2}/[0-9]{4}(?:\n[0-9]{2}/[0-9]{2}/[0-9]{4})*").fullmatch


def _read_separated(cells: Sequence[Cell], counts: Sequence[int], joined: str) -> Uniform | None:
    """Dates as `DD/MM/YYYY`, some day over 12 and no month: nothing is left to be decided."""
    if _are_separated(joined) is None:
        return None
    days = [f"{cell[6:]}-{cell[3:5]}-{cell[:2]}" for cell in cells]  # type: ignore[index]
    if not _are_days(days):
        return None
    found = DateEvidence()
    for day, count in zip(days, counts, strict=True):
        if day[8:] > "12":
            found.first_over_12 += count
            found.not_month_first += count
    found.cells = found.formats["D/M/Y"] = sum(counts)
    if not found.first_over_12:
        return None
    return Uniform(ColumnEvidence(found.cells, dates=found, natives={"text"}), days, "date", "DD/MM/YYYY", 0)


def read_uniform_numbers(cells: Sequence[Cell], counts: Sequence[int], kind: type) -> Uniform | None:
    """Read distinct numbers that are all ints, or all floats of a few decimals; None for anything else."""
    if kind is int:
        values: list[int] = list(cells)  # type: ignore[arg-type]
        scale = 0
    else:
        texts = list(map(repr, cells))
        joined = "\n".join(texts)
        if "e" in joined or "n" in joined.replace("\n", ""):
            return None
        parts = [text.partition(".") for text in texts]
        scale = max(0 if decimals == "0" else len(decimals) for _, _, decimals in parts)
        if scale > DECIMALS_MAX:
            return None
        values = [
            int(whole + ("0" * scale if decimals == "0" else decimals.ljust(scale, "0")))
            for whole, _, decimals in parts
        ]
    low, high = min(values), max(values)
    largest = max(abs(low), abs(high))
    if largest >= 10**INT64_DIGITS:  # asked first, for Python writes no integers of thousands of digits
        return None
    digits = len(str(largest))
    found = NumberEvidence()
    found.cells = found.kinds["native"] = sum(counts)
    found.decimals["native"] = scale
    found.floats = 0 if kind is int else found.cells
    found.integer_digits = max(1, digits - scale)
    if scale == 0:
        found.lengths = {len(str(abs(low))), digits}
        found.signed_plain = int(low < 0)
    evidence = ColumnEvidence(found.cells, numbers=found, natives={"number"})
    return Uniform(evidence, values, "number", "plain", scale, kind is int)
