"""Asks a model and answers its questions to tools until there is an answer, and tells of it as events (seed 000)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from chat.events import CallEvent, Done, Event, Failed, Open, Text
from chat.exceptions import ChatError, ModelBroke, ModelRefused, ModelUnreachable
from chat.guards import Asked, LoopLimits, ask, next_step, settle, within_limits
from chat.llm.base import Finished, LlmClient, ModelRequest, Piece, TextPiece, ToolDefinition, Usage
from chat.llm.estimate import count_texts, input_tokens
from chat.messages import Message, UserMessage
from chat.rounds import AnsweredCall, Outcome, Round, Step
from chat.safe_text import for_detail, for_json
from chat.sentences import sentence
from chat.speech import PARAGRAPH, Speech
from engine.notes import Language
from engine.query.deadline import Stop, under

if TYPE_CHECKING:
    from engine.profile import Profile

CLOSING_SECONDS = 0.5
"""So long a client may take to let go of a stream that is not wanted any more."""

logger = logging.getLogger(__name__)


class ToolReply(Protocol):
    """What a tool answers, such as `chat.tools.toolset.Reply`."""

    @property
    def answer(self) -> Mapping[str, Any]:
        """The answer; where it was refused, its `note` says why."""

    @property
    def is_refused(self) -> bool:
        """Whether the question had no meaning, or took too much."""

    @property
    def text(self) -> str:
        """The answer as JSON; nothing in it can close a fence or hide."""


class Tools(Protocol):
    """What a model may ask, such as `chat.Toolset`."""

    def definitions(self) -> Sequence[Mapping[str, Any]]:
        """Name, description and parameters of each."""

    def call(self, name: str, arguments: str) -> ToolReply:
        """The answer of the tool *name*; called in threads, one call of a conversation at a time."""


class ChatLoop:
    """A model with its tools; it may hold several conversations at a time in one event loop, if its tools may."""

    def __init__(
        self,
        client: LlmClient,
        tools: Tools,
        *,
        max_iterations: int = 8,
        deadline_seconds: float = 120.0,
        language: Language = "en",
    ) -> None:
        """
        Ask *client*, at most *max_iterations* times an answer and no longer than *deadline_seconds* in all.

        What is told to the reader and the model beside the answer is in *language*.
        """
        self.client = client
        self.tools = tools
        self.limits = LoopLimits(iterations=max_iterations, seconds=deadline_seconds)
        self.language: Language = language
        self.definitions = tuple([ToolDefinition(**one) for one in tools.definitions()])

    def run(self, system: str, history: Sequence[Message], *, profile: Profile | None = None) -> ChatRun:
        """
        Answer the last message of *history*, which `read_history` gives.

        Nothing happens until the run is iterated. *profile* is for a client that reads no prose.
        """
        return ChatRun(self, ModelRequest(system, tuple(history), self.definitions, profile=profile))


class ChatRun(AsyncIterator[Event]):
    """
    The events of one answer: `open`, then `text` and `tool_call`, then `done` or `error`, and nothing after that.

    Whoever leaves before the end calls `aclose`, or has `contextlib.aclosing` do it: the provider's stream is closed
    then. A tool that is running is stopped, and not waited for.
    """

    def __init__(self, loop: ChatLoop, request: ModelRequest) -> None:
        self._loop = loop
        self._first = request
        self._outcome = Outcome()
        self._events = self._all_events()
        self._until = 0.0

    @property
    def outcome(self) -> Outcome:
        """What has come so far; whole when the iteration has ended."""
        return self._outcome

    async def __anext__(self) -> Event:
        """The next event."""
        return await anext(self._events)

    async def aclose(self) -> None:
        """Leave: no event comes any more."""
        await self._events.aclose()

    # ---- from open to the end ----

    async def _all_events(self) -> AsyncGenerator[Event]:
        self._until = asyncio.get_running_loop().time() + self._loop.limits.seconds
        yield Open()
        failure: str | None = None
        end: Done | Failed = Done()
        try:
            async with aclosing(self._conversation()) as events:
                async for event in events:
                    yield event
        except ChatError as error:
            logger.info("An answer of %s failed: %s", self._loop.client.name, error.code)
            failure, end = error.code, Failed(error.text(self._loop.language))
        except Exception:
            # Whatever it is, the reader's client waits for an end.
            logger.exception(
                "An answer of %s failed for a reason that is not foreseen", self._loop.client.name
            )
            failure, end = "chat_went_wrong", Failed(self._say("chat_went_wrong"))
        ending: Literal["done", "error"] = "error" if failure else "done"
        self._outcome = replace(self._outcome, ending=ending, failure=failure)
        yield end

    async def _conversation(self) -> AsyncGenerator[Event]:
        limits = self._loop.limits
        while (step := next_step(self._outcome.rounds, limits)) in ("ask", "write"):
            request = self._request(step)
            for part in (self._message, self._answers):
                async with aclosing(part(step, request)) as events:
                    async for event in events:
                        yield event
        if step == "give_up":
            raise ModelBroke("chat_no_answer")
        if self._outcome.is_cut:
            yield Text(f"{PARAGRAPH}{self._say('answer_cut')}")

    # ---- one message of the model ----

    def _request(self, step: Step) -> ModelRequest:
        rounds = self._outcome.rounds
        messages = (*self._first.messages, *(message for one in rounds for message in one.messages()))
        if step == "ask":
            return replace(self._first, messages=messages)
        return replace(self._first, messages=_told(messages, self._say("write_now")), tools=())

    async def _message(self, step: Step, request: ModelRequest) -> AsyncGenerator[Event]:
        """The text as it comes; whatever happens, a round is kept of it."""
        speech = Speech(follows=bool(self._outcome.text))
        finished: Finished | None = None
        is_charged = False
        try:
            async with self._stream(request) as pieces:
                while finished is None:
                    async with self._in_time():
                        is_charged = True
                        piece = await anext(pieces, None)
                    match piece:
                        case None:
                            raise RuntimeError("The stream of a client has ended without a Finished")
                        case TextPiece():
                            if shown := speech.add(piece.text):
                                yield Text(shown)
                        case Finished():
                            finished = piece
        except (ModelUnreachable, ModelRefused):
            is_charged = bool(speech.text)
            raise
        finally:
            if finished is None:
                usage = _estimated(request, speech.text) if is_charged else Usage()
                self._begin(Round(step, speech.text, usage))
            else:
                self._begin(Round(step, speech.text, finished.usage, finished.reason, finished.calls))
        if finished.reason == "content_filter":
            # What was shown is not the answer, and what is asked beside it may be cut.
            raise ModelRefused("answer_withheld")

    def _begin(self, one: Round) -> None:
        self._outcome = replace(self._outcome, rounds=(*self._outcome.rounds, one))

    @asynccontextmanager
    async def _stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[Piece]]:
        pieces = self._loop.client.stream(request)
        try:
            yield pieces
        finally:
            close = getattr(pieces, "aclose", None)
            if close is not None:
                await self._close(close)

    async def _close(self, close: Callable[[], Awaitable[None]]) -> None:
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await close()
        except Exception:
            # The answer, or why there is none, is known already.
            logger.warning("A stream of %s could not be closed", self._loop.client.name, exc_info=True)

    # ---- the tools ----

    async def _answers(self, step: Step, request: ModelRequest) -> AsyncGenerator[Event]:
        """To all calls of the message, one after the other, so that facts are numbered in their order."""
        for position, written in enumerate(self._outcome.rounds[-1].asked):
            asked = ask(
                written,
                position,
                offered=tuple(one.name for one in request.tools),
                before=self._outcome.calls,
                limits=self._loop.limits,
                language=self._loop.language,
            )
            answered = settle(asked)
            if answered is None:
                yield CallEvent(asked.name, "running", for_detail(asked.call.arguments))
                try:
                    answered = await self._run_in_time(asked)
                except ModelBroke as late:
                    answered = asked.unanswered("failed", late.text(self._loop.language))
                    self._keep(answered)
                    yield CallEvent(asked.name, answered.status, answered.detail)
                    raise
            answered = within_limits(answered, asked)
            self._keep(answered)
            yield CallEvent(asked.name, answered.status, answered.detail)

    async def _run_in_time(self, asked: Asked) -> AnsweredCall:
        """What the tool answers; where the reader leaves, or no time is left, it is stopped."""
        stop = Stop()
        try:
            async with self._in_time():
                return await asyncio.to_thread(_run, self._loop.tools, asked, stop)
        finally:
            stop.set()  # of one that has answered there is nothing to stop

    def _keep(self, answered: AnsweredCall) -> None:
        *before, last = self._outcome.rounds
        last = replace(last, calls=(*last.calls, answered))
        self._outcome = replace(self._outcome, rounds=(*before, last))

    # ---- what both need ----

    @asynccontextmanager
    async def _in_time(self) -> AsyncGenerator[None]:
        """Around one wait, never around a `yield`: what the caller does meanwhile is not ours to cancel."""
        late = ModelBroke("answer_too_late", seconds=f"{self._loop.limits.seconds:g}")
        if asyncio.get_running_loop().time() >= self._until:
            raise late  # who never waits is never interrupted
        scope = asyncio.timeout_at(self._until)
        try:
            async with scope:
                yield
        except TimeoutError as error:
            if scope.expired():
                raise late from error
            raise

    def _say(self, code: str) -> str:
        return sentence(code, self._loop.language)


def _run(tools: Tools, asked: Asked, stop: Stop) -> AnsweredCall:
    """The tool's own answer, in a thread; what it raises is logged, and a failure that the model is told of."""
    try:
        with under(stop):
            reply = tools.call(asked.written.name, asked.call.arguments)
        text, is_refused = for_json(reply.text), reply.is_refused
        told = str(reply.answer.get("note") or text) if is_refused else text
    except Exception:
        logger.exception("The tool %s failed", asked.name)
        text = told = sentence("call_failed", asked.language)
        is_refused = True
    status: Literal["done", "failed"] = "failed" if is_refused else "done"
    return AnsweredCall(asked.call, status, text, for_detail(told), asked.key, is_refused)


def _told(messages: Sequence[Message], text: str) -> tuple[Message, ...]:
    """*messages* with a last one in the reader's place; some models take no two of a kind in a row."""
    *before, last = messages
    if isinstance(last, UserMessage):
        return (*before, UserMessage(f"{last.text}{PARAGRAPH}{text}"))
    return (*messages, UserMessage(text))


def _estimated(request: ModelRequest, text: str) -> Usage:
    """What a message that did not end has probably cost."""
    return Usage(input_tokens(request), count_texts([text]), is_estimated=True)
