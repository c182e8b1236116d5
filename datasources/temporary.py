"""Gives what is read or asked a temporary place: a file without a name, or a folder, gone when it is closed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from datasources.exceptions import SourceError

_named: set[Path] = set()
"""Temporary files and folders of this process that have a name, so that they would outlive it."""


@contextmanager
def removed_at_end(*paths: Path) -> Iterator[None]:
    """Remove the files and folders at *paths*, which may be gone already, whatever happens meanwhile."""
    _named.update(paths)
    try:
        yield
    finally:
        for path in paths:
            remove(path)
        _named.difference_update(paths)


def remove_all() -> None:
    """Remove what is still there: for a process that ends before its own clearing away could run."""
    for path in list(_named):
        remove(path)


def remove(path: Path) -> None:
    """Remove a file, or a folder with what is in it; it may be gone already."""
    if path.is_dir():
        from shutil import rmtree

        rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A new folder, only for this user."""
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="lastro-"))
    with removed_at_end(folder):
        yield folder


@contextmanager
def temporary_copy(name: str) -> Iterator[BinaryIO]:
    """
    A new file to copy *name* into; it stays open, from its start, unless something goes wrong.

    Raises SourceError when the temporary folder has no room for it.
    """
    import tempfile  # takes milliseconds, which a small report is done in

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
