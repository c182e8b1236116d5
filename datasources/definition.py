"""Reads and writes the JSON document of a report definition, and says everything that is wrong with it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from datasources import placeholders
from datasources.access_problems import access_problems
from datasources.conversions import DIGITS_MAX
from datasources.definition_problems import problems_of
from datasources.elements import (
    AggregateElement,
    BandDefinition,
    InlineSource,
    Parameter,
    ReportDefinition,
    TextElement,
)
from datasources.exceptions import (
    DefinitionError,
    Problem,
    SourceForbidden,
    SourceNotFound,
    SourceTooLarge,
    SourceUnreadable,
    cause_of,
)
from datasources.inline_numbers import inexact_numbers
from datasources.parameters import check_default
from datasources.suggestion import found_text, remedy

BYTES_MAX = 64 * 1024 * 1024
"""Of one document; records in it belong into a file long before."""
DEPTH_MAX = 100
"""How deep lists and objects may stand in each other."""
INTEGER_CHARS_MAX = 4_000
"""Longer integers are none: Python reads no more digits without being asked to."""
LINE_CHARS = 100
"""A list or object that fits into a line of so many characters is written on one."""

_locale = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*").fullmatch
_ADDING_ROLES = frozenset({"measure", "%", "rate"})


def read_definition(path: Path | str) -> ReportDefinition:
    """Read the definition in the file *path*; raises SourceError where it cannot, DefinitionError where it is wrong."""
    return parse_definition(read_document(Path(path)), source=Path(path).name)


def read_document(path: Path) -> bytes:
    """The bytes of the document in the file *path*, which is a regular one of bounded size."""
    try:
        if not path.is_file():
            raise SourceNotFound(f"There is no file {path}: check the path.", source=str(path))
        size = os.stat(path).st_size
        if size > BYTES_MAX:
            raise SourceTooLarge(
                f"{path.name} has {size:,} bytes, and a definition at most {BYTES_MAX:,}:"
                " put its records into a file.",
                source=str(path),
            )
        return path.read_bytes()
    except PermissionError as error:
        raise SourceForbidden(
            f"{path.name} may not be read: ask for the permission.", source=str(path)
        ) from error
    except FileNotFoundError as error:  # gone since
        raise SourceNotFound(f"There is no file {path}: check the path.", source=str(path)) from error
    except (OSError, ValueError) as error:  # a disk that fails; a NUL in the path
        raise SourceUnreadable(
            f"{path.name} cannot be read ({cause_of(error)}): check the path, and the disk.", source=str(path)
        ) from error


def parse_definition(document: str | bytes, *, source: str = "") -> ReportDefinition:
    """
    The definition that *document* is; *source* names it in messages.

    Raises DefinitionError with everything that was found.
    """
    data = parse_json(document, source)
    try:
        definition = ReportDefinition.model_validate(data)
    except ValidationError as error:
        raise DefinitionError(problems_of(error, data), source=source) from error
    check(definition, source=source)
    return definition


def check(definition: ReportDefinition, *, source: str = "") -> None:
    """Raise DefinitionError unless the parts of *definition* fit each other."""
    problems = tuple(_find_problems(definition))
    if problems:
        raise DefinitionError(problems, source=source or definition.id)


def parse_json(document: str | bytes, source: str = "") -> Any:
    """
    Parse JSON strictly, numbers with a fraction as exact Decimals.

    Raises DefinitionError for what is no JSON, for NaN, for a key that stands twice, and for too deep a nesting.
    """
    try:
        text = document.decode("utf-8-sig") if isinstance(document, bytes) else document
        data = json.loads(
            text,
            parse_float=_number,
            parse_int=_whole_number,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique_keys,
        )
    except UnicodeDecodeError as error:
        raise _no_json("it is not UTF-8: save it as UTF-8", source) from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _no_json(
            f"it is not well-formed JSON at {where} ({error.msg[:1].lower()}{error.msg[1:]})", source
        ) from error
    except RecursionError as error:
        raise _no_json(f"it is nested more than {DEPTH_MAX} levels deep", source) from error
    except _Refused as error:
        raise _no_json(str(error), source) from error
    if _is_deeper(data, DEPTH_MAX):
        raise _no_json(f"it is nested more than {DEPTH_MAX} levels deep", source)
    return data


def _number(text: str) -> Decimal:
    """A number with a fraction or an exponent; one past all bounds as infinite, which its place refuses."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return Decimal("Infinity")
    # Written out, the zeros of 0e99999 would fill a page.
    return value if value or abs(int(value.as_tuple().exponent)) <= DIGITS_MAX else Decimal(0)


def _whole_number(text: str) -> int | Decimal:
    """An integer; one of thousands of digits, which Python would not read, as what its place refuses by its path."""
    return int(text) if len(text) <= INTEGER_CHARS_MAX else Decimal(text)


class _Refused(ValueError):
    """JSON of a kind that a definition does not take."""


def _refuse_constant(name: str) -> Any:
    raise _Refused(f"{name} is not a number in JSON")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Refused(f"the key {found_text(twice)} stands twice in one object")
    return data


def _is_deeper(data: Any, levels: int) -> bool:
    parts = [data]
    for _ in range(levels):
        below = [
            list(part.values()) if isinstance(part, dict) else part
            for part in parts
            if isinstance(part, dict | list)
        ]
        parts = [part for children in below for part in children]
    return any(isinstance(part, dict | list) for part in parts)


