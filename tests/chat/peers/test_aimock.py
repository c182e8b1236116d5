"""Conversations with aimock, a fake of the providers that others wrote: it knows their protocols apart from us."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, aclosing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

import pytest

from chat.events import CallEvent, Done, Event, Failed, Open, Text
from chat.llm.base import Usage
from chat.llm.providers import ProviderName
from chat.loop import ChatLoop
from chat.messages import UserMessage
from chat.rounds import Outcome
from chat.tools.toolset import TOOL_NAMES, Toolset
from tests.chat.asking import KEY, client_at
from tests.chat.peers.programs import absent, running
from tests.chat.test_faulty_chats import SNAPSHOT

FOLDER = Path(__file__).parent
PROGRAM = FOLDER / "node_modules/@copilotkit/aimock/dist/cli.js"

PATHS: dict[ProviderName, str] = {
    "openai": "/v1",
    "azure": "",
    "anthropic": "",
    "ollama": "/v1",
    "cloudflare": "/v1",
    "gh_models": "/v1",
}
"""Where each of them is on aimock's one port."""
PROVIDERS = tuple(PATHS)
REQUESTED: dict[ProviderName, str] = {
    "azure": "/openai/deployments/m/chat/completions?api-version=2024-10-21",
    "anthropic": "/v1/messages",
}
"""What they are asked for, if not for a chat completion."""


@pytest.fixture(scope="module")
def aimock() -> Iterator[str]:
    """Its address."""
    with started({}) as address:
        yield address


@pytest.fixture(scope="module")
def guarded() -> Iterator[str]:
    """The address of one that knows our key, and refuses all others."""
    with started({"AIMOCK_API_KEYS": KEY}) as address:
        yield address


def started(more: dict[str, str]) -> AbstractContextManager[str]:
    node = shutil.which("node")
    if node is None or not PROGRAM.exists():
        absent("aimock is not installed: it needs node 20.15 or newer and npm, and `make test`")
    fixtures = ["-f", str(FOLDER / "aimock.json"), "--strict", "--chunk-size", "7"]
    return running([str(node), str(PROGRAM), "-p", "0", *fixtures], more)


class Held(NamedTuple):
    """A conversation, and the requests that aimock had for it."""

    events: list[Event]
    outcome: Outcome
    requests: list[dict[str, Any]]

    @property
    def calls(self) -> list[tuple[str, str]]:
        """The tools that were asked, and how that went."""
        return [(event.name, event.status) for event in self.events if isinstance(event, CallEvent)]

    @property
    def text(self) -> str:
        """All that a reader saw."""
        return "".join(event.content for event in self.events if isinstance(event, Text))


def hold(address: str, provider: ProviderName, question: str, *, key: str = KEY) -> Held:
    """Ask *question* in a conversation of its own."""
    before = len(journal(address))
    patience = {"retries": 1, "stall_seconds": 5, "deadline_seconds": 10}

    async def conversation() -> tuple[list[Event], Outcome]:
        client = client_at(provider, address + PATHS[provider], key=key, **patience)
        with Toolset(SNAPSHOT, language="pt") as tools:
            run = ChatLoop(client, tools, language="pt").run("Você responde.", (UserMessage(question),))
            async with aclosing(run):
                events = [event async for event in run]
        await client.aclose()
        return events, run.outcome

    events, outcome = asyncio.run(conversation())
    return Held(events, outcome, journal(address)[before:])


def journal(address: str) -> list[dict[str, Any]]:
    """All requests that aimock has had, with what it understood of them."""
    asked = Request(f"{address}/__aimock/journal", headers={"Authorization": f"Bearer {KEY}"})
    with urlopen(asked, timeout=10) as answer:
        entries: list[dict[str, Any]] = json.load(answer)
    return entries


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_conversation_with_tools(aimock, provider):
    held = hold(aimock, provider, "qual o total de vendas?")
    assert held.calls == [
        ("sulfite_aggregate_data", "running"),
        ("sulfite_aggregate_data", "done"),
        ("sulfite_group_by", "running"),
        ("sulfite_group_by", "done"),
    ]
    assert held.text == "O total é 7,75 — Ana vendeu mais. 😀"
    assert isinstance(held.events[0], Open)
    assert isinstance(held.events[-1], Done)
    assert held.outcome.usage == Usage(180, 21)
    assert [entry["response"]["status"] for entry in held.requests] == [200, 200]
    assert {entry["path"] for entry in held.requests} == {REQUESTED.get(provider, "/v1/chat/completions")}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_understood_of_a_conversation_is_what_was_meant(aimock, provider):
    """The second request holds the question, both calls and both answers."""
    body = hold(aimock, provider, "qual o total de vendas?").requests[-1]["body"]
    *_, question, asking, first, second = body["messages"]
    assert (question["role"], "total de vendas" in str(question["content"])) == ("user", True)
    assert [call["id"] for call in asking["tool_calls"]] == ["call_total", "call_groups"]
    assert [(answer["role"], answer["tool_call_id"]) for answer in (first, second)] == [
        ("tool", "call_total"),
        ("tool", "call_groups"),
    ]
    assert "7.75" in str(first["content"])
    assert [tool["function"]["name"] for tool in body["tools"]] == list(TOOL_NAMES)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_text_after_a_call_is_text(aimock, provider):
    held = hold(aimock, provider, "primeiro pergunta: qual o maior?")
    assert held.calls == [("sulfite_aggregate_data", "running"), ("sulfite_aggregate_data", "done")]
    assert (held.text, held.outcome.answer) == ("Um momento.\n\nO maior é 4,00.", "O maior é 4,00.")


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize(
    ("question", "failure", "requests"),
    [
        ("perguntas demais", "model_too_many_requests", 2),
        ("cai", "model_overloaded", 2),
        ("lota", "model_too_many_requests", 2),
        ("desliga", "model_no_connection", 2),
        ("estraga", "model_not_understood", 1),
        ("quebra", "model_cut_off", 1),
    ],
    ids=str,
)
def test_a_failure_is_told(aimock, provider, question, failure, requests):
    held = hold(aimock, provider, question)
    assert (held.outcome.failure, len(held.requests)) == (failure, requests)
    assert isinstance(held.events[-1], Failed)
    assert "words of the provider" not in held.events[-1].message


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_an_answer_that_was_cut_says_so(aimock, provider):
    held = hold(aimock, provider, "uma resposta curta")
    assert held.outcome.is_cut
    assert held.text.startswith("Foi cortada\n\n(")
    assert isinstance(held.events[-1], Done)


@pytest.mark.parametrize("provider", [provider for provider in PROVIDERS if provider != "ollama"])
def test_the_key_arrives_where_it_belongs(guarded, provider):
    assert hold(guarded, provider, "qual o total de vendas?").outcome.failure is None
    held = hold(guarded, provider, "qual o total de vendas?", key="outra-chave")
    assert held.outcome.failure == "model_refused_key"
