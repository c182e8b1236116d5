"""The names that most callers want; the command `lastro` is `lastro.cli`."""

from datasources import ReadOptions
from engine import materialize, open_snapshot, profile_snapshot, save_snapshot, take_excerpt
from lastro.version import VERSION
from prompts import render_data_context

__all__ = [
    "VERSION",
    "ReadOptions",
    "materialize",
    "open_snapshot",
    "profile_snapshot",
    "render_data_context",
    "save_snapshot",
    "take_excerpt",
]
