"""What the commands of the benchmarks share: arguments that are checked before anything is measured, and clean ends."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable
from math import isfinite
from pathlib import Path

ROWS_MIN = 1000
EXIT_REFUSED = 2
EXIT_INTERRUPTED = 130


def rows(text: str) -> int:
    """How many rows a table has: fewer measure nothing."""
    return _whole(text, ROWS_MIN)


def times(text: str) -> int:
    """How often something is done."""
    return _whole(text, 1)


def seconds(text: str) -> float:
    """A span of time."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not isfinite(number) or number < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return number


def folder(text: str) -> Path:
    """A folder to write to, which is made where it is missing."""
    path = Path(text).absolute()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text} cannot be made a folder ({error.strerror})") from error
    return path


def new_file(text: str) -> Path:
    """A file to write, in a folder that is there."""
    path = Path(text).absolute()
    if path.is_dir() or not path.parent.is_dir():
        found = "is a folder" if path.is_dir() else f"would stand in {path.parent}, which is no folder"
        raise argparse.ArgumentTypeError(f"{text} {found}")
    return path


def _whole(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of {least} or more")
    return number


def run(main: Callable[[], int], interrupted: str = "interrupted.") -> int:
    """The exit status of *main*; an interrupt, or a kill by a polite signal, ends it with the line *interrupted*."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return main()
    except KeyboardInterrupt:
        print(interrupted, file=sys.stderr)
        return EXIT_INTERRUPTED
