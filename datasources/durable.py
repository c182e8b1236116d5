"""Puts files in place so that a crash at any moment leaves the old one or the new one, whole."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from platform import node
from time import time
from uuid import uuid4

from datasources.temporary import remove, removed_at_end

ABANDONED_S = 24 * 3600
"""A temporary file of another machine, or one whose process number is in use, is given up after a day."""

_HOST = sha256(node().encode()).hexdigest()[:8]
_TEMPORARY = re.compile(
    r"\.(?P<host>[0-9a-f]{8})-(?P<process>[0-9]+)-[0-9a-f]{12}\.lastro-tmp(?P<beside>\.wal|\.tmp)?"
)
_ours: set[str] = set()
"""Names of the temporary files that this process is writing."""


@contextmanager
def temporary_beside(path: Path) -> Iterator[Path]:
    """A path in the same folder to write to; what is still there at the end is removed."""
    name = f".{_HOST}-{os.getpid()}-{uuid4().hex[:12]}.lastro-tmp"
    _ours.add(name)
    temporary = path.with_name(name)
    try:
        # DuckDB keeps a journal beside its file, and a folder for what does not fit memory.
        with removed_at_end(*(path.with_name(left) for left in (name, f"{name}.wal", f"{name}.tmp"))):
            yield temporary
    finally:
        _ours.discard(name)


def put_in_place(temporary: Path, path: Path) -> None:
    """Give a closed *temporary* file its name: first its bytes reach the disk, then the name does."""
    sync(temporary)
    os.replace(temporary, path)
    sync_folder(path.parent)


def replace_text(path: Path, text: str) -> None:
    """Replace the small file *path* by *text*, whole or not at all; who may read it stays as it was."""
    with temporary_beside(path) as temporary:
        temporary.write_bytes(text.encode())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        put_in_place(temporary, path)


def sync(path: Path) -> None:
    """Return when the bytes of *path* are on the disk."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Return when the names in *folder* are on the disk; Windows has no such call and needs none."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sweep(folder: Path) -> tuple[Path, ...]:
    """Remove the temporary files in *folder* whose writers are gone; returns them."""
    swept = [path for path in sorted(folder.glob(".*lastro-tmp*")) if _is_abandoned(path)]
    for path in swept:
        remove(path)
    return tuple(swept)


def _is_abandoned(path: Path) -> bool:
    match = _TEMPORARY.fullmatch(path.name)
    if match is None:
        return False
    process = int(match["process"])
    if match["host"] == _HOST:
        if process == os.getpid():
            return path.name.removesuffix(match["beside"] or "") not in _ours
        if not _is_alive(process):
            return True
    try:
        return time() - path.stat().st_mtime > ABANDONED_S
    except FileNotFoundError:
        return False


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes that lock *folder* waiting; the lock of a process that dies is free."""
    try:
        import fcntl
    except ImportError:  # Windows: there the last to publish wins, and pruning is left to quiet moments
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
