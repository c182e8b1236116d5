"""Splits a large text file into records from any offset on, and says where each one ends."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass

from datasources.delimiter import END_OF_FILE, Record, is_blank, read_records
from datasources.encoding import Utf8File, utf8_text
from datasources.options import MIB, ReadOptions


@dataclass(frozen=True, slots=True)
class TextFile:
    """A UTF-8 file and how its lines are split into records."""

    text: Utf8File
    delimiter: str | None
    options: ReadOptions

    def between(self, start: int, stop: int) -> list[Record]:
        """The records that are not blank of a stretch of whole records."""
        lines = io.StringIO(utf8_text(self.text.read(start, stop)), newline="")
        records = list(read_records(lines, self.delimiter, self.options))
        if records[-1] == [END_OF_FILE]:
            records.pop()
        else:
            records[-1][-1] = records[-1][-1].removesuffix(END_OF_FILE)
        return [record for record in records if not self.skips(record)]

    def skips(self, record: Record) -> bool:
        """Whether *record* is no row: no cell is filled or, where a viewer may not see some of them, there is none."""
        return is_blank(record) if self.options.visible is None else not record


class Records:
    """The records of a file from an offset on, blank ones too, each with the offset at which it ends."""

    def __init__(self, file: TextFile, start: int) -> None:
        self.unclosed_cell: str | None = None
        """The cell into which a quote that is never closed swallowed the rest of the file."""
        self._file = file
        self._offset = start
        self._at_end = False

    def __iter__(self) -> Iterator[tuple[Record, int]]:
        for record in read_records(self._lines(), self._file.delimiter, self._file.options):
            if self._at_end and record and record[-1].endswith(END_OF_FILE):
                if record == [END_OF_FILE]:
                    return
                record[-1] = self.unclosed_cell = record[-1].removesuffix(END_OF_FILE)
            yield record, self._offset

    def _lines(self) -> Iterator[str]:
        for line in lines_of(self._file.text, self._offset):
            self._offset += len(line) if line.isascii() else len(line.encode())
            yield line
        self._at_end = True


def lines_of(text: Utf8File, start: int) -> Iterator[str]:
    """The lines of *text* from an offset on, with their ends `\\n`, `\\r\\n` or `\\r`."""
    return io.TextIOWrapper(io.BufferedReader(_Bytes(text, start), MIB), "utf-8", newline="")


class _Bytes(io.RawIOBase):
    """The bytes of a file from an offset on, at a position of its own."""

    def __init__(self, text: Utf8File, start: int) -> None:
        self._text, self._offset = text, start

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._text.read(self._offset, self._offset + len(buffer))
        buffer[: len(data)] = data
        self._offset += len(data)
        return len(data)
