"""Converts what a client sent for one parameter to the parameter's type, or says why it does not fit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING

from datasources.base import DecimalStyle
from datasources.locales import is_month_first, style_of_locale
from datasources.names import WHITE_SPACE
from datasources.suggestion import found_text, listed, remedy

if TYPE_CHECKING:
    from datasources.elements import Parameter

Converted = str | int | Decimal | bool | date | datetime | tuple[str, ...] | None
"""A value of its parameter's type; None is unset."""

TEXT_CHARS_MAX = 10_000
DIGITS_MAX = 38
"""What DECIMAL holds in databases and in Arrow."""
EXPONENT_MAX = 1_000

_TRUE = frozenset({"true", "sim", "yes", "1"})
_FALSE = frozenset({"false", "não", "nao", "no", "0"})

_number = re.compile(
    r"(?P<sign>[-+\u2212]?)(?:R\$[ \u00a0]*)?(?P<core>"
    r"(?P<plain>[0-9]+)"
    r"|(?P<ambiguous>[1-9][0-9]{0,2}[.,][0-9]{3})"
    r"|(?P<br>[1-9][0-9]{0,2}(?:\.[0-9]{3})+,[0-9]+|[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}|[0-9]*,[0-9]+)"
    r"|(?P<point>[1-9][0-9]{0,2}(?:,[0-9]{3})+\.[0-9]+|[1-9][0-9]{0,2}(?:,[0-9]{3}){2,}|[0-9]*\.[0-9]+)"
    r")"
).fullmatch
_moment = re.compile(
    r"(?:(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"|(?P<first>[0-9]{1,2})(?P<mark>[-/.])(?P<second>[0-9]{1,2})(?P=mark)(?P<late_year>[0-9]{4}))"
    r"(?:(?:T| +)(?P<hour>[01]?[0-9]|2[0-3]):(?P<minute>[0-5][0-9])"
    r"(?::(?P<seconds>[0-5][0-9])(?:[.,](?P<fraction>[0-9]{1,6})0*)?)?"
    r" *(?P<offset>Z|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9])?)?"
).fullmatch


class Misfit(ValueError):
    """A value does not fit its parameter; the message is the end of a sentence: what was found, what is allowed."""


def convert(parameter: Parameter, value: object, locale: str | None = None) -> Converted:
    """
    *value* as the type of *parameter*; None when it is null, empty, or an empty list.

    An empty value within a list is refused: a choice that got lost on its way must not mean "all".

    *locale* decides what `1.234` is, and whether `03/04/2026` is in March or April (day first, unless `en-US`).
    Raises Misfit.
    """
    if isinstance(value, str):
        value = _clean(value)
    if value is None or value == "" or (isinstance(value, list | tuple) and not value):
        return None
    match parameter.type:
        case "text":
            return _to_text(value)
        case "number":
            return to_number(value, locale)
        case "date":
            return to_date(value, locale)
        case "datetime":
            return to_datetime(value, locale)
        case "boolean":
            return to_boolean(value)
        case "select":
            return _to_option(value, parameter.options or ())
        case "multiselect":
            return _to_options(value, parameter.options or ())


def canonical(value: Converted) -> str:
    """
    The one full text of a value: `2026-01-01`, `1234.5`, `A, B`, `true`; empty for None.

    >>> canonical(Decimal("1234.50")), canonical(("A", "B")), canonical(True)
    ('1234.50', 'A, B', 'true')
    """
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int():
            return str(value)
        case Decimal():
            return format(value, "f")
        case datetime():
            return _moment_text(value)
        case date():
            return value.isoformat()
        case tuple():
            return ", ".join(value)


def _moment_text(value: datetime) -> str:
    text = value.replace(tzinfo=None).isoformat()
    if value.microsecond:
        text = text.rstrip("0")
    offset = value.utcoffset()
    if offset is None:
        return text
    return text + ("Z" if not offset else value.isoformat()[-6:])


def _clean(text: str) -> str:
    """*text* without white space at its ends, as cells are; what no database takes is refused."""
    if len(text) > TEXT_CHARS_MAX:
        raise Misfit(f"has {len(text):,} characters: at most {TEXT_CHARS_MAX:,} are allowed.")
    if "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise Misfit(
            "has a character that no text may have (NUL, or half of a surrogate pair): send it without."
        )
    return text.strip(WHITE_SPACE)


def _to_text(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(_within_bounds(Decimal(_bounded(value)), value))
    if not isinstance(value, str):
        raise _misfit(value, "a text")
    return value


def to_number(value: object, locale: str | None) -> int | Decimal:
    """A whole number as int, another as an exact Decimal without zeros at its end."""
    if isinstance(value, bool):
        raise _misfit(value, "a number, such as 1234.5 or 1.234,50")
    if isinstance(value, int):
        return _within_bounds(Decimal(_bounded(value)), value)
    if isinstance(value, float):
        return _within_bounds(Decimal(repr(value)), value)
    if isinstance(value, Decimal):
        return _within_bounds(value, value)
    written = _number(value) if isinstance(value, str) else None
    if written is None:
        raise _misfit(value, "a number, such as 1234.5 or 1.234,50")
    style = _style_of(written, locale)
    core = written["core"]
    digits = core.replace(".", "").replace(",", ".") if style == "br" else core.replace(",", "")
    sign = "-" if written["sign"] in ("-", "\u2212") else ""
    return _within_bounds(Decimal(sign + digits), value)


def _style_of(written: re.Match[str], locale: str | None) -> DecimalStyle:
    if written["br"]:
        return "br"
    if not written["ambiguous"]:
        return "point"
    style = style_of_locale(locale)
    if style is None:
        core = written["core"]
        whole, decimals = core[:-4], core[-3:]
        # Whichever was assumed would be wrong by a thousand for half of those who write so.
        raise Misfit(
            f"is {found_text(core)}, which is {whole}{decimals} to some and {whole} and a fraction to others:"
            f" write {whole}{decimals}, or {whole}.{decimals}0; or declare the report's locale."
        )
    return style


def _bounded(value: int) -> int:
    if abs(value) >= 10**DIGITS_MAX:
        raise Misfit(f"has more than {DIGITS_MAX} digits: a number has at most so many.")
    return value


def _within_bounds(value: Decimal, given: object) -> int | Decimal:
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):
        raise _misfit(given, "a finite number")
    if not value:
        return 0
    if abs(exponent) > EXPONENT_MAX or value.adjusted() >= DIGITS_MAX:
        raise Misfit(f"has more than {DIGITS_MAX} digits: a number has at most so many.")
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if sum(map(str.isdigit, text.lstrip("-0."))) > DIGITS_MAX:
        raise Misfit(f"has more than {DIGITS_MAX} digits: a number has at most so many.")
    return Decimal(text) if "." in text else int(text)


