"""
Everything that rendering can raise.

    PromptError
    ├── BudgetTooSmall      what must stay does not fit into the tokens allowed
    └── ForgedFence         a text that goes into a prompt holds the fence that only the prompt writes
"""

from __future__ import annotations


class PromptError(Exception):
    """A prompt cannot be rendered; the message says what to do."""


class BudgetTooSmall(PromptError):
    """What must stay does not fit into the tokens allowed."""

    def __init__(self, message: str, *, needed: int, allowed: int) -> None:
        super().__init__(message)
        self.needed = needed
        self.allowed = allowed

    @classmethod
    def by(cls, needed: int, allowed: int) -> BudgetTooSmall:
        """The error for a context that needs *needed* tokens at the very least."""
        return cls(
            f"The schema, the statistics and three rows a band need about {needed} tokens, {needed - allowed} more "
            f"than the {allowed} allowed: allow at least {needed}, or name fewer bands.",
            needed=needed,
            allowed=allowed,
        )


class ForgedFence(PromptError):
    """A text that goes into a prompt holds the fence that only the prompt writes."""

    @classmethod
    def by(cls, fence: str) -> ForgedFence:
        """The error for a text with *fence* in it."""
        return cls(
            f"{fence} stands in the extra instructions or the data context: only the prompt itself may write it. "
            "Name the section without angle brackets."
        )
