"""
Calculates with facts and numbers, exactly: closed operations with named operands, and nothing that is evaluated.

Every result is the exact quotient of two whole numbers, rounded half-even once. What it was calculated from goes
with it, so that a number that comes from the data can be told from one that does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Literal, NamedTuple, get_args

from engine.exceptions import QueryError
from engine.fact import Fact
from engine.fact_ledger import FactLedger
from engine.facts import AVERAGE_DECIMALS_MIN, divide_half_even, scaled_text
from engine.notes import Note
from engine.operands import Exact, Given, Operand, Place, read_operand

OPERATIONS_MAX = 20
VALUES_MAX = 100
DECIMALS_MAX = 12
RESULT_DIGITS_MAX = 120
PERIODS_MAX = 1000
RATE_DECIMALS_MAX = 20
"""A power of a rate has so many digits times its periods."""
RATIO_DECIMALS = 6
PERCENT_DECIMALS = 2

OperationName = Literal[
    "sum", "average", "product", "difference", "ratio", "percentage", "growth", "compound"
]


@dataclass(frozen=True, slots=True)
class Operation:
    """One step of a calculation."""

    op: str
    operands: Mapping[str, Given | Sequence[Given]]
    """By name, see `OPERANDS`."""
    decimals: int | None = None
    """Of the result; None for those that the operation has by itself."""


@dataclass(frozen=True, slots=True)
class Calculation:
    """The result of one operation."""

    op: str
    value: str | None
    """In full, without zeros at the end; None where there is none, and a note says why."""
    unit: str | None
    rounded: bool
    """Whether the exact result, or one that it was calculated from, has more decimals."""
    operands: tuple[Operand, ...]
    notes: tuple[Note, ...] = ()
    fact: Fact | None = None
    """What the ledger may add; it has no id yet."""

    @property
    def is_bound(self) -> bool:
        """Whether everything that it was calculated from comes from facts."""
        return all(one.is_bound for one in self.operands)


def calculate(operations: Sequence[Operation], ledger: FactLedger) -> tuple[Calculation, ...]:
    """
    The result of each of *operations*, whose operands are facts of *ledger*, earlier results, or numbers.

    An earlier result counts as it is shown, rounded. The ledger stays as it is: `Calculation.fact` is there to be
    added. Raises QueryError for what cannot be calculated (a missing or unknown operand, a text that is no number)
    and for what is too large; a division by zero is a note.
    """
    if not operations:
        raise QueryError("calc_no_operations")
    if len(operations) > OPERATIONS_MAX:
        raise QueryError("calc_too_many_operations", count=len(operations), max=OPERATIONS_MAX)
    found: list[Calculation] = []
    earlier: list[Operand] = []
    for number, operation in enumerate(operations, start=1):
        place = Place(number, operation.op)
        done = _calculate(operation, place, ledger, earlier)
        found.append(done)
        sources = done.fact.sources if done.fact is not None else ()
        earlier.append(
            Operand(
                "",
                done.value,
                done.unit,
                None,
                number,
                sources=sources,
                is_bound=done.is_bound,
                rounded=done.rounded,
            )
        )
    return tuple(found)


def _calculate(
    operation: Operation, place: Place, ledger: FactLedger, earlier: Sequence[Operand]
) -> Calculation:
    kind = _KINDS.get(operation.op)
    if kind is None:
        raise place.error("calc_unknown_op", names=get_args(OperationName))
    if operation.decimals is not None and not _is_whole(operation.decimals, DECIMALS_MAX):
        raise place.error("calc_decimals", max=DECIMALS_MAX)
    given = list(_given(operation, kind, place))
    operands = tuple([read_operand(name, value, place, ledger, earlier) for name, value in given])
    unit, notes = kind.unit(operands)
    numbers = [number for one in operands if (number := one.exact) is not None]
    if len(numbers) < len(operands):
        empty = next(one for one in operands if one.value is None)
        note = Note("calc_no_operand", name=empty.name, result=f"#{empty.result}")
        return Calculation(operation.op, None, None, False, operands, (note,))
    quotient = kind.compute(numbers, place)
    if quotient.divisor == 0:
        note = Note("calc_division_by_zero", name=kind.divisor)
        return Calculation(operation.op, None, None, False, operands, (note,))
    if operation.op == "growth" and numbers[0].digits < 0:
        notes = (*notes, Note("calc_negative_initial", initial=operands[0].value))
    value, rounded = _rounded(quotient, operation.decimals, place)
    rounded = rounded or any(one.rounded for one in operands)
    fact = _fact(value, operation.op, unit, operands, ledger)
    return Calculation(operation.op, value, unit, rounded, operands, notes, fact)


def _is_whole(value: object, greatest: int) -> bool:
    return type(value) is int and 0 <= value <= greatest


def _given(operation: Operation, kind: _Kind, place: Place) -> Iterator[tuple[str, object]]:
    """(name, what was given) of each operand, in the order of the operation's own names."""
    for name in operation.operands:
        if name not in kind.operands:
            raise place.error("calc_unknown_operand", name=name, names=kind.operands)
    for name in kind.operands:
        value = operation.operands.get(name)
        is_list = isinstance(value, Sequence) and not isinstance(value, str)
        if value is None or (is_list and not value):
            raise place.error("calc_missing_operand", name=name)
        if is_list != kind.takes_list:
            raise place.error("calc_list_needed" if kind.takes_list else "calc_one_needed", name=name)
        if isinstance(value, Sequence) and not isinstance(value, str):
            if len(value) > VALUES_MAX:
                raise place.error("calc_too_many_values", count=len(value), max=VALUES_MAX)
            yield from ((name, one) for one in value)
        else:
            yield name, value


