"""Finds, in one pass over a large text file, what its table is and where its parts begin (spec 0.3, 0.5)."""

from __future__ import annotations

from array import array
from collections import Counter, deque
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from datasources import work
from datasources.base import DataWarning
from datasources.concurrently import threads
from datasources.csv import unclosed_quote
from datasources.csv_records import Records, TextFile
from datasources.csv_scan import MARK_ROWS, Measured, Shape, measure_stretch
from datasources.declared_table import declared_header
from datasources.delimiter import Record, is_blank
from datasources.extent import (
    HEAD_RECORDS,
    NOTES_MAX,
    Header,
    Kind,
    Raggedness,
    TableEnd,
    commonest_width,
    find_header,
    has_two_filled,
    kind_of,
    note_of,
    widest_vote,
)
from datasources.options import MIB

PART_BYTES_MAX = 24 * MIB
"""A part of very long rows has fewer of them."""
EXACT_CELLS_MAX = 1_000_000
"""So many cells at most become Python texts at once."""
UNSURE_SHARE_MAX = 0.05
"""Up to this share of records is looked at one by one; past it the whole stretch is split."""
WAITING_MAX = 3
CUT_BYTES = 64 * 1024
"""Within so many bytes a line end is looked for to cut at, and quotes are to show up."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the file that holds whole records, and becomes one part."""

    start: int
    stop: int
    first_row: int
    rows: int
    marks: array[int]
    """Where the rows 0, 256, 512, … of the segment start: of a hundred million rows 3 MB."""
    regular: bool
    """Every record is a row of the table's width, in a form that every reader of CSV cuts alike."""
    raggedness: Raggedness = field(default_factory=Raggedness)

    @property
    def size(self) -> int:
        """In bytes."""
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class Layout:
    """The table of a large text file."""

    file: TextFile
    width: int
    header: Header
    segments: tuple[Segment, ...]
    rows: int
    notes: tuple[str, ...]
    outside: int
    """How many records stand above and below the table."""
    raggedness: Raggedness
    unclosed: tuple[DataWarning, ...]


def read_layout(file: TextFile, band: str, part_rows: int) -> Layout | None:
    """
    Find the table in *file*, or nothing if no cell is filled.

    The head tells the width; if all records together tell another one, a second pass reads with that.
    """
    head = _Head(file)
    if file.options.header is not None:
        declared = declared_header(head.records, file.options)
        if declared is None:
            return None
        scan = _Scan(file, head, declared, len(declared.names), part_rows)
        scan.run()
        return scan.layout(band)
    width = commonest_width(head.records)
    while header := head.find_header(width):
        scan = _Scan(file, head, header, width, part_rows)
        with work.stage("splitting", band, file.text.size - scan.start):
            scan.run()
        winner = widest_vote(scan.votes)
        if winner == width:
            return scan.layout(band)
        width = winner
    return None


class _Head:
    """The first records of a file, as many as it takes to find the header."""

    def __init__(self, file: TextFile) -> None:
        self.records: list[Record] = []
        self.ends: list[int] = [file.text.start]
        """Where each record ends, after where the first one starts."""
        self.source = Records(file, file.text.start)
        self._more = iter(self.source)
        self._read(HEAD_RECORDS)

    def _read(self, count: int) -> bool:
        before = len(self.records)
        for record, end in self._more:
            self.records.append(record)
            self.ends.append(end)
            if len(self.records) >= before + count:
                break
        return len(self.records) > before

    def find_header(self, width: int) -> Header | None:
        """The header; reads on until the record below it is known, for that may be its lower level."""
        while True:
            header = find_header(self.records, width)
            if header is not None and header.first_row + 1 < len(self.records):
                return header
            if not self._read(len(self.records) + 1):
                return header


