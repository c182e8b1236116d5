"""Puts together the calls that a model asks for from the fragments in which they arrive."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from chat.messages import ToolCall


@dataclass(slots=True)
class _Underway:
    """A call of which some has arrived."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class CallsUnderway:
    """
    The calls of one message.

    A fragment belongs to the call of its index. Where there is none, an id or a name begins the next call; so they do
    where an index that is taken comes with another id and a name, as some providers send all calls with index 0.
    """

    def __init__(self) -> None:
        self._calls: list[_Underway] = []
        self._by_index: dict[int, _Underway] = {}
        self._by_id: dict[str, _Underway] = {}
        self.chars = 0
        """Of all that has arrived."""

    def add(self, index: object, id: object, name: object, arguments: object) -> None:  # noqa: A002
        """Another fragment; what is no text counts as empty."""
        id_text, name_text = _text(id), _text(name)
        if not (id_text or name_text or arguments):
            return
        call = self._call_for(index if type(index) is int else None, id_text, name_text)
        call.id = call.id or id_text
        call.name = call.name or name_text
        if id_text and call.id == id_text:
            self._by_id.setdefault(id_text, call)
        # Some providers send what the text would stand for.
        fragment = (
            json.dumps(arguments, ensure_ascii=False) if isinstance(arguments, dict) else _text(arguments)
        )
        call.arguments.append(fragment)
        self.chars += len(id_text) + len(name_text) + len(fragment)

    def __len__(self) -> int:
        """How many calls were asked for."""
        return len(self._calls)

    def finish(self, new_id: Callable[[], str]) -> tuple[ToolCall, ...]:
        """The calls by their index; one without an id, or with that of another, gets one of *new_id*."""
        taken: set[str] = set()
        calls = []
        for call in self._in_order():
            call_id = call.id if call.id and call.id not in taken else new_id()
            taken.add(call_id)
            calls.append(ToolCall(call_id, whole(call.name), whole("".join(call.arguments))))
        return tuple(calls)

    def _in_order(self) -> list[_Underway]:
        index_of = {id(call): index for index, call in self._by_index.items()}
        if len(index_of) < len(self._calls):
            return self._calls
        return sorted(self._calls, key=lambda call: index_of[id(call)])

    def _call_for(self, index: int | None, call_id: str, name: str) -> _Underway:
        if index is not None:
            call = self._by_index.get(index)
            is_other = call is not None and call.id and call_id and call.id != call_id and name
            if call is None or is_other:
                call = self._by_index[index] = self._begin()
            return call
        if call_id:
            same = self._by_id.get(call_id)
            if same is not None:
                return same
        if not self._calls or call_id or (name and self._calls[-1].name):
            return self._begin()
        return self._calls[-1]

    def _begin(self) -> _Underway:
        self._calls.append(_Underway())
        return self._calls[-1]


def whole(text: str) -> str:
    """*text* with halves of characters (lone surrogates) joined where they meet, else replaced by U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class WholeText:
    """Keeps half a character back until its other half arrives: JSON may cut `"\\ud83d\\ude00"` in two."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, text: str) -> str:
        """What can be said so far."""
        text = self._half + text
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return whole(text.removesuffix(self._half) if self._half else text)

    def finish(self) -> str:
        """What is left: half a character."""
        return whole(self._half)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
