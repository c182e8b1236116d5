"""Finds the `{{parameter}}`s of a definition, and refuses everything else that looks like a template."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from datasources.elements import PLACEHOLDER, FileSource, Parameter, ReportDefinition, SqlSource
from datasources.exceptions import DefinitionError, Problem
from datasources.suggestion import found_text, remedy

_mark = re.compile(rf"(?P<placeholder>(?<!\{{){PLACEHOLDER.pattern}(?!\}}))|\{{\{{|\}}\}}|\{{%|\$\{{")
"""A placeholder, or what other template languages begin or end with. `{{{a}}}` is not ours either."""
_template = re.compile(r"\{\{|\{%").search
_unsafe_segment = re.compile(r"[/\\*?\[\]{}:\x00-\x1f\x7f]|^\.|^~|^$|\.$|^\s|\s$").search
"""What a path segment that a reader chooses may not have: separators, patterns, drives, hidden names."""
_control = re.compile(r"[\x00-\x1f\x7f]").search

SHOWN = 12
"""Characters of a hostile template that a message shows."""


def names_in(text: str) -> tuple[str, ...]:
    """
    The name of every placeholder of *text*, in order of appearance, each as often as it appears.

    >>> names_in("dt >= {{inicio}} AND dt <= {{ fim }} OR x = {{inicio}}")
    ('inicio', 'fim', 'inicio')
    """
    return tuple(match[1] for match in PLACEHOLDER.finditer(text))


def check(definition: ReportDefinition) -> None:
    """Raise DefinitionError unless file paths and queries hold only placeholders of declared parameters."""
    problems = tuple(find_problems(definition))
    if problems:
        raise DefinitionError(problems, source=definition.id)


def find_problems(definition: ReportDefinition) -> Iterator[Problem]:
    """Everything about templates and paths that is wrong with *definition*."""
    declared = {parameter.id: parameter for parameter in definition.parameters}
    for name, source in definition.datasources.items():
        match source:
            case FileSource():
                path = f"datasources.{name}.path"
                yield from _template_problems(path, source.path, declared)
                yield from _path_problems(path, source.path, declared)
            case SqlSource():
                yield from _template_problems(f"datasources.{name}.query", source.query, declared)
            case _:
                pass
    yield from _problems_elsewhere(definition)


def _problems_elsewhere(definition: ReportDefinition) -> Iterator[Problem]:
    """Templates where nothing is replaced: whoever wrote them believes that the reader's choice counts there."""
    document = definition.model_dump(
        by_alias=True, exclude={"datasources"}, exclude_none=True, warnings=False
    )
    for path, text in _texts("", document):
        match = _template(text)
        if match is not None:
            shown = found_text(text[match.start() : match.start() + SHOWN])
            remedy_here = (
                "compare with the parameter in the query of the datasource"
                if ".where" in path
                else "write the text itself"
            )
            yield Problem(
                path, f"found {shown}; parameters are replaced in paths and queries only: {remedy_here}."
            )


def _texts(path: str, node: object) -> Iterator[tuple[str, str]]:
    """Every text of a document, with its path."""
    if isinstance(node, str):
        yield path, node
    elif isinstance(node, Mapping):
        for key, value in node.items():
            yield from _texts(f"{path}.{key}" if path else str(key), value)
    elif isinstance(node, list | tuple):
        for index, value in enumerate(node):
            yield from _texts(f"{path}[{index}]", value)


def _template_problems(path: str, text: str, declared: Mapping[str, Parameter]) -> Iterator[Problem]:
    for match in _mark.finditer(text):
        if match["placeholder"] is None:
            shown = found_text(text[match.start() : match.start() + SHOWN])
            yield Problem(
                path, f"found {shown}; allowed is {{{{name}}}} with the id of a declared parameter."
            )
            return  # what follows is most likely the rest of the same template
        name = names_in(match.group())[0]
        if name not in declared:
            yield Problem(path, f"found {{{{{name}}}}}: {remedy(name, declared, noun='parameter declared')}")


def _path_problems(path: str, text: str, declared: Mapping[str, Parameter]) -> Iterator[Problem]:
    """A file's path is relative and goes down only; a parameter in it is a whole segment, from its options."""
    if _control(text):
        yield Problem(path, "found a control character; a path has none.")
    elif "\\" in text:
        yield Problem(path, f"found {found_text(text)}; separate folders by /.")
    elif text.startswith("/") or re.match(r"[A-Za-z]:", text) or text.startswith("~"):
        yield Problem(path, f"found {found_text(text)}; give a path below the root, without the root itself.")
    else:
        for segment in text.split("/"):
            yield from _segment_problems(path, segment, declared)


def _segment_problems(path: str, segment: str, declared: Mapping[str, Parameter]) -> Iterator[Problem]:
    if segment in ("", ".", ".."):
        yield Problem(path, f"found {found_text(segment)} as a segment; name each folder, and go down only.")
        return
    whole = PLACEHOLDER.fullmatch(segment)
    if whole is None:
        if names_in(segment):
            yield Problem(path, f"found {found_text(segment)}; in a path a parameter is a whole segment.")
        return
    parameter = declared.get(whole[1])
    if parameter is None:
        return  # said already
    if parameter.type != "select":
        yield Problem(
            path, f"{parameter.id} is of type {parameter.type}; in a path stands a parameter of type select."
        )
        return
    if not parameter.required and parameter.default_value in (None, ""):
        yield Problem(path, f"{parameter.id} may be unset; in a path it is required, or has a default.")
    for option in parameter.options or ():
        if _unsafe_segment(option):
            yield Problem(
                path,
                f"the option {found_text(option)} of {parameter.id} is not a plain name of a file or folder.",
            )
