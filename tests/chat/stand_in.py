"""A model and tools for tests of the loop: they do what a test says, and keep what they were given."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.events import CallEvent, Event, Text
from chat.llm.base import Finished, FinishReason, LlmClient, ModelRequest, Piece, TextPiece, Usage
from chat.loop import ChatLoop, ChatRun
from chat.messages import ToolCall, UserMessage

ENDLESS = object()
"""Says that a message never ends: nothing more comes."""
TOTAL = '{"verb": "SUM", "field": "valor"}'


def call(name: str = "total", arguments: str = TOTAL, given: str = "") -> ToolCall:
    return ToolCall(given, name, arguments)


Said = str | ToolCall | BaseException | float | Finished | object
"""Of one message: a text, a call, what is raised, a pause in seconds, or how it ends."""


class Model(LlmClient):
    """
    Writes the messages of its script one after the other, and the last one again when there are no more.

    A message may be a function of what was asked.
    """

    name = "stand-in"

    def __init__(
        self, *messages: Sequence[Said] | Callable[[ModelRequest], Sequence[Said]], usage: Usage | None = None
    ) -> None:
        self.messages = messages
        self.usage = usage or Usage(100, 10)
        self.requests: list[ModelRequest] = []
        self.left = 0
        """Streams that were closed before their end."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[Piece]:
        said = self.messages[min(len(self.requests), len(self.messages) - 1)]
        self.requests.append(request)
        said = said(request) if callable(said) else said
        calls: list[ToolCall] = []
        try:
            for one in said:
                match one:
                    case str():
                        yield TextPiece(one)
                    case ToolCall():
                        calls.append(one)
                    case BaseException():
                        raise one
                    case float():
                        await asyncio.sleep(one)
                    case Finished():
                        yield one
                        return
                    case _:
                        await asyncio.Event().wait()
        except (GeneratorExit, asyncio.CancelledError):
            self.left += 1
            raise
        yield Finished("tool_calls" if calls else "stop", tuple(calls), self.usage)

    async def aclose(self) -> None:
        pass


def ending(reason: FinishReason, *calls: ToolCall) -> Finished:
    return Finished(reason, calls, Usage(100, 10))


@dataclass(frozen=True)
class Answer:
    text: str
    is_refused: bool = False

    @property
    def answer(self) -> Mapping[str, Any]:
        return {"note": self.text}


@dataclass
class Tools:
    """Two tools that keep what they were asked."""

    answer: Callable[[str, str], Answer] = lambda name, arguments: Answer(f'{{"result":"{name}"}}')
    asked: list[tuple[str, str]] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)

    def definitions(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "description": name, "parameters": {"type": "object"}} for name in ("total", "top")
        ]

    def call(self, name: str, arguments: str) -> Answer:
        self.asked.append((name, arguments))
        self.threads.add(threading.get_ident())
        return self.answer(name, arguments)


async def events_of(run: ChatRun) -> list[Event]:
    return [event async for event in run]


def chat(model: LlmClient, tools: Any = None, **options: Any) -> tuple[list[Event], ChatRun]:
    """All events of one question, and the run."""
    loop = ChatLoop(model, tools or Tools(), **options)
    run = loop.run("system", (UserMessage("qual o total?"),))
    return asyncio.run(events_of(run)), run


def text_of(events: Sequence[Event]) -> str:
    return "".join(event.content for event in events if isinstance(event, Text))


def statuses(events: Sequence[Event]) -> list[str]:
    return [event.status for event in events if isinstance(event, CallEvent)]


def shape(events: Sequence[Event]) -> list[str]:
    """`open`, `text`, `running`, `done`: the types of the events, of calls their statuses."""
    return [event.status if isinstance(event, CallEvent) else event.type for event in events]
