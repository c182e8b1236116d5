"""Masks the personal data that stand inside longer text, such as a CPF in the remarks of an order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from datasources.pii import CANDIDATE, CANDIDATE_BYTES_MIN, PROVEN_DOCUMENTS_MIN, Span, find_in_text
from datasources.visible_text import plain

if TYPE_CHECKING:
    import pyarrow as pa

    from datasources.base import Cell
    from datasources.mask_key import MaskKey

MEMO_MAX = 100_000
"""So many masked texts of a column are kept: a large table is read in several passes."""
TEXTS_MIN = 0.5
"""Where fewer cells have a letter it is a column of numbers, of which one in a hundred has fitting check digits."""

_letter = re.compile(r"[^\W\d_]|@").search
_run = re.compile(r"(?<![0-9A-Z])(?:[0-9A-Z]{12}[0-9]{2}|[0-9]{10,13})(?![0-9A-Z])", re.IGNORECASE)
_bare = re.compile(r"\+?([0-9]+|[0-9A-Z]{14})", re.IGNORECASE).fullmatch
_label = re.compile(
    r"(?<![A-Z])(?:cpf|cnpj|tel(?:efone)?s?|fones?|cel(?:ular)?|whats(?:app)?|zap|contato|fax|phone)[^0-9A-Z]{0,4}\Z",
    re.IGNORECASE,
).search
LABEL_CHARS_MAX = 20


@lru_cache(maxsize=1)
def _candidate() -> re.Pattern[str]:
    # Compiled when it is first needed: without access rules it never is.
    return re.compile(CANDIDATE)


class TextMask:
    """What is masked inside the cells of one column: what of it can be seen says which digits are no numbers."""

    def __init__(self, visible: Sequence[str], key: MaskKey, null_values: Sequence[str] = ()) -> None:
        """Of a column that has the *visible* texts, or those of a sample; *null_values* mean nothing."""
        self._visible = visible
        self._key = key
        self._known = {text: text for text in null_values}
        self._lengths: frozenset[int] | None = None
        self._is_text = True

    def __call__(self, cells: Sequence[Cell]) -> list[Cell]:
        """The distinct *cells* with pseudonyms in place of personal data; the same ones where there are none."""
        texts = [cell for cell in cells if isinstance(cell, str)]
        # Of most columns one look at all of their text says that there is nothing in it.
        if not _candidate().search("\n".join(texts)):
            return list(cells)
        return [self._masked(cell) if isinstance(cell, str) else cell for cell in cells]

    def column(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """The cells of an Arrow *column*, also of dictionaries; it is the same one if none is masked, or no text."""
        import pyarrow as pa

        kind = column.type
        held = kind.value_type if pa.types.is_dictionary(kind) else kind
        if not (pa.types.is_string(held) or pa.types.is_large_string(held) or pa.types.is_string_view(held)):
            return column
        if not pa.types.is_dictionary(kind):
            return self._texts(column)
        chunks = []
        for chunk in column.chunks:
            values = self._texts(pa.chunked_array([chunk.dictionary]))
            chunks.append(pa.DictionaryArray.from_arrays(chunk.indices, values.combine_chunks()))
        return pa.chunked_array(chunks, kind)

    def _texts(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        import polars as pl
        import pyarrow as pa

        series = pl.Series(column)
        if (series.str.len_bytes().max() or 0) < CANDIDATE_BYTES_MIN:  # type: ignore[operator]
            return column
        before = series.filter(series.str.contains(CANDIDATE)).unique().to_list()
        pairs = {old: new for old, new in zip(before, self(before), strict=True) if new != old}
        if not pairs:
            return column
        changed = series.replace(list(pairs), list(pairs.values())).rechunk()
        if pa.types.is_string_view(column.type):
            return pa.chunked_array([changed.to_arrow(compat_level=pl.CompatLevel.newest())])
        return pa.chunked_array([changed.to_arrow().cast(column.type)])

    def _masked(self, text: str) -> str:
        known = self._known.get(text)
        if known is None:
            from datasources.masks import mask_text

            known = text
            if _candidate().search(text):
                known = mask_text(
                    text, [one for one in find_in_text(text) if self._is_meant(one, text)], self._key
                )
            if len(self._known) < MEMO_MAX:
                self._known[text] = known
        return known

    # ---- digits that stand for themselves ----

    def _is_meant(self, span: Span, text: str) -> bool:
        """Whether *span* is personal data: bare digits are not where most others like them are something else."""
        bare = _bare(plain(text[span.start : span.end]))
        if bare is None or _label(text, max(0, span.start - LABEL_CHARS_MAX), span.start):
            return True
        if self._lengths is None:
            self._look()
        return self._is_text and len(bare[1]) not in (self._lengths or ())

    def _look(self) -> None:
        """See of which lengths bare numbers are mostly no personal data; order numbers may pass by chance."""
        lettered = sum(1 for text in self._visible if _letter(text))
        self._is_text = lettered >= TEXTS_MIN * len(self._visible)
        runs: Counter[int] = Counter()
        proven: Counter[int] = Counter()
        for text in self._visible:
            seen = plain(text)
            spans = {(one.start, one.end) for one in find_in_text(seen)}
            for run in _run.finditer(seen):
                runs[run.end() - run.start()] += 1
                proven[run.end() - run.start()] += run.span() in spans
        self._lengths = frozenset(
            length for length, count in runs.items() if proven[length] < PROVEN_DOCUMENTS_MIN * count
        )
