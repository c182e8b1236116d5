"""Reads the messages that a client hands in, of which nothing is to be believed: only what was said, by whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Literal

from chat.exceptions import HistoryError
from chat.messages import AssistantMessage, Message, UserMessage
from chat.safe_text import for_detail, for_model, is_visible
from chat.sentences import sentence
from engine.notes import Language

Role = Literal["user", "assistant"]
KEYS = ("role", "content")


@dataclass(frozen=True, slots=True)
class HistoryLimits:
    """How much of a conversation goes to a model."""

    messages: int = 40
    """The last ones; those before are left out, which the model is told."""
    chars_per_message: int = 16_000
    """A longer question is refused; a longer answer, which is ours, is cut."""
    chars: int = 64_000
    """Of all messages together: the last ones that fit."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said."""

    role: Role
    text: str


def read_history(
    messages: object, *, language: Language = "en", limits: HistoryLimits | None = None
) -> tuple[Message, ...]:
    """
    The conversation that *messages* are: a list of `{"role": …, "content": …}`, whose last one is a question.

    Only what user and assistant said is taken: nothing that is handed in becomes an instruction, a call or a tool's
    answer (T18). Texts are safe to repeat (`chat.safe_text`). Messages of one side in a row become one, and the
    first is the user's, because providers want both. Raises HistoryError.

    >>> read_history([{"role": "user", "content": "qual o total?"}])
    (UserMessage(text='qual o total?'),)
    """
    limits = limits or HistoryLimits()
    turns = tuple(_read(messages))
    if not turns or turns[-1][1].role != "user":
        raise HistoryError("history_no_question")
    # Of a conversation of any length only what may be kept is looked at any closer.
    kept = _last([_safe(*one, limits) for one in turns[-limits.messages :]], limits)
    if left_out := len(turns) - len(kept):
        kept = (Turn("user", sentence("history_left_out", language, count=left_out)), *kept)
    return tuple(_joined(kept))


def _read(messages: object) -> Iterator[tuple[int, Turn]]:
    """What was said, each with its number."""
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes):
        raise HistoryError("history_no_list")
    for number, message in enumerate(messages, 1):
        turn = _read_one(message, number)
        # An answer that failed before its first word says nothing.
        if is_visible(turn.text):
            yield number, turn


def _read_one(message: object, number: int) -> Turn:
    if not isinstance(message, Mapping):
        raise HistoryError("history_no_message", number=number)
    for key in message:
        if key not in KEYS:
            raise HistoryError("history_other_key", number=number, key=_shown(key))
    role, content = message.get("role"), message.get("content")
    if not isinstance(content, str):
        raise HistoryError("history_no_text", number=number)
    match role:
        case "user" | "assistant":
            return Turn(role, content)
        case _:
            raise HistoryError("history_other_role", number=number, role=_shown(role))


def _shown(value: object) -> str:
    """What a client gave in the place of a word; lists in lists, and numbers without end, only by their kind."""
    return for_detail(str(value) if isinstance(value, str | float | None) else type(value).__name__)


def _safe(number: int, turn: Turn, limits: HistoryLimits) -> Turn:
    """*turn* as it may be repeated to a model, which is longer where much of it could not be seen."""
    most = limits.chars_per_message
    shown = for_model(turn.text[: most + 1])
    if max(len(turn.text), len(shown)) <= most:
        return Turn(turn.role, shown)
    if turn.role == "user":
        raise HistoryError(
            "history_too_long", number=number, count=max(len(turn.text), len(shown)), most=most
        )
    return Turn("assistant", f"{shown[:most]}…[+{max(len(turn.text), len(shown)) - most} chars]")


def _last(turns: Sequence[Turn], limits: HistoryLimits) -> tuple[Turn, ...]:
    """The last of *turns* that fit, from a question on; the last question always does."""
    start, chars = len(turns) - 1, 0
    for position in range(len(turns) - 1, -1, -1):
        chars += len(turns[position].text)
        if chars > limits.chars:
            break
        if turns[position].role == "user":
            start = position
    return tuple(turns[start:])


def _joined(turns: Iterable[Turn]) -> Iterator[Message]:
    for role, said in groupby(turns, key=attrgetter("role")):
        text = "\n\n".join(turn.text for turn in said)
        yield UserMessage(text) if role == "user" else AssistantMessage(text)
