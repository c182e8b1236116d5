"""The two dialects of chat as providers write them: an answer goes in, the events of its stream come out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from chat.llm.base import FinishReason, Usage
from chat.messages import ToolCall

Dialect = Literal["openai", "anthropic"]
DIALECTS: tuple[Dialect, ...] = ("openai", "anthropic")
PATHS: Mapping[Dialect, str] = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}
STOP_REASONS: Mapping[FinishReason, str] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}
USAGE = Usage(31, 7, cache_read_tokens=20)


@dataclass(frozen=True, slots=True)
class Answer:
    """One message of a model, in the pieces in which it is written."""

    texts: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    reason: FinishReason = "stop"
    usage: Usage | None = USAGE

    @property
    def text(self) -> str:
        """All that it says."""
        return "".join(self.texts)


def events(dialect: Dialect, answer: Answer) -> list[dict[str, Any]]:
    """The events of the stream in which *answer* is written, the terminal one included."""
    return _openai_events(answer) if dialect == "openai" else _anthropic_events(answer)


def frames(dialect: Dialect, told: Iterable[Mapping[str, Any]]) -> list[bytes]:
    """Events as they travel; OpenAI's `[DONE]` is no event of *told*."""
    if dialect == "openai":
        return [b"data: %s\n\n" % _json(event) for event in told]
    return [b"event: %s\ndata: %s\n\n" % (event["type"].encode(), _json(event)) for event in told]


def stream(dialect: Dialect, answer: Answer) -> list[bytes]:
    """The whole stream of *answer*, an item an event."""
    end = [b"data: [DONE]\n\n"] if dialect == "openai" else []
    return frames(dialect, events(dialect, answer)) + end


def whole(dialect: Dialect, answer: Answer) -> dict[str, Any]:
    """*answer* as a provider writes it that does not stream."""
    if dialect == "openai":
        message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
        if answer.calls:
            message["tool_calls"] = [_openai_call(call) for call in answer.calls]
        choice = {"index": 0, "message": message, "finish_reason": answer.reason}
        return {"id": "c-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]} | (
            {} if answer.usage is None else {"usage": _openai_usage(answer.usage)}
        )
    content: list[dict[str, Any]] = [{"type": "text", "text": answer.text}] if answer.text else []
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": json.loads(call.arguments)}
        for call in answer.calls
    ]
    usage = {} if answer.usage is None else {"usage": _anthropic_usage(answer.usage)}
    return _anthropic_message(content) | {"stop_reason": STOP_REASONS[answer.reason]} | usage


def cut(text: str, size: int = 6) -> list[str]:
    """*text* in pieces, as arguments arrive."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def chunk(delta: Mapping[str, Any], reason: str | None = None) -> dict[str, Any]:
    """An event of OpenAI's dialect."""
    return _chunk([{"index": 0, "delta": delta, "finish_reason": reason}])


def usage_chunk(usage: Usage) -> dict[str, Any]:
    """OpenAI's last event, in which nobody says anything."""
    return _chunk([]) | {"usage": _openai_usage(usage)}


def _chunk(choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}


def _openai_events(answer: Answer) -> list[dict[str, Any]]:
    told = [chunk({"role": "assistant", "content": ""})]
    told += [chunk({"content": text}) for text in answer.texts]
    for index, call in enumerate(answer.calls):
        opening = _openai_call(call) | {"index": index}
        opening["function"]["arguments"] = ""
        told.append(chunk({"tool_calls": [opening]}))
        told += [
            chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
            for part in cut(call.arguments)
        ]
    told.append(chunk({}, answer.reason))
    return told if answer.usage is None else [*told, usage_chunk(answer.usage)]


def _openai_call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _openai_usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read_tokens},
    }


def _anthropic_events(answer: Answer) -> list[dict[str, Any]]:
    begun = {} if answer.usage is None else {"usage": _anthropic_usage(answer.usage) | {"output_tokens": 1}}
    ended = {} if answer.usage is None else {"usage": {"output_tokens": answer.usage.output_tokens}}
    told: list[dict[str, Any]] = [
        {"type": "message_start", "message": _anthropic_message([]) | begun},
        {"type": "ping"},
    ]
    if answer.texts:
        deltas = [{"type": "text_delta", "text": text} for text in answer.texts]
        told += _block(0, {"type": "text", "text": ""}, deltas)
    for index, call in enumerate(answer.calls, start=1 if answer.texts else 0):
        opening = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        parts = [{"type": "input_json_delta", "partial_json": part} for part in ["", *cut(call.arguments)]]
        told += _block(index, opening, parts)
    reason = {"stop_reason": STOP_REASONS[answer.reason], "stop_sequence": None}
    return [*told, {"type": "message_delta", "delta": reason, **ended}, {"type": "message_stop"}]


def _block(
    index: int, opening: Mapping[str, Any], deltas: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = [
        {"type": "content_block_start", "index": index, "content_block": opening},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]
    return told


def _anthropic_message(content: list[dict[str, Any]]) -> dict[str, Any]:
    named = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m"}
    return named | {"content": content, "stop_reason": None, "stop_sequence": None}


def _anthropic_usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens,
        "cache_read_input_tokens": usage.cache_read_tokens,
        "cache_creation_input_tokens": usage.cache_write_tokens,
        "output_tokens": usage.output_tokens,
    }


def _json(event: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        # Half a surrogate pair can travel only as an escape.
        return json.dumps(event).encode()
