"""The names that most callers want; the command `lastro` is `lastro.cli`."""

from typing import TYPE_CHECKING

import engine
from datasources import ReadOptions
from engine import materialize, profile_snapshot, take_excerpt
from lastro.version import VERSION
from prompts import render_data_context

if TYPE_CHECKING:
    from engine import open_snapshot, save_snapshot

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


def __getattr__(name: str) -> object:
    """Hand on what stores snapshots only when it is asked for, as `engine` does."""
    if name in __all__:
        return getattr(engine, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
