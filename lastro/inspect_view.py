"""Shows an inspection in a terminal or, plain and quiet, in a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from io import StringIO

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lastro.inspect_cost import Cost
from lastro.inspect_report import NULL, BandView, Bar, Chart, ColumnView, Inspection, Sums, Verdict

WIDTH = 80
"""Columns of text where there is no terminal to ask."""
WIDTH_MAX = 120
SHAPE_BARS = 10
BAR_CELLS = 24
VALUES_SHOWN = 6
LISTS_SHOWN = 10
"""Of the columns of few values, so many are listed with at most `VALUES_SHOWN` values each."""
LINES_SHOWN = 12
"""Of every other list, so many lines."""
NAMES_SHOWN = 6
NAME_CELLS_MIN = 11
FIGURE_CELLS = (40, 16, 13, 12, 11, 10)
"""Widths that a number may take, tried in this order until the table fits."""
FIGURE_DIGITS_MIN = 3

_HEIGHTS = "▁▂▃▄▅▆▇█"
_EIGHTHS = "▏▎▍▌▋▊▉"


def render_text(inspection: Inspection, *, terminal: bool, width: int = WIDTH) -> str:
    """
    The inspection as text, ending in one line break.

    Colours only on a *terminal*, and not where the environment has NO_COLOR.
    """
    width = min(width, WIDTH_MAX) if terminal else width
    console = Console(
        file=StringIO(),
        force_terminal=terminal,
        force_jupyter=False,
        width=width,
        legacy_windows=False,
        # What comes from data is text and nothing else: no markup, no :emoji:, no guesses at numbers.
        markup=False,
        emoji=False,
        highlight=False,
    )
    with console.capture() as capture:
        for item in _items(inspection, width):
            console.print(item)
    lines = [line.rstrip(" ") for line in capture.get().split("\n")]
    return "\n".join(lines).rstrip("\n") + "\n"


def _items(inspection: Inspection, width: int) -> Iterable[RenderableType]:
    for band in inspection.bands:
        yield from _band_items(band, width)
    if inspection.aggregates:
        entries = [f"{name} = {value}" for name, value in inspection.aggregates]
        yield from _section("Report aggregates, from total rows", entries, "value")
    if inspection.warnings:
        yield _heading(f"Warnings ({len(inspection.warnings)})")
        yield from (_item(line, mark="! ", style="yellow") for line in inspection.warnings)
        yield ""
    yield _heading("Tokens, estimated")
    yield _cost_table(inspection)


def _heading(text: str) -> Text:
    return Text(text, style="bold")


def _item(text: str | Text, *, mark: str = "- ", style: str = "") -> RenderableType:
    """One entry of a list; further lines are indented like the first."""
    grid = Table.grid()
    grid.add_column(width=len(mark) + 2, no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(f"  {mark}", style=style), text if isinstance(text, Text) else Text(text))
    return grid


def _band_items(band: BandView, width: int) -> Iterable[RenderableType]:
    title = Text(band.name, style="bold cyan")
    title.append(f"  {_counted(band.rows, 'row')}, {_counted(band.columns_in_all, 'column')}", style="bold")
    yield title
    if band.copies:
        yield Text(f"One band for {listed_names(band.copies)}: the same columns and rows.")
    yield ""
    if band.columns:
        table, rounded = _column_table(band, width)
        yield table
        yield from _footnotes(band, rounded)
        yield ""
    same = [f"{column.name} = {column.always}" for column in band.columns if column.always is not None]
    yield from _section("Always the same", same, "column")
    yield from _values(band, width)
    yield from _section("Sums", [*map(_sums_text, band.sums), *_more(band.sums_more, "list", "of sums")])
    yield from _section("How the columns were read", list(map(_verdict_text, band.verdicts)), "line")
    yield from _section("Notes around the table", band.notes, "note")


def _section(title: str, entries: Sequence[str | Text], noun: str = "line") -> Iterable[RenderableType]:
    if entries:
        yield _heading(title)
        yield from map(_item, entries[:LINES_SHOWN])
        yield from map(_item, _more(len(entries) - LINES_SHOWN, noun))
        yield ""


def _more(count: int, noun: str, rest: str = "") -> list[str]:
    return [f"… and {_counted(count, f'more {noun}')} {rest}".rstrip()] if count > 0 else []


def _footnotes(band: BandView, rounded: bool) -> Iterable[RenderableType]:
    if band.hidden:
        yield Text(f"… and {_counted(band.hidden, 'more column')}: --columns all shows every one.", style="italic")
    if band.sampled is not None and any(column.chart and column.chart.kind == "bins" for column in band.columns):
        text = f"Shapes of numbers and dates: from a sample of {band.sampled} of {_counted(band.rows, 'row')}."
        yield Text(text, style="dim")
    if rounded:
        yield Text("~ rounded to fit; --html shows it exact.", style="dim")


def _column_table(band: BandView, width: int) -> tuple[Table, bool]:
    """The table of columns, and whether a figure in it had to be rounded."""
    columns = band.columns
    kinds = [_kind(column) for column in columns]
    fixed = [
        _widest("type", kinds),
        _widest("nulls", [str(column.nulls) for column in columns]),
        _widest("distinct", [column.distinct for column in columns]),
    ]
    name_cells = _widest("column", [column.name for column in columns])
    shapes = width >= WIDTH and any(column.chart for column in columns)
    taken = sum(fixed) + (SHAPE_BARS if shapes else 0) + len(fixed) + 3 + shapes
    for figure_cells in FIGURE_CELLS:
        figures = [
            [_figure(text, figure_cells) for text in (column.min, column.avg, column.max)] for column in columns
        ]
        widths = [_widest(head, texts) for head, texts in zip(_FIGURES, zip(*figures, strict=True), strict=True)]
        left = width - taken - sum(widths)
        if left >= min(name_cells, NAME_CELLS_MIN):
            break
    name_width = max(min(name_cells, left), 4)
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold", show_edge=False)
    table.add_column("column", width=name_width, no_wrap=True)
    table.add_column("type", width=fixed[0], no_wrap=True)
    table.add_column("nulls", width=fixed[1], justify="right", no_wrap=True)
    table.add_column("distinct", width=fixed[2], justify="right", no_wrap=True)
    if shapes:
        table.add_column("shape", width=SHAPE_BARS, no_wrap=True)
    for head, cells in zip(_FIGURES, widths, strict=True):
        table.add_column(head, width=cells, justify="right", overflow="fold")
    for column, kind, row in zip(columns, kinds, figures, strict=True):
        nulls = Text(str(column.nulls), style="yellow" if column.nulls else "dim")
        shape = [Text(_shape(column.chart), style="cyan")] if shapes else []
        name = Text("\n".join(_name_lines(column.name, name_width)), style="bold")
        table.add_row(name, Text(kind), nulls, Text(column.distinct), *shape, *map(Text, row))
    return table, any(text.startswith("~") for row in figures for text in row)


_FIGURES = ("min", "avg", "max")


def _kind(column: ColumnView) -> str:
    """`number`, with the role where it is no measure, and the unit."""
    role = "" if column.role == "measure" else column.role
    return " ".join(filter(None, (column.type, role, column.unit)))


def _widest(head: str, texts: Iterable[str]) -> int:
    return max([len(head), *(max(map(cell_len, text.split("\n"))) for text in texts)])


def _figure(text: str, cells: int) -> str:
    """
    A number or date in at most *cells*: a time goes on a line of its own, a long number is rounded.

    >>> _figure("123456789012345.67", 10), _figure("-0.0012345678901", 10)
    ('~1.235e+14', '~-0.001235')
    """
    if len(text) <= cells:
        return text
    if " " in text:
        day, _, time = text.partition(" ")
        return "\n".join([day, *chop_cells(time, cells)])
    if not _is_number(text):
        return text
    number = Decimal(text)
    written = [f"~{number:.{digits}f}" for digits in range(cells, -1, -1)]
    powers = [f"~{number:.{digits}e}" for digits in range(cells, -1, -1)]
    # A small number may lose all of its digits behind the mark: then its power of ten says more.
    return next((one for one in written if len(one) <= cells and _digits(one) >= FIGURE_DIGITS_MIN), None) or next(
        (one for one in powers if len(one) <= cells), powers[-1]
    )


def _digits(text: str) -> int:
    return len(text.strip("~-0.").replace(".", ""))


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit()


def _name_lines(name: str, cells: int, lines_max: int = 3) -> list[str]:
    """*name* on a few lines, broken behind a mark where there is one, and then cut."""
    lines: list[str] = []
    rest = name
    while cell_len(rest) > cells and len(lines) < lines_max - 1:
        head = chop_cells(rest, cells)[0] or rest[:1]
        mark = max(head.rfind(mark) for mark in "_ .-/") + 1
        # A break that leaves almost nothing on the line is worse than one inside of a word.
        at = mark if mark * 3 >= len(head) else len(head)
        lines.append(rest[:at].rstrip())
        rest = rest[at:]
    if cell_len(rest) > cells:
        rest = set_cell_size(rest, cells - 1).rstrip() + "…"
    return [*lines, rest]


def _shape(chart: Chart | None) -> str:
    """A chart on one line: a block for each bar, a dot where there is nothing."""
    if chart is None:
        return ""
    bars = chart.bars if len(chart.bars) <= SHAPE_BARS else chart.bars[: SHAPE_BARS - 1]
    highest = chart.highest
    marks = [_HEIGHTS[-(-bar.count * len(_HEIGHTS) // highest) - 1] if bar.count else "·" for bar in bars]
    return "".join(marks) + ("…" if len(bars) < len(chart.bars) else "")


def _bar(count: int, highest: int) -> str:
    eighths = -(-count * BAR_CELLS * 8 // highest)
    whole, part = divmod(eighths, 8)
    return _HEIGHTS[-1] * whole + (_EIGHTHS[part - 1] if part else "")


def _values(band: BandView, width: int) -> Iterable[RenderableType]:
    listed = [(column, column.chart) for column in band.columns if column.chart and column.chart.kind == "values"]
    if not listed:
        return
    yield _heading("Rows per value")
    bars = [bar for _, chart in listed[:LISTS_SHOWN] for bar in _first_bars(chart)]
    count_cells = max(len(str(bar.count)) for bar in bars)
    names = _widest("", [column.name for column, _ in listed[:LISTS_SHOWN]])
    name_cells = min(names, 18)
    label_cells = max(8, min(_widest("", [bar.label for bar in bars]), width - name_cells - count_cells - BAR_CELLS - 5))
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=name_cells, no_wrap=True)
    grid.add_column(width=label_cells, no_wrap=True)
    grid.add_column(width=count_cells, justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    for column, chart in listed[:LISTS_SHOWN]:
        name = Text(_cut(column.name, name_cells), style="bold")
        for index, bar in enumerate(_first_bars(chart)):
            grid.add_row(name if index == 0 else Text(), *_value_row(bar, chart.highest, label_cells))
        left = len(chart.bars) - len(_first_bars(chart))
        if left:
            grid.add_row("", Text(f"… {left} more", style="dim"), "", "")
    yield Padding(grid, (0, 0, 0, 2))
    yield from map(_item, _more(len(listed) - LISTS_SHOWN, "column", "of few values"))
    yield ""


def _first_bars(chart: Chart) -> Sequence[Bar]:
    # A line that says “1 more” could as well show it.
    return chart.bars if len(chart.bars) <= VALUES_SHOWN + 1 else chart.bars[:VALUES_SHOWN]


def _value_row(bar: Bar, highest: int, cells: int) -> tuple[Text, Text, Text]:
    style = "dim italic" if bar.label == NULL else ""
    label = Text(_cut(bar.label, cells), style=style)
    return label, Text(str(bar.count)), Text(_bar(bar.count, highest), style="cyan")


def _cut(text: str, cells: int) -> str:
    return text if cell_len(text) <= cells else set_cell_size(text, cells - 1).rstrip() + "…"


def _sums_text(sums: Sums) -> str:
    parts = ", ".join(f"{value} {total}" for value, total in sums.parts)
    return f"{sums.label}: {parts}" + (f", … {sums.more} more" if sums.more else "")


def _verdict_text(verdict: Verdict) -> Text:
    text = Text(f"{listed_names(verdict.columns)}: ")
    if verdict.assumed:
        text.append("ASSUMED ", style="bold yellow")
    return text.append(verdict.words)


def _cost_table(inspection: Inspection) -> RenderableType:
    costs = inspection.costs
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column()
    grid.add_column(justify="right", no_wrap=True)
    grid.add_row(Text("data context", style="bold"), Text(str(costs.whole.tokens), style="bold"))
    for one in costs.sections:
        grid.add_row(Text(f"  {one.label}"), Text(str(one.tokens)))
    grid.add_row(Text("the same data, every row", style="bold"), "")
    for one in costs.raw:
        grid.add_row(Text(f"  {one.label}"), Text(cost_text(one)))
    return Padding(grid, (0, 0, 0, 2))


def cost_text(cost: Cost) -> str:
    """The tokens of one text, and whether they are known exactly."""
    return f"about {cost.tokens}" if cost.about else str(cost.tokens)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed_names(names: Sequence[str]) -> str:
    """Some names as words: `a, b and 3 more`."""
    shown = names if len(names) <= NAMES_SHOWN + 1 else [*names[:NAMES_SHOWN], f"{len(names) - NAMES_SHOWN} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
