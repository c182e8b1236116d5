"""Keeps report definitions: in a folder of `*.report.json` files, or in one SQLite file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from datasources import durable
from datasources.definition import check, definition_text, parse_definition, parse_json, read_document
from datasources.elements import ReportDefinition
from datasources.exceptions import (
    DefinitionError,
    DefinitionNotFound,
    Problem,
    SourceError,
    SourceForbidden,
    SourceNotFound,
    SourceUnreadable,
    cause_of,
)
from datasources.suggestion import found_text, listed, nearest

ENDING = ".report.json"
DATABASE_ENDINGS = (".sqlite", ".sqlite3", ".db")
ABANDONED_S = 24 * 3600
"""A temporary file of this age was left by a process that died."""
BUSY_S = 10.0
"""How long to wait for another process that is writing the same SQLite file."""

_MAGIC = b"SQLite format 3\x00"
_TABLE = "CREATE TABLE IF NOT EXISTS reports (id TEXT PRIMARY KEY NOT NULL, document TEXT NOT NULL)"


@dataclass(frozen=True, slots=True)
class Entry:
    """One definition that a repository holds, as a list shows it."""

    id: str
    """Of a broken definition, the file's name without its ending."""
    place: str
    """The file's name in a folder; the id in SQLite."""
    definition: ReportDefinition | None
    """None when it is broken, or shares its id with another."""
    problems: tuple[Problem, ...] = ()


class Repository(Protocol):
    """Where definitions are kept; one that is saved is whole, or not there."""

    def entries(self) -> tuple[Entry, ...]:
        """Everything that is kept, by id; what is broken is listed with its problems."""

    def get(self, report_id: str) -> ReportDefinition:
        """
        The valid definition with that id.

        Raises DefinitionNotFound with the nearest id, and DefinitionError when it is not valid, or two have it.
        """

    def save(self, definition: ReportDefinition) -> str:
        """
        Check *definition* and keep it in place of the one with its id, in one step; the place where it is.

        Raises DefinitionError when it is not valid.
        """


def open_repository(path: Path) -> Repository:
    """
    The repository at *path*: a folder, or an SQLite file, which need not exist yet if it is named like one.

    Raises SourceNotFound or SourceUnreadable when it is neither.
    """
    try:
        if path.is_dir():
            return FolderRepository(path)
        if path.is_file():
            with path.open("rb") as file:
                start = file.read(len(_MAGIC))
            if start in (_MAGIC, b""):
                return SqliteRepository(path)
            raise SourceUnreadable(
                f"{path.name} is neither a folder nor an SQLite file: give the folder of the *{ENDING} files.",
                source=str(path),
            )
    except PermissionError as error:
        raise SourceForbidden(f"{path} may not be read: ask for the permission.", source=str(path)) from error
    except (OSError, ValueError) as error:  # a name that is too long, or has a NUL
        raise SourceUnreadable(
            f"{path} cannot be read ({cause_of(error)}): check the path.", source=str(path)
        ) from error
    if path.suffix.lower() in DATABASE_ENDINGS and path.parent.is_dir():
        return SqliteRepository(path)
    raise SourceNotFound(f"There is no folder {path}: check the path.", source=str(path))


