"""
Ends a request when its time is over, or when whoever asked has left: SQL is interrupted, loops in Python look here.

A request and all that it asks have one deadline. What runs in its thread finds it by itself: a loop over many groups
or values calls `check` between its steps. A `Stop` ends the requests that run under it, from any thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from engine.exceptions import QueryError

if TYPE_CHECKING:
    import duckdb

INTERRUPT_AGAIN_S = 0.002
"""An interrupt before DuckDB has begun is lost, so that it is repeated until the query has ended."""
STEPS_PER_CHECK = 1_000
"""Of short steps, so many are made between two looks."""

Step = TypeVar("Step")


class Stop:
    """Whether a request is not wanted any more; those that run under it hear of it at once."""

    def __init__(self) -> None:
        self.is_set = False
        self._deadlines: set[Deadline] = set()
        self._lock = Lock()

    def set(self) -> None:
        """End what runs under it, and what begins under it later."""
        with self._lock:
            self.is_set = True
            deadlines = tuple(self._deadlines)
        for one in deadlines:
            one.stop()

    def add(self, deadline: Deadline) -> None:
        """Have *deadline* hear of it."""
        with self._lock:
            self._deadlines.add(deadline)
            is_set = self.is_set
        if is_set:
            deadline.stop()

    def discard(self, deadline: Deadline) -> None:
        """Its request has ended."""
        with self._lock:
            self._deadlines.discard(deadline)


class Deadline:
    """When one request ends at the latest."""

    def __init__(self, time_s: float | None) -> None:
        self._time_s = time_s
        self._until = None if time_s is None else monotonic() + time_s
        self._is_stopped = False
        self._bells: set[Event] = set()
        self._lock = Lock()

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be done."""
        return self._is_stopped or (self._until is not None and monotonic() >= self._until)

    def check(self) -> None:
        """Raise QueryError where the request has ended."""
        if self.is_over:
            raise self.error()

    def check_stopped(self) -> None:
        """The same, but for what takes as long as it takes unless nobody waits for it."""
        if self._is_stopped:
            raise self.error()

    def error(self) -> QueryError:
        """Why the request has ended."""
        if self._is_stopped:
            return QueryError("stopped")
        return QueryError("stopped_by_time", seconds=f"{self._time_s or 0:g}")

    def stop(self) -> None:
        """End the request now."""
        with self._lock:
            self._is_stopped = True
            bells = tuple(self._bells)
        for bell in bells:
            bell.set()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count the time of what is done once, for all questions."""
        began = monotonic()
        try:
            yield
        finally:
            if self._until is not None:
                self._until += monotonic() - began

    @contextmanager
    def interrupting(self, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Interrupt what *connection* does when the request ends."""
        bell, done = Event(), Event()
        with self._lock:
            self._bells.add(bell)
        watch = Thread(target=self._watch, args=(connection, bell, done), daemon=True)
        watch.start()
        try:
            yield
        finally:
            done.set()
            bell.set()
            watch.join()
            with self._lock:
                self._bells.discard(bell)

    def _watch(self, connection: duckdb.DuckDBPyConnection, bell: Event, done: Event) -> None:
        while not (self.is_over or done.is_set()):
            bell.wait(None if self._until is None else max(0.0, self._until - monotonic()))
        while not done.is_set():
            connection.interrupt()
            done.wait(INTERRUPT_AGAIN_S)


_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)
_stop: ContextVar[Stop | None] = ContextVar("stop", default=None)


@contextmanager
def under(stop: Stop) -> Iterator[None]:
    """Let *stop* end the requests of this context."""
    token = _stop.set(stop)
    try:
        yield
    finally:
        _stop.reset(token)


@contextmanager
def one_request(time_s: float | None, stop: Stop) -> Iterator[Deadline]:
    """
    A request of at most *time_s* seconds, which *stop* can end, and that of the context; within another, a part of it.

    Raises QueryError at once where nobody waits for it.
    """
    outer = _current.get()
    if outer is not None:
        yield outer
        return
    deadline = Deadline(time_s)
    stops = [one for one in (stop, _stop.get()) if one is not None]
    token = _current.set(deadline)
    try:
        for one in stops:
            one.add(deadline)
        deadline.check_stopped()
        yield deadline
    finally:
        _current.reset(token)
        for one in stops:
            one.discard(deadline)


def check() -> None:
    """Raise QueryError where the request of this thread has ended."""
    deadline = _current.get()
    if deadline is not None:
        deadline.check()


def while_wanted(steps: Iterable[Step]) -> Iterator[Step]:
    """The same *steps*, made in any thread, as long as somebody waits for the request of this one."""
    deadline = _current.get()
    return iter(steps) if deadline is None else _until_stopped(deadline, steps)


def _until_stopped(deadline: Deadline, steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        deadline.check_stopped()
        yield step


def checked(steps: Iterable[Step]) -> Iterator[Step]:
    """The same *steps*, with a look at the deadline now and then."""
    deadline = _current.get()
    if deadline is None:
        yield from steps
        return
    for number, step in enumerate(steps):
        if number % STEPS_PER_CHECK == 0:
            deadline.check()
        yield step
