"""The SDKs of the providers themselves read the same bytes to the same message as our clients."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.llm.base import Usage
from chat.messages import ToolCall
from tests.chat.asking import KEY, Said, client_at, read, request
from tests.chat.dialects import DIALECTS, STOP_REASONS, Answer, Dialect
from tests.chat.fault_server import FaultServer, Play
from tests.chat.faults import FAULTS
from tests.chat.plays import ASKED, SAID, TWO_ASKED, says

PLAYS = {
    "a text": says(SAID),
    "a text without end": says(replace(SAID, reason="length")),
    "one call": says(ASKED),
    "two calls": says(TWO_ASKED),
    "text and calls": says(replace(TWO_ASKED, texts=("Vou ", "ver."))),
    "a call without arguments": says(replace(ASKED, calls=(ToolCall("c", "sulfite_search_values", ""),))),
    "arguments of many lines": says(
        replace(ASKED, calls=(ToolCall("c", "calculate", '{\n  "a": "1\\n2",\r\n  "ç": []\n}'),))
    ),
    "much from the cache": says(replace(SAID, usage=Usage(90_000, 3, 80_000, 9_000))),
} | {
    fault.name: fault.play
    for fault in FAULTS
    if fault.name in ("a byte a packet", "nobody says something first", "events of tomorrow", "two ends")
}


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("play", PLAYS.values(), ids=PLAYS.keys())
def test_a_stream_is_read_as_the_providers_own_sdk_reads_it(server, play: Play, dialect: Dialect):
    ours, theirs = asyncio.run(read_both(server, play, dialect))
    assert ours == theirs


texts = st.lists(st.text(min_size=1), max_size=4)
arguments = st.dictionaries(
    st.text(), st.recursive(st.text() | st.integers() | st.none(), st.lists), max_size=3
)
calls = st.lists(st.tuples(st.sampled_from(["calculate", "sulfite_group_by"]), arguments), max_size=3)
counts = st.integers(0, 10**6)


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=15)
@given(texts=texts, calls=calls, new=counts, told=counts, cached=counts)
def test_any_answer_is_read_as_the_providers_own_sdk_reads_it(
    server, dialect, texts, calls, new, told, cached
):
    asked = tuple(
        ToolCall(f"c-{at}", name, json.dumps(given, ensure_ascii=False))
        for at, (name, given) in enumerate(calls)
    )
    answer = Answer(tuple(texts), asked, "tool_calls" if asked else "stop", Usage(new + cached, told, cached))
    ours, theirs = asyncio.run(read_both(server, says(answer), dialect))
    assert ours == theirs
    assert ours.text == answer.text


async def read_both(server: FaultServer, play: Play, dialect: Dialect) -> tuple[Said, Said]:
    """What our client and the SDK make of the same bytes."""
    client = client_at(dialect, server.address)
    ours = await read(client, request(server.visit(play).mark))
    await client.aclose()
    calls = tuple(replace(call, arguments=canonical(call.arguments)) for call in ours.calls)
    theirs = await (read_by_openai if dialect == "openai" else read_by_anthropic)(server, play)
    return ours._replace(calls=calls), theirs


async def read_by_openai(server: FaultServer, play: Play) -> Said:
    from openai import AsyncOpenAI

    async with AsyncOpenAI(base_url=server.address, api_key=KEY, max_retries=0) as client:
        asked: Any = [{"role": "user", "content": server.visit(play).mark}]
        options: Any = {"include_usage": True}
        async with client.chat.completions.stream(
            model="m", messages=asked, stream_options=options
        ) as events:
            async for _ in events:
                pass
            whole = events.current_completion_snapshot
    (choice,) = whole.choices
    assert whole.usage
    assert whole.usage.prompt_tokens_details
    assert choice.finish_reason != "function_call"
    calls = tuple(
        ToolCall(call.id, call.function.name, canonical(call.function.arguments))
        for call in choice.message.tool_calls or ()
    )
    usage = Usage(
        whole.usage.prompt_tokens,
        whole.usage.completion_tokens,
        whole.usage.prompt_tokens_details.cached_tokens or 0,
    )
    return Said(choice.message.content or "", calls, choice.finish_reason, usage)


async def read_by_anthropic(server: FaultServer, play: Play) -> Said:
    from anthropic import AsyncAnthropic

    async with AsyncAnthropic(base_url=server.address, api_key=KEY, max_retries=0) as client:
        asked: Any = [{"role": "user", "content": server.visit(play).mark}]
        async with client.messages.stream(model="m", max_tokens=99, messages=asked) as events:
            whole = await events.get_final_message()
    text = "".join(block.text for block in whole.content if block.type == "text")
    calls = tuple(
        ToolCall(block.id, block.name, canonical(json.dumps(block.input)))
        for block in whole.content
        if block.type == "tool_use"
    )
    (reason,) = [ours for ours, theirs in STOP_REASONS.items() if theirs == whole.stop_reason]
    read, written = whole.usage.cache_read_input_tokens or 0, whole.usage.cache_creation_input_tokens or 0
    usage = Usage(whole.usage.input_tokens + read + written, whole.usage.output_tokens, read, written)
    return Said(text, calls, reason, usage)


def canonical(arguments: str) -> str:
    """Arguments as JSON in one way: one SDK gives them read."""
    return json.dumps(json.loads(arguments or "{}"), sort_keys=True)
