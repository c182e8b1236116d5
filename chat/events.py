"""What a reader's client is told while an answer is made (seed 000, "Eventos SSE")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

CallStatus = Literal["running", "done", "failed", "duplicate", "refused"]


@dataclass(frozen=True, slots=True)
class Open:
    """The conversation goes on; always the first."""

    type: ClassVar[str] = "open"

    @property
    def payload(self) -> Mapping[str, str]:
        """Nothing."""
        return {}


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer."""

    type: ClassVar[str] = "text"
    content: str

    @property
    def payload(self) -> Mapping[str, str]:
        """The piece."""
        return {"content": self.content}


@dataclass(frozen=True, slots=True)
class CallEvent:
    """A tool is asked, or has answered."""

    type: ClassVar[str] = "tool_call"
    name: str
    status: CallStatus
    detail: str | None = None
    """While running the arguments, afterwards what the reader may be told of the answer."""

    @property
    def payload(self) -> Mapping[str, str]:
        """Name and status, and the detail if there is one."""
        told = {"name": self.name, "status": self.status}
        return told if self.detail is None else {**told, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Failed:
    """There will be no answer, or no more of it; terminal."""

    type: ClassVar[str] = "error"
    message: str

    @property
    def payload(self) -> Mapping[str, str]:
        """Why, for a reader."""
        return {"message": self.message}


@dataclass(frozen=True, slots=True)
class Done:
    """The answer is whole; terminal."""

    type: ClassVar[str] = "done"

    @property
    def payload(self) -> Mapping[str, str]:
        """Nothing."""
        return {}


Event = Open | Text | CallEvent | Failed | Done
