"""The nouns that every source hands on: a raw band, its cells and what was noticed while reading them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

Cell = str | int | float | bool | Decimal | date | datetime | None
"""What a source may put in a cell. Text is as written: stripping and typing are the engine's."""

Origin = Literal["text", "sheet", "records", "typed"]
"""Text files, spreadsheets, JSON records, or sources with column types of their own (Parquet, Arrow, frames)."""

NativeType = Literal["number", "date", "datetime", "boolean"]
"""What a typed source says of a column, where that is more than text."""

DecimalStyle = Literal["br", "point"]
"""Which mark separates decimals: the comma (`3.782,27`) or the point (`3,782.27`)."""


FieldType = Literal["text", "number", "date", "datetime", "boolean"]
"""What a column can be."""

Role = Literal["measure", "%", "rate", "year", "part", "id"]
"""What the numbers of a column are good for (spec 2, "Roles")."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What the author of a report says of a field; it wins over what the cells suggest (spec 2)."""

    type: FieldType | None = None
    role: Role | None = None
    label: str | None = None
    unit: str | None = None
    masked: bool = False
    """Whether the cells are pseudonyms, which tell persons apart and are listed to nobody."""

    @property
    def kind(self) -> FieldType | None:
        """The type, or `number` where the role is one that only numbers have."""
        return "number" if self.type is None and self.role not in (None, "id") else self.type


@dataclass(frozen=True, slots=True)
class DataWarning:
    """Something that was assumed, skipped or repaired; the data were read all the same."""

    code: str
    """Stable name, such as `no_header`; programs switch on it."""
    message: str
    """One sentence for a person."""
    band: str | None = None
    field: str | None = None
    count: int | None = None
    """How many cells, rows or columns it concerns."""
    sample: tuple[str, ...] = ()
    """A few of the cells concerned, as written."""


def counted(count: int, one: str, many: str) -> str:
    """
    *count* with the word that goes with it.

    >>> counted(1, "cell is", "cells are"), counted(2, "cell is", "cells are")
    ('1 cell is', '2 cells are')
    """
    return f"{count} {one if count == 1 else many}"


@dataclass(frozen=True, slots=True)
class Lists:
    """The cells of a small band in memory: one Python list a column, all of length `rows`."""

    columns: tuple[list[Cell], ...] = field(repr=False)
    rows: int


class Stream(Protocol):
    """
    The cells of a band that is read again for every pass, part by part, in constant memory.

    Columns go by position; the tables that come back have one column for each position asked for,
    in the order asked, and their field names mean nothing.
    """

    @property
    def rows(self) -> int:
        """How many rows all parts together have."""

    @property
    def schema(self) -> pa.Schema:
        """The Arrow type of each column; text columns are `large_string` or `string`, in parts also `string_view`."""

    def sample(self) -> pa.Table:
        """Some thousand whole rows, spread over the source where that is cheap."""

    def parts(
        self, columns: Sequence[int], encoded: Collection[int] = ()
    ) -> Iterator[Callable[[], pa.Table]]:
        """
        The rows in source order, cut into parts of some 100,000 rows.

        Each item, when called (from any thread), gives one part with *columns*. Those in *encoded*
        arrive as dictionary arrays where the source can, so that their few values are read once.
        """

    def take(self, rows: Sequence[int]) -> pa.Table:
        """The whole rows at the ascending positions *rows*."""


@dataclass(frozen=True, slots=True)
class RawBand:
    """A named table as a source gave it, before anything is typed."""

    name: str
    columns: tuple[str, ...]
    """Unique, never empty (see `names.unique_names`)."""
    cells: Lists | Stream
    origin: Origin
    decimal_style: DecimalStyle = "point"
    """The style of an ambiguous number that nothing else decides (spec 2, numbers, 1.6)."""
    locale: str | None = None
    """Declared by the reader of the file: `pt-BR`, `en-US`, …"""
    null_values: tuple[str, ...] = ()
    """Further texts that mean nothing in this source, in every type of column."""
    parent_column: int | None = None
    """Position of the `_parent` column of a nested JSON band (always role `id`)."""
    notes: tuple[str, ...] = ()
    """The records around the table: titles above, sources below; cells joined by a space."""
    warnings: tuple[DataWarning, ...] = ()
    native_types: tuple[NativeType | None, ...] = ()
    """Of a typed source the type of each column, for those in which no cell can tell; None for text."""
    declared: Mapping[str, Declared] = field(default_factory=dict)
    """What the report says of some of the columns, by name."""
    secured: bool = False
    """Whether a viewer asked: rows they may not see are gone, and totals of a document, which count them, are none."""

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.cells.rows
