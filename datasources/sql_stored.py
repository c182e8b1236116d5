"""
Looks at the cells of an SQLite file that parameters are compared with: SQLite converts none, and says nothing.

A number is less than any text, `2026-01-05` is less than `2026-01-05 00:00:00`, and `T` comes behind a blank. Where no
cell can be compared as the parameter's type means it, the query is refused; where some cannot, they are counted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from datasources.base import DataWarning, counted
from datasources.exceptions import QueryRefused
from datasources.sql_base import BEFORE_A_TIME, CellQuery, StoredCheck, value_text

CELLS_MAX = 100_000
"""So many cells of an expression are looked at, the first ones: a tenth of a second."""
SAMPLE = 3
SAMPLE_CHARS = 100

_ORDER = frozenset({"<", "<=", ">", ">="})

_TEXT = "typeof({x}) IN ('integer', 'real') AND NOT ({x} = CAST({x} AS TEXT) || '')"
"""A number that has no type to make a number of the text too."""
_NUMBER_ORDER = "typeof({x}) = 'text'"
_NUMBER = (
    "typeof({x}) = 'text' AND {x} GLOB '*[0-9]*' AND NOT {x} GLOB '*[A-Za-z]*'"
    " AND NOT ({x} = CAST({x} AS NUMERIC) + 0)"
)
"""A text that reads as a number and does not equal it."""
_BOOLEAN = "typeof({x}) = 'text' AND NOT ({x} = 0 OR {x} = 1)"
_DAY = (
    "NOT (typeof({x}) = 'text' AND ifnull(date(substr({x}, 1, 10)) = substr({x}, 1, 10), 0)"
    " AND (length({x}) = 10 OR substr({x}, 11, 1) IN (' ', 'T')))"
)
_MOMENT = (
    "NOT (typeof({x}) = 'text' AND ifnull(datetime(substr({x}, 1, 19)) = substr({x}, 1, 19), 0)"
    " AND (length({x}) = 19 OR (substr({x}, 20, 1) = '.' AND NOT substr({x}, 21) GLOB '*[^0-9]*')))"
)
_TIMED = "length({x}) > 10 AND typeof({x}) = 'text'"
"""Of days: a cell with a time, which is behind its own day."""


@dataclass(frozen=True, slots=True)
class _Found:
    cells: int
    wrong: int
    timed: int
    sample: tuple[str, ...]


def check_stored(
    database: sqlite3.Connection, checks: Sequence[StoredCheck], source: str
) -> tuple[DataWarning, ...]:
    """
    A warning for each of *checks* some of whose cells are not compared as its parameter's type means.

    Raises QueryRefused where none of them is.
    """
    # What is no UTF-8 is counted when it is read; here it is only compared.
    database.text_factory = lambda raw: raw.decode(errors="replace")
    known: dict[tuple[object, ...], _Found | None] = {}
    warnings: list[DataWarning] = []
    for check in checks:
        key = (_condition(check), check.queries)
        if key not in known:
            known[key] = _look(database, check)
        warnings += _warnings(known[key], check, source)
    return tuple(warnings)


def _warnings(found: _Found | None, check: StoredCheck, source: str) -> Iterator[DataWarning]:
    words, remedy = _words(check)
    if found is None:
        message = (
            f"What {{{{{check.name}}}}} is compared with ({check.written}) could not be looked at by itself, and SQLite"
            f" compares cells as they are stored: {remedy}."
        )
        yield DataWarning("stored_unknown", message)
        return
    if found.wrong and found.wrong == found.cells:
        raise QueryRefused(
            f"{'All' if found.cells > 1 else 'The'} {counted(found.cells, 'cell', 'cells')} of {check.written}, which"
            f" {{{{{check.name}}}}} is compared with, {'holds' if found.cells == 1 else 'hold'} {words}: {remedy}.",
            source=source,
        )
    if found.wrong:
        compared = f"{check.written}, which {{{{{check.name}}}}} is compared with"
        holds = "holds" if found.wrong == 1 else "hold"
        message = f"{counted(found.wrong, 'cell', 'cells')} of {compared}, {holds} {words}: {remedy}."
        yield DataWarning("stored_otherwise", message, count=found.wrong, sample=found.sample)
    if found.timed and check.op not in BEFORE_A_TIME:
        day = value_text(check.name, check.op, "date({})")
        message = (
            f"{counted(found.timed, 'cell', 'cells')} of {check.written} with a time of day"
            f" {'comes' if found.timed == 1 else 'come'} after the day"
            f" {{{{{check.name}}}}}: write date({check.written}) {check.op} {day}."
        )
        yield DataWarning("stored_with_time", message, count=found.timed)


def _words(check: StoredCheck) -> tuple[str, str]:
    """What is wrong with cells, and what to write instead."""
    x, op = check.written, check.op
    value = partial(value_text, check.name, op)
    match check.type:
        case "text":
            return "a number, which equals no text", f"write CAST({x} AS TEXT) {op} {value()}"
        case "number":
            as_text = (
                f", or {x} {op} {value('CAST({} AS TEXT)')} where they are codes" if op not in _ORDER else ""
            )
            return "text, not a number", f"write CAST({x} AS NUMERIC) {op} {value()}{as_text}"
        case "boolean":
            return "text, neither 1 nor 0", "compare them with a text or select parameter"
        case "date":
            remedy = (
                f"write date({x}) {op} {value('date({})')} if SQLite's date() reads them, or store them so"
            )
            return "something other than a day written as 2026-01-31", remedy
        case "datetime":
            form = f"write datetime({x}) {op} {value('datetime({})')}"
            remedy = f"{form} if SQLite's datetime() reads them, or store them so"
            return "something other than a moment written as 2026-01-31 10:30:00", remedy


def _condition(check: StoredCheck) -> str:
    match check.type:
        case "text":
            return _TEXT
        case "number":
            return _NUMBER_ORDER if check.op in _ORDER else _NUMBER
        case "boolean":
            return _BOOLEAN
        case "date":
            return _DAY
        case "datetime":
            return _MOMENT


def _look(database: sqlite3.Connection, check: StoredCheck) -> _Found | None:
    for query in check.queries:
        try:
            return _ask(database, query, check)
        except sqlite3.OperationalError as error:
            # A name that is of another table, or of a query around it: the next one may know it.
            if getattr(error, "sqlite_errorname", "") != "SQLITE_ERROR":
                raise
    return None


def _ask(database: sqlite3.Connection, query: CellQuery, check: StoredCheck) -> _Found:
    x = query.cells
    wrong = _condition(check).format(x=x)
    timed = _TIMED.format(x=x) if check.type == "date" else "0"
    source = f" FROM {query.source}" if query.source else ""
    cells = f"(SELECT {x} AS v, {wrong} AS w, {timed} AS t{source} LIMIT {CELLS_MAX})"
    counted = "count(v), total(w AND v IS NOT NULL), total(t AND NOT w AND v IS NOT NULL)"
    counts = f"{query.tables} SELECT {counted} FROM {cells}"
    count, wrongs, times = (int(one) for one in database.execute(counts).fetchone())
    sample: tuple[str, ...] = ()
    if wrongs:
        shown = f"{query.tables} SELECT DISTINCT v FROM {cells} WHERE w AND v IS NOT NULL LIMIT {SAMPLE}"
        sample = tuple(str(row[0])[:SAMPLE_CHARS] for row in database.execute(shown))
    return _Found(count, wrongs, times, sample)