def _fact(value: str, op: str, unit: str | None, operands: Sequence[Operand], ledger: FactLedger) -> Fact:
    sources = tuple(dict.fromkeys([source for one in operands for source in one.sources]))
    known = [fact for source in sources if (fact := ledger.get(source)) is not None]
    bands = {fact.band for fact in known}
    snapshots = {fact.snapshot for fact in known}
    return Fact(
        value,
        "number",
        op.upper(),
        band=bands.pop() if len(bands) == 1 else None,
        unit=unit,
        snapshot=snapshots.pop() if len(snapshots) == 1 else None,
        sources=sources,
        unbound=not all(one.is_bound for one in operands),
    )


# ---- numbers ----


class Quotient(NamedTuple):
    """An exact result, before it is rounded."""

    dividend: int
    divisor: int
    """Positive, or 0 where there is no result."""
    decimals: int
    """Those that the operation gives by itself."""


def _rounded(quotient: Quotient, decimals: int | None, place: Place) -> tuple[str, bool]:
    """The result in full, and whether it was rounded."""
    places = quotient.decimals if decimals is None else decimals
    shown = min(places, RESULT_DIGITS_MAX)
    dividend = quotient.dividend * 10**shown
    digits = divide_half_even(dividend, quotient.divisor)
    is_rounded = digits * quotient.divisor != dividend
    if (is_rounded and shown < places) or not _fits(digits, shown):
        raise place.error("calc_result_too_long", digits=RESULT_DIGITS_MAX)
    return scaled_text(digits, shown), is_rounded


def _fits(digits: int, places: int) -> bool:
    """Whether `digits / 10**places` has few enough digits, zeros at its end not counted."""
    limit: int = 10**RESULT_DIGITS_MAX
    if abs(digits) >= limit * 10**places:
        return False
    while abs(digits) >= limit and digits % 10 == 0 and places:
        digits, places = digits // 10, places - 1
    return abs(digits) < limit


def _aligned(numbers: Sequence[Exact]) -> tuple[list[int], int]:
    """The numbers as whole multiples of `10**-scale`, and the scale."""
    scale = max(one.scale for one in numbers)
    return [one.digits * 10 ** (scale - one.scale) for one in numbers], scale


def _sum(numbers: Sequence[Exact], place: Place) -> Quotient:
    digits, scale = _aligned(numbers)
    return Quotient(sum(digits), 10**scale, scale)


def _average(numbers: Sequence[Exact], place: Place) -> Quotient:
    digits, scale = _aligned(numbers)
    return Quotient(sum(digits), 10**scale * len(digits), max(AVERAGE_DECIMALS_MIN, scale))


def _product(numbers: Sequence[Exact], place: Place) -> Quotient:
    digits, scale = 1, 0
    for one in numbers:
        digits, scale = digits * one.digits, scale + one.scale
    return Quotient(digits, 10**scale, scale)


def _difference(numbers: Sequence[Exact], place: Place) -> Quotient:
    (minuend, subtrahend), scale = _aligned(numbers)
    return Quotient(minuend - subtrahend, 10**scale, scale)


def _divided(dividend: int, divisor: int, decimals: int) -> Quotient:
    return Quotient(-dividend if divisor < 0 else dividend, abs(divisor), decimals)


def _ratio(numbers: Sequence[Exact], place: Place) -> Quotient:
    (numerator, denominator), _ = _aligned(numbers)
    return _divided(numerator, denominator, RATIO_DECIMALS)


