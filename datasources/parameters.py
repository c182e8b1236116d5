"""Resolves what a reader chose into the values of a report's parameters: checked, converted, in declared order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from datasources.conversions import Converted, Misfit, canonical, convert
from datasources.exceptions import DefinitionError, ParameterError, Problem
from datasources.suggestion import found_text, remedy

if TYPE_CHECKING:
    from datasources.elements import Parameter, ReportDefinition

Origin = Literal["given", "default", "unset"]
"""Whether the reader chose the value, the definition's default stands in for it, or there is none."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The value of one parameter in one run of a report."""

    parameter: Parameter
    value: Converted
    """Of the parameter's type, a multiselect's options as a tuple in declared order; None when unset."""
    text: str
    """The value's one full text, such as `2026-01-01`, `1234.5` or `A, B`; empty when unset."""
    source: Origin


@dataclass(frozen=True, slots=True)
class ParameterValues:
    """The values of all parameters that a definition declares, by id and in its order."""

    values: Mapping[str, Resolved]

    def __getitem__(self, name: str) -> Resolved:
        return self.values[name]

    def __iter__(self) -> Iterator[Resolved]:
        return iter(self.values.values())

    def __len__(self) -> int:
        return len(self.values)


def resolve(definition: ReportDefinition, given: Mapping[str, object]) -> ParameterValues:
    """
    The values of the parameters of *definition*, from what a client sent.

    An empty text, an empty list and null are unset; a default stands in for what is unset.
    Raises ParameterError with everything that is unknown, missing or of another type, and DefinitionError
    when a default does not fit its own parameter.
    """
    declared = {parameter.id: parameter for parameter in definition.parameters}
    problems = [_unknown(name, declared) for name in given if name not in declared]
    values: dict[str, Resolved] = {}
    for parameter in definition.parameters:
        try:
            value = convert(parameter, given.get(parameter.id), definition.locale)
        except Misfit as misfit:
            problems.append(Problem(parameter.id, f"{named(parameter)} {misfit}"))
            continue
        resolved = _resolved(parameter, value, definition)
        if resolved.value is None and parameter.required:
            problems.append(Problem(parameter.id, f"{named(parameter)} is required: give it a value."))
        values[parameter.id] = resolved
    if problems:
        raise ParameterError(problems, source=definition.id)
    return ParameterValues(MappingProxyType(values))


def named(parameter: Parameter) -> str:
    """How messages call a parameter: its id, and its label where it has one."""
    return f"{parameter.id} ({parameter.label})" if parameter.label else parameter.id


def check_default(parameter: Parameter, locale: str | None) -> str | None:
    """What is wrong with the default of *parameter*, or None."""
    try:
        convert(parameter, parameter.default_value, locale)
    except Misfit as misfit:
        return f"the default {misfit}"
    return None


def _resolved(parameter: Parameter, value: Converted, definition: ReportDefinition) -> Resolved:
    if value is not None:
        return Resolved(parameter, value, canonical(value), "given")
    try:
        default = convert(parameter, parameter.default_value, definition.locale)
    except Misfit as misfit:
        path = f"parameters[{definition.parameters.index(parameter)}].defaultValue"
        raise DefinitionError([Problem(path, f"the default {misfit}")], source=definition.id) from misfit
    return Resolved(parameter, default, canonical(default), "unset" if default is None else "default")


def _unknown(name: object, declared: Mapping[str, Parameter]) -> Problem:
    if not isinstance(name, str):
        return Problem("", f"There is no parameter {found_text(name)}: the id of a parameter is a text.")
    if not declared:
        return Problem(name, f"There is no parameter {found_text(name)}: this report takes none.")
    return Problem(
        name, f"There is no parameter {found_text(name)}: {remedy(name, declared, noun='parameter')}"
    )
