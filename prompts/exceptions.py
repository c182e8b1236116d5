"""
Everything that rendering can raise.

    PromptError
    └── BudgetTooSmall      what must stay does not fit into the tokens allowed
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
