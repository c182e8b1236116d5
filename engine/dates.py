"""Reads dates and times as people write them (spec 2, "date" and "datetime"); never shifts them."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal, NamedTuple

from datasources.fine_moment import FineMoment
from datasources.locales import is_month_first

DateFormat = Literal["YYYY-MM-DD", "D/M/Y", "D-M-Y", "D.M.Y", "YYYYMMDD", "native"]
"""`D/M/Y` stands for both orders until the column decides between day first and month first."""

COMPACT_TOKENS = frozenset(["data", "dt", "date", "inicio", "fim", "vencimento", "emissao", "nascimento"])
"""A column whose name has one of these tokens may hold `YYYYMMDD` (spec 2)."""

_TIME = (
    r"(?:(?:T| +)([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:[.,]([0-9]+))?)?"
    r" *(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
_read = re.compile(
    rf"(?:([0-9]{{4}})-([0-9]{{2}})-([0-9]{{2}})|([0-9]{{1,2}})([-/.])([0-9]{{1,2}})\5([0-9]{{4}})){_TIME}"
).fullmatch
_SEPARATED: dict[str, DateFormat] = {"/": "D/M/Y", "-": "D-M-Y", ".": "D.M.Y"}
SEPARATED = frozenset(_SEPARATED.values())
"""The formats in which day and month could be either way round."""


class DateCell(NamedTuple):
    """One date as written; `first` and `second` are day and month in an order still to be decided."""

    format: DateFormat
    year: int
    first: int
    second: int
    time: str = ""
    """`HH:MM:SS`, with the fraction if it is not zero; empty at midnight."""
    offset: str = ""
    """`Z` or `+03:00` as written; dropped with the time at midnight if the whole column is."""
    clock: str = ""
    """`THH:MM:SS` and the offset, for a column in which other cells are not at midnight."""


def read_date(text: str, *, compact: bool = False) -> DateCell | None:
    """
    Read *text* (stripped), or None; *compact* allows `YYYYMMDD`.

    >>> read_date("05/04/2026")
    DateCell(format='D/M/Y', year=2026, first=5, second=4, time='', offset='', clock='T00:00:00')
    """
    if text.isdigit():
        return _read_compact(text) if compact and len(text) == 8 and text.isascii() else None
    match = _read(text)
    if match is None:
        return None
    year, month, day, first, separator, second, late_year, hour, minute, second_, fraction, offset = (
        match.groups()
    )
    time = ""
    clock = "T00:00:00"
    if hour is not None:
        time = f"{int(hour):02d}:{minute}:{second_ or '00'}"
        if fraction and fraction.strip("0"):
            time += f".{fraction}"
        clock = f"T{time}{offset or ''}"
        if time == "00:00:00":
            time = ""
    if year is not None:
        y, m, d = int(year), int(month), int(day)
        return DateCell("YYYY-MM-DD", y, d, m, time, offset or "", clock) if is_day(y, m, d) else None
    y, a, b = int(late_year), int(first), int(second)
    if not (is_day(y, b, a) or is_day(y, a, b)):
        return None
    return DateCell(_SEPARATED[separator], y, a, b, time, offset or "", clock)


def _read_compact(text: str) -> DateCell | None:
    """`YYYYMMDD`."""
    y, m, d = int(text[:4]), int(text[4:6]), int(text[6:])
    return DateCell("YYYYMMDD", y, d, m, "", "", "T00:00:00") if is_day(y, m, d) else None


def read_native_date(value: date) -> DateCell:
    """The cell for a date or datetime that its source already knows as one; local time as it stands."""
    if not isinstance(value, datetime):
        return DateCell("native", value.year, value.day, value.month, "", "", "T00:00:00")
    time = value.strftime("%H:%M:%S")
    behind = value.nanosecond if isinstance(value, FineMoment) else 0
    if value.microsecond or behind:
        time += f".{value.microsecond:06d}{behind:03d}".rstrip("0")
    offset = ""
    if value.tzinfo is not None:
        offset = value.strftime("%z")
        offset = "Z" if offset in ("+0000", "") else f"{offset[:3]}:{offset[3:5]}"
    midnight = time == "00:00:00"
    return DateCell(
        "native", value.year, value.day, value.month, "" if midnight else time, offset, f"T{time}{offset}"
    )


def is_day(year: int, month: int, day: int) -> bool:
    """Whether the calendar has that day."""
    return year >= 1 and 1 <= month <= 12 and 1 <= day <= (28 if day <= 28 else monthrange(year, month)[1])


@dataclass(slots=True)
class DateEvidence:
    """What the cells of a column say about its dates: a state with `add` and `merge`."""

    cells: int = 0
    formats: dict[DateFormat, int] = field(default_factory=dict)
    timed: int = 0
    """Cells not at midnight."""
    first_over_12: int = 0
    second_over_12: int = 0
    not_day_first: int = 0
    """Separated cells that are no day of the calendar when read day first; likewise month first."""
    not_month_first: int = 0

    def add(self, cell: DateCell, count: int = 1) -> None:
        """Count *cell*, seen *count* times."""
        self.cells += count
        self.formats[cell.format] = self.formats.get(cell.format, 0) + count
        if cell.time:
            self.timed += count
        if cell.format in ("D/M/Y", "D-M-Y", "D.M.Y"):
            self.first_over_12 += count * (cell.first > 12)
            self.second_over_12 += count * (cell.second > 12)
            self.not_day_first += count * (not is_day(cell.year, cell.second, cell.first))
            self.not_month_first += count * (not is_day(cell.year, cell.first, cell.second))

    def merge(self, other: DateEvidence) -> None:
        """Take in what *other* saw in other rows of the same column."""
        self.cells += other.cells
        self.timed += other.timed
        self.first_over_12 += other.first_over_12
        self.second_over_12 += other.second_over_12
        self.not_day_first += other.not_day_first
        self.not_month_first += other.not_month_first
        for name, count in other.formats.items():
            self.formats[name] = self.formats.get(name, 0) + count

    @property
    def separated(self) -> int:
        """Cells whose day and month could be either way round."""
        return sum(self.formats.get(name, 0) for name in ("D/M/Y", "D-M-Y", "D.M.Y"))


DateObstacle = Literal["two_formats", "day_and_month", "impossible_date"]
"""Why a column of dates is text all the same."""


def settle_dates(
    evidence: DateEvidence, locale: str | None
) -> tuple[Literal["day", "month"], bool] | DateObstacle:
    """
    Which part comes first in the column, and whether that had to be assumed; or why it is text.

    A first part over 12 proves day first, a second one over 12 month first; else the declared locale
    (`en-US` → month first), else day first, assumed (spec 2).
    """
    if len(evidence.formats) > 1:
        return "two_formats"
    if not evidence.separated:
        return "day", False
    if evidence.first_over_12 and evidence.second_over_12:
        return "day_and_month"
    if evidence.second_over_12:
        return ("month", False) if not evidence.not_month_first else "impossible_date"
    assumed = not evidence.first_over_12
    if assumed and is_month_first(locale):
        return ("month", False) if not evidence.not_month_first else "impossible_date"
    if evidence.not_day_first:
        return "impossible_date"
    return "day", assumed and not locale


def last_day(year: int, month: int) -> int:
    """The last day of a month."""
    return monthrange(year, month)[1]


def is_possible(cell: DateCell, first: Literal["day", "month"]) -> bool:
    """Whether the calendar has the day of *cell*, read with that part first."""
    day, month = (cell.first, cell.second) if first == "day" else (cell.second, cell.first)
    return is_day(cell.year, month, day)


def day_text(cell: DateCell, first: Literal["day", "month"]) -> str:
    """`YYYY-MM-DD`."""
    day, month = (cell.first, cell.second) if first == "day" else (cell.second, cell.first)
    return f"{cell.year:04d}-{month:02d}-{day:02d}"


def moment_text(cell: DateCell, first: Literal["day", "month"]) -> str:
    """`YYYY-MM-DDTHH:MM:SS[.fff]` with the offset as written."""
    return day_text(cell, first) + cell.clock


def local_time(text: str) -> str:
    """
    What `moment_text` gives, without its offset and without zeros that end its fraction.

    >>> local_time("2026-01-01T10:00:00.500-03:00")
    '2026-01-01T10:00:00.5'
    """
    fraction = re.match(r"\.[0-9]*[1-9]", text[19:])
    return text[:19] + (fraction.group() if fraction else "")


def moment_key(text: str) -> tuple[str, str, str]:
    """Orders what `moment_text` gives: by local time, then by text."""
    fraction = re.match(r"\.[0-9]+", text[19:])
    return text[:19], fraction.group().rstrip("0") if fraction else "", text
