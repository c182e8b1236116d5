"""Gives the snapshot that a command is asked for: of data files, of the report that is named, or a stored one."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from datasources.exceptions import SourceOptionError
from lastro.sources import read_options

if TYPE_CHECKING:
    from datasources.access import Viewer
    from datasources.elements import ReportDefinition
    from datasources.mask_key import MaskKey
    from engine import Snapshot

REPORT_ENDING = ".report.json"
DEFAULT_ROOT = "data"
"""The root that is the folder of the definition, unless `--root` says otherwise."""
READING = ("locale", "delimiter", "encoding", "null_value")
REPORT = ("param", "root", "connections", "viewer", "mask_secret")
"""Options that go with data files, and with the definition of a report."""
GLANCE_BYTES = 64 * 1024
_pointer_start = re.compile(rb'\{\s*"format":\s*[0-9]+,\s*"id":').match
DEFINITION_KEYS = frozenset({"id", "name", "datasources", "bands"})
VERSION_ENDING = ".duckdb"
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
    report.add_argument(
        "--viewer", metavar="FILE", help="for whom: a JSON file with id, workspace, roles and attributes"
    )
    report.add_argument(
        "--mask-secret", metavar="FILE", help="the operator's secret, from which the key of the masks is made"
    )


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
    from engine import materialize

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
        if not os.path.isfile(file):
            return False
        with open(file, "rb") as opened:
            text = opened.read(POINTER_BYTES_MAX)
    except OSError:
        return False  # whoever reads it as data says what is wrong
    # Also where it is torn or damaged: whoever opens it says so, instead of reading it as a table of one row.
    return _pointer_start(text) is not None and VERSION_ENDING.encode() in text


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
    from datasources.access import read_viewer
    from datasources.connections import load_connections
    from datasources.definition import read_definition
    from engine import process_report

    definition = read_definition(path)
    viewer = read_viewer(Path(parsed.viewer)) if parsed.viewer else None
    return process_report(
        definition,
        _params(parsed.param, definition),
        roots=roots_of(parsed.root, path.parent),
        connections=load_connections(Path(parsed.connections)) if parsed.connections else None,
        complete=complete,
        viewer=viewer,
        key=_mask_key(parsed.mask_secret, viewer),
    )


def roots_of(words: Sequence[str], folder: Path | None) -> dict[str, Path]:
    """Where files lie, as `--root` says; *folder* is that of the definition, None where it has none."""
    roots = {} if folder is None else {DEFAULT_ROOT: folder.resolve()}
    return roots | {name: Path(found) for name, found in _pairs(words, "--root", "NAME=DIR")}


def _mask_key(file: str | None, viewer: Viewer | None) -> MaskKey | None:
    """The key of the viewer's workspace, made of the secret in *file*."""
    if file is None:
        return None
    if viewer is None:
        raise SourceOptionError(
            "--mask-secret goes with --viewer, whose workspace the masks are of: give both."
        )
    from datasources.definition import read_document
    from datasources.mask_key import MaskKey

    # The line end that an editor adds is no part of a secret.
    return MaskKey.derive(read_document(Path(file)).rstrip(b"\r\n"), viewer.workspace)


def _params(words: list[str], definition: ReportDefinition) -> Mapping[str, object]:
    """The values by parameter; those of a parameter that takes several as a list."""
    several = {parameter.id for parameter in definition.parameters if parameter.type == "multiselect"}
    params: dict[str, object] = {}
    for name, value in _pairs(words, "--param", "ID=VALUE"):
        before = params.get(name)
        if before is None:
            params[name] = value  # of a parameter that takes several, they may stand apart by commas
        elif name in several:
            params[name] = [*(before if isinstance(before, list) else [before]), value]
        else:
            raise SourceOptionError(f"--param {name} is given twice, and {name} takes one value: give one.")
    return params


def _pairs(words: Sequence[str], option: str, shape: str) -> list[tuple[str, str]]:
    pairs = []
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise SourceOptionError(f"{option} {word} is not {shape}: write it with an equals sign.")
        pairs.append((name, value))
    return pairs
