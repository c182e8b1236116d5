"""The pieces of meaning that a question is made of, each with the words that say it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from engine.profile import BandProfile, FieldProfile, ReportAggregate

PeriodKind = Literal["day", "week", "month", "quarter", "half", "year"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A word of the language: `("verb", "SUM")`, `("by", "")`, …"""

    kind: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class BandName:
    """The band itself, or what its rows are."""

    is_money: bool
    """Whether what the word says is an amount of money, such as a sale."""
    is_thing: bool
    """Whether it says what a row is, and not what happened: `vendas`, not `vendeu`."""
    is_plural: bool
    is_mass: bool
    """Whether it is asked for as a sum by itself, such as revenue."""
    subjects: frozenset[str]


@dataclass(frozen=True, slots=True)
class FieldName:
    """A field of the band."""

    field: str
    is_vague: bool = False
    """Whether the words only say what kind of thing it holds: `valor`."""
    is_event: bool = False
    """Whether the words say what happened on its days, and no "date"."""
    is_plural: bool = False
    """Whether several of its values are spoken of: `vendedores`."""
    is_own: bool = False
    """Whether the words are those of its name, and no others of the same subject: not `pagar` for `pago`."""
    is_kind: bool = False
    """Whether the field holds kinds of what the words say: `quarto` of `tipo_quarto`."""
    is_had: bool = False
    """Whether rows are said to have it: `com desconto`."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a field of the band has."""

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Stated:
    """What the report itself states under this name."""

    aggregate: ReportAggregate


@dataclass(frozen=True, slots=True)
class Amount:
    """Any number, with the unit that stands beside it."""

    number: Decimal
    unit: str | None
    is_whole: bool
    """Whether it may count something."""


@dataclass(frozen=True, slots=True)
class Period:
    """A span of days as it is named; `year` is None where the data have to tell it."""

    kind: PeriodKind
    year: int | None
    number: int = 0
    """Which month, quarter, half or week of the year."""
    day: int = 0


@dataclass(frozen=True, slots=True)
class Unknown:
    """Words that may be a value which the profile does not list."""

    text: str


Meaning = Mark | BandName | FieldName | Value | Stated | Amount | Period | Unknown


@dataclass(frozen=True, slots=True)
class Atom:
    """A meaning of the words from `start` to `end`."""

    start: int
    end: int
    meaning: Meaning
    cost: int = 0
    """How far the words are from the name: 0 for the name itself."""

    def is_mark(self, *kinds: str) -> bool:
        """Whether it is a word of the language of one of *kinds*."""
        return isinstance(self.meaning, Mark) and self.meaning.kind in kinds


@dataclass(frozen=True, slots=True)
class View:
    """A band with its report's statements of it: what a question may be about."""

    band: BandProfile
    aggregates: tuple[ReportAggregate, ...]
    is_alone: bool
    """Whether the report has no other band with fields."""

    def field(self, name: str) -> FieldProfile:
        """The field *name*."""
        return self.band.field(name)
