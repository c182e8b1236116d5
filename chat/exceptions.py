"""
Everything that a chat can raise beside the errors of data and of prompts.

    ChatError                       a chat cannot begin or go on
    ├── SettingsError               what the environment says is not enough, or not possible
    ├── HistoryError                the messages that were handed in cannot be a conversation
    └── ModelError                  a model gave no answer that can be used
        ├── ModelUnreachable        nothing came: no connection, no first byte in time, too many requests
        ├── ModelRefused            the provider refused the request: key, model, quota, content
        └── ModelBroke              an answer began and did not end as one
"""

from __future__ import annotations

from collections.abc import Sequence

from chat.sentences import sentence
from engine.notes import Language


class ChatError(Exception):
    """A chat cannot begin or go on; the message says what was found and what to do, in any language of `sentences`."""

    def __init__(self, code: str, **values: object) -> None:
        self.code = code
        """The line of the catalogue in `chat/sentences`."""
        self.values = values
        super().__init__(self.text("en"))

    def text(self, language: Language) -> str:
        """The message in *language*; nothing in it is a key, a prompt or what a provider wrote."""
        return sentence(self.code, language, **self.values)


class SettingsError(ChatError):
    """What the environment says is not enough, or not possible."""

    problems: tuple[SettingsError, ...] = ()
    """What is wrong, one by one, if it is several things."""

    @classmethod
    def of(cls, problems: Sequence[SettingsError]) -> SettingsError:
        """All *problems* in one."""
        if len(problems) == 1:
            return problems[0]
        error = cls("settings_problems")
        error.problems = tuple(problems)
        error.args = (error.text("en"),)
        return error

    def text(self, language: Language) -> str:
        """The message in *language*, with a line for each problem."""
        return "\n- ".join([super().text(language), *(problem.text(language) for problem in self.problems)])


class HistoryError(ChatError):
    """The messages that were handed in cannot be a conversation."""


class ModelError(ChatError):
    """A model gave no answer that can be used."""


class ModelUnreachable(ModelError):
    """Nothing came: no connection, no first byte in time, or too many requests. Another provider may answer."""


class ModelRefused(ModelError):
    """The provider refused the request: key, model, quota or content."""


class ModelBroke(ModelError):
    """An answer began and did not end as one."""
