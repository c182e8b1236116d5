"""The names that most callers want; the command `lastro` is `lastro.cli`."""

from typing import TYPE_CHECKING

from datasources.later import later

if TYPE_CHECKING:
    from chat import ChatSettings, Consumer, LlmClient, Toolset, read_settings
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
    "ChatSettings",
    "Consumer",
    "FactLedger",
    "LlmClient",
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
    "read_settings",
    "render_data_context",
    "save_snapshot",
    "take_excerpt",
]

__getattr__ = later(
    __name__,
    {
        "VERSION": "lastro.version",
        "ChatSettings": "chat",
        "Consumer": "chat",
        "FactLedger": "engine",
        "LlmClient": "chat",
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
        "read_settings": "chat",
        "render_data_context": "prompts",
        "save_snapshot": "engine",
        "take_excerpt": "engine",
    },
)
