"""Every provider is asked where, and as, it wants to be."""

from __future__ import annotations

import asyncio
import json
from typing import get_args

import httpx2 as httpx
import pytest

from chat.exceptions import SettingsError
from chat.llm.base import LlmClient
from chat.llm.fallback import FallbackClient
from chat.llm.providers import PROVIDERS, ProviderName, client_for, url_of
from chat.llm.scripted import ScriptedClient
from chat.settings import read_settings
from tests.chat.llm.streams import KEY, ROUND, answer, delta, named, sse, take

AZURE = "https://meu-recurso.cognitiveservices.azure.com"
CLOUDFLARE = "https://api.cloudflare.com/client/v4/accounts/1/ai/v1"


def environment(provider, **more):
    given = {"PROVIDER": provider, "MODEL": "gpt/4.1 mini", "API_KEY": KEY, "MAX_TOKENS": "50", **more}
    return {f"CHAT_{name}": value for name, value in given.items()}


@pytest.fixture
def sent(monkeypatch):
    """The requests that clients make, each answered."""
    requests = []

    def handler(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        if request.url.path.endswith("/messages"):
            return answer(named({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}))
        return answer(sse(delta("stop")))

    class Wired(httpx.AsyncClient):
        def __init__(self, **options):
            super().__init__(**options | {"transport": httpx.MockTransport(handler)})

    monkeypatch.setattr(httpx, "AsyncClient", Wired)
    return requests


def request_of(sent, **env):
    asyncio.run(take(client_for(read_settings(env)), ROUND))
    (request,) = sent
    return request


@pytest.mark.parametrize(
    ("provider", "base", "url", "auth", "token_field"),
    [
        pytest.param(
            *("openai", "", "https://api.openai.com/v1/chat/completions"),
            *({"authorization": f"Bearer {KEY}"}, "max_completion_tokens"),
            id="openai",
        ),
        pytest.param(
            *("anthropic", "", "https://api.anthropic.com/v1/messages"),
            *({"x-api-key": KEY, "anthropic-version": "2023-06-01"}, "max_tokens"),
            id="anthropic",
        ),
        pytest.param(
            *("azure", AZURE),
            f"{AZURE}/openai/deployments/gpt%2F4.1%20mini/chat/completions?api-version=2024-10-21",
            *({"api-key": KEY}, "max_tokens"),
            id="azure",
        ),
        pytest.param(
            *("cloudflare", CLOUDFLARE, f"{CLOUDFLARE}/chat/completions"),
            *({"authorization": f"Bearer {KEY}"}, "max_tokens"),
            id="cloudflare",
        ),
        pytest.param(
            *("ollama", "", "http://localhost:11434/v1/chat/completions", {}, "max_tokens"), id="ollama"
        ),
        pytest.param(
            *("gh_models", "", "https://models.github.ai/inference/chat/completions"),
            *({"authorization": f"Bearer {KEY}"}, "max_tokens"),
            id="gh_models",
        ),
    ],
)
def test_a_request_goes_where_it_belongs_with_the_key_in_one_header(
    sent, provider, base, url, auth, token_field
):
    request = request_of(sent, **environment(provider, BASE_URL=base))
    assert str(request.url) == url
    secret = ("authorization", "api-key", "x-api-key", "anthropic-version")
    assert {name: request.headers[name] for name in secret if name in request.headers} == auth
    shared = {
        "content-type": "application/json",
        "accept": "text/event-stream",
        "accept-encoding": "identity",
    }
    assert {name: request.headers[name] for name in shared} == shared
    body = json.loads(request.content)
    assert (body["model"], body[token_field], body["stream"]) == ("gpt/4.1 mini", 50, True)
    assert "temperature" not in body
    if provider != "anthropic":
        assert body["stream_options"] == {"include_usage": True}
        assert body["messages"][2]["content"] == ("" if provider == "cloudflare" else None)


def test_settings_reach_the_request(sent):
    more = {"TEMPERATURE": "0", "TOKEN_FIELD": "max_tokens", "MAX_TOKENS": ""}
    assert json.loads(request_of(sent, **environment("openai", **more)).content)["temperature"] == 0
    sent.clear()
    more = {"ANTHROPIC_VERSION": "2026-10-21", "TEMPERATURE": "0", "MAX_TOKENS": ""}
    request = request_of(sent, **environment("anthropic", **more))
    assert request.headers["anthropic-version"] == "2026-10-21"
    body = json.loads(request.content)
    assert ("temperature" in body, body["max_tokens"]) == (False, 4096)


@pytest.mark.parametrize(
    ("provider", "base", "url"),
    [
        ("azure", f"{AZURE}/?api-version=2025-01-01-preview", "?api-version=2025-01-01-preview"),
        (
            "azure",
            f"{AZURE}?a=1&api-version=2025-01-01-preview&b=x%20y",
            "?a=1&api-version=2025-01-01-preview&b=x%20y",
        ),
        ("azure", f"{AZURE}//?b=x+y", "?b=x+y&api-version=2024-10-21"),
        ("azure", f"{AZURE}?api-version=", "?api-version=2024-10-21"),
        ("azure", f"{AZURE}?flag=&b=1", "?flag=&b=1&api-version=2024-10-21"),
        ("azure", f"{AZURE}/openai/", "?api-version=2024-10-21"),
        # As the portal shows it to be copied.
        (
            "azure",
            f"{AZURE}/openai/deployments/x/chat/completions?api-version=2025-01-01",
            "?api-version=2025-01-01",
        ),
    ],
)
def test_the_version_of_azure_comes_from_the_address(provider, base, url):
    assert url_of(PROVIDERS[provider], "m", base) == f"{AZURE}/openai/deployments/m/chat/completions{url}"


@pytest.mark.parametrize(
    ("provider", "base", "url"),
    [
        ("azure", "https://gate.way/azure/eu/", "https://gate.way/azure/eu/openai/deployments/m/chat/completions?api-version=2024-10-21"),
        ("openai", "https://gate.way/v1/", "https://gate.way/v1/chat/completions"),
        ("openai", "https://gate.way/v1/chat/completions", "https://gate.way/v1/chat/completions"),
        ("openai", "https://gate.way/v1?tenant=1", "https://gate.way/v1/chat/completions?tenant=1"),
        ("anthropic", "https://gate.way", "https://gate.way/v1/messages"),
        ("anthropic", "https://gate.way/v1/", "https://gate.way/v1/messages"),
        ("anthropic", "https://gate.way/v1/messages", "https://gate.way/v1/messages"),
        ("ollama", "http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/chat/completions"),
    ],
)  # fmt: skip
def test_another_address_may_be_given(provider, base, url):
    assert url_of(PROVIDERS[provider], "m", base) == url


def test_there_is_a_row_for_each_provider():
    assert tuple(PROVIDERS) == get_args(ProviderName)


def test_a_script_and_a_fallback_are_clients_too(tmp_path):
    script = tmp_path / "script.jsonl"
    script.write_text('{"text": "oi"}\n', encoding="utf-8")
    client = LlmClient.from_config(
        read_settings({"CHAT_PROVIDER": "scripted", "CHAT_SCRIPT_PATH": str(script)})
    )
    assert isinstance(client, ScriptedClient)
    pytest.importorskip("chat.offline.client")
    env = environment("ollama", FALLBACK="offline")
    assert isinstance(client_for(read_settings(env), "pt"), FallbackClient)
    assert client_for(read_settings({})).name == "offline"


def test_settings_made_in_code_are_checked_too():
    from chat.settings import ChatSettings

    with pytest.raises(SettingsError, match="CHAT_API_KEY"):
        client_for(ChatSettings(provider="openai", model="m"))
