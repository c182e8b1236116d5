"""Holds the moments that are finer than Python's own."""

from __future__ import annotations

from datetime import datetime
from typing import Any


class FineMoment(datetime):
    """A moment with nanoseconds behind the microseconds, at which Python's own ends."""

    nanosecond: int
    """1 to 999."""

    @classmethod
    def of(cls, moment: datetime, nanosecond: int) -> datetime:
        """
        The moment so many nanoseconds after *moment*: itself, where there are none.

        >>> str(FineMoment.of(datetime(2026, 1, 2, 3), 7))
        '2026-01-02 03:00:00.000000007'
        """
        if not nanosecond:
            return moment
        fine = cls.combine(moment.date(), moment.timetz())
        fine.nanosecond = nanosecond
        return fine

    def isoformat(self, sep: str = "T", timespec: str = "auto") -> str:
        """All nine digits behind the second, whatever *timespec* says."""
        text = super().isoformat(sep, "microseconds")
        return f"{text[:26]}{self.nanosecond:03d}{text[26:]}"

    def __eq__(self, other: object) -> bool:
        """Whether *other* is the same moment to the nanosecond."""
        return super().__eq__(other) is True and getattr(other, "nanosecond", 0) == self.nanosecond

    def __ne__(self, other: object) -> bool:
        """The opposite, which `datetime` has of its own."""
        return not self == other

    def __hash__(self) -> int:
        """Of the nanosecond too."""
        return hash((super().__hash__(), self.nanosecond))

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        """For processes that hand it on: as the moment and its nanoseconds."""
        return FineMoment.of, (datetime.combine(self.date(), self.timetz()), self.nanosecond)
