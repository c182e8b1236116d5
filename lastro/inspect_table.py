"""Draws the table of a band's columns in the width that there is, and never breaks a number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.table import Table
from rich.text import Text

from lastro.inspect_report import Chart, ColumnView

SHAPE_BARS = 10
SHAPES_WIDTH_MIN = 80
"""In less than this the shapes are left out."""
NAME_CELLS_MIN = 11
NAME_LINES_MAX = 3
FIGURE_CELLS = (40, 16, 13, 12, 11, 10)
"""Widths that a number may take, tried in this order until the table fits."""
FIGURE_DIGITS_MIN = 3
"""A number that would keep fewer digits is written with a power of ten."""

_FIGURES = ("min", "avg", "max")
_HEIGHTS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class _Fit:
    """How the table fits: the width of the names, of the figures, and the figures as written there."""

    name_cells: int
    figure_cells: tuple[int, ...]
    figures: tuple[tuple[str, ...], ...]
    """One tuple a column of the band: least, average, greatest."""

    @property
    def has_rounded(self) -> bool:
        return any(text.startswith("~") for row in self.figures for text in row)


def column_table(columns: Sequence[ColumnView], width: int) -> tuple[Table, bool]:
    """The table of *columns*, one at least, and whether a figure in it had to be rounded."""
    kinds = [_kind(column) for column in columns]
    nulls = [str(column.nulls) for column in columns]
    distinct = [column.distinct for column in columns]
    has_shapes = width >= SHAPES_WIDTH_MIN and any(column.chart for column in columns)
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold", show_edge=False)
    widths = [widest(["type", *kinds]), widest(["nulls", *nulls]), widest(["distinct", *distinct])]
    if has_shapes:
        widths.append(SHAPE_BARS)
    # One blank behind each column but the last.
    fit = _fit(columns, width - sum(widths) - len(widths) - len(_FIGURES))
    table.add_column("column", width=fit.name_cells, no_wrap=True)
    table.add_column("type", width=widths[0], no_wrap=True)
    table.add_column("nulls", width=widths[1], justify="right", no_wrap=True)
    table.add_column("distinct", width=widths[2], justify="right", no_wrap=True)
    if has_shapes:
        table.add_column("shape", width=SHAPE_BARS, no_wrap=True)
    for head, cells in zip(_FIGURES, fit.figure_cells, strict=True):
        table.add_column(head, width=cells, justify="right", overflow="fold")
    for column, kind, figures in zip(columns, kinds, fit.figures, strict=True):
        table.add_row(
            Text("\n".join(name_lines(column.name, fit.name_cells)), style="bold"),
            Text(kind),
            Text(str(column.nulls), style="yellow" if column.nulls else "dim"),
            Text(column.distinct),
            *([Text(shape(column.chart), style="cyan")] if has_shapes else []),
            *map(Text, figures),
        )
    return table, fit.has_rounded


def _fit(columns: Sequence[ColumnView], cells: int) -> _Fit:
    """The widest figures that leave room for the names in *cells*; else the narrowest."""
    wanted = widest(["column", *(column.name for column in columns)])
    fits = (_fit_figures(columns, cells, wanted, figure_cells) for figure_cells in FIGURE_CELLS)
    enough = min(wanted, NAME_CELLS_MIN)
    for fit in fits:
        if fit.name_cells >= enough:
            return fit
    return _fit_figures(columns, cells, wanted, FIGURE_CELLS[-1])


def _fit_figures(columns: Sequence[ColumnView], cells: int, wanted: int, figure_cells: int) -> _Fit:
    figures = tuple(
        tuple(figure(text, figure_cells) for text in (column.min, column.avg, column.max))
        for column in columns
    )
    widths = tuple(widest([head, *texts]) for head, *texts in zip(_FIGURES, *figures, strict=True))
    return _Fit(max(min(wanted, cells - sum(widths)), 4), widths, figures)


def _kind(column: ColumnView) -> str:
    """`number`, with the role where it is no measure, and the unit."""
    role = "" if column.role == "measure" else column.role
    return " ".join(filter(None, (column.type, role, column.unit)))


def widest(texts: Iterable[str]) -> int:
    """The cells that the longest line of *texts* takes."""
    return max((cell_len(line) for text in texts for line in text.split("\n")), default=0)


def cut_cells(text: str, cells: int) -> str:
    """*text*, cut where it takes more than *cells*."""
    return text if cell_len(text) <= cells else set_cell_size(text, cells - 1).rstrip() + "…"


def figure(text: str, cells: int) -> str:
    """
    A number or date in at most *cells*: a time goes on a line of its own, a long number is rounded.

    >>> figure("123456789012345.67", 10), figure("-0.0012345678901", 10), figure("12", 10)
    ('~1.235e+14', '~-0.001235', '12')
    """
    if len(text) <= cells:
        return text
    if " " in text:
        day, _, time = text.partition(" ")
        return "\n".join([day, *chop_cells(time, cells)])
    if not text.lstrip("-").replace(".", "", 1).isdigit():
        return text
    number = Decimal(text)
    for digits in range(cells, -1, -1):
        rounded = f"~{number:.{digits}f}"
        # A small number may lose all of its digits behind the mark.
        if len(rounded) <= cells and len(rounded.strip("~-0.").replace(".", "")) >= FIGURE_DIGITS_MIN:
            return rounded
    powers = [f"~{number:.{digits}e}" for digits in range(cells, -1, -1)]
    return next((power for power in powers if len(power) <= cells), powers[-1])


def name_lines(name: str, cells: int) -> list[str]:
    """
    *name* on a few lines of *cells*, broken behind a mark where there is one, and then cut.

    >>> name_lines("valor_total_do_pedido", 12)
    ['valor_total_', 'do_pedido']
    """
    lines: list[str] = []
    rest = name
    while cell_len(rest) > cells and len(lines) < NAME_LINES_MAX - 1:
        head = chop_cells(rest, cells)[0] or rest[:1]
        mark = max(head.rfind(mark) for mark in "_ .-/") + 1
        # A break that leaves almost nothing on the line is worse than one inside of a word.
        at = mark if mark * 3 >= len(head) else len(head)
        lines.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return [*lines, cut_cells(rest, cells)]


def shape(chart: Chart | None) -> str:
    """A chart on one line: a block for each bar, a dot where there is nothing."""
    if chart is None:
        return ""
    bars = chart.bars if len(chart.bars) <= SHAPE_BARS else chart.bars[: SHAPE_BARS - 1]
    marks = [_HEIGHTS[-(-bar.count * 8 // chart.highest) - 1] if bar.count else "·" for bar in bars]
    return "".join(marks) + ("…" if len(bars) < len(chart.bars) else "")
