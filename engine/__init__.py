"""Turns raw bands into snapshots, profiles and excerpts: everything that is computed before a model is asked."""

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
from engine.profile import (
    AppliedFilter,
    BandProfile,
    FieldProfile,
    GroupProfile,
    Profile,
    ReportAggregate,
    ReportInfo,
)
from engine.snapshot import Snapshot, materialize, profile_snapshot, take_excerpt

if TYPE_CHECKING:
    from engine.process import process_report
    from engine.snapshot_file import open_snapshot, prune_snapshots, save_snapshot, verify_snapshot
    from engine.snapshot_hash import snapshot_id

__all__ = [
    "AppliedFilter",
    "BandProfile",
    "Coercion",
    "ColumnType",
    "EngineError",
    "Excerpt",
    "FieldProfile",
    "GroupProfile",
    "Profile",
    "QueryError",
    "ReportAggregate",
    "ReportInfo",
    "Snapshot",
    "SnapshotCorrupt",
    "SnapshotError",
    "SnapshotFormatError",
    "SnapshotNotFound",
    "SnapshotNotSaved",
    "materialize",
    "open_snapshot",
    "process_report",
    "profile_snapshot",
    "prune_snapshots",
    "save_snapshot",
    "snapshot_id",
    "take_excerpt",
    "verify_snapshot",
]

_LATER = {
    "open_snapshot": "engine.snapshot_file",
    "process_report": "engine.process",
    "prune_snapshots": "engine.snapshot_file",
    "save_snapshot": "engine.snapshot_file",
    "snapshot_id": "engine.snapshot_hash",
    "verify_snapshot": "engine.snapshot_file",
}


def __getattr__(name: str) -> object:
    """Import what stores snapshots and processes definitions when it is first asked for (PEP 562)."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
