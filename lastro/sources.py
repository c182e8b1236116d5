"""The options that say how files are read, shared by the commands that take files."""

from __future__ import annotations

import argparse

from datasources.options import ReadOptions

FILES_HELP = (
    "a file, a folder or a quoted pattern of CSV or Parquet parts, or - for standard input; "
    "NAME=FILE names the band (default: the file's name); or, alone, the definition of a report or a stored snapshot"
)


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """Add FILES and the reading options to *parser*."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=FILES_HELP)
    add_reading_arguments(parser)


def add_reading_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how files are read to *parser*."""
    reading = parser.add_argument_group("reading")
    reading.add_argument("--locale", help="how ambiguous numbers and dates read: pt-BR, en-US, …")
    reading.add_argument("--delimiter", help="what separates the cells of text files: ; , | or tab")
    reading.add_argument("--encoding", help="the encoding of text files, such as utf-8 or latin-1")
    reading.add_argument(
        "--null-value",
        action="append",
        default=[],
        metavar="TEXT",
        help="a text that means nothing, besides the empty cell; may be repeated",
    )


def read_options(parsed: argparse.Namespace) -> ReadOptions:
    """The reading options that the words declare."""
    return ReadOptions(
        delimiter=parsed.delimiter,
        encoding=parsed.encoding,
        locale=parsed.locale,
        null_values=tuple(parsed.null_value),
    )
