"""
Keeps snapshots as files: a version is a DuckDB file named by its content; a pointer names the current one.

A version is written under a temporary name, reaches the disk, and only then gets its own name; after that the
pointer is replaced. So a crash at any moment leaves it with the old version or with the new one, both whole.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.exceptions import SnapshotError, SnapshotFormatError, SnapshotNotFound, SnapshotNotSaved
from engine.snapshot import Snapshot, refuse_rows
from engine.snapshot_document import FORMAT, Document, document_of, read_with_digest
from engine.stored_band import MEMORY_MIB, StoredBand, StoredFile, damaged, missing, open_file

SUFFIX = ".duckdb"
ID_DIGITS = 32
"""Digits of the content's id in the name of a version."""
DOCUMENT_DIGITS = 8
"""
Digits of the document's hash in the name: equal rows of which another Lastro states other facts, or that came
with other warnings, are another version.
"""
POINTER_BYTES_MAX = 4_096
KEPT_VERSIONS = 2
OPEN_ATTEMPTS = 10
"""While a reader follows the pointer, the version that it named may be replaced and pruned."""

_VERSION = rf"-(?P<id>[0-9a-f]{{{ID_DIGITS}}})-(?P<document>[0-9a-f]{{{DOCUMENT_DIGITS}}})\{SUFFIX}"


def save_snapshot(snapshot: Snapshot, pointer: Path) -> Path:
    """
    Write *snapshot* beside *pointer* and let the pointer name it; returns the file of this version.

    A version that is there already is not written again. Older ones stay, see `prune_snapshots`. Raises
    SnapshotNotSaved when it cannot be written, and what a stream raises when its source cannot be read; the
    pointer and what it names are untouched then.
    """
    from datasources import durable
    from engine.snapshot_write import write_snapshot

    refuse_rows(snapshot, "stored")
    pointer = Path(pointer).absolute()
    if pointer.suffix == SUFFIX:
        raise SnapshotNotSaved(
            f"{pointer.name} has the ending of a version, not of a pointer: choose another one.",
            path=str(pointer),
        )
    if pointer.exists() and not pointer.is_file():
        raise SnapshotNotSaved(
            f"{pointer} is a folder or a device, not a file: choose another name.", path=str(pointer)
        )
    if pointer.exists() and not _may_be_pointer(pointer):
        raise SnapshotNotSaved(
            f"{pointer.name} is there already, and is not a snapshot: it would be lost. Choose another name.",
            path=str(pointer),
        )
    with _not_saved(pointer):
        pointer.parent.mkdir(parents=True, exist_ok=True)
        durable.sweep(pointer.parent)
        with durable.temporary_beside(pointer) as temporary:
            document = _known_document(snapshot)
            if document is None or not _is_whole(_path_of(document, pointer)):
                document = write_snapshot(snapshot, temporary)
            path = _path_of(document, pointer)
            whole = _is_whole(path)
            with durable.locked(pointer.parent):
                if whole and path.exists():
                    os.utime(path)  # it is the newest version again
                else:
                    if not temporary.exists():  # it was whole, and has been pruned since
                        write_snapshot(snapshot, temporary)
                    durable.put_in_place(temporary, path)
                _point(pointer, path, document.id)
    return path


def open_snapshot(path: Path, *, memory_mib: int = MEMORY_MIB) -> Snapshot:
    """
    Open the snapshot that the pointer *path* names, or the version *path* itself, for reading only.

    Questions to it may use *memory_mib* MiB. Raises SnapshotNotFound, SnapshotCorrupt, SnapshotFormatError. Rows
    are read when they are taken, so that damage among them may show only then, as SnapshotCorrupt;
    `verify_snapshot` looks at all of them.
    """
    path = Path(path).absolute()
    if path.suffix == SUFFIX:
        return _open_version(path, memory_mib)
    pointed = _read_pointer(path)
    for _ in range(OPEN_ATTEMPTS):
        try:
            snapshot = _open_version(path.with_name(pointed.file), memory_mib)
        except SnapshotNotFound as error:
            before, pointed = pointed, _read_pointer(path)
            if pointed == before:
                message = f"{path.name} names {pointed.file}, which is not there: save the snapshot again."
                raise SnapshotNotFound(message, path=str(path)) from error
            continue
        if snapshot.id != pointed.id:
            raise damaged(path, "the id in it is not that of the version it names")
        return snapshot
    message = f"The versions that {path.name} names vanish too fast: keep more of them."
    raise SnapshotNotFound(message, path=str(path))


def verify_snapshot(path: Path) -> str:
    """
    Read every stored row of a snapshot, and return its id, which they still have.

    Raises SnapshotCorrupt when they do not, and what `open_snapshot` raises.
    """
    from engine.snapshot_hash import BandHash, id_of

    path = Path(path).absolute()
    snapshot = open_snapshot(path)
    hashes = [BandHash.of(band) for band in snapshot.bands]
    for band, found in zip(snapshot.bands, hashes, strict=True):
        if band.columns and found.rows != band.rows:
            raise damaged(path, f"“{band.name}” has {found.rows} rows instead of {band.rows}")
    found_id = id_of(snapshot, hashes)
    if found_id != snapshot.id:
        raise damaged(path, "its rows are not those that were saved")
    return found_id


