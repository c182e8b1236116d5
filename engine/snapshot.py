"""Freezes the bands of a report: typed, without duplicates, and with every fact that is computed beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Protocol, cast

from datasources.base import RawBand
from datasources.options import ReadOptions
from engine.columns import ColumnType, Typed
from engine.exceptions import EngineError
from engine.excerpt import ROWS_MAX, Excerpt, excerpt_bands
from engine.profile import Profile, profile_bands

if TYPE_CHECKING:
    from engine.disclosure import Disclosure


class SnapshotBand(Protocol):
    """A band of a snapshot, in memory, streamed from its source, or stored."""

    @property
    def names(self) -> tuple[str, ...]:
        """Its names: more than one where bands of equal content were merged."""

    @property
    def name(self) -> str:
        """`canhoto+header` for merged bands."""

    @property
    def rows(self) -> int:
        """How many rows it has."""

    @property
    def columns(self) -> tuple[ColumnType, ...]:
        """The verdict on each column."""

    def take(self, rows: Sequence[int]) -> list[tuple[Typed, ...]]:
        """The typed rows at the ascending positions *rows*."""


@dataclass(frozen=True, slots=True, repr=False)
class Snapshot:
    """The bands of a report as they were at one moment; nothing in it changes."""

    bands: tuple[SnapshotBand, ...]
    profile: Profile
    id: str | None = None
    """The name of its content, where it is known already: see `snapshot_id`."""
    disclosure: Disclosure | None = None
    """Where small groups are withheld: what its viewer was told already. `profile` is then for us alone."""

    def __repr__(self) -> str:
        """What it is of, and no cell: it may be shown in a notebook or a log."""
        bands = ", ".join(
            f"{band.name}: {band.rows} rows, {len(band.columns)} columns" for band in self.bands
        )
        return f"Snapshot({bands})"


class Frame(Protocol):
    """A table of another library, through the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The columns, without a copy where none is needed."""


Sources = Mapping[str, object] | Sequence[RawBand | str | PathLike[str]] | PathLike[str] | Frame
"""Bands by name (frames, tables, relations, records or paths), raw bands and paths in order, or one of these alone."""


def materialize(sources: Sources, *, options: ReadOptions | None = None, complete: bool = True) -> Snapshot:
    """
    Type the bands of *sources*, merge those that repeat each other, and compute every fact.

    A mapping gives each band its name; its values are Polars, Arrow or pandas frames, DuckDB relations,
    lists of records, or paths. A path alone is one source. Unless *complete*, large text columns that the
    data context would not print are not read: their null counts are then unknown. Raises
    `datasources.SourceError`.
    """
    from engine.band import type_band
    from engine.dedup import merge_duplicates

    bands = merge_duplicates(
        [type_band(raw, complete=complete) for raw in _raw_bands(sources, options or ReadOptions())]
    )
    return Snapshot(bands, profile_bands(bands))


def _raw_bands(sources: Sources, options: ReadOptions) -> Sequence[RawBand]:
    from datasources.load import read_bands, unique_bands

    pairs: list[tuple[str | None, object]]
    if isinstance(sources, Mapping):
        pairs = list(sources.items())
    else:
        alone = isinstance(sources, str | PathLike) or not isinstance(sources, Sequence)
        listed: list[object] = [sources] if alone else list(cast("Sequence[object]", sources))
        paths = [fspath(source) for source in listed if isinstance(source, str | PathLike)]
        if len(paths) == len(listed):
            return read_bands(paths, options)
        pairs = [(None, source) for source in listed]
    return unique_bands([band for name, source in pairs for band in _bands_of(name, source, options)])


def _bands_of(name: str | None, source: object, options: ReadOptions) -> Sequence[RawBand]:
    if isinstance(source, RawBand):
        return [source if name is None else replace(source, name=str(name))]
    if isinstance(source, str | PathLike):
        from datasources.load import Argument, read_bands

        path = fspath(source)
        return read_bands([path if name is None else Argument(str(name), path)], options)
    from datasources.memory import bands_from
    from datasources.records import mend

    return bands_from(source, mend(str(name or "data")), options)


def profile_snapshot(snapshot: Snapshot) -> Profile:
    """
    The profile of a snapshot: its schema, enumerations and every precomputed fact.

    Where small groups are withheld, what is left of it for the viewer.
    """
    if snapshot.disclosure is None:
        return snapshot.profile
    from engine.disclosure_profile import withhold

    return withhold(snapshot, snapshot.disclosure)


def take_excerpt(snapshot: Snapshot, rows_max: int = ROWS_MAX) -> Excerpt:
    """
    The rows of a snapshot that may travel: an evenly spaced sample of at most *rows_max* rows in all.

    Where small groups are withheld, none.
    """
    return excerpt_bands(snapshot.bands, 0 if snapshot.disclosure is not None else rows_max)


def refuse_rows(snapshot: Snapshot, what: str) -> None:
    """Raise EngineError for *what* gives rows away, where small groups are withheld."""
    if snapshot.disclosure is not None:
        raise EngineError(f"The access rules of this report withhold small groups, so it cannot be {what}.")
