"""Turns raw bands into snapshots and facts: those computed before a model is asked, and those it asks for."""

from importlib import import_module
from typing import TYPE_CHECKING

from engine.columns import Coercion, ColumnType
from engine.exceptions import (
    EngineError,
    QueryError,
    SnapshotCorrupt,
    SnapshotError,
    SnapshotFormatError,
    SnapshotNotFound,
    SnapshotNotSaved,
)
from engine.excerpt import Excerpt
from engine.fact import Fact, GroupKey
from engine.profile import (
    AppliedFilter,
    BandProfile,
    FieldProfile,
    GroupProfile,
    Profile,
    ReportAggregate,
    ReportInfo,
)
from engine.query.questions import Aggregate, Compare, GroupBy
from engine.snapshot import Snapshot, materialize, profile_snapshot, take_excerpt

if TYPE_CHECKING:
    from engine.fact_ledger import FactLedger
    from engine.json_lines import export_json_lines
    from engine.process import process_report
    from engine.query.aggregate import aggregate
    from engine.query.compare import compare
    from engine.query.group_by import group_by
    from engine.query.search import search
    from engine.query.session import Limits, QuerySession
    from engine.snapshot_file import open_snapshot, prune_snapshots, save_snapshot, verify_snapshot
    from engine.snapshot_hash import snapshot_id

__all__ = [
    "Aggregate",
    "AppliedFilter",
    "BandProfile",
    "Coercion",
    "ColumnType",
    "Compare",
    "EngineError",
    "Excerpt",
    "Fact",
    "FactLedger",
    "FieldProfile",
    "GroupBy",
    "GroupKey",
    "GroupProfile",
    "Limits",
    "Profile",
    "QueryError",
    "QuerySession",
    "ReportAggregate",
    "ReportInfo",
    "Snapshot",
    "SnapshotCorrupt",
    "SnapshotError",
    "SnapshotFormatError",
    "SnapshotNotFound",
    "SnapshotNotSaved",
    "aggregate",
    "compare",
    "export_json_lines",
    "group_by",
    "materialize",
    "open_snapshot",
    "process_report",
    "profile_snapshot",
    "prune_snapshots",
    "save_snapshot",
    "search",
    "snapshot_id",
    "take_excerpt",
    "verify_snapshot",
]

_LATER = {
    "FactLedger": "engine.fact_ledger",
    "Limits": "engine.query.session",
    "QuerySession": "engine.query.session",
    "aggregate": "engine.query.aggregate",
    "compare": "engine.query.compare",
    "export_json_lines": "engine.json_lines",
    "group_by": "engine.query.group_by",
    "open_snapshot": "engine.snapshot_file",
    "process_report": "engine.process",
    "prune_snapshots": "engine.snapshot_file",
    "save_snapshot": "engine.snapshot_file",
    "search": "engine.query.search",
    "snapshot_id": "engine.snapshot_hash",
    "verify_snapshot": "engine.snapshot_file",
}


def __getattr__(name: str) -> object:
    """Import what stores snapshots, asks them and processes definitions when first asked for (PEP 562)."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
