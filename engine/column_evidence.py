"""What the cells of a column say about its type: a state that parts of a band add up to, in any order."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from datasources.base import Cell
from engine import dates, numbers
from engine.cleaning import DATE_NULL_TOKENS, is_null_token
from engine.columns import BOOLEANS, text_of

SAMPLE_SIZE = 3
"""Texts that a warning shows."""


@dataclass(slots=True)
class Misfits:
    """Cells that do not fit the declared type: a state with `merge`."""

    cells: int = 0
    sample: list[str] = field(default_factory=list)
    """The first few by value, whatever order the cells come in."""

    def add(self, cell: Cell, count: int) -> None:
        """Count *cell*, seen *count* times."""
        self.cells += count
        self._keep([text_of(cell)])

    def merge(self, other: Misfits) -> None:
        """Take in the misfits of other rows."""
        self.cells += other.cells
        self._keep(other.sample)

    def _keep(self, texts: list[str]) -> None:
        self.sample = sorted({*self.sample, *texts})[:SAMPLE_SIZE]


@dataclass(slots=True)
class ColumnEvidence:
    """What the cells of one column say: a state with `add` and `merge`; order does not matter."""

    cells: int = 0
    """Cells that hold something, null tokens included."""
    tokens: int = 0
    date_tokens: int = 0
    booleans: int = 0
    numbers: numbers.NumberEvidence = field(default_factory=numbers.NumberEvidence)
    dates: dates.DateEvidence = field(default_factory=dates.DateEvidence)
    natives: set[str] = field(default_factory=set)
    """Kinds of cells that came typed: `number`, `date`, `boolean`; `text` for the rest."""
    not_finite: int = 0
    not_number: list[str] = field(default_factory=list)
    """A few texts that are no numbers; likewise no dates."""
    not_date: list[str] = field(default_factory=list)
    misfits: Misfits = field(default_factory=Misfits)
    """Of a declared column that is read as a whole."""
    hopeless: bool = False
    """So much speaks against every type but text that the search was ended."""

    def add(self, value: Cell, count: int, *, compact: bool) -> None:
        """Count *value*, which is stripped text or a native cell, seen *count* times."""
        self.cells += count
        if isinstance(value, str):
            self.natives.add("text")
            self._add_text(value, count, compact)
        elif isinstance(value, bool):
            self.natives.add("boolean")
            self.booleans += count
        elif isinstance(value, date):
            self.natives.add("date")
            self.dates.add(dates.read_native_date(value), count)
        elif value is not None:
            self.natives.add("number")
            cell = numbers.read_native(value)
            if cell is None:
                self.not_finite += count
                self.cells -= count
            else:
                self.numbers.add(cell, count)
                self.numbers.floats += count if isinstance(value, float) else 0

    def _add_text(self, text: str, count: int, compact: bool) -> None:
        if text[0] not in numbers.STARTS:
            # No number or date begins like this, so neither grammar needs to be asked.
            self._add_word(text, count)
            return
        number = numbers.read_number(text)
        if number is not None:
            self.numbers.add(number, count)
        moment = dates.read_date(text, compact=compact)
        if moment is not None:
            self.dates.add(moment, count)
        if number is None and moment is None:
            self._add_word(text, count)
        elif moment is None:
            if text in DATE_NULL_TOKENS:
                self.date_tokens += count
            else:
                _keep(self.not_date, text)
        elif number is None:
            _keep(self.not_number, text)

    def _add_word(self, text: str, count: int) -> None:
        """Count a text that is neither number nor date."""
        if is_null_token(text):
            self.tokens += count
        elif text in DATE_NULL_TOKENS:
            self.date_tokens += count
        elif text.lower() in BOOLEANS:
            self.booleans += count
        else:
            _keep(self.not_number, text)
            _keep(self.not_date, text)

    def merge(self, other: ColumnEvidence) -> None:
        """Take in what *other* saw in other rows of the same column."""
        self.cells += other.cells
        self.tokens += other.tokens
        self.date_tokens += other.date_tokens
        self.booleans += other.booleans
        self.numbers.merge(other.numbers)
        self.dates.merge(other.dates)
        self.natives |= other.natives
        self.not_finite += other.not_finite
        self.not_number = sorted({*self.not_number, *other.not_number})[:SAMPLE_SIZE]
        self.not_date = sorted({*self.not_date, *other.not_date})[:SAMPLE_SIZE]
        self.misfits.merge(other.misfits)
        self.hopeless |= other.hopeless


def _keep(sample: list[str], text: str) -> None:
    """Keep the first few texts by value, whatever order the cells come in."""
    if len(sample) < SAMPLE_SIZE:
        sample.append(text)
        sample.sort()
    elif text < sample[-1] and text not in sample:
        sample[-1] = text
        sample.sort()
