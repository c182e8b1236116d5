"""Lays a table out in lines: numbers stand point below point and are never cut, names are cut where they must be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from lastro.look import Line, Look, whole
from lastro.output import seen

GAP = "  "
NAME_CELLS_MIN = 12
BAR_CELLS_MIN = 8
BAR_CELLS_MAX = 40

Align = Literal["name", "number", "text"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: names may be cut in a terminal; numbers and texts never are."""

    head: str
    cells: Sequence[str]
    align: Align = "text"
    styles: Sequence[str] = ()
    """One a cell; empty for none."""

    def style(self, row: int) -> str:
        """The style of the cell in *row*."""
        return self.styles[row] if self.styles else ""


@dataclass(frozen=True, slots=True)
class LinedTable:
    """Columns, with a bar behind each row where there are numbers to draw."""

    columns: Sequence[Column]
    bars: Sequence[Decimal | None] = field(default=())

    def lines(self, look: Look) -> list[Line]:
        """The head and the rows."""
        from rich.cells import cell_len

        shown = [_aligned(column) for column in self.columns]
        widths = [max(cell_len(text) for text in texts) for texts in shown]
        bars = [""] * (len(shown[0]) - 1)
        if look.width is not None:
            bar_cells = self._fit(widths, look.width)
            if bar_cells:
                from lastro.bars import draw_bars

                bars = draw_bars(self.bars, bar_cells)
        for index, column in enumerate(self.columns):
            if column.align == "name":
                shown[index] = _cut_apart(shown[index], widths[index])
        lines = []
        for row, texts in enumerate(zip(*shown, strict=True)):
            parts = []
            for column, text, width in zip(self.columns, texts, widths, strict=True):
                style = "bold" if row == 0 else column.style(row - 1)
                parts += [(_filled(text, width, column.align), style), (GAP, "")]
            if row and bars[row - 1]:
                parts.append((bars[row - 1], "cyan"))
            lines.append(whole(*parts))
        return lines

    def _fit(self, widths: list[int], width: int) -> int:
        """Make the names in *widths* as narrow as they must be, and give the cells that bars take."""
        names = [index for index, column in enumerate(self.columns) if column.align == "name"]
        taken = sum(widths) - sum(widths[index] for index in names) + len(GAP) * (len(widths) - 1)
        wanted = sum(widths[index] for index in names)
        left = width - taken
        if any(number is not None for number in self.bars):
            bar_cells = min(left - wanted - len(GAP), BAR_CELLS_MAX)
            for least in (width // 4, BAR_CELLS_MIN):
                room = left - max(bar_cells, least) - len(GAP)
                if room >= min(wanted, NAME_CELLS_MIN * len(names)):
                    _narrow(widths, names, room)
                    return max(bar_cells, least)
        _narrow(widths, names, left)
        return 0


def _narrow(widths: list[int], names: Sequence[int], room: int) -> None:
    """Take from the widest of *names* until they fit in *room*."""
    excess = sum(widths[index] for index in names) - room
    while excess > 0:
        widest = max(names, key=lambda index: widths[index], default=None)
        if widest is None or widths[widest] <= NAME_CELLS_MIN:
            return
        widths[widest] -= 1
        excess -= 1


def _aligned(column: Column) -> list[str]:
    """The head and the cells, numbers with their points one below the other."""
    cells = [seen(cell) for cell in column.cells]
    head = seen(column.head)
    if column.align != "number":
        return [head, *cells]
    behind = max((len(_decimals(cell)) for cell in cells), default=0)
    return [head, *(cell + " " * (behind - len(_decimals(cell))) for cell in cells)]


def _decimals(number: str) -> str:
    _, point, decimals = number.partition(".")
    return point + decimals


def _filled(text: str, width: int, align: Align) -> str:
    from rich.cells import cell_len

    blanks = " " * (width - cell_len(text))
    return blanks + text if align == "number" else text + blanks


def _cut_apart(texts: Sequence[str], cells: int) -> list[str]:
    """Names in *cells*: cut at the end, or in the middle where several would look the same, or else not at all."""
    from lastro.inspect_table import cut_cells

    ends = [cut_cells(text, cells) for text in texts]
    counts = Counter(dict(zip(texts, ends, strict=True)).values())
    middles = [
        text if counts[end] == 1 else _cut_middle(text, cells) for text, end in zip(texts, ends, strict=True)
    ]
    again = Counter(dict(zip(texts, middles, strict=True)).values())
    return [
        end if counts[end] == 1 else middle if again[middle] == 1 else text
        for text, end, middle in zip(texts, ends, middles, strict=True)
    ]


def _cut_middle(text: str, cells: int) -> str:
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= cells:
        return text
    right = (cells - 1) // 2
    end = ""
    for mark in reversed(text):
        if cell_len(mark + end) > right:
            break
        end = mark + end
    start = set_cell_size(text, cells - 1 - cell_len(end)).rstrip()
    return f"{start}…{end}"
