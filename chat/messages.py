"""What is said in a conversation, in no provider's dialect: immutable values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the reader wrote, or what the loop writes in the reader's place."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One question of the model."""

    id: str
    """As the provider gave it, or made by us where it gave none; unique within its message."""
    name: str
    arguments: str
    """JSON as the model wrote it: it may be no JSON at all."""


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """What the model wrote and asked."""

    text: str
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The answer to one call."""

    call_id: str
    name: str
    text: str
    is_error: bool = False


Message = UserMessage | AssistantMessage | ToolMessage
