"""A server that answers as the worst of providers do: it plays bytes, pauses and ends, below any HTTP library."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Self

from tests.chat.dialects import Dialect

LIFE_SECONDS = 60
"""No connection lives longer, whatever a test forgets."""
SECRET_HEADERS = frozenset({"authorization", "x-api-key", "api-key"})
VISIT = re.compile(rb"visit-(\d+)")


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing for a while."""

    seconds: float


class End(Enum):
    """How an answer ends, if not as it should."""

    RESET = auto()
    """The connection is torn down (RST)."""
    HOLD = auto()
    """Nothing more, until the client has enough."""


Step = bytes | Pause | End
Play = Callable[[Dialect], Iterable[Step]]
"""What is written in answer to one request; it may have no end."""


@dataclass(slots=True)
class Seen:
    """A request as it came, and what became of it."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case; of a key only that it came."""
    body: Any
    sent: int = 0
    """Bytes that the client let us write."""
    client_left: threading.Event = field(default_factory=threading.Event)
    """The client closed the connection before we did."""
    over: threading.Event = field(default_factory=threading.Event)
    """The connection is closed, by whomever."""


@dataclass(slots=True)
class Visit:
    """One conversation: its requests are answered by its plays in turn, the last of them again and again."""

    number: int
    plays: tuple[Play, ...]
    requests: list[Seen] = field(default_factory=list)

    @property
    def mark(self) -> str:
        """What must stand somewhere in each request, say in the question: one client may make many visits."""
        return f"visit-{self.number}"


class FaultServer:
    """Listens on loopback, in a thread of its own, while it is entered."""

    def __init__(self) -> None:
        """Nothing listens before it is entered."""
        self._visits: list[Visit] = []
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> Self:
        """Listen."""
        # Bound but not listening: nobody else gets the port, and whoever calls is refused.
        self._refusing = socket.socket()
        self._refusing.bind(("127.0.0.1", 0))
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        """Close every connection."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        self._refusing.close()
        assert not self._thread.is_alive()

    def visit(self, *plays: Play) -> Visit:
        """Agree on what the next conversation will meet."""
        visit = Visit(len(self._visits), plays)
        self._visits.append(visit)
        return visit

    @property
    def address(self) -> str:
        """Where it listens; what is asked there makes the dialect."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def refusing_address(self) -> str:
        """Where nobody listens."""
        return f"http://127.0.0.1:{self._refusing.getsockname()[1]}"

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._open: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0, backlog=512)
        self.port: int = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            # A client that leaves, at whatever moment, is what is played here: it is recorded in `Seen`.
            with suppress(ConnectionError, TimeoutError, asyncio.IncompleteReadError, asyncio.CancelledError):
                async with asyncio.timeout(LIFE_SECONDS):
                    await self._answer(reader, writer)
        finally:
            writer.close()
            self._open.discard(task)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        body = await reader.readexactly(int(length[1])) if length else b""
        mark = VISIT.search(head + body)
        assert mark, f"a request without the mark of a visit: {head!r}"
        visit, seen = self._visits[int(mark[1])], read_request(head, body)
        visit.requests.append(seen)
        play = visit.plays[min(len(visit.requests), len(visit.plays)) - 1]
        leaving = asyncio.create_task(_wait_for_leaving(reader, seen))
        try:
            for step in play("anthropic" if seen.path.endswith("/messages") else "openai"):
                match step:
                    case bytes():
                        writer.write(step)
                        await writer.drain()
                        seen.sent += len(step)
                    case Pause(seconds):
                        await asyncio.wait([leaving], timeout=seconds)
                    case End.HOLD:
                        await leaving
                    case End.RESET:
                        _reset(writer)
                if leaving.done():
                    return
            await writer.drain()
        except ConnectionError:
            seen.client_left.set()
        finally:
            leaving.cancel()
            seen.over.set()


def _reset(writer: asyncio.StreamWriter) -> None:
    # Closing without lingering is what sends RST.
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()


async def _wait_for_leaving(reader: asyncio.StreamReader, seen: Seen) -> None:
    # Nobody sends a second request before the first is answered: a byte that comes is none.
    with suppress(ConnectionError):
        await reader.read(1)
    seen.client_left.set()


def read_request(head: bytes, body: bytes) -> Seen:
    """A request in its parts; its keys are left out."""
    first, *lines = head.decode("latin-1").rstrip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.split(": ", 1) for line in lines)
    headers = {name.lower(): _redacted(name.lower(), value) for name, value in pairs}
    return Seen(method, path, headers, json.loads(body) if body else None)


def _redacted(name: str, value: str) -> str:
    if name not in SECRET_HEADERS:
        return value
    scheme, found, _ = value.partition(" ")
    return f"{scheme} ***" if found else "***"
