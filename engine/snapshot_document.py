"""Writes what a snapshot knows beside its rows as one JSON document, and reads it back as the same nouns."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
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

FORMAT = 3
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
        return _digest(_fields(self))


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

    Raises SnapshotFormatError when a newer Lastro wrote it; ValueError, TypeError, KeyError, AttributeError
    when it is none.
    """
    return read_with_digest(text)[0]


def read_with_digest(text: str) -> tuple[Document, str]:
    """The same, with the digest of the document, which costs less to take of the JSON than of the document."""
    found = json.loads(text)
    if found["format"] != FORMAT:
        raise SnapshotFormatError(
            f"The snapshot has format {found['format']!r} and this Lastro reads format {FORMAT}: "
            "use the Lastro that wrote it, or save it again."
        )
    digest = _digest(found)
    del found["format"]
    return _reader(Document)(found), digest


def _digest(fields: Mapping[str, Any]) -> str:
    return sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


_Read = Callable[[Any], Any]


@cache
def _reader(kind: Any) -> _Read:
    """
    What makes a value of type *kind* of what JSON has for it: dataclasses of objects, tuples of lists.

    The types themselves say how, so that a new field of a profile is kept without a word here.
    """
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        kinds = [one for one in get_args(kind) if one is not NoneType]
        return _optional(_reader(kinds[0])) if len(kinds) == 1 else _scalar
    if isinstance(kind, type) and is_dataclass(kind):
        return _object(kind)
    if isinstance(kind, type) and issubclass(kind, tuple):
        return _named_tuple(kind)
    if origin is tuple:
        item = _reader(get_args(kind)[0])
        return lambda found: tuple([item(value) for value in found])
    if origin is not None and origin is not Literal and issubclass(origin, Mapping):
        item = _reader(get_args(kind)[1])
        return lambda found: {key: item(value) for key, value in found.items()}
    return _scalar


def _optional(read: _Read) -> _Read:
    return lambda found: None if found is None else read(found)


def _object(kind: type) -> _Read:
    readers = {name: _reader(hint) for name, hint in get_type_hints(kind).items()}

    def read(found: Any) -> Any:
        if len(found) != len(readers):  # the digest is of what stands there, so nothing may be filled in
            raise TypeError(f"{kind.__name__} has {len(readers)} fields, not {len(found)}")
        return kind(**{name: readers[name](value) for name, value in found.items()})

    return read


def _named_tuple(kind: type) -> _Read:
    readers = [_reader(hint) for hint in get_type_hints(kind).values()]
    return lambda found: kind(*[read(value) for read, value in zip(readers, found, strict=True)])


def _scalar(found: Any) -> Any:
    if isinstance(found, list | dict):
        raise TypeError(f"a single value was expected, not {type(found).__name__}")
    return found
