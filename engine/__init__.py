"""Turns raw bands into snapshots, profiles and excerpts: everything that is computed before a model is asked."""

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
