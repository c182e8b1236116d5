"""Turns raw bands into snapshots, profiles and excerpts: everything that is computed before a model is asked."""

from importlib import import_module
from typing import TYPE_CHECKING

from engine.columns import Coercion, ColumnType
from engine.exceptions import (
    EngineError,
    SnapshotCorrupt,
    SnapshotError,
    SnapshotFormatError,
    SnapshotNotFound,
    SnapshotNotSaved,
)
from engine.excerpt import Excerpt
from engine.profile import BandProfile, FieldProfile, GroupProfile, Profile
from engine.snapshot import Snapshot, materialize, profile_snapshot, take_excerpt

if TYPE_CHECKING:
    from engine.snapshot_file import open_snapshot, prune_snapshots, save_snapshot, verify_snapshot
    from engine.snapshot_hash import snapshot_id

__all__ = [
    "BandProfile",
    "Coercion",
    "ColumnType",
    "EngineError",
    "Excerpt",
    "FieldProfile",
    "GroupProfile",
    "Profile",
    "Snapshot",
    "SnapshotCorrupt",
    "SnapshotError",
    "SnapshotFormatError",
    "SnapshotNotFound",
    "SnapshotNotSaved",
    "materialize",
    "open_snapshot",
    "profile_snapshot",
    "prune_snapshots",
    "save_snapshot",
    "snapshot_id",
    "take_excerpt",
    "verify_snapshot",
]

_STORED = {
    "open_snapshot": "engine.snapshot_file",
    "prune_snapshots": "engine.snapshot_file",
    "save_snapshot": "engine.snapshot_file",
    "snapshot_id": "engine.snapshot_hash",
    "verify_snapshot": "engine.snapshot_file",
}


def __getattr__(name: str) -> object:
    """Import what stores snapshots when it is first asked for: most reports are never stored (PEP 562)."""
    if name not in _STORED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_STORED[name]), name)
