"""Small bands for the tests of single rules: a few columns of cells, and what the engine makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from datasources.base import Cell, DataWarning, DecimalStyle, Lists, Origin, RawBand
from engine.band import Band, type_band
from engine.columns import ColumnType
from engine.dedup import merge_duplicates
from engine.profile import BandProfile, FieldProfile, Profile, profile_bands


def raw_band(
    columns: Mapping[str, Sequence[Cell]],
    name: str = "b",
    *,
    origin: Origin = "text",
    style: DecimalStyle = "point",
    locale: str | None = None,
    null_values: tuple[str, ...] = (),
    parent_column: int | None = None,
) -> RawBand:
    """A band in memory; columns are equally long."""
    rows = len(next(iter(columns.values()), ()))
    cells = Lists(tuple(list(cells) for cells in columns.values()), rows)
    return RawBand(name, tuple(columns), cells, origin, style, locale, null_values, parent_column)


def profile_of(*raws: RawBand) -> Profile:
    """The profile of bands, merged where they repeat each other."""
    return profile_bands(merge_duplicates([type_band(raw) for raw in raws]))


def band_profile(raw: RawBand) -> BandProfile:
    """The profile of one band."""
    return profile_of(raw).bands[0]


def typed(cells: Sequence[Cell], name: str = "x", **options: object) -> tuple[ColumnType, list[object], Band]:
    """The verdict on a column alone in its band, its exact cells, and the band."""
    band = type_band(raw_band({name: cells}, **options))  # type: ignore[arg-type]
    return band.columns[0], exact_cells(band, 0), band


def exact_cells(band: Band, position: int) -> list[object]:
    """The typed cells of a column, numbers as exact decimals."""
    column = band.columns[position]
    cells = [row[position] for row in band.take(range(band.rows))]
    if column.type != "number" or column.double:
        return list(cells)
    return [None if cell is None else Decimal(f"{cell}E-{column.scale}") for cell in cells]


def field_profile(cells: Sequence[Cell], name: str = "x", **options: object) -> FieldProfile:
    """The facts of a column alone in its band."""
    return band_profile(raw_band({name: cells}, **options)).fields[0]  # type: ignore[arg-type]


def codes(warnings: Sequence[DataWarning]) -> list[str]:
    """The codes of warnings, in order."""
    return [warning.code for warning in warnings]
