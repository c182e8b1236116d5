"""Asks a provider over HTTP, in either dialect."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Iterator, Mapping
from itertools import count
from typing import Any, Protocol

from chat.exceptions import ModelBroke
from chat.llm.answer import Answer
from chat.llm.base import LlmClient, ModelRequest, Piece, TextPiece
from chat.llm.reading import MessageReader, object_in
from chat.llm.sse import MalformedStream, SseReader
from chat.llm.transport import Transport

USAGE_GRACE_S = 2.0
"""After the reason of its end the usage of a message may follow, for so long."""
WHOLE_BYTES_MAX = 4 << 20
"""So long a message in one piece may be: as objects it takes many times its bytes."""
CLOSE_GRACE_S = 0.2
"""After all of it the connection may come to its end, so that it can serve again."""

_log = logging.getLogger(__name__)


class Dialect(Protocol):
    """How a kind of provider is spoken to."""

    @property
    def headers(self) -> Mapping[str, str]:
        """What goes with every request, beside the key."""

    def body(self, request: ModelRequest) -> bytes:
        """*request* as it is sent."""

    def reader(self, provider: str) -> MessageReader:
        """What reads one message."""


class HttpClient(LlmClient):
    """A model behind HTTP."""

    def __init__(self, transport: Transport, dialect: Dialect) -> None:
        self._transport = transport
        self._dialect = dialect
        self._ids = (f"lastro_{number}" for number in count(1))

    @property
    def name(self) -> str:
        """As `CHAT_PROVIDER` has it."""
        return self._transport.provider

    async def aclose(self) -> None:
        """Let go of all connections."""
        await self._transport.aclose()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        """The pieces of the next message; see `LlmClient.stream`."""
        reader = self._dialect.reader(self.name)
        feed = _Feed(reader)
        try:
            async with self._transport.post(self._dialect.body(request), self._dialect.headers) as answer:
                async for chunk in answer:
                    for piece in feed.take(chunk):
                        yield piece
                    _settle(answer, reader)
                for piece in feed.end():
                    yield piece
        except MalformedStream as error:
            _log.debug("%s sent what is not understood: %s", self.name, error)
            raise ModelBroke("model_not_understood", provider=self.name) from error
        if reader.reason is None:
            raise ModelBroke(
                "model_not_understood" if feed.is_garbage else "model_cut_off", provider=self.name
            )
        # The connection is free again before the last piece is taken.
        for last in reader.finish(request, self._ids.__next__):
            yield last


def _settle(answer: Answer, reader: MessageReader) -> None:
    if reader.reason is not None:
        answer.settle(CLOSE_GRACE_S if reader.is_over else USAGE_GRACE_S)


class _Feed:
    """Hands bytes to a reader as what they are, whatever type is said: events, or a message in one piece."""

    def __init__(self, reader: MessageReader) -> None:
        self._reader = reader
        self._sse = SseReader()
        self._whole: bytearray | None = None
        self._has_begun = False
        self.is_garbage = True
        """Whether no event came, whatever else did."""

    def take(self, chunk: bytes) -> Iterator[TextPiece]:
        if not self._has_begun:
            chunk = chunk.lstrip()
            if not chunk:
                return
            self._has_begun = True
            self._whole = bytearray() if chunk.startswith(b"{") else None
            if chunk.startswith(b"<"):
                raise MalformedStream("a page, and no answer")
        if self._whole is not None:
            self._whole += chunk
            if len(self._whole) > WHOLE_BYTES_MAX:
                raise ModelBroke("model_answer_too_long", provider=self._reader.provider)
            return
        for event in self._sse.feed(chunk):
            self.is_garbage = False
            if event.data.strip() and not self._reader.is_over:  # an empty one keeps the connection open
                yield from self._reader.read(event)

    def end(self) -> Iterator[TextPiece]:
        if self._whole is not None:
            message: dict[str, Any] = object_in(_decoded(self._whole))
            yield from self._reader.read_whole(message)


def _decoded(content: bytearray) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise MalformedStream("a message is not UTF-8") from error
