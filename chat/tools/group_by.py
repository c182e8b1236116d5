"""`sulfite_group_by`: one exact value a group, the first groups and the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from chat.tools.answers import group_value, numbered, refused, sentences, upper
from chat.tools.base import Arguments, Conversation, Tool
from chat.tools.filters import WireFilter, filter_value
from chat.tools.wire import Value, value_of
from engine.fact import PeriodName
from engine.query.group_by import GroupByAnswer, group_by
from engine.query.questions import BY_MAX, GROUPS_MAX, GroupBy, Order, Verb


def _listed(value: object) -> object:
    """One field may stand alone."""
    return [value] if isinstance(value, str) else value


class GroupByArguments(Arguments):
    """What is asked."""

    by: Annotated[tuple[str, ...], Field(min_length=1, max_length=BY_MAX), BeforeValidator(_listed)]
    verb: Annotated[Verb, BeforeValidator(upper)]
    field: str | None = None
    band: str | None = None
    top: Annotated[int, Field(strict=True, ge=1, le=GROUPS_MAX)] | None = None
    order: Order | None = None
    period: PeriodName | None = None
    filter: WireFilter | None = None


class GroupByTool(Tool[GroupByArguments]):
    """A verb of a field for each value of one or two others, or for each period of a date."""

    name: ClassVar[str] = "sulfite_group_by"
    arguments = GroupByArguments

    def answer(self, conversation: Conversation, arguments: GroupByArguments) -> Mapping[str, Value]:
        """The groups in order, each with its value, rows and fact."""
        question = GroupBy(
            arguments.band,
            arguments.by,
            arguments.verb,
            arguments.field,
            arguments.top,
            arguments.order,
            arguments.period,
            arguments.filter,
        )
        return shown(group_by(conversation.session, question), conversation)

    def refusal(self, given: Mapping[str, object], note: str) -> Mapping[str, Value]:
        """What was asked, and why there is no result."""
        return refused(given, note)


def shown(answer: GroupByAnswer, conversation: Conversation) -> dict[str, Value]:
    """A grouping as the wire has it, its facts in the ledger in the order of its groups."""
    snapshot = conversation.session.snapshot
    (band,) = [one for one in snapshot.bands if one.name == answer.band]
    columns = {column.name: column for column in band.columns}
    groups: list[Value] = []
    for group in answer.groups:
        fact = numbered(conversation, group.fact)
        groups.append(
            {
                "group": group_value(group.keys, columns),
                "value": value_of(fact),
                "rows": group.rows,
                "fact": fact.id if fact else None,
            }
        )
    return {
        "verb": answer.verb,
        "field": answer.field,
        "result": groups or None,
        "note": sentences(answer.notes, conversation.language),
        "by": list(answer.by),
        "period": answer.period,
        "band": answer.band,
        "filter": filter_value(answer.where),
        "rows": answer.rows,
    }
