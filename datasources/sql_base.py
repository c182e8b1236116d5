"""The nouns that the drivers of databases share: a query with its arguments, and the limits of a reading."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from datasources.exceptions import SourceError, SourceTimeout, SourceTooLarge
from datasources.options import MIB

if TYPE_CHECKING:
    from datasources.secured_records import VisibleRecords

ArgumentType = Literal["text", "number", "date", "datetime", "boolean"]


@dataclass(frozen=True, slots=True)
class Argument:
    """A value that a database is given beside the query, in its own type; None is NULL."""

    type: ArgumentType
    value: str | int | Decimal | bool | date | datetime | None


BEFORE_A_TIME = frozenset({">=", "<"})
"""Comparisons with a day that mean the same whether or not a time of day follows it."""


def value_text(name: str, op: str, function: str = "{}") -> str:
    """
    The parameter *name*, in *function*, as it is written behind *op*.

    >>> value_text("ano", "="), value_text("ano", "IN", "CAST({} AS TEXT)")
    ('{{ano}}', '(CAST({{ano}} AS TEXT))')
    """
    written = function.format(f"{{{{{name}}}}}")
    return f"({written})" if op == "IN" else written


@dataclass(frozen=True, slots=True)
class CellQuery:
    """A SELECT in its parts: an expression, the tables that WITH names, and what stands behind FROM."""

    cells: str
    tables: str
    source: str


@dataclass(frozen=True, slots=True)
class StoredCheck:
    """A comparison of which only the stored cells can say whether it finds what its author means."""

    name: str
    """Of the parameter."""
    type: ArgumentType
    op: str
    """As it stands behind the cells: `=`, `<>`, `IS`, `IN`, `<`, `<=`, `>` or `>=`."""
    written: str
    """What the parameter is compared with, for messages."""
    queries: tuple[CellQuery, ...]
    """Where its cells come from; the first that SQLite takes is meant."""


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """A query that has been checked: its text as written, and between the texts the arguments."""

    parts: tuple[str | Argument, ...]
    checks: tuple[StoredCheck, ...] = ()
    """Of SQLite: what is looked at before it runs."""

    def text(self, marker: Callable[[int], str]) -> str:
        """The query with the database's own mark for each argument; *marker* is given their numbers from 1."""
        number = 0
        written = []
        for part in self.parts:
            if isinstance(part, Argument):
                number += 1
                # Blanks keep the mark apart from the words and signs beside it.
                written.append(f" {marker(number)} ")
            else:
                written.append(part)
        return "".join(written)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments in order of appearance."""
        return tuple(part for part in self.parts if isinstance(part, Argument))


@dataclass(frozen=True, slots=True)
class SqlLimits:
    """How much one query may take; past a limit it fails, and nothing is cut."""

    rows_max: int = 2_000_000
    bytes_max: int = 1024 * MIB
    """Of the rows as Arrow holds them."""
    cell_bytes_max: int = 64 * MIB
    """Of one value that SQLite computes or reads."""
    seconds: float = 60.0
    """From connecting to the last row."""
    worker_bytes: int = 1024 * MIB
    """The memory that a DuckDB worker may take."""


class Reading:
    """Watches one reading: its time, its rows and its bytes."""

    def __init__(self, source: str, limits: SqlLimits, visible: VisibleRecords | None = None) -> None:
        self.source = source
        self.limits = limits
        self.visible = visible
        self._end = time.monotonic() + limits.seconds
        self._rows = 0
        self._bytes = 0

    @property
    def seconds_left(self) -> float:
        """The time that is left; raises SourceTimeout when there is none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.timed_out()
        return left

    def count(self, rows: int, size: int) -> None:
        """Add a batch of *rows* and *size* bytes; raises SourceTooLarge past a limit, SourceTimeout past the end."""
        self._rows += rows
        self._bytes += size
        if self._rows > self.limits.rows_max:
            raise SourceTooLarge(
                f"The query on {self.source} gives more than the limit of {self.limits.rows_max:,} rows: sum up or"
                " filter in the query, or raise the limit rows_max.",
                source=self.source,
            )
        if self._bytes > self.limits.bytes_max:
            raise SourceTooLarge(
                f"The query on {self.source} gives more than the limit of {self.limits.bytes_max:,} bytes: select the"
                " columns and rows that the report needs, or raise the limit bytes_max.",
                source=self.source,
            )
        _ = self.seconds_left

    def timed_out(self) -> SourceTimeout:
        """The error of a reading that took too long."""
        return SourceTimeout(
            f"The query on {self.source} did not end within {self.limits.seconds:g} seconds: make it faster, or raise"
            " the limit.",
            source=self.source,
        )


def driver_missing(extra: str, source: str) -> SourceError:
    """The error of a driver that is not installed."""
    return SourceError(
        f"The connection {source} needs a driver that is not installed: pip install 'lastro[{extra}]'.",
        source=source,
    )
