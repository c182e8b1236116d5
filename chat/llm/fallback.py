"""Lets a second client answer where the first does not, and says so."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from chat.exceptions import ModelRefused, ModelUnreachable
from chat.llm.base import LlmClient, ModelRequest, Piece, TextPiece
from chat.messages import ToolMessage
from chat.sentences import sentence
from engine.notes import Language

CALL_PREFIX = "instead_"
"""What the second client asks is known by it, so that the answers go to it and not to the first."""

_log = logging.getLogger(__name__)


class FallbackClient(LlmClient):
    """Asks *first*; where that fails before anything was said, *then* answers, after a sentence that tells so."""

    def __init__(self, first: LlmClient, then: LlmClient, language: Language = "en") -> None:
        self._first = first
        self._then = then
        self._language = language

    @property
    def name(self) -> str:
        """That of the first."""
        return self._first.name

    async def aclose(self) -> None:
        """Let go of the connections of both."""
        try:
            await self._first.aclose()
        finally:
            await self._then.aclose()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        """The pieces of the first client's message, or else the notice and those of the second's."""
        if not _is_of_second(request):
            has_begun = False
            try:
                async with _closing(self._first.stream(request)) as pieces:
                    async for piece in pieces:
                        has_begun = True
                        yield _unmarked(piece)
                return
            except (ModelUnreachable, ModelRefused) as error:
                if has_begun:
                    raise
                _log.info("%s does not answer (%s): %s does", self.name, error.code, self._then.name)
            yield TextPiece(sentence("answered_instead", self._language, provider=self.name) + "\n\n")
        async with _closing(self._then.stream(request)) as pieces:
            async for piece in pieces:
                yield _marked(piece)


def _marked(piece: Piece) -> Piece:
    if isinstance(piece, TextPiece):
        return piece
    return replace(piece, calls=tuple([replace(call, id=CALL_PREFIX + call.id) for call in piece.calls]))


def _unmarked(piece: Piece) -> Piece:
    """What the first client said; a provider may give a call any id, and its own would be taken for the second's."""
    if isinstance(piece, TextPiece) or not any(call.id.startswith(CALL_PREFIX) for call in piece.calls):
        return piece
    return replace(piece, calls=tuple([replace(call, id=_own(call.id)) for call in piece.calls]))


def _own(call_id: str) -> str:
    return f"first_{call_id}" if call_id.startswith(CALL_PREFIX) else call_id


@asynccontextmanager
async def _closing(pieces: AsyncIterator[Piece]) -> AsyncIterator[AsyncIterator[Piece]]:
    """Close what is left early at once, and not when it is collected as garbage."""
    try:
        yield pieces
    finally:
        if isinstance(pieces, AsyncGenerator):
            await pieces.aclose()


def _is_of_second(request: ModelRequest) -> bool:
    return any(
        isinstance(message, ToolMessage) and message.call_id.startswith(CALL_PREFIX)
        for message in request.messages
    )
