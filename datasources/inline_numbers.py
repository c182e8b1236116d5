"""Keeps the digits of the numbers in a definition's own records, and finds those that no column holds (spec 2.7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any

from datasources.conversions import DIGITS_MAX
from datasources.exceptions import Problem
from datasources.json import read_decimal
from datasources.suggestion import found_text

PROBLEMS_MAX = 100
"""One wrong column of many records is said so often, and not once for each of a million."""
DIGITS_SHOWN = 40


def inexact_numbers(path: str, records: object) -> Iterator[Problem]:
    """A problem for each number that would lose digits; integers keep any number of them, as text (spec 2.3)."""
    return islice(_found(path, records), PROBLEMS_MAX)


def plain_records(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """*records* with their numbers as a JSON file gives them: without exponents, and without zeros at the end."""
    return [{key: _plain(value) for key, value in record.items()} for record in records]


def _plain(value: Any) -> Any:
    match value:
        case Decimal():
            return read_decimal(str(value))
        case Mapping():
            return {key: _plain(one) for key, one in value.items()}
        case list() | tuple():
            return [_plain(one) for one in value]
    return value


def _found(path: str, value: object) -> Iterator[Problem]:
    match value:
        case Mapping():
            for key, one in value.items():
                name = f".{key}" if str(key).isidentifier() else f"[{found_text(str(key))}]"
                yield from _found(path + name, one)
        case list() | tuple():
            for index, one in enumerate(value):
                yield from _found(f"{path}[{index}]", one)
        case Decimal() | float():
            number = value if isinstance(value, Decimal) else Decimal(repr(value))
            if not _is_exact(number):
                yield Problem(
                    path,
                    f"found {_shown(number)}, a number that no column holds with all of its digits (at most"
                    f" {DIGITS_MAX}, without an exponent); write it as a text, or with fewer digits.",
                )


def _is_exact(number: Decimal) -> bool:
    """Whether DECIMAL holds *number*: its digits, with the zeros that an exponent stands for."""
    _, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):
        return False  # NaN or infinite
    significant = len("".join(map(str, digits)).rstrip("0")) if exponent < 0 else len(digits)
    decimals = max(0, significant - len(digits) - exponent)
    whole = max(0, number.adjusted() + 1)
    return not number or whole + decimals <= DIGITS_MAX


def _shown(number: Decimal) -> str:
    text = str(number)
    return text if len(text) <= DIGITS_SHOWN else f"{text[:DIGITS_SHOWN]}…"