def _no_json(said: str, source: str) -> DefinitionError:
    return DefinitionError([Problem("", f"{said}.")], source=source)


# What one part of a definition says of another


def _find_problems(definition: ReportDefinition) -> Iterator[Problem]:
    if definition.locale is not None and not _locale(definition.locale):
        yield Problem(
            "locale", f"found {found_text(definition.locale)}; allowed is a code such as pt-BR or en-US."
        )
    yield from _repeated("parameters", "id", (one.id for one in definition.parameters))
    for index, parameter in enumerate(definition.parameters):
        yield from _parameter_problems(f"parameters[{index}]", parameter, definition.locale)
    yield from placeholders.find_problems(definition)
    for name, source in definition.datasources.items():
        if isinstance(source, InlineSource):
            yield from inexact_numbers(f"datasources.{name}.records", source.records)
    yield from _repeated("bands", "name", (one.name for one in definition.bands))
    for index, band in enumerate(definition.bands):
        yield from _band_problems(f"bands[{index}]", band, definition)
    yield from _repeated("aggregates", "id", (one.id for one in definition.aggregates))
    for index, aggregate in enumerate(definition.aggregates):
        yield from _aggregate_problems(f"aggregates[{index}]", aggregate, definition)
    yield from access_problems(definition)


def _repeated(path: str, key: str, names: Iterable[str]) -> Iterator[Problem]:
    """A problem for each name that stands earlier in the list too."""
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        if name in first:
            own = "name" if key else "text"
            yield Problem(
                f"{path}[{index}]{f'.{key}' if key else ''}",
                f"found {found_text(name)}, which {path}[{first[name]}] is too; each needs a {own} of its own.",
            )
        first.setdefault(name, index)


def _parameter_problems(path: str, parameter: Parameter, locale: str | None) -> Iterator[Problem]:
    options = parameter.options or ()
    yield from _repeated(f"{path}.options", "", options)
    for index, option in enumerate(options):
        if not option.strip():
            yield Problem(f"{path}.options[{index}]", "found an empty text, which means unset; leave it out.")
    wrong = check_default(parameter, locale)
    if wrong is not None:
        yield Problem(f"{path}.defaultValue", wrong)


def _band_problems(path: str, band: BandDefinition, definition: ReportDefinition) -> Iterator[Problem]:
    yield from _repeated(f"{path}.fields", "name", (field.name for field in band.fields))
    for index, field in enumerate(band.fields):
        if field.type not in (None, "number") and field.role in _ADDING_ROLES:
            yield Problem(
                f"{path}.fields[{index}].role",
                f"found {found_text(field.role)} of a field of type {field.type}; that is a role of numbers.",
            )
    if band.datasource is None:
        drawn = [index for index, one in enumerate(band.elements) if not isinstance(one, TextElement)]
        if drawn or band.fields:
            where = f"{path}.elements[{drawn[0]}]" if drawn else f"{path}.fields"
            yield Problem(where, "the band has no datasource, so it has no fields; give it a datasource.")
    elif band.datasource not in definition.datasources:
        known = definition.datasources
        yield Problem(
            f"{path}.datasource",
            f"found {found_text(band.datasource)}: {remedy(band.datasource, known, noun='datasource declared')}",
        )


def _aggregate_problems(
    path: str, aggregate: AggregateElement, definition: ReportDefinition
) -> Iterator[Problem]:
    bands = {band.name: band for band in definition.bands}
    band = bands.get(aggregate.band)
    if band is None:
        yield Problem(
            f"{path}.band",
            f"found {found_text(aggregate.band)}: {remedy(aggregate.band, bands, noun='band')}",
        )
    elif band.datasource is None:
        yield Problem(
            f"{path}.band", f"found {found_text(band.name)}, a band without a datasource; it has no rows."
        )


# Writing


def definition_text(definition: ReportDefinition) -> str:
    """
    The document of *definition*: what it states, in the order of the models, ending in a line break.

    Parsing it gives *definition* back; equal definitions give equal bytes.
    """
    # A model that was changed without checks is written as it stands: reading it back is what refuses it.
    data = definition.model_dump(mode="python", by_alias=True, exclude_defaults=True, warnings=False)
    return _written({"format": definition.format, **data}, "") + "\n"


def _written(value: Any, indent: str) -> str:
    """JSON with exact numbers: on one line where it is short, else one entry a line."""
    line = _on_one_line(value)
    if len(indent) + len(line) <= LINE_CHARS or not value or not isinstance(value, dict | list | tuple):
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        entries = [f"{inner}{_quoted(key)}: {_written(one, inner)}" for key, one in value.items()]
        return "{\n" + ",\n".join(entries) + f"\n{indent}}}"
    return "[\n" + ",\n".join(f"{inner}{_written(one, inner)}" for one in value) + f"\n{indent}]"


def _on_one_line(value: Any) -> str:
    match value:
        case dict():
            entries = ", ".join(f"{_quoted(key)}: {_on_one_line(one)}" for key, one in value.items())
            return f"{{{entries}}}"
        case list() | tuple():
            return f"[{', '.join(map(_on_one_line, value))}]"
        case Decimal():
            return str(value)
        case _:
            return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


@cache
def schema_text() -> str:
    """The JSON Schema of definitions, indented, ending in a line break."""
    return json.dumps(ReportDefinition.model_json_schema(), indent=2, ensure_ascii=False) + "\n"
