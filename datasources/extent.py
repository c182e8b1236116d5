"""Finds the table among the records of a text file or sheet: its header, end and rows (spec 0.3, 0.5)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from datasources.base import DataWarning, counted
from datasources.delimiter import Record, is_blank
from datasources.names import WHITE_SPACE

Position = TypeVar("Position")

Kind = Literal["blank", "lone", "regular", "other"]
"""
No filled cell; only the first one filled, as in a title or a note; of the table's width with two filled
cells or more; anything else.
"""

HEAD_RECORDS = 1_000
"""Among so many records at the head a header is looked for that lacks the delimiter its rows end in."""
NOTES_MAX = 1_000
"""So many records around a table are kept as its notes; the others are counted in a warning."""

_TIME = r"(?:(?:T|\s+)\d{1,2}:\d{2}.*)?"
_ROW_CELL = re.compile(
    r"0\d+|\d{5,}"
    r"|[-+(\u2212]?(?:R\$|US\$|[$€£])?[\s\u00a0\u202f]?[-+(\u2212]?"
    r"(?:\d{1,3}(?:[.,'\s\u00a0\u202f]\d{3})+[.,]\d+|\d*[.,]\d+)[-+)\u2212]?[\s\u00a0\u202f]?%?\)?"
    rf"|\d{{4}}-\d{{2}}-\d{{2}}{_TIME}|\d{{1,2}}([-/.])\d{{1,2}}\1\d{{4}}{_TIME}",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Header:
    """Where a table begins, and what its columns are called."""

    names: tuple[str, ...]
    """As written, so perhaps empty or repeated; a row that had to be named by position is named already."""
    above: int
    """How many records stand above the header, blank ones included."""
    first_row: int
    """Index of the first record after the header."""
    is_row: bool = False
    """The file has no header: the first record of the table is a row (then `first_row` is its index)."""


# ------------------------------------------------------------------ one record


def is_filled(cell: str) -> bool:
    """Whether a cell holds more than white space."""
    # The first comparison decides nearly every cell; white space above ASCII needs the full list.
    return bool(cell) and (" " < cell[0] < "\x7f" or bool(cell.strip(WHITE_SPACE)))


def count_filled(record: Record) -> int:
    """How many cells hold more than white space."""
    return sum(map(is_filled, record))


def has_two_filled(record: Record) -> bool:
    """Whether at least two cells are filled, which a title or a note has not."""
    # The two comparisons decide nearly every record, and this runs for each of them.
    if (
        len(record) > 1
        and (first := record[0])
        and (second := record[1])
        and " " < first[0] < "\x7f"
        and " " < second[0] < "\x7f"
    ):
        return True
    found = 0
    for cell in record:
        if is_filled(cell):
            found += 1
            if found == 2:
                return True
    return False


def kind_of(record: Record, width: int) -> Kind:
    """What a record below the header is to a table of *width* columns."""
    if has_two_filled(record):
        return "regular" if len(record) == width else "other"
    if not record or count_filled(record) == 0:
        return "blank"
    if width == 1:
        return "regular"
    # Among two columns a row with an empty second cell is ordinary, so a note must differ in width too.
    is_lone = is_filled(record[0]) and (width != 2 or len(record) != 2)
    return "lone" if is_lone else "other"


def is_like_a_row(record: Record) -> bool:
    """Whether a cell is a code, a decimal number or a date: no header has such cells."""
    return any(_ROW_CELL.fullmatch(cell.strip(WHITE_SPACE)) for cell in record)


def note_of(record: Record) -> str:
    """A record outside the table as one text."""
    return " ".join(cell.strip(WHITE_SPACE) for cell in record if is_filled(cell))


# ------------------------------------------------------------------ the table


def commonest_width(records: Iterable[Record]) -> int:
    """
    The commonest width of records with two filled cells or more, the first to appear where two are equal.

    1 if there is no such record: then the first record that is not blank is the header.
    """
    return widest_vote(Counter(len(record) for record in records if has_two_filled(record)))


def widest_vote(widths: Counter[int]) -> int:
    """The width with the most records; *widths* in order of appearance."""
    return widths.most_common(1)[0][0] if widths else 1


def find_header(records: Sequence[Record], width: int) -> Header | None:
    """
    Find the header among the first *records* (spec 0.3), or nothing if they hold none.

    >>> find_header([["Vendas de 2026"], ["loja", "valor"], ["Norte", "10"]], 2)
    Header(names=('loja', 'valor'), above=1, first_row=2, is_row=False)
    """
    at = _first_of_width(records, width)
    if at is None:
        return None
    record = records[at]
    if width == 1:
        return _single_header(record, at)
    if at > 0 and is_upper_level(records[at - 1], width):
        upper = _spread(records[at - 1], after=0)
        return Header(_join_levels(upper, record), at - 1, at + 1)
    if at > 0 and _lacks_last_delimiter(records, at, width):
        return Header((*records[at - 1], ""), at - 1, at)
    if is_like_a_row(record):
        return _row_header(width, _first_of_run(records, at))
    if at + 1 < len(records) and _repeats_first_cell(record, records[at + 1]):
        upper = _spread(record, after=1)
        return Header(_join_levels(upper, records[at + 1]), at, at + 2)
    return Header(tuple(record), at, at + 1)


def _first_of_width(records: Sequence[Record], width: int) -> int | None:
    for index, record in enumerate(records):
        if count_filled(record) if width == 1 else len(record) == width and has_two_filled(record):
            return index
    return None


def _first_of_run(records: Sequence[Record], at: int) -> int:
    """Without a header the records directly above, if not titles, are rows too, only of other widths."""
    while at > 0 and has_two_filled(records[at - 1]):
        at -= 1
    return at


def _single_header(record: Record, at: int) -> Header:
    # A record of one filled cell may still have been written with several: each keeps its column.
    if is_like_a_row(record):
        return _row_header(len(record), at)
    return Header(tuple(record), at, at + 1)


def _row_header(width: int, at: int) -> Header:
    return Header(tuple(f"column_{number}" for number in range(1, width + 1)), at, at, is_row=True)


def is_upper_level(record: Record, width: int) -> bool:
    """Whether a record directly above a header is its upper level."""
    return len(record) == width and not is_filled(record[0]) and any(map(is_filled, record))


def _repeats_first_cell(header: Record, below: Record) -> bool:
    first = header[0].strip(WHITE_SPACE)
    same = bool(first) and len(below) == len(header) and below[0].strip(WHITE_SPACE) == first
    return same and not is_like_a_row(below)


def _lacks_last_delimiter(records: Sequence[Record], at: int, width: int) -> bool:
    """Whether the record above is the header, and only its rows end in a delimiter."""
    above = records[at - 1]
    if len(above) != width - 1 or not all(map(is_filled, above)) or is_like_a_row(above):
        return False
    rows = [record for record in records[:HEAD_RECORDS] if len(record) == width]
    return not any(is_filled(record[-1]) for record in rows)


def _spread(upper: Record, after: int) -> Record:
    """Fill the blanks of an upper level with their left neighbour, from position *after* on."""
    spread: Record = []
    for position, cell in enumerate(upper):
        takes_left = not is_filled(cell) and position > after
        spread.append(spread[-1] if takes_left else cell)
    return spread


def _join_levels(upper: Record, lower: Record) -> tuple[str, ...]:
    """Join each pair of names by a space; equal ones are not doubled."""
    stripped = ([name.strip(WHITE_SPACE) for name in level] for level in (upper, lower))
    return tuple(
        high if high == low else f"{high} {low}".strip() for high, low in zip(*stripped, strict=True)
    )


# ------------------------------------------------------------------ where the table ends


class TableEnd(Generic[Position]):
    """
    Finds the first lone record after which at most half of the records are regular (spec 0.3).

    The balance counts a regular record up and any other down. At most half of what follows a record is
    regular exactly if the balance there is not below the final one, so a single pass is enough.
    """

    def __init__(self) -> None:
        self.balance = 0
        self._balances: list[int] = []
        self._positions: list[Position] = []

    def add(self, kind: Kind, position: Position) -> None:
        """The next record after the header; blank ones count for nothing."""
        if kind == "blank":
            return
        self.balance += 1 if kind == "regular" else -1
        # An earlier candidate with the same balance or a higher one wins whatever follows.
        if kind == "lone" and (not self._balances or self.balance > self._balances[-1]):
            self._balances.append(self.balance)
            self._positions.append(position)

    def add_regular(self, count: int) -> None:
        """The next *count* records are all regular."""
        self.balance += count

    def end(self) -> Position | None:
        """Position of the first record that is no row any more, or nothing."""
        index = bisect_left(self._balances, self.balance)
        return self._positions[index] if index < len(self._positions) else None


# ------------------------------------------------------------------ what is said about it


@dataclass(slots=True)
class Raggedness:
    """Rows that are shorter or longer than the header, and blank records, counted."""

    blank: int = 0
    short: int = 0
    long: int = 0
    widest: int = 0

    def add(self, width: int, header_width: int) -> None:
        """One more row."""
        if width < header_width:
            self.short += 1
        elif width > header_width:
            self.long += 1
            self.widest = max(self.widest, width)

    def merge(self, other: Raggedness) -> None:
        """Take the counts of another stretch of the same table."""
        self.blank += other.blank
        self.short += other.short
        self.long += other.long
        self.widest = max(self.widest, other.widest)

    def warnings(self, header_width: int, band: str) -> tuple[DataWarning, ...]:
        """What was skipped and filled (spec 0.3, 0.5)."""
        blank = counted(self.blank, "record without a filled cell was", "records without a filled cell were")
        short = counted(self.short, "row has", "rows have")
        long = counted(self.long, "row has", "rows have")
        found = (
            ("blank_records", self.blank, f"{blank} skipped."),
            ("short_rows", self.short, f"{short} fewer than {header_width} cells; the rest is null."),
            ("long_rows", self.long, f"{long} more than {header_width} cells; columns were added."),
        )
        return tuple(DataWarning(code, text, band, None, count) for code, count, text in found if count)


def padded_names(header: Header, widest: int) -> tuple[str, ...]:
    """The names of the header, and `column_N` for cells past it."""
    extra = range(len(header.names) + 1, widest + 1)
    return header.names + tuple(f"column_{number}" for number in extra)


def header_warnings(header: Header, band: str) -> tuple[DataWarning, ...]:
    """The warning for a table without a header."""
    if not header.is_row:
        return ()
    message = "The first record looks like a row, so the columns are named by position."
    return (DataWarning("no_header", message, band, None, len(header.names)),)


def note_warnings(records: int, band: str) -> tuple[DataWarning, ...]:
    """The warning for more records outside the table than are kept as its notes."""
    cut = records - NOTES_MAX
    if cut <= 0:
        return ()
    message = f"{records} records stand above or below the table; the first {NOTES_MAX} are kept as notes."
    return (DataWarning("notes_cut", message, band, None, cut),)


@dataclass(frozen=True, slots=True)
class Table:
    """The table among a list of records."""

    header: Header
    rows: Sequence[int]
    """Indices of the records that are its rows."""
    notes: tuple[str, ...]
    raggedness: Raggedness
    outside: int
    """How many records stand above and below it."""

    def warnings(self, band: str) -> tuple[DataWarning, ...]:
        """Everything that was assumed, skipped or filled."""
        return (
            *header_warnings(self.header, band),
            *self.raggedness.warnings(len(self.header.names), band),
            *note_warnings(self.outside, band),
        )


def find_table(records: Sequence[Record]) -> Table | None:
    """Find the table among all *records* of a small source, or nothing if no cell is filled."""
    width = commonest_width(records)
    header = find_header(records, width)
    if header is None:
        return None
    first, header_width = header.first_row, len(header.names)
    raggedness = Raggedness()
    kinds = [kind_of(record, width) for record in records[first:]]
    end = TableEnd[int]()
    if "lone" in kinds:
        for index, kind in enumerate(kinds, start=first):
            end.add(kind, index)
    stop = end.end() or len(records)
    rows: Sequence[int] = range(first, stop)
    if "blank" in kinds:
        rows = [index for index in rows if kinds[index - first] != "blank"]
    for index in rows:
        if len(records[index]) != header_width:
            raggedness.add(len(records[index]), header_width)
    outside = [note for record in (*records[: header.above], *records[stop:]) if (note := note_of(record))]
    raggedness.blank = kinds.count("blank") + sum(map(is_blank, records[: header.above]))
    return Table(header, rows, tuple(outside[:NOTES_MAX]), raggedness, len(outside))
