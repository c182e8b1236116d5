"""Writes what a snapshot knows beside its rows as one JSON document, and reads it back as the same nouns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from datasources.base import DataWarning
from engine.exceptions import SnapshotFormatError
from engine.profile import (
    BandProfile,
    FieldProfile,
    GroupPart,
    GroupProfile,
    GroupRest,
    Profile,
    ReportAggregate,
    ValueCount,
)
from engine.typing import Coercion, ColumnType

if TYPE_CHECKING:
    from engine.snapshot import Snapshot

FORMAT = 1
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

    Raises SnapshotFormatError when a newer Lastro wrote it; ValueError, TypeError or KeyError when it is none.
    """
    found = json.loads(text)
    if found["format"] != FORMAT:
        raise SnapshotFormatError(
            f"The snapshot has format {found['format']!r} and this Lastro reads format {FORMAT}: "
            "use the Lastro that wrote it, or save it again."
        )
    return Document(
        found["id"],
        found["version"],
        tuple(
            BandDocument(tuple(one["names"]), one["rows"], tuple(_column(each) for each in one["columns"]))
            for one in found["bands"]
        ),
        _profile(found["profile"]),
    )


_Json = Mapping[str, Any]
"""An object of the document; its values are checked by the dataclasses that they become."""


def _column(found: _Json) -> ColumnType:
    return ColumnType(
        **{**found, "coercion": _coercion(found["coercion"]), "null_values": tuple(found["null_values"])}
    )


def _coercion(found: _Json | None) -> Coercion | None:
    return None if found is None else Coercion(**found)


def _profile(found: _Json) -> Profile:
    return Profile(
        tuple(_band(one) for one in found["bands"]),
        tuple(ReportAggregate(**one) for one in found["aggregates"]),
        tuple(DataWarning(**{**one, "sample": tuple(one["sample"])}) for one in found["warnings"]),
    )


def _band(found: _Json) -> BandProfile:
    changed = {
        "names": tuple(found["names"]),
        "fields": tuple(_field(one) for one in found["fields"]),
        "groups": tuple(_group(one) for one in found["groups"]),
        "notes": tuple(found["notes"]),
    }
    return BandProfile(**{**found, **changed})


def _field(found: _Json) -> FieldProfile:
    values: Sequence[_Json] | None = found["values"]
    changed = {
        "values": None if values is None else tuple(ValueCount(**one) for one in values),
        "coercion": _coercion(found["coercion"]),
    }
    return FieldProfile(**{**found, **changed})


def _group(found: _Json) -> GroupProfile:
    changed = {
        "parts": tuple(GroupPart(**one) for one in found["parts"]),
        "rest": None if found["rest"] is None else GroupRest(**found["rest"]),
    }
    return GroupProfile(**{**found, **changed})
