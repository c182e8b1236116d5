"""Shows an inspection in a terminal or, plain and quiet, in a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lastro.inspect_cost import Cost
from lastro.inspect_report import NULL, BandView, Bar, Chart, Inspection, Sums, Verdict
from lastro.inspect_table import column_table, cut_cells, widest

WIDTH = 80
"""Columns of text where there is no terminal to ask."""
WIDTH_MAX = 120
BAR_CELLS = 24
NAME_CELLS_MAX = 18
VALUES_SHOWN = 6
LISTS_SHOWN = 10
"""Of the columns of few values, so many are listed with at most `VALUES_SHOWN` values each."""
LINES_SHOWN = 12
"""Of every other list, so many lines."""
NAMES_SHOWN = 6

_FULL = "█"
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
        yield _heading(f"Warnings ({inspection.warnings_in_all})")
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
        table, rounded = column_table(band.columns, width)
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
        hidden = _counted(band.hidden, "more column")
        yield Text(f"… and {hidden}: --columns all shows every one.", style="italic")
    binned = any(column.chart and column.chart.kind == "bins" for column in band.columns)
    if band.sampled is not None and binned:
        rows = f"{band.sampled} of {_counted(band.rows, 'row')}"
        yield Text(f"Shapes of numbers and dates: from a sample of {rows}.", style="dim")
    if rounded:
        yield Text("~ rounded to fit; --html shows it exact.", style="dim")


def _bar(count: int, highest: int) -> str:
    eighths = -(-count * BAR_CELLS * 8 // highest)
    whole, part = divmod(eighths, 8)
    return _FULL * whole + (_EIGHTHS[part - 1] if part else "")


def _values(band: BandView, width: int) -> Iterable[RenderableType]:
    listed = [
        (column, column.chart) for column in band.columns if column.chart and column.chart.kind == "values"
    ]
    if not listed:
        return
    yield _heading("Rows per value")
    bars = [bar for _, chart in listed[:LISTS_SHOWN] for bar in _first_bars(chart)]
    count_cells = max(len(str(bar.count)) for bar in bars)
    name_cells = min(widest([column.name for column, _ in listed[:LISTS_SHOWN]]), NAME_CELLS_MAX)
    left = width - name_cells - count_cells - BAR_CELLS - 5
    label_cells = max(8, min(widest([bar.label for bar in bars]), left))
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=name_cells, no_wrap=True)
    grid.add_column(width=label_cells, no_wrap=True)
    grid.add_column(width=count_cells, justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    for column, chart in listed[:LISTS_SHOWN]:
        name = Text(cut_cells(column.name, name_cells), style="bold")
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
    label = Text(cut_cells(bar.label, cells), style=style)
    return label, Text(str(bar.count)), Text(_bar(bar.count, highest), style="cyan")


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
    shown = list(names)
    if len(names) > NAMES_SHOWN + 1:
        shown[NAMES_SHOWN:] = [f"{len(names) - NAMES_SHOWN} more"]
    return "".join(shown) if len(shown) < 2 else f"{', '.join(shown[:-1])} and {shown[-1]}"
