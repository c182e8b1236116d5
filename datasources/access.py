"""Who asks for a report, and what is needed to show them only what they may see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from datasources.exceptions import (
    AccessError,
    DefinitionError,
    ParameterError,
    SourceError,
    SourceForbidden,
    SourceNotFound,
    SourceOptionError,
    SourceTimeout,
    SourceUnreadable,
)

if TYPE_CHECKING:
    from pathlib import Path

    from datasources.elements import ReportDefinition
    from datasources.filters import Condition
    from datasources.mask_key import MaskKey
    from datasources.row_rules import RuleColumn, Test

AttributeValue = str | int | bool | Decimal
CompileTest = Callable[["Condition", "RuleColumn"], "Test"]
"""What a condition means for one cell of a column: the engine's reading of filters, handed down."""

_KEYS = ("id", "workspace", "roles", "attributes")


@dataclass(frozen=True, slots=True)
class Viewer:
    """The person for whom a report is processed, as whoever knows them says."""

    id: str
    workspace: str
    roles: frozenset[str] = frozenset()
    attributes: Mapping[str, AttributeValue | tuple[AttributeValue, ...]] = field(default_factory=dict)
    """What the rules of reports compare with, such as `regioes`."""

    def __post_init__(self) -> None:
        # A view of a copy: what a caller changes later changes nobody's rights.
        object.__setattr__(self, "attributes", MappingProxyType(dict(self.attributes)))


@dataclass(frozen=True, slots=True)
class Access:
    """A viewer, the key of their workspace's masks, and the engine's reading of conditions."""

    viewer: Viewer
    compile_test: CompileTest
    key: MaskKey | None = None


def check_access(definition: ReportDefinition, viewer: Viewer | None) -> None:
    """
    Raise AccessError unless *viewer* may be shown *definition* at all.

    With access rules there must be a viewer. Without, a viewer is shown a public report only, and the program
    itself (no viewer) any.
    """
    if definition.access is not None and viewer is None:
        raise AccessError(
            f"The report {definition.id} has access rules: say for which viewer it is processed.",
            source=definition.id,
        )
    if definition.access is None and viewer is not None and not definition.public:
        raise AccessError(
            f"The report {definition.id} says nothing of who may see it: give it access rules, or make it public.",
            source=definition.id,
        )


def read_viewer(path: Path) -> Viewer:
    """The viewer in the JSON file *path*; raises SourceError where it cannot be read, AccessError where it is none."""
    from datasources.definition import read_document

    return parse_viewer(read_document(path), source=path.name)


def parse_viewer(document: str | bytes, *, source: str = "The viewer") -> Viewer:
    """
    The viewer that the JSON *document* is: `id`, `workspace`, and perhaps `roles` and `attributes`.

    Raises AccessError for what is no JSON, for unknown keys and for values of another kind.
    """
    from datasources.definition import parse_json

    try:
        data = parse_json(document, source)
    except DefinitionError as error:
        raise AccessError(error.message, source=source) from error
    if not isinstance(data, dict):
        raise _wrong(source, f"allowed is an object with {', '.join(_KEYS)}")
    for key in data:
        if key not in _KEYS:
            raise _wrong(source, f"“{key}” is not a key of it; allowed are {', '.join(_KEYS)}")
    return Viewer(
        _text(data, "id", source),
        _text(data, "workspace", source),
        frozenset(_roles(data.get("roles", []), source)),
        _attributes(data.get("attributes", {}), source),
    )


def _wrong(source: str, said: str) -> AccessError:
    return AccessError(f"{source} is not a viewer: {said}.", source=source)


def _text(data: Mapping[str, Any], key: str, source: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value.strip():
        raise _wrong(source, f"“{key}” must be a text that is not empty")
    return value


def _roles(value: Any, source: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise _wrong(source, "“roles” must be a list of texts")
    return value


def _attributes(value: Any, source: str) -> dict[str, AttributeValue | tuple[AttributeValue, ...]]:
    if not isinstance(value, dict):
        raise _wrong(source, "“attributes” must be an object")
    found: dict[str, AttributeValue | tuple[AttributeValue, ...]] = {}
    for name, one in value.items():
        values = one if isinstance(one, list) else [one]
        if not all(isinstance(each, str | int | Decimal) for each in values):
            raise _wrong(
                source, f"the attribute “{name}” must be a text, a number, true or false, or a list of them"
            )
        found[name] = tuple(values) if isinstance(one, list) else one
    return found


def name_source(error: SourceError, name: str) -> None:
    """Let *error* be one sentence that begins with the source that failed."""
    error.message = f"The datasource {name} could not be read: {error.message}"
    error.args = (error.message,)


STATIC_ERRORS = (
    DefinitionError,
    ParameterError,
    SourceForbidden,
    SourceNotFound,
    SourceOptionError,
    SourceTimeout,
)
"""What may be said to a viewer as it is: these tell of the report and of the machine, never of data."""


def without_data(error: SourceError, name: str) -> SourceError:
    """*error* as a viewer may read it: it names the source, and nothing that was found in it."""
    if isinstance(error, AccessError):
        return error
    if isinstance(error, STATIC_ERRORS):
        name_source(error, name)
        return error
    return SourceUnreadable(
        f"The datasource {name} could not be read: read it without a viewer to see why.", source=name
    )
