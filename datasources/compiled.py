"""
Says which loops that Numba has compiled are at hand: none, unless the extra `fast` is installed and a table is large.

Every kernel stands beside a plain path that gives the same, so whatever keeps it from running is no error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

from datasources.options import MIB

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kernels = Mapping[str, Callable[..., int]]
"""The functions of a module by name; each takes integers and arrays, and lets other threads run meanwhile."""

CSV_KERNEL = "datasources.csv_kernel"
BYTES_MIN = 64 * MIB
"""A smaller file of text has been read before machine code is loaded."""
CELLS_MIN = 15_000_000
"""The same for a table whose cells are decoded by others."""
COMPILE_SHARE = 5
"""A table so many times as large pays for some seconds of compiling, which happens once."""
_ready: dict[str, Kernels | None] = {}
_lock = Lock()


def prepare(share: float, *modules: str) -> None:
    """Make the kernels of *modules* ready for a table that is *share* times as large as the least one that pays."""
    # Where some kernels run already, others cost next to nothing.
    if share < 1 and not any(_ready.values()):
        return
    with _lock:
        for name in modules:
            if name not in _ready:
                # Numba takes most of a second to load: while it is there it may compile the others too.
                compiles = share >= COMPILE_SHARE or "numba" in sys.modules
                kernels = _load(name, compiles)
                if kernels is not None or compiles:
                    _ready[name] = kernels


def kernels_of(module: str) -> Kernels | None:
    """The kernels of *module*; None unless they were prepared, and could be."""
    return _ready.get(module)


def address(array: NDArray[Any]) -> int:
    """Where the first element of *array* stands in memory."""
    return int(array.ctypes.data)


def _load(name: str, compiles: bool) -> Kernels | None:
    from importlib.util import find_spec

    if sys.byteorder != "little" or find_spec("numba") is None:
        return None
    try:
        from datasources.machine_code import load

        return load(name, compiles)
    except Exception:  # noqa: BLE001 - whatever keeps machine code from running, the plain path gives the same
        return None
