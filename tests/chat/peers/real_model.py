"""
The chat with a real model, small enough for any machine: `make test-llm`, which installs and serves it.

It is asked for its protocol, its tools, its usage and for being left, never for sense: it has 135 million parameters.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import jsonschema
import pytest

from chat.events import CallEvent, Done, Open, Text
from chat.exceptions import ModelRefused
from chat.llm.base import Finished, LlmClient, TextPiece
from chat.loop import ChatLoop
from chat.messages import UserMessage
from chat.tools.toolset import Toolset
from engine.band import type_band
from engine.profile import profile_bands
from engine.snapshot import Snapshot
from tests.chat.asking import KEY, ask, client_at, pieces, request
from tests.chat.dialects import DIALECTS, Dialect
from tests.chat.peers.programs import running
from tests.engine.small import raw_band

PROGRAM = Path(__file__).parent / "serve_llama.py"
QUESTION = "qual o total de vendas?"
# The field is what the model makes of the question.
FIELDS: dict[str, list[str | None]] = {"vendedor": ["Ana", "Caio"], "total_vendas": ["1,50", "2,25"]}
BANDS = (type_band(raw_band(FIELDS, "vendas", style="br", locale="pt-BR")),)
SNAPSHOT = Snapshot(BANDS, profile_bands(BANDS))


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    """Where the model is served."""
    folder = os.environ.get("LASTRO_LLAMA")
    if folder is None:
        pytest.fail("LASTRO_LLAMA names no folder with the server and the model: run `make test-llm`")
    with running([sys.executable, str(PROGRAM), str(Path(folder).resolve()), KEY], {}) as address:
        yield address


def client_of(llama: str, dialect: Dialect, key: str = KEY) -> LlmClient:
    """A client in *dialect*; the words of a model that thinks on two busy cores may take a while."""
    address = llama + ("/v1" if dialect == "openai" else "")
    return client_at(dialect, address, key=key, stall_seconds=60, deadline_seconds=120)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_text_streams_until_its_length(llama, dialect):
    async def tell() -> list[Any]:
        client = client_of(llama, dialect)
        told = [
            piece async for piece in pieces(client, request("Tell a story.", tools=False, max_tokens=200))
        ]
        await client.aclose()
        return told

    *texts, end = asyncio.run(tell())
    assert len(texts) > 50
    assert all(isinstance(piece, TextPiece) for piece in texts)
    assert isinstance(end, Finished)
    assert (end.reason, end.calls) == ("length", ())
    assert (end.usage.output_tokens, end.usage.is_estimated) == (200, False)
    assert end.usage.input_tokens > 10
    print(f"{dialect}: {len(texts)} pieces of text, {end.usage}")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_tool_is_called_with_arguments_of_its_schema(llama, dialect):
    asked = request(QUESTION, max_tokens=400)
    said = ask(client_of(llama, dialect), asked)
    schemas = {tool.name: tool.parameters for tool in asked.tools}
    assert (said.reason, len(said.calls)) == ("tool_calls", 1)
    (call,) = said.calls
    assert call.id
    jsonschema.validate(json.loads(call.arguments), schemas[call.name])
    assert said.usage.output_tokens > 10
    print(f"{dialect}: {call.name} {json.loads(call.arguments)}, {said.usage}")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_whole_conversation_with_tools_ends(llama, dialect):
    async def converse() -> Any:
        client = client_of(llama, dialect)
        with Toolset(SNAPSHOT) as tools:
            loop = ChatLoop(client, tools, max_iterations=4)
            run = loop.run("You answer questions about sales.", (UserMessage(QUESTION),))
            async with aclosing(run):
                events = [event async for event in run]
        await client.aclose()
        return events, run.outcome

    events, outcome = asyncio.run(converse())
    assert (type(events[0]), type(events[-1]), outcome.failure) == (Open, Done, None)
    assert [event.status for event in events if isinstance(event, CallEvent)][:1] == ["running"]
    assert all(call.status in ("done", "failed", "duplicate") for call in outcome.calls)
    assert any(isinstance(event, Text) for event in events)
    assert outcome.iterations >= 2
    assert (outcome.usage.output_tokens > 20, outcome.usage.is_estimated) == (True, False)
    statuses = [(call.call.name, call.status) for call in outcome.calls]
    print(f"{dialect}: {outcome.iterations} messages, {statuses}, {outcome.usage}, {outcome.answer[:60]!r}")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_prefix_that_was_read_before_is_counted_as_such(llama, dialect):
    asked = request(f"Tell a story of {dialect}. " * 10, tools=False, max_tokens=2)
    first, second = (ask(client_of(llama, dialect), asked).usage for _ in range(2))
    assert second.input_tokens == first.input_tokens
    assert second.cache_read_tokens > first.input_tokens // 2
    print(f"{dialect}: {second}")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_whoever_leaves_frees_the_model(llama, dialect):
    async def leave() -> float:
        client = client_of(llama, dialect)
        told = pieces(client, request("Tell a long story.", tools=False, max_tokens=4000))
        await anext(told)
        assert await asyncio.to_thread(at_work, llama) == 1
        await told.aclose()
        begun = time.monotonic()
        while await asyncio.to_thread(at_work, llama):
            assert time.monotonic() - begun < 5
            await asyncio.sleep(0.02)
        await client.aclose()
        return time.monotonic() - begun

    print(f"{dialect}: the slot is free after {asyncio.run(leave()):.2f} s")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_another_key_is_refused(llama, dialect):
    with pytest.raises(ModelRefused) as refused:
        ask(client_of(llama, dialect, "outra-chave"), request(QUESTION))
    assert refused.value.code == "model_refused_key"


def at_work(llama: str) -> int:
    """How many answers the server is writing."""
    asked = Request(f"{llama}/slots", headers={"Authorization": f"Bearer {KEY}"})
    with urlopen(asked, timeout=10) as answer:
        return sum(slot["is_processing"] for slot in json.load(answer))
