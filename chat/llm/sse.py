"""Reads server-sent events from bytes, however these are cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LINE_BYTES_MAX = 1 << 20
"""A longer line, or event of several lines, is refused: it would be kept in memory whole."""

_line_end = re.compile(rb"\r\n|\r|\n")  # and no other: U+2028 is part of a text
_BOM = b"\xef\xbb\xbf"


class MalformedStream(ValueError):
    """What came are no server-sent events."""


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event."""

    type: str
    """What the field `event` says; `message` where there is none."""
    data: str


class SseReader:
    """
    Takes bytes as they arrive and gives the events that they complete.

    As the HTML standard has it ("Interpreting an event stream"), but bytes that are no UTF-8 are an error, and not
    replaced: what was said would be lost without a trace.
    """

    def __init__(self, bytes_max: int = LINE_BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._line = bytearray()
        """The line that has no end yet."""
        self._after_cr = False
        """Whether the last byte was a CR, so that an LF belongs to it."""
        self._is_first = True
        self._type = ""
        self._data: list[str] = []
        self._size = 0

    def feed(self, data: bytes) -> Iterator[ServerEvent]:
        """The events that end in *data*; raises MalformedStream."""
        if not data:
            return
        if self._after_cr and data.startswith(b"\n"):
            data = data[1:]
            self._after_cr = False
            if not data:
                return
        self._after_cr = data.endswith(b"\r")
        first, *others = _line_end.split(data)
        self._extend(first)
        for other in others:
            event = self._take(bytes(self._line))
            self._line.clear()
            if event is not None:
                yield event
            self._extend(other)

    def _extend(self, piece: bytes) -> None:
        self._line += piece
        self._check_size(len(self._line) + self._size)

    def _check_size(self, size: int) -> None:
        if size > self._bytes_max:
            raise MalformedStream(f"a line or event of more than {self._bytes_max} bytes")

    def _take(self, line: bytes) -> ServerEvent | None:
        if self._is_first:
            line = line.removeprefix(_BOM)
            self._is_first = False
        if not line:
            return self._event()
        try:
            name, _, value = line.decode().partition(":")
        except UnicodeDecodeError as error:
            raise MalformedStream("a line is not UTF-8") from error
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
            self._size += len(line)
        elif name == "event":
            self._type = value
        return None  # all else is a comment or a field that means nothing here

    def _event(self) -> ServerEvent | None:
        event = ServerEvent(self._type or "message", "\n".join(self._data)) if self._data else None
        self._type, self._data, self._size = "", [], 0
        return event