class FolderRepository:
    """A folder of `*.report.json` files; an id comes from inside the file, and its name may be another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def entries(self) -> tuple[Entry, ...]:
        """Every `*.report.json`, by id and then by name; see Repository."""
        entries = [
            _entry(path.name, path.name.removesuffix(ENDING), self._document(path)) for path in self._files()
        ]
        places: dict[str, list[str]] = {}
        for entry in entries:
            places.setdefault(entry.id, []).append(entry.place)
        return _ordered(_without_shared(entry, places[entry.id]) for entry in entries)

    def get(self, report_id: str) -> ReportDefinition:
        """The definition with that id; see Repository."""
        paths, others = self._places(report_id)
        if len(paths) > 1:
            raise _shared(report_id, paths)
        if paths:
            return parse_definition(read_document(paths[0]), source=paths[0].name)
        named = self.folder / f"{report_id}{ENDING}"
        if named in others and others[named] is None:
            parse_definition(read_document(named), source=named.name)  # raises what is wrong with it
        raise _not_found(report_id, [known for known in others.values() if known is not None])

    def save(self, definition: ReportDefinition) -> str:
        """Write a temporary file and give it the name; see Repository."""
        text = _checked_text(definition)
        paths, others = self._places(definition.id)
        if len(paths) > 1:
            raise _shared(definition.id, paths)
        path = paths[0] if paths else self.folder / f"{definition.id}{ENDING}"
        if not paths and os.path.lexists(path):
            # Another process may have saved it since the folder was listed.
            other = others[path] if path in others else _id_in(self._document(path))
            if other != definition.id:
                raise _taken(path, definition.id, other)
        try:
            target = Path(os.path.realpath(path))  # a link stays one
            durable.sweep(target.parent)
            durable.replace_text(target, text)
        except OSError as error:
            raise SourceForbidden(
                f"{path.name} cannot be written ({error.strerror or error}): make room, or ask for the permission.",
                source=str(path),
            ) from error
        return path.name

    def _files(self) -> Iterator[Path]:
        try:
            names = sorted(os.listdir(self.folder))
        except FileNotFoundError as error:
            raise SourceNotFound(f"There is no folder {self.folder}: check the path.") from error
        except OSError as error:
            raise SourceForbidden(f"{self.folder} may not be listed ({error.strerror}).") from error
        for name in names:
            path = self.folder / name
            # A pipe by that name would keep us waiting; a hidden file is not meant.
            if name.endswith(ENDING) and not name.startswith(".") and path.is_file():
                yield path

    def _places(self, report_id: str) -> tuple[list[Path], dict[Path, str | None]]:
        """The files that have *report_id*, and the other files with the ids that they have, None where broken."""
        ids = {path: _id_in(self._document(path)) for path in self._files()}
        return [path for path, found in ids.items() if found == report_id], {
            path: found for path, found in ids.items() if found != report_id
        }

    @staticmethod
    def _document(path: Path) -> bytes | SourceError:
        try:
            return read_document(path)
        except SourceError as error:  # one file that cannot be read hides no other
            return error


def _taken(path: Path, report_id: str, other: str | None) -> DefinitionError:
    what = f"holds the report {found_text(other)}" if other else "is there and holds no valid definition"
    problem = Problem("id", f"the file {path.name} {what}: rename it, or choose another id.")
    return DefinitionError([problem], source=report_id)


class SqliteRepository:
    """One SQLite file with a table `reports` (`id`, `document`), so that a copy of it is a backup."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self) -> tuple[Entry, ...]:
        """Every row, by id; see Repository."""
        with self._opened(write=False) as connection:
            rows = connection.execute("SELECT id, document FROM reports").fetchall()
        return _ordered(_entry(str(row_id), str(row_id), str(document).encode()) for row_id, document in rows)

    def get(self, report_id: str) -> ReportDefinition:
        """The definition with that id; see Repository."""
        with self._opened(write=False) as connection:
            row = connection.execute("SELECT document FROM reports WHERE id = ?", [report_id]).fetchone()
            known = [] if row else [one for (one,) in connection.execute("SELECT id FROM reports")]
        if row is None:
            raise _not_found(report_id, known)
        definition = parse_definition(str(row[0]), source=report_id)
        if definition.id != report_id:
            problem = Problem(
                "id", f"found {found_text(definition.id)} in the row of {found_text(report_id)}."
            )
            raise DefinitionError([problem], source=report_id)
        return definition

    def save(self, definition: ReportDefinition) -> str:
        """Write it in one transaction; see Repository."""
        text = _checked_text(definition)
        with self._opened(write=True) as connection, connection:
            connection.execute(
                "INSERT INTO reports VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET document = excluded.document",
                [definition.id, text],
            )
        return definition.id

    @contextmanager
    def _opened(self, *, write: bool) -> Iterator[sqlite3.Connection]:
        """A connection with the table `reports`; a file that is not there yet reads as an empty one."""
        empty = not self.path.exists() or not self.path.stat().st_size
        # A reader may have to undo what a writer left that died, so `ro` would not do; where the file may not be
        # written, SQLite reads it all the same.
        file = f"{self.path.absolute().as_uri()}?mode={'rwc' if write else 'rw'}"
        try:
            opened = sqlite3.connect(":memory:" if empty and not write else file, uri=True, timeout=BUSY_S)
            with closing(opened) as connection:
                if write or empty:
                    connection.execute(_TABLE)
                connection.execute(f"PRAGMA query_only = {'OFF' if write else 'ON'}")
                yield connection
        except sqlite3.Error as error:
            # The statements are ours: SQLite's words speak of the file and of our table, never of a document.
            raise SourceUnreadable(
                f"{self.path.name} is not an SQLite file of reports that can be used now ({error}):"
                " check the file, and that nothing else holds it.",
                source=str(self.path),
            ) from error


def _entry(place: str, name: str, document: bytes | SourceError) -> Entry:
    """What a list shows of one *document*, however broken it is."""
    try:
        if isinstance(document, SourceError):
            raise document
        definition = parse_definition(document, source=place)
    except DefinitionError as error:
        assert not isinstance(document, SourceError)
        return Entry(_id_in(document) or name, place, None, error.problems)
    except SourceError as error:
        return Entry(name, place, None, (Problem("", error.message),))
    return Entry(definition.id, place, definition)


def _ordered(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda entry: (entry.id, entry.place)))


def _without_shared(entry: Entry, places: list[str]) -> Entry:
    """The same entry, or one without definition where other files have its id."""
    others = [place for place in places if place != entry.place]
    if not others:
        return entry
    problem = Problem(
        "id", f"found {found_text(entry.id)}, which {listed(others)} has too; give each an id of its own."
    )
    return Entry(entry.id, entry.place, None, (*entry.problems, problem))


def _id_in(document: bytes | SourceError) -> str | None:
    """The id that *document* states, valid or not; None where it states none."""
    if isinstance(document, SourceError):
        return None
    try:
        data = parse_json(document)
    except DefinitionError:
        return None
    found = data.get("id") if isinstance(data, dict) else None
    return found if isinstance(found, str) else None


def _checked_text(definition: ReportDefinition) -> str:
    """The document to keep, once it was read back: a model that was changed without checks is refused here."""
    check(definition)
    text = definition_text(definition)
    parse_definition(text, source=definition.id)
    return text


def _shared(report_id: str, paths: list[Path]) -> DefinitionError:
    names = listed([path.name for path in paths])
    problem = Problem("id", f"{names} all have the id {found_text(report_id)}; give each an id of its own.")
    return DefinitionError([problem], source=report_id)


def _not_found(report_id: str, known: list[str]) -> DefinitionNotFound:
    near = nearest(report_id, known)
    hint = f"did you mean {near}?" if near else f"there {_are(known)}."
    return DefinitionNotFound(f"There is no report {found_text(report_id)}: {hint}", source=report_id)


def _are(known: list[str]) -> str:
    if not known:
        return "are none here"
    return f"{'is' if len(known) == 1 else 'are'} {listed(sorted(known))}"
