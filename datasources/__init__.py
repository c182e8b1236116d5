"""Reads the files and frames of a report into raw bands."""

from datasources.base import DataWarning, Lists, RawBand, Stream
from datasources.exceptions import (
    AccessError,
    DefinitionError,
    ParameterError,
    QueryRefused,
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
