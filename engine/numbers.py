"""
Reads numbers as people write them (spec 2, "Numbers"): Brazilian, international, money, percent.

A cell is read once into a `NumberCell`; what the cells of a column say together is `NumberEvidence`;
`settle` turns the evidence into one reading for the whole column.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from math import log10
from typing import Literal, NamedTuple, TypeVar, get_args

from datasources.base import DecimalStyle
from engine.cleaning import CURRENCY

INTEGER_DIGITS_MAX = 15
"""More than these are a key, not a quantity: they would not survive a double."""
DECIMALS_NATIVE_MAX = 9
"""A native floating-point column is decimal when all of its values have at most these decimals."""
UNITS = frozenset({"%", "R$", "US$", "$", "€", "£"})
"""What a number may be written with."""
DECIMAL_DIGITS_MAX = 38
"""What DECIMAL holds in DuckDB and Arrow."""
DOUBLE_INTEGER_DIGITS_MAX = 308
"""Numbers of more digits before the mark may be past the largest double."""
DOUBLE_DECIMALS_MAX = 1_075
"""Half of the smallest double has so many decimals: of what follows only matters whether there is anything."""

Kind = Literal["plain", "br", "point", "dot", "comma", "spaced", "native"]
"""
How a cell is written. `dot` (`1.234`) and `comma` (`1,234`) are the ambiguous ones: one group of three,
thousands in one style and decimals in the other. `spaced` and `native` (not text at all) fit any style.
"""

Key = TypeVar("Key", bound=str)

KINDS: tuple[Kind, ...] = get_args(Kind)

_SPACE = "[ \u00a0\u202f]"
_SIGN = "[-+\u2212]"
_CORES = {
    "plain": r"[0-9]+",
    "dot": r"[1-9][0-9]{0,2}\.[0-9]{3}",
    "comma": r"[1-9][0-9]{0,2},[0-9]{3}",
    "br": r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+,[0-9]+|[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}|[0-9]*,[0-9]+",
    "point": r"[1-9][0-9]{0,2}(?:,[0-9]{3})+\.[0-9]+|[1-9][0-9]{0,2}(?:,[0-9]{3}){2,}|[0-9]*\.[0-9]+",
    "spaced": r"[1-9][0-9]{0,2}(?:[ \u00a0\u202f'][0-9]{3})+(?:[.,][0-9]+)?",
}
_ANY_CORE = "|".join(_CORES.values())
PATTERN = (
    rf"(?:{_SIGN})?(?:(?:{CURRENCY}){_SPACE}*)?(?:{_ANY_CORE})(?:{_SPACE}?%)?"
    rf"|(?:{CURRENCY}){_SPACE}*{_SIGN}(?:{_ANY_CORE})"
    rf"|(?:(?:{CURRENCY}){_SPACE}*)?(?:{_ANY_CORE}){_SIGN}"
    rf"|\((?:(?:{CURRENCY}){_SPACE}*)?(?:{_ANY_CORE})(?:{_SPACE}?%)?\)"
    rf"|(?:{CURRENCY}){_SPACE}*\((?:{_ANY_CORE})\)"
)
"""Every cell that reads as a number, in the syntax that Python's and Rust's regular expressions share."""

STARTS = frozenset("0123456789.,+-\u2212($R€£U")
"""What a number begins with: a digit, a mark, a sign, a parenthesis or a currency. Dates begin with a digit."""

_parts_of = re.compile(
    rf"(\()?({_SIGN})?(?:({CURRENCY}){_SPACE}*(\(|{_SIGN})?)?"
    rf"([0-9.,](?:[0-9., \u00a0\u202f']*[0-9])?)({_SIGN})?(?:{_SPACE}?(%))?(\))?"
).fullmatch
_kind_of = re.compile("|".join(f"(?P<{kind}>{core})" for kind, core in _CORES.items())).fullmatch
_without_marks = str.maketrans("", "", ".,' \u00a0\u202f")
_NEGATIVE = frozenset("-\u2212(")


class NumberCell(NamedTuple):
    """One number as written, before its column's style is known."""

    kind: Kind
    digits: int
    """All digits as one signed integer; what they are worth depends on `decimals_in`."""
    decimals: int
    """Digits behind the last mark, were it the decimal mark (3 for the ambiguous kinds)."""
    integer_digits: int
    """Digits before the decimal mark (all of them for the ambiguous kinds)."""
    unit: str | None = None
    """`%`, a currency, or nothing."""
    leading_zero: bool = False
    """`0` followed by a digit before any mark: a code."""
    mark: str = ""
    """The decimal mark that a `spaced` cell shows."""


