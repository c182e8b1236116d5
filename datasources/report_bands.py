"""Makes the bands of a report out of the tables that its sources gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from datasources.base import Declared, Lists, RawBand

if TYPE_CHECKING:
    from datasources.access_rules import BandView
    from datasources.elements import BandDefinition


def bands_of(
    bands: Sequence[BandDefinition], tables: Mapping[str, Sequence[RawBand]], locale: str | None
) -> tuple[RawBand, ...]:
    """The bands of the definition in its order, and after the first one of each source its further tables."""
    from datasources.load import unique_bands

    result: list[RawBand] = []
    following: dict[str, list[RawBand]] = {}
    for band in bands:
        source = str(band.datasource)
        position = _position(band.name, source, tables[source])
        result.append(_as_band(tables[source][position], band, locale))
        if source not in following:
            taken = {_position(one.name, source, tables[source]) for one in bands if one.datasource == source}
            following[source] = [
                replace(
                    _renamed(table, _further_name(table.name, source, band.name)),
                    locale=table.locale or locale,
                )
                for index, table in enumerate(tables[source])
                if index not in taken
            ]
            result += following[source]
    return unique_bands(result)


def visible_bands(
    bands: Sequence[BandDefinition],
    tables: Mapping[str, Sequence[RawBand]],
    locale: str | None,
    views: Mapping[str, BandView],
) -> tuple[RawBand, ...]:
    """The bands of the definition as the viewer may see them; further tables are none of theirs."""
    from datasources.load import unique_bands
    from datasources.secured import secure_band

    found = [_table_of(views[band.name], tables[str(band.datasource)]) for band in bands]
    return unique_bands(
        [
            secure_band(_as_band(table, band, locale), views[band.name])
            for table, band in zip(found, bands, strict=True)
        ]
    )


def _table_of(view: BandView, tables: Sequence[RawBand]) -> RawBand:
    """
    The table of a source that a band draws from.

    Which arrays there are among records depends on rows, so that a name that is one never stands for another: where
    there is no such array, the band is empty.
    """
    first = tables[0]
    if first.origin != "records":
        return tables[_position(view.band, view.source, tables)]
    name = view.source if view.table is None else f"{view.source}.{view.table}"
    found = next((table for table in tables if table.name == name), None)
    return found or RawBand(name, (), Lists((), 0), "records", secured=True)


def _position(name: str, source: str, tables: Sequence[RawBand]) -> int:
    """Which table of a source a band draws from: the one it is named after, else the first."""
    for index, table in enumerate(tables):
        key = table.name.removeprefix(f"{source}.")
        if key != source and (name == key or name.endswith(f".{key}")):
            return index
    return 0


def _further_name(table: str, source: str, band: str) -> str:
    return band + table.removeprefix(source) if table.startswith(source) else table


def _as_band(table: RawBand, band: BandDefinition, locale: str | None) -> RawBand:
    declared = {one.name: Declared(one.type, one.role, one.label, one.unit) for one in band.fields}
    if not table.columns and declared:
        # A source without a single record knows no columns; the report does.
        table = replace(
            table, columns=tuple(declared), cells=Lists(tuple([] for _ in declared), 0), native_types=()
        )
    renamed = _renamed(table, band.name)
    return replace(renamed, locale=renamed.locale or locale, declared=declared)


def _renamed(table: RawBand, name: str) -> RawBand:
    warnings = tuple(replace(warning, band=name) for warning in table.warnings)
    return replace(table, name=name, warnings=warnings)
