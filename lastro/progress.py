"""Shows in a terminal how far the reading of large data has come, once it has taken a second."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, RLock, Thread
from typing import TYPE_CHECKING, TextIO

from datasources.work import Activity, Stage, Unit, watched_by
from lastro.output import seen

if TYPE_CHECKING:
    from rich.progress import Progress

DELAY_S = 1.0
"""A command that takes no longer shows nothing."""
REFRESH_S = 0.1
NAME_MAX = 24
OFF = "NO_PROGRESS"
"""An environment variable that, set to anything, lets nothing be shown."""

WORDS: dict[Activity, str] = {
    "checking": "checking the text",
    "splitting": "finding the rows",
    "reading": "reading",
}


@contextmanager
def progress_shown(terminal: TextIO) -> Iterator[None]:
    """Show the work of this context on *terminal*, from which it is gone at the end."""
    if os.environ.get(OFF) or os.environ.get("TERM") == "dumb":
        yield
        return
    display = Display(terminal)
    try:
        with watched_by(display):
            yield
    finally:
        display.close()


class Display:
    """
    A bar for the stage that is going on (a `work.Watcher`); a thread draws it, so that no work waits for it.

    Between stages there is none, so that others may write.
    """

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        # Of one thread it may be taken twice: a reading that was left is ended wherever its garbage is collected.
        self._lock = RLock()
        self._is_drawing = False
        self._closing = Event()
        self._thread: Thread | None = None
        self._stage: Stage | None = None
        self._done: dict[Unit, int] = {}
        self._passes = 0
        self._bar: Progress | None = None

    def begin(self, stage: Stage) -> None:
        """Show this stage from now on."""
        with self._lock:
            self._hide()
            self._stage, self._done = stage, {}
            self._passes += stage.activity == "reading"
            if self._thread is None:
                self._thread = Thread(target=self._draw, name="progress", daemon=True)
                self._thread.start()

    def add(self, unit: Unit, amount: int) -> None:
        """Move the bar on."""
        with self._lock:
            self._done[unit] = self._done.get(unit, 0) + amount

    def end(self, stage: Stage) -> None:
        """Take the bar away, whatever threads may still add to it."""
        with self._lock:
            if self._stage is stage:
                self._stage = None
                self._hide()

    def close(self) -> None:
        """Show nothing from now on; the terminal is as it was before."""
        self._closing.set()
        with self._lock:
            self._stage = None
            self._hide()

    def _draw(self) -> None:
        if self._closing.wait(DELAY_S):
            return
        import rich.progress  # noqa: F401 - takes a moment, which nobody else is to wait for

        while not self._closing.wait(REFRESH_S):
            with self._lock:
                if self._stage is not None:
                    self._show(self._stage)

    def _show(self, stage: Stage) -> None:
        self._is_drawing = True
        try:
            self._draw_bar(stage)
        finally:
            self._is_drawing = False
        if self._stage is None:  # it was ended meanwhile
            self._hide()

    def _draw_bar(self, stage: Stage) -> None:
        if self._bar is None:
            self._bar = _bar(self._terminal)
            self._bar.add_task(self._title(stage), total=stage.rows or stage.bytes, amount="")
            self._bar.start()
        rows, read = self._done.get("rows", 0), self._done.get("bytes", 0)
        (task,) = self._bar.task_ids
        amount = f"{_giga(read)} of {_giga(stage.bytes)} GB"
        if stage.rows is not None:
            amount = f"{rows:,} of {stage.rows:,} rows, {amount}"
        self._bar.update(task, completed=read if stage.rows is None else rows, amount=amount)
        self._bar.refresh()

    def _hide(self) -> None:
        if self._bar is None or self._is_drawing:
            return
        self._is_drawing = True
        try:
            self._bar.stop()
        finally:
            self._is_drawing = False
            # An interrupt may have cut a stop short.
            self._bar.console.show_cursor()
            self._bar = None

    def _title(self, stage: Stage) -> str:
        name = seen(stage.name)
        name = name if len(name) <= NAME_MAX else f"{name[: NAME_MAX - 1]}…"
        again = f", pass {self._passes}" if self._passes > 1 and stage.activity == "reading" else ""
        return f"{name}: {WORDS[stage.activity]}{again}"


def _bar(terminal: TextIO) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Column

    return Progress(
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)),
        BarColumn(None),
        TextColumn("{task.fields[amount]}", markup=False, table_column=Column(no_wrap=True)),
        TimeRemainingColumn(compact=True, table_column=Column(no_wrap=True)),
        TextColumn("left"),
        console=Console(file=terminal),
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


def _giga(count: int) -> str:
    return f"{count / 1e9:.2f}"
