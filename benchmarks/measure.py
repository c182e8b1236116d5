"""Times commands as whole processes, in rounds that take turns, and calls within a warm process."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import IO, NamedTuple

from benchmarks.files import ROOT

QUIET_CORES = 0.25
"""Others may use this much of one core while a run counts as undisturbed."""
CALM_ROUNDS_MIN = 3
"""With so many undisturbed rounds the disturbed ones are left out."""
WINDOW_S = 0.25
WAIT_MAX_S = 15.0
"""The longest wait before a single run."""
MEASURABLE_S = 0.3
"""The system counts in ticks: load during a shorter run says nothing, so that before it stands."""
TIMEOUT_S = 1800.0
MESSAGE_CHARACTERS = 2000


class MeasureError(Exception):
    """A measured command failed, so that its time means nothing."""


@dataclass(frozen=True, slots=True)
class Run:
    """One process, from its start to its end."""

    wall_s: float
    cpu_s: float
    peak_bytes: float
    """The largest resident size."""
    foreign: float | None
    """Cores that other processes used meanwhile; None where the system does not say."""
    output: str

    def reported(self, name: str) -> float:
        """A number that the process printed itself, as the member *name* of a JSON object."""
        return float(json.loads(self.output)[name])


Metric = Callable[[Run], float]


def wall(run: Run) -> float:
    """Seconds from start to end."""
    return run.wall_s


def cpu(run: Run) -> float:
    """Seconds of all cores together; other processes hardly change them."""
    return run.cpu_s


def peak(run: Run) -> float:
    """Bytes of memory."""
    return run.peak_bytes


class Spread(NamedTuple):
    """Median and extremes."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of at least one value."""
        return cls(median(values), min(values), max(values))


class QuietGate:
    """Waits for the rest of the machine to be quiet, for *patience_s* in all."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s

    def wait(self) -> float | None:
        """Return when it is quiet or patience ends, with the load last seen."""
        until = time.monotonic() + min(self._patience_s, WAIT_MAX_S)
        while True:
            load = _load_during(WINDOW_S)
            if load is None or load < QUIET_CORES or time.monotonic() >= until:
                return load
            self._patience_s -= WINDOW_S


@dataclass(frozen=True, slots=True)
class Rounds:
    """Runs of several sides; the runs at one position followed each other directly."""

    runs: Mapping[str, tuple[Run, ...]]

    @property
    def foreign(self) -> float | None:
        """The load of others, median over the runs that count."""
        loads = [
            run.foreign
            for runs in self.runs.values()
            for run in self._counted(runs)
            if run.foreign is not None
        ]
        return median(loads) if loads else None

    def median(self, side: str, metric: Metric = wall) -> float:
        """The median of one side."""
        return median(metric(run) for run in self._counted(self.runs[side]))

    def ratio(self, over: str, under: str, metric: Metric = wall) -> Spread:
        """How two sides compare, round by round: hours differ by a fifth, neighbours do not."""
        pairs = zip(self._counted(self.runs[over]), self._counted(self.runs[under]), strict=True)
        return Spread.of([metric(first) / metric(second) for first, second in pairs])

    def _counted(self, runs: Sequence[Run]) -> list[Run]:
        calm = [
            all((run.foreign or 0) < QUIET_CORES for run in together)
            for together in zip(*self.runs.values(), strict=True)
        ]
        if sum(calm) < CALM_ROUNDS_MIN:
            return list(runs)
        return [run for run, undisturbed in zip(runs, calm, strict=True) if undisturbed]


def run_rounds(
    sides: Mapping[str, Sequence[str]], repeat: int, gate: QuietGate, warm_up: bool = True
) -> Rounds:
    """
    Run the commands of all *sides* in turn, A B A B …, *repeat* times each.

    A first round is not counted: it brings files and programs into the system's cache. Raises MeasureError.
    """
    if warm_up:
        for command in sides.values():
            run_process(command)
    runs: dict[str, list[Run]] = {side: [] for side in sides}
    for _ in range(repeat):
        for side, command in sides.items():
            runs[side].append(run_process(command, gate))
    return Rounds({side: tuple(done) for side, done in runs.items()})


def run_process(command: Sequence[str], gate: QuietGate | None = None, timeout_s: float = TIMEOUT_S) -> Run:
    """
    Run *command* in the folder of the project, and measure it; raises MeasureError when it fails.

    The peak that Linux reports for a process is never below the size of the one that started it. So this one
    stays small: what is large (data, checks, warm timings) runs in processes of its own.
    """
    load_before = gate.wait() if gate else None
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as messages:
        busy_before, start = _busy_seconds(), time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=output,
            stderr=messages,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        status, usage = _reap(process, timeout_s)
        wall_s, busy_after = time.perf_counter() - start, _busy_seconds()
        if status:
            said = (_text(messages) or _text(output)).strip()[-MESSAGE_CHARACTERS:]
            raise MeasureError(f"{' '.join(command[1:])} ended with status {status}:\n{said}")
        cpu_s = usage.ru_utime + usage.ru_stime
        foreign = load_before
        if busy_before is not None and busy_after is not None and wall_s >= MEASURABLE_S:
            foreign = max(0.0, busy_after - busy_before - cpu_s) / wall_s
        unit = 1 if sys.platform == "darwin" else 1024
        return Run(wall_s, cpu_s, usage.ru_maxrss * unit, foreign, _text(output))


class Latency(NamedTuple):
    """How long a call takes when everything is warm."""

    median_s: float
    p95_s: float


def time_calls(call: Callable[[int], object], calls: int, warm_up: int) -> Latency:
    """Time *call*, which is handed the number of the call, *calls* times after *warm_up* ones."""
    for number in range(warm_up):
        call(number)
    seconds: list[float] = []
    for number in range(calls):
        start = time.perf_counter()
        call(number)
        seconds.append(time.perf_counter() - start)
    seconds.sort()
    return Latency(median(seconds), seconds[int(len(seconds) * 0.95)])


def _reap(process: subprocess.Popen[bytes], timeout_s: float) -> tuple[int, resource.struct_rusage]:
    killer = threading.Timer(timeout_s, _kill, [process.pid])
    killer.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        _kill(process.pid)
        process.wait()
        raise
    finally:
        killer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage


def _kill(group: int) -> None:
    os.killpg(group, signal.SIGKILL)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def _load_during(seconds: float) -> float | None:
    """Cores in use while we sleep."""
    before = _busy_seconds()
    time.sleep(seconds)
    after = _busy_seconds()
    return None if before is None or after is None else (after - before) / seconds


def _busy_seconds() -> float | None:
    """Processor seconds that the machine has spent so far; None where the system does not say."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            user, nice, system, _idle, _waiting, *interrupts = map(int, file.readline().split()[1:9])
    except OSError:
        return None
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")
