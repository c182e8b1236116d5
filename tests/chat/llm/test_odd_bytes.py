"""Whatever bytes a provider sends, they are an answer that can be sent on, or one of our errors."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.exceptions import ModelError
from chat.guards import LoopLimits, ask, settle
from chat.llm.base import Finished, ModelRequest
from chat.llm.http_client import Dialect
from chat.llm.openai import OpenAiDialect
from chat.messages import AssistantMessage, ToolMessage, UserMessage
from tests.chat.llm.streams import answer, client, delta, fragment, messages_dialect, named, sse, take

DIALECTS: dict[str, Dialect] = {"openai": OpenAiDialect("m"), "anthropic": messages_dialect()}
GOOD: dict[str, list[dict[str, Any]]] = {
    "openai": [
        delta(content="Olá"),
        delta(tool_calls=[fragment(index=0, id="c", name="soma", arguments='{"a":')]),
        delta(tool_calls=[fragment(index=0, arguments="1}")]),
        delta("tool_calls"),
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}},
    ],
    "anthropic": [
        {"type": "message_start", "message": {"usage": {"input_tokens": 3}}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Olá"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "soma"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ],
}  # fmt: skip
KEYS = sorted(
    {"error", "refusal", "input", "code", "finish_reason", "usage", "content", "tool_calls", "function"}
    | {key for events in GOOD.values() for event in events for key in event}
)
odd: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats() | st.text(max_size=5)
    | st.sampled_from(["stop", "tool_use", "text_delta", "\ud83d", "</dados>", "[DONE]"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """*value* with something odd at one place of it."""
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 3)) == 0:
        return draw(odd)
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    place = draw(st.sampled_from(keys))
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place] = draw(changed(value[place]))
    return copy


@st.composite
def streams(draw: st.DrawFn, dialect: str) -> list[bytes]:
    """A good answer with events changed, left out and twice, bytes written over, in pieces of some length."""
    events = [*GOOD[dialect], draw(st.sampled_from(GOOD[dialect]))]
    place = draw(st.integers(0, len(events) - 1))
    events[place] = draw(changed(events[place]))
    events = draw(st.permutations(events)) if draw(st.booleans()) else events
    dicts = [event if isinstance(event, dict) else {"type": "ping", "odd": event} for event in events]
    typed = ({**event, "type": str(event.get("type"))} for event in dicts)
    content = bytearray(sse(*dicts) if dialect == "openai" else named(*typed))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(content) - 1))
        content[at : at + draw(st.integers(0, 9))] = draw(st.binary(max_size=9))
    size = draw(st.sampled_from([1, 7, 10_000]))
    return [bytes(content[start : start + size]) for start in range(0, len(content), size)]


async def taken(dialect: str, pieces: list[bytes]) -> tuple[str, Finished] | None:
    try:
        return await take(client([answer(*pieces)], DIALECTS[dialect]))
    except ModelError:
        return None


def check(dialect: str, pieces: list[bytes]) -> None:
    message = asyncio.run(taken(dialect, pieces))
    if message is None:
        return
    text, end = message
    calls = []
    for position, call in enumerate(end.calls):
        asked = ask(call, position, offered=("soma",), before=(), limits=LoopLimits(), language="en")
        settle(asked)
        assert isinstance(json.loads(asked.call.arguments), dict)
        calls.append(asked.call)
    answers = [ToolMessage(call.id, call.name, "{}") for call in calls]
    sent = ModelRequest("s", (UserMessage("?"), AssistantMessage(text, tuple(calls)), *answers))
    for other in DIALECTS.values():
        json.loads(other.body(sent))


@given(streams("openai"))
@settings(max_examples=80)
def test_whatever_a_completion_is(pieces):
    check("openai", pieces)


@given(streams("anthropic"))
@settings(max_examples=80)
def test_whatever_a_message_is(pieces):
    check("anthropic", pieces)


@pytest.mark.parametrize("depth", [100, 900, 960, 975, 990, 100_000])
@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize(
    ("dialect", "event"),
    [
        ("openai", '{"error":%s}'),
        ("openai", '{"error":{"message":%s}}'),
        ("openai", '{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"n","arguments":%s}}]}}]}'),
        ("anthropic", '{"type":"error","error":%s}'),
        ("anthropic", '{"type":"content_block_start","content_block":{"type":"tool_use","id":"x","input":%s}}'),
    ],
)  # fmt: skip
def test_however_deep_it_is(dialect, event, opening, depth):
    closing = "]" if opening == "[" else "}"
    deep = opening * depth + "1" + closing * depth
    end = 'data: {"type":"message_stop"}\n\n' if dialect == "anthropic" else "data: [DONE]\n\n"
    check(dialect, [f"data: {event % deep}\n\n{end}".encode()])
