"""Writes the figures of answers as a person reads them: with their unit, and with the decimals of their column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chat.tools.wire import Number
from engine.query.compare import POINTS
from engine.shown_figures import own_decimals, with_decimals

if TYPE_CHECKING:
    from engine.fact import Fact
    from engine.fact_ledger import FactLedger
    from engine.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Figures:
    """What is known of the figures of answers."""

    ledger: FactLedger
    scales: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """The decimals of number columns, by band and field."""

    @classmethod
    def of(cls, ledger: FactLedger, snapshot: Snapshot) -> Figures:
        """Those of answers about *snapshot*."""
        scales = {
            (band.name, column.name): column.scale
            for band in snapshot.bands
            for column in band.columns
            if column.type == "number"
        }
        return cls(ledger, scales)

    def fact(self, fact_id: str | None) -> Fact | None:
        """The fact that an answer names."""
        return self.ledger.get(fact_id) if fact_id else None

    def unit(self, fact_id: str | None) -> str | None:
        """The unit of that fact."""
        fact = self.fact(fact_id)
        return fact.unit if fact else None

    def decimals(self, fact_id: str | None) -> int:
        """How many decimals its value has at least."""
        fact = self.fact(fact_id)
        return self._decimals(fact) if fact else 0

    def fact_text(self, fact: Fact) -> str:
        """The value of *fact* with its unit."""
        value = Number(fact.value) if fact.kind == "number" else fact.value
        return value_text(value, fact.unit, self._decimals(fact))

    def _decimals(self, fact: Fact) -> int:
        return own_decimals(fact.verb, fact.unit, self.scales.get((fact.band or "", fact.field or ""), 0))


def value_text(value: object, unit: str | None, decimals: int = 0) -> str:
    """
    A value with its unit, no digit less than the engine has; empty without a value.

    >>> value_text(Number("12.5"), "%"), value_text(Number("12.5"), "R$", 2), value_text("2026-04-05", None)
    ('12.5%', 'R$ 12.50', '2026-04-05')
    """
    if value is None:
        return ""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if not isinstance(value, Number):
        return text
    text = with_decimals(text, decimals)
    if unit is None:
        return text
    if unit == POINTS:
        return f"{text} {unit}"
    return f"{text}%" if unit == "%" else f"{unit} {text}"
