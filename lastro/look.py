"""How lines are printed: coloured and cut to the width in a terminal, plain and whole in a pipe."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from lastro.output import seen

if TYPE_CHECKING:
    from rich.text import Text

WIDTH_MAX = 120
_blanks_at_the_end = re.compile(r" +((?:\x1b\[[0-9;]*m)*)$").sub


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

    def render(self, lines: Iterable[Text]) -> str:
        """
        The *lines* as one text that ends in a line break, without blanks at the end of a line.

        Lines that are `no_wrap` stay whole; others are broken between words. NO_COLOR is respected.
        """
        from rich.console import Console

        console = Console(
            file=StringIO(),
            force_terminal=self.is_terminal,
            force_jupyter=False,
            width=self.width or WIDTH_MAX,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
        )
        with console.capture() as capture:
            for line in lines:
                whole = line.no_wrap or not self.is_terminal
                console.print(line, no_wrap=whole, overflow="ignore" if whole else "fold", crop=False)
        found = [_blanks_at_the_end(r"\1", line) for line in capture.get().split("\n")]
        return "\n".join(found).strip("\n") + "\n"


def plain(text: str, style: str = "") -> Text:
    """A line of prose; nothing in it is markup, a control character or a line of its own."""
    from rich.text import Text

    return Text(seen(text), style=style)


def whole(*parts: tuple[str, str]) -> Text:
    """A line that is never broken, of (text, style) pairs."""
    from rich.text import Text

    line = Text(no_wrap=True)
    for text, style in parts:
        line.append(seen(text), style=style)
    return line
