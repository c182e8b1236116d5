"""Estimates what a message took where its provider says nothing: tokens of all that was sent and written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from chat.llm.base import ModelRequest
from chat.messages import AssistantMessage


def input_tokens(request: ModelRequest) -> int:
    """About how many tokens *request* has."""
    return count_texts(_texts(request))


def count_texts(texts: Iterable[str]) -> int:
    """About how many tokens *texts* have together."""
    from prompts.budget import count_tokens

    whole = "".join(texts).encode("utf-8", "replace").decode()  # half a character counts as one
    return count_tokens(whole) if whole else 0


def _texts(request: ModelRequest) -> Iterator[str]:
    yield request.system
    for message in request.messages:
        yield message.text
        if isinstance(message, AssistantMessage):
            yield from (call.name + call.arguments for call in message.calls)
    for tool in request.tools:
        yield tool.name + tool.description + json.dumps(tool.parameters)
