"""Looks at a real file through the document of `--json`, through the typed rows, and as it was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal

import pytest

from datasources.base import Lists, RawBand
from datasources.load import read_bands
from datasources.options import ReadOptions
from engine import materialize
from engine.snapshot import SnapshotBand
from lastro.document import BandModel, ContextDocument, FieldModel, document_of
from tests.datasources.real_data import ROOT

Where = Literal["json", "snapshot", "source"]
"""The document of `--json`; the typed rows, for what it cannot express; the cells before they are typed."""


@dataclass(frozen=True)
class Fact:
    """A fact of `facts.json`, with the function that finds its value in what was read."""

    folder: str
    fact: str
    where: Where
    compute: Callable[[Folder], Any]


@dataclass(frozen=True)
class Folder:
    """A folder of real files; `folder["*.csv"]` is what was read of the file or the files of that pattern."""

    name: str

    def __getitem__(self, pattern: str) -> Table:
        """The first band of *pattern*; of a document with several bands, the one named after a `:`."""
        files, _, band = pattern.partition(":")
        tables = tables_of(f"{self.name}/{files}")
        return next(table for table in tables if not band or table.document.name.endswith(band))


@dataclass(frozen=True)
class Table:
    """One band: its document, its snapshot and its raw cells."""

    document: BandModel
    snapshot: SnapshotBand
    raw: RawBand
    whole: ContextDocument

    @property
    def rows(self) -> int:
        """Rows of the band."""
        return self.snapshot.rows

    @property
    def shape(self) -> list[int]:
        """Rows and columns."""
        return [self.rows, len(self.document.fields)]

    @property
    def names(self) -> list[str]:
        """Column names in order."""
        return [field.name for field in self.document.fields]

    def nulls(self, name: str) -> int:
        """How many cells of the column *name* are null."""
        found = self.field(name).nulls
        assert found is not None  # only small groups withhold it
        return found

    def field(self, name: str) -> FieldModel:
        """The document of a column."""
        return next(field for field in self.document.fields if field.name == name)

    def named(self, matches: Callable[[FieldModel], object]) -> list[str]:
        """The names of the columns that match."""
        return [field.name for field in self.document.fields if matches(field)]

    def sum(self, name: str) -> str | None:
        """The sum that the document gives."""
        return self.field(name).sum

    def bounds(self, name: str) -> list[str | None]:
        """Least and greatest value that the document gives."""
        return [self.field(name).min, self.field(name).max]

    def counts(self, name: str, top: int | None = None) -> dict[str | None, int]:
        """Rows per value, of the *top* most frequent ones."""
        return {value.value: value.count for value in (self.field(name).values or [])[:top]}

    def evidence(self, name: str, kind: str) -> int | str:
        """What spoke for the reading of a column; 0 where nothing of that kind did."""
        coercion = self.field(name).coercion
        assert coercion is not None
        return coercion.evidence.get(kind, 0)

    def groups(self, measure: str, by: str, top: int | None = None) -> dict[str | None, str]:
        """The sums of a measure by a field that the document gives, of the *top* largest ones."""
        for group in self.document.groups:
            if (group.measure, group.by) == (measure, by):
                return {part.value: part.sum for part in group.parts[:top]}
        raise AssertionError(f"the document has no sums of {measure} by {by}")

    def total(self, name: str) -> str:
        """What a total row of the file says, which the document gives as an aggregate."""
        wanted = f"total.{self.document.name}.{name}"
        return plain(Decimal(str(next(one.value for one in self.whole.aggregates if one.id == wanted))))

    @property
    def null_tokens(self) -> int:
        """Cells of typed columns that mean nothing, such as `-`."""
        coercions = (field.coercion for field in self.document.fields)
        return sum(int(one.evidence.get("null_tokens", 0)) for one in coercions if one)

    def warned(self, code: str) -> int:
        """The count of the warnings of one kind about this band."""
        warnings = self.whole.warnings
        return sum(w.count or 0 for w in warnings if (w.code, w.band) == (code, self.document.name))

    def cells(self, name: str) -> list[Any]:
        """The typed cells of the snapshot: exact decimals, text, dates as text, booleans, None."""
        position = self.names.index(name)
        column = self.snapshot.columns[position]
        cells = (row[position] for row in self.snapshot.take(range(self.rows)))
        if column.type != "number" or column.double:
            return list(cells)
        return [None if cell is None else Decimal(f"{cell}E-{column.scale}") for cell in cells]

    def source(self, name: str) -> list[Any]:
        """The cells of a column as they stand in the file."""
        assert isinstance(self.raw.cells, Lists)
        return self.raw.cells.columns[self.names.index(name)]

    def all_source(self) -> list[Any]:
        """All cells as they stand in the file, column by column."""
        assert isinstance(self.raw.cells, Lists)
        return [cell for column in self.raw.cells.columns for cell in column]


@lru_cache
def tables_of(pattern: str) -> tuple[Table, ...]:
    """Read the files of *pattern*, as `lastro context PATTERN --json` does."""
    if not sorted(ROOT.glob(pattern)):
        pytest.skip(f"the real file {pattern} is not here")
    bands = read_bands([str(ROOT / pattern)], ReadOptions())
    snapshot = materialize(bands)
    document = document_of(snapshot.profile)
    raws = {band.name: band for band in bands}
    return tuple(
        Table(one, band, raws[one.name], document)
        for one, band in zip(document.bands, snapshot.bands, strict=True)
    )


def sum_fact(folder: str, fact: str, file: str, column: str) -> Fact:
    """The fact that a column adds up to something."""
    return Fact(folder, fact, "json", lambda f: f[file].sum(column))


def plain(number: Decimal) -> str:
    """A decimal as the facts write it: in full, without trailing zeros."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def add(numbers: list[Decimal | None]) -> str:
    """The exact sum of what is filled."""
    return plain(sum((number for number in numbers if number is not None), Decimal(0)))


def add_by(keys: list[Any], numbers: list[Decimal | None], top: int | None = None) -> dict[Any, str]:
    """Exact sums by group, of the *top* largest groups."""
    sums: dict[Any, Decimal] = {}
    for key, number in zip(keys, numbers, strict=True):
        sums[key] = sums.get(key, Decimal(0)) + (number or 0)
    largest = sorted(sums.items(), key=lambda item: -item[1])[:top]
    return {key: plain(total) for key, total in largest}


def most_common(cells: list[Any], top: int) -> Mapping[Any, int]:
    """The *top* most frequent values with their rows."""
    return dict(Counter(cells).most_common(top))


def filled(cells: list[Any]) -> list[Any]:
    """The cells that are not null."""
    return [cell for cell in cells if cell is not None]


def day_month_year(text: str) -> str:
    """An ISO date as the files write it."""
    return "/".join(reversed(text.split("-")))
