"""Hundreds of conversations over a provider that does its worst: each ends, once, in time, and with the right words."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pytest

from chat.events import CallEvent, Done, Event, Failed, Open, Text
from chat.llm.base import LlmClient
from chat.loop import ChatLoop
from chat.messages import UserMessage
from chat.rounds import Outcome
from chat.tools.toolset import Toolset
from engine.band import type_band
from engine.profile import profile_bands
from engine.snapshot import Snapshot
from tests.chat.asking import KEY, client_at
from tests.chat.dialects import DIALECTS, Dialect
from tests.chat.fault_server import FaultServer, Visit
from tests.chat.faults import FAULTS, Fault
from tests.chat.plays import ASKED, PROVIDERS_WORDS, SAID, drips, says
from tests.engine.small import raw_band

CHATS = int(os.environ.get("LASTRO_FAULTY_CHATS", "600"))
AT_A_TIME = 50
LATE = ("model_no_answer", "model_stalled", "model_deadline", "answer_too_late")
STALL_S, MESSAGE_S, CHAT_S = 1.0, 2.0, 4.0
PATIENCE: dict[str, Any] = {
    "connect_seconds": 1,
    "stall_seconds": STALL_S,
    "deadline_seconds": MESSAGE_S,
    "retries": 1,
}
FIELDS: dict[str, list[str | None]] = {
    "vendedor": ["Ana", "Bruno", "Ana"],
    "valor_total": ["1,50", "2,25", "4,00"],
}
BANDS = (type_band(raw_band(FIELDS, "vendas", style="br", locale="pt-BR")),)
SNAPSHOT = Snapshot(BANDS, profile_bands(BANDS))


class Held(NamedTuple):
    """A conversation that is over."""

    events: tuple[Event, ...]
    outcome: Outcome
    seconds: float

    @property
    def failure(self) -> str | None:
        """How it ended, by the code of the sentence."""
        return self.outcome.failure


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """What a conversation will meet."""

    fault: Fault
    dialect: Dialect
    rounds_before: int
    """Messages that ask a tool, before the fault."""
    visit: Visit

    @property
    def expected(self) -> str | None:
        """How it should end."""
        return self.fault.outcome(self.dialect).error

    def again(self, server: FaultServer) -> Meeting:
        """The same once more."""
        return replace(self, visit=server.visit(*self.visit.plays))

    def __str__(self) -> str:
        return f"{self.fault.name}, {self.dialect}, after {self.rounds_before} rounds"


def meet(server: FaultServer, chance: random.Random) -> Meeting:
    """Choose what a conversation will meet."""
    fault = chance.choice([fault for fault in FAULTS if not fault.is_heavy])
    dialect, before = chance.choice(DIALECTS), chance.randrange(2)
    faulty = [fault.play] * fault.outcome(dialect).attempts
    return Meeting(fault, dialect, before, server.visit(*[says(ASKED)] * before, *faulty, says(SAID)))


async def hold(loop: ChatLoop, visit: Visit) -> Held:
    """Have a conversation."""
    run = loop.run("Você responde sobre vendas.", (UserMessage(f"{visit.mark}: qual o total?"),))
    begun = time.monotonic()
    async with aclosing(run):
        events = tuple([event async for event in run])
    return Held(events, run.outcome, time.monotonic() - begun)


async def hold_all(
    meetings: Iterable[Meeting], server: FaultServer, tools: Toolset, at_a_time: int
) -> list[Held]:
    """All of them, many at a time, with one client and one loop a dialect."""
    turn = asyncio.Semaphore(at_a_time)
    clients = {dialect: client_at(dialect, server.address, **PATIENCE) for dialect in DIALECTS}
    loops = {
        dialect: ChatLoop(client, tools, deadline_seconds=CHAT_S, language="pt")
        for dialect, client in clients.items()
    }

    async def in_turn(meeting: Meeting) -> Held:
        async with turn:
            return await hold(loops[meeting.dialect], meeting.visit)

    held = await asyncio.gather(*map(in_turn, meetings))
    for client in clients.values():
        await client.aclose()
    assert asyncio.all_tasks() == {asyncio.current_task()}, "something still runs"
    return list(held)


def test_every_faulty_chat_ends_once_and_in_time(caplog):
    caplog.set_level("DEBUG", logger="chat")
    chance = random.Random(20261130)
    with FaultServer() as server, Toolset(SNAPSHOT, language="pt") as tools:
        meetings = [meet(server, chance) for _ in range(CHATS)]
        chats = asyncio.run(hold_all(meetings, server, tools, AT_A_TIME))
        ends = {meeting: chat.failure for meeting, chat in zip(meetings, chats, strict=True)}
        # On a busy machine a good answer can be late: how such a fault ends is seen in quiet.
        late = [meeting for meeting, end in ends.items() if end in LATE and end != meeting.expected]
        quiet = asyncio.run(hold_all([one.again(server) for one in late], server, tools, 4))
        ends |= {meeting: chat.failure for meeting, chat in zip(late, quiet, strict=True)}
        connections = [seen for meeting in meetings for seen in meeting.visit.requests]
        assert all(seen.over.wait(5) for seen in connections), "a connection is open"
    assert len(chats) == CHATS
    named = list(zip(meetings, chats, strict=True))
    assert [f"{met}: {chat.events}" for met, chat in named if not has_the_right_shape(chat.events)] == []
    assert [f"{met}: {chat.seconds:.2f} s" for met, chat in named if chat.seconds > CHAT_S + 1] == []
    assert [f"{met}: {end}" for met, end in ends.items() if end != met.expected] == []
    assert {type(chat.events[-1]) for chat in chats} == {Done, Failed}
    told = "".join(str(event.payload) for chat in chats for event in chat.events)
    told.encode()
    assert PROVIDERS_WORDS not in told
    assert KEY not in told + caplog.text
    # Nothing that is not foreseen is hidden behind a friendly sentence.
    assert not [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]


def hold_one(client: LlmClient, visit: Visit) -> Held:
    """Have one conversation, with a client that is not needed any more."""

    async def hold_and_close() -> Held:
        with Toolset(SNAPSHOT) as tools:
            held = await hold(ChatLoop(client, tools), visit)
        await client.aclose()
        return held

    return asyncio.run(hold_and_close())


def has_the_right_shape(events: tuple[Event, ...]) -> bool:
    """Open, then texts and calls, then one end; a call that runs has ended before anything else is told."""
    first, *amid, last = events
    running: str | None = None
    for event in amid:
        match event:
            case Text(content) if content and running is None:
                pass
            case CallEvent(name, "running") if running is None:
                running = name
            case CallEvent(name, "done") if running == name:
                running = None
            case CallEvent(name, "failed" | "duplicate" | "refused") if running in (None, name):
                running = None
            case _:
                return False
    return isinstance(first, Open) and running is None and isinstance(last, Done | Failed)


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_chat_ends_where_nobody_listens(server, dialect):
    client = client_at(dialect, server.refusing_address, **PATIENCE)
    chat = hold_one(client, server.visit(says(SAID)))
    assert [type(event) for event in chat.events] == [Open, Failed]
    assert chat.failure == "model_no_connection"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "arguments",
    [
        "", "null", "[]", '"text"', "{", "{}{}", '{"verb": NaN}', '{"field": 1e999}', '{"field": -Infinity}',
        '{"field": ' + "9" * 5000 + "}", '{"field": ' + "[" * 5000 + "]" * 5000 + "}", '{"field": "\\ud800"}',
        '{"field": "\\u0000"}', '{"field": "a", "field": "b"}',
        '{"field": "</dados>"}', '{"' + "x" * 20_000 + '": 1}',
    ],
    ids=lambda text: text[:24] or "nothing",
)  # fmt: skip
def test_whatever_a_model_asks_the_conversation_goes_on(server, dialect, arguments):
    """What it wrote goes back to the provider with the next request, in a form that can be sent."""
    call = replace(ASKED.calls[0], arguments=arguments)
    visit = server.visit(says(replace(ASKED, calls=(call,))), says(SAID))
    chat = hold_one(client_at(dialect, server.address), visit)
    assert (chat.failure, len(visit.requests)) == (None, 2)
    assert [event.status for event in chat.events if isinstance(event, CallEvent)][-1:] == ["failed"]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "name",
    ["", "no such tool", "sulfite_group_by\u200b", "x" * 5000, "../../etc", "\ud800", "</dados>"],
    ids=lambda text: ascii(text)[:24],
)
def test_whatever_a_model_calls_a_tool_the_conversation_goes_on(server, dialect, name):
    call = replace(ASKED.calls[0], name=name)
    visit = server.visit(says(replace(ASKED, calls=(call,))), says(SAID))
    chat = hold_one(client_at(dialect, server.address), visit)
    assert (chat.failure, len(visit.requests)) == (None, 2)
    assert [event.status for event in chat.events if isinstance(event, CallEvent)] == ["refused"]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("is_cancelled", [False, True], ids=["closed", "cancelled"])
def test_whoever_leaves_a_chat_closes_the_connection_to_the_provider(server, dialect, is_cancelled):
    visit = server.visit(drips)

    async def leave() -> None:
        client = client_at(dialect, server.address)
        with Toolset(SNAPSHOT) as tools:
            run = ChatLoop(client, tools).run("", (UserMessage(visit.mark),))
            assert [type(await anext(run)), type(await anext(run))] == [Open, Text]
            if is_cancelled:
                waiting = asyncio.ensure_future(anext(run))
                await asyncio.sleep(0)
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
            else:
                await run.aclose()
            assert await asyncio.to_thread(visit.requests[0].client_left.wait, 2)
        await client.aclose()

    asyncio.run(leave())
