"""Reads short numbers by the compiled kernel, where it is at hand, as `number_words` reads them by columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datasources.compiled import kernels_of
from engine import number_kernel as kernel
from engine.number_words import Read, Writing
from engine.numbers import Kind, NumberEvidence

if TYPE_CHECKING:
    import pyarrow as pa

KERNEL = kernel.__name__


def read_compiled(texts: pa.StringViewArray, writing: Writing) -> Read | None:
    """What `read_views` gives; None where there is no kernel."""
    kernels = kernels_of(KERNEL)
    if kernels is None:
        return None
    import numpy as np

    rows = len(texts)
    bits, views, *data = texts.buffers()
    read = Read(np.empty(rows, np.int64), np.empty(rows, np.bool_))
    found = np.zeros(kernel.DECIMALS + writing.scale, np.int64)
    unit = (writing.unit or "").encode()
    is_grouped = writing.style != "plain" and writing.scale
    kernels["read_numbers"](
        np.frombuffer(views, np.int64),
        np.array([buffer.address for buffer in data], np.int64),
        bits.address if bits is not None and texts.null_count else 0,
        texts.offset,
        rows,
        writing.scale,
        writing.mark,
        writing.group_mark if is_grouped else 0,
        int.from_bytes(unit, "little"),
        0 if unit == b"%" else len(unit),
        writing.digits_max,
        read.values,
        read.regular,
        found,
    )
    _observe(read.evidence, found.tolist(), writing)
    return read


def _observe(evidence: NumberEvidence, found: list[int], writing: Writing) -> None:
    """Tell what the regular cells say, as their own readings one by one would."""
    evidence.cells = found[kernel.CELLS]
    if found[kernel.WITH_UNIT]:
        evidence.units[writing.unit or ""] = found[kernel.WITH_UNIT]
    if found[kernel.PLAIN]:
        evidence.kinds["plain"], evidence.decimals["plain"] = found[kernel.PLAIN], 0
        evidence.plain_long = found[kernel.PLAIN_LONG]
        evidence.lengths = {length for length in range(64) if found[kernel.LENGTHS] >> length & 1}
        evidence.integer_digits = max(evidence.lengths)
        evidence.signed_plain = found[kernel.SIGNED] + found[kernel.PLAIN_WITH_UNIT]
    by_decimals = {count: cells for count, cells in enumerate(found[kernel.DECIMALS :], 1) if cells}
    if by_decimals:
        # Only whether it passes the limit matters, and no regular cell does.
        evidence.integer_digits = max(evidence.integer_digits, 1)
    is_comma = writing.style == "br"
    either: Kind = "comma" if is_comma else "dot"
    kind: Kind = "br" if is_comma else "point"
    if found[kernel.AMBIGUOUS]:
        evidence.kinds[either], evidence.decimals[either] = found[kernel.AMBIGUOUS], 3
        by_decimals[3] -= found[kernel.AMBIGUOUS]
    if sum(by_decimals.values()):
        evidence.kinds[kind] = sum(by_decimals.values())
        evidence.decimals[kind] = max(count for count, cells in by_decimals.items() if cells)
