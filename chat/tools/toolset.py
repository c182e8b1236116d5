"""The tools of a report's chat: what a model is offered, and the one way in which it may ask."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from chat.tools.arguments import read_arguments, read_json
from chat.tools.base import Conversation, Tool, description_of, schema_of
from chat.tools.wire import Value, write
from engine.exceptions import QueryError
from engine.fact_ledger import FactLedger
from engine.notes import Language
from engine.query.session import Limits, QuerySession
from engine.snapshot import Snapshot

if TYPE_CHECKING:
    from engine.disclosure import Disclosure

TOOL_NAMES = (
    "sulfite_aggregate_data",
    "sulfite_group_by",
    "sulfite_compare",
    "calculate",
    "sulfite_search_values",
)
"""In the order in which a model reads them."""


@cache
def tool_named(name: str) -> Tool[Any] | None:
    """The tool *name*, imported when it is first asked for: a process may answer one question and end."""
    match name:
        case "sulfite_aggregate_data":
            from chat.tools.aggregate_data import AggregateData

            return AggregateData()
        case "sulfite_group_by":
            from chat.tools.group_by import GroupByTool

            return GroupByTool()
        case "sulfite_compare":
            from chat.tools.compare import CompareTool

            return CompareTool()
        case "calculate":
            from chat.tools.calculate import Calculate

            return Calculate()
        case "sulfite_search_values":
            from chat.tools.search_values import SearchValues

            return SearchValues()
        case _:
            return None


@cache
def _definitions() -> list[dict[str, Any]]:
    # Making the schemas takes as long as answering a question.
    return [
        {"name": name, "description": description_of(name).text, "parameters": schema_of(tool)}
        for name in TOOL_NAMES
        if (tool := tool_named(name)) is not None
    ]


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back to whoever asked."""

    answer: Mapping[str, Value]
    is_refused: bool
    """Whether the question had no meaning, or took too much: the note says what to ask instead."""

    @property
    def text(self) -> str:
        """The answer as JSON; nothing in it can close a fence or hide."""
        return write(self.answer)


class Toolset:
    """The tools over one snapshot, with the facts that they find; questions may come from several threads."""

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        ledger: FactLedger | None = None,
        language: Language = "en",
        limits: Limits | None = None,
        disclosure: Disclosure | None = None,
    ) -> None:
        """
        Answer from *snapshot*; facts are added to *ledger*, which begins with those of the profile.

        With a *disclosure* small groups are withheld: it holds what its viewer was told of this snapshot, here and
        in other conversations, and the ledger begins with the profile that `withhold` leaves.
        """
        disclosure = disclosure or snapshot.disclosure
        session = QuerySession(snapshot, limits, disclosure)
        if ledger is None:
            profile = snapshot.profile
            if disclosure is not None:
                from engine.disclosure_profile import withhold

                profile = withhold(snapshot, disclosure)
            ledger = FactLedger.of_profile(profile, snapshot.id)
        self.conversation = Conversation(session, ledger, language)
        self._asking = Lock()

    def __enter__(self) -> Self:
        """Nothing is opened before the first question."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the snapshot's bands."""
        self.close()

    def close(self) -> None:
        """
        Stop what is running, and let go of the snapshot's bands; what is asked later is refused with a note.

        A tool that is still running in another thread is not waited for, nor its band taken from under it.
        """
        self.conversation.session.close()

    def stop(self) -> None:
        """Stop what is running, from any thread: it is refused with a note, and what is asked later is answered."""
        self.conversation.session.interrupt()

    @property
    def ledger(self) -> FactLedger:
        """The facts that travelled."""
        return self.conversation.ledger

    @staticmethod
    def definitions() -> list[dict[str, Any]]:
        """Name, description and JSON Schema of the arguments of each tool, as models are told of them."""
        return deepcopy(_definitions())

    def call(self, name: str, arguments: str | Mapping[str, object]) -> Reply:
        """
        The answer of the tool *name* to *arguments*, JSON text or what it stands for.

        Questions are answered one after the other, so that facts are numbered in the order of the requests.
        Whatever a model sends, the reply is an answer: raises only what reading the data raises.
        """
        language = self.conversation.language
        tool = tool_named(name)
        if tool is None:
            error = QueryError("no_such_tool", name=name, names=TOOL_NAMES)
            return Reply({"result": None, "note": error.text(language)}, is_refused=True)
        given: Mapping[str, object] = {}
        try:
            given = read_json(arguments) if isinstance(arguments, str) else arguments
            read = read_arguments(given, tool.arguments)
            with self._asking, self.conversation.session.request():
                return Reply(tool.answer(self.conversation, read), is_refused=False)
        except QueryError as error:
            return Reply(tool.refusal(given, error.text(language)), is_refused=True)
