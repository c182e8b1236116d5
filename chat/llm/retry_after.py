"""Reads how long a provider asks to wait."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_number = re.compile(r"[0-9]{1,300}(?:\.[0-9]{1,300})?", re.ASCII).fullmatch


def read_retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """
    The seconds to wait (RFC 9110 10.2.3: a number, or a date), or None where nothing that can be read is said.

    >>> read_retry_after({"retry-after": "20"}), read_retry_after({"retry-after": "soon"})
    (20.0, None)
    """
    said = headers.get("retry-after-ms", "").strip()  # of OpenAI and Azure
    if _number(said):
        return float(said) / 1_000
    said = headers.get("retry-after", "").strip()
    if _number(said):
        return float(said)
    if said.isascii() and said.isdigit():
        return math.inf
    try:
        date = parsedate_to_datetime(said)
    except (ValueError, IndexError, OverflowError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())
