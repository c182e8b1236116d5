"""Sums measures by the codes of axes with the compiled kernel, where it is at hand, as `cubes` sums them by bins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from datasources.compiled import address, kernels_of
from engine import sum_kernel as kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KERNEL = kernel.__name__
LINE_BYTES = 64


def sum_compiled(
    axes: Mapping[int, tuple[NDArray[np.int32], int]], measures: Sequence[NDArray[Any]]
) -> dict[int, list[list[int]]] | None:
    """
    For each axis (codes and number of groups) the sums of all *measures*, which are int64, in each group.

    No sum may pass 63 bits. None where there is no kernel.
    """
    kernels = kernels_of(KERNEL)
    if kernels is None:
        return None
    import numpy as np

    sizes = [size for _, size in axes.values()]
    firsts = [0, *accumulate(sizes)]
    # What is read by its address is kept until it has been read.
    codes = [np.ascontiguousarray(codes, np.int32) for codes, _ in axes.values()]
    columns = [np.ascontiguousarray(measure) for measure in measures]
    found = []
    for start in range(0, len(columns), kernel.LANES):
        some = columns[start : start + kernel.LANES]
        sums = _lines(firsts[-1])
        kernels["sum_by_codes"](
            np.array(list(map(address, codes)), np.int64),
            np.array(firsts, np.int64),
            len(codes),
            np.array(list(map(address, some)), np.int64),
            len(some),
            len(some[0]),
            _lines(kernel.BLOCK_ROWS),
            sums,
        )
        found.append(sums[:, : len(some)])
    rows = np.hstack(found).tolist() if found else [[]] * firsts[-1]
    return {
        position: rows[first : first + size]
        for position, first, size in zip(axes, firsts, sizes, strict=False)
    }


def _lines(count: int) -> NDArray[np.int64]:
    """Zeros, eight to a line of the processor's caches: what lies across two lines takes twice as long."""
    import numpy as np

    zeros = np.zeros((count + 1) * kernel.LANES, np.int64)
    first = -address(zeros) % LINE_BYTES // zeros.itemsize
    return zeros[first : first + count * kernel.LANES].reshape(count, kernel.LANES)
