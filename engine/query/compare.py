"""Computes the same value of two sets of rows, and by how much the second differs from the first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.exceptions import QueryError
from engine.fact import Fact
from engine.facts import divide_half_even, number_text
from engine.notes import Note
from engine.query.aggregate import AggregateAnswer, aggregate
from engine.query.questions import EDGES, Aggregate, Compare
from engine.query.session import QuerySession, one_request
from engine.query.target import Target, find_band, find_target

if TYPE_CHECKING:
    from datasources.filters import Filter
    from engine.query.questions import Verb

GROWTH_DECIMALS = 2
POINTS = "pp"
"""The unit of a difference of percentages: percentage points, which stand behind the number."""
_WIDE = Context(prec=500)


@dataclass(frozen=True, slots=True)
class CompareAnswer:
    """The answer to a Compare."""

    band: str
    verb: Verb
    field: str | None
    a: AggregateAnswer
    b: AggregateAnswer
    difference: Fact | None
    """`b - a`, in the unit of both; percentages differ in points. Without an id, and without sources, yet."""
    growth: Fact | None
    """`(b - a) / a` in percent; None where there is no difference, or *a* is 0."""
    notes: tuple[Note, ...] = ()


@one_request
def compare(session: QuerySession, question: Compare) -> CompareAnswer:
    """The answer to *question*; raises QueryError where the data have none, saying what to ask instead."""
    band = session.snapshot.bands[find_band(session.snapshot, question.band, _named(question))]
    plain = Aggregate(band.name, question.verb, question.field)
    target = find_target(session.snapshot, plain)
    if question.verb in EDGES and _is_no_number(target):
        raise QueryError("no_comparison", verb=question.verb, field=question.field)
    a, b = (
        aggregate(session, replace(plain, where=_filter_of(side, target)))
        for side in (question.a, question.b)
    )
    left, right = _exact(a), _exact(b)
    if left is None or right is None:
        return CompareAnswer(a.band, a.verb, a.field, a, b, None, None)
    difference = _derived(a, "DIFFERENCE", _difference(a, b, right - left), _unit_of_difference(a))
    if not left:
        return CompareAnswer(a.band, a.verb, a.field, a, b, difference, None, (Note("growth_from_nothing"),))
    growth = _derived(a, "GROWTH", _rounded((right - left) / abs(left) * 100, GROWTH_DECIMALS), "%")
    notes = (Note("growth_from_negative"),) if left < 0 else ()
    return CompareAnswer(a.band, a.verb, a.field, a, b, difference, growth, notes)


def _named(question: Compare) -> list[str]:
    """The fields that a question names, the one it is about first."""
    from datasources.filters import fields_of

    filters = [side for side in (question.a, question.b) if not isinstance(side, str)]
    named = [] if question.field is None else [question.field]
    return named + sorted(frozenset[str]().union(*map(fields_of, filters)))


def _is_no_number(target: Target) -> bool:
    return target.column is not None and not target.is_silent and target.column.type != "number"


def _filter_of(side: Filter | str, target: Target) -> Filter:
    """The filter of a period: that of the only date of the band."""
    from datasources.filters import Condition

    if not isinstance(side, str):
        return side
    dates = [column.name for column in target.band.columns if column.type in ("date", "datetime")]
    if not dates:
        raise QueryError("no_date", period=side, band=target.band.name)
    if len(dates) > 1:
        raise QueryError("which_date", period=side, names=tuple(dates))
    return Condition(field=dates[0], op="=", value=side)


def _exact(answer: AggregateAnswer) -> Fraction | None:
    """The value before it was rounded, so that a growth is of what there is and not of what is shown."""
    if answer.fact is None or answer.fact.number is None:
        return None
    return Fraction(answer.fact.number) if answer.exact is None else answer.exact


def _difference(a: AggregateAnswer, b: AggregateAnswer, exact: Fraction) -> Decimal:
    """As its two values are shown: rounded where they are, else with all of their decimals."""
    if a.decimals is not None:
        return _rounded(exact, a.decimals)
    shown = [one.fact.number or Decimal(0) for one in (a, b) if one.fact is not None]
    return _WIDE.subtract(shown[1], shown[0])


def _unit_of_difference(a: AggregateAnswer) -> str | None:
    """Percentages differ in points."""
    unit = a.fact.unit if a.fact else None
    return POINTS if unit == "%" else unit


def _rounded(exact: Fraction, decimals: int) -> Decimal:
    scaled = exact * 10**decimals
    return Decimal(divide_half_even(scaled.numerator, scaled.denominator)).scaleb(-decimals, _WIDE)


def _derived(a: AggregateAnswer, verb: str, value: Decimal, unit: str | None) -> Fact:
    snapshot = a.fact.snapshot if a.fact else None
    return Fact(number_text(value), "number", verb, a.band, a.field, unit, snapshot=snapshot)
