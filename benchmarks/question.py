"""The nouns of a benchmark: what a question is asked with, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from benchmarks.measure import QuietGate, Spread

FULL_ROWS = 10_000_000
"""Most targets are stated for a table of this size."""
MEGA = 1_000_000
GIGA = 1_000_000_000

Unit = Literal["s", "bytes", "modules"]


@dataclass(frozen=True, slots=True)
class Options:
    """What all questions are asked with."""

    rows: int
    repeat: int
    folder: Path
    gate: QuietGate


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a unit."""

    value: float
    unit: Unit

    def __str__(self) -> str:
        match self.unit:
            case "s" if self.value < 1:
                return f"{significant(self.value * 1000)} ms"
            case "bytes" if self.value < GIGA:
                return f"{significant(self.value / MEGA)} MB"
            case "bytes":
                return f"{significant(self.value / GIGA)} GB"
            case unit:
                return f"{significant(self.value)} {unit}"


@dataclass(frozen=True, slots=True)
class Target:
    """A bound for the ratio or, if it has a unit, for our own figure."""

    kind: Literal["at least", "at most"]
    bound: float
    unit: Unit | None = None
    rows: int | None = None
    """The size that it is stated for; None if for any."""

    def admits(self, value: float) -> bool:
        """Whether *value* keeps the bound."""
        return value >= self.bound if self.kind == "at least" else value <= self.bound

    def __str__(self) -> str:
        bound = str(Quantity(self.bound, self.unit)) if self.unit else f"{self.bound:.3g}"
        return f"{'≥' if self.kind == 'at least' else '≤'} {bound}"


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the table: our figure, that of a peer, how they compare, and whether that is enough."""

    question: str
    ours: Quantity
    peer_name: str | None = None
    peer: Quantity | None = None
    ratio: Spread | None = None
    ratio_means: str = ""
    """What it is a multiple of: `as fast` (peer / ours), `its time` or `its memory` (ours / peer)."""
    target: Target | None = None
    rows: int | None = None
    foreign: float | None = None
    """Cores that other processes used meanwhile."""
    further: dict[str, float] = field(default_factory=dict)
    """Numbers that the table has no room for."""

    @property
    def reached(self) -> str:
        """`yes` or `no`, in brackets where the target is stated for another size; `-` without a target."""
        if self.target is None:
            return "-"
        value = self.ratio.median if self.ratio is not None and self.target.unit is None else self.ours.value
        answer = "yes" if self.target.admits(value) else "no"
        return answer if self.target.rows in (None, self.rows) else f"({answer})"


def significant(value: float) -> str:
    """
    A number with three digits that say something, and no exponent.

    >>> significant(0.012345), significant(3.4), significant(123456.0), significant(0)
    ('0.0123', '3.40', '123,456', '0')
    """
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    decimals = 2
    while decimals < 6 and abs(value) * 10**decimals < 100:
        decimals += 1
    return f"{value:.{decimals if abs(value) < 10 else 1}f}"
