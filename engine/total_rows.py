"""Finds the first or last row that only repeats the sum of the others (spec 0.4): it is no row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal

from datasources.base import Cell, DataWarning
from engine.cleaning import is_null_token, strip
from engine.columns import ColumnType, read_cell
from engine.facts import Number, exact, number_text
from engine.names import fold
from engine.numbers import decimals_in, read_number
from engine.roles import SUMMABLE
from engine.statistics import BandStatistics

TOTAL_LABELS = frozenset({"total", "totais", "total geral", "soma", "subtotal"})
OTHER_ROWS_MIN = 2
_EXACT = Context(prec=200)
TEXT_ORIGINS = frozenset({"text", "sheet"})
"""Origins in which a total can stand among the rows; records and typed tables hold rows only."""


@dataclass(frozen=True, slots=True)
class TotalRow:
    """A row that was taken out of the data because it is a total."""

    row: int
    label: str
    values: Mapping[int, Number]
    """Position of the measure → what the row says, with all the decimals of the column or more."""
    warnings: tuple[DataWarning, ...]


def is_labelled(cells: Sequence[Cell]) -> bool:
    """Whether the first filled text cell of a row is exactly a word for total, case and accents ignored."""
    for cell in cells:
        if isinstance(cell, str):
            text = strip(cell)
            if text and read_number(text) is None and not is_null_token(text):
                return fold(text).casefold() in TOTAL_LABELS
    return False


def settle_labelled(
    edges: Mapping[int, Sequence[Cell]], statistics: BandStatistics, dropped: frozenset[int], band: str
) -> tuple[TotalRow, ...]:
    """
    The total rows among the labelled edge rows *dropped*, given the *statistics* of all other rows.

    Empty when they must be rows after all: no measure with a sum, or fewer than two other rows.
    """
    totals = _totals_of(statistics)
    if statistics.rows < OTHER_ROWS_MIN or not any(totals.values()):
        return ()
    return tuple(_labelled(row, edges[row], statistics, totals, band) for row in sorted(dropped))


def may_be_total(cells: Sequence[Cell], statistics: BandStatistics) -> bool:
    """Whether some measure of an edge row is half of its column's sum: worth a look at the rows without it."""
    totals = _totals_of(statistics)
    values = _values_of(cells, statistics, totals)
    return any(value and _is_share(value, 2, totals[one]) for one, value in values.items())


def settle_unlabelled(
    row: int, cells: Sequence[Cell], every: BandStatistics, others: BandStatistics, band: str
) -> TotalRow | None:
    """
    The edge row as a total: each measure that it states is the sum of the others, and these are two at least,
    or the only one.

    What is a measure may depend on the row itself (a counter without a cell in it), so the rule may hold for
    the statistics of *every* row or for those of the *others*. An only measure is a weak sign, which among a few
    rows comes up by chance: a row that has a date of its own is not taken for a total by it.
    """
    if others.rows < OTHER_ROWS_MIN:
        return None
    for statistics, share in ((others, 1), (every, 2)):
        totals = _totals_of(statistics)
        values = _values_of(cells, statistics, totals)
        equal = bool(values) and all(_is_share(value, share, totals[one]) for one, value in values.items())
        is_only = len(totals) == 1 and not _has_date(cells, statistics)
        if equal and any(values.values()) and (len(values) >= 2 or is_only):
            label = _label(cells)
            warning = DataWarning(
                "total_row",
                f"The row “{label}” of “{band}” equals the sum of all others and was taken out of the data.",
                band,
                None,
                1,
                (label,),
            )
            return TotalRow(row, label, values, (warning,))
    return None


def without_values(totals: Sequence[TotalRow]) -> tuple[TotalRow, ...]:
    """
    *totals* as rows that are none, of which nothing is told but that.

    For a viewer of some rows: what a document says of its total may count rows that they may not see.
    """
    return tuple(
        replace(total, values={}, warnings=tuple(one for one in total.warnings if one.code == "total_row"))
        for total in totals
    )


def _has_date(cells: Sequence[Cell], statistics: BandStatistics) -> bool:
    """Whether a cell of a date column is filled, as it is in no total."""
    return any(
        one.column.type in ("date", "datetime") and read_cell(cell, one.column) is not None
        for cell, one in zip(cells, statistics.fields, strict=True)
    )


def _is_share(value: Number, share: int, total: Number) -> bool:
    """Whether *share* times *value* is *total*."""
    if isinstance(value, float) or isinstance(total, float):
        return float(value) * share == float(total)
    return _EXACT.multiply(value, Decimal(share)) == total


def _totals_of(statistics: BandStatistics) -> dict[int, Number]:
    return {
        position: exact(one.total, one.column)
        for position, one in enumerate(statistics.fields)
        if one.role in SUMMABLE and one.total is not None
    }


def _values_of(
    cells: Sequence[Cell], statistics: BandStatistics, totals: Mapping[int, Number]
) -> dict[int, Number]:
    values: dict[int, Number] = {}
    for position in totals:
        column = _roomy(statistics.fields[position].column, cells[position])
        value = read_cell(cells[position], column)
        if isinstance(value, int | float):
            values[position] = exact(value, column)
    return values


def _roomy(column: ColumnType, cell: Cell) -> ColumnType:
    """*column* with a scale that holds *cell*, which was not among its evidence."""
    number = read_number(strip(cell)) if isinstance(cell, str) else None
    if number is None or column.double:
        return column
    return replace(column, scale=max(column.scale, decimals_in(number, column.style)))


def _label(cells: Sequence[Cell]) -> str:
    return next((strip(cell) for cell in cells if isinstance(cell, str) and strip(cell)), "")


def _labelled(
    row: int, cells: Sequence[Cell], statistics: BandStatistics, totals: Mapping[int, Number], band: str
) -> TotalRow:
    values = _values_of(cells, statistics, totals)
    label = _label(cells)
    found = [
        DataWarning(
            "total_row",
            f"The row “{label}” of “{band}” is a total and was taken out of the data.",
            band,
            None,
            1,
            (label,),
        )
    ]
    for position, value in values.items():
        if value != totals[position]:
            name = statistics.fields[position].column.name
            says, adds = number_text(value), number_text(totals[position])
            found.append(
                DataWarning(
                    "total_differs",
                    f"In “{name}” the row “{label}” says {says}, but the rows add up to {adds}.",
                    band,
                    name,
                    1,
                    (says, adds),
                )
            )
    return TotalRow(row, label, values, tuple(found))
