"""Gives readers a temporary file without a name, which is gone when it is closed, even by a kill."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from datasources.exceptions import SourceError


@contextmanager
def temporary_copy(name: str) -> Iterator[BinaryIO]:
    """
    A new file to copy *name* into; it stays open, from its start, unless something goes wrong.

    Raises SourceError when the temporary folder has no room for it.
    """
    copy: BinaryIO | None = None
    try:
        copy = tempfile.TemporaryFile("w+b")  # noqa: SIM115 - it outlives this function
        yield copy
        copy.flush()
        copy.seek(0)
    except BaseException as error:
        if copy is not None:
            copy.close()
        if isinstance(error, OSError):
            raise SourceError(
                f"{name} cannot be copied into a temporary folder ({error.strerror or error}): make room there, or"
                " let TMPDIR name another one."
            ) from error
        raise
