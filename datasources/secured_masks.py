"""Finds out which columns of what a viewer may see are masked, whole or inside their texts, and masks them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from datasources.base import Cell, Lists, RawBand, Stream
from datasources.names import WHITE_SPACE
from datasources.records import text_of

if TYPE_CHECKING:
    from datasources.access_rules import BandView, Treatment
    from datasources.mask_key import MaskKey
    from datasources.mask_payloads import MaskKind
    from datasources.text_masks import TextMask

LOOKED_AT_MAX = 1_000
"""Of a large column so many distinct cells are looked at to see whether they are personal data."""

MEMO_MAX = 100_000
"""So many pseudonyms of a column are kept while its parts are masked."""

Mask = Callable[[Sequence[Cell]], list[str | None]]
"""The pseudonyms of distinct cells; None for what means nothing."""


@dataclass(frozen=True, slots=True)
class Masks:
    """What is masked, by place among the columns that stay."""

    whole: Mapping[int, Mask]
    """Columns of pseudonyms."""
    inside: Mapping[int, TextMask]
    """Columns of texts in which pseudonyms stand for personal data."""


def masks_of(
    cells: Lists | Stream,
    raw: RawBand,
    view: BandView,
    kept: Sequence[int],
    treatments: Mapping[int, Treatment | None],
) -> Masks:
    """
    The masks of the visible *cells*, whose columns are the *kept* ones of *raw*.

    A rule or a declared kind masks a column whatever is in it. What nothing is declared of is looked at: a column
    of personal data is masked as one, and in every other text what of them stands inside.
    """
    kinds = {
        at: said[1] for at, position in enumerate(kept) if isinstance(said := treatments[position], tuple)
    }
    inside: dict[int, TextMask] = {}
    if view.detects:
        detected, inside = _detected(cells, raw, view, kept, treatments)
        kinds |= detected
    if not kinds:
        return Masks({}, inside)
    assert view.key is not None  # `access_rules.views_of` sees to that
    return Masks({at: _mask(kind, raw, view.key) for at, kind in kinds.items()}, inside)


def masked(cells: Lists | Stream, masks: Masks) -> Lists | Stream:
    """*cells* with pseudonyms where *masks* say so."""
    if not masks.whole and not masks.inside:
        return cells
    if not isinstance(cells, Lists):
        from datasources.secured_stream import MaskedStream

        return MaskedStream(cells, masks)
    columns = list(cells.columns)
    for at, mask in masks.whole.items():
        columns[at] = _pseudonyms(columns[at], mask)
    for at, inner in masks.inside.items():
        columns[at] = _texts(columns[at], inner)
    return Lists(tuple(columns), cells.rows)


def masked_names(
    names: Sequence[str], view: BandView, treatments: Sequence[Treatment | None]
) -> tuple[str, ...]:
    """
    *names* of columns with pseudonyms in place of personal data, which a title or a turned table puts there.

    What the report declares, or rules are about, keeps the name by which it is known.
    """
    if not view.detects:
        return tuple(names)
    from datasources.masks import mask_text
    from datasources.names import unique_names
    from datasources.pii import find_in_text

    assert view.key is not None
    found = [
        name
        if treatment is not None or name in view.declared
        else mask_text(name, find_in_text(name), view.key)
        for name, treatment in zip(names, treatments, strict=True)
    ]
    return tuple(names) if found == list(names) else unique_names(found, view.band)[0]


def _detected(
    cells: Lists | Stream,
    raw: RawBand,
    view: BandView,
    kept: Sequence[int],
    treatments: Mapping[int, Treatment | None],
) -> tuple[dict[int, MaskKind], dict[int, TextMask]]:
    """The kinds of columns whose visible cells are personal data, and the masks of those that may hold some."""
    from datasources.pii import detect
    from datasources.text_masks import TextMask

    assert view.key is not None
    kinds: dict[int, MaskKind] = {}
    inside: dict[int, TextMask] = {}
    natives = raw.native_types or (None,) * len(raw.columns)
    undeclared = [
        at
        for at, position in enumerate(kept)
        if treatments[position] is None
        and position != raw.parent_column
        and (raw.columns[position] not in view.declared or view.declared[raw.columns[position]].type is None)
    ]
    for at, distinct in zip(undeclared, _distinct(cells, undeclared), strict=True):
        texts = [text for cell in distinct if (text := _looked_at(cell))]
        if texts and (kind := detect(texts)):
            kinds[at] = kind
        elif natives[kept[at]] is None:
            inside[at] = TextMask(texts[:: -(-len(texts) // LOOKED_AT_MAX) or 1], view.key, raw.null_values)
    return kinds, inside


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


def _mask(kind: MaskKind, raw: RawBand, key: MaskKey) -> Mask:
    nothing = frozenset(("", *raw.null_values))
    known: dict[str, str | None] = {}

    def mask(cells: Sequence[Cell]) -> list[str | None]:
        from datasources.masks import mask_values

        texts = ["" if cell is None else text_of(cell).strip(WHITE_SPACE) for cell in cells]
        new = [text for text in dict.fromkeys(texts) if text not in known]
        sealed = mask_values(["" if text in nothing else text for text in new], kind, key)
        found = dict(zip(new, (pseudonym or None for pseudonym in sealed), strict=True))
        # The parts of a large table repeat each other's values, and sealing one takes longest.
        pseudonyms = [found[text] if text in found else known.get(text) for text in texts]
        if len(known) < MEMO_MAX:
            known.update(found)
        return pseudonyms

    return mask


def _pseudonyms(cells: list[Cell], mask: Mask) -> list[Cell]:
    # Numbers and booleans that are one key have several texts, so that texts are the keys.
    texts = [cell if cell is None or isinstance(cell, str) else text_of(cell) for cell in cells]
    distinct = list(dict.fromkeys(texts))
    return [*map(dict(zip(distinct, mask(distinct), strict=True)).__getitem__, texts)]


def _texts(cells: list[Cell], mask: TextMask) -> list[Cell]:
    distinct = list({cell for cell in cells if isinstance(cell, str)})
    changed = {old: new for old, new in zip(distinct, mask(distinct), strict=True) if old != new}
    return (
        [changed.get(cell, cell) if isinstance(cell, str) else cell for cell in cells] if changed else cells
    )
