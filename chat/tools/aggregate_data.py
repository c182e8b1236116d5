"""`sulfite_aggregate_data`: one exact value, over all rows or those of a filter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import BeforeValidator

from chat.tools.answers import numbered, refused, sentences, upper
from chat.tools.base import Arguments, Conversation, Tool
from chat.tools.filters import WireFilter, filter_value
from chat.tools.wire import Value, value_of
from engine.query.aggregate import AggregateAnswer, aggregate
from engine.query.questions import Aggregate, Verb


class AggregateArguments(Arguments):
    """What is asked."""

    verb: Annotated[Verb, BeforeValidator(upper)]
    field: str | None = None
    band: str | None = None
    filter: WireFilter | None = None


class AggregateData(Tool[AggregateArguments]):
    """SUM, AVG, COUNT, MIN, MAX, DISTINCT, MEDIAN, STDDEV or SHARE of a field."""

    name: ClassVar[str] = "sulfite_aggregate_data"
    arguments = AggregateArguments

    def answer(self, conversation: Conversation, arguments: AggregateArguments) -> Mapping[str, Value]:
        """The value, its rows and its fact."""
        question = Aggregate(arguments.band, arguments.verb, arguments.field, arguments.filter)
        return shown(aggregate(conversation.session, question), conversation)

    def refusal(self, given: Mapping[str, object], note: str) -> Mapping[str, Value]:
        """The seed's answer to a field that does not exist, and to all else that cannot be answered."""
        return refused(given, note)


def shown(answer: AggregateAnswer, conversation: Conversation) -> dict[str, Value]:
    """An aggregate as the wire has it, its fact in the ledger."""
    fact = numbered(conversation, answer.fact)
    return {
        "verb": answer.verb,
        "field": answer.field,
        "result": value_of(fact),
        "note": sentences(answer.notes, conversation.language),
        "band": answer.band,
        "filter": filter_value(answer.where),
        "rows": answer.rows,
        "fact": fact.id if fact else None,
    }
