"""What the answers of several tools have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from chat.tools.base import Conversation
from chat.tools.wire import Number, Value
from engine.columns import ColumnType
from engine.fact import Fact, GroupKey
from engine.notes import Language, Note


def sentences(notes: Iterable[Note], language: Language) -> str | None:
    """All *notes* as one text; None where there are none."""
    return " ".join(note.text(language) for note in notes) or None


def refused(given: Mapping[str, object], note: str) -> dict[str, Value]:
    """The answer of a verb of a field that has none: what was asked, and why there is no result."""
    verb, field = given.get("verb"), given.get("field")
    return {
        "verb": verb if isinstance(verb, str) else None,
        "field": field if isinstance(field, str) else None,
        "result": None,
        "note": note,
    }


def numbered(conversation: Conversation, fact: Fact | None) -> Fact | None:
    """*fact* with its id in the ledger."""
    return None if fact is None else conversation.ledger.add(fact)


def group_value(keys: Sequence[GroupKey], columns: Mapping[str, ColumnType]) -> Value:
    """What a group is called: the value, one a field where there are two, `(other 12)` for the rest, `(withheld)`."""
    if keys[0].withheld:
        return "(withheld)"
    if keys[0].others:
        return f"(other {keys[0].others})"
    shown = [_key_value(key, columns[key.field]) for key in keys]
    return shown[0] if len(shown) == 1 else shown


def _key_value(key: GroupKey, column: ColumnType) -> Value:
    if key.value is None:
        return None
    if column.type == "number" and key.period is None:
        return Number(key.value)
    return key.value == "true" if column.type == "boolean" else key.value


def upper(value: object) -> object:
    """A verb in any case of letters."""
    return value.upper() if isinstance(value, str) else value
