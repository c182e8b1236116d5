"""Tells whether a file is still the one that was opened, so that no answer is made of two versions of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from datasources.exceptions import SourceChanged

Identity = tuple[int, int, int, int]
"""Device, inode, bytes, and when it was written last, in nanoseconds."""


def identity_of(found: os.stat_result) -> Identity:
    """
    What changes when a file is replaced, rewritten, grown or cut.

    What was written within one tick of the system's clock, without another size, cannot be told.
    """
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


class FileVersion:
    """
    The version of a file that was opened.

    A file that is kept open is looked at by its descriptor: it may be renamed, replaced and removed meanwhile. One
    that is opened again for every reading is looked at by its path.
    """

    def __init__(self, file: Path | BinaryIO) -> None:
        """Take the file as it is now; raises OSError."""
        self._place = file if isinstance(file, Path) else file.fileno()
        self._name = file.name if isinstance(file, Path) else Path(str(file.name)).name
        self._identity = identity_of(os.stat(self._place))

    def check(self, because: Exception | None = None) -> None:
        """Raise SourceChanged, *because* of what was met, where the file is not as it was."""
        try:
            found = identity_of(os.stat(self._place))
        except FileNotFoundError as error:
            raise SourceChanged(
                f"{self._name} was removed after it had been opened: put it back, and open it again.",
                source=self._name,
            ) from error
        if found != self._identity:
            raise SourceChanged(
                f"{self._name} has changed since it was opened: open it again.", source=self._name
            ) from because

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let nothing that is read meanwhile pass, unless the file was the same before and after."""
        self.check()
        try:
            yield
        except Exception as error:
            self.check(error)
            raise
        self.check()
