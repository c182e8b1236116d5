"""Writes an inspection as one page that needs nothing else: no script, no address, no font of elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from lastro.inspect_report import NULL, Chart, Inspection
from lastro.inspect_view import cost_text, listed_names

HISTOGRAM_WIDTH = 200
HISTOGRAM_HEIGHT = 60
BAR_LENGTH = 100
LIST_SHOWN = 200
"""A longer list of notes or aggregates is cut."""


@dataclass(frozen=True, slots=True)
class Rect:
    """One bar of a drawn histogram."""

    x: str
    y: str
    width: str
    height: str
    words: str
    """What the bar says, shown when it is pointed at."""


def render_page(inspection: Inspection) -> str:
    """
    The inspection as an HTML page.

    Every text goes through the template, which escapes it: a name or cell stays text whatever it holds.
    """
    # PackageLoader finds the template wherever the package is, a zip file included.
    environment = Environment(
        loader=PackageLoader("lastro"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        rects=_rects, length=_length, cost=cost_text, names=listed_names, counted=_counted
    )
    environment.globals.update(
        NULL=NULL,
        LIST_SHOWN=LIST_SHOWN,
        BAR_LENGTH=BAR_LENGTH,
        HISTOGRAM_WIDTH=HISTOGRAM_WIDTH,
        HISTOGRAM_HEIGHT=HISTOGRAM_HEIGHT,
    )
    return environment.get_template("inspect.html.j2").render(inspection=inspection)


def _rects(chart: Chart, width: int, height: int) -> list[Rect]:
    """The bars of a chart in a drawing of *width* by *height*; what is not zero is seen."""
    step = width / len(chart.bars)
    ends = [*(bar.label for bar in chart.bars[1:]), chart.end]
    rects: list[Rect] = []
    for index, (bar, end) in enumerate(zip(chart.bars, ends, strict=True)):
        tall = max(bar.count * height / chart.highest, 1.0) if bar.count else 0.0
        if chart.kind == "values":
            words = f"{bar.label}: {_counted(bar.count, 'row')}"
        else:
            words = f"{bar.label} to {end}: {_counted(bar.count, 'row')}"
        rects.append(
            Rect(f"{index * step:.1f}", f"{height - tall:.1f}", f"{step * 0.86:.1f}", f"{tall:.1f}", words)
        )
    return rects


def _length(count: int, highest: int) -> str:
    """The length of a lying bar, of `BAR_LENGTH` at most."""
    return f"{max(count * BAR_LENGTH / highest, 0.5) if count else 0:.1f}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
