"""Turns raw bands into snapshots, profiles and excerpts: everything that is computed before a model is asked."""

from engine.excerpt import Excerpt
from engine.profile import BandProfile, FieldProfile, GroupProfile, Profile
from engine.snapshot import Snapshot, materialize, profile_snapshot, take_excerpt
from engine.typing import Coercion, ColumnType

__all__ = [
    "BandProfile",
    "Coercion",
    "ColumnType",
    "Excerpt",
    "FieldProfile",
    "GroupProfile",
    "Profile",
    "Snapshot",
    "materialize",
    "profile_snapshot",
    "take_excerpt",
]
