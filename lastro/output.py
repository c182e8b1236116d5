"""Writes what a command has to say: results whole or not at all, warnings in plain words."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from tempfile import NamedTemporaryFile

from datasources.base import DataWarning
from prompts.formats import inert

ALIKE_MAX = 5
"""Warnings of one kind about one band are written out up to here; of more, the first few and their number."""
ALIKE_SHOWN = 3


class OutputError(Exception):
    """The result cannot be written where it should go."""


def write_result(text: str, path: str | None) -> None:
    """Write *text* to standard output, or to the file *path*, which is replaced in one step."""
    data = text.encode("utf-8")
    if path is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    try:
        with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as temporary:
            temporary.write(data)
        os.chmod(temporary.name, 0o644)
        os.replace(temporary.name, target)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}; choose another place.") from error


def write_warnings(warnings: Iterable[DataWarning]) -> None:
    """Write each warning as one line on standard error."""
    for line in warning_lines(warnings):
        print(line, file=sys.stderr)


def warning_lines(warnings: Iterable[DataWarning]) -> list[str]:
    """Warnings for a person, those of one kind about one band together."""

    def kind(warning: DataWarning) -> tuple[str, str]:
        return warning.band or "", warning.code

    lines: list[str] = []
    for (band, _), alike in groupby(sorted(warnings, key=kind), key=kind):
        found = list(alike)
        shown = found if len(found) <= ALIKE_MAX else found[:ALIKE_SHOWN]
        prefix = f"warning: {band}: " if band else "warning: "
        lines += [inert(prefix + warning.message) for warning in shown]
        if len(shown) < len(found):
            lines.append(inert(f"{prefix}… and {len(found) - len(shown)} more warnings like this one."))
    return lines
