"""Joins the pieces of one message of a model to text that a reader can be shown as it arrives."""

from __future__ import annotations

from chat.safe_text import for_reader, is_visible

PARAGRAPH = "\n\n"
"""What stands between two messages."""


class Speech:
    """
    The text of one message, which may follow others.

    It begins with the first character that can be seen: some models write empty lines before they ask a tool, and
    those are no text.
    """

    def __init__(self, *, follows: bool) -> None:
        self._start = PARAGRAPH if follows else ""
        self._said: list[str] = []

    @property
    def text(self) -> str:
        """All so far."""
        return "".join(self._said)

    def add(self, piece: str) -> str:
        """What there is to show now; empty while there is nothing."""
        if self._said:
            shown = for_reader(piece)
            self._said.append(shown)
            return shown
        if not is_visible(piece):
            return ""
        self._said.append(for_reader(piece).lstrip())
        return self._start + self._said[0]