class _Scan:
    """The pass over all records below the header."""

    def __init__(self, file: TextFile, head: _Head, header: Header, width: int, part_rows: int) -> None:
        self._file, self._header, self._width = file, header, width
        self._above = head.records[: header.above]
        self.start = head.ends[header.first_row]
        """Where the first row below the header starts."""
        row_bytes = (head.ends[-1] - head.ends[0]) / len(head.records)
        self._part_bytes = min(max(int(part_rows * row_bytes), 1), PART_BYTES_MAX)
        self.votes = Counter(len(r) for r in head.records[: header.first_row] if has_two_filled(r))
        self._end = TableEnd[int]()
        self._segments: list[Segment] = []
        self._rows = 0
        self._blank = sum(map(is_blank, self._above))
        self._unclosed_cell = head.source.unclosed_cell

    def run(self) -> None:
        """Go through the file; as long as there are no quotes, stretches are measured in two threads."""
        position, size, bare = self.start, self._file.text.size, True
        waiting: deque[tuple[int, int, Future[Measured]]] = deque()
        with threads(2) as pool:
            while position < size or waiting:
                while bare and len(waiting) < WAITING_MAX and (stop := self._cut(position)):
                    waiting.append((position, stop, pool.submit(self._measure, position, stop, bare=True)))
                    position = stop
                if waiting:
                    start, stop, measured = waiting.popleft()
                    shape = measured.result()
                    if shape != "quoted":
                        self._add(start, stop, shape)
                        work.tell("bytes", stop - start)
                        continue
                    # Quotes may hold line ends, so the cuts made from here on may stand within cells.
                    waiting.clear()
                    position = start
                begin = position
                position, bare = self._add_next(begin)
                work.tell("bytes", position - begin)

    def _cut(self, position: int) -> int | None:
        """Where a stretch from *position* on ends with a line, if no quotes stand in it."""
        stop, size = position + self._part_bytes, self._file.text.size
        if stop >= size:
            return size if position < size else None
        tail = self._file.text.read(max(position, stop - CUT_BYTES), stop)
        line_end = tail.rfind(b"\n")
        return stop - len(tail) + line_end + 1 if line_end >= 0 else None

    def _measure(self, start: int, stop: int, bare: bool) -> Measured:
        delimiter = self._file.delimiter
        if delimiter is None or not delimiter.isascii() or self._width < 2:
            return "quoted" if bare and b'"' in self._file.text.read(start, stop) else None
        return measure_stretch(self._file.text, start, stop, self._width, ord(delimiter), bare)

    def _add_next(self, position: int) -> tuple[int, bool]:
        """Take one stretch with quotes; gives where the next one starts, and whether quotes are over."""
        limit = position + self._part_bytes
        shape = self._measure(position, limit, bare=False)
        if isinstance(shape, Shape):
            stop = min(position + shape.stop, self._file.text.size)
            self._add(position, stop, shape)
        else:
            stop = self._split(position, limit, proven=False)
        return stop, b'"' not in self._file.text.read(stop, min(stop + CUT_BYTES, self._file.text.size))

    def _add(self, start: int, stop: int, shape: Shape | None) -> None:
        """Take the records from *start* to *stop*, which end a record."""
        kinds = self._unsure_kinds(start, shape) if shape else None
        if shape is None or kinds is None:
            while start < stop:
                start = self._split(start, stop, proven=shape is not None)
            return
        done = 0
        for row, kind in kinds:
            self._end.add_regular(row - done)
            self._end.add(kind, self._rows + row)
            done = row + 1
        self._end.add_regular(shape.rows - done)
        self.votes[self._width] += shape.rows - len(kinds)
        marks = array("q", [start + mark for mark in shape.marks])
        self._append(Segment(start, stop, self._rows, shape.rows, marks, regular=True))

    def _unsure_kinds(self, start: int, shape: Shape) -> list[tuple[int, Kind]] | None:
        """The rows that are not regular, or nothing if too many are unsure or some are blank."""
        if len(shape.unsure) > max(UNSURE_SHARE_MAX * shape.rows, 1):
            return None
        kinds: list[tuple[int, Kind]] = []
        for row, first, last in shape.unsure:
            records = self._file.between(start + first, start + last)
            if not records:
                return None
            kind = kind_of(records[0], self._width)
            if kind != "regular":
                kinds.append((row, kind))
        return kinds

    def _split(self, start: int, limit: int, proven: bool) -> int:
        """Split the records from *start* on until one ends at *limit* or later; gives where it ends."""
        ragged, marks, rows, blank = Raggedness(), array("q"), 0, 0
        records, before = Records(self._file, start), start
        rows_max = max(EXACT_CELLS_MAX // self._width, MARK_ROWS)
        for record, end in records:
            kind = kind_of(record, self._width)
            if kind == "blank" and self._file.skips(record):
                blank += 1
            else:
                if rows % MARK_ROWS == 0:
                    marks.append(before)
                if (kind == "regular" and self._width > 1) or has_two_filled(record):
                    self.votes[len(record)] += 1
                self._end.add(kind, self._rows + rows)
                ragged.add(len(record), len(self._header.names))
                rows += 1
            before = end
            if end >= limit or rows >= rows_max:
                break
        else:
            # A quote opened by the very last byte makes no record of its own.
            before = self._file.text.size
        self._blank += blank
        self._unclosed_cell = self._unclosed_cell or records.unclosed_cell
        if rows:
            regular = proven and not blank
            self._append(Segment(start, before, self._rows, rows, marks, regular, ragged))
        return before

    def _append(self, segment: Segment) -> None:
        self._segments.append(segment)
        self._rows += segment.rows

    def layout(self, band: str) -> Layout:
        """Everything that was found, cut off where the table ends."""
        # A declared table is the whole file.
        segments, end = self._segments, self._end.end() if self._file.options.header is None else None
        notes = [note for record in self._above if (note := note_of(record))]
        outside = len(notes)
        if end is not None:
            segments = [segment for segment in segments if segment.first_row < end]
            stop = self._file.text.size
            if segments:
                segments[-1] = self._shortened(segments[-1], end - segments[-1].first_row)
            stop = segments[-1].stop if segments else self.start
            notes.extend(self._notes_below(stop, NOTES_MAX - len(notes)))
            outside += self._rows - end
        raggedness = Raggedness(blank=self._blank)
        for segment in segments:
            raggedness.merge(segment.raggedness)
        unclosed = () if self._unclosed_cell is None else (unclosed_quote(self._unclosed_cell, band),)
        return Layout(
            self._file,
            self._width,
            self._header,
            tuple(segments),
            self._rows if end is None else end,
            tuple(notes[:NOTES_MAX]),
            outside,
            raggedness,
            unclosed,
        )

    def _shortened(self, segment: Segment, rows: int) -> Segment:
        """The first *rows* rows of a segment."""
        ragged, stop, left = Raggedness(), segment.start, rows
        for record, end in Records(self._file, segment.start):
            stop = end
            if not is_blank(record):
                ragged.add(len(record), len(self._header.names))
                left -= 1
            if left == 0:
                break
        marks = segment.marks[: (rows + MARK_ROWS - 1) // MARK_ROWS]
        return replace(segment, stop=stop, rows=rows, marks=marks, raggedness=ragged)

    def _notes_below(self, start: int, count: int) -> list[str]:
        notes: list[str] = []
        for record, _ in Records(self._file, start):
            if len(notes) >= count:
                break
            if note := note_of(record):
                notes.append(note)
        return notes
