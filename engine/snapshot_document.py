"""Writes what a snapshot knows beside its rows as one JSON document, and reads it back as the same nouns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, is_dataclass
from functools import cache
from hashlib import sha256
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from engine.columns import ColumnType
from engine.exceptions import SnapshotFormatError
from engine.profile import Profile

if TYPE_CHECKING:
    from engine.snapshot import Snapshot

FORMAT = 2
"""Raised when an older Lastro could not read what this one writes."""


@dataclass(frozen=True, slots=True)
class BandDocument:
    """A stored band without its rows."""

    names: tuple[str, ...]
    rows: int
    columns: tuple[ColumnType, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """Everything about a snapshot but its rows."""

    id: str
    version: str
    """The Lastro that computed it: another one may state facts in another way."""
    bands: tuple[BandDocument, ...]
    profile: Profile

    @property
    def digest(self) -> str:
        """The hash of the document, whatever the order of its keys."""
        return sha256(json.dumps(_fields(self), sort_keys=True).encode()).hexdigest()


def document_of(snapshot: Snapshot, content_id: str) -> Document:
    """The document of *snapshot*, whose id is *content_id*."""
    bands = tuple(BandDocument(band.names, band.rows, band.columns) for band in snapshot.bands)
    return Document(content_id, installed_version(), bands, snapshot.profile)


def installed_version() -> str:
    """The version of Lastro, as the installed distribution has it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("lastro")
    except PackageNotFoundError:  # run from its source
        return "unknown"


def write_document(document: Document) -> str:
    """The JSON text of *document*: ASCII only, so that every name survives any storage."""
    return json.dumps(_fields(document), separators=(",", ":"))


def _fields(document: Document) -> dict[str, Any]:
    return {"format": FORMAT, **asdict(document)}


def read_document(text: str) -> Document:
    """
    The document that `write_document` wrote; dataclasses come back equal.

    Raises SnapshotFormatError when a newer Lastro wrote it; ValueError, TypeError, KeyError when it is none.
    """
    found = json.loads(text)
    if found["format"] != FORMAT:
        raise SnapshotFormatError(
            f"The snapshot has format {found['format']!r} and this Lastro reads format {FORMAT}: "
            "use the Lastro that wrote it, or save it again."
        )
    del found["format"]
    document: Document = _build(Document, found)
    return document


def _build(kind: Any, found: Any) -> Any:
    """
    The value of type *kind* that JSON gave as *found*: dataclasses from objects, tuples from lists.

    The types themselves say how, so that a new field of a profile is kept without a word here.
    """
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        if found is None:
            return None
        kinds = [one for one in get_args(kind) if one is not NoneType]
        return _build(kinds[0], found) if len(kinds) == 1 else _scalar(found)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: _build(hints[name], value) for name, value in found.items()})
    if isinstance(kind, type) and issubclass(kind, tuple):
        hints = _hints(kind)
        return kind(*(_build(hint, value) for hint, value in zip(hints.values(), found, strict=True)))
    if origin is tuple:
        item = get_args(kind)[0]
        return tuple(_build(item, value) for value in found)
    if origin is not None and origin is not Literal and issubclass(origin, Mapping):
        item = get_args(kind)[1]
        return {key: _build(item, value) for key, value in found.items()}
    return _scalar(found)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _scalar(found: Any) -> Any:
    if isinstance(found, list | dict):
        raise TypeError(f"a single value was expected, not {type(found).__name__}")
    return found
