"""Takes the bytes of an answer as they arrive, within limits of time and size."""

from __future__ import annotations

import asyncio
import logging
from typing import Self

import httpx2 as httpx

from chat.exceptions import ModelBroke

ANSWER_BYTES_MAX = 32 << 20

_log = logging.getLogger(__name__)


class Answer:
    """The bytes of one answer, as they arrive."""

    def __init__(self, response: httpx.Response, provider: str, stall_s: float, deadline: float) -> None:
        self._response = response
        self._provider = provider
        self._stall_s = stall_s
        self._deadline = deadline
        self._chunks = response.aiter_raw()
        self._first = b""
        self._size = 0
        self._is_settled = False

    def settle(self, grace_s: float) -> None:
        """All that matters has arrived: what follows may end in any way, and must within *grace_s*."""
        self._is_settled = True
        self._deadline = min(self._deadline, asyncio.get_running_loop().time() + grace_s)

    async def begin(self) -> None:
        """Wait for the first bytes; raises what httpx does, or TimeoutError."""
        self._first = await self._next()

    def __aiter__(self) -> Self:
        """Each piece as it arrives."""
        return self

    async def __anext__(self) -> bytes:
        """The next piece; raises ModelBroke when it does not come, or too much does."""
        try:
            chunk, self._first = self._first or await self._next(), b""
        except (TimeoutError, httpx.RequestError) as error:
            if self._is_settled:
                raise StopAsyncIteration from None
            raise self._broke(error) from error
        self._size += len(chunk)
        if self._size > ANSWER_BYTES_MAX:
            raise ModelBroke("model_answer_too_long", provider=self._provider)
        if not chunk:
            raise StopAsyncIteration
        return chunk

    async def read_some(self, most: int) -> bytes:
        """The beginning, for what is no answer: whatever could be had."""
        some = bytearray()
        try:
            while len(some) < most and (chunk := await self._next()):
                some += chunk
        except (TimeoutError, httpx.RequestError):
            _log.debug("%s broke off what it said of a failure", self._provider)
        return bytes(some[:most])

    async def aclose(self) -> None:
        """Close the connection, unless all was read: then it is kept for the next request."""
        await self._response.aclose()

    async def _next(self) -> bytes:
        """The next piece that is not empty; an empty one at the end."""
        now = asyncio.get_running_loop().time()
        async with asyncio.timeout_at(min(now + self._stall_s, self._deadline)):
            async for chunk in self._chunks:
                if chunk:
                    return chunk
        return b""

    def _broke(self, error: Exception) -> ModelBroke:
        is_late = asyncio.get_running_loop().time() >= self._deadline
        match error:
            case TimeoutError() | httpx.TimeoutException():
                code = "model_deadline" if is_late else "model_stalled"
            case _:
                code = "model_cut_off"
        return ModelBroke(code, provider=self._provider)
