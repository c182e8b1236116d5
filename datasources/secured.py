"""Cuts a raw band down to what a viewer may see: rows, columns and masks, by position, before anything is typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING

from datasources.access_rules import BandView, missing_fields
from datasources.base import Cell, Declared, Lists, RawBand, Stream
from datasources.exceptions import AccessError
from datasources.names import WHITE_SPACE
from datasources.records import LISTS_CELLS_MAX, text_of
from datasources.row_rules import RowRule, fitting_rows, positions_of

if TYPE_CHECKING:
    from datasources.masks import MaskKind

TYPED_CELLS_MAX = 40_000
"""As small a typed band is handed on as lists; text bands up to `LISTS_CELLS_MAX`."""
NESTED_ORIGINS = frozenset({"records", "typed"})
"""Origins whose columns may be flattened objects, `parent.child`."""

LOOKED_AT_MAX = 1_000
"""Of a large column so many distinct cells are looked at to see whether they are personal data."""

MEMO_MAX = 100_000
"""So many pseudonyms of a column are kept while its parts are masked."""

Mask = Callable[[Sequence[Cell]], list[str | None]]
"""The pseudonyms of distinct cells; None for what means nothing."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What is taken out of a table, and what is masked in what stays."""

    rule: RowRule | None
    first: bool
    """Whether the first row is a total, and no row."""
    last: bool
    columns: tuple[int, ...]
    """The positions of the columns that stay."""
    masks: Mapping[int, Mask]
    """By position in the source."""

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
        {},
    )
    visible = _visible_cells(raw, cut)
    kinds: dict[int, MaskKind] = {
        position: treatments[position][1]  # type: ignore[index, misc]
        for position in kept
        if isinstance(treatments[position], tuple)
    }
    if view.detects:
        kinds |= _detected(visible, raw, view, kept, treatments)
    masked = _masked(
        visible,
        {at: _mask(kinds[position], raw, view) for at, position in enumerate(kept) if position in kinds},
    )
    return _rebuilt(raw, view, kept, kinds, masked)


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
    if cut.first and fits:
        fits[0] = False
    if cut.last and fits:
        fits[-1] = False
    return Lists(tuple([list(compress(column, fits)) for column in columns]), sum(fits))


def _without_blank_rows(cells: Lists) -> Lists:
    """A sheet has rows without cells, and what a viewer may not see of one does not make it a row."""
    fits = [any(cell is not None for cell in row) for row in zip(*cells.columns, strict=True)]
    return Lists(tuple([list(compress(column, fits)) for column in cells.columns]), sum(fits))


# ---- masks ----


def _detected(
    cells: Lists | Stream,
    raw: RawBand,
    view: BandView,
    kept: Sequence[int],
    treatments: Mapping[int, object],
) -> dict[int, MaskKind]:
    """The columns of which nothing is declared and whose visible cells are personal data."""
    from datasources.pii import detect

    found: dict[int, MaskKind] = {}
    undeclared = [
        (at, position)
        for at, position in enumerate(kept)
        if treatments[position] is None
        and position != raw.parent_column
        and (raw.columns[position] not in view.declared or view.declared[raw.columns[position]].type is None)
    ]
    for (_, position), distinct in zip(
        undeclared, _distinct(cells, [at for at, _ in undeclared]), strict=True
    ):
        texts = [text for cell in distinct if (text := _looked_at(cell))]
        if texts and (kind := detect(texts)):
            found[position] = kind
    return found


def _distinct(cells: Lists | Stream, columns: Sequence[int]) -> list[Sequence[Cell]]:
    """Distinct cells of each of *columns*: all of a band in memory, and of a sample of a large one."""
    if isinstance(cells, Lists):
        return [list(dict.fromkeys(cells.columns[at])) for at in columns]
    from datasources.arrow_types import python_values

    sample = cells.sample()
    found: list[Sequence[Cell]] = []
    for at in columns:
        distinct = list(dict.fromkeys(python_values(sample.column(at))))
        found.append(distinct[:: -(-len(distinct) // LOOKED_AT_MAX) or 1])
    return found


def _looked_at(cell: Cell) -> str | None:
    """The text of a cell that may be personal data: texts, and numbers that may be documents."""
    if isinstance(cell, bool) or not isinstance(cell, str | int):
        return None
    return text_of(cell).strip(WHITE_SPACE) or None


def _mask(kind: MaskKind, raw: RawBand, view: BandView) -> Mask:
    nothing = frozenset(("", *raw.null_values))
    known: dict[str, str | None] = {}

    def mask(cells: Sequence[Cell]) -> list[str | None]:
        from datasources.masks import mask_values

        assert view.key is not None  # `access_rules.views_of` sees to that
        texts = ["" if cell is None else text_of(cell).strip(WHITE_SPACE) for cell in cells]
        new = [text for text in dict.fromkeys(texts) if text not in known]
        sealed = mask_values(["" if text in nothing else text for text in new], kind, view.key)
        found = dict(zip(new, (pseudonym or None for pseudonym in sealed), strict=True))
        # The parts of a large table repeat each other's values, and sealing one takes longest.
        pseudonyms = [found[text] if text in found else known.get(text) for text in texts]
        if len(known) < MEMO_MAX:
            known.update(found)
        return pseudonyms

    return mask


def _masked(cells: Lists | Stream, masks: Mapping[int, Mask]) -> Lists | Stream:
    """*cells* with the columns of *masks* (by position among those that stay) as pseudonyms."""
    if not masks:
        return cells
    if not isinstance(cells, Lists):
        from datasources.secured_stream import MaskedStream

        return MaskedStream(cells, masks)
    columns = list(cells.columns)
    for at, mask in masks.items():
        columns[at] = _mask_list(columns[at], mask)
    return Lists(tuple(columns), cells.rows)


def _mask_list(cells: list[Cell], mask: Mask) -> list[Cell]:
    # Numbers and booleans that are one key have several texts, so that texts are the keys.
    texts = [cell if cell is None or isinstance(cell, str) else text_of(cell) for cell in cells]
    distinct = list(dict.fromkeys(texts))
    pseudonyms = dict(zip(distinct, mask(distinct), strict=True))
    return [pseudonyms[text] for text in texts]


# ---- the band ----


def _rebuilt(
    raw: RawBand, view: BandView, kept: Sequence[int], kinds: Mapping[int, MaskKind], cells: Lists | Stream
) -> RawBand:
    natives = raw.native_types or (None,) * len(raw.columns)
    native = tuple(None if position in kinds else natives[position] for position in kept)
    columns = tuple(raw.columns[position] for position in kept)
    masked = {raw.columns[position] for position in kinds}
    return replace(
        raw,
        columns=columns,
        cells=cells,
        parent_column=kept.index(raw.parent_column) if raw.parent_column in kept else None,
        native_types=native if raw.native_types else (),
        declared=_declared(raw, view, columns, masked),
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
            found[name] = Declared("text", None, label)
    return found
