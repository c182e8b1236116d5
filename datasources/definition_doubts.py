"""Says what a valid definition probably has wrong: parameters that change nothing, and files that are not there."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from datasources.base import DataWarning
from datasources.exceptions import Problem
from datasources.parameters import named
from datasources.placeholders import names_in

if TYPE_CHECKING:
    from datasources.connections import Connections
    from datasources.elements import FileSource, Parameter, ReportDefinition
    from datasources.parameters import ParameterValues


def idle_parameters(definition: ReportDefinition) -> tuple[Parameter, ...]:
    """
    The parameters that no datasource of a band has.

    None where the calling program hands a table in: it may have made it of what the reader chose.
    """
    read = {band.datasource for band in definition.bands} & definition.datasources.keys()
    used: set[str] = set()
    for name in read:
        source = definition.datasources[str(name)]
        match source.kind:
            case "memory":
                return ()
            case "file":
                used |= set(names_in(source.path))
            case "sql":
                used |= set(names_in(source.query))
            case "inline":
                pass
    return tuple(one for one in definition.parameters if one.id not in used)


def idle_warnings(definition: ReportDefinition, values: ParameterValues) -> list[DataWarning]:
    """A warning for each parameter that has a value, and changes nothing by it."""
    return [
        DataWarning("idle_parameter", _idle_sentence(one), sample=(values[one.id].text,))
        for one in idle_parameters(definition)
        if values[one.id].value is not None
    ]


def find_doubts(
    definition: ReportDefinition, roots: Mapping[str, Path], connections: Connections | None = None
) -> Iterator[Problem]:
    """What is doubtful about *definition*; files are looked for under those *roots* that are known."""
    for position, parameter in enumerate(definition.parameters):
        if parameter in idle_parameters(definition):
            yield Problem(f"parameters[{position}]", _idle_sentence(parameter))
    for name, source in definition.datasources.items():
        if source.kind == "file" and source.root in roots and not _is_there(roots[source.root], source):
            yield Problem(
                f"datasources.{name}.path",
                f"There is no {source.path} in the root {source.root}: put it there, or correct the path.",
            )
        elif source.kind == "sql" and connections is not None and source.connection in connections.named:
            path = connections.named[source.connection].path
            if path is not None and not path.exists():
                yield Problem(
                    f"datasources.{name}.connection",
                    f"The file of the connection {source.connection} is not there: correct its path.",
                )


def _idle_sentence(parameter: Parameter) -> str:
    return (
        f"The parameter {named(parameter)} is in no datasource of a band, so its value changes nothing: "
        f"write {{{{{parameter.id}}}}} in a query or a path, or leave it out."
    )


def _is_there(root: Path, source: FileSource) -> bool:
    """Whether anything is at the path; what a reader may choose stands for any name."""
    segments = ["*" if names_in(segment) else segment for segment in source.path.split("/")]
    plain = root.joinpath(*segments)
    return plain.exists() or any(glob.iglob(f"{glob.escape(str(root))}/{'/'.join(segments)}"))
