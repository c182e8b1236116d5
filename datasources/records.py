"""Shapes nested records into flat bands: `parent.child`, and a band for each array of objects (spec 1.4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from itertools import chain
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, cast

from datasources.base import Cell, DataWarning, Lists, RawBand, counted
from datasources.exceptions import SourceTooLarge
from datasources.names import unique_names

if TYPE_CHECKING:
    import pyarrow as pa

    from datasources.base import Stream
    from datasources.options import ReadOptions

LISTS_CELLS_MAX = 400_000
"""A band of more cells is handed on as Arrow columns."""
PENDING_CELLS_MAX = 2_000_000
"""So many cells wait as Python values before they become Arrow columns, when records come in batches."""
SPARSE_CELLS_MAX = 50_000_000
"""So many cells may be empty for want of a key before the records are taken for a dictionary, not a table."""
VALUE = "value"
"""The column of what is no object: a scalar among the records."""
PARENT = "_parent"

Path = tuple[str, ...]
PARENT_PATH: Path = ()
"""The column of parents is nobody's key."""
Record = dict[str, Any]  # Any: what a JSON text or a caller holds is only known cell by cell

EMPTY: Record = {}
SURROGATE = re.compile("[\ud800-\udfff]")


class Digits(str):
    """An integer with too many digits to be a quantity, as written (spec 2.3)."""

    __slots__ = ()


def plain_decimal(value: Decimal) -> str:
    """
    Write *value* without exponent and without zeros at its end.

    >>> plain_decimal(Decimal("1E+2")), plain_decimal(Decimal("1.50"))
    ('100', '1.5')
    """
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def integer_text(value: int) -> str:
    """Write an integer of any length; Python refuses those of thousands of digits."""
    try:
        return str(value)
    except ValueError:
        return f"{Decimal(value):f}"


def text_of(value: object) -> str:
    """
    Write a cell as the text that a JSON file would hold, for a column of several kinds.

    >>> [text_of(value) for value in (True, Decimal("1.50"), "a", date(2026, 1, 2))]
    ['true', '1.5', 'a', '2026-01-02']
    """
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return integer_text(value)
        case Decimal():
            return plain_decimal(value) if value.is_finite() else str(value)
        case date() | datetime():
            return value.isoformat()
        case dict() | list() | tuple():
            return compact_json(value)
        case bytes():
            return bytes_text(value)
    return str(value)


