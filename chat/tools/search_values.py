"""`sulfite_search_values`: which band, field or value is called something like this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from chat.tools.answers import sentences
from chat.tools.base import Arguments, Conversation, Tool
from chat.tools.wire import Value
from engine.query.search import Hit, search

QUERY_CHARS_MAX = 1_000


class SearchArguments(Arguments):
    """What is looked for, and where."""

    query: Annotated[str, Field(max_length=QUERY_CHARS_MAX)]
    band: str | None = None
    field: str | None = None


class SearchValues(Tool[SearchArguments]):
    """A fuzzy search that minds neither accents nor case."""

    name: ClassVar[str] = "sulfite_search_values"
    arguments = SearchArguments

    def answer(self, conversation: Conversation, arguments: SearchArguments) -> Mapping[str, Value]:
        """What was found, the most alike first."""
        found = search(conversation.session, arguments.query, arguments.band, arguments.field)
        return {
            "query": arguments.query,
            "result": [_shown(hit) for hit in found.hits],
            "note": sentences(found.notes, conversation.language),
        }

    def refusal(self, given: Mapping[str, object], note: str) -> Mapping[str, Value]:
        """Why nothing was looked for."""
        query = given.get("query")
        return {"query": query if isinstance(query, str) else None, "result": None, "note": note}


def _shown(hit: Hit) -> dict[str, Value]:
    return {
        "kind": hit.kind,
        "band": hit.band,
        "field": hit.field,
        "value": hit.value,
        "rows": hit.rows,
        "score": hit.score,
    }
