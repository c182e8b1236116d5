"""Runs jobs at the same time: sources, each with a deadline of its own, and the parts of a file."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Generic, TypeVar

from datasources.exceptions import SourceTimeout

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

AT_ONCE_MAX = 8
"""How many sources are read at the same time."""
REUSED_BYTES_MAX = 16 * 1024 * 1024
"""Larger than any column of a part."""

T = TypeVar("T")


@contextmanager
def threads(count: int) -> Iterator[ThreadPoolExecutor]:
    """
    A pool for the parts of a file.

    An error or an interrupt leaves undone what has not begun, and does not wait for what has.
    """
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(count)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


def reuse_memory() -> None:
    """
    Let the columns of a part stand where those of the part before it stood.

    The C library of Linux returns blocks as large as a column to the system, which then clears every page anew, a
    tenth of the time of a pass. From the first such block that is freed it learns to keep them (mallopt(3), "Dynamic
    MMAP_THRESHOLD"); this one is never written to, so it costs nothing.
    """
    bytearray(REUSED_BYTES_MAX)


class _Outcome(Generic[T]):
    """What a job gave or raised."""

    def __init__(self, name: str, value: T | None = None, error: BaseException | None = None) -> None:
        self.name = name
        self._value = value
        self._error = error

    def result(self) -> T:
        """The value; raises what the job raised."""
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]  # there is one where nothing was raised


def run_all(jobs: Mapping[str, Callable[[], T]], timeout_s: float) -> dict[str, T]:
    """
    What each of *jobs* gives, by its name and in their order.

    Raises what the first job raises that fails, and SourceTimeout for one that takes longer than *timeout_s*.
    """
    done: SimpleQueue[_Outcome[T]] = SimpleQueue()
    waiting = deque(jobs)
    deadlines: dict[str, float] = {}
    found: dict[str, T] = {}
    while waiting or deadlines:
        while waiting and len(deadlines) < AT_ONCE_MAX:
            name = waiting.popleft()
            deadlines[name] = monotonic() + timeout_s
            # Not a pool: at its end Python waits for the threads of a pool, also for one that hangs.
            # A context of its own lets it tell the watcher of this one what it reads.
            arguments = (_run, name, jobs[name], done)
            Thread(target=copy_context().run, args=arguments, name=f"source {name}", daemon=True).start()
        try:
            outcome = done.get(timeout=max(0.0, min(deadlines.values()) - monotonic()))
        except Empty:
            raise _late(min(deadlines, key=deadlines.__getitem__), timeout_s) from None
        del deadlines[outcome.name]
        found[outcome.name] = outcome.result()
    return {name: found[name] for name in jobs}


def _run(name: str, job: Callable[[], T], done: SimpleQueue[_Outcome[T]]) -> None:
    try:
        outcome = _Outcome(name, job())
    except BaseException as error:  # noqa: BLE001 - it is raised where the jobs are waited for
        outcome = _Outcome(name, error=error)
    done.put(outcome)


def _late(name: str, timeout_s: float) -> SourceTimeout:
    return SourceTimeout(
        f"The datasource {name} could not be read within {timeout_s:g} seconds: make it smaller or faster, "
        "or allow more time (source_timeout_s).",
        source=name,
    )
