"""What the readers of both dialects share: pure state that is fed events and tells the pieces of a message."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

from chat.exceptions import ModelBroke
from chat.llm.base import Finished, FinishReason, ModelRequest, TextPiece, Usage
from chat.llm.calls import CallsUnderway, WholeText
from chat.llm.estimate import count_texts, input_tokens
from chat.llm.failures import failure_midway, words_of
from chat.llm.sse import MalformedStream, ServerEvent

MESSAGE_CHARS_MAX = 1 << 20
"""A longer message is no answer to a question: some models go on for ever."""
CALLS_MAX = 256
"""Far more than are run."""


class MessageReader(ABC):
    """
    Reads one message.

    The message is whole when its provider has said why it ended (`reason`); nothing of it matters any more once
    `is_over`, and only then is its usage known for sure.
    """

    def __init__(self, provider: str) -> None:
        self.provider = provider
        self.reason: FinishReason | None = None
        self.is_over = False
        self.calls = CallsUnderway()
        self.input_tokens: int | None = None
        self.output_tokens: int | None = None
        self.cache_read_tokens = 0
        self.cache_write_tokens = 0
        self._text = WholeText()
        self._said: list[str] = []
        self._chars = 0

    @abstractmethod
    def read(self, event: ServerEvent) -> Iterator[TextPiece]:
        """What *event* adds; raises ModelError, or MalformedStream for what is none of this dialect."""

    @abstractmethod
    def read_whole(self, message: dict[str, Any]) -> Iterator[TextPiece]:
        """The same for a message that came in one piece, as some models send it although they were asked to stream."""

    def finish(self, request: ModelRequest, new_id: Callable[[], str]) -> Iterator[TextPiece | Finished]:
        """What is left of the text, and the end; the message is whole."""
        yield from self._piece(self._text.finish())
        calls = self.calls.finish(new_id)
        reason = self.reason or "stop"
        if reason in ("stop", "tool_calls"):  # what was asked counts, however it is called
            reason = "tool_calls" if calls else "stop"
        yield Finished(
            reason,
            calls,
            self._usage(request, [*self._said, *(call.name + call.arguments for call in calls)]),
        )

    def say(self, text: object) -> Iterator[TextPiece]:
        """Some text of the message; null is none."""
        if text is None:
            return
        if not isinstance(text, str):
            raise MalformedStream("a text is no text")
        yield from self._piece(self._text.feed(text))

    def ask(self, index: object, call_id: object, name: object, arguments: object) -> None:
        """Some more of a call; see `CallsUnderway.add`."""
        self.calls.add(index, call_id, name, arguments)
        self._check_size()

    def fail(self, error: object) -> None:
        """Raise the error that the provider reports in the place of an answer, or in the middle of one."""
        raise failure_midway(self.provider, words_of(error), has_begun=bool(self._said))

    def _piece(self, text: str) -> Iterator[TextPiece]:
        if text:
            self._said.append(text)
            self._chars += len(text)
            self._check_size()
            yield TextPiece(text)

    def _check_size(self) -> None:
        if self._chars + self.calls.chars > MESSAGE_CHARS_MAX or len(self.calls) > CALLS_MAX:
            raise ModelBroke("model_answer_too_long", provider=self.provider)

    def _usage(self, request: ModelRequest, written: list[str]) -> Usage:
        is_estimated = self.input_tokens is None or self.output_tokens is None
        given = input_tokens(request) if self.input_tokens is None else self.input_tokens
        return Usage(
            given,
            count_texts(written) if self.output_tokens is None else self.output_tokens,
            min(self.cache_read_tokens, given),  # they are counted among the others
            min(self.cache_write_tokens, given),
            is_estimated,
        )


def object_in(data: str) -> dict[str, Any]:
    """The JSON object that *data* is; raises MalformedStream."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise MalformedStream("what should be JSON is none") from error
    if not isinstance(found, dict):
        raise MalformedStream("what should be an object is none")
    return found


def dict_of(value: object) -> dict[str, Any]:
    """*value* if it is an object, else one without keys."""
    return value if isinstance(value, dict) else {}


def dicts_of(value: object) -> list[dict[str, Any]]:
    """The objects in *value*, if it is a list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def tokens_of(value: object) -> int | None:
    """*value* if it counts tokens."""
    return value if type(value) is int and 0 <= value < 1 << 53 else None


def is_object(arguments: str) -> bool:
    """Whether what a model wrote as arguments can be sent back as such: some providers refuse all else."""
    try:
        found = json.loads(arguments)
        json.dumps(found, allow_nan=False)  # 1e999 can be read and not be written again
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict)


def to_bytes(body: dict[str, Any]) -> bytes:
    """*body* as JSON, always in the same bytes, so that a provider knows a prefix again."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace")  # half a character cannot travel
