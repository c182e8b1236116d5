"""Reads the files and frames of a report into raw bands."""

from datasources.base import DataWarning, Lists, RawBand, Stream
from datasources.exceptions import (
    SourceError,
    SourceForbidden,
    SourceNotFound,
    SourceOptionError,
    SourceTooLarge,
    SourceUnreadable,
)
from datasources.load import read_bands
from datasources.memory import band_from, bands_from
from datasources.options import ReadOptions

__all__ = [
    "DataWarning",
    "Lists",
    "RawBand",
    "ReadOptions",
    "SourceError",
    "SourceForbidden",
    "SourceNotFound",
    "SourceOptionError",
    "SourceTooLarge",
    "SourceUnreadable",
    "Stream",
    "band_from",
    "bands_from",
    "read_bands",
]
