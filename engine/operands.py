"""Reads what a calculation is given: ids of facts, earlier results, and numbers as people write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

from engine.cleaning import strip
from engine.exceptions import QueryError
from engine.fact import Fact
from engine.fact_ledger import FactLedger
from engine.facts import number_text
from engine.numbers import decimals_in, read_number

LITERAL_DIGITS_MAX = 60
LITERAL_EXPONENT_MAX = 30
"""Decimals that a number may have, and zeros that an exponent may add."""
LITERAL_CHARS_MAX = 100
"""A longer text is not even looked at."""
CANDIDATES_MAX = 10
"""Of the facts that have the value of a literal, so many are named."""

Given = str | int | Decimal
"""`F12`, `#1`, or a number: of JSON, or as text in plain, point or Brazilian writing."""

_fact_of = re.compile(r"[Ff]([1-9][0-9]{0,8})").fullmatch
_result_of = re.compile(r"#([0-9]{1,3})").fullmatch


class Place(NamedTuple):
    """Where in a call something stands, for its messages."""

    number: int
    """Of the operation, from 1."""
    op: str

    def error(self, code: str, **values: object) -> QueryError:
        """The error *code* at this place."""
        return QueryError(code, number=self.number, op=self.op, **values)


class Exact(NamedTuple):
    """The number `digits / 10**scale`, without zeros at the end of its decimals."""

    digits: int
    scale: int

    @classmethod
    def of(cls, text: str) -> Exact:
        """
        The number that a canonical text stands for.

        >>> Exact.of("-12.5")
        Exact(digits=-125, scale=1)
        """
        whole, _, decimals = text.partition(".")
        return cls(int(whole + decimals), len(decimals))


@dataclass(frozen=True, slots=True)
class Operand:
    """What stood in one place of an operation, and what it was taken for."""

    name: str
    value: str | None
    """In full; None of an earlier result that has none."""
    unit: str | None = None
    fact: str | None = None
    """The id of the fact that it is, or that alone has its value."""
    result: int | None = None
    """The number of the earlier operation that it is the result of."""
    candidates: tuple[str, ...] = ()
    """The ids of the facts that have its value, where they are several."""
    sources: tuple[str, ...] = ()
    """The facts that it comes from, through earlier results too."""
    is_bound: bool = False
    """Whether all of it comes from facts."""
    rounded: bool = False
    """Of an earlier result: whether the exact one has more decimals."""

    @property
    def exact(self) -> Exact | None:
        """The number for calculations."""
        return None if self.value is None else Exact.of(self.value)


def read_operand(
    name: str, given: object, place: Place, ledger: FactLedger, earlier: Sequence[Operand]
) -> Operand:
    """
    What *given* stands for under *name*; *earlier* are the results of the operations before, as operands.

    Raises QueryError for what is no number, or is too long, and for facts and results that are not there.
    """
    if isinstance(given, str):
        if len(given) > LITERAL_CHARS_MAX:
            raise _too_long(name, place)
        text = strip(given)
        if match := _fact_of(text):
            return _fact_operand(name, f"F{match[1]}", place, ledger)
        if match := _result_of(text):
            return _earlier_operand(name, int(match[1]), place, earlier)
        return _bind(name, *_number_of_text(name, text, place), ledger)
    return _bind(name, _bounded(_number(name, given, place), name, place), None, ledger)


def _fact_operand(name: str, fact_id: str, place: Place, ledger: FactLedger) -> Operand:
    fact = ledger.get(fact_id)
    if fact is None:
        raise place.error("calc_unknown_fact", name=name, fact=fact_id)
    number = fact.number
    if number is None:
        raise place.error("calc_fact_no_number", name=name, fact=fact_id, value=fact.value)
    return _of_fact(name, _bounded(number, name, place), fact)


def _of_fact(name: str, value: str, fact: Fact, unit: str | None = None) -> Operand:
    return Operand(name, value, fact.unit or unit, fact.id, sources=(fact.id,), is_bound=not fact.unbound)


def _earlier_operand(name: str, number: int, place: Place, earlier: Sequence[Operand]) -> Operand:
    if not 1 <= number <= len(earlier):
        raise place.error("calc_unknown_result", name=name, result=f"#{number}")
    found = earlier[number - 1]
    return replace(found, name=name, result=number)


def _bind(name: str, value: str, unit: str | None, ledger: FactLedger) -> Operand:
    """
    A literal: the one fact that has its value, if there is one, or the several.

    What was calculated from a number of nobody's knows no more of it the second time.
    """
    found = [
        fact
        for fact in ledger.find(Decimal(value))
        if (unit is None or fact.unit in (None, unit)) and not fact.unbound
    ]
    if len(found) == 1:
        return _of_fact(name, value, found[0], unit)
    return Operand(name, value, unit, candidates=tuple(fact.id for fact in found[:CANDIDATES_MAX]))


# ---- numbers ----


def _number(name: str, given: object, place: Place) -> Decimal:
    if isinstance(given, Decimal) and given.is_finite():
        return given
    if isinstance(given, int) and not isinstance(given, bool):
        if abs(given) >= 10**LITERAL_DIGITS_MAX:
            raise _too_long(name, place)
        return Decimal(given)
    raise _no_number(name, given, place)


def _number_of_text(name: str, text: str, place: Place) -> tuple[str, str | None]:
    """The number and the unit that *text* is written with: `3.454` has decimals, `1.234,56` thousands."""
    cell = read_number(text)
    if cell is None or cell.leading_zero:
        raise _no_number(name, text, place)
    if cell.kind == "comma":
        raise place.error("calc_two_readings", name=name, value=text)
    number = Decimal(f"{cell.digits}E-{decimals_in(cell, 'point')}")
    return _bounded(number, name, place), cell.unit


def _bounded(number: Decimal, name: str, place: Place) -> str:
    """The number in full, if it is not too long."""
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)  # it is finite
    if len(digits) > LITERAL_DIGITS_MAX or abs(exponent) > LITERAL_EXPONENT_MAX:
        raise _too_long(name, place)
    return number_text(number)


def _too_long(name: str, place: Place) -> QueryError:
    return place.error("calc_too_long", name=name, digits=LITERAL_DIGITS_MAX, exponent=LITERAL_EXPONENT_MAX)


def _no_number(name: str, given: object, place: Place) -> QueryError:
    if isinstance(given, bool):
        shown = str(given).lower()
    elif isinstance(given, str | Decimal):
        shown = str(given)
    else:
        shown = type(given).__name__
    return place.error("calc_no_number", name=name, value=shown)
