"""Renders what a model reads: the data context of a report, and the prompts around it."""

from typing import TYPE_CHECKING

from datasources.later import later

if TYPE_CHECKING:
    from prompts.budget import count_tokens
    from prompts.context import render_data_context
    from prompts.exceptions import BudgetTooSmall, ForgedFence, PromptError
    from prompts.system import SulfiteSystemPrompts

__all__ = [
    "BudgetTooSmall",
    "ForgedFence",
    "PromptError",
    "SulfiteSystemPrompts",
    "count_tokens",
    "render_data_context",
]

__getattr__ = later(
    __name__,
    {
        "BudgetTooSmall": "prompts.exceptions",
        "ForgedFence": "prompts.exceptions",
        "PromptError": "prompts.exceptions",
        "SulfiteSystemPrompts": "prompts.system",
        "count_tokens": "prompts.budget",
        "render_data_context": "prompts.context",
    },
)
