"""
Everything that the engine can raise beside the errors of a source.

    EngineError                     something could not be computed or kept
    ├── QueryError                  a question that the data cannot answer
    └── SnapshotError               a snapshot cannot be saved or opened
        ├── SnapshotNotFound        there is none
        ├── SnapshotCorrupt         what is there is not what was saved
        ├── SnapshotFormatError     no snapshot at all, or one of a newer Lastro
        └── SnapshotNotSaved        it could not be written; what was there before is untouched
"""

from __future__ import annotations

from collections.abc import Sequence


class EngineError(Exception):
    """Something could not be computed or kept; the message says what was found and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


FIELDS_NAMED_MAX = 50
"""So many available names are listed; of more, the rest is counted."""


class QueryError(EngineError):
    """A question that the data cannot answer; the message says what to ask instead."""

    @classmethod
    def unknown_field(cls, name: str, available: Sequence[str]) -> QueryError:
        """The error for a field that the band does not have."""
        return cls(f'Field "{name}" does not exist. Available fields: {_listed(available)}.')

    @classmethod
    def unknown_band(cls, name: str, available: Sequence[str]) -> QueryError:
        """The error for a band that the report does not have."""
        return cls(f'Band "{name}" does not exist. Available bands: {_listed(available)}.')


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:FIELDS_NAMED_MAX])
    return f"{shown} and {len(names) - FIELDS_NAMED_MAX} more" if len(names) > FIELDS_NAMED_MAX else shown


class SnapshotError(EngineError):
    """A snapshot cannot be saved or opened."""

    def __init__(self, message: str, *, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class SnapshotNotFound(SnapshotError):
    """There is no snapshot at the path."""


class SnapshotCorrupt(SnapshotError):
    """The file is damaged, or its content is not what its name promises."""


class SnapshotFormatError(SnapshotError):
    """The file is no snapshot, or one that only a newer Lastro can read."""


class SnapshotNotSaved(SnapshotError):
    """The snapshot could not be written; the one that was there before is untouched."""
