"""A model that says what a script has it say: for tests, and to show a chat without a provider."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chat.exceptions import ModelBroke, ModelError, ModelRefused, ModelUnreachable, SettingsError
from chat.llm.base import Finished, FinishReason, LlmClient, ModelRequest, Piece, TextPiece, Usage
from chat.messages import ToolCall
from chat.text_file import read_text_file

_NONE = Usage()


@dataclass(frozen=True, slots=True)
class Say:
    """Some text."""

    text: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A call of a tool."""

    name: str
    arguments: str = "{}"
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing for a while."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Fail:
    """The message ends here, as a failure."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class End:
    """The message ends for another reason than that it is over, or with a usage."""

    reason: FinishReason | None = None
    usage: Usage = _NONE


Step = Say | Ask | Pause | Fail | End
Script = Sequence[Sequence[Step]]
"""A message for each request, in order."""

_FAILURES: Mapping[str, type[ModelError]] = {
    "unreachable": ModelUnreachable,
    "refused": ModelRefused,
    "broke": ModelBroke,
}


class ScriptedClient(LlmClient):
    """
    Replays a script: each request gets its next message.

    A file has a message a line, as JSON: a step, or a list of steps.

        [{"text": "Vou "}, {"text": "ver."}, {"call": "calculate", "arguments": {"operations": []}, "id": "c1"}]
        [{"pause": 0.2}, {"text": "São 3."}, {"end": "length"}]
        {"fail": "unreachable", "code": "model_overloaded"}

    After its last message the script begins anew, if it *repeats*; else the model is no longer reached.
    """

    def __init__(self, script: Script, *, repeats: bool = False) -> None:
        self.requests: list[ModelRequest] = []
        """What was asked."""
        self._script = tuple(map(tuple, script))
        self._repeats = repeats

    @classmethod
    def from_file(cls, path: Path) -> ScriptedClient:
        """What *path* has, over and over; raises SettingsError."""
        lines = read_text_file("CHAT_SCRIPT_PATH", path).split("\n")
        script = []
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    script.append(_message(json.loads(line)))
                except (ValueError, KeyError, TypeError, RecursionError) as error:
                    raise SettingsError(
                        "setting_bad_script", name="CHAT_SCRIPT_PATH", path=path, line=number
                    ) from error
        return cls(script, repeats=True)

    @property
    def name(self) -> str:
        """As `CHAT_PROVIDER` has it."""
        return "scripted"

    async def aclose(self) -> None:
        """Nothing is held."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        """The pieces of the script's next message."""
        position = len(self.requests)
        self.requests.append(request)
        if not self._script or (position >= len(self._script) and not self._repeats):
            raise ModelUnreachable("model_script_over", provider=self.name)
        calls: list[ToolCall] = []
        end = End()
        for step in self._script[position % len(self._script)]:
            match step:
                case Say(text):
                    yield TextPiece(text)
                case Ask(name, arguments, call_id):
                    calls.append(
                        ToolCall(call_id or f"call_{position + 1}_{len(calls) + 1}", name, arguments)
                    )
                case Pause(seconds):
                    await asyncio.sleep(seconds)
                case Fail(error):
                    raise error
                case End():
                    end = step
                    break
        yield Finished(end.reason or ("tool_calls" if calls else "stop"), tuple(calls), end.usage)


def _message(found: Any) -> list[Step]:
    return [_step(one) for one in (found if isinstance(found, list) else [found])]


def _step(found: Mapping[str, Any]) -> Step:
    """The step that *found* says; raises KeyError, TypeError or ValueError."""
    match found:
        case {"text": str(text)} if text:
            return Say(text)
        case {"call": str(name)} if isinstance(found.get("id", ""), str):
            given = found.get("arguments", {})
            arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
            return Ask(name, arguments, found.get("id"))
        case {"pause": int() | float() as seconds} if 0 <= seconds <= 600:
            return Pause(float(seconds))
        case {"fail": str(kind)}:
            return Fail(_FAILURES[kind](str(found.get("code", "model_overloaded")), provider="scripted"))
        case {"end": ("stop" | "tool_calls" | "length" | "content_filter") as reason}:
            return End(reason, Usage(**found.get("usage", {})))
    raise ValueError("no step")
