"""Runs a test by the plain path or with the compiled kernels, whatever the size of the table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest

from datasources import compiled
from engine import compiled_numbers, compiled_sums

KERNELS = (compiled.CSV_KERNEL, compiled_numbers.KERNEL, compiled_sums.KERNEL)
by_both_ways = pytest.mark.parametrize("way", ["plain", "compiled"])


@contextmanager
def running(way: str) -> Iterator[None]:
    """Within this, all of a table is read as *way* says."""
    with _ready(_compiled() if way == "compiled" else dict.fromkeys(KERNELS)):
        yield


@cache
def _compiled() -> dict[str, compiled.Kernels | None]:
    pytest.importorskip("numba")
    with _ready({}):
        compiled.prepare(compiled.COMPILE_SHARE, *KERNELS)
        assert all(map(compiled.kernels_of, KERNELS)), "they cannot be compiled, or not be kept"
        return dict(compiled._ready)


@contextmanager
def _ready(kernels: dict[str, compiled.Kernels | None]) -> Iterator[None]:
    before = dict(compiled._ready)
    compiled._ready.clear()
    compiled._ready.update(kernels)
    try:
        yield
    finally:
        compiled._ready.clear()
        compiled._ready.update(before)
