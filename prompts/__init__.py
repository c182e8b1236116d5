"""Renders what a model reads: the data context of a report, and the prompts around it."""

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
