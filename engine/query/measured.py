"""What was found of some rows, exact, and the value that follows: the only place that divides and rounds."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from math import isqrt

from engine.columns import ColumnType, Typed
from engine.dates import moment_key
from engine.fact import FactKind
from engine.facts import (
    AVERAGE_DECIMALS_MIN,
    DOUBLE_DIGITS,
    cell_text,
    divide_half_even,
    double_text,
    nearest_double,
    number_text,
)
from engine.query.questions import COUNTS, EDGES, Verb
from engine.statistics import Total

SHARE_DECIMALS = 2
_WIDE = Context(prec=500)


@dataclass(frozen=True, slots=True)
class Measured:
    """What was found of some rows: exact, and enough for the verb's value."""

    verb: Verb
    column: ColumnType | None
    """None where rows are counted."""
    rows: int
    cells: int
    """Rows in which the field is not null; all of them without a field."""
    total: Total | Fraction | None = None
    """At the column's scale; of doubles rounded, but exact beside *squares*."""
    squares: int | Fraction | None = None
    """The exact sum of the squares of the typed cells."""
    middle: tuple[int | float, int | float] | None = None
    """The two middle cells, or the one twice."""
    edge: Typed = None
    distinct: int | None = None
    whole: Measured | None = None
    """Of a share: what it is a share of."""

    @property
    def kind(self) -> FactKind:
        """Of what kind the value is."""
        if self.verb in EDGES and self.column is not None:
            return self.column.type
        return "number"

    @property
    def unit(self) -> str | None:
        """The unit of the value."""
        if self.verb == "SHARE":
            return "%"
        return None if self.verb in COUNTS or self.column is None else self.column.shown_unit

    @property
    def value(self) -> str | None:
        """The value as facts have it: in full, without trailing zeros; None where there is none."""
        text = self.text()
        if text is None or self.kind != "number" or "." not in text:
            return text
        return number_text(Decimal(text))

    @property
    def exact(self) -> Fraction | None:
        """The value before it is rounded; None where there is none, and of doubles and roots, which have no end."""
        if self.verb in COUNTS:
            return Fraction((self.distinct or 0) if self.verb == "DISTINCT" else self.cells)
        if self.verb == "SHARE":
            return self._exact_share()
        column = self.column
        if column is None or column.type != "number" or column.double or not self.cells:
            return None
        unit = int(10**column.scale)
        match self.verb:
            case "SUM":
                return Fraction(self.total or 0) / unit
            case "AVG":
                return Fraction(self.total or 0) / (self.cells * unit)
            case "MEDIAN":
                assert self.middle is not None
                return Fraction(int(self.middle[0]) + int(self.middle[1]), 2 * unit)
            case "MIN" | "MAX":
                return Fraction(int(self.edge or 0), unit)
            case _:
                return None

    @property
    def decimals(self) -> int | None:
        """With how many decimals a quotient is shown; None of what is shown in full."""
        if self.verb == "SHARE":
            return SHARE_DECIMALS
        return _quotient_decimals(self.column, None) if self.verb == "AVG" and self.column else None

    @property
    def order(self) -> Total | Fraction | Decimal | str | tuple[str, str, str] | None:
        """
        What orders values of one verb: shares and doubles before they are rounded, moments by local time, then text.

        None where there is no value. Plain numbers where they do: a Fraction is compared ten times as slowly.
        """
        if self.verb == "SHARE":
            return self._order_of_share()
        if isinstance(self.edge, float):
            return self.edge if self.cells else None
        text = self.value
        if text is None:
            return None
        if self.kind == "datetime":
            return moment_key(text)
        if self.kind != "number":
            return text
        return Decimal(text)

    @property
    def amount(self) -> Total | Fraction | None:
        """What a share divides: the sum of the field or, without one, the number of rows."""
        if self.column is None:
            return self.rows
        return self.total if self.cells else None

    def text(self, decimals: int | None = None) -> str | None:
        """
        The value, rounded half-even to *decimals*; None where there is none.

        Left out, they are those of the column; for a quotient at least two.
        """
        match self.verb:
            case "COUNT":
                return _fixed(self.cells, 0, decimals or 0)
            case "DISTINCT":
                return _fixed(self.distinct or 0, 0, decimals or 0)
            case "SHARE":
                return self._share(SHARE_DECIMALS if decimals is None else decimals)
        column = self.column
        if not self.cells or column is None:
            return None
        match self.verb:
            case "SUM":
                assert isinstance(self.total, int | float)
                return _scaled(self.total, column, column.scale if decimals is None else decimals, decimals)
            case "AVG":
                return self._average(column, decimals)
            case "MEDIAN":
                return self._median(column, decimals)
            case "STDDEV":
                return self._deviation(column, decimals)
            case _:
                return self._edge(column, decimals)

    def _average(self, column: ColumnType, decimals: int | None) -> str:
        total = self.total
        assert isinstance(total, int | float)
        if column.double:
            is_float = isinstance(total, float)
            return _double(
                total / self.cells if is_float else nearest_double(int(total), self.cells), decimals
            )
        return _fixed(int(total), column.scale, _quotient_decimals(column, decimals), self.cells)

    def _median(self, column: ColumnType, decimals: int | None) -> str:
        assert self.middle is not None
        low, high = self.middle
        if column.double:
            half = Fraction(low) / 2 + Fraction(high) / 2
            return _double(nearest_double(half.numerator, half.denominator), decimals)
        both = int(low) + int(high)
        shown = column.scale + both % 2 if decimals is None else decimals
        return _fixed(both, column.scale, shown, 2)

    def _deviation(self, column: ColumnType, decimals: int | None) -> str | None:
        if self.cells < 2:
            return None
        assert self.total is not None
        assert self.squares is not None
        shown = _quotient_decimals(column, decimals)
        # n·Σx² − (Σx)² over n·(n−1), whose root is rounded once.
        spread = Fraction(self.squares * self.cells - Fraction(self.total) ** 2) / (
            self.cells * (self.cells - 1)
        )
        if not column.double:
            return _with_decimals(_root_half_even(spread * 100**shown / 100**column.scale), shown)
        # Twenty digits more than are shown leave nothing for a second rounding to spoil.
        digits = (len(str(spread.numerator)) - len(str(spread.denominator))) // 2
        size = DOUBLE_DIGITS + 20 - digits
        root = Decimal(_root_half_even(spread * Fraction(100) ** size)).scaleb(-size, _WIDE)
        return _double_of(root, decimals)

    def _edge(self, column: ColumnType, decimals: int | None) -> str:
        if column.type != "number":
            return cell_text(self.edge, column)
        assert isinstance(self.edge, int | float)
        return _scaled(self.edge, column, column.scale if decimals is None else decimals, decimals)

    def _share(self, decimals: int) -> str | None:
        share = self._exact_share()
        if share is None:
            return None
        scaled = share * 10**decimals
        return _with_decimals(divide_half_even(scaled.numerator, scaled.denominator), decimals)

    def _order_of_share(self) -> Total | Fraction | None:
        """Of shares of one whole their parts are in order, and of less than nothing the other way round."""
        part, whole = self.amount, None if self.whole is None else self.whole.amount
        if part is None or not whole:
            return None
        return part if whole > 0 else -part

    def _exact_share(self) -> Fraction | None:
        part = self.amount
        if part is None:  # of a field without cells there is no whole either
            return None
        assert self.whole is not None
        whole = self.whole.amount
        return Fraction(part) * 100 / Fraction(whole) if whole else None


