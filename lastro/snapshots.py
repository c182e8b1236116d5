"""Gives the snapshot that a command is asked for: of data files, of the report that is named, or a stored one."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from datasources.exceptions import SourceOptionError
from engine import Snapshot, materialize
from lastro.sources import read_options

if TYPE_CHECKING:
    from datasources.elements import ReportDefinition

REPORT_ENDING = ".report.json"
DEFAULT_ROOT = "data"
"""The root that is the folder of the definition, unless `--root` says otherwise."""
READING = ("locale", "delimiter", "encoding", "null_value")
REPORT = ("param", "root", "connections")
"""Options that go with data files, and with the definition of a report."""
GLANCE_BYTES = 64 * 1024
DEFINITION_KEYS = frozenset({"id", "name", "datasources", "bands"})
VERSION_ENDING = ".duckdb"
POINTER_KEYS = frozenset({"format", "id", "file"})
POINTER_BYTES_MAX = 4_096


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that go with the definition of a report to *parser*."""
    report = parser.add_argument_group("reports", "where FILE is the definition of a report (*.report.json)")
    report.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="ID=VALUE",
        help="a value for a parameter; may be repeated, also for the same one where it takes several",
    )
    report.add_argument(
        "--root",
        action="append",
        default=[],
        metavar="NAME=DIR",
        help=f"where files lie; may be repeated (default: {DEFAULT_ROOT}=the folder of the report)",
    )
    report.add_argument("--connections", metavar="FILE", help="the connections.toml that names the databases")


def make_snapshot(parsed: argparse.Namespace, *, complete: bool) -> Snapshot:
    """
    The snapshot of what *parsed* names; raises SourceError and EngineError.

    Of a stored one only its document is read.
    """
    from datasources.load import parse_argument

    stored = [file for file in parsed.files if is_stored(parse_argument(file).path)]
    if stored:
        if parse_argument(stored[0]).path != stored[0]:
            raise SourceOptionError(
                f"{stored[0]} is a stored snapshot, whose bands have names: give the file alone."
            )
        _refuse_others(parsed, stored[0], "a stored snapshot")
        _refuse_options(parsed, READING, "data files: the snapshot was read when it was saved.")
        _refuse_options(
            parsed, REPORT, "the definition of a report: the snapshot was read when it was saved."
        )
        from engine import open_snapshot

        return open_snapshot(Path(stored[0]))
    reports = [file for file in parsed.files if is_definition(file)]
    if reports:
        _refuse_others(parsed, reports[0], "the definition of a report")
        _refuse_options(parsed, READING, "data files: the report itself says how its are read.")
        return _process(Path(reports[0]), parsed, complete)
    _refuse_options(parsed, REPORT, "the definition of a report: name a *.report.json.")
    return materialize(parsed.files, options=read_options(parsed), complete=complete)


def _refuse_others(parsed: argparse.Namespace, file: str, what: str) -> None:
    if len(parsed.files) > 1:
        raise SourceOptionError(f"{file} is {what}, which stands alone: name no other file.", source=file)


def _refuse_options(parsed: argparse.Namespace, options: Sequence[str], goes_with: str) -> None:
    for option in options:
        if getattr(parsed, option):
            raise SourceOptionError(f"--{option.replace('_', '-')} goes with {goes_with}")


def is_stored(file: str) -> bool:
    """Whether *file* is a version of a stored snapshot, by its name, or a pointer to one, by what it holds."""
    if file.lower().endswith(VERSION_ENDING):
        return True
    try:
        if not os.path.isfile(file) or os.path.getsize(file) > POINTER_BYTES_MAX:
            return False
        with open(file, "rb") as opened:
            text = opened.read(POINTER_BYTES_MAX)
        found = json.loads(text) if text.startswith(b"{") and VERSION_ENDING.encode() in text else None
    except (OSError, ValueError, RecursionError):
        return False  # whoever reads it as data says what is wrong
    return isinstance(found, dict) and found.keys() == POINTER_KEYS


def is_definition(file: str) -> bool:
    """Whether *file* is the definition of a report, by its name or, for other JSON files, by what it holds."""
    if not file.lower().endswith(".json") or not os.path.isfile(file):
        return file.endswith(REPORT_ENDING)
    if file.lower().endswith(REPORT_ENDING):
        return True
    try:
        with open(file, "rb") as opened:
            head = opened.read(GLANCE_BYTES)
            if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") or b'"datasources"' not in head:
                return False  # most data files end here
            found = json.loads(head + opened.read())
    except (OSError, ValueError, RecursionError):
        return False  # whoever reads it as data says what is wrong
    return isinstance(found, dict) and found.keys() >= DEFINITION_KEYS


def _process(path: Path, parsed: argparse.Namespace, complete: bool) -> Snapshot:
    from datasources.connections import load_connections
    from datasources.definition import read_definition
    from engine import process_report

    definition = read_definition(path)
    roots = {DEFAULT_ROOT: path.resolve().parent}
    for name, folder in _pairs(parsed.root, "--root", "NAME=DIR"):
        roots[name] = Path(folder)
    return process_report(
        definition,
        _params(parsed.param, definition),
        roots=roots,
        connections=load_connections(Path(parsed.connections)) if parsed.connections else None,
        complete=complete,
    )


def _params(words: list[str], definition: ReportDefinition) -> Mapping[str, object]:
    """The values by parameter; those of a parameter that takes several as a list."""
    several = {parameter.id for parameter in definition.parameters if parameter.type == "multiselect"}
    params: dict[str, object] = {}
    for name, value in _pairs(words, "--param", "ID=VALUE"):
        before = params.get(name)
        if name in several:
            params[name] = [*before, value] if isinstance(before, list) else [value]
        elif before is None:
            params[name] = value
        else:
            raise SourceOptionError(f"--param {name} is given twice, and {name} takes one value: give one.")
    return params


def _pairs(words: list[str], option: str, shape: str) -> list[tuple[str, str]]:
    pairs = []
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise SourceOptionError(f"{option} {word} is not {shape}: write it with an equals sign.")
        pairs.append((name, value))
    return pairs
