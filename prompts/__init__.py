"""Renders what a model reads: the data context of a report."""

from prompts.budget import count_tokens
from prompts.context import render_data_context
from prompts.exceptions import BudgetTooSmall, PromptError

__all__ = ["BudgetTooSmall", "PromptError", "count_tokens", "render_data_context"]
