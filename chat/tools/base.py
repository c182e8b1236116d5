"""What every tool is: a name on the wire, arguments of one shape, and an answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from chat.tools.wire import Value
from engine.fact_ledger import FactLedger
from engine.notes import Language
from engine.query.session import QuerySession


class Arguments(BaseModel):
    """The arguments of a tool: nothing but what is named, and nothing that turns into something else."""

    model_config = ConfigDict(frozen=True, extra="forbid")


A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class Conversation:
    """What the tools of one conversation share."""

    session: QuerySession
    ledger: FactLedger
    language: Language


class Tool(ABC, Generic[A]):
    """One tool."""

    name: ClassVar[str]
    """On the wire."""
    arguments: type[A]

    @abstractmethod
    def answer(self, conversation: Conversation, arguments: A) -> Mapping[str, Value]:
        """The answer, with its facts in the ledger; raises QueryError for what cannot be answered."""

    @abstractmethod
    def refusal(self, given: Mapping[str, object], note: str) -> Mapping[str, Value]:
        """The answer to arguments of any kind that cannot be answered; *note* says why."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a model is told about a tool."""

    text: str
    arguments: Mapping[str, str]
    """By name."""


@cache
def description_of(name: str) -> Description:
    """
    The description in `descriptions/NAME.txt`.

    Lines up to the first empty one say what the tool is for; each line after it describes one argument, as
    `name: text`.
    """
    from importlib.resources import files

    text = files("chat.tools").joinpath(f"descriptions/{name}.txt").read_text(encoding="utf-8")
    about, _, listed = text.partition("\n\n")
    arguments = {}
    for line in listed.splitlines():
        argument, colon, described = line.partition(": ")
        if colon:
            arguments[argument.strip()] = described.strip()
    return Description(" ".join(about.split()), arguments)


def schema_of(tool: Tool[Any]) -> dict[str, Any]:
    """The JSON Schema of the tool's arguments, with the descriptions of its text file."""
    whole = tool.arguments.model_json_schema()
    schema = _in_few_words(whole, whole.pop("$defs", {}))
    described = description_of(tool.name).arguments
    for name, part in schema["properties"].items():
        part["description"] = described[name]
    return schema  # type: ignore[no-any-return]


def _in_few_words(schema: Any, shared: Mapping[str, Any]) -> Any:
    """
    The same without what a model pays for and learns nothing from.

    Titles and docstrings are for programmers; that an argument may be null is said by its not being required;
    what is referred to stands in its place.
    """
    if isinstance(schema, list):
        return [_in_few_words(one, shared) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _in_few_words(shared[schema["$ref"].removeprefix("#/$defs/")], shared)
    options = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if len(options) == 1:
        return _in_few_words(options[0], shared)
    kept = {key: value for key, value in schema.items() if key not in ("title", "description", "default")}
    for key in kept.keys() & {"anyOf", "items", "additionalProperties"}:
        kept[key] = _in_few_words(kept[key], shared)
    if "properties" in kept:
        kept["properties"] = {name: _in_few_words(one, shared) for name, one in kept["properties"].items()}
    return kept
