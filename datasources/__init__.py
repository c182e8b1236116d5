"""Reads the files and frames of a report into raw bands."""

from typing import TYPE_CHECKING

from datasources.later import later

if TYPE_CHECKING:
    from datasources.base import DataWarning, Lists, RawBand, Stream
    from datasources.exceptions import (
        AccessError,
        DefinitionError,
        ParameterError,
        QueryRefused,
        SourceChanged,
        SourceError,
        SourceForbidden,
        SourceNotFound,
        SourceOptionError,
        SourceTimeout,
        SourceTooLarge,
        SourceUnreadable,
    )
    from datasources.load import read_bands
    from datasources.memory import band_from, bands_from
    from datasources.options import ReadOptions

__all__ = [
    "AccessError",
    "DataWarning",
    "DefinitionError",
    "Lists",
    "ParameterError",
    "QueryRefused",
    "RawBand",
    "ReadOptions",
    "SourceChanged",
    "SourceError",
    "SourceForbidden",
    "SourceNotFound",
    "SourceOptionError",
    "SourceTimeout",
    "SourceTooLarge",
    "SourceUnreadable",
    "Stream",
    "band_from",
    "bands_from",
    "read_bands",
]

__getattr__ = later(
    __name__,
    {
        "AccessError": "datasources.exceptions",
        "DataWarning": "datasources.base",
        "DefinitionError": "datasources.exceptions",
        "Lists": "datasources.base",
        "ParameterError": "datasources.exceptions",
        "QueryRefused": "datasources.exceptions",
        "RawBand": "datasources.base",
        "ReadOptions": "datasources.options",
        "SourceChanged": "datasources.exceptions",
        "SourceError": "datasources.exceptions",
        "SourceForbidden": "datasources.exceptions",
        "SourceNotFound": "datasources.exceptions",
        "SourceOptionError": "datasources.exceptions",
        "SourceTimeout": "datasources.exceptions",
        "SourceTooLarge": "datasources.exceptions",
        "SourceUnreadable": "datasources.exceptions",
        "Stream": "datasources.base",
        "band_from": "datasources.memory",
        "bands_from": "datasources.memory",
        "read_bands": "datasources.load",
    },
)
