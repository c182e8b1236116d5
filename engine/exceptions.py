"""
Everything that the engine can raise beside the errors of a source.

    EngineError                     something could not be computed or kept
    ├── QueryError                  a question that the data cannot answer
    │   └── UnknownName             a field or a band that is not there
    └── SnapshotError               a snapshot cannot be saved or opened
        ├── SnapshotNotFound        there is none
        ├── SnapshotCorrupt         what is there is not what was saved
        ├── SnapshotFormatError     no snapshot at all, or one of a newer Lastro
        └── SnapshotNotSaved        it could not be written; what was there before is untouched
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.notes import Language, note


class EngineError(Exception):
    """Something could not be computed or kept; the message says what was found and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class QueryError(EngineError):
    """A question that the data cannot answer; the message says what to ask instead, in any language of `notes`."""

    def __init__(self, code: str, **values: object) -> None:
        self.code = code
        """The line of the catalogue in `engine/notes`."""
        self.values = values
        super().__init__(self.text("en"))

    def text(self, language: Language) -> str:
        """The message in *language*."""
        return note(self.code, language, **self.values)

    @classmethod
    def unknown_field(cls, name: str, available: Sequence[str], band: str = "") -> QueryError:
        """The error for a field that the band does not have."""
        if not available:
            return cls("no_fields", name=name, band=band)
        return UnknownName("unknown_field", name, available)

    @classmethod
    def unknown_band(cls, name: str, available: Sequence[str]) -> QueryError:
        """The error for a band that the report does not have."""
        return UnknownName("unknown_band", name, available) if available else cls("no_bands", name=name)


class UnknownName(QueryError):
    """A field or a band that is not there; the message names those that are, and the one probably meant."""

    def __init__(self, code: str, name: str, available: Sequence[str]) -> None:
        from datasources.suggestion import nearest

        self.near = nearest(name, available)
        super().__init__(code, name=name, names=tuple(available))

    def text(self, language: Language) -> str:
        """The message in *language*."""
        text = super().text(language)
        return text if self.near is None else text + note("did_you_mean", language, near=self.near)


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
