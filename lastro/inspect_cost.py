"""Counts what the data would cost as CSV or JSON, beside the data context that stands for them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.columns import ColumnType, Typed
from engine.excerpt import ROWS_MAX, Excerpt
from engine.facts import cell_text
from engine.histogram import ColumnSample
from engine.profile import Profile
from engine.snapshot import Snapshot, SnapshotBand, take_excerpt
from prompts import count_tokens, render_data_context
from prompts.budget import BYTES_PER_TOKEN


@dataclass(frozen=True, slots=True)
class Cost:
    """The tokens of one text."""

    label: str
    tokens: int
    about: bool = False
    """Whether it is worked out from a sample of the rows."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What the data context costs, part by part, and what the same data would cost raw."""

    sections: tuple[Cost, ...]
    whole: Cost
    raw: tuple[Cost, ...]


def count_costs(snapshot: Snapshot, samples: Sequence[ColumnSample]) -> Costs:
    """The tokens of a report's data context and of its whole bands; *samples* has one for each band."""
    excerpt = take_excerpt(snapshot, ROWS_MAX)
    context = render_data_context(snapshot.profile, excerpt)
    pairs = list(zip(snapshot.bands, samples, strict=True))
    about = any(not sample.is_whole for sample in samples)
    csv = sum(len(band.names) * csv_bytes(band, sample) for band, sample in pairs)
    json_ = sum(len(band.names) * json_bytes(band, sample) for band, sample in pairs)
    raw = (("as CSV", csv), ("as JSON", json_))
    return Costs(
        _sections(context, excerpt, snapshot.profile),
        Cost("data context", count_tokens(context)),
        tuple(Cost(label, -(-count // BYTES_PER_TOKEN), about) for label, count in raw),
    )


def _sections(context: str, excerpt: Excerpt, profile: Profile) -> tuple[Cost, ...]:
    # Nothing from data starts a line, so this mark only stands between sections.
    optional = (("report", profile.info), ("filters", profile.filters))
    labels = [label for label, found in optional if found]
    labels += ["schema and facts", *(["aggregates"] if profile.aggregates else []), _rows_label(excerpt)]
    texts = context.split("\n\n## ")
    return tuple(Cost(label, count_tokens(text)) for label, text in zip(labels, texts, strict=True))


def _rows_label(excerpt: Excerpt) -> str:
    if excerpt.shown == excerpt.rows:
        return "data (every row)"
    return f"data ({excerpt.shown} of {excerpt.rows} rows)"


def csv_bytes(band: SnapshotBand, sample: ColumnSample) -> int:
    """Bytes of a band as CSV with commas, a header and quotes where needed; scaled up from a sample."""
    lone = len(band.columns) == 1
    header = sum(_csv_length(column.name, lone) for column in band.columns) + len(band.columns)
    cells = _cell_bytes(
        band.columns, sample, lambda value, column: _csv_length(cell_text(value, column), lone)
    )
    return header + _scaled(cells + sample.rows * len(band.columns), sample)


def json_bytes(band: SnapshotBand, sample: ColumnSample) -> int:
    """Bytes of a band as a compact JSON array of objects, nulls included; scaled up from a sample."""
    names = sum(len(_json(column.name)) + 1 for column in band.columns)
    around = names + max(0, len(band.columns) - 1) + len("{},")
    cells = _cell_bytes(band.columns, sample, _json_length)
    return max(0, _scaled(cells + sample.rows * around, sample) - 1) + len("[]")


def _cell_bytes(
    columns: Sequence[ColumnType], sample: ColumnSample, length_of: Callable[[Typed, ColumnType], int]
) -> int:
    return sum(
        length_of(value, column) * count
        for column, cells in zip(columns, sample.columns, strict=True)
        for value, count in Counter(cells).items()
    )


def _scaled(count: int, sample: ColumnSample) -> int:
    return count if sample.is_whole or not sample.rows else count * sample.rows_of_band // sample.rows


def _csv_length(text: str, lone: bool) -> int:
    size = len(text.encode("utf-8", "surrogatepass"))
    if not text:
        return 2 if lone else 0
    if any(mark in text for mark in ',"\r\n'):
        return size + 2 + text.count('"')
    return size


def _json_length(value: Typed, column: ColumnType) -> int:
    if value is None:
        return len("null")
    return len(_json(value)) if isinstance(value, str) else len(cell_text(value, column))


def _json(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
