"""Says which texts mean nothing (spec 1): the empty cell everywhere, null tokens in typed columns."""

from __future__ import annotations

import re

from datasources.names import WHITE_SPACE

CURRENCY = r"R\$|US\$|\$|€|£"
"""The currencies that a number may carry, as a regular expression."""

NULL_TOKENS = frozenset(
    [
        "-",
        "--",
        "...",
        "..",
        "X",
        "N/A",
        "n/a",
        "NA",
        "n/d",
        "N/D",
        "null",
        "NULL",
        "nil",
        "none",
        "None",
        "#N/D",
        "#NULO#",
        "#NE#",
        "s/d",
        "NaN",
        "nan",
        "inf",
        "-inf",
        "Infinity",
        "-Infinity",
        "INF",
    ]
)
"""Texts that count as null in a column that reads as number, date or boolean without them (spec 1.2)."""

DATE_NULL_TOKENS = frozenset({"00000000", "0000-00-00", "00/00/0000"})
"""Further ones, in date columns only."""

_NULL_PATTERN = re.compile(rf"\*\*+|(?:{CURRENCY})[ \u00a0\u202f]*-+")


def strip(text: str) -> str:
    """*text* without white space at either end (spec 1.1)."""
    return text.strip(WHITE_SPACE)


def is_null_token(text: str) -> bool:
    """
    Whether *text*, already stripped, may stand for nothing in a number, date or boolean column.

    >>> [is_null_token(text) for text in ("-", "***", "R$ -", "*", "NAN")]
    [True, True, True, False, False]
    """
    return text in NULL_TOKENS or (text[-1:] in "-*" and _NULL_PATTERN.fullmatch(text) is not None)
