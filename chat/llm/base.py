"""What a language model is to a chat: a request goes out, pieces of an answer come back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from chat.messages import Message, ToolCall

if TYPE_CHECKING:
    from chat.settings import ChatSettings
    from engine.notes import Language
    from engine.profile import Profile


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a model is told of it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of the arguments."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that a model is given to write the next message."""

    system: str
    """The prompt; the same bytes for every question about a snapshot, so that providers can keep it."""
    messages: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...] = ()
    max_tokens: int | None = None
    """For this message, if it is to be less than what the client was made with."""
    profile: Profile | None = None
    """What the prompt is about, for a client that reads no prose (`offline`); nothing of it goes to a provider."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Some more text of the answer; never empty."""

    text: str


FinishReason = Literal["stop", "tool_calls", "length", "content_filter"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a message took, in tokens; `input_tokens` counts those read from or written to a cache too."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    is_estimated: bool = False
    """Whether the provider said nothing, and the texts were counted instead."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The message is whole; always the last piece, exactly once."""

    reason: FinishReason
    calls: tuple[ToolCall, ...]
    """In the order in which they were asked."""
    usage: Usage


Piece = TextPiece | Finished


class LlmClient(ABC):
    """A model that can be asked; safe to use for several conversations at a time in one event loop."""

    @property
    @abstractmethod
    def name(self) -> str:
        """As `CHAT_PROVIDER` has it; for messages and logs."""

    @abstractmethod
    def stream(self, request: ModelRequest) -> AsyncIterator[Piece]:
        """
        The pieces of the next message: `TextPiece`s as they arrive, then one `Finished`.

        Raises `ModelError`s only. Closing the iterator early closes the connection to the provider.
        """

    @abstractmethod
    async def aclose(self) -> None:
        """Let go of all connections."""

    @staticmethod
    def from_config(settings: ChatSettings | None = None, language: Language = "en") -> LlmClient:
        """The client that *settings*, or else the environment, name; raises `SettingsError`."""
        from chat.llm.providers import client_for
        from chat.settings import read_settings

        return client_for(settings or read_settings(), language)
