"""Shows definitions of reports in a terminal or, plain and quiet, in a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from datasources.conversions import canonical, convert
from datasources.elements import (
    AggregateElement,
    BandDefinition,
    FileSource,
    InlineSource,
    MemorySource,
    Parameter,
    ReportDefinition,
    Source,
    SqlSource,
)
from datasources.repository import Entry
from prompts.formats import inert

WIDTH_MAX = 120
QUERY_LINES_MAX = 12
"""A longer query is cut: --json has the rest."""
OPTIONS_MAX = 8
"""Of more options, the rest is counted: --json has all."""


def list_text(entries: Sequence[Entry], *, terminal: bool, width: int) -> str:
    """The reports as a table."""
    if not entries:
        return _rendered([Text("No reports.")], terminal, width)
    table = _table("id", "name", "parameters", "bands", "file")
    for entry in entries:
        definition = entry.definition
        if definition is not None:
            counts = (str(len(definition.parameters)), str(len(definition.bands)))
            table.add_row(*map(_text, (definition.id, definition.name, *counts, entry.place)))
    return _rendered([table], terminal, width)


def params_text(definition: ReportDefinition, *, terminal: bool, width: int) -> str:
    """The parameters as a table, below the report's name."""
    return _rendered([_title(definition), "", *_parameter_items(definition)], terminal, width)


def show_text(definition: ReportDefinition, *, terminal: bool, width: int) -> str:
    """Everything that a report is made of."""
    items: list[RenderableType] = [_title(definition)]
    if definition.description:
        items.append(_text(definition.description))
    items.append(Text(_facts(definition), style="dim"))
    items += ["", _heading("Parameters"), *_indented(_parameter_items(definition))]
    items += ["", _heading("Datasources"), *_indented(_source_items(definition))]
    items += ["", _heading("Bands"), *_indented(_band_items(definition.bands))]
    if definition.aggregates:
        items += ["", _heading("Aggregates"), *_indented(_aggregate_items(definition.aggregates))]
    return _rendered(items, terminal, width)


def valid_line(place: str, definition: ReportDefinition) -> str:
    """One line that says that a definition is valid, and how large it is."""
    counts = (
        _counted(len(definition.parameters), "parameter"),
        _counted(len(definition.datasources), "datasource"),
        _counted(len(definition.bands), "band"),
    )
    return inert(f"{place}: valid ({', '.join(counts)})") + "\n"


def default_text(parameter: Parameter, definition: ReportDefinition) -> str:
    """The default as it will be applied; empty where there is none."""
    return canonical(convert(parameter, parameter.default_value, definition.locale))


def _title(definition: ReportDefinition) -> Text:
    return _text(definition.name, style="bold cyan").append(inert(f"  {definition.id}"), style="bold")


def _facts(definition: ReportDefinition) -> str:
    page = f"{definition.page.size} {definition.page.orientation}"
    public = "public" if definition.public else "not public"
    return inert(f"{page}, {public}" + (f", {definition.locale}" if definition.locale else ""))


def _parameter_items(definition: ReportDefinition) -> list[RenderableType]:
    if not definition.parameters:
        return [Text("This report takes no parameters.")]
    table = _table("id", "label", "type", "required", "default", "options")
    for parameter in definition.parameters:
        options = list(parameter.options or ())
        more = len(options) - OPTIONS_MAX
        shown = ", ".join(options[:OPTIONS_MAX]) + (f", … {more} more" if more > 0 else "")
        default = default_text(parameter, definition) or ("-" if parameter.required else "(all)")
        required = "yes" if parameter.required else "no"
        cells = (parameter.id, parameter.label or "-", parameter.type, required, default, shown or "-")
        table.add_row(*map(_text, cells))
    return [table]


def _source_items(definition: ReportDefinition) -> Iterable[RenderableType]:
    for name, source in definition.datasources.items():
        yield _text(name, style="bold").append(inert(f"  {_source_words(source)}"), style="")
        if isinstance(source, SqlSource):
            lines = source.query.strip().splitlines()
            yield from (Padding(_text(line), (0, 0, 0, 4)) for line in lines[:QUERY_LINES_MAX])
            if len(lines) > QUERY_LINES_MAX:
                more = _counted(len(lines) - QUERY_LINES_MAX, "more line")
                yield Padding(Text(f"… {more}: --json has all."), (0, 0, 0, 4))


def _source_words(source: Source) -> str:
    match source:
        case FileSource():
            return f"file {source.path} below {source.root}"
        case InlineSource():
            return f"inline, {_counted(len(source.records), 'record')}"
        case MemorySource():
            return f"memory, handed over as {source.name}"
        case SqlSource():
            return f"sql over {source.connection}"


def _band_items(bands: Sequence[BandDefinition]) -> list[RenderableType]:
    table = _table("name", "kind", "datasource", "fields declared", "elements")
    for band in bands:
        fields = ", ".join(field.name for field in band.fields)
        table.add_row(
            *map(
                _text, (band.name, band.kind, band.datasource or "-", fields or "-", str(len(band.elements)))
            )
        )
    return [table]


def _aggregate_items(aggregates: Sequence[AggregateElement]) -> Iterable[RenderableType]:
    for one in aggregates:
        where = ", filtered" if one.where is not None else ""
        of = f" of {one.field}" if one.field else ""
        yield _text(one.id, style="bold").append(inert(f"  {one.verb}{of} in {one.band}{where}"), style="")


def _table(*names: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for name in names:
        numeric = name in ("parameters", "bands", "elements")
        table.add_column(name, overflow="fold", justify="right" if numeric else "left")
    return table


def _heading(text: str) -> Text:
    return Text(text, style="bold")


def _text(text: str, style: str = "") -> Text:
    """Text of a definition: nothing of it is markup, a control character or a line of its own."""
    return Text(inert(text), style=style)


def _indented(items: Iterable[RenderableType]) -> list[RenderableType]:
    return [Padding(item, (0, 0, 0, 2)) for item in items]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _rendered(items: Iterable[RenderableType], terminal: bool, width: int) -> str:
    console = Console(
        file=StringIO(),
        force_terminal=terminal,
        force_jupyter=False,
        width=min(width, WIDTH_MAX),
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    with console.capture() as capture:
        for item in items:
            console.print(item)
    lines = [line.rstrip(" ") for line in capture.get().split("\n")]
    return "\n".join(lines).rstrip("\n") + "\n"
