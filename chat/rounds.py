"""What came of a conversation's run, message by message: immutable, so that every decision can be made from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from chat.llm.base import FinishReason, Usage
from chat.messages import AssistantMessage, Message, ToolCall, ToolMessage
from chat.safe_text import for_model
from chat.speech import PARAGRAPH

Step = Literal["ask", "write", "done", "give_up"]
"""What comes next: a message with tools, one without, or the end with an answer or without."""
EndStatus = Literal["done", "failed", "duplicate", "refused"]


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """A question of the model and what it was told."""

    call: ToolCall
    """As it goes back to the model: an id of its own, a name and arguments that every provider takes."""
    status: EndStatus
    text: str
    """What the model is told."""
    detail: str
    """What the reader is told."""
    key: str | None = None
    """What was asked, written in the one way that equal questions share; None where nothing was run."""
    is_error: bool = False
    """Whether the model is told that it has no answer."""


@dataclass(frozen=True, slots=True)
class Round:
    """A message of the model, and the answers to its calls."""

    step: Step
    """What it was asked for."""
    text: str
    """As the reader saw it."""
    usage: Usage
    """Of a message that did not end, an estimate."""
    reason: FinishReason | None = None
    """None where the message did not end."""
    asked: tuple[ToolCall, ...] = ()
    """The calls as the model wrote them."""
    calls: tuple[AnsweredCall, ...] = ()
    """Those that were answered: all of them, unless the run has ended before."""

    def messages(self) -> Iterator[Message]:
        """What it adds to the conversation."""
        if self.text or self.calls:
            yield AssistantMessage(for_model(self.text), tuple(one.call for one in self.calls))
        for one in self.calls:
            yield ToolMessage(one.call.id, one.call.name, one.text, one.is_error)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What has come of a run: for whoever checks the answer, or settles what it cost."""

    rounds: tuple[Round, ...] = ()
    ending: Literal["done", "error"] | None = None
    """None while it runs, and of one that was left."""
    failure: str | None = None
    """The sentence of the error, by its code."""

    @property
    def text(self) -> str:
        """All that the model wrote, as the reader saw it."""
        return PARAGRAPH.join(one.text for one in self.rounds if one.text)

    @property
    def answer(self) -> str:
        """The last message of a whole answer, without what was written beside questions to tools; else nothing."""
        return self.rounds[-1].text if self.ending == "done" else ""

    @property
    def is_cut(self) -> bool:
        """Whether the answer ends where no more tokens were left."""
        return bool(self.rounds) and self.rounds[-1].reason == "length"

    @property
    def calls(self) -> tuple[AnsweredCall, ...]:
        """All calls with what was answered, in order."""
        return tuple(call for one in self.rounds for call in one.calls)

    @property
    def iterations(self) -> int:
        """How many messages the model was asked for."""
        return len(self.rounds)

    @property
    def usage(self) -> Usage:
        """The tokens of all messages."""
        return Usage(
            sum(one.usage.input_tokens for one in self.rounds),
            sum(one.usage.output_tokens for one in self.rounds),
            sum(one.usage.cache_read_tokens for one in self.rounds),
            sum(one.usage.cache_write_tokens for one in self.rounds),
            any(one.usage.is_estimated for one in self.rounds),
        )
