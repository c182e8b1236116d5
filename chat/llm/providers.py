"""Knows the providers: a row for each says where it is, how it is asked and what must be set for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from engine.notes import Language

if TYPE_CHECKING:
    from chat.llm.base import LlmClient
    from chat.settings import ChatSettings, TokenField

ProviderName = Literal[
    "openai", "anthropic", "azure", "cloudflare", "ollama", "gh_models", "offline", "scripted"
]

AZURE_API_VERSION = "2024-10-21"
"""Where the query of the address names no `api-version`."""
ANTHROPIC_MAX_TOKENS = 4_096
"""Where nothing is set: this provider must be told how long a message may be."""


@dataclass(frozen=True, slots=True)
class Provider:
    """How one provider is reached."""

    name: ProviderName
    needs: Mapping[str, str]
    """The settings without which it cannot be asked, each with the term that says what it is."""
    address: str = ""
    """Where it is, unless `CHAT_BASE_URL` says something else."""
    path: str = "/chat/completions"
    """What follows the address; `{model}` is the model's name."""
    key_header: str = "Authorization"
    """The header with the key; empty if there is none."""
    key_scheme: str = "Bearer "
    """What stands before the key."""
    token_field: TokenField = "max_tokens"
    takes_null: bool = True
    """Whether a message that only asks tools may have no content at all, instead of an empty text."""


_MODEL = {"model": "the_model"}
_KEY = {"api_key": "the_key"}
_ADDRESS = {"base_url": "the_address"}

PROVIDERS: Mapping[ProviderName, Provider] = MappingProxyType(
    {
        row.name: row
        for row in (
            Provider(
                "openai",
                _MODEL | _KEY,
                "https://api.openai.com/v1",
                token_field="max_completion_tokens",  # its models of 2025 and later know no other
            ),
            Provider(
                "anthropic",
                _MODEL | _KEY,
                "https://api.anthropic.com",
                "/v1/messages",
                key_header="x-api-key",
                key_scheme="",
            ),
            Provider(
                "azure",
                {"model": "the_deployment"} | _KEY | _ADDRESS,
                path="/openai/deployments/{model}/chat/completions",
                key_header="api-key",
                key_scheme="",
            ),
            Provider("cloudflare", _MODEL | _KEY | _ADDRESS, takes_null=False),
            Provider("ollama", _MODEL, "http://localhost:11434/v1", key_header=""),
            Provider("gh_models", _MODEL | _KEY, "https://models.github.ai/inference"),
            Provider("offline", {}),
            Provider("scripted", {"script_path": "the_script"}),
        )
    }
)


def client_for(settings: ChatSettings, language: Language = "en") -> LlmClient:
    """
    The client that *settings* name; raises `SettingsError`.

    *language* is that of what the client says in its own words: that it answers in place of another, or all that the
    provider `offline` says.
    """
    settings.check()
    client = _client(settings, language)
    if settings.fallback == "none" or settings.provider == "offline":
        return client
    from chat.llm.fallback import FallbackClient

    return FallbackClient(client, _offline(language), language)


def url_of(row: Provider, model: str, base_url: str | None) -> str:
    """
    The address to which every request goes.

    A query of *base_url* stays. What people copy with it is taken off: slashes at its end, and the path itself.

    >>> url_of(PROVIDERS["azure"], "gpt-4.1", "https://x.azure.com/?api-version=2025-01-01-preview")
    'https://x.azure.com/openai/deployments/gpt-4.1/chat/completions?api-version=2025-01-01-preview'
    """
    parts = urlsplit(base_url or row.address)
    path = parts.path.rstrip("/")
    query = parts.query
    match row.name:
        case "azure":
            path = path.partition("/openai")[0].rstrip("/")
            query = _with_version(query)
        case "anthropic":
            path = path.removesuffix("/messages").removesuffix("/v1")
        case _:
            path = path.removesuffix("/chat/completions")
    path += row.path.format(model=quote(model, safe=""))
    return urlunsplit((parts.scheme, parts.netloc, path, query, ""))


def _with_version(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    if any(name == "api-version" and value for name, value in pairs):
        return query
    others = [(name, value) for name, value in pairs if name != "api-version"]
    return urlencode([*others, ("api-version", AZURE_API_VERSION)])


def _client(settings: ChatSettings, language: Language) -> LlmClient:
    row = PROVIDERS[settings.provider]
    if row.name == "offline":
        return _offline(language)
    if row.name == "scripted":
        from chat.llm.scripted import ScriptedClient

        assert settings.script_path is not None  # as `check` has seen
        return ScriptedClient.from_file(settings.script_path)
    from chat.llm.http_client import HttpClient
    from chat.llm.transport import Patience, Transport

    model = settings.model or ""
    transport = Transport(
        row.name,
        url_of(row, model, settings.base_url),
        key=settings.api_key,
        key_header=row.key_header,
        key_scheme=row.key_scheme,
        patience=Patience.of(settings),
    )
    if row.name == "anthropic":
        from chat.llm.anthropic import AnthropicDialect

        return HttpClient(
            transport,
            AnthropicDialect(
                model,
                version=settings.anthropic_version,
                max_tokens=settings.max_tokens or ANTHROPIC_MAX_TOKENS,
                temperature=settings.temperature,
            ),
        )
    from chat.llm.openai import OpenAiDialect

    return HttpClient(
        transport,
        OpenAiDialect(
            model,
            max_tokens=settings.max_tokens,
            token_field=settings.token_field or row.token_field,
            temperature=settings.temperature,
            takes_null=row.takes_null,
        ),
    )


def _offline(language: Language) -> LlmClient:
    from chat.offline.client import OfflineClient

    client: LlmClient = OfflineClient(language)
    return client
