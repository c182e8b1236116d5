"""How lines are printed: coloured and cut to the width in a terminal, plain and whole in a pipe."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO
from shutil import get_terminal_size

from lastro.output import seen

WIDTH_MAX = 120
_blanks_at_the_end = re.compile(r" +((?:\x1b\[[0-9;]*m)*)$").sub


@dataclass(frozen=True, slots=True)
class Line:
    """Texts side by side; nothing in them is markup, a control character or a line of its own."""

    parts: tuple[tuple[str, str], ...]
    """Each with its style."""
    is_whole: bool
    """Whether it is never broken."""

    @property
    def plain(self) -> str:
        """The text without any style."""
        return "".join(text for text, _ in self.parts)


@dataclass(frozen=True, slots=True)
class Look:
    """Where lines go."""

    width: int | None
    """Cells of a line in a terminal; None in a pipe, where nothing is cut or broken."""

    @classmethod
    def of_output(cls) -> Look:
        """The look of standard output."""
        if sys.stdout is None or not sys.stdout.isatty():
            return cls(None)
        return cls(min(get_terminal_size((80, 24)).columns, WIDTH_MAX))

    @property
    def is_terminal(self) -> bool:
        """Whether there are colours and charts."""
        return self.width is not None

    def render(self, lines: Iterable[Line]) -> str:
        """
        The *lines* as one text that ends in a line break, without blanks at the end of a line.

        In a terminal those that are not whole are broken between words. NO_COLOR is respected.
        """
        # What gives colours takes a while to load, and a pipe has none.
        printed = self._coloured(lines) if self.is_terminal else [line.plain for line in lines]
        return "\n".join(_blanks_at_the_end(r"\1", line) for line in printed).strip("\n") + "\n"

    def _coloured(self, lines: Iterable[Line]) -> list[str]:
        from rich.console import Console
        from rich.text import Text

        console = Console(
            file=StringIO(),
            force_terminal=True,
            force_jupyter=False,
            width=self.width,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
        )
        with console.capture() as capture:
            for line in lines:
                console.print(
                    Text.assemble(*line.parts),
                    no_wrap=line.is_whole,
                    overflow="ignore" if line.is_whole else "fold",
                    crop=False,
                )
        return capture.get().split("\n")


def plain(text: str, style: str = "") -> Line:
    """A line of prose."""
    return Line(((seen(text), style),), is_whole=False)


def whole(*parts: tuple[str, str]) -> Line:
    """A line that is never broken, of (text, style) pairs."""
    return Line(tuple((seen(text), style) for text, style in parts), is_whole=True)
