"""The chat-completions dialect: OpenAI, Azure, Cloudflare, Ollama and GitHub Models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from chat.llm.base import FinishReason, ModelRequest, TextPiece, ToolDefinition
from chat.llm.reading import MessageReader, dict_of, dicts_of, is_object, object_in, to_bytes, tokens_of
from chat.llm.sse import MalformedStream, ServerEvent
from chat.messages import AssistantMessage, Message, ToolCall, ToolMessage

if TYPE_CHECKING:
    from chat.settings import TokenField

_REASONS: Mapping[str, FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
}


class OpenAiDialect:
    """Writes requests to one model, and reads its messages."""

    headers: Mapping[str, str] = {"Accept": "text/event-stream"}

    def __init__(
        self,
        model: str,
        *,
        max_tokens: int | None = None,
        token_field: TokenField = "max_tokens",
        temperature: float | None = None,
        takes_null: bool = True,
    ) -> None:
        self._model = model
        self._max_tokens = max_tokens
        self._token_field = token_field
        self._temperature = temperature
        self._takes_null = takes_null

    def body(self, request: ModelRequest) -> bytes:
        """*request* as it is sent: what stays the same in every round comes first."""
        body: dict[str, Any] = {"model": self._model}
        if request.tools:
            body["tools"] = [_definition(tool) for tool in request.tools]
        system = [{"role": "system", "content": request.system}] if request.system else []
        body["messages"] = [*system, *map(self._message, request.messages)]
        most = request.max_tokens or self._max_tokens
        if most is not None:
            body[self._token_field] = most
        if self._temperature is not None:
            body["temperature"] = self._temperature
        return to_bytes(body | {"stream": True, "stream_options": {"include_usage": True}})

    @staticmethod
    def reader(provider: str) -> OpenAiReader:
        """What reads one message."""
        return OpenAiReader(provider)

    def _message(self, message: Message) -> dict[str, Any]:
        match message:
            case ToolMessage():
                return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
            case AssistantMessage(calls=()):
                return {"role": "assistant", "content": message.text}
            case AssistantMessage():
                content = message.text or (None if self._takes_null else "")
                calls = [_call(call) for call in message.calls]
                return {"role": "assistant", "content": content, "tool_calls": calls}
            case _:
                return {"role": "user", "content": message.text}


class OpenAiReader(MessageReader):
    """Reads the chunks of one chat completion."""

    def read(self, event: ServerEvent) -> Iterator[TextPiece]:
        """What a chunk adds; `[DONE]` ends the message."""
        if event.data.strip() == "[DONE]":
            self.is_over = True
            self.reason = self.reason or "stop"
            return
        chunk = object_in(event.data)
        if event.type == "error" or chunk.get("error"):
            self.fail(chunk.get("error") or chunk)
        yield from self._read(chunk, "delta")

    def read_whole(self, message: dict[str, Any]) -> Iterator[TextPiece]:
        """What a whole completion says."""
        if message.get("error"):
            self.fail(message["error"])
        if not dicts_of(message.get("choices")):
            raise MalformedStream("a completion without a choice")
        yield from self._read(message, "message")
        self.reason = self.reason or "stop"
        self.is_over = True

    def _read(self, chunk: dict[str, Any], part: str) -> Iterator[TextPiece]:
        # There may be no choice at all: Azure begins so with its filters, and the chunk with the usage has none.
        for choice in dicts_of(chunk.get("choices")):
            if choice.get("index", 0) in (0, None) and self.reason is None:
                yield from self._read_delta(dict_of(choice.get(part)))
                reason = choice.get("finish_reason")
                if isinstance(reason, str) and reason:
                    self.reason = _REASONS.get(reason, "stop")
        self._read_usage(dict_of(chunk.get("usage")))

    def _read_delta(self, delta: dict[str, Any]) -> Iterator[TextPiece]:
        yield from self.say(delta.get("content"))
        yield from self.say(delta.get("refusal"))
        for fragment in dicts_of(delta.get("tool_calls")):
            function = dict_of(fragment.get("function"))
            self.ask(
                fragment.get("index"), fragment.get("id"), function.get("name"), function.get("arguments")
            )

    def _read_usage(self, usage: dict[str, Any]) -> None:
        self.input_tokens = _newer(usage.get("prompt_tokens"), self.input_tokens)
        self.output_tokens = _newer(usage.get("completion_tokens"), self.output_tokens)
        details = dict_of(usage.get("prompt_tokens_details"))
        self.cache_read_tokens = tokens_of(details.get("cached_tokens")) or self.cache_read_tokens


def _newer(value: object, known: int | None) -> int | None:
    tokens = tokens_of(value)
    return known if tokens is None else tokens


def _definition(tool: ToolDefinition) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def _call(call: ToolCall) -> dict[str, Any]:
    # What was no object was answered with an error, which tells the model more than its text would.
    arguments = call.arguments if is_object(call.arguments) else "{}"
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
