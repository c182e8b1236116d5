"""Turns the values, periods and limits of a question into the conditions of a filter."""

from __future__ import annotations

import json
from calendar import monthrange
from datetime import date
from typing import Any

from chat.offline.atoms import Amount, Period
from chat.offline.book import Book, is_currency
from chat.offline.frame import Frame
from chat.offline.periods import dated, ends_of, first_day, last_day, text_of
from chat.offline.phrases import Limit, Span
from chat.offline.reading import Condition, Doubt
from chat.tools.wire import Number


def conditions_of(frame: Frame, book: Book) -> list[Condition] | Doubt:
    """All conditions of *frame* but what is compared."""
    found: list[Condition] = []
    fields = [one.field for one in frame.values]
    if len(set(fields)) < len(fields):
        return Doubt("offline_several_values", tuple(one.value for one in frame.values), weight=2)
    found += [equals(one.field, one.value) for one in frame.values]
    if len(frame.periods) + len(frame.spans) > 1:
        return Doubt("offline_several_periods", weight=2)
    for period in frame.periods:
        condition = within(period, frame, book)
        if isinstance(condition, Doubt):
            return condition
        found.append(condition)
    for span in frame.spans:
        condition = _in_span(span, frame, book)
        if isinstance(condition, Doubt):
            return condition
        found.append(condition)
    for limit, name in frame.limits:
        condition = _limited(limit, name, frame, book)
        if isinstance(condition, Doubt):
            return condition
        found.append(condition)
    return found


def equals(field: str, value: str) -> Condition:
    """Rows that have *value*."""
    return {"field": field, "op": "=", "value": value}


def joined(conditions: list[Condition]) -> Condition | None:
    """All of *conditions* as one filter."""
    if not conditions:
        return None
    return conditions[0] if len(conditions) == 1 else {"and": conditions}


def parts_of(where: str | None) -> list[Condition]:
    """The conditions of a filter as a report states it, JSON text; all are to hold."""
    if where is None:
        return []
    found: Any = json.loads(where, parse_float=Number)
    return list(found["and"]) if set(found) == {"and"} else [found]


# ---- periods ----


def within(period: Period, frame: Frame, book: Book) -> Condition | Doubt:
    """Rows of *period*, whose year the data tell where the question does not."""
    found = _placed(period, frame, book)
    if isinstance(found, Doubt):
        return found
    name, sure = found
    span = book.span(name)
    if span is not None:
        low, high = _whole_months(*span)
        first, last = first_day(sure), last_day(sure)
        if first <= high and last >= low and not (low <= first and last <= high):
            return Doubt("offline_beyond_data", tuple(day.isoformat() for day in span), weight=4)
    if sure.kind == "half":
        return {"field": name, "op": "between", "value": list(ends_of(sure))}
    return {"field": name, "op": "=", "value": text_of(sure)}


def _placed(period: Period, frame: Frame, book: Book) -> tuple[str, Period] | Doubt:
    """The date that *period* is of, and the period with its year."""
    name = frame.period_date or book.the_date()
    if isinstance(name, Doubt):
        return name
    span = book.span(name)
    sure = period if period.year is not None else dated(period, *span) if span is not None else None
    if sure is None:
        return Doubt("offline_which_year", weight=3)
    return name, sure


def _whole_months(low: date, high: date) -> tuple[date, date]:
    """Data that end on the 29th are those of the whole month."""
    return low.replace(day=1), high.replace(day=monthrange(high.year, high.month)[1])


def _in_span(span: Span, frame: Frame, book: Book) -> Condition | Doubt:
    placed = []
    name = ""
    for period in span.periods:
        found = _placed(period, frame, book)
        if isinstance(found, Doubt):
            return found
        name, sure = found
        placed.append(sure)
    first, last = ends_of(placed[0])[0], ends_of(placed[-1])[1]
    match span.side:
        case "since":
            return {"field": name, "op": ">=", "value": first}
        case "until":
            return {"field": name, "op": "<=", "value": last}
        case "before":
            return {"field": name, "op": "<", "value": first}
        case "after":
            return {"field": name, "op": ">", "value": last}
    if first_day(placed[0]) > first_day(placed[-1]):
        return Doubt("offline_several_periods", weight=2)
    data = book.span(name)
    if data is not None:
        low, high = _whole_months(*data)
        if first_day(placed[0]) < low or last_day(placed[-1]) > high:
            return Doubt("offline_beyond_data", tuple(day.isoformat() for day in data), weight=4)
    return {"field": name, "op": "between", "value": [first, last]}


# ---- limits ----


def _limited(limit: Limit, name: str | None, frame: Frame, book: Book) -> Condition | Doubt:
    """Rows whose number is within *limit*; what is said of no field is said of what a row is worth."""
    if name is None:
        if not any(band.is_thing for band in frame.bands) and not frame.values:
            return Doubt("offline_no_condition", weight=1)
        if frame.measures:
            return Doubt("offline_no_condition", weight=1)
        found = book.main(is_money=any(one.unit is not None for one in limit.amounts) or is_money(frame))
        if isinstance(found, Doubt):
            return found
        name = found
    unit = book.view.field(name).unit
    for one in limit.amounts:
        if not _fits(one, unit, name, book):
            return Doubt("offline_other_unit", (name, one.unit or ""), weight=2)
    numbers = [Number(format(one.number, "f")) for one in limit.amounts]
    if limit.op == "between":
        return {"field": name, "op": "between", "value": numbers}
    return {"field": name, "op": limit.op, "value": numbers[0]}


def _fits(amount: Amount, unit: str | None, name: str, book: Book) -> bool:
    """Whether a number with its unit can be one of a field with *unit*."""
    if amount.unit is None or amount.unit == unit:
        return True
    if {amount.unit, unit} == {"$", "US$"}:
        return True
    return is_currency(amount.unit) and unit is None and name in book.money()


def is_money(frame: Frame) -> bool:
    """Whether the words say that an amount of money is meant."""
    return frame.has("amount") or any(band.is_money for band in frame.bands)
