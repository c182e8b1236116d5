"""Writes figures as a language writes them: exact, with their unit."""

from __future__ import annotations

import re

from chat.offline.book import is_currency
from chat.tools.wire import Number
from engine.notes import Language
from engine.shown_figures import MONEY_DECIMALS, with_decimals

_day = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})").fullmatch


def number_text(value: str, language: Language) -> str:
    """
    A number in full as *language* groups its digits.

    >>> number_text("-1234567.5", "pt"), number_text("1234.50", "en")
    ('-1.234.567,5', '1,234.50')
    """
    thousands, point = (",", ".") if language == "en" else (".", ",")
    sign, digits = ("-", value[1:]) if value.startswith("-") else ("", value)
    whole, _, fraction = digits.partition(".")
    grouped = f"{int(whole):,}".replace(",", thousands) if len(whole) <= 4000 else whole
    return f"{sign}{grouped}{point}{fraction}" if fraction else f"{sign}{grouped}"


def value_text(value: object, unit: str | None, language: Language) -> str:
    """A value of an answer: a number with its *unit*, a day, or a text as it is."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, Number):
        match = _day(str(value))
        return str(value) if match is None or language == "en" else f"{match[3]}/{match[2]}/{match[1]}"
    if unit is None:
        return number_text(value, language)
    if unit == "%":
        return f"{number_text(value, language)}%"
    if not is_currency(unit):
        return f"{number_text(value, language)} {unit}"
    return f"{unit} {number_text(with_decimals(value, MONEY_DECIMALS), language)}"
