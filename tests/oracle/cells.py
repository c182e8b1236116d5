"""Reads one cell at a time: numbers, dates and the tokens that stand for nothing (spec 1 and 2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Context, Decimal
from functools import cached_property, lru_cache

EXACT = Context(prec=300)
"""Wide enough that nothing here is ever rounded."""

SPACES = (
    [chr(code) for code in (0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0x85, 0xA0, 0x1680)]
    + [chr(code) for code in range(0x2000, 0x200B)]
    + [chr(code) for code in (0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF, 0x200B)]
)

NULL_TOKENS = {
    *("-", "--", "...", "..", "X", "N/A", "n/a", "NA", "n/d", "N/D", "null", "NULL", "nil", "none", "None"),
    *("#N/D", "#NULO#", "#NE#", "s/d", "NaN", "nan", "inf", "-inf", "Infinity", "-Infinity", "INF"),
}
DATE_NULL_TOKENS = {"00000000", "0000-00-00", "00/00/0000"}
DASHES_OF_MONEY = re.compile(r"(R\$|US\$|\$|€|£)[ \u00a0\u202f]*-+")

SIGN = "[-+\u2212]"
MONEY = "(?:(?P<money>R\\$|US\\$|\\$|€|£)[ \u00a0\u202f]?)"
DIGITS = "(?P<digits>[0-9.,' \u00a0\u202f]*[0-9])"
FORMS = [
    re.compile(f"(?P<sign>{SIGN})?{MONEY}?{DIGITS}(?P<percent>%)?"),
    re.compile(f"{MONEY}(?P<sign>{SIGN}){DIGITS}"),
    re.compile(f"{MONEY}?{DIGITS}(?P<sign>{SIGN})"),
    re.compile(rf"(?P<sign>\(){MONEY}?{DIGITS}(?P<percent>%)?\)"),
    re.compile(rf"{MONEY}(?P<sign>\(){DIGITS}\)"),
]

PLAIN = re.compile(r"[0-9]+")
BR = re.compile(r"[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]+)?|[0-9]*,[0-9]+")
POINT = re.compile(r"[0-9]*\.[0-9]+|[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?")
SPACED = re.compile("[1-9][0-9]{0,2}([ \u00a0\u202f'][0-9]{3})+([.,][0-9]+)?")

CLOCK = r"(?P<time>[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)(?P<offset>Z|[-+][0-9]{2}:?[0-9]{2})?"
TIME = f"(?:(?:T| +){CLOCK})?"
ISO = re.compile(r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})" + TIME)
PARTS = re.compile(
    r"(?P<first>[0-9]{1,2})(?P<mark>[-/.])(?P<second>[0-9]{1,2})(?P=mark)(?P<year>[0-9]{4})" + TIME
)
COMPACT = re.compile(r"(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})")


def strip(cell: str) -> str:
    """*cell* without white space at its ends (spec 1.1)."""
    while cell and cell[0] in SPACES:
        cell = cell[1:]
    while cell and cell[-1] in SPACES:
        cell = cell[:-1]
    return cell


@lru_cache(maxsize=50_000)
def is_null_token(cell: str) -> bool:
    """Whether *cell* stands for nothing where its column is a number, date or boolean (spec 1.2)."""
    return (
        cell in NULL_TOKENS
        or re.fullmatch(r"\*{2,}", cell) is not None
        or DASHES_OF_MONEY.fullmatch(cell) is not None
    )


@dataclass(frozen=True)
class NumberCell:
    """A cell that is a number, before its style is known."""

    digits: str
    negative: bool
    signed: bool
    money: str | None
    percent: bool

    @cached_property
    def styles(self) -> set[str]:
        """The decimal styles that this cell fits; empty for those that fit any."""
        spaced = SPACED.fullmatch(self.digits)
        if spaced:
            return {",": {"br"}, ".": {"point"}}.get((spaced[2] or " ")[0], set())
        fits = {"br": BR, "point": POINT}
        return {style for style, pattern in fits.items() if pattern.fullmatch(self.digits)}

    @property
    def is_plain(self) -> bool:
        return PLAIN.fullmatch(self.digits) is not None

    @property
    def has_leading_zero(self) -> bool:
        return re.match("0[0-9]", self.digits) is not None

    def text(self, style: str) -> str:
        """The digits with a point as the only mark."""
        digits = re.sub("[ \u00a0\u202f']", "", self.digits)
        if style == "br":
            return digits.replace(".", "").replace(",", ".")
        return digits.replace(",", "")

    def value(self, style: str) -> Decimal:
        text = self.text(style)
        return EXACT.create_decimal(("-" if self.negative else "") + ("0" + text if text[0] == "." else text))

    def decimals(self, style: str) -> int:
        return len(self.text(style).partition(".")[2])

    def integer_digits(self, style: str) -> int:
        return len(self.text(style).partition(".")[0])


@lru_cache(maxsize=50_000)
def number_cell(cell: str) -> NumberCell | None:
    """*cell* as a number of any style, or None."""
    for form in FORMS:
        found = form.fullmatch(cell)
        if found is None:
            continue
        digits, sign = found["digits"], found["sign"]
        if any(pattern.fullmatch(digits) for pattern in (PLAIN, BR, POINT, SPACED)):
            negative = sign is not None and sign != "+"
            percent = found.groupdict().get("percent") is not None
            return NumberCell(digits, negative, sign is not None, found["money"], percent)
    return None


@dataclass(frozen=True)
class Moment:
    """A day, with the time and offset that were written with it."""

    day: date
    time: str = ""
    offset: str = ""

    @property
    def is_midnight(self) -> bool:
        return not self.time.strip("0:.")

    @property
    def clock(self) -> str:
        """With seconds always, and a fraction only if it is not zero."""
        whole, _, fraction = (self.time if len(self.time) > 5 else (self.time or "00:00") + ":00").partition(
            "."
        )
        return f"{whole}.{fraction}" if fraction.strip("0") else whole

    @property
    def text(self) -> str:
        return f"{self.day.isoformat()}T{self.clock}{self.offset}"

    @property
    def order(self) -> tuple[date, str, Decimal, str]:
        return self.day, self.clock[:5], Decimal(self.clock[6:]), self.text


def moment(found: re.Match[str], year: str, month: str, day: str) -> Moment | None:
    """The moment of a matched cell, or None if there is no such day or time."""
    groups = found.groupdict()
    time, offset = groups.get("time") or "", groups.get("offset") or ""
    if time and (int(time[:2]) > 23 or int(time[3:5]) > 59 or int(time[6:8] or 0) > 59):
        return None
    try:
        return Moment(date(int(year), int(month), int(day)), time, offset)
    except ValueError:
        return None
