"""
Everything that reading a source can raise.

    SourceError                 a source cannot be read
    ├── SourceNotFound          no such file, or a folder or pattern without data
    ├── SourceForbidden         the operating system does not allow it
    ├── SourceUnreadable        not what it should be: binary, truncated, broken, of an unknown kind
    ├── SourceTooLarge          past a stated limit
    └── SourceOptionError       an option that does not fit the source
"""

from __future__ import annotations


class SourceError(Exception):
    """
    A source cannot be read.

    The message is one sentence that says what was found and what to do; nothing of the source was used.
    """

    def __init__(self, message: str, *, source: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.source = source


class SourceNotFound(SourceError):
    """There is no such file, or a folder or pattern holds no data."""


class SourceForbidden(SourceError):
    """The operating system does not allow the source to be read."""


class SourceUnreadable(SourceError):
    """The source is not what it should be: binary, truncated, broken, or of an unknown kind."""


class SourceTooLarge(SourceError):
    """The source is past a limit of `ReadOptions`."""


class SourceOptionError(SourceError):
    """An option does not fit the source, such as a delimiter of two characters."""