def read_number(text: str) -> NumberCell | None:
    """
    Read *text* (stripped), or None when it is not written as a number.

    >>> read_number("R$ (53.180,08)")
    NumberCell(kind='br', digits=-5318008, decimals=2, integer_digits=5, unit='R$', leading_zero=False, mark='')
    >>> read_number("1E5") is None
    True
    """
    if text.isdigit() and text.isascii():
        return _plain(text)
    parts = _parts_of(text)
    if parts is None:
        return None
    opened, sign, currency, inner, core, trail, percent, closed = parts.groups()
    if not _is_signed_once(opened, sign, inner, trail, percent, closed):
        return None
    kind_match = _kind_of(core)
    if kind_match is None:
        return None
    kind = kind_match.lastgroup
    digits = core.translate(_without_marks)
    is_negative = bool(_NEGATIVE.intersection((opened, sign, inner, trail)))
    decimals, mark = 0, ""
    if kind == "br":
        decimals = len(core) - core.rfind(",") - 1 if "," in core else 0
    elif kind == "point":
        decimals = len(core) - core.rfind(".") - 1 if "." in core else 0
    elif kind == "spaced":
        mark = "," if "," in core else "." if "." in core else ""
        decimals = len(core) - core.rfind(mark) - 1 if mark else 0
    elif kind != "plain":
        value = -int(digits) if is_negative else int(digits)
        return NumberCell(kind, value, 3, len(digits), percent or currency)  # type: ignore[arg-type]
    integer_digits = len(digits) - decimals
    leading = integer_digits > 1 and digits[0] == "0"
    value, decimals = _integer(digits, decimals)
    value = -value if is_negative else value
    return NumberCell(kind, value, decimals, integer_digits, percent or currency, leading, mark)  # type: ignore[arg-type]


def _is_signed_once(
    opened: str | None,
    sign: str | None,
    inner: str | None,
    trail: str | None,
    percent: str | None,
    closed: str | None,
) -> bool:
    """Whether there is one sign at most, or one pair of parentheses, in a place where `PATTERN` has it."""
    if opened:
        return bool(closed) and not (sign or inner or trail)
    if inner == "(":
        return bool(closed) and not (sign or trail or percent)
    if closed:
        return False
    if inner or trail:
        return not percent and not sign and not (inner and trail)
    return True


def _plain(text: str) -> NumberCell:
    length = len(text)
    value = int(text) if length <= DOUBLE_INTEGER_DIGITS_MAX else _integer(text, 0)[0]
    return NumberCell("plain", value, 0, length, None, length > 1 and text[0] == "0")


def _integer(digits: str, decimals: int) -> tuple[int, int]:
    """
    *digits* as an integer, the last *decimals* of which stand behind the mark; returns both.

    A cell may have millions of digits, and Python needs hours for such an integer. So of more digits than any double
    has, only those are kept that tell which double is nearest (spec 2, numbers, 7), or that it is past all of them.
    """
    if len(digits) <= DOUBLE_INTEGER_DIGITS_MAX:
        return int(digits), decimals
    behind = decimals - DOUBLE_DECIMALS_MAX
    if behind > 0:
        has_more = bool(digits[-behind:].strip("0"))
        digits, decimals = digits[:-behind] + str(int(has_more)), DOUBLE_DECIMALS_MAX + 1
    digits = digits.lstrip("0")
    if len(digits) - decimals > DOUBLE_INTEGER_DIGITS_MAX + 1:
        return int(digits[: DOUBLE_INTEGER_DIGITS_MAX + 2]), 0
    return int(digits or "0"), decimals


