"""A client without a model: it reads the question and the profile, asks the same tools, and says what they answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from chat.exceptions import ModelRefused
from chat.llm.base import Finished, LlmClient, ModelRequest, Piece, TextPiece, Usage
from chat.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from chat.offline.answers import read_answer, write_answer
from chat.offline.doubts import write_doubt
from chat.offline.names import FoundValue
from chat.offline.read import language_of_question, read
from chat.offline.reading import Doubt, Reading, Search
from chat.sentences import sentence
from engine.notes import Language
from engine.profile import Profile

SEARCH = "sulfite_search_values"
SCORE_MIN = 80
"""A value that is less like the words is not what they mean."""


class OfflineClient(LlmClient):
    """
    Answers a question about a report with the report's tools, or says why it does not.

    It keeps nothing between two messages: what it asked before is read from the conversation.
    """

    def __init__(self, language: Language = "en") -> None:
        """Answer in *language* where the words of the question do not tell theirs."""
        self._language: Language = language

    @property
    def name(self) -> str:
        """As `CHAT_PROVIDER` has it."""
        return "offline"

    async def aclose(self) -> None:
        """Nothing is open."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[Piece]:
        """A question to a tool, or the answer; raises ModelRefused where there is no report."""
        if request.profile is None:
            raise ModelRefused("offline_no_report")
        next_message = _next_message(request, request.profile, self._language)
        if isinstance(next_message, str):
            yield TextPiece(next_message)
            yield Finished("stop", (), Usage())
        else:
            yield Finished("tool_calls", (next_message,), Usage())


def _next_message(request: ModelRequest, profile: Profile, default: Language) -> ToolCall | str:
    """What follows the conversation: a call, or a text for the reader."""
    question, answers = _asked(request.messages)
    told = language_of_question(question)
    language: Language = told or default
    spoken = told or ("en" if default == "en" else "pt")
    searched = [one for one in answers if one.name == SEARCH]
    found = _found(searched[-1]) if searched else None
    reading = read(question, profile, spoken, found)
    if isinstance(reading, Doubt) or (isinstance(reading, Search) and searched):
        doubt = reading if isinstance(reading, Doubt) else Doubt("offline_incomplete")
        return write_doubt(doubt, profile, language)
    last = answers[-1] if answers else None
    if isinstance(reading, Reading) and last is not None and last.name == reading.tool:
        return write_answer(reading, last.text, profile, language)
    if not request.tools:
        return sentence("offline_no_tools", language)
    name = reading.tool if isinstance(reading, Reading) else SEARCH
    return ToolCall(f"offline_{len(answers) + 1}", name, reading.arguments)


def _asked(messages: Sequence[Message]) -> tuple[str, list[ToolMessage]]:
    """The reader's question, and what tools have answered since."""
    answers: list[ToolMessage] = []
    for message in reversed(messages):
        match message:
            case ToolMessage():
                answers.append(message)
            case UserMessage() if not _is_of_loop(message, messages):
                return message.text, answers[::-1]
            case UserMessage() | AssistantMessage():
                continue
    return "", answers[::-1]


def _is_of_loop(message: UserMessage, messages: Sequence[Message]) -> bool:
    """Whether the loop wrote it in the reader's place: no reader answers a tool."""
    place = next(at for at, one in enumerate(messages) if one is message)
    return place > 0 and isinstance(messages[place - 1], ToolMessage)


def _found(answer: ToolMessage) -> tuple[FoundValue, ...]:
    """The values that a search has found."""
    result = (read_answer(answer.text) or {}).get("result")
    if not isinstance(result, list):
        return ()
    return tuple(
        FoundValue(one["band"], one["field"], one["value"])
        for one in result
        if one["kind"] == "value" and isinstance(one["value"], str) and int(one["score"]) >= SCORE_MIN
    )
