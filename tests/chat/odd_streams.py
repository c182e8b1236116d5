"""Streams that are well-formed and odd: events twice, in another order, of other types, or after the end."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tests.chat.dialects import Answer, Dialect, chunk, stream
from tests.chat.fault_server import End, Pause, Step
from tests.chat.plays import ASKED, PROVIDERS_WORDS, SAID, begun, middle, says, streamed


def half_arguments(dialect: Dialect) -> Iterable[Step]:
    (call,) = ASKED.calls
    return says(replace(ASKED, calls=(replace(call, arguments='{"verb": "SU'),)))(dialect)


def holds_after_the_end(dialect: Dialect) -> Iterable[Step]:
    yield from begun(stream(dialect, SAID))
    yield End.HOLD


def resets_after_the_end(dialect: Dialect) -> Iterable[Step]:
    yield from begun(stream(dialect, SAID))
    yield Pause(0.05)
    yield End.RESET


def goes_on_after_the_end(dialect: Dialect) -> Iterable[Step]:
    """A second answer, and garbage, where nobody listens any more."""
    return streamed([*stream(dialect, SAID), *stream(dialect, SAID), b"data: {]\n\n"])


def with_one_id(answer: Answer) -> Answer:
    return replace(answer, calls=tuple(replace(call, id="call-1") for call in answer.calls))


def other_order(dialect: Dialect, made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The second call before the first, by its index."""
    if dialect == "openai":
        calls = [event for event in made if event["choices"] and "tool_calls" in event["choices"][0]["delta"]]
        order = sorted(calls, key=lambda event: -event["choices"][0]["delta"]["tool_calls"][0]["index"])
    else:
        calls = [event for event in made if "index" in event]
        order = sorted(calls, key=lambda event: -event["index"])
    at = made.index(calls[0])
    return [*made[:at], *order, *made[at + len(calls) :]]


def two_ends(dialect: Dialect, made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    at = next(at for at, event in enumerate(made) if _is_end(dialect, event))
    return [*made[: at + 1], made[at], *made[at + 1 :]]


def no_end(dialect: Dialect, made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in made if not _is_end(dialect, event) and event.get("type") != "message_stop"]


def _is_end(dialect: Dialect, event: Mapping[str, Any]) -> bool:
    if dialect == "anthropic":
        return bool(event["type"] == "message_delta")
    return any(choice["finish_reason"] is not None for choice in event["choices"])


def nobody_first(dialect: Dialect, made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What Azure sends first."""
    if dialect == "anthropic":
        return made
    return [{**chunk({}), "choices": [], "prompt_filter_results": [{"prompt_index": 0}]}, *made]


def unknown_events(dialect: Dialect, made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a provider may add one day."""
    if dialect == "anthropic":
        return [made[0], {"type": "a_new_event", "what": [1]}, *made[1:]]
    return [{"id": "c-1", "object": "a.new.object"}, *({**event, "a_new_field": {}} for event in made)]


def odd_types(dialect: Dialect, made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Nulls and lists where objects were agreed on."""
    if dialect == "anthropic":
        odd: list[dict[str, Any]] = [
            {"type": "content_block_delta", "index": "x", "delta": None},
            {"type": "content_block_start", "index": None, "content_block": "text"},
        ]
    else:
        odd = [
            {"choices": "none"},
            {"choices": [None, 3]},
            {"choices": [{"delta": None}]},
            {"choices": [{"delta": []}]},
        ]
        odd += [
            chunk({"tool_calls": {"index": 0}}),
            chunk({"tool_calls": [None, "call"]}),
        ]
    return [*made[:2], *odd, *made[2:]]


def error_in_stream(dialect: Dialect, made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    error = {"message": PROVIDERS_WORDS, "type": "overloaded_error"}
    if dialect == "openai":
        return [*made[:2], {"error": error}]
    return [*made[:4], {"type": "error", "error": error}]


def error_as_event(dialect: Dialect) -> Iterable[Step]:
    """As some servers do: the event is named, or the field is."""
    error = json.dumps({"message": PROVIDERS_WORDS, "code": 500}).encode()
    return streamed([*middle(dialect), b"event: error\ndata: %s\n\n" % error, b"error: %s\n\n" % error])


def deep_json(dialect: Dialect) -> Iterable[Step]:
    return streamed([*middle(dialect), b"data: " + b'{"a":' * 100_000 + b"\n\n"])


def long_number(dialect: Dialect) -> Iterable[Step]:
    """More digits than Python reads."""
    return streamed([*middle(dialect), b'data: {"type": "ping", "index": ' + b"9" * 5000 + b"}\n\n"])


def half_pair(dialect: Dialect) -> Iterable[Step]:
    """An emoji cut in two, each half an escape of its own, and then half of one."""
    return says(Answer(("\ud83d", "\ude00", " e \ud83d")))(dialect)