def read_native(value: int | float | Decimal) -> NumberCell | None:
    """
    The cell for a number that its source already knows as one; None for NaN and infinities.

    A float counts with the decimals of its shortest text: `0.1` has one.
    """
    if isinstance(value, int):
        return NumberCell("native", value, 0, _digit_count(value))
    exact = Decimal(repr(value)) if isinstance(value, float) else value
    if not exact.is_finite():
        return None
    sign, digits, exponent = exact.as_tuple()
    assert isinstance(exponent, int)
    if exact == 0:
        decimals = 0 if isinstance(value, float) else max(-exponent, 0)
        return NumberCell("native", 0, decimals, 0 if decimals else 1)
    places = len(digits)
    if isinstance(value, float):
        while exponent < 0 and places > 1 and digits[places - 1] == 0:
            places -= 1
            exponent += 1
        if exponent == -1 and digits[places - 1] == 0:
            exponent = 0
    if exponent > DECIMAL_DIGITS_MAX or -exponent > 400 or places + exponent > DECIMAL_DIGITS_MAX:
        # Far outside DECIMAL: the column becomes DOUBLE, whose cells are read from the source again.
        if isinstance(value, float):  # none has so many decimals
            return NumberCell("native", 0, 0, DECIMAL_DIGITS_MAX + 1)
        return NumberCell("native", 0, DECIMAL_DIGITS_MAX + 1, 0)
    number = int("".join(map(str, digits[:places])) or "0")
    integer_digits = max(places + exponent, 0 if exponent < 0 else 1)  # `0.5` needs none
    if exponent > 0:
        number, exponent = number * 10**exponent, 0
    return NumberCell("native", -number if sign else number, -exponent, integer_digits)


def _digit_count(value: int) -> int:
    size = abs(value)
    if size < 10**DECIMAL_DIGITS_MAX:
        return len(str(size))
    return max(DECIMAL_DIGITS_MAX + 1, int(size.bit_length() * log10(2)) + 1)  # one too many at most


_NEITHER: frozenset[DecimalStyle] = frozenset()
_BR: frozenset[DecimalStyle] = frozenset({"br"})
_POINT: frozenset[DecimalStyle] = frozenset({"point"})
_BOTH = _BR | _POINT


@dataclass(slots=True)
class NumberEvidence:
    """What the cells of a column say about its numbers: a state with `add` and `merge`."""

    cells: int = 0
    kinds: dict[Kind, int] = field(default_factory=dict)
    units: dict[str, int] = field(default_factory=dict)
    """Cells per currency, and under `%`; cells without a unit are the rest."""
    decimals: dict[Kind, int] = field(default_factory=dict)
    """The most decimals seen per kind."""
    leading_zero: int = 0
    spaced_marks: dict[str, int] = field(default_factory=dict)
    plain_long: int = 0
    """Plain cells of four digits or more: their thousands are not grouped."""
    lengths: set[int] = field(default_factory=set)
    """How many digits the plain cells have, native integers among them (of those the least and the most)."""
    signed_plain: int = 0
    integer_digits: int = 0
    """The most digits before the decimal mark, ambiguous cells read as thousands."""
    floats: int = 0
    """Native cells that are binary floating point."""

    def add(self, cell: NumberCell, count: int = 1) -> None:
        """Count *cell*, seen *count* times."""
        kind, _, decimals, integer_digits, unit, leading, mark = cell
        self.cells += count
        self.kinds[kind] = self.kinds.get(kind, 0) + count
        if unit is not None:
            self.units[unit] = self.units.get(unit, 0) + count
        if decimals > self.decimals.get(kind, -1):
            self.decimals[kind] = decimals
        if leading:
            self.leading_zero += count
        self.integer_digits = max(self.integer_digits, integer_digits)
        if kind == "plain" or (kind == "native" and decimals == 0):
            if integer_digits >= 4 and kind == "plain":
                self.plain_long += count
            self.lengths.add(integer_digits)
            if unit is not None or cell.digits < 0:
                self.signed_plain += count
        elif mark:
            self.spaced_marks[mark] = self.spaced_marks.get(mark, 0) + count

    def merge(self, other: NumberEvidence) -> None:
        """Take in what *other* saw in other rows of the same column."""
        self.cells += other.cells
        self.leading_zero += other.leading_zero
        self.plain_long += other.plain_long
        self.signed_plain += other.signed_plain
        self.floats += other.floats
        self.integer_digits = max(self.integer_digits, other.integer_digits)
        self.lengths |= other.lengths
        _add_counts(self.kinds, other.kinds)
        _add_counts(self.units, other.units)
        _add_counts(self.spaced_marks, other.spaced_marks)
        for kind, decimals in other.decimals.items():
            self.decimals[kind] = max(self.decimals.get(kind, 0), decimals)

    @property
    def ambiguous(self) -> int:
        """Cells of one group of three: thousands in one style, decimals in the other."""
        return self.kinds.get("dot", 0) + self.kinds.get("comma", 0)

    @property
    def own_styles(self) -> frozenset[DecimalStyle]:
        """The styles that the unambiguous cells prove."""
        br = self.kinds.get("br") or self.spaced_marks.get(",")
        if self.kinds.get("point") or self.spaced_marks.get("."):
            return _BOTH if br else _POINT
        return _BR if br else _NEITHER

    @property
    def one_length(self) -> int | None:
        """The digits of every cell, when all are plain digits of one length."""
        plain = self.kinds.get("plain", 0) + self.kinds.get("native", 0)
        only_plain = self.cells == plain and not self.signed_plain and not self.decimals.get("native")
        return next(iter(self.lengths)) if only_plain and len(self.lengths) == 1 else None