def prune_snapshots(pointer: Path, keep: int = KEPT_VERSIONS) -> tuple[Path, ...]:
    """
    Remove the versions beside *pointer* but the *keep* newest and those that a pointer names; returns them.

    Raises SnapshotNotFound or SnapshotFormatError when the pointer cannot be read: then nothing is removed.
    """
    from datasources import durable

    pointer = Path(pointer).absolute()
    with durable.locked(pointer.parent):
        named = {_read_pointer(pointer).file} | set(_named_by_others(pointer))
        versions = [path for path in pointer.parent.iterdir() if _version_match(path, pointer.stem)]
        newest_first = sorted(versions, key=lambda path: (-path.stat().st_mtime_ns, path.name))
        removed = tuple(path for path in newest_first[keep:] if path.name not in named)
        for path in removed:
            path.unlink(missing_ok=True)
    return removed


# ---- versions ----


def _known_document(snapshot: Snapshot) -> Document | None:
    """The document of a snapshot whose id costs little: it is stored, or in memory."""
    from engine.band import Band
    from engine.snapshot_hash import snapshot_id

    in_memory = all(isinstance(band, Band) and band.values is not None for band in snapshot.bands)
    return document_of(snapshot, snapshot_id(snapshot)) if snapshot.id or in_memory else None


def _path_of(document: Document, pointer: Path) -> Path:
    name = f"{pointer.stem}-{document.id[:ID_DIGITS]}-{document.digest[:DOCUMENT_DIGITS]}{SUFFIX}"
    return pointer.with_name(name)


def _version_match(path: Path, stem: str | None = None) -> re.Match[str] | None:
    return re.fullmatch((".+" if stem is None else re.escape(stem)) + _VERSION, path.name, re.DOTALL)


def _is_whole(path: Path) -> bool:
    try:
        verify_snapshot(path)
    except SnapshotError:  # whatever is wrong with it, it will be written anew
        return False
    return True


def _open_version(path: Path, memory_mib: int) -> Snapshot:
    match = _version_match(path)
    if match is None:
        if not path.exists():
            raise missing(path)
        raise SnapshotFormatError(
            f"{path.name} is not a snapshot, or was renamed: open a pointer or a file saved beside it.",
            path=str(path),
        )
    file = open_file(path, memory_mib)
    document, digest = _read_document(file)
    if not document.id.startswith(match["id"]) or not digest.startswith(match["document"]):
        raise damaged(path, "its content is not what its name says")
    bands = tuple(
        StoredBand(one.names, one.columns, one.rows, file, f"band_{index}")
        for index, one in enumerate(document.bands)
    )
    return Snapshot(bands, document.profile, document.id)


def _read_document(file: StoredFile) -> tuple[Document, str]:
    text = file.document()
    try:
        return read_with_digest(text)
    except SnapshotFormatError as error:
        raise SnapshotFormatError(f"{file.path.name}: {error.message}", path=str(file.path)) from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise damaged(file.path, "its document cannot be read") from error


# ---- pointers ----


@dataclass(frozen=True, slots=True)
class _Pointer:
    id: str
    file: str


def _point(pointer: Path, path: Path, content_id: str) -> None:
    """Let *pointer* name *path*; one that does already is not touched."""
    from datasources import durable

    text = json.dumps({"format": FORMAT, "id": content_id, "file": path.name}, indent=2) + "\n"
    try:
        if pointer.read_bytes() == text.encode():
            return
    except FileNotFoundError:
        pass
    durable.replace_text(pointer, text)


def _may_be_pointer(path: Path) -> bool:
    """Whether *path* begins as a pointer does, whole or torn: only such a file is replaced."""
    try:
        with path.open("rb") as file:
            head = file.read(POINTER_BYTES_MAX)
    except OSError:  # whoever writes it says what is wrong
        return True
    return b'{"format":'.startswith(b"".join(head.split())[:10])


def _read_pointer(path: Path) -> _Pointer:
    try:
        with path.open("rb") as file:
            text = file.read(POINTER_BYTES_MAX)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise missing(path) from error
    except OSError as error:
        message = (
            f"{path.name} cannot be read ({error.strerror}): give the path of a pointer or of a version."
        )
        raise SnapshotError(message, path=str(path)) from error
    try:
        found = json.loads(text)
        version = found["format"]
        pointed = _Pointer(str(found["id"]), str(found["file"]))
    except (ValueError, TypeError, KeyError) as error:
        message = f"{path.name} is not a pointer to a snapshot, or is damaged: save the snapshot again."
        raise SnapshotFormatError(message, path=str(path)) from error
    if version != FORMAT:
        message = (
            f"{path.name} has format {version!r}; this Lastro reads {FORMAT}: use the one that wrote it."
        )
        raise SnapshotFormatError(message, path=str(path))
    if _version_match(Path(pointed.file)) is None or Path(pointed.file).name != pointed.file:
        message = f"{path.name} names no version beside it: save the snapshot again."
        raise SnapshotFormatError(message, path=str(path))
    return pointed


def _named_by_others(pointer: Path) -> Iterator[str]:
    """The versions that other pointers of the same stem name."""
    for path in pointer.parent.glob(f"{_literal(pointer.stem)}.*"):
        if path.suffix != SUFFIX and path != pointer and path.is_file():
            try:
                yield _read_pointer(path).file
            except SnapshotError:
                continue  # another kind of file, such as the source itself


def _literal(name: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", name)


@contextmanager
def _not_saved(pointer: Path) -> Iterator[None]:
    """Turn what the operating system and DuckDB raise on writing into SnapshotNotSaved."""
    import duckdb

    try:
        yield
    except (OSError, duckdb.Error) as error:
        text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        reason = text.splitlines()[0][:200]
        message = (
            f"The snapshot could not be written to {pointer.parent} ({reason}): make room there or choose "
            "another folder. What was saved before is untouched."
        )
        raise SnapshotNotSaved(message, path=str(pointer)) from error
