"""Finds the character between the cells of a text file, and splits its lines into records (spec 0.2)."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby

from datasources.exceptions import SourceOptionError, SourceTooLarge
from datasources.names import WHITE_SPACE
from datasources.options import ReadOptions

DELIMITERS = ";\t|,"
"""In the order in which they win a tie."""
RECORDS_MAX = 1_000
"""So many records at the head of a file decide."""
ENCLOSED_SHARE_MIN = 0.9
RUN_MIN = 3
NO_DELIMITER = "\U0010ffff"
"""A character that Unicode keeps out of text: with it every record is one cell."""
END_OF_FILE = "\x00end of file"
"""A last line of our own: a quote that nobody closed swallows it, and so gives itself away."""

Record = list[str]


def declared_delimiter(options: ReadOptions) -> str | None:
    """The delimiter that the caller named; `SourceOptionError` if it cannot be one."""
    declared = options.delimiter
    if declared is None:
        return None
    if declared in ("tab", "\\t"):
        return "\t"
    if len(declared) != 1 or declared in '"\r\n\0':
        raise SourceOptionError(
            f"The delimiter {declared!r} cannot separate cells; give one character, such as ';' or 'tab'."
        )
    return declared


def find_delimiter(lines: Callable[[], Iterable[str]], candidates: str = DELIMITERS) -> str | None:
    """
    The delimiter that cuts most records to one width (spec 0.2), or none: then every line is one cell.

    *lines* gives the physical lines, with their ends, from the start each time it is called.

    >>> find_delimiter(lambda: ["produto; valor, em reais\\n", "chapa; 1,50\\n", "tubo; 2,00\\n"])
    ';'
    """
    votes = [Votes.count(lines(), delimiter) for delimiter in candidates]
    # SPED files hold records of many widths, so no share tells; but every record stands between two bars.
    for vote in votes:
        if vote.is_enclosing:
            return vote.delimiter
    # max() keeps the first of equal ones, so the order of the candidates decides a tie.
    best = max(votes, key=lambda vote: vote.share, default=None)
    if best is None or best.share == 0.0:
        best = max(votes, key=lambda vote: vote.run, default=None)
    return best.delimiter if best is not None and (best.share or best.run) else None


@dataclass(frozen=True, slots=True)
class Votes:
    """What the first records of a file say about one delimiter."""

    delimiter: str
    widths: tuple[int, ...]
    """Of each record that is not blank."""
    enclosed: int
    """How many records begin and end with the delimiter."""

    @classmethod
    def count(cls, lines: Iterable[str], delimiter: str) -> Votes:
        """Split the first records of *lines*, quotes respected."""
        widths, enclosed = [], 0
        try:
            for record in csv.reader(lines, delimiter=delimiter):
                if is_blank(record):
                    continue
                widths.append(len(record))
                enclosed += not record[0] and len(record) > 2 and not record[-1]
                if len(widths) == RECORDS_MAX:
                    break
        except csv.Error:
            # A cell past the limit: split by this delimiter the file is no table.
            return cls(delimiter, (), 0)
        return cls(delimiter, tuple(widths), enclosed)

    @property
    def is_enclosing(self) -> bool:
        """Whether nearly every record begins and ends with the delimiter."""
        return self.enclosed > 0 and self.enclosed >= ENCLOSED_SHARE_MIN * len(self.widths)

    @property
    def share(self) -> float:
        """The share of records that have the commonest width; 0 where that is one cell."""
        if not self.widths:
            return 0.0
        width, count = max(Counter(self.widths).items(), key=lambda item: (item[1], item[0]))
        return count / len(self.widths) if width >= 2 else 0.0

    @property
    def run(self) -> int:
        """
        The longest run of records of one width, if half of the records with the delimiter stand in it.

        A small table among many lines of notes has a run; commas strewn over prose have none.
        """
        runs = [(width, len(list(group))) for width, group in groupby(self.widths)]
        longest = max((length for width, length in runs if width >= 2), default=0)
        split = sum(width >= 2 for width in self.widths)
        return longest if longest >= RUN_MIN and 2 * longest >= split else 0


def limit_cells(options: ReadOptions) -> None:
    """Let cells be as long as `cell_bytes_max` says, which is far more than the library's default."""
    # The limit belongs to the process, so it is set again for every reading.
    csv.field_size_limit(options.cell_bytes_max)


def is_blank(record: Record) -> bool:
    """Whether no cell is filled; white space fills nothing."""
    # A loop, because nearly always its first turn decides; white space above ASCII needs the full list.
    for cell in record:  # noqa: SIM110
        if cell and (" " < cell[0] < "\x7f" or cell.strip(WHITE_SPACE)):
            return False
    return True


def read_records(lines: Iterable[str], delimiter: str | None, options: ReadOptions) -> Iterator[Record]:
    """
    The records of *lines*, which keep their ends; quotes are doubled, and cells may span lines.

    The last record is `[END_OF_FILE]`, or ends in it when a quote was never closed.
    Raises `SourceTooLarge` for a cell past `cell_bytes_max`.
    """
    limit_cells(options)
    try:
        yield from csv.reader(chain(lines, (END_OF_FILE,)), delimiter=delimiter or NO_DELIMITER)
    except csv.Error as error:
        raise SourceTooLarge(
            f"A cell is longer than {options.cell_bytes_max} characters (cell_bytes_max); a quote that is "
            "never closed can be the cause."
        ) from error
