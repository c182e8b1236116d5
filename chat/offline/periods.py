"""Finds periods in a question: days, weeks, months, quarters, halves and years, as people write them."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date

from chat.offline.atoms import Atom, Period
from chat.offline.lexicon import Lexicon, QuestionLanguage
from chat.offline.tokens import Word

YEARS = (1900, 2100)

_year = re.compile(r"[0-9]{4}").fullmatch
_day = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})").fullmatch
_slashed_day = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})").fullmatch
_month = re.compile(r"([0-9]{4})-([0-9]{2})").fullmatch
_slashed_month = re.compile(r"([0-9]{1,2})/([0-9]{4})").fullmatch
_quarter = re.compile(r"([0-9]{4})-[tq]([1-4])").fullmatch
_slashed_quarter = re.compile(r"[tq]([1-4])/([0-9]{4})").fullmatch
_bare_quarter = re.compile(r"[tq]([1-4])").fullmatch
_week = re.compile(r"([0-9]{4})-w([0-9]{2})").fullmatch
_number = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th|º|o)?").fullmatch

_LINKS = frozenset({"de", "do", "of", "in", "em"})
_BEFORE_MAY = frozenset(
    {"in", "for", "of", "during", "and", "to", "from", "between", "or", "vs", "versus", "by"}
)


def find_periods(words: Sequence[Word], lexicon: Lexicon, language: QuestionLanguage) -> list[Atom]:
    """Every period that is named in *words*, in each way in which it can be read."""
    return [
        Atom(start, end, period)
        for start in range(len(words))
        for end, period in _periods_at(words, start, lexicon, language)
        if _is_possible(period)
    ]


def _periods_at(
    words: Sequence[Word], start: int, lexicon: Lexicon, language: QuestionLanguage
) -> Iterator[tuple[int, Period]]:
    word = words[start].folded
    if (period := _written(word, language)) is not None:
        yield start + 1, period
    if word in lexicon.months:
        yield from _named_month(words, start, lexicon)
    if (match := _number(word)) is not None:
        yield from _named_day(words, start, int(match[1]), lexicon)
    if (match := _bare_quarter(word)) is not None:
        yield from _with_year(words, start + 1, Period("quarter", None, int(match[1])))
    ordinal = lexicon.ordinals.get(word)
    if ordinal is not None and start + 1 < len(words):
        following = words[start + 1].folded
        if following in lexicon.quarters:
            yield from _with_year(words, start + 2, Period("quarter", None, ordinal))
        if following in lexicon.halves and ordinal <= 2:
            yield from _with_year(words, start + 2, Period("half", None, ordinal))


def _written(word: str, language: QuestionLanguage) -> Period | None:
    """A period in digits."""
    if _year(word) and YEARS[0] <= int(word) <= YEARS[1]:
        return Period("year", int(word))
    if match := _day(word):
        return Period("day", int(match[1]), int(match[2]), int(match[3]))
    if match := _slashed_day(word):
        first, second = int(match[1]), int(match[2])
        if language == "en" and first <= 12 and second <= 12 and first != second:
            return None  # two readings
        day, month = (first, second) if language == "pt" or first > 12 else (second, first)
        return Period("day", int(match[3]), month, day)
    if match := _month(word):
        return Period("month", int(match[1]), int(match[2]))
    if match := _slashed_month(word):
        return Period("month", int(match[2]), int(match[1]))
    if match := _quarter(word):
        return Period("quarter", int(match[1]), int(match[2]))
    if match := _slashed_quarter(word):
        return Period("quarter", int(match[2]), int(match[1]))
    if match := _week(word):
        return Period("week", int(match[1]), int(match[2]))
    return None


def _named_month(words: Sequence[Word], start: int, lexicon: Lexicon) -> Iterator[tuple[int, Period]]:
    """`abril`, `abril de 2026`, `April 15, 2026`; a short name needs its year."""
    number, is_full = lexicon.months[words[start].folded]
    month = Period("month", None, number)
    found = list(_with_year(words, start + 1, month))
    is_sure = is_full and (
        words[start].folded != "may"
        or words[start].text[0].isupper()
        or (start > 0 and words[start - 1].folded in _BEFORE_MAY)
    )
    yield from (pair for pair in found if pair[1].year is not None or is_sure)
    following = _number(words[start + 1].folded) if start + 1 < len(words) else None
    if following is not None and is_full:
        yield from _with_year(words, start + 2, Period("day", None, number, int(following[1])))


def _named_day(words: Sequence[Word], start: int, day: int, lexicon: Lexicon) -> Iterator[tuple[int, Period]]:
    """`15 de abril`, `15 de abril de 2026`, `15 April`."""
    at = start + 1
    if at < len(words) and words[at].folded in _LINKS:
        at += 1
    if at < len(words) and words[at].folded in lexicon.months:
        number, _ = lexicon.months[words[at].folded]
        yield from _with_year(words, at + 1, Period("day", None, number, day))


def _with_year(words: Sequence[Word], end: int, period: Period) -> Iterator[tuple[int, Period]]:
    """*period*, and with the year that follows it."""
    at = end + 1 if end < len(words) and words[end].folded in _LINKS else end
    if at < len(words) and _year(words[at].folded) and YEARS[0] <= int(words[at].folded) <= YEARS[1]:
        yield at + 1, Period(period.kind, int(words[at].folded), period.number, period.day)
    else:
        yield end, period


def _is_possible(period: Period) -> bool:
    """Whether the calendar has it, in some year."""
    try:
        first_day(period if period.year is not None else Period(period.kind, 2024, period.number, period.day))
    except ValueError:
        return False
    return True


# ---- the days of a period ----


def first_day(period: Period) -> date:
    """The first day of a *period* with its year; ValueError where the calendar has none."""
    assert period.year is not None
    match period.kind:
        case "day":
            return date(period.year, period.number, period.day)
        case "week":
            return date.fromisocalendar(period.year, period.number, 1)
        case "month":
            return date(period.year, period.number, 1)
        case "quarter":
            return date(period.year, 3 * period.number - 2, 1)
        case "half":
            return date(period.year, 6 * period.number - 5, 1)
        case "year":
            return date(period.year, 1, 1)


def last_day(period: Period) -> date:
    """The last day of a *period* with its year."""
    first = first_day(period)
    match period.kind:
        case "day":
            return first
        case "week":
            return date.fromisocalendar(first.isocalendar()[0], first.isocalendar()[1], 7)
        case "month":
            return first.replace(day=monthrange(first.year, first.month)[1])
        case "quarter":
            return first.replace(month=first.month + 2, day=monthrange(first.year, first.month + 2)[1])
        case "half":
            return first.replace(month=first.month + 5, day=monthrange(first.year, first.month + 5)[1])
        case "year":
            return first.replace(month=12, day=31)


def dated(period: Period, low: date, high: date) -> Period | None:
    """*period* with its year, which is the only one in which data from *low* to *high* have it; None for several."""
    if period.year is not None:
        return period
    found = []
    for year in range(low.year, high.year + 1):
        one = Period(period.kind, year, period.number, period.day)
        try:
            inside = first_day(one) <= high and last_day(one) >= low
        except ValueError:  # 29 February
            continue
        if inside:
            found.append(one)
    if not found and low.year == high.year:
        return Period(period.kind, low.year, period.number, period.day)
    return found[0] if len(found) == 1 else None


def text_of(period: Period) -> str:
    """A *period* with its year as a filter has it; a half has no such text."""
    match period.kind:
        case "day":
            return f"{period.year:04d}-{period.number:02d}-{period.day:02d}"
        case "week":
            return f"{period.year:04d}-W{period.number:02d}"
        case "month":
            return f"{period.year:04d}-{period.number:02d}"
        case "quarter":
            return f"{period.year:04d}-Q{period.number}"
        case "half":
            raise ValueError("a half of a year has no text of its own")
        case "year":
            return f"{period.year:04d}"


def ends_of(period: Period) -> tuple[str, str]:
    """The first and the last part of a *period* as a filter has them."""
    if period.kind != "half":
        return text_of(period), text_of(period)
    first = 6 * period.number - 5
    return f"{period.year:04d}-{first:02d}", f"{period.year:04d}-{first + 5:02d}"


def is_one_period(unit: str, low: date, high: date) -> bool:
    """Whether all days from *low* to *high* are of one month, quarter or year."""
    match unit:
        case "year":
            return low.year == high.year
        case "quarter":
            return low.year == high.year and (low.month - 1) // 3 == (high.month - 1) // 3
        case "month":
            return (low.year, low.month) == (high.year, high.month)
        case "week":
            return low.isocalendar()[:2] == high.isocalendar()[:2]
        case _:
            return low == high
