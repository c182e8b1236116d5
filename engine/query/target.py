"""Finds the band and the fields that a question means; what is not there is answered with what there is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.columns import ColumnType
from engine.exceptions import QueryError
from engine.query.filters import compile_filter, position_of
from engine.query.questions import Aggregate, GroupBy
from engine.query.verbs import check_verb

if TYPE_CHECKING:
    from datasources.filters import Filter
    from engine.profile import BandProfile
    from engine.snapshot import Snapshot, SnapshotBand


@dataclass(frozen=True, slots=True)
class Target:
    """The band that a question asks about, and where its fields stand in it."""

    index: int
    band: SnapshotBand
    facts: BandProfile
    field: int | None
    """None where rows are counted, or the band has no columns at all."""
    by: tuple[int, ...]
    where: Filter | None

    @property
    def column(self) -> ColumnType | None:
        """The field's column."""
        return None if self.field is None else self.band.columns[self.field]

    @property
    def fields(self) -> frozenset[int]:
        """The positions of all columns that the question needs."""
        from datasources.filters import fields_of

        names = fields_of(self.where) if self.where is not None else ()
        positions = {self.band_position(name) for name in names} | set(self.by)
        return frozenset(positions if self.field is None else positions | {self.field})

    def band_position(self, name: str) -> int:
        """Where the field *name* stands in the band."""
        return position_of(name, self.band.columns)

    @property
    def is_silent(self) -> bool:
        """Whether no cell of the field tells its type: what its reader chose left none, and nobody declared it."""
        return self.field is not None and self.is_without_cells(self.field)

    def is_without_cells(self, position: int) -> bool:
        """Whether no cell of the band's column at *position* tells its type, and nobody declared it."""
        field = self.facts.fields[position]
        return field.type == "text" and field.role is None and field.nulls == self.band.rows


def find_target(snapshot: Snapshot, question: Aggregate | GroupBy) -> Target:
    """
    What *question* means.

    Raises QueryError for names that are not there or are in several bands, a verb that means nothing for the
    field, and a filter that cannot be compared.
    """
    by = question.by if isinstance(question, GroupBy) else ()
    names = [*([] if question.field is None else [question.field]), *by, *_filtered(question.where)]
    index = find_band(snapshot, question.band, names)
    band, facts = snapshot.bands[index], snapshot.profile.bands[index]
    if not band.columns:
        # Without records there are no fields either: nothing can be wrong with the question then.
        return Target(index, band, facts, None, (), None)
    field = None if question.field is None else position_of(question.field, band.columns)
    target = Target(
        index, band, facts, field, tuple(position_of(name, band.columns) for name in by), question.where
    )
    if question.where is not None:
        check_size(question.where)
        compile_filter(question.where, band.columns)
    if not target.is_silent:
        check_verb(question.verb, None if field is None else facts.fields[field])
    return target


def check_size(where: Filter) -> None:
    """Raise QueryError for a filter of more parts than anyone needs."""
    from datasources.filters import NODES_MAX, count_nodes

    if count_nodes(where) > NODES_MAX:
        raise QueryError("large_filter", most=NODES_MAX)


def find_band(snapshot: Snapshot, band: str | None, names: Sequence[str]) -> int:
    """Where the band stands that is named or, without a name, has the fields *names*; raises QueryError."""
    bands = snapshot.bands
    if band is not None:
        for index, one in enumerate(bands):
            if band == one.name or band in one.names:
                return index
        raise QueryError.unknown_band(band, [name for one in bands for name in one.names])
    if len(bands) == 1:
        return 0
    if not bands:
        raise QueryError("no_bands_at_all")
    return _band_with(snapshot, list(dict.fromkeys(names)))


def _filtered(where: Filter | None) -> list[str]:
    from datasources.filters import fields_of

    return [] if where is None else sorted(fields_of(where))


def _band_with(snapshot: Snapshot, names: list[str]) -> int:
    """The only band that has the fields *names*, or else the only one that has the first of them."""
    have = [{column.name for column in band.columns} for band in snapshot.bands]
    if not names:
        raise QueryError("which_band_of_all", names=_band_names(snapshot, range(len(have))))
    for wanted in (set(names), {names[0]}):
        found = [index for index, fields in enumerate(have) if wanted <= fields]
        if len(found) == 1:
            return found[0]
        if found:
            raise QueryError("which_band", field=names[0], names=_band_names(snapshot, found))
    every = dict.fromkeys(column.name for band in snapshot.bands for column in band.columns)
    raise QueryError.unknown_field(names[0], list(every))


def _band_names(snapshot: Snapshot, indexes: Iterable[int]) -> tuple[str, ...]:
    return tuple(snapshot.bands[index].name for index in indexes)
