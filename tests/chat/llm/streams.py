"""Recorded answers, and what stands in for the network."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any

import httpx2 as httpx
from pydantic import SecretStr

from chat.llm.anthropic import AnthropicDialect
from chat.llm.base import Finished, LlmClient, ModelRequest, Piece, TextPiece, ToolDefinition
from chat.llm.http_client import Dialect, HttpClient
from chat.llm.openai import OpenAiDialect
from chat.llm.transport import Patience, Transport
from chat.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage

KEY = "sk-canary-1234567890"
SSE = {"content-type": "text/event-stream"}
QUICK = Patience(connect_s=1, stall_s=0.2, deadline_s=1, retries=2)

TOOL = ToolDefinition(
    "soma", "Soma um campo.", {"type": "object", "properties": {"campo": {"type": "string"}}}
)
ASKED = ModelRequest("Você analisa.", (UserMessage("qual o total?"),), (TOOL,))
CALLS = (ToolCall("c1", "soma", '{"campo":"valor"}'), ToolCall("c2", "soma", "not json"))
ROUND = ModelRequest(
    "Você analisa.",
    (
        UserMessage("qual o total?"),
        AssistantMessage("", CALLS),
        ToolMessage("c1", "soma", '{"result":12}'),
        ToolMessage("c2", "soma", '{"note":"no JSON"}', is_error=True),
        UserMessage("escreva agora"),
    ),
    (TOOL,),
)
"""A second round: a message that only asked, with its answers."""


class Bytes(httpx.AsyncByteStream):
    """A body that arrives in pieces, and may break."""

    def __init__(self, pieces: Iterable[bytes | Exception]) -> None:
        self._pieces = tuple(pieces)
        self.is_closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece

    async def aclose(self) -> None:
        self.is_closed = True


def answer(*pieces: bytes | Exception, status: int = 200, headers: Mapping[str, str] = SSE) -> httpx.Response:
    return httpx.Response(status, headers=headers, stream=Bytes(pieces))


def sse(*events: object, end: str = "[DONE]") -> bytes:
    """Events in the dialect of chat completions."""
    lines = [*map(_json, events), *([end.encode()] if end else [])]
    return b"".join(b"data: %s\n\n" % line for line in lines)


def named(*events: Mapping[str, Any]) -> bytes:
    """Events in the Messages dialect."""
    return b"".join(b"event: %s\ndata: %s\n\n" % (event["type"].encode(), _json(event)) for event in events)


def _json(event: object) -> bytes:
    try:
        return json.dumps(event, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(event).encode()  # half a character travels only as an escape


def delta(reason: str | None = None, **said: object) -> dict[str, Any]:
    """A chunk of a chat completion."""
    return {"choices": [{"index": 0, "delta": said, "finish_reason": reason}]}


def fragment(**said: Any) -> dict[str, Any]:
    """A fragment of a call: `index`, `id`, `name`, `arguments`."""
    function = {key: said.pop(key) for key in ("name", "arguments") if key in said}
    return {**said, "function": function}


Handler = Callable[[httpx.Request], httpx.Response]


def client(
    handler: Handler | Sequence[httpx.Response],
    dialect: Dialect | None = None,
    *,
    provider: str = "openai",
    url: str = "http://llm/v1/chat/completions",
    patience: Patience = QUICK,
) -> HttpClient:
    """A client whose network is *handler*, or answers one after the other."""
    if not callable(handler):
        rest = iter(handler)
        handler = lambda _: next(rest)  # noqa: E731
    transport = Transport(
        provider,
        url,
        key=SecretStr(KEY),
        key_header="Authorization",
        key_scheme="Bearer ",
        patience=patience,
        wire=httpx.MockTransport(handler),
    )
    return HttpClient(transport, dialect or OpenAiDialect("m"))


def messages_dialect(**more: Any) -> AnthropicDialect:
    return AnthropicDialect("m", **{"version": "2023-06-01", "max_tokens": 4096, **more})


async def take(asked: LlmClient, request: ModelRequest = ASKED) -> tuple[str, Finished]:
    """The whole text and the end; pieces are as they must be."""
    pieces: list[Piece] = [piece async for piece in asked.stream(request)]
    *texts, last = pieces
    assert isinstance(last, Finished)
    assert all(isinstance(piece, TextPiece) and piece.text for piece in texts)
    return "".join(piece.text for piece in texts if isinstance(piece, TextPiece)), last
