"""The names that most callers want; the command `lastro` is `lastro.cli`."""

from importlib import import_module
from typing import TYPE_CHECKING

from datasources import ReadOptions
from engine import materialize, profile_snapshot, take_excerpt
from lastro.version import VERSION
from prompts import render_data_context

if TYPE_CHECKING:
    from chat import Toolset
    from engine import open_snapshot, process_report, save_snapshot

__all__ = [
    "VERSION",
    "ReadOptions",
    "Toolset",
    "materialize",
    "open_snapshot",
    "process_report",
    "profile_snapshot",
    "render_data_context",
    "save_snapshot",
    "take_excerpt",
]


_LATER = {
    "Toolset": "chat",
    "open_snapshot": "engine",
    "process_report": "engine",
    "save_snapshot": "engine",
}


def __getattr__(name: str) -> object:
    """Import what stores, processes and asks only when it is asked for, as `engine` does."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
