"""Turns raw bands into snapshots and facts: those computed before a model is asked, and those it asks for."""

from typing import TYPE_CHECKING

from datasources.later import later

if TYPE_CHECKING:
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
    from engine.fact_ledger import FactLedger
    from engine.json_lines import export_json_lines
    from engine.process import process_report
    from engine.profile import (
        AppliedFilter,
        BandProfile,
        FieldProfile,
        GroupProfile,
        Profile,
        ReportAggregate,
        ReportInfo,
    )
    from engine.query.aggregate import aggregate
    from engine.query.compare import compare
    from engine.query.group_by import group_by
    from engine.query.questions import Aggregate, Compare, GroupBy
    from engine.query.search import search
    from engine.query.session import Limits, QuerySession
    from engine.snapshot import Snapshot, materialize, profile_snapshot, take_excerpt
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

__getattr__ = later(
    __name__,
    {
        "Aggregate": "engine.query.questions",
        "AppliedFilter": "engine.profile",
        "BandProfile": "engine.profile",
        "Coercion": "engine.columns",
        "ColumnType": "engine.columns",
        "Compare": "engine.query.questions",
        "EngineError": "engine.exceptions",
        "Excerpt": "engine.excerpt",
        "Fact": "engine.fact",
        "FactLedger": "engine.fact_ledger",
        "FieldProfile": "engine.profile",
        "GroupBy": "engine.query.questions",
        "GroupKey": "engine.fact",
        "GroupProfile": "engine.profile",
        "Limits": "engine.query.session",
        "Profile": "engine.profile",
        "QueryError": "engine.exceptions",
        "QuerySession": "engine.query.session",
        "ReportAggregate": "engine.profile",
        "ReportInfo": "engine.profile",
        "Snapshot": "engine.snapshot",
        "SnapshotCorrupt": "engine.exceptions",
        "SnapshotError": "engine.exceptions",
        "SnapshotFormatError": "engine.exceptions",
        "SnapshotNotFound": "engine.exceptions",
        "SnapshotNotSaved": "engine.exceptions",
        "aggregate": "engine.query.aggregate",
        "compare": "engine.query.compare",
        "export_json_lines": "engine.json_lines",
        "group_by": "engine.query.group_by",
        "materialize": "engine.snapshot",
        "open_snapshot": "engine.snapshot_file",
        "process_report": "engine.process",
        "profile_snapshot": "engine.snapshot",
        "prune_snapshots": "engine.snapshot_file",
        "save_snapshot": "engine.snapshot_file",
        "search": "engine.query.search",
        "snapshot_id": "engine.snapshot_hash",
        "take_excerpt": "engine.snapshot",
        "verify_snapshot": "engine.snapshot_file",
    },
)
