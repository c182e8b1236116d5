"""
Everything that reading a source can raise.

    SourceError                 a source cannot be read
    ├── SourceNotFound          no such file, or a folder or pattern without data
    │   └── DefinitionNotFound  no report of the repository has that id
    ├── SourceForbidden         the operating system does not allow it
    ├── SourceUnreadable        not what it should be: binary, truncated, broken, of an unknown kind
    ├── SourceChanged           not as it was when it was opened
    ├── SourceTooLarge          past a stated limit
    ├── SourceOptionError       an option that does not fit the source
    ├── SourceTimeout           the source did not answer in time
    ├── QueryRefused            a query is not one plain SELECT
    ├── TableNotFound           a query names a table that its database has not
    ├── AccessError             who asks is not known, or what the report's access rules need is missing
    ├── MaskError               a pseudonym, or the secret of masks, is not what it should be
    ├── ParameterError          what the reader chose does not fit the report's parameters
    └── DefinitionError         a report's definition is not valid
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


def cause_of(error: BaseException) -> str:
    """
    What may be told of another library's *error*: the operating system's words, or the name of its class.

    Its own text may quote cells, addresses or secrets; it stays in the chain (`raise … from error`) for debuggers.
    """
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__


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


class SourceChanged(SourceError):
    """A file was rewritten, cut or removed after it had been opened; nothing of two versions is given."""


class SourceTooLarge(SourceError):
    """The source is past a limit of `ReadOptions`."""


class SourceOptionError(SourceError):
    """An option does not fit the source, such as a delimiter of two characters."""


class SourceTimeout(SourceError):
    """The source did not answer within its time."""


class QueryRefused(SourceError):
    """A query is not one plain SELECT, or a parameter stands where none can be bound; it was not run."""


class TableNotFound(SourceError):
    """A query names a table or view that its database has not."""


class AccessError(SourceError):
    """
    Who asks is not known, or the report's access rules cannot be applied; nothing was read for anybody.

    The message depends on the report and on the viewer alone, never on data.
    """


class MaskError(SourceError):
    """A pseudonym was altered or made under another key, or the secret of masks is too short."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and where."""

    path: str
    """Such as `bands[2].fields[0].type`, or the id of a parameter; empty for the whole."""
    message: str
    """What was found and what is allowed, ending in a full stop."""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class ParameterError(SourceError):
    """What the reader chose is unknown, missing, or not of its parameter's type."""

    def __init__(self, problems: Sequence[Problem], *, source: str = "") -> None:
        super().__init__(" ".join(problem.message for problem in problems), source=source)
        self.problems = tuple(problems)


PROBLEMS_SAID = 5
"""The message of a DefinitionError says so many; `problems` has all."""


class DefinitionError(SourceError):
    """A report's definition is not valid; `problems` says everything that was found, with its path."""

    def __init__(self, problems: Sequence[Problem], *, source: str = "") -> None:
        more = len(problems) - PROBLEMS_SAID
        said = [str(problem) for problem in problems[:PROBLEMS_SAID]]
        said += [f"… and {more} more."] if more > 0 else []
        super().__init__(f"{source or 'The definition'} is not valid: {' '.join(said)}", source=source)
        self.problems = tuple(problems)


class DefinitionNotFound(SourceNotFound):
    """No report of the repository has that id."""
