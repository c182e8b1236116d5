"""The Messages dialect of Anthropic."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from chat.llm.base import FinishReason, ModelRequest, TextPiece, ToolDefinition
from chat.llm.reading import MessageReader, dict_of, dicts_of, is_object, object_in, to_bytes, tokens_of
from chat.llm.sse import MalformedStream, ServerEvent
from chat.messages import AssistantMessage, Message, ToolMessage

NO_SAMPLING_FROM = "2026-10-21"
"""From this version on a request with a temperature is refused, whatever it is."""

_REASONS: Mapping[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
_CACHED = {"cache_control": {"type": "ephemeral"}}
"""The mark up to which a provider keeps a prompt: the tools, which come before it, and the system prompt."""


class AnthropicDialect:
    """Writes requests to one model, and reads its messages."""

    def __init__(
        self, model: str, *, version: str, max_tokens: int, temperature: float | None = None
    ) -> None:
        self.headers: Mapping[str, str] = {"Accept": "text/event-stream", "anthropic-version": version}
        self._model = model
        self._max_tokens = max_tokens
        self._temperature = temperature if version < NO_SAMPLING_FROM else None

    def body(self, request: ModelRequest) -> bytes:
        """*request* as it is sent: what stays the same in every round comes first."""
        body: dict[str, Any] = {"model": self._model, "max_tokens": request.max_tokens or self._max_tokens}
        if request.tools:
            body["tools"] = [_definition(tool) for tool in request.tools]
        elif asked := _names_asked(request.messages):
            # Messages about tools are refused where no tool is defined, though none may be asked any more.
            body["tools"] = [_definition(ToolDefinition(name, "", {"type": "object"})) for name in asked]
            body["tool_choice"] = {"type": "none"}
        if request.system:
            body["system"] = [{"type": "text", "text": request.system} | _CACHED]
        body["messages"] = [*_turns(request.messages)]
        if self._temperature is not None:
            body["temperature"] = self._temperature
        return to_bytes(body | {"stream": True})

    @staticmethod
    def reader(provider: str) -> AnthropicReader:
        """What reads one message."""
        return AnthropicReader(provider)


class AnthropicReader(MessageReader):
    """Reads the events of one message."""

    def __init__(self, provider: str) -> None:
        super().__init__(provider)
        self._inputs: dict[int, dict[str, Any]] = {}
        """The input with which each call began: what fragments follow are all of it, if any does."""
        self._counts: dict[str, int] = {}

    def read(self, event: ServerEvent) -> Iterator[TextPiece]:
        """What *event* adds; kinds that are not known here are passed over, as the provider asks."""
        message = object_in(event.data)
        match message.get("type") or event.type:
            case "message_start":
                self._read_usage(dict_of(dict_of(message.get("message")).get("usage")))
            case "content_block_start":
                yield from self._begin(_index(message), dict_of(message.get("content_block")))
            case "content_block_delta":
                yield from self._add(_index(message), dict_of(message.get("delta")))
            case "message_delta":
                self._end(dict_of(message.get("delta")).get("stop_reason"))
                self._read_usage(dict_of(message.get("usage")))
            case "message_stop":
                self._end("end_turn")
                self.is_over = True
            case "error":
                self.fail(message.get("error"))

    def read_whole(self, message: dict[str, Any]) -> Iterator[TextPiece]:
        """What a whole message says."""
        if message.get("type") == "error" or message.get("error"):
            self.fail(message.get("error"))
        if not isinstance(message.get("content"), list):
            raise MalformedStream("a message without content")
        for index, block in enumerate(dicts_of(message["content"])):
            yield from self._begin(index, block)
        self._read_usage(dict_of(message.get("usage")))
        self._end(message.get("stop_reason") or "end_turn")
        self.is_over = True

    def _begin(self, index: int, block: dict[str, Any]) -> Iterator[TextPiece]:
        match block.get("type"):
            case "text" if self.reason is None:
                yield from self.say(block.get("text"))
            case "tool_use" if self.reason is None:
                self._inputs[index] = dict_of(block.get("input"))
                self.ask(index, block.get("id"), block.get("name"), "")

    def _add(self, index: int, delta: dict[str, Any]) -> Iterator[TextPiece]:
        match delta.get("type"):
            case "text_delta" if self.reason is None:
                yield from self.say(delta.get("text"))
            case "input_json_delta" if self.reason is None:
                fragment = delta.get("partial_json")
                if fragment:
                    self._inputs.pop(index, None)
                self.ask(index, None, None, fragment)

    def _end(self, reason: object) -> None:
        if self.reason is not None or not isinstance(reason, str):
            return
        for index, given in self._inputs.items():
            self.ask(index, None, None, json.dumps(given, ensure_ascii=False))
        self.reason = _REASONS.get(reason, "stop")

    def _read_usage(self, usage: dict[str, Any]) -> None:
        # Each count is that of the whole message so far.
        self._counts |= {
            name: tokens for name, value in usage.items() if (tokens := tokens_of(value)) is not None
        }
        self.cache_read_tokens = self._counts.get("cache_read_input_tokens", 0)
        self.cache_write_tokens = self._counts.get("cache_creation_input_tokens", 0)
        self.output_tokens = self._counts.get("output_tokens")
        if (uncached := self._counts.get("input_tokens")) is not None:
            self.input_tokens = uncached + self.cache_read_tokens + self.cache_write_tokens


def _index(message: dict[str, Any]) -> int:
    index = message.get("index")
    return index if type(index) is int else 0


def _definition(tool: ToolDefinition) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, "input_schema": dict(tool.parameters)}


def _names_asked(messages: tuple[Message, ...]) -> list[str]:
    calls = [call for message in messages if isinstance(message, AssistantMessage) for call in message.calls]
    return list(dict.fromkeys(call.name for call in calls))


def _turns(messages: tuple[Message, ...]) -> Iterator[dict[str, Any]]:
    """One message for all that follow each other from one side, so that all results of tools are in one."""
    for role, group in groupby(messages, _role):
        if content := [block for message in group for block in _blocks(message)]:
            yield {"role": role, "content": content}


def _role(message: Message) -> str:
    return "assistant" if isinstance(message, AssistantMessage) else "user"


def _blocks(message: Message) -> Iterator[dict[str, Any]]:
    if isinstance(message, ToolMessage):
        failed = {"is_error": True} if message.is_error else {}
        yield {"type": "tool_result", "tool_use_id": message.call_id, "content": message.text} | failed
        return
    if message.text.strip():  # a text that shows nothing is refused
        yield {"type": "text", "text": message.text}
    if isinstance(message, AssistantMessage):
        for call in message.calls:
            given = json.loads(call.arguments) if is_object(call.arguments) else {}
            yield {"type": "tool_use", "id": call.id, "name": call.name, "input": given}
