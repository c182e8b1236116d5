"""The analyst who answers questions about one report: its prompt, its tools, a model (seed 000, "Modo Consumer")."""

from __future__ import annotations

from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from chat.history import read_history
from chat.loop import ChatLoop, ChatRun
from chat.tools.toolset import Toolset
from engine import profile_snapshot, take_excerpt
from engine.notes import Language
from prompts import SulfiteSystemPrompts, render_data_context

if TYPE_CHECKING:
    from chat.llm.base import LlmClient
    from chat.settings import ChatSettings
    from engine.fact_ledger import FactLedger
    from engine.profile import Profile
    from engine.snapshot import Snapshot


class Consumer:
    """
    Answers questions about *snapshot*; one of them serves many conversations, which share its prompt.

    Whoever serves several viewers has one for each snapshot of theirs.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        client: LlmClient,
        settings: ChatSettings,
        *,
        context_tokens: int | None = None,
    ) -> None:
        """Ask *client* as *settings* say; the data context takes at most *context_tokens*."""
        self.snapshot = snapshot
        self.client = client
        self.settings = settings
        self._context_tokens = context_tokens

    @cached_property
    def profile(self) -> Profile:
        """What is known of the snapshot, without what small groups withhold."""
        return profile_snapshot(self.snapshot)

    @cached_property
    def prompt(self) -> str:
        """The system prompt: the same bytes for every question about the snapshot."""
        excerpt = take_excerpt(self.snapshot)
        context = render_data_context(self.profile, excerpt, max_tokens=self._context_tokens)
        return SulfiteSystemPrompts.consumer(context, self.settings.extra_instructions)

    def begin(self, language: Language = "en") -> Conversation:
        """A conversation; what is told beside the answers is in *language*. Close it, or use it as a context."""
        return Conversation(self, language)


class Conversation:
    """Questions that refer to each other, and the facts that travelled."""

    def __init__(self, consumer: Consumer, language: Language) -> None:
        self._consumer = consumer
        self._language: Language = language
        self._tools = Toolset(consumer.snapshot, language=language)
        settings = consumer.settings
        self._loop = ChatLoop(
            consumer.client,
            self._tools,
            max_iterations=settings.max_iterations,
            deadline_seconds=settings.deadline_seconds,
            language=language,
        )

    def __enter__(self) -> Self:
        """Nothing is opened before the first question to a tool."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the snapshot's bands."""
        self.close()

    def close(self) -> None:
        """Let go of the snapshot's bands."""
        self._tools.close()

    @property
    def ledger(self) -> FactLedger:
        """The facts that travelled."""
        return self._tools.ledger

    def ask(self, messages: object) -> ChatRun:
        """
        Answer the last of *messages*: a list of `{"role": "user" | "assistant", "content": …}`.

        Nothing of it is believed but that a reader wrote it. Nothing happens until the run is iterated. Raises
        HistoryError where they are no conversation.
        """
        history = read_history(messages, language=self._language)
        return self._loop.run(self._consumer.prompt, history, profile=self._consumer.profile)