def bytes_text(value: bytes) -> str:
    """Read *value* as UTF-8, or as hexadecimal digits if it is not."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.hex()


def compact_json(value: object) -> str:
    """
    Write *value* as compact JSON with its numbers as they were written.

    >>> compact_json([1, Decimal("2.50"), {"a": None}])
    '[1,2.5,{"a":null}]'
    """
    match value:
        case None:
            return "null"
        case dict():
            items = (f"{encode_basestring(str(k))}:{compact_json(v)}" for k, v in value.items())
            return "{" + ",".join(items) + "}"
        case list() | tuple():
            return "[" + ",".join(map(compact_json, value)) + "]"
        case Digits():
            return str(value)
        case float() | int() | Decimal():
            return text_of(value)
    return encode_basestring(text_of(value))


@dataclass(slots=True)
class BandBuilder:
    """A band that grows by batches of records, with the bands of the arrays of objects in them."""

    name: str
    options: ReadOptions
    has_parent: bool = False
    is_grid: bool = False
    """Whether arrays among the records are rows, with columns named by position."""
    mends_text: bool = True
    """Whether texts may hold lone surrogates, which no encoding can write."""
    measures_text: bool = False
    """Whether a text may be longer than `cell_bytes_max`."""
    lists_cells_max: int = LISTS_CELLS_MAX
    rows: int = 0
    columns: dict[Path, list[Cell]] = field(default_factory=dict)
    """The cells that wait; a column that begins late is filled with nulls."""
    waiting: int = 0
    """Rows that wait in `columns`."""
    chunks: list[dict[Path, pa.Array]] = field(default_factory=list)
    chunk_rows: list[int] = field(default_factory=list)
    children: dict[Path, BandBuilder] = field(default_factory=dict)
    mended: dict[Path, int] = field(default_factory=dict)
    """Cells with a lone surrogate, by column."""

    def add(self, elements: Sequence[object], parents: Sequence[int] = (), *, is_cut: bool = False) -> None:
        """
        Add one row for each of *elements*, under the rows *parents* of the band above (counted from 1).

        With *is_cut* what a viewer may not see is out of them already.

        Raises SourceTooLarge past `columns_max`, and for keys that are data (few rows share any).
        """
        if self.options.visible is not None and not self.has_parent:
            elements = elements if is_cut else self.options.visible(elements)
            self.is_grid = True  # or what all elements are would decide what one of them is
        records = [self._record(element) for element in elements]
        found = {path: (first, values) for path, first, values in self._flatten(records, ())}
        if self.has_parent:
            found = {PARENT_PATH: (0, cast(list[Cell], list(parents)))} | found
        for path in _in_order_of_appearance(found, records, known=self.columns):
            self.columns[path] = [None] * self.waiting
        if len(self.columns) > self.options.columns_max:
            raise self._too_wide(len(self.columns))
        nulls: list[Cell] = [None] * len(records)
        for path, cells in self.columns.items():
            cells.extend(found[path][1] if path in found else nulls)
        self.waiting += len(records)
        self.rows += len(records)

    def spill(self, at_least: int = PENDING_CELLS_MAX) -> None:
        """Turn waiting cells into Arrow columns, here and below, where there are more than *at_least*."""
        for child in self.children.values():
            child.spill(at_least)
        if self.waiting * len(self.columns) <= at_least:
            return
        from datasources.arrow_types import array_of

        self.chunks.append({path: array_of(cells) for path, cells in self.columns.items()})
        self.chunk_rows.append(self.waiting)
        self.columns = {path: [] for path in self.columns}
        self.waiting = 0

    def finish(self) -> Iterator[RawBand]:
        """
        Give the band, then those below it.

        A band whose records hold nothing but bands has no columns and is left out.
        """
        above = {path[:end] for path in chain(self.columns, self.children) for end in range(1, len(path))}
        for path in above.union(self.children).intersection(self.columns):
            if self._is_hollow(path):
                del self.columns[path]
        if self.columns or not self.children:
            yield self._band()
        for child in self.children.values():
            yield from child.finish()

    def _band(self) -> RawBand:
        names = [".".join(path) if path else PARENT for path in self.columns]
        cells: Lists | Stream
        if not self.chunks and self.waiting * len(self.columns) <= self.lists_cells_max:
            cells = Lists(tuple(self.columns.values()), self.rows)
        else:
            cells = self._stream()
        unique, warnings = unique_names([mend(name) for name in names], self.name)
        warnings += tuple(self._mending(dict(zip(self.columns, unique, strict=True))))
        parent = 0 if self.has_parent else None
        return RawBand(
            self.name,
            unique,
            cells,
            "records",
            parent_column=parent,
            warnings=warnings,
            secured=self.options.visible is not None,
        )

    def _mending(self, names: dict[Path, str]) -> Iterator[DataWarning]:
        for path, name in names.items():
            if SURROGATE.search(".".join(path)):
                message = (
                    f"The column name {name} held half a character (a lone surrogate), replaced by U+FFFD."
                )
                yield DataWarning("lone_surrogate", message, self.name, name, 1)
            if count := self.mended.get(path):
                message = (
                    f"{counted(count, 'cell', 'cells')} of {name} held half a character (a lone surrogate),"
                    " replaced by U+FFFD."
                )
                yield DataWarning("lone_surrogate", message, self.name, name, count)

    def _stream(self) -> Stream:
        import pyarrow as pa

        from datasources.arrow import ArrowStream
        from datasources.arrow_types import join_chunks

        self.spill(at_least=0)
        columns = []
        for path in self.columns:
            pieces = zip(self.chunks, self.chunk_rows, strict=True)
            columns.append(join_chunks([c[path] if path in c else pa.nulls(rows) for c, rows in pieces]))
        return ArrowStream(pa.table(columns, names=[str(i) for i in range(len(columns))]))

    def _record(self, element: object) -> Record:
        if isinstance(element, dict):
            return element
        if element is None:
            return EMPTY
        if self.is_grid and isinstance(element, (list, tuple)):
            return {f"column_{i}": cell for i, cell in enumerate(element, start=1)}
        return {VALUE: element}

    def _flatten(self, records: list[Record], above: Path) -> Iterator[tuple[Path, int, list[Cell]]]:
        """Give path, row of the first appearance and cells of each column, for all *records* at once."""
        keys = dict.fromkeys(chain.from_iterable(records))
        self._refuse_sparse(len(keys), records)
        for key in keys:
            values = [record.get(key) for record in records]
            kinds: set[type] = set(map(type, values))
            path = (*above, key)
            first = 0 if key in records[0] else next(i for i, r in enumerate(records) if key in r)
            if any(issubclass(kind, dict) for kind in kinds):
                inner = [value if isinstance(value, dict) else EMPTY for value in values]
                yield from self._flatten(inner, path)
                if any(inner) and not _is_scalar_somewhere(key, records):
                    continue
                values = [None if isinstance(value, dict) else value for value in values]
                first = next(
                    (i for i, r in enumerate(records) if key in r and not isinstance(r[key], dict)), first
                )
            if list in kinds or tuple in kinds:
                values = self._take_arrays(values, path)
            if Digits in kinds:
                values = [str(value) if type(value) is Digits else value for value in values]
            yield path, first, self._checked(values, kinds, path)

    def _checked(self, values: list[Cell], kinds: set[type], path: Path) -> list[Cell]:
        """Refuse texts that are too long; mend those that no encoding can write."""
        if kinds.isdisjoint((str, Digits, list, tuple)):
            return values
        texts = [value for value in values if isinstance(value, str)]
        if self.measures_text and max(map(len, texts), default=0) > self.options.cell_bytes_max:
            raise SourceTooLarge(
                f"A cell of {'.'.join(path)} in {self.name} is longer than {self.options.cell_bytes_max:,}"
                " bytes: shorten it, or raise the limit cell_bytes_max.",
                source=self.name,
            )
        if not self.mends_text or _is_writable(texts):
            return values
        count = sum(1 for text in texts if SURROGATE.search(text))
        self.mended[path] = self.mended.get(path, 0) + count
        return [mend(value) if isinstance(value, str) else value for value in values]

    def _take_arrays(self, values: list[Any], path: Path) -> list[Cell]:
        """Move arrays of objects into the band of *path*; write the others as compact JSON text."""
        elements: list[object] = []
        parents: list[int] = []
        cells: list[Cell] = []
        for row, value in enumerate(values, start=self.rows + 1):
            if not isinstance(value, (list, tuple)):
                cells.append(value)
            elif holds_object(value):
                cells.append(None)
                elements.extend(value)
                parents.extend([row] * len(value))
            else:
                cells.append(compact_json(value))
        if elements:
            if path not in self.children:
                name = mend(".".join((self.name, *path)))
                self.children[path] = self._child(name)
            self.children[path].add(elements, parents)
        return cells

    def _child(self, name: str) -> BandBuilder:
        return BandBuilder(
            name,
            self.options,
            has_parent=True,
            mends_text=self.mends_text,
            measures_text=self.measures_text,
        )

    def _is_hollow(self, path: Path) -> bool:
        """Whether the column *path* holds nothing but the places where objects stood, or empty arrays."""
        if not all(cell is None or cell == "[]" for cell in self.columns[path]):
            return False
        chunks = (chunk[path] for chunk in self.chunks if path in chunk)
        return all(cell is None or cell == "[]" for chunk in chunks for cell in chunk.unique().to_pylist())

    def _refuse_sparse(self, keys: int, records: list[Record]) -> None:
        cells = keys * len(records)
        if keys > self.options.columns_max:
            raise self._too_wide(keys)
        if cells > SPARSE_CELLS_MAX and sum(map(len, records)) * 50 < cells:
            raise SourceTooLarge(
                f"The records of {self.name} share almost no keys ({keys:,} in {len(records):,} records):"
                " make the key a value, so that each record has the same few keys.",
                source=self.name,
            )

    def _too_wide(self, columns: int) -> SourceTooLarge:
        limit = self.options.columns_max
        return SourceTooLarge(
            f"{self.name} has {columns:,} columns, more than the limit of {limit:,}:"
            " make the keys values, or raise the limit columns_max.",
            source=self.name,
        )


def _in_order_of_appearance(
    found: dict[Path, tuple[int, list[Cell]]], records: list[Record], known: Iterable[Path]
) -> list[Path]:
    """Order the paths that are not *known* by the record where they first appear, and their place in it."""
    new = [path for path in found if path not in known]
    if all(len(path) == 1 or not path for path in new):
        return new  # keys were collected in that order
    by_row: dict[int, list[Path]] = {}
    for path in new:
        by_row.setdefault(found[path][0], []).append(path)
    ordered: list[Path] = []
    for row in sorted(by_row):
        paths = by_row[row]
        if len(paths) > 1:
            place = {path: i for i, path in enumerate(_paths(records[row], ()))}
            paths = sorted(paths, key=lambda path: place.get(path, -1))
        ordered.extend(paths)
    return ordered


def _paths(record: Record, above: Path) -> Iterator[Path]:
    for key, value in record.items():
        yield (*above, key)
        if isinstance(value, dict):
            yield from _paths(value, (*above, key))


def _is_scalar_somewhere(key: str, records: list[Record]) -> bool:
    return any(key in record and not isinstance(record[key], dict) for record in records)


def holds_object(array: Sequence[object]) -> bool:
    """Whether *array* makes a band of its own: an object is in it, at any depth of arrays."""
    kinds = set(map(type, array))
    if any(issubclass(kind, dict) for kind in kinds):
        return True
    if list in kinds or tuple in kinds:
        return any(isinstance(item, (list, tuple)) and holds_object(item) for item in array)
    return False


def is_grid(elements: Sequence[object]) -> bool:
    """Whether *elements* are all arrays without objects: rows of a table that names no columns."""
    return bool(elements) and all(isinstance(e, (list, tuple)) and not holds_object(e) for e in elements)


def _is_writable(texts: list[str]) -> bool:
    joined = "".join(texts)
    if joined.isascii():
        return True
    try:
        joined.encode()
    except UnicodeEncodeError:
        return False
    return True


def mend(text: str) -> str:
    """Replace the halves of characters that stand alone, which no encoding can write, by U+FFFD."""
    return SURROGATE.sub("\ufffd", text)
