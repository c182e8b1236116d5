"""A second client answers where the first does not, and says so."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from chat.exceptions import ModelBroke, ModelError, ModelRefused, ModelUnreachable
from chat.llm.base import LlmClient
from chat.llm.fallback import CALL_PREFIX, FallbackClient
from chat.llm.scripted import Ask, Fail, Say, ScriptedClient
from chat.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from chat.sentences import sentence
from engine.notes import LANGUAGES
from tests.chat.llm.streams import ASKED, take


def failing(kind, code, *before):
    return ScriptedClient([[*before, Fail(kind(code, provider="scripted"))]])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", [ModelUnreachable, ModelRefused])
def test_the_second_answers_and_it_is_said(kind, language):
    both = FallbackClient(failing(kind, "model_overloaded"), ScriptedClient([[Say("12.")]]), language)
    notice = sentence("answered_instead", language, provider="scripted")
    assert asyncio.run(take(both))[0] == f"{notice}\n\n12."


def test_the_second_is_silent_while_the_first_answers():
    second = ScriptedClient([])
    assert asyncio.run(take(FallbackClient(ScriptedClient([[Say("olá")]]), second)))[0] == "olá"
    assert second.requests == []


@pytest.mark.parametrize(
    "first",
    [
        failing(ModelUnreachable, "model_overloaded", Say("be")),
        failing(ModelBroke, "model_cut_off"),
        failing(ModelBroke, "model_cut_off", Say("be")),
    ],
    ids=["after a piece", "an answer that broke", "both"],
)
def test_what_has_begun_is_not_begun_anew(first):
    second = ScriptedClient([[Say("12.")]])
    with pytest.raises(ModelError):
        asyncio.run(take(FallbackClient(first, second)))
    assert second.requests == []


def test_what_the_second_asked_it_answers_itself_and_the_notice_is_not_repeated():
    first = failing(ModelUnreachable, "model_overloaded")
    second = ScriptedClient([[Ask("soma", id="c")], [Say("12.")]])
    both = FallbackClient(first, second)

    async def ask():
        _, asked = await take(both)
        (call,) = asked.calls
        answered = (AssistantMessage("", asked.calls), ToolMessage(call.id, call.name, "12"))
        return call.id, await take(both, replace(ASKED, messages=(*ASKED.messages, *answered)))

    call_id, (text, _) = asyncio.run(ask())
    assert call_id == CALL_PREFIX + "c"
    assert text == "12."
    assert len(first.requests) == 1


def test_what_the_first_asked_stays_with_it_whatever_its_provider_calls_it():
    both = FallbackClient(ScriptedClient([[Ask("soma", id=CALL_PREFIX + "c")]]), ScriptedClient([]))
    _, asked = asyncio.run(take(both))
    (call,) = asked.calls
    assert not call.id.startswith(CALL_PREFIX)


def test_what_the_first_asked_stays_with_it():
    messages = (
        UserMessage("a"),
        AssistantMessage("", (ToolCall("c", "soma", "{}"),)),
        ToolMessage("c", "soma", "1"),
    )
    both = FallbackClient(ScriptedClient([[Say("olá")]]), ScriptedClient([]))
    assert asyncio.run(take(both, replace(ASKED, messages=messages)))[0] == "olá"


class Watched(LlmClient):
    """Tells when its stream and itself are let go."""

    def __init__(self):
        self.ended = []

    @property
    def name(self):
        return "scripted"

    async def stream(self, request):
        try:
            async for piece in ScriptedClient([[Say("a"), Say("b")]]).stream(request):
                yield piece
        finally:
            self.ended.append("stream")

    async def aclose(self):
        self.ended.append("client")


@pytest.mark.parametrize("place", [0, 1])
def test_whoever_leaves_early_closes_the_stream_that_is_open(place):
    watched = Watched()

    async def leave():
        failed = failing(ModelUnreachable, "model_overloaded")
        both = FallbackClient(failed, watched) if place else FallbackClient(watched, ScriptedClient([]))
        pieces = both.stream(ASKED)
        for _ in range(place + 1):
            await anext(pieces)
        await pieces.aclose()
        assert watched.ended == ["stream"]
        await both.aclose()

    asyncio.run(leave())
    assert watched.ended == ["stream", "client"]
