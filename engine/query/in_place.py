"""
Asks a column's table for its distinct values or, where they are too many, for those that contain a query.

A long value, such as a document in a cell, goes by its beginning: values that begin alike are one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import TYPE_CHECKING, Any

from engine.columns import ColumnType
from engine.exceptions import QueryError
from engine.facts import cell_text
from engine.query.comparisons import NARROW_DIGITS
from engine.query.word_index import SCORE_MIN, Needle, WordIndex, fold

if TYPE_CHECKING:
    from engine.profile import FieldProfile
    from engine.query.session import OpenBand, QuerySession

FOUND_ROWS_MAX = 10_000
"""Rows that contain the query and are looked at."""
COUNTED_MAX = 200
"""Of what so many rows contain, the best values are counted in all rows."""
VALUE_CHARS_MAX = 2_000
"""Of a longer value the beginning is what it is found by."""
CURRENCY_LETTERS = frozenset("rus")
"""The letters that a plain number may have, in `R$` and `US$`."""


@dataclass(frozen=True, slots=True)
class Found:
    """A value that is like the query."""

    value: str
    rows: int
    score: int


@dataclass(frozen=True, slots=True)
class FoundInColumn:
    """What a column has that is like the query."""

    best: tuple[Found, ...]
    """By score, then by rows, then by value."""
    count: int
    """How many values there are, with those past the best."""
    is_in_place: bool = False
    """Whether the column has too many values for more than looking for what contains the query."""
    is_partial: bool = False
    """Whether so many rows contain it that only the first ones were looked at."""


def begun(value: str) -> str:
    """*value*, or the beginning of a long one."""
    return value if len(value) <= VALUE_CHARS_MAX else f"{value[:VALUE_CHARS_MAX]}…"


def best_of(found: Iterable[tuple[str, int, int]], most: int) -> tuple[Found, ...]:
    """The *most* best of values with their rows and scores."""
    ranked = nsmallest(most, ((-score, -rows, value) for value, rows, score in found))
    return tuple(Found(value, -rows, -score) for score, rows, value in ranked)


def gather(
    session: QuerySession, band: int, position: int, fields: frozenset[int], limit: int, chars_max: int
) -> list[tuple[str, int]] | None:
    """
    The distinct values of a column and the rows of each; None where there are more than *limit*, or too long ones.

    *fields* are the columns that the caller will ask about as well, and so are opened together.
    """
    column = session.snapshot.bands[band].columns[position]
    try:
        with session.ask(band, fields) as opened:
            table, cell = opened.table.name, f"c{opened.position(position)}"
            if not _may_fit(opened, cell, limit, chars_max):
                return None
            value = _begun_sql(opened, cell, column)
            rows = opened.rows(
                f"SELECT {_typed('v', column)}, n FROM"
                f" (SELECT {value} AS v, count(*) AS n FROM {table} WHERE {cell} IS NOT NULL GROUP BY v)"
                f" LIMIT {limit + 1}"
            )
    except QueryError as error:
        if error.code == "stopped_by_memory":  # far more values than DuckDB estimates
            return None
        raise
    return None if len(rows) > limit else [(cell_text(value, column), count) for value, count in rows]


def _may_fit(opened: OpenBand, cell: str, limit: int, chars_max: int) -> bool:
    """Whether a column is small enough to gather its values, by what DuckDB noticed when it was filled."""
    found = _statistics(opened, cell)
    if int(found.get("approx_unique") or 0) > 2 * limit:  # it may be a third too low or high
        return False
    longest = min(int(found.get("max_string_length") or 0), VALUE_CHARS_MAX)
    if longest * limit <= chars_max:
        return True
    (chars,) = opened.row(
        f"SELECT coalesce(sum(least(length({cell}), {VALUE_CHARS_MAX})), 0)"
        f" FROM (SELECT DISTINCT {cell} FROM {opened.table.name})"
    )
    return int(chars) <= chars_max


def _begun_sql(opened: OpenBand, cell: str, column: ColumnType) -> str:
    """SQL for what `begun` gives, with no work where no value is long."""
    if column.type != "text":
        return cell
    longest = _statistics(opened, cell).get("max_string_length")  # in bytes; of codes it is not known
    if longest is not None and int(longest) <= VALUE_CHARS_MAX:
        return cell
    text = f"CAST({cell} AS VARCHAR)"
    return f"CASE WHEN length({text}) > {VALUE_CHARS_MAX} THEN left({text}, {VALUE_CHARS_MAX}) || '…' ELSE {text} END"


def _statistics(opened: OpenBand, cell: str) -> Mapping[str, Any]:  # DuckDB's own, of several types
    rows = opened.rows(f"SELECT stats({cell}) FROM {opened.table.name} LIMIT 1")
    return dict(rows[0][0]) if rows else {}


def find_in_place(
    session: QuerySession, band: int, position: int, needle: Needle, most: int
) -> FoundInColumn:
    """The *most* best values of a large column that contain the query as it is written, but for case and accents."""
    snapshot = session.snapshot
    column, field = snapshot.bands[band].columns[position], snapshot.profile.bands[band].fields[position]
    part = fold(needle.text)
    if not part or not _is_storable(part) or _are_numbers_without(part, field, snapshot.bands[band].rows):
        return FoundInColumn((), 0, is_in_place=True)
    with session.ask(band, frozenset({position})) as opened:
        cell = f"c{opened.position(position)}"
        value, table = _begun_sql(opened, cell, column), opened.table.name
        holds = f"contains({_folded(opened, cell, column, part)}, ?)"
        found = f"SELECT {value} AS v FROM {table} WHERE {holds} LIMIT {FOUND_ROWS_MAX}"
        counts = _counts(opened, column, found, [part])
        is_partial = sum(counts.values()) >= FOUND_ROWS_MAX
        scores = _scores(tuple(counts), needle)
        if is_partial:
            best = sorted(scores, key=lambda value: (-scores[value], value))[:COUNTED_MAX]
            chosen = list(dict.fromkeys([*_spellings(needle.text, column), *best]))
            marks = ", ".join([_mark(column)] * len(chosen))
            found = f"SELECT {value} AS v FROM {table} WHERE {value} IN ({marks})"
            counts = _counts(opened, column, found, chosen)
            scores = _scores(tuple(counts), needle)
    best_values = best_of(((value, rows, scores[value]) for value, rows in counts.items()), most)
    return FoundInColumn(best_values, len(counts), is_in_place=True, is_partial=is_partial)


def _counts(opened: OpenBand, column: ColumnType, found: str, values: Sequence[str]) -> dict[str, int]:
    """The values `v` that the query *found* gives, with the rows of each."""
    query = f"SELECT {_typed('v', column)}, n FROM (SELECT v, count(*) AS n FROM ({found}) GROUP BY v)"
    return {cell_text(value, column): count for value, count in opened.rows(query, values)}


def _scores(values: Collection[str], needle: Needle) -> dict[str, int]:
    """All of *values* contain the query, were it in the middle of a word."""
    texts = tuple(values)
    scores = WordIndex.of(texts).matches(needle)
    return {value: scores.get(at, SCORE_MIN) for at, value in enumerate(texts)}


def _folded(opened: OpenBand, cell: str, column: ColumnType, part: str) -> str:
    """SQL for the text that may contain *part*, with no more work than its letters ask for."""
    text = cell if column.type == "text" else f"CAST({cell} AS VARCHAR)"
    if not _has_letter(part):
        return text
    is_plain = column.type != "text" or _statistics(opened, cell).get("has_unicode") is False
    return f"lower({text})" if is_plain else f"lower(strip_accents({text}))"


def _spellings(text: str, column: ColumnType) -> tuple[str, ...]:
    """How a value that is the query itself may be written, were it not among the first rows that contain it."""
    if column.type == "text":
        return tuple(dict.fromkeys((text, text.upper(), text.lower(), text.title())))
    is_plain = text.isascii() and text.isdecimal()
    return (text,) if is_plain and len(text) + column.scale <= NARROW_DIGITS else ()


def _typed(cell: str, column: ColumnType) -> str:
    from engine.stored_band import scaled_sql

    return scaled_sql(cell) if column.type == "number" and not column.double else cell


def _mark(column: ColumnType) -> str:
    if column.type != "number":
        return "?"
    return "CAST(? AS DOUBLE)" if column.double else f"CAST(? AS DECIMAL(38, {column.scale}))"


def _are_numbers_without(part: str, field: FieldProfile, rows: int) -> bool:
    """Whether every cell is known to be a plain number, so that none has the letters of *part*."""
    if field.type == "number":
        return _has_letter(part)
    evidence = field.coercion.evidence if field.coercion is not None else {}
    return evidence.get("plain") == rows - field.nulls and any(
        _has_letter(mark) and mark not in CURRENCY_LETTERS for mark in part
    )


def _has_letter(text: str) -> bool:
    return any(mark.isalpha() for mark in text)


def _is_storable(text: str) -> bool:
    """Whether UTF-8 can hold *text*: half a surrogate pair is in no cell."""
    return not any("\ud800" <= mark <= "\udfff" for mark in text)