def _add_counts(mine: dict[Key, int], theirs: Mapping[Key, int]) -> None:
    for key, count in theirs.items():
        mine[key] = mine.get(key, 0) + count


Obstacle = Literal["leading_zero", "long_digits", "two_styles", "two_currencies", "mixed_percent"]
"""Why a column of numbers is text all the same."""


def obstacle(evidence: NumberEvidence) -> Obstacle | None:
    """What keeps the column text although every cell reads as a number (spec 2, numbers, 1 to 3 and 6)."""
    if evidence.leading_zero:
        return "leading_zero"
    written = evidence.cells - evidence.kinds.get("native", 0)
    if evidence.integer_digits > DOUBLE_INTEGER_DIGITS_MAX:
        return "long_digits"
    # Native floating point is no key, whole or not (spec 2: "native integers").
    quantities = evidence.decimals.get("native") or evidence.floats
    if evidence.integer_digits > INTEGER_DIGITS_MAX and (written or not quantities):
        return "long_digits"
    if len(evidence.own_styles) > 1:
        return "two_styles"
    units = evidence.units
    if "%" in units and (len(units) > 1 or units["%"] < evidence.cells):
        return "mixed_percent"
    if len(units) > 1:
        return "two_currencies"
    return None


Decider = Literal["cells", "locale", "plain", "neighbours", "groups", "source"]
"""Which of the six rules of spec 2, numbers, 1 spoke first."""


def settle(
    evidence: NumberEvidence,
    locale: DecimalStyle | None,
    neighbours: DecimalStyle | None,
    source: DecimalStyle,
) -> tuple[DecimalStyle | Literal["plain"], Decider]:
    """
    The one style of a column, and the rule that decided it.

    *neighbours* is the style of the other columns of the band, when their unambiguous cells all have one.
    """
    own = evidence.own_styles
    if own:
        return next(iter(own)), "cells"
    if not evidence.ambiguous:
        return "plain", "cells"
    if locale is not None:
        return locale, "locale"
    dots, commas = evidence.kinds.get("dot", 0), evidence.kinds.get("comma", 0)
    one_mark = not (dots and commas)
    if one_mark and evidence.plain_long:
        return ("point" if dots else "br"), "plain"
    if neighbours is not None:
        return neighbours, "neighbours"
    if one_mark and evidence.kinds.get("plain") and evidence.ambiguous >= 2:
        return ("br" if dots else "point"), "groups"
    return source, "source"


def decimals_in(cell: NumberCell, style: str) -> int:
    """How many of the cell's digits stand behind the decimal mark in a column of *style*."""
    if cell.kind == "dot":
        return 3 if style == "point" else 0
    if cell.kind == "comma":
        return 3 if style == "br" else 0
    return cell.decimals


_WITH_DECIMALS: tuple[Kind, ...] = ("br", "point", "spaced", "native")


def scale_of(evidence: NumberEvidence, style: str) -> int:
    """The most decimals written in the column, read in *style* (spec 2, numbers, 7)."""
    decimals = evidence.decimals
    scale = max([decimals.get(kind, 0) for kind in _WITH_DECIMALS])
    if (decimals.get("dot") and style == "point") or (decimals.get("comma") and style == "br"):
        scale = max(scale, 3)
    return scale
