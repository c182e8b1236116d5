"""The names that most callers want; the command `lastro` is `lastro.cli`."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chat import Toolset
    from datasources import ReadOptions
    from datasources.connections import load_connections
    from datasources.definition import read_definition
    from engine import (
        FactLedger,
        export_json_lines,
        materialize,
        open_snapshot,
        process_report,
        profile_snapshot,
        prune_snapshots,
        save_snapshot,
        take_excerpt,
    )
    from lastro.version import VERSION
    from prompts import render_data_context

__all__ = [
    "VERSION",
    "FactLedger",
    "ReadOptions",
    "Toolset",
    "export_json_lines",
    "load_connections",
    "materialize",
    "open_snapshot",
    "process_report",
    "profile_snapshot",
    "prune_snapshots",
    "read_definition",
    "render_data_context",
    "save_snapshot",
    "take_excerpt",
]


_HOMES = {
    "VERSION": "lastro.version",
    "FactLedger": "engine",
    "ReadOptions": "datasources",
    "Toolset": "chat",
    "export_json_lines": "engine",
    "load_connections": "datasources.connections",
    "materialize": "engine",
    "open_snapshot": "engine",
    "process_report": "engine",
    "profile_snapshot": "engine",
    "prune_snapshots": "engine",
    "read_definition": "datasources.definition",
    "render_data_context": "prompts",
    "save_snapshot": "engine",
    "take_excerpt": "engine",
}


def __getattr__(name: str) -> object:
    """Import each name when it is first asked for: the command is to be ready for an interrupt before that."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
