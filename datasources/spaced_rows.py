"""Says which rows stand for a band in an excerpt: evenly spaced ones (spec 7)."""

from __future__ import annotations

EXCERPT_ROWS_MAX = 100
"""Rows of a whole report, unless the caller says otherwise."""


def spaced_rows(rows: int, share: int) -> tuple[int, ...]:
    """
    The rows `floor(i * n / k)` of *rows* n, for a *share* k (spec 7).

    >>> spaced_rows(24, 10)
    (0, 2, 4, 7, 9, 12, 14, 16, 19, 21)
    """
    share = min(share, rows)
    return tuple([index * rows // share for index in range(share)])
