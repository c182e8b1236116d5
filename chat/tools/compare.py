"""`sulfite_compare`: the same value of two filters or periods, their difference and the growth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, PlainValidator, WithJsonSchema

from chat.tools.answers import numbered, refused, sentences, upper
from chat.tools.base import Arguments, Conversation, Tool
from chat.tools.filters import SCHEMA, filter_value, read_filter
from chat.tools.wire import Value, value_of
from datasources.filters import Filter
from engine.fact import Fact
from engine.query.aggregate import AggregateAnswer
from engine.query.compare import CompareAnswer, compare
from engine.query.questions import Compare, Verb


def _read_a(given: object) -> Filter | str:
    return given if isinstance(given, str) else read_filter(given, "a")


def _read_b(given: object) -> Filter | str:
    return given if isinstance(given, str) else read_filter(given, "b")


_SIDE = WithJsonSchema({"anyOf": [{"type": "string"}, SCHEMA]})


class CompareArguments(Arguments):
    """What is asked."""

    verb: Annotated[Verb, BeforeValidator(upper)]
    field: str | None = None
    band: str | None = None
    a: Annotated[Any, PlainValidator(_read_a), _SIDE]
    """A filter, or a period such as `2026-04` of the band's one date."""
    b: Annotated[Any, PlainValidator(_read_b), _SIDE]


class CompareTool(Tool[CompareArguments]):
    """A verb of a field, of two sets of rows."""

    name: ClassVar[str] = "sulfite_compare"
    arguments = CompareArguments

    def answer(self, conversation: Conversation, arguments: CompareArguments) -> Mapping[str, Value]:
        """Both values, the difference and the growth, each with its fact."""
        question = Compare(arguments.band, arguments.verb, arguments.field, arguments.a, arguments.b)
        return shown(compare(conversation.session, question), conversation)

    def refusal(self, given: Mapping[str, object], note: str) -> Mapping[str, Value]:
        """What was asked, and why there is no result."""
        return refused(given, note)


def shown(answer: CompareAnswer, conversation: Conversation) -> dict[str, Value]:
    """A comparison as the wire has it, its facts in the ledger."""
    a, b = (numbered(conversation, one.fact) for one in (answer.a, answer.b))
    sources = tuple(fact.id for fact in (a, b) if fact is not None)
    language = conversation.language

    def derived(fact: Fact | None) -> Value:
        known = numbered(conversation, None if fact is None else replace(fact, sources=sources))
        return {"value": value_of(known), "fact": known.id if known else None}

    result: dict[str, Value] = {
        "a": _side_value(answer.a, a, language),
        "b": _side_value(answer.b, b, language),
        "difference": derived(answer.difference),
        "growth": derived(answer.growth),
    }
    return {
        "verb": answer.verb,
        "field": answer.field,
        "result": result,
        "note": sentences(answer.notes, language),
        "band": answer.band,
    }


def _side_value(answer: AggregateAnswer, fact: Fact | None, language: Any) -> dict[str, Value]:
    return {
        "value": value_of(fact),
        "filter": filter_value(answer.where),
        "rows": answer.rows,
        "fact": fact.id if fact else None,
        "note": sentences(answer.notes, language),
    }