def to_date(value: object, locale: str | None) -> date:
    """A day; a time of day is allowed only where it is midnight, and an offset never shifts the day."""
    if not isinstance(value, datetime) and isinstance(value, date):
        return value
    moment = _read_moment(value, locale, "a date, such as 2026-01-31 or 31/01/2026")
    if moment.replace(tzinfo=None) != datetime(moment.year, moment.month, moment.day):  # noqa: DTZ001
        raise Misfit(
            f"is {found_text(value)}, which has a time of day: send the date alone, such as 2026-01-31."
        )
    return moment.date()


def to_datetime(value: object, locale: str | None) -> datetime:
    """A moment, with the offset as written or none; a date alone is its midnight."""
    if not isinstance(value, datetime) and isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001
    return _read_moment(value, locale, "a date and time, such as 2026-01-31T10:30:00 or 31/01/2026 10:30")


def _read_moment(value: object, locale: str | None, expected: str) -> datetime:
    if isinstance(value, datetime):
        return value
    written = _moment(value) if isinstance(value, str) else None
    if written is None:
        raise _misfit(value, expected)
    if written["year"]:
        year, month, day = int(written["year"]), int(written["month"]), int(written["day"])
    else:
        year, day, month = int(written["late_year"]), int(written["first"]), int(written["second"])
        if is_month_first(locale):
            day, month = month, day
    try:
        return datetime(
            year,
            month,
            day,
            int(written["hour"] or 0),
            int(written["minute"] or 0),
            int(written["seconds"] or 0),
            int((written["fraction"] or "").ljust(6, "0")),
            tzinfo=_zone(written["offset"]),
        )
    except ValueError as error:
        order = "" if written["year"] else f" (read {'month' if is_month_first(locale) else 'day'} first)"
        raise Misfit(
            f"is {found_text(value)}, a day that no calendar has{order}: send {expected}."
        ) from error


def _zone(offset: str | None) -> timezone | None:
    if not offset:
        return None
    if offset == "Z":
        return UTC
    minutes = int(offset[1:3]) * 60 + int(offset[-2:])
    return timezone(timedelta(minutes=-minutes if offset[0] == "-" else minutes))


def to_boolean(value: object) -> bool:
    """True or false, as a client or a person writes it in Portuguese or English."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and value in (0, 1):
        return value == 1
    word = value.casefold() if isinstance(value, str) else ""
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise _misfit(value, "true or false (sim or não, 1 or 0)")


def _to_option(value: object, options: Sequence[str]) -> str:
    if isinstance(value, list | tuple):
        raise _misfit(value, f"one of {listed(options, 'or')}")
    text = _to_text(value)
    for option in options:
        if text in (option, option.strip(WHITE_SPACE)):
            return option
    raise Misfit(f"is {found_text(value)}, which is not an option: {remedy(text, options, noun='option')}")


def _to_options(value: object, options: Sequence[str]) -> tuple[str, ...]:
    """The chosen options in the order of their declaration, each once: the order of clicks changes nothing."""
    if isinstance(value, str):
        texts = _split(value, options)
    elif isinstance(value, list | tuple):
        texts = [
            _clean(text) if isinstance(text, str) else _to_text("" if text is None else text)
            for text in value
        ]
    else:
        texts = [_to_text(value)]
    if "" in texts:
        raise Misfit(
            "has an empty value among its options: leave it out, or send an empty list where nothing is chosen."
        )
    chosen = {_to_option(text, options) for text in texts}
    return tuple(option for option in options if option in chosen)


def _split(text: str, options: Sequence[str]) -> list[str]:
    """
    The options that *text* names with commas between; an option may have commas of its own.

    >>> _split("A, Silva, Ana", ["A", "Silva, Ana"])
    ['A', 'Silva, Ana']
    """
    known = {option.strip(WHITE_SPACE) for option in options}
    longest = 1 + max((option.count(",") for option in options), default=0)
    pieces = text.split(",")
    found: list[str] = []
    start = 0
    while start < len(pieces):
        stops = range(min(start + longest, len(pieces)), start, -1)
        joined = {stop: ",".join(pieces[start:stop]).strip(WHITE_SPACE) for stop in stops}
        stop = next((stop for stop in stops if joined[stop] in known), start + 1)
        found.append(joined[stop])
        start = stop
    return found


def _misfit(value: object, expected: str) -> Misfit:
    return Misfit(f"is {found_text(value)}: send {expected}.")
