"""Writes what a command has to say: results whole or not at all, warnings in plain words."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BufferedWriter, RawIOBase
from itertools import groupby
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO

from datasources.base import DataWarning
from prompts.formats import inert

STANDARD_OUTPUT = "-"

ALIKE_MAX = 5
"""Warnings of one kind about one band are written out up to here; of more, the first few and their number."""
ALIKE_SHOWN = 3


class OutputError(Exception):
    """The result cannot be written where it should go."""


def write_result(text: str, path: str | None) -> None:
    """
    Write *text* to the file *path*, which is replaced in one step, or to standard output (None or `-`).

    Raises OutputError when it cannot be written there, and BrokenPipeError when the reader has left.
    """
    data = text.encode("utf-8")
    if path is None or path == STANDARD_OUTPUT:
        _write_out(data)
        return
    try:
        _replace_file(path, data)
    except (OSError, ValueError) as error:  # a path without a file name, or with a NUL in it
        reason = getattr(error, "strerror", None) or "it is not the name of a file"
        raise OutputError(f"cannot write {path} ({reason}): choose another place.") from error


def _write_out(data: bytes) -> None:
    with standard_output() as out:
        out.write(data)


@contextmanager
def standard_output() -> Iterator[BinaryIO]:
    """Standard output for bytes; raises OutputError when it cannot be written, BrokenPipeError when nobody reads."""
    if sys.stdout is None:
        raise OutputError("Standard output is closed: let it go somewhere, or name a file.")
    try:
        sys.stdout.flush()
        with _whole_writes(sys.stdout.buffer) as out:
            yield out
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise OutputError(
            f"Standard output cannot be written ({error.strerror}): make room there."
        ) from error


@contextmanager
def _whole_writes(out: BinaryIO) -> Iterator[BinaryIO]:
    """*out* such that a write is whole or an error: with PYTHONUNBUFFERED it may write a part, and say nothing."""
    if not isinstance(out, RawIOBase):
        yield out
        out.flush()
        return
    buffered = BufferedWriter(out)
    try:
        yield buffered
        buffered.flush()
    finally:
        with suppress(OSError):
            buffered.detach()


def discard_output() -> None:
    """Let what Python still holds for standard output go nowhere: it would try again at the end, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _replace_file(path: str, data: bytes) -> None:
    from datasources.durable import put_in_place, temporary_beside

    if os.path.exists(path) and not S_ISREG(os.stat(path).st_mode):
        # A pipe or a device is written to; replacing it would take it away from everyone.
        with open(path, "wb") as device:
            device.write(data)
        return
    target = Path(os.path.realpath(path))  # a link stays one
    with temporary_beside(target) as temporary:
        temporary.write_bytes(data)
        put_in_place(temporary, target)


def refuse_source(path: str | None, arguments: Sequence[str]) -> None:
    """Raise OutputError when *path* is one of the files that *arguments* name, which would be lost."""
    from datasources.load import parse_argument

    if not path:
        return
    for argument in arguments:
        source = parse_argument(argument).path
        # What cannot be found is no source, and reading it says so.
        with suppress(OSError, ValueError):
            if os.path.isfile(source) and os.path.samefile(path, source):
                raise OutputError(f"{path} is what is read, and would be lost: choose another place.")


def say(line: str) -> None:
    """Write *line*, nothing of it unseen, to standard error; where that is closed or full, nobody can be told."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(seen(line), file=sys.stderr, flush=True)


def seen(text: str) -> str:
    """
    *text* for a person: what could not be seen is written as `\\uXXXX`, on one line; `<` closes no fence here.

    >>> seen("a < b\\n")
    'a < b\\\\u000a'
    """
    return "<".join(map(inert, text.split("<")))


def write_warnings(warnings: Iterable[DataWarning]) -> None:
    """Write each warning as one line on standard error."""
    for line in warning_lines(warnings):
        say(line)


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
