"""Says on which machine and with which versions something was measured."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from benchmarks.question import GIGA
from lastro.version import VERSION

LIBRARIES = ("polars", "duckdb", "pyarrow", "numpy", "numba")
"""The last is the extra `fast`."""


class Machine(NamedTuple):
    """What ratios and, far more, seconds depend on."""

    processor: str
    cores: int
    memory_gb: float
    system: str
    versions: dict[str, str]

    def __str__(self) -> str:
        libraries = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return f"{self.processor}, {self.cores} cores, {self.memory_gb:.0f} GB, {self.system}; {libraries}"


def this_machine() -> Machine:
    """The machine that we run on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIGA
    versions = {"lastro": VERSION, "python": platform.python_version()} | {
        name: _version(name) for name in LIBRARIES
    }
    return Machine(_processor(), cores, memory, platform.system(), versions)


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
