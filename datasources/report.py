"""Loads the bands of a report: each source is read once, all at the same time, and all of them or none."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from datasources.access import name_source, without_data
from datasources.base import RawBand
from datasources.concurrently import run_all
from datasources.exceptions import SourceError, SourceForbidden, SourceNotFound, SourceOptionError
from datasources.options import ReadOptions
from datasources.report_bands import bands_of, visible_bands

if TYPE_CHECKING:
    from datasources.access import Access
    from datasources.access_rules import BandView
    from datasources.connections import Connections
    from datasources.elements import (
        FileSource,
        MemorySource,
        ReportDefinition,
        Source,
        SqlSource,
    )
    from datasources.parameters import ParameterValues
    from datasources.secured_records import VisibleRecords

SOURCE_TIMEOUT_S = 30.0
"""How long a source may take."""


def load_report(
    definition: ReportDefinition,
    values: ParameterValues,
    *,
    roots: Mapping[str, Path] | None = None,
    connections: Connections | None = None,
    frames: Mapping[str, object] | None = None,
    source_timeout_s: float = SOURCE_TIMEOUT_S,
    access: Access | None = None,
) -> tuple[RawBand, ...]:
    """
    Read the sources of *definition* with *values*, and give one raw band for each band that has a datasource.

    Files lie under *roots*, frames are handed in by name. Bands come in the order of the definition; further
    tables of a source (sheets, nested arrays of a JSON file) that no band is named after follow its first band.
    The first source that fails, or takes longer than *source_timeout_s*, is named in a SourceError, and nothing
    of the report is given then. Raises DefinitionError for a path or a query that no definition may have.

    With access rules the bands are those that the viewer of *access* may see: cut and masked here, so that nothing
    which follows can tell of what is not in them. Raises AccessError where the rules cannot be applied.
    """
    from datasources import placeholders

    placeholders.check(definition)
    views = _views(definition, access)
    read = _Reader(definition, values, roots or {}, connections, frames or {}, source_timeout_s, views)
    bands = [band for band in definition.bands if band.datasource is not None]
    wanted = dict.fromkeys(str(band.datasource) for band in bands)
    for name in wanted:
        _check_declared(name, definition)
    jobs = {name: read.job(name, definition.datasources[name]) for name in wanted}
    tables = run_all(jobs, source_timeout_s)
    if views is None:
        return bands_of(bands, tables, definition.locale)
    return visible_bands(bands, tables, definition.locale, views)


def _views(definition: ReportDefinition, access: Access | None) -> Mapping[str, BandView] | None:
    """What the viewer may see of each band; None where there are no rules."""
    from datasources.access import check_access

    check_access(definition, None if access is None else access.viewer)
    if definition.access is None or access is None:
        return None
    from datasources.access_rules import views_of

    return views_of(definition, access)


def _check_declared(name: str, definition: ReportDefinition) -> None:
    if name not in definition.datasources:
        from datasources.suggestion import remedy

        raise SourceNotFound(
            f"There is no datasource {name}: {remedy(name, definition.datasources, noun='datasource')}",
            source=name,
        )


# ---- sources ----


class _Reader:
    """Reads any source of one run of a report."""

    def __init__(
        self,
        definition: ReportDefinition,
        values: ParameterValues,
        roots: Mapping[str, Path],
        connections: Connections | None,
        frames: Mapping[str, object],
        timeout_s: float,
        views: Mapping[str, BandView] | None,
    ) -> None:
        self._views = views
        self._definition = definition
        self._values = values
        self._roots = roots
        self._connections = connections
        self._frames = frames
        self._timeout_s = timeout_s
        self._options = ReadOptions(locale=definition.locale)

    def job(self, name: str, source: Source) -> Callable[[], Sequence[RawBand]]:
        """The reading of *source*, to be done later; its tables have names that begin with *name*."""

        def read() -> Sequence[RawBand]:
            try:
                return self._read(name, source)
            except SourceError as error:
                if self._views is not None:
                    # Nor is what it quotes to be found in its chain.
                    raise without_data(error, name) from None
                name_source(error, name)
                raise

        return read

    def _visible(self, name: str) -> VisibleRecords | None:
        """What the viewer may see of the records of the source *name*; None without rules."""
        if self._views is None:
            return None
        from datasources.secured_records import VisibleRecords

        views = [view for view in self._views.values() if view.source == name]
        source = self._definition.datasources[name]
        nulls = source.null_values if source.kind == "file" else ()
        return VisibleRecords(views, self._options.locale, nulls)

    def _read(self, name: str, source: Source) -> Sequence[RawBand]:
        from datasources.memory import bands_from

        match source.kind:
            case "file":
                return self._read_file(name, source)
            case "inline":
                from datasources.inline_numbers import plain_records

                return bands_from(plain_records(source.records), name, self._options_of(name))
            case "memory":
                return bands_from(self._frame(source), name, self._options_of(name))
            case "sql":
                return (self._read_sql(name, source),)

    def _options_of(self, name: str) -> ReadOptions:
        return replace(self._options, visible=self._visible(name))

    def _read_file(self, name: str, source: FileSource) -> Sequence[RawBand]:
        from datasources.load import Argument, read_bands

        root = self._root(source)
        options = replace(
            self._options_of(name),
            header=source.header,
            column_names=source.columns,
            delimiter=source.delimiter,
            encoding=source.encoding,
            null_values=source.null_values,
            totals=source.totals,
        )
        path = locate(root, source.path, self._values)
        try:
            return read_bands([Argument(name, path)], options)
        except SourceError as error:
            # Where the root lies is the operator's business.
            error.message = error.message.replace(f"{root}/", "").replace(str(root), source.root)
            raise

    def _root(self, source: FileSource) -> Path:
        from datasources.suggestion import remedy

        root = self._roots.get(source.root)
        if root is None:
            raise SourceNotFound(
                f"There is no root {source.root} for files: {remedy(source.root, self._roots, noun='root')}",
                source=source.root,
            )
        try:
            return Path(root).resolve(strict=True)
        except (OSError, ValueError) as error:
            raise SourceNotFound(
                f"The folder of the root {source.root} is not there: correct the root.", source=source.root
            ) from error

    def _frame(self, source: MemorySource) -> object:
        from datasources.suggestion import remedy

        if source.name not in self._frames:
            raise SourceNotFound(
                f"No frame {source.name} was handed in: {remedy(source.name, self._frames, noun='frame')}",
                source=source.name,
            )
        return self._frames[source.name]

    def _read_sql(self, name: str, source: SqlSource) -> RawBand:
        from datasources.sql import SqlLimits, read_sql

        if self._connections is None:
            raise SourceNotFound(
                f"It needs the connection {source.connection}, and no connections are given: "
                "name their file with --connections FILE, or in Python pass connections=load_connections(FILE).",
                source=source.connection,
            )
        limits = SqlLimits(seconds=self._timeout_s)
        band = read_sql(
            source, name, self._values, self._connections, limits=limits, visible=self._visible(name)
        )
        return replace(band, locale=band.locale or self._options.locale)


# ---- files under a root ----


def locate(root: Path, template: str, values: ParameterValues) -> str:
    """
    The path below *root* (resolved) that *template* stands for, its parameters replaced, whole segments each.

    It may be a file, a folder or a pattern of parts. Raises SourceForbidden for whatever leads out of the root,
    also by a link, and SourceOptionError for a value that is not among its parameter's options.
    """
    plain, pattern = [], []
    for segment in template.split("/"):
        text = _segment(segment, values)
        plain.append(text)
        # What a reader chose is never a pattern, whatever its characters.
        pattern.append(segment if text == segment else glob.escape(text))
    path = root.joinpath(*plain)
    if path.is_symlink() or path.exists():
        _check_inside(root, [path])
        if path.is_dir():
            _check_inside(root, path.iterdir())
        return str(path)
    parts = glob.escape(str(root)) + "/" + "/".join(pattern)
    found = glob.glob(parts)
    _check_inside(root, map(Path, found) if found else _standing(path))
    return parts if found else str(path)


def _segment(segment: str, values: ParameterValues) -> str:
    from datasources.elements import PLACEHOLDER

    match = PLACEHOLDER.fullmatch(segment)
    if match is None:
        text = segment
    else:
        chosen = values[match[1]]
        if not isinstance(chosen.value, str) or chosen.value not in (chosen.parameter.options or ()):
            raise SourceOptionError(
                f"The path needs a value for {match[1]} that is among its options: choose one.",
                source=segment,
            )
        text = chosen.value
    # The definition was checked for this, but the last word before the disk is said here.
    if text in ("", ".", "..") or "/" in text or "\\" in text or "\0" in text:
        raise SourceForbidden(
            "A path may only go down from its root, one plain name after the other.", source=segment
        )
    return text


def _standing(path: Path) -> Iterable[Path]:
    """The nearest folder of *path* that is there: what is missing below it is missing inside or outside."""
    return [next(parent for parent in path.parents if parent.exists())]


def _check_inside(root: Path, paths: Iterable[Path]) -> None:
    for path in paths:
        try:
            real = path.resolve()
            leads_nowhere = path.is_symlink() and not path.exists()
        except (OSError, RuntimeError) as error:  # links in a circle, in some versions of Python
            raise _nowhere(path) from error
        if leads_nowhere:
            raise _nowhere(path)
        if not real.is_relative_to(root):
            raise SourceForbidden(
                f"{path.name} leads out of its root by a link: put the file itself there.", source=path.name
            )


def _nowhere(path: Path) -> SourceForbidden:
    return SourceForbidden(f"{path.name} is a link that leads nowhere: correct it.", source=path.name)
