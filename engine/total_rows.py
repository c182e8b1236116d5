"""Finds the first or last row that only repeats the sum of the others (spec 0.4): it is no row of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from datasources.base import Cell, DataWarning
from engine.cleaning import is_null_token, strip
from engine.names import fold
from engine.numbers import read_number
from engine.roles import SUMMABLE
from engine.statistics import BandStatistics, Total
from engine.typing import read_cell

TOTAL_LABELS = frozenset({"total", "totais", "total geral", "soma", "subtotal"})
OTHER_ROWS_MIN = 2
TEXT_ORIGINS = frozenset({"text", "sheet"})
"""Origins in which a total can stand among the rows; records and typed tables hold rows only."""


@dataclass(frozen=True, slots=True)
class TotalRow:
    """A row that was taken out of the data because it is a total."""

    row: int
    label: str
    values: Mapping[int, Total]
    """Position of the measure → what the row says."""
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


def find_unlabelled(
    edges: Mapping[int, Sequence[Cell]], statistics: BandStatistics, candidates: Sequence[int], band: str
) -> TotalRow | None:
    """
    An edge row without a label of which every measure equals the sum of all other rows.

    *statistics* are those of all rows, the edge rows included.
    """
    totals = _totals_of(statistics)
    if statistics.rows - 1 < OTHER_ROWS_MIN or not any(totals.values()):
        return None
    for row in candidates:
        values = _values_of(edges[row], statistics, totals)
        if len(values) == len(totals) and all(values[one] * 2 == totals[one] for one in totals):
            label = _label(edges[row])
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


def _totals_of(statistics: BandStatistics) -> dict[int, Total]:
    return {
        position: one.total
        for position, one in enumerate(statistics.fields)
        if one.role in SUMMABLE and one.total is not None
    }


def _values_of(
    cells: Sequence[Cell], statistics: BandStatistics, totals: Mapping[int, Total]
) -> dict[int, Total]:
    values: dict[int, Total] = {}
    for position in totals:
        value = read_cell(cells[position], statistics.fields[position].column)
        if isinstance(value, int | float):
            values[position] = value
    return values


def _label(cells: Sequence[Cell]) -> str:
    return next((strip(cell) for cell in cells if isinstance(cell, str) and strip(cell)), "")


def _labelled(
    row: int, cells: Sequence[Cell], statistics: BandStatistics, totals: Mapping[int, Total], band: str
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
            from engine.facts import exact_text

            column = statistics.fields[position].column
            says, adds = exact_text(value, column), exact_text(totals[position], column)
            found.append(
                DataWarning(
                    "total_differs",
                    f"In “{column.name}” the row “{label}” says {says}, but the rows add up to {adds}.",
                    band,
                    column.name,
                    1,
                    (says, adds),
                )
            )
    return TotalRow(row, label, values, tuple(found))
