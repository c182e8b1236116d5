"""Reads what a person names on the command line: files, folders, patterns and standard input."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

from datasources.base import DataWarning, Lists, RawBand, Stream
from datasources.endings import COMPRESSED_NAMES, DATA_NAMES
from datasources.exceptions import (
    SourceError,
    SourceForbidden,
    SourceNotFound,
    SourceOptionError,
    SourceTooLarge,
    SourceUnreadable,
)
from datasources.options import MIB, ReadOptions

STANDARD_INPUT = "-"
BLOCK_BYTES = MIB
WILD = re.compile(r"[*?\[]")

# A band is read again for every pass, so what was spooled stays open as long as the process.
_SPOOLED: list[BinaryIO] = []


class Argument(NamedTuple):
    """A path with the name that its band shall have."""

    name: str
    path: str


def read_bands(arguments: Sequence[str | Argument], options: ReadOptions) -> tuple[RawBand, ...]:
    """
    Read every one of *arguments*, `NAME=PATH`, `PATH` or an `Argument`, in the order given.

    PATH is a file of any known kind (found by its content, not its name), a folder or a pattern of Parquet or
    text files that are parts of one band, or `-` for standard input. A name that comes twice gets `_2`, `_3`.
    Raises a SourceError that says what was found and what to do.
    """
    parsed = [parse_argument(one) if isinstance(one, str) else one for one in arguments]
    if sum(argument.path == STANDARD_INPUT for argument in parsed) > 1:
        raise SourceOptionError("Standard input can be read only once: name - a single time.", source="-")
    bands = [band for argument in parsed for band in _read(argument, options)]
    declared = (_declare(band, options) for band in bands)
    return unique_bands(tuple(declared))


def parse_argument(text: str) -> Argument:
    """
    Split `NAME=PATH`; a file that exists with the whole text as its name is a path.

    >>> parse_argument("vendas=dados/v.csv"), parse_argument("dados/vendas.csv.gz")
    (Argument(name='vendas', path='dados/v.csv'), Argument(name='vendas', path='dados/vendas.csv.gz'))
    """
    import glob

    name, equals, path = text.partition("=")
    if not equals or os.path.lexists(text) or (WILD.search(text) and glob.glob(text)):
        name, path = "", text
    elif not name.strip() or not path:
        raise SourceOptionError(
            f"{text!r} is neither NAME=PATH nor a path: write, say, vendas=vendas.csv.", source=text
        )
    if not path:
        raise SourceOptionError("A path is empty: give a file, a folder, a pattern or -.", source=text)
    return Argument(_text_of(name).strip() or _default_name(path), path)


def unique_bands(bands: Sequence[RawBand]) -> tuple[RawBand, ...]:
    """Give the second band of a name the name `name_2`, and so on, with a warning."""
    given = {band.name for band in bands}
    taken: set[str] = set()
    result = []
    for band in bands:
        name, number = band.name, 1
        while name in taken or (number > 1 and name in given):
            number += 1
            name = f"{band.name}_{number}"
        taken.add(name)
        result.append(band if name == band.name else _renamed(band, name))
    return tuple(result)


def _renamed(band: RawBand, name: str) -> RawBand:
    message = f"There is more than one band {band.name}; this one is called {name}."
    own = tuple(replace(warning, band=name) for warning in band.warnings)
    return replace(band, name=name, warnings=(*own, DataWarning("repeated_band", message, name)))


def _declare(band: RawBand, options: ReadOptions) -> RawBand:
    """Hand on what the caller declared, where the reader has not."""
    locale = band.locale or options.locale
    nulls = band.null_values or options.null_values
    if (locale, nulls) == (band.locale, band.null_values):
        return band
    return replace(band, locale=locale, null_values=nulls)


def _default_name(path: str) -> str:
    if path == STANDARD_INPUT:
        return "stdin"
    if WILD.search(path) and not os.path.lexists(path):
        folder, last = os.path.split(path)
        text = WILD.split(last)[0].rstrip("_-. ") or os.path.basename(os.path.abspath(folder))
    else:
        text = os.path.basename(os.path.abspath(path))
    for endings in (COMPRESSED_NAMES, DATA_NAMES):
        stem, ending = os.path.splitext(text)
        if stem and ending.lower() in endings:
            text = stem
    return _text_of(text).strip() or "data"


def _text_of(words: str) -> str:
    """Words of the command line are bytes, read as UTF-8 in every locale; what is no text cannot stand in a prompt."""
    return os.fsencode(words).decode("utf-8", "replace")


def _read(argument: Argument, options: ReadOptions) -> tuple[RawBand, ...]:
    if argument.path == STANDARD_INPUT:
        if sys.stdin is None:
            raise SourceNotFound("Standard input is closed: give a file.", source=STANDARD_INPUT)
        return _read_spooled(sys.stdin.buffer, argument.name, options, "Standard input")
    path = Path(argument.path)
    try:
        mode = path.stat().st_mode
    except PermissionError as error:
        raise _forbidden(path) from error
    except (OSError, ValueError) as error:  # a NUL in it, or too long
        if WILD.search(argument.path):
            return _read_pattern(argument, options)
        raise _not_found(path) from error
    if stat.S_ISDIR(mode):
        return _read_folder(path, argument.name, options)
    if stat.S_ISFIFO(mode):
        with _opened(path) as pipe:
            return _read_spooled(pipe, argument.name, options, path.name)
    if not stat.S_ISREG(mode):
        raise _no_file(path)
    return _read_file(path, argument.name, options)


def _read_file(path: Path, name: str, options: ReadOptions) -> tuple[RawBand, ...]:
    """Read one regular file with the reader of its kind."""
    from datasources.kinds import kind_of

    try:
        size = path.stat().st_size
        if size > options.bytes_max:
            raise SourceTooLarge(
                f"{path.name} has {size:,} bytes, more than the limit of {options.bytes_max:,} (bytes_max).",
                source=str(path),
            )
        match kind_of(path, options):
            case "parquet":
                from datasources.parquet import read_parquet

                return (read_parquet([path], name, options),)
            case "arrow":
                from datasources.arrow import read_arrow

                return (read_arrow(path, name, options),)
            case "workbook":
                from datasources.excel import read_workbook

                return read_workbook(path, name, options)
            case "json":
                from datasources.json import read_json

                return read_json(path, name, options)
            case "text":
                from datasources.csv import read_text

                return (read_text(path, name, options),)
    except PermissionError as error:
        raise _forbidden(path) from error
    except FileNotFoundError as error:
        raise _not_found(path) from error
    except OSError as error:  # a disk or network that fails
        raise SourceUnreadable(
            f"{path.name} cannot be read ({error.strerror or error}): copy it anew.", source=str(path)
        ) from error
    except SourceError as error:
        error.source = error.source or str(path)
        raise


def _read_pattern(argument: Argument, options: ReadOptions) -> tuple[RawBand, ...]:
    import glob

    parts = sorted(Path(found) for found in glob.glob(argument.path) if not os.path.isdir(found))
    if not parts:
        raise SourceNotFound(
            f"No file fits the pattern {argument.path}: check it, and quote it against the shell.",
            source=argument.path,
        )
    return _read_parts(parts, argument.name, options)


def _read_folder(folder: Path, name: str, options: ReadOptions) -> tuple[RawBand, ...]:
    try:
        entries = sorted(folder.iterdir())
        parts = [entry for entry in entries if _is_part(entry) and not entry.is_dir()]
    except PermissionError as error:
        raise _forbidden(folder) from error
    if not parts:
        folders = [entry.name for entry in entries if entry.is_dir()]
        hint = (
            f"name one of its folders, such as {folders[0]}" if folders else "give a folder with data files"
        )
        raise SourceNotFound(
            f"The folder {folder.name or folder} holds no data files: {hint}.", source=str(folder)
        )
    return _read_parts(parts, name, options)


def _is_part(path: Path) -> bool:
    """Whether *path* is data: what starts with `_` or `.` is not, nor what is named otherwise."""
    name = path.name.lower()
    if name.startswith(("_", ".")):
        return False
    for ending in COMPRESSED_NAMES:
        name = name.removesuffix(ending)
    return name.endswith(DATA_NAMES)


def _read_parts(parts: Sequence[Path], name: str, options: ReadOptions) -> tuple[RawBand, ...]:
    """Read *parts* as one band, in the order of their names."""
    from datasources.kinds import kind_of

    missing = next((part for part in parts if not part.is_file()), None)
    if missing is not None:
        # A link that leads nowhere, or a pipe: leaving it out would lose its rows.
        raise _not_found(missing) if not missing.exists() else _no_file(missing)
    if len(parts) == 1:
        return _read_file(parts[0], name, options)
    kinds = {}
    for part in parts:
        try:
            kinds[part] = kind_of(part, options)
        except PermissionError as error:
            raise _forbidden(part) from error
    first = kinds[parts[0]]
    other = next((part for part in parts if kinds[part] != first), None)
    if other is not None:
        raise SourceUnreadable(
            f"{parts[0].name} is {first} but {other.name} is {kinds[other]}: give parts of one kind,"
            " or name the files one by one.",
            source=str(other),
        )
    if first == "parquet":
        from datasources.parquet import read_parquet

        return (read_parquet(parts, name, options),)
    if first != "text":
        raise SourceUnreadable(
            f"{parts[0].name} and {len(parts) - 1} more are {first} files, which cannot be parts of one band:"
            " name the files one by one.",
            source=str(parts[0]),
        )
    bands = [band for part in parts for band in _read_file(part, name, options)]
    return (_join(_without_inner_totals(bands, options), parts),)


def _without_inner_totals(bands: Sequence[RawBand], options: ReadOptions) -> Sequence[RawBand]:
    """Each part has totals of its own; those at the edges of the whole band go with what a viewer may not see."""
    if options.visible is None or options.totals in (None, "none"):
        return bands
    from datasources.secured import without_edges

    has_first, has_last = options.totals in ("first", "both"), options.totals in ("last", "both")
    end = len(bands) - 1
    return [
        replace(band, cells=without_edges(band.cells, has_first and at > 0, has_last and at < end))
        for at, band in enumerate(bands)
    ]


def _join(bands: Sequence[RawBand], parts: Sequence[Path]) -> RawBand:
    first = bands[0]
    for band, part in zip(bands, parts, strict=True):
        if band.columns != first.columns:
            raise SourceUnreadable(
                f"{part.name} has other columns than {parts[0].name} ({_difference(band, first)}):"
                " give files of the same columns, or name them one by one.",
                source=str(part),
            )
    return replace(
        first,
        cells=_join_cells([band.cells for band in bands]),
        notes=tuple(note for band in bands for note in band.notes),
        warnings=tuple(warning for band in bands for warning in band.warnings),
    )


def _difference(band: RawBand, first: RawBand) -> str:
    missing = [name for name in first.columns if name not in band.columns]
    extra = [name for name in band.columns if name not in first.columns]
    said = [f"it lacks {', '.join(missing[:3])}"] if missing else []
    said += [f"it has {', '.join(extra[:3])} besides"] if extra else []
    return " and ".join(said) or "in another order"


def _join_cells(cells: Sequence[Lists | Stream]) -> Lists | Stream:
    lists = [part for part in cells if isinstance(part, Lists)]
    if len(lists) == len(cells):
        columns = zip(*(part.columns for part in lists), strict=True)
        return Lists(
            tuple([cell for piece in pieces for cell in piece] for pieces in columns),
            sum(part.rows for part in lists),
        )
    from datasources.arrow import ChainedStream, stream_of

    return ChainedStream(tuple(stream_of(part) for part in cells))


def _read_spooled(pipe: BinaryIO, name: str, options: ReadOptions, called: str) -> tuple[RawBand, ...]:
    """Read what can be read only once, by way of a temporary file without a name."""
    from datasources.temporary import temporary_copy

    size = 0
    with temporary_copy(called) as spooled:  # it stays open, see _SPOOLED
        while block := pipe.read(BLOCK_BYTES):
            size += len(block)
            if size > options.bytes_max:
                raise SourceTooLarge(
                    f"{called} has more than the limit of {options.bytes_max:,} bytes (bytes_max).",
                    source=called,
                )
            spooled.write(block)
    path = Path(f"/dev/fd/{spooled.fileno()}")
    try:
        bands = _read_file(path, name, options)
    except SourceError as error:
        spooled.close()
        message = re.sub(rf"^{path.name}\b", called, error.message)
        raise type(error)(message, source=called) from error
    _SPOOLED.append(spooled)
    return bands


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except PermissionError as error:
        raise _forbidden(path) from error


def _forbidden(path: Path) -> SourceForbidden:
    return SourceForbidden(f"{path.name or path} may not be read: ask for the permission.", source=str(path))


def _no_file(path: Path) -> SourceUnreadable:
    return SourceUnreadable(
        f"{path.name} is a device, not a file: give a file, or - for standard input.", source=str(path)
    )


def _not_found(path: Path) -> SourceNotFound:
    if path.is_symlink():
        return SourceNotFound(
            f"{path.name} is a link to {os.readlink(path)}, where no file is: correct the link.",
            source=str(path),
        )
    if "://" in str(path) or ":/" in str(path):
        return SourceNotFound(
            f"{path} is an address, and only files are read: download it first.", source=str(path)
        )
    folder = path.parent
    if not folder.is_dir():
        return SourceNotFound(
            f"There is no folder {folder} for {path.name}: check the path.", source=str(path)
        )
    import difflib

    near = difflib.get_close_matches(path.name, _names_in(folder), n=1, cutoff=0.6)
    hint = f"did you mean {near[0]}" if near else "check the path"
    end = "?" if near else "."
    return SourceNotFound(f"There is no file {path.name}: {hint}{end}", source=str(path))


def _names_in(folder: Path) -> Iterable[str]:
    try:
        return sorted(os.listdir(folder))[:10_000]
    except OSError:  # what may not be listed has no suggestion
        return ()