def _percentage(numbers: Sequence[Exact], place: Place) -> Quotient:
    (part, whole), _ = _aligned(numbers)
    return _divided(100 * part, whole, PERCENT_DECIMALS)


def _growth(numbers: Sequence[Exact], place: Place) -> Quotient:
    (initial, final), _ = _aligned(numbers)
    # Of its size, so that growth is positive where there is more in the end.
    return Quotient(100 * (final - initial), abs(initial), PERCENT_DECIMALS)


def _compound(numbers: Sequence[Exact], place: Place) -> Quotient:
    initial, rate, periods = numbers
    if periods.scale or not _is_whole(periods.digits, PERIODS_MAX):
        raise place.error("calc_periods", max=PERIODS_MAX)
    if rate.scale > RATE_DECIMALS_MAX:
        raise place.error("calc_rate", decimals=RATE_DECIMALS_MAX)
    # (100 + rate) / 100, a period.
    factor, scale = 100 * 10**rate.scale + rate.digits, rate.scale + 2
    while scale and factor and factor % 10 == 0:
        factor, scale = factor // 10, scale - 1
    decimals = max(AVERAGE_DECIMALS_MIN, initial.scale)
    if initial.digits and factor:
        size = log10(abs(initial.digits)) - initial.scale + periods.digits * (log10(abs(factor)) - scale)
        if size > RESULT_DIGITS_MAX:  # seen before it is computed
            raise place.error("calc_result_too_long", digits=RESULT_DIGITS_MAX)
    grown = initial.digits * factor**periods.digits
    return Quotient(grown, 10 ** (initial.scale + scale * periods.digits), decimals)


# ---- units ----

_Unit = tuple[str | None, tuple[Note, ...]]


def _units(operands: Sequence[Operand]) -> tuple[str, ...]:
    """The units among *operands*, each once, in order."""
    return tuple(dict.fromkeys([one.unit for one in operands if one.unit is not None]))


def _differ(units: tuple[str, ...]) -> tuple[Note, ...]:
    return (Note("calc_units_differ", names=units),) if len(units) > 1 else ()


def _shared_unit(operands: Sequence[Operand]) -> _Unit:
    units = _units(operands)
    return (units[0] if len(units) == 1 else None), _differ(units)


def _percent(operands: Sequence[Operand]) -> _Unit:
    return "%", _differ(_units(operands))


def _unit_of_product(operands: Sequence[Operand]) -> _Unit:
    named = [one for one in operands if one.unit is not None]
    percent = next((one for one in named if one.unit == "%"), None)
    if percent is not None and len(operands) > 1:
        note = Note("calc_percent_factor", value=percent.value)
        return None, (note,)
    return (named[0].unit if len(named) == 1 else None), ()


def _unit_of_ratio(operands: Sequence[Operand]) -> _Unit:
    numerator, denominator = operands
    if denominator.unit is None:
        return numerator.unit, ()
    return None, _differ(_units(operands))


def _unit_of_compound(operands: Sequence[Operand]) -> _Unit:
    initial, rate, periods = operands
    strange = [one for one in (rate, periods) if one.unit is not None and (one is periods or one.unit != "%")]
    notes = [Note("calc_unit_left_out", name=one.name, unit=one.unit) for one in strange]
    return initial.unit, tuple(notes)


@dataclass(frozen=True, slots=True)
class _Kind:
    """What an operation takes and does."""

    operands: tuple[str, ...]
    compute: Callable[[Sequence[Exact], Place], Quotient]
    unit: Callable[[Sequence[Operand]], _Unit]
    takes_list: bool = False
    divisor: str | None = None
    """The operand that must not be 0."""


_KINDS: Mapping[str, _Kind] = {
    "sum": _Kind(("values",), _sum, _shared_unit, takes_list=True),
    "average": _Kind(("values",), _average, _shared_unit, takes_list=True),
    "product": _Kind(("values",), _product, _unit_of_product, takes_list=True),
    "difference": _Kind(("minuend", "subtrahend"), _difference, _shared_unit),
    "ratio": _Kind(("numerator", "denominator"), _ratio, _unit_of_ratio, divisor="denominator"),
    "percentage": _Kind(("part", "whole"), _percentage, _percent, divisor="whole"),
    "growth": _Kind(("initial", "final"), _growth, _percent, divisor="initial"),
    "compound": _Kind(("initial", "rate", "periods"), _compound, _unit_of_compound),
}

OPERANDS: Mapping[str, tuple[str, ...]] = {name: kind.operands for name, kind in _KINDS.items()}
"""The names of the operands of each operation; `values` is a list."""