def _quotient_decimals(column: ColumnType, decimals: int | None) -> int:
    return max(AVERAGE_DECIMALS_MIN, column.scale) if decimals is None else decimals


def _scaled(value: Total, column: ColumnType, shown: int, decimals: int | None) -> str:
    return _double(value, decimals) if column.double else _fixed(int(value), column.scale, shown)


def _fixed(value: int, scale: int, decimals: int, divisor: int = 1) -> str:
    """`value / 10**scale / divisor` with exactly *decimals*."""
    shift = decimals - scale
    dividend, divisor = (value * 10**shift, divisor) if shift >= 0 else (value, divisor * 10**-shift)
    return _with_decimals(divide_half_even(dividend, divisor), decimals)


def _with_decimals(value: int, decimals: int) -> str:
    return format(Decimal(value).scaleb(-decimals, _WIDE), "f")


def _double(value: int | float, decimals: int | None) -> str:
    if decimals is None:
        return double_text(value, DOUBLE_DIGITS)
    exact = Fraction(value) * 10**decimals
    return _with_decimals(divide_half_even(exact.numerator, exact.denominator), decimals)


def _double_of(value: Decimal, decimals: int | None) -> str:
    if decimals is None:
        return number_text(Context(prec=DOUBLE_DIGITS).plus(value))
    exact = Fraction(value) * 10**decimals
    return _with_decimals(divide_half_even(exact.numerator, exact.denominator), decimals)


def _root_half_even(square: Fraction) -> int:
    """The whole number nearest to the root of *square*, the even one of two equally near."""
    floor = isqrt(square.numerator // square.denominator)
    # The root is past floor + 1/2 where its square is past (2·floor + 1)² / 4.
    double, middle = 4 * square, (2 * floor + 1) ** 2
    return floor + (double > middle or (double == middle and floor % 2))
