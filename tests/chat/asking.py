"""How a test asks a real client at a server on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, NamedTuple, cast

from pydantic import SecretStr

from chat.llm.base import (
    Finished,
    FinishReason,
    LlmClient,
    ModelRequest,
    Piece,
    TextPiece,
    ToolDefinition,
    Usage,
)
from chat.llm.providers import ProviderName
from chat.messages import ToolCall, UserMessage
from chat.settings import ChatSettings
from chat.tools.toolset import Toolset

KEY = "chave-canario-7f3a"
"""It must appear nowhere."""


class Said(NamedTuple):
    """A whole message of a model."""

    text: str
    calls: tuple[ToolCall, ...]
    reason: FinishReason
    usage: Usage


def client_at(provider: ProviderName, address: str, *, key: str = KEY, **settings: Any) -> LlmClient:
    """The client of *provider*, who is at *address*."""
    named = {"model": "m", "api_key": SecretStr(key), "base_url": address, **settings}
    return LlmClient.from_config(ChatSettings(provider=provider, **named))


def request(question: str, *, tools: bool = True, **more: Any) -> ModelRequest:
    """A request with a system prompt, and with the tools of a report."""
    offered = tuple(ToolDefinition(**one) for one in Toolset.definitions()) if tools else ()
    return ModelRequest("You answer questions about sales.", (UserMessage(question),), offered, **more)


def pieces(client: LlmClient, asked: ModelRequest) -> AsyncGenerator[Piece]:
    """The pieces of an answer; every client's can be closed."""
    return cast(AsyncGenerator[Piece], client.stream(asked))


async def read(client: LlmClient, asked: ModelRequest) -> Said:
    """The whole answer; that its pieces come as they must is checked on the way."""
    texts: list[str] = []
    last: Finished | None = None
    async with aclosing(pieces(client, asked)) as told:
        async for piece in told:
            assert last is None, "something comes after the end"
            match piece:
                case TextPiece(text):
                    assert text
                    texts.append(text)
                case Finished():
                    last = piece
    assert last is not None, "there is no end"
    return Said("".join(texts), last.calls, last.reason, last.usage)


def ask(client: LlmClient, asked: ModelRequest) -> Said:
    """The whole answer of a client that is not needed any more."""

    async def read_and_close() -> Said:
        try:
            return await read(client, asked)
        finally:
            await client.aclose()

    return asyncio.run(read_and_close())
