"""What a caller may say about a source, and the limits past which it is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datasources.secured_records import VisibleRecords

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a source; what is not declared is found out (spec, section 0)."""

    delimiter: str | None = None
    """One character; tab may be written `\\t` or `tab`."""
    encoding: str | None = None
    """A name that Python knows, such as `utf-8` or `latin-1`."""
    locale: str | None = None
    """`pt-BR` or `en-US`, …: decides ambiguous numbers and dates."""
    null_values: tuple[str, ...] = ()
    """Texts that mean nothing, besides the empty cell."""
    header: bool | None = None
    """Whether the first record of a text file or sheet names the columns: then every other one is a row."""
    column_names: tuple[str, ...] = ()
    """The names of the columns where there is no header."""
    totals: Literal["none", "first", "last", "both"] | None = None
    """Which rows at the edges of each text file or sheet are totals, for *visible*."""
    visible: VisibleRecords | None = None
    """What a viewer may see: then nothing is found out from rows that they may not."""
    columns_max: int = 100_000
    cell_bytes_max: int = 256 * MIB
    inflated_bytes_max: int = 64 * 1024 * MIB
    """What a compressed file may inflate to."""
    inflated_ratio_max: int = 1_000
    """How many times its size a compressed file larger than 1 MiB inflated may become: a bomb is refused early."""
    bytes_max: int = 1024 * 1024 * MIB
    small_bytes: int = 4 * MIB
    """A text file up to this size is read into memory as plain Python; a larger one is streamed."""
