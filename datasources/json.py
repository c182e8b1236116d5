"""Reads JSON documents and JSON Lines with every digit as it was written (spec 1.4)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from datasources.base import DataWarning, RawBand, counted
from datasources.compression import open_plain
from datasources.encoding import decode, to_utf8, utf8_text
from datasources.exceptions import SourceUnreadable
from datasources.options import ReadOptions
from datasources.records import BandBuilder, Digits, is_grid, mend

if TYPE_CHECKING:
    from datasources.secured_records import VisibleRecords

INTEGER_DIGITS_MAX = 15
"""Longer integers are text (spec 2.3)."""
EXPONENT_MAX = 40
"""A number past 10^±40 is read as a double: written out it would fill a page, or the memory."""
BATCH_RECORDS = 20_000
MEMO_MAX = 100_000
NOT_SPACE = re.compile(r"[^ \t\r\n]")


def read_json(path: Path, name: str, options: ReadOptions) -> tuple[RawBand, ...]:
    """
    Read a JSON document or JSON Lines, gz and zstd too: one band, and one more for each array of objects.

    Raises SourceUnreadable with line and column of what is no JSON; SourceNotFound, SourceForbidden and
    SourceTooLarge as `compression.open_plain`, the last for too many columns as well.
    """
    if options.visible is not None and options.encoding is None:
        options = replace(options, encoding="utf-8")  # bytes that a viewer may not see have no say in it
    reader = _Reader(path, name, options)
    try:
        with open_plain(path, options) as file:
            root = reader.read(file)
        bands = tuple(root.finish())
    except RecursionError as error:
        raise SourceUnreadable(
            f"{path.name} is nested too deeply to be a table: check what wrote it.", source=str(path)
        ) from error
    warnings = (*reader.warnings, *reader.repeated_keys())
    return (replace(bands[0], warnings=bands[0].warnings + warnings), *bands[1:])


class _Decimals(dict[str, Any]):
    """Reads each written number once; equal cells share one value."""

    __slots__ = ()

    def __missing__(self, text: str) -> Decimal | float:
        if len(self) >= MEMO_MAX:
            self.clear()
        value = self[text] = read_decimal(text)
        return value


def read_integer(text: str) -> int | Digits:
    """
    Read an integer of JSON: a long one keeps its digits.

    >>> read_integer("-12"), read_integer("76561198002414961")
    (-12, '76561198002414961')
    """
    if len(text) <= INTEGER_DIGITS_MAX or len(text.lstrip("-")) <= INTEGER_DIGITS_MAX:
        return int(text)
    return Digits(text)


def read_decimal(text: str) -> Decimal | float:
    """
    Read a number of JSON with fraction or exponent exactly, without zeros at its end.

    >>> read_decimal("3262.00"), read_decimal("1.5e3"), read_decimal("1e999999")
    (Decimal('3262'), Decimal('1500'), inf)
    """
    if text[-1] != "0" and "e" not in text and "E" not in text:
        return Decimal(text)
    if "e" in text or "E" in text:
        exponent = text.lower().rpartition("e")[2].lstrip("+-").lstrip("0")
        if len(exponent) > 3 or not -EXPONENT_MAX <= Decimal(text).adjusted() <= EXPONENT_MAX:
            return float(text)
        text = f"{Decimal(text):f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return Decimal(text) or Decimal(0)  # a zero has no sign


@dataclass(slots=True)
class _Reader:
    """One file on its way to bands, with what was noticed while its text was parsed."""

    path: Path
    name: str
    options: ReadOptions
    warnings: tuple[DataWarning, ...] = ()
    repeated: Counter[str] = field(default_factory=Counter)
    decoder: json.JSONDecoder = field(init=False)

    def __post_init__(self) -> None:
        self.decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_int=read_integer,
            parse_float=_Decimals().__getitem__,
        )

    def read(self, file: BinaryIO) -> BandBuilder:
        size = file.seek(0, 2)
        file.seek(0)
        if size <= self.options.small_bytes:
            return self._read_text(self._decode(file.read()))
        if _is_wide(file.read(4)):
            file.seek(0)
            return self._read_text(self._decode(file.read()))
        plain = to_utf8(file, self.options.encoding, self.name)
        self.warnings = plain.warnings
        with plain.file:  # the same file, or a copy in UTF-8
            return self._read_utf8(plain.file, plain.start)

    def _read_utf8(self, file: BinaryIO, start: int) -> BandBuilder:
        file.seek(start)
        first = file.readline(self.options.small_bytes)
        is_lines = first.endswith(b"\n") and self._is_value(utf8_text(first)) and _holds_more(file)
        file.seek(start)
        return (
            self._read_lines(utf8_text(line) for line in file)
            if is_lines
            else self._read_text(utf8_text(file.read()))
        )

    def _decode(self, data: bytes) -> str:
        if _is_wide(data[:4]) and (self.options.encoding is None or self.options.visible is not None):
            return data.decode(json.detect_encoding(data), "replace").removeprefix("\ufeff")
        text, self.warnings = decode(data, self.options.encoding, self.name)
        return text

    def _read_text(self, text: str) -> BandBuilder:
        start = NOT_SPACE.search(text)
        if start is None and self.options.visible is not None:
            return self._read_lines(())  # as where a viewer may see no record
        if start is None:
            raise SourceUnreadable(
                f"{self.path.name} is empty: give a file with data.", source=str(self.path)
            )
        end = text.find("\n", start.start())
        if end >= 0 and NOT_SPACE.search(text, end) and self._is_value(text[start.start() : end]):
            return self._read_lines(text.split("\n"))
        root = self._root(text)
        if text[start.start()] == "[" and len(text) > self.options.small_bytes:
            return self._add_batches(root, self._elements(text, start.start()))
        try:
            document = self.decoder.decode(text)
        except json.JSONDecodeError as error:
            raise self._broken(error, text) from error
        elements = document if isinstance(document, list) else [document]
        root.is_grid = is_grid(elements)
        root.add(elements)
        return root

    def _read_lines(self, lines: Iterable[str]) -> BandBuilder:
        return self._add_batches(self._root(None), self._line_values(lines))

    def _line_values(self, lines: Iterable[str]) -> Iterator[object]:
        for number, line in enumerate(lines, start=1):
            if line and not line.isspace():
                try:
                    yield self.decoder.decode(line)
                except json.JSONDecodeError as error:
                    raise self._broken(error, line, number) from error

    def _elements(self, text: str, start: int) -> Iterator[object]:
        """The elements of the array at *start* one by one: a large one is never whole in memory."""
        at = _skip(text, start + 1)
        try:
            more = text[at : at + 1] != "]"
            while more:
                element, at = self.decoder.raw_decode(text, at)
                yield element
                at = _skip(text, at)
                more = text[at : at + 1] == ","
                at = _skip(text, at + 1) if more else at
            if text[at : at + 1] != "]":
                raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
            if (after := _skip(text, at + 1)) < len(text):
                raise json.JSONDecodeError("Extra data", text, after)
        except json.JSONDecodeError as error:
            raise self._broken(error, text) from error

    def _add_batches(self, root: BandBuilder, elements: Iterator[object]) -> BandBuilder:
        visible = self.options.visible
        if visible is not None:
            # What is cut decides neither which others stand in one batch, nor so what they become.
            elements = _cut(elements, visible)
        while batch := list(islice(elements, BATCH_RECORDS)):
            root.is_grid = (root.is_grid or not root.rows) and is_grid(batch)
            root.add(batch, is_cut=visible is not None)
            root.spill()
        if not root.rows:
            root.add([])
        return root

    def _root(self, text: str | None) -> BandBuilder:
        mends = text is None or "\\ud" in text or "\\uD" in text
        measures = text is None or len(text) > self.options.cell_bytes_max
        return BandBuilder(self.name, self.options, mends_text=mends, measures_text=measures)

    def _is_value(self, text: str) -> bool:
        repeated = self.repeated.copy()
        try:
            self.decoder.decode(text)
        except json.JSONDecodeError:
            return False
        finally:
            self.repeated = repeated  # it will be read again
        return True

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        record = dict(pairs)
        if len(record) != len(pairs):
            counts = Counter(key for key, _ in pairs)
            self.repeated.update({key: count - 1 for key, count in counts.items() if count > 1})
        return record

    def repeated_keys(self) -> Iterator[DataWarning]:
        for key, count in zip(map(mend, self.repeated), self.repeated.values(), strict=True):
            message = (
                f"The key {key} stands more than once in {counted(count, 'object', 'objects')}; "
                "its last value was taken."
            )
            yield DataWarning("repeated_key", message, self.name, key, count)

    def _broken(self, error: json.JSONDecodeError, text: str, line: int | None = None) -> SourceUnreadable:
        place = f"line {line or error.lineno}, column {error.colno}"
        if NOT_SPACE.search(text, error.pos):
            hint = "correct it there"
        else:
            hint = "the text ends there: write the file again, it seems truncated"
        return SourceUnreadable(
            f"{self.path.name} is not valid JSON at {place} ({error.msg.lower()}): {hint}.",
            source=str(self.path),
        )


def _cut(elements: Iterator[object], visible: VisibleRecords) -> Iterator[object]:
    while batch := list(islice(elements, BATCH_RECORDS)):
        yield from visible(batch)


def _skip(text: str, at: int) -> int:
    found = NOT_SPACE.search(text, at)
    return found.start() if found else len(text)


def _is_wide(head: bytes) -> bool:
    """Whether *head* starts a JSON text of two or four bytes a character."""
    return bool(head) and json.detect_encoding(head).startswith(("utf-16", "utf-32"))


def _holds_more(file: BinaryIO) -> bool:
    while block := file.read(1 << 16):
        if block.strip():
            return True
    return False
