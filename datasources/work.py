"""
Tells whoever watches what work is done: rows and bytes read, pass by pass, rows taken, queries run.

Nothing is counted while nobody watches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa

Activity = Literal["checking", "splitting", "reading"]
"""
A text file is checked to be UTF-8 and split into records once, as bytes; every pass over a band that is
larger than memory is a reading of its rows.
"""

Unit = Literal["rows", "bytes", "taken", "queries"]
"""Rows and bytes are those of stages; `taken` are single rows, found by their position."""

Piece = TypeVar("Piece")


@dataclass(frozen=True, slots=True)
class Stage:
    """A stretch of work of which it is known beforehand how much it is."""

    activity: Activity
    name: str
    """Of the band."""
    bytes: int
    rows: int | None = None
    columns: tuple[int, ...] = ()
    """Positions of the columns that a reading asks for."""


class Watcher(Protocol):
    """Is told of work, by any thread."""

    def begin(self, stage: Stage) -> None:
        """A stage begins; it is the only one of its thread."""

    def add(self, unit: Unit, amount: int) -> None:
        """So much more was done."""

    def end(self, stage: Stage) -> None:
        """Nothing more is begun of a stage, whether all of it was done or not."""


@dataclass(slots=True)
class Tally:
    """A watcher that adds everything up."""

    stages: list[Stage] = field(default_factory=list)
    done: Counter[Unit] = field(default_factory=Counter)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def begin(self, stage: Stage) -> None:
        """Keep it."""
        with self._lock:
            self.stages.append(stage)

    def add(self, unit: Unit, amount: int) -> None:
        """Add it up."""
        with self._lock:
            self.done[unit] += amount

    def end(self, stage: Stage) -> None:
        """What was done is known."""


_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched_by(watcher: Watcher | None) -> Iterator[None]:
    """Let *watcher*, or nobody, be told of the work of this context, and of threads that get a copy of it."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def tell(unit: Unit, amount: int = 1) -> None:
    """Say that so much more was done."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher.add(unit, amount)


@contextmanager
def stage(activity: Activity, name: str, size: int) -> Iterator[None]:
    """Say that *size* bytes of *name* are gone through meanwhile."""
    watcher = _watcher.get()
    if watcher is None:
        yield
        return
    with _during(watcher, Stage(activity, name, size)):
        yield


def one_pass(
    describe: Callable[[], Stage],
    pieces: Iterable[Piece],
    read: Callable[[Piece], pa.Table],
    size: Callable[[Piece], int],
) -> Iterator[Callable[[], pa.Table]]:
    """
    The readers of *pieces*, each of which, in any thread, says what it has read.

    What *describe* and *size* (bytes) compute is only asked for when somebody watches.
    """
    watcher = _watcher.get()
    if watcher is None:
        yield from (partial(read, piece) for piece in pieces)
        return
    with _during(watcher, describe()):
        yield from (partial(_told, watcher, piece, read, size) for piece in pieces)


def _told(
    watcher: Watcher, piece: Piece, read: Callable[[Piece], pa.Table], size: Callable[[Piece], int]
) -> pa.Table:
    table = read(piece)
    watcher.add("rows", table.num_rows)
    watcher.add("bytes", size(piece))
    return table


@contextmanager
def _during(watcher: Watcher, stage: Stage) -> Iterator[None]:
    watcher.begin(stage)
    try:
        yield
    finally:
        watcher.end(stage)
