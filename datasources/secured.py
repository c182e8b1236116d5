"""Cuts a raw band down to what a viewer may see: rows, columns and masks, by position, before anything is typed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

from datasources.access_rules import BandView, missing_fields
from datasources.base import Cell, Declared, Lists, RawBand, Stream
from datasources.exceptions import AccessError
from datasources.names import WHITE_SPACE
from datasources.records import LISTS_CELLS_MAX
from datasources.row_rules import RowRule, fitting_rows, positions_of
from datasources.secured_masks import masked, masked_names, masks_of

TYPED_CELLS_MAX = 40_000
"""As small a typed band is handed on as lists; text bands up to `LISTS_CELLS_MAX`."""
NESTED_ORIGINS = frozenset({"records", "typed"})
"""Origins whose columns may be flattened objects, `parent.child`."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What is taken out of a table."""

    rule: RowRule | None
    first: bool
    """Whether the first row with a filled cell is a total, and no row; nor are those without one before it."""
    last: bool
    """The same of the last one, and of those behind it."""
    columns: tuple[int, ...]
    """The positions of the columns that stay."""

    @property
    def cuts_rows(self) -> bool:
        """Whether any row may go."""
        return self.rule is not None or self.first or self.last


def secure_band(raw: RawBand, view: BandView) -> RawBand:
    """
    *raw* as *view* shows it: what a viewer may not see is in it no more, and nothing of it speaks of such cells.

    Columns keep their order. Raises AccessError for a rule that names a field which the source does not have.
    """
    is_nested = raw.origin in NESTED_ORIGINS
    if raw.origin != "records":
        _check_fields(raw, view, is_nested)
    if raw.origin in ("text", "sheet") and view.totals is None:
        raise AccessError(
            f"With access rules nothing is guessed from the rows of {view.source}: declare its totals.",
            source=view.source,
        )
    width = len(raw.columns)
    treatments = {
        position: view.treatment_of(name, width, is_nested=is_nested)
        for position, name in enumerate(raw.columns)
    }
    kept = tuple(position for position in treatments if treatments[position] != "hide")
    # Also a source whose rows are cut already is held to the rule: a wrong one shows nothing, rows or none.
    is_bare = view.where is None or (raw.origin == "records" and raw.secured)
    rule = None if is_bare else _rule(raw, view)
    cut = Cut(
        None if raw.secured else rule,
        view.totals in ("first", "both"),
        view.totals in ("last", "both"),
        kept,
    )
    visible = _visible_cells(raw, cut)
    masks = masks_of(visible, raw, view, kept, treatments)
    own_names = [raw.columns[position] for position in kept]
    names = masked_names(own_names, view, [treatments[position] for position in kept])
    return _rebuilt(raw, view, dict(zip(kept, names, strict=True)), masks.whole, masked(visible, masks))


def _check_fields(raw: RawBand, view: BandView, is_nested: bool) -> None:
    missing = missing_fields(view.fields, raw.columns, is_nested=is_nested)
    if missing:
        raise AccessError(
            f"The access rules of the band {view.band} name the field “{missing[0]}”, which the data do not have:"
            " correct the rules, or the source.",
            source=view.source,
        )


def _rule(raw: RawBand, view: BandView) -> RowRule:
    from datasources.secured_records import rule_of

    return rule_of(
        view,
        raw.columns,
        raw.locale,
        decimal_style=raw.decimal_style,
        null_values=raw.null_values,
    )


# ---- rows and columns ----


def _visible_cells(raw: RawBand, cut: Cut) -> Lists | Stream:
    """The rows and columns that stay; as lists where they are few, whatever the source had."""
    if isinstance(raw.cells, Lists):
        lists = _cut_lists(raw.cells, cut)
        if raw.origin == "sheet":
            lists = _without_blank_rows(lists)
        if raw.origin != "text" or lists.rows * len(lists.columns) <= LISTS_CELLS_MAX:
            return lists
        from datasources.arrow import stream_of

        return stream_of(lists)
    from datasources.secured_stream import SecuredStream, to_lists

    stream = SecuredStream.of(raw.cells, cut)
    most = TYPED_CELLS_MAX if raw.origin == "typed" else LISTS_CELLS_MAX
    return to_lists(stream) if stream.rows * len(cut.columns) <= most else stream


def _cut_lists(cells: Lists, cut: Cut) -> Lists:
    columns = [cells.columns[position] for position in cut.columns]
    if not cut.cuts_rows:
        return Lists(tuple(columns), cells.rows)
    fits = [True] * cells.rows
    if cut.rule is not None:
        fits = fitting_rows(
            cut.rule, {position: cells.columns[position] for position in positions_of(cut.rule)}
        )
    if cut.first:
        count = edge_rows(cells.columns, cells.rows)
        fits[:count] = [False] * count
    if cut.last:
        count = edge_rows([column[::-1] for column in cells.columns], cells.rows)
        fits[cells.rows - count :] = [False] * count
    return Lists(tuple([list(compress(column, fits)) for column in columns]), sum(fits))


def edge_rows(columns: Sequence[Sequence[Cell]], rows: int) -> int:
    """How many of *rows* there are up to the first one with a filled cell, itself among them; all if none has one."""
    for row in range(rows):
        if any(is_filled_cell(column[row]) for column in columns):
            return row + 1
    return rows


def is_filled_cell(cell: Cell) -> bool:
    """Whether a cell of a file has more than white space."""
    return bool(cell.strip(WHITE_SPACE)) if isinstance(cell, str) else cell is not None


def without_edges(cells: Lists | Stream, first: bool, last: bool) -> Lists | Stream:
    """*cells* without the *first* row that has a filled cell, and without the *last* one."""
    if not first and not last:
        return cells
    if isinstance(cells, Lists):
        return _cut_lists(cells, Cut(None, first, last, tuple(range(len(cells.columns)))))
    from datasources.secured_stream import SecuredStream

    return SecuredStream.of(cells, Cut(None, first, last, tuple(range(len(cells.schema)))))


def _without_blank_rows(cells: Lists) -> Lists:
    """A sheet has rows without cells, and what a viewer may not see of one does not make it a row."""
    fits = [any(cell is not None for cell in row) for row in zip(*cells.columns, strict=True)]
    return Lists(tuple([list(compress(column, fits)) for column in cells.columns]), sum(fits))


# ---- the band ----


def _rebuilt(
    raw: RawBand, view: BandView, names: Mapping[int, str], masked: Collection[int], cells: Lists | Stream
) -> RawBand:
    """The band of *cells*, whose columns have *names* by their positions in *raw*; those at *masked* are pseudonyms."""
    natives = raw.native_types or (None,) * len(raw.columns)
    native = tuple(None if at in masked else natives[position] for at, position in enumerate(names))
    columns = tuple(names.values())
    pseudonyms = {columns[at] for at in masked}
    return replace(
        raw,
        columns=columns,
        cells=cells,
        parent_column=next((at for at, position in enumerate(names) if position == raw.parent_column), None),
        native_types=native if raw.native_types else (),
        declared=_declared(raw, view, columns, pseudonyms),
        notes=(),
        warnings=(),
        secured=True,
    )


def _declared(raw: RawBand, view: BandView, columns: Sequence[str], masked: set[str]) -> dict[str, Declared]:
    """What the report says of the fields that the viewer sees; pseudonyms are texts."""
    found = {
        name: said
        for name, said in raw.declared.items()
        if name not in masked and (name in columns or not view.is_unseen(name))
    }
    for name in columns:
        if name in masked:
            label = raw.declared[name].label if name in raw.declared else None
            found[name] = Declared("text", None, label, masked=True)
    return found
