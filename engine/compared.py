"""
Declares text for the fields that a report compares with words, so that their type does not depend on the rows left.

A column's type is decided from all of its cells (spec 2), and which cells there are may be a reader's choice: of a
code that is `A1` or `7`, a filter in the query may leave only the sevens. What the report's own filters ask of such
a field says that it is text, whatever is left of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from datasources.base import Cell, DataWarning, Declared, FieldType, Lists, RawBand
from engine.cleaning import strip
from engine.columns import read_declared_boolean
from engine.dates import read_date
from engine.declared import may_fit
from engine.numbers import INTEGER_DIGITS_MAX, read_number

if TYPE_CHECKING:
    from datasources.elements import AggregateElement
    from datasources.filters import Condition, Filter

_SUMMED = frozenset({"SUM", "AVG"})
_part_of_a_date = re.compile(r"[0-9]{4}-[0-9]{2}|[0-9]{2}/[0-9]{4}").fullmatch
_TYPED: tuple[tuple[FieldType, str], ...] = (
    ("number", "numbers"),
    ("datetime", "dates"),
    ("boolean", "true or false"),
)


def declare_compared(bands: Sequence[RawBand], aggregates: Sequence[AggregateElement]) -> tuple[RawBand, ...]:
    """
    *bands* with `text` declared for what the filters of *aggregates* compare with words.

    Only fields without a declared type that arrive as text and are nowhere summed: what a source says of its own
    columns stands, and what is a sum of a field cannot be a word in it. A field whose cells all read as something
    else gets the warning `compared_as_text`.
    """
    return tuple(_declared(band, aggregates) for band in bands)


def _declared(band: RawBand, aggregates: Sequence[AggregateElement]) -> RawBand:
    own = [one for one in aggregates if one.band == band.name]
    summed = {one.field for one in own if one.verb in _SUMMED}
    words = {
        condition.field: one.id
        for one in reversed(own)
        for condition in _conditions(one.where)
        if condition.field not in summed and _asks_for_text(condition)
    }
    declared = dict(band.declared)
    warnings = []
    for position, name in enumerate(band.columns):
        known = declared.get(name, Declared())
        if name not in words or known.kind is not None or not _arrives_as_text(band, position):
            continue
        declared[name] = replace(known, type="text")
        warnings += _warnings(band, position, words[name])
    return replace(band, declared=declared, warnings=(*band.warnings, *warnings)) if words else band


def _conditions(where: Filter | None) -> Iterator[Condition]:
    if where is None:
        return
    from datasources.filters import AllOf, AnyOf

    if isinstance(where, AllOf | AnyOf):
        for one in where.all_of if isinstance(where, AllOf) else where.any_of:
            yield from _conditions(one)
    else:
        yield where


def _asks_for_text(condition: Condition) -> bool:
    if condition.op in ("contains", "starts_with"):
        return True
    values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    return any(isinstance(value, str) and is_word(value) for value in values)


def is_word(value: str) -> bool:
    """
    Whether no column of another type can hold *value*: neither number, nor date, nor boolean (spec 2).

    >>> is_word("faturado"), is_word("007"), is_word("1.234,50"), is_word("2026-04"), is_word("sim")
    (True, True, False, False, False)
    """
    text = strip(value)
    if _part_of_a_date(text) or read_declared_boolean(text) is not None:
        return False
    if read_date(text, compact=True) is not None:
        return False
    number = read_number(text)
    return number is None or number.leading_zero or number.integer_digits > INTEGER_DIGITS_MAX


def _arrives_as_text(band: RawBand, position: int) -> bool:
    if band.native_types and band.native_types[position] is not None:
        return False
    if isinstance(band.cells, Lists):
        return all(cell is None or type(cell) is str for cell in band.cells.columns[position])
    from pyarrow import types

    kind = band.cells.schema.field(position).type
    return any(is_kind(kind) for is_kind in (types.is_string, types.is_large_string, types.is_null))


def _warnings(band: RawBand, position: int, aggregate: str) -> list[DataWarning]:
    name = band.columns[position]
    read_as = _read_as(_some_cells(band, position))
    if read_as is None:
        return []
    message = (
        f"The aggregate {aggregate} compares “{name}” with words, so it is text, though its cells read as"
        f" {read_as}: declare the type of “{name}”."
    )
    return [DataWarning("compared_as_text", message, band.name, name)]


def _some_cells(band: RawBand, position: int) -> Iterable[Cell]:
    if isinstance(band.cells, Lists):
        return band.cells.columns[position]
    cells: Iterable[Cell] = band.cells.sample().column(position).to_pylist()
    return cells


def _read_as(cells: Iterable[Cell]) -> str | None:
    """What all *cells* would be, in words, were they not text; None where at least one of them is text."""
    texts = {strip(str(cell)) for cell in cells if cell is not None} - {""}
    fitting = [words for kind, words in _TYPED if texts and all(may_fit(text, kind) for text in texts)]
    return fitting[0] if fitting else None
