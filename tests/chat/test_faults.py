"""Whatever a provider does, its client says in good time what became of the answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, get_args

import pytest

from chat.exceptions import ModelError, ModelRefused, ModelUnreachable
from chat.llm.base import Finished, FinishReason, TextPiece
from chat.messages import AssistantMessage, ToolCall, ToolMessage
from tests.chat.asking import KEY, ask, client_at, pieces, read, request
from tests.chat.dialects import DIALECTS, USAGE, Dialect
from tests.chat.fault_server import FaultServer
from tests.chat.faults import FAULTS, Fault
from tests.chat.plays import (
    ASKED,
    PROVIDERS_WORDS,
    SAID,
    drips,
    is_silent,
    redirects_to,
    refuses,
    resets,
    says,
)

DEADLINE_S = 1.0
PATIENCE: dict[str, Any] = {
    "connect_seconds": 0.5,
    "stall_seconds": 0.4,
    "deadline_seconds": DEADLINE_S,
    "retries": 1,
}


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_client_says_what_became_of_an_answer(server, caplog, fault: Fault, dialect: Dialect):
    caplog.set_level("DEBUG")
    expected, visit = fault.outcome(dialect), server.visit(fault.play)
    is_patient = (
        fault.is_heavy or expected.error is None
    )  # a good end must not depend on how busy the machine is
    patience = PATIENCE | ({"stall_seconds": 10, "deadline_seconds": 20} if is_patient else {})
    if expected.attempts == 1 and not is_patient:
        patience |= {"deadline_seconds": DEADLINE_S * 0.7}  # nobody waits between attempts

    async def tell() -> tuple[str, list[ToolCall], ModelError | None, float]:
        texts: list[str] = []
        calls: list[ToolCall] = []
        error: ModelError | None = None
        client = client_at(dialect, server.address, **patience)
        begun = time.monotonic()
        try:
            async with aclosing(pieces(client, request(visit.mark))) as told:
                async for piece in told:
                    texts += [piece.text] if isinstance(piece, TextPiece) else []
                    calls += piece.calls if isinstance(piece, Finished) else []
        except ModelError as raised:
            error = raised
        seconds = time.monotonic() - begun
        # No connection stays open for what is over.
        assert all([await asyncio.to_thread(seen.over.wait, 5) for seen in visit.requests])
        await client.aclose()
        return "".join(texts), calls, error, seconds

    text, calls, error, seconds = asyncio.run(tell())
    assert (error and error.code, len(calls)) == (expected.error, expected.calls)
    assert expected.text in (None, text)
    assert len(visit.requests) == expected.attempts
    assert len({call.id for call in calls}) == len(calls)
    assert is_patient or seconds < DEADLINE_S + 1
    assert all(seen.sent < 50_000_000 for seen in visit.requests)
    text.encode()
    shown = "".join(error.text(language) for language in ("en", "pt", "es")) if error else ""
    assert PROVIDERS_WORDS not in shown
    assert KEY not in shown + caplog.text


def test_where_nobody_listens_there_is_no_connection(server):
    for dialect in DIALECTS:
        with pytest.raises(ModelUnreachable) as raised:
            ask(client_at(dialect, server.refusing_address, **PATIENCE), request("?"))
        assert raised.value.code == "model_no_connection"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_tried_again(server, dialect, status):
    visit = server.visit(refuses(status, retry_after="0"), says(SAID))
    said = ask(client_at(dialect, server.address, **PATIENCE), request(visit.mark))
    assert (said.text, len(visit.requests)) == (SAID.text, 2)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_connection_that_broke_before_the_answer_is_tried_again(server, dialect):
    visit = server.visit(resets, says(SAID))
    said = ask(client_at(dialect, server.address, **PATIENCE), request(visit.mark))
    assert (said.text, len(visit.requests)) == (SAID.text, 2)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_is_sent_to_where_a_provider_points(server, dialect):
    elsewhere = server.visit(says(SAID))
    visit = server.visit(redirects_to(elsewhere.mark))
    with pytest.raises(ModelRefused):
        ask(client_at(dialect, server.address, **PATIENCE), request(visit.mark))
    assert (len(visit.requests), elsewhere.requests) == (1, [])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_whoever_leaves_an_answer_closes_its_connection(server, dialect):
    """Not when the client ends, nor when the garbage is collected: at once."""
    visit = server.visit(drips)

    async def leave() -> None:
        client = client_at(dialect, server.address)
        told = pieces(client, request(visit.mark))
        await anext(told)
        await told.aclose()
        assert await asyncio.to_thread(visit.requests[0].client_left.wait, 2)
        await client.aclose()

    asyncio.run(leave())


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("play", [is_silent, drips], ids=["before", "amid"])
def test_a_task_that_is_cancelled_closes_its_connection(server, dialect, play):
    visit = server.visit(play)

    async def leave() -> None:
        client = client_at(dialect, server.address)
        task = asyncio.create_task(read(client, request(visit.mark)))
        while not visit.requests or (play is drips and not visit.requests[0].sent):
            await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(visit.requests[0].client_left.wait, 2)
        await client.aclose()

    asyncio.run(leave())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_usage_that_is_not_told_is_estimated(server, dialect):
    visit = server.visit(says(SAID))
    said = ask(client_at(dialect, server.address), request(visit.mark))
    assert said.usage == USAGE
    visit = server.visit(says(replace(SAID, usage=None)))
    said = ask(client_at(dialect, server.address), request(visit.mark))
    assert said.usage.is_estimated
    assert said.usage.input_tokens > said.usage.output_tokens > 0


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("reason", get_args(FinishReason))
def test_an_answer_ends_for_its_reason(server, dialect, reason: FinishReason):
    answer = replace(ASKED if reason == "tool_calls" else SAID, reason=reason)
    said = ask(client_at(dialect, server.address), request(server.visit(says(answer)).mark))
    assert said.reason == reason


@pytest.mark.parametrize(
    ("provider", "settings", "path"),
    [
        ("cloudflare", {}, "/chat/completions"),
        ("azure", {}, "/openai/deployments/m/chat/completions?api-version=2024-10-21"),
        ("anthropic", {"anthropic_version": "2026-10-21", "temperature": 0}, "/v1/messages"),
    ],
)
def test_what_a_provider_refuses_is_not_sent(server, provider, settings, path):
    """Cloudflare's 400 for a null content, Azure's 404 without a version, Anthropic's 400 for a temperature."""
    visit = server.visit(says(ASKED), says(SAID))

    async def converse() -> None:
        client = client_at(provider, server.address, **settings)
        asked = request(visit.mark)
        first = await read(client, asked)
        (call,) = first.calls
        answered = ToolMessage(call.id, call.name, "{}")
        await read(
            client, replace(asked, messages=(*asked.messages, AssistantMessage("", (call,)), answered))
        )
        await client.aclose()

    asyncio.run(converse())
    assert {seen.path for seen in visit.requests} == {path}
    body = visit.requests[-1].body
    assert all(message["content"] is not None for message in body["messages"]) or provider == "azure"
    assert "temperature" not in body
