"""Puts many texts together from pieces: some texts, and for each row which of them it has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from datasources.distinct import texts_at

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Codes = NDArray[np.integer]
    """For each row, the place of its text among those of a piece."""

ROWS_A_TEXT_MIN = 16
"""Pieces are merged where each text of the two together is there for so many rows."""
MERGED_BYTES_A_ROW_MAX = 16


@dataclass(frozen=True, slots=True)
class Piece:
    """What stands at one place of each row."""

    texts: pa.Array
    """Large strings, none of them null."""
    codes: Codes | None = None
    """None where there is one text, which all rows have."""


def constant(text: str) -> Piece:
    """The same *text* in each row."""
    return Piece(large_strings([text]))


def large_strings(texts: Sequence[str]) -> pa.Array:
    """*texts* as those of a piece."""
    import pyarrow as pa

    return pa.array(texts, pa.large_string())


def only_where(valid: NDArray[np.bool_], piece: Piece) -> Piece:
    """*piece* with nothing in the rows that are not *valid*, whatever their codes are."""
    import numpy as np
    import pyarrow as pa

    texts = pa.concat_arrays([piece.texts, large_strings([""])])
    nothing = np.int32(len(piece.texts))
    return Piece(texts, np.where(valid, np.int32(0) if piece.codes is None else piece.codes, nothing))


def merged(pieces: Iterable[Piece], rows: int) -> list[Piece]:
    """The same texts from fewer pieces: neighbours of few texts become one piece, of all their pairs."""
    found: list[Piece] = []
    for piece in pieces:
        if found and _repays(found[-1].texts, piece.texts, rows):
            found[-1] = _pairs(found[-1], piece)
        else:
            found.append(piece)
    return found


def _repays(first: pa.Array, second: pa.Array, rows: int) -> bool:
    pairs = len(first) * len(second)
    bytes_ = len(first) * text_bytes(second).nbytes + len(second) * text_bytes(first).nbytes
    return pairs == 1 or (pairs * ROWS_A_TEXT_MIN <= rows and bytes_ <= rows * MERGED_BYTES_A_ROW_MAX)


def _pairs(first: Piece, second: Piece) -> Piece:
    import numpy as np

    size = len(second.texts)
    ahead, behind = np.divmod(np.arange(len(first.texts) * size, dtype=np.int32), np.int32(size))
    texts = Layout.of([Piece(first.texts, ahead), Piece(second.texts, behind)], len(ahead)).texts()
    if first.codes is None or second.codes is None:
        return Piece(texts, first.codes if second.codes is None else second.codes)
    return Piece(texts, first.codes.astype(np.int32) * np.int32(size) + second.codes)


@dataclass(frozen=True, slots=True)
class Layout:
    """Pieces that are ready to be written: all their texts in one array."""

    known: pa.Array
    places: tuple[tuple[Codes | None, int], ...]
    """The codes of each piece, and where its texts begin."""
    rows: int

    @classmethod
    def of(cls, pieces: Sequence[Piece], rows: int) -> Layout:
        """The texts of *rows* rows; there is at least one piece."""
        import pyarrow as pa

        # Wide tables have the same digits in many columns: they are there once.
        different = {id(piece.texts): piece.texts for piece in pieces}
        starts = dict(zip(different, accumulate(map(len, different.values()), initial=0), strict=False))
        places = tuple((piece.codes, starts[id(piece.texts)]) for piece in pieces)
        return cls(pa.concat_arrays(list(different.values())), places, rows)

    @property
    def bytes_a_row(self) -> int:
        """About how long a row is: texts are there for one row, or for many and all as frequent."""
        size = text_bytes(self.known).nbytes
        return 1 + size // max(self.rows, 1) + len(self.places) * (size // len(self.known))

    @property
    def longest(self) -> int:
        """How many bytes the longest text has."""
        import numpy as np

        return int(np.diff(text_edges(self.known)).max())

    def sizes(self) -> NDArray[np.int64]:
        """How long each row is."""
        import numpy as np

        lengths = np.diff(text_edges(self.known))
        found = np.zeros(self.rows, np.int64)
        for codes, base in self.places:
            found += lengths[base] if codes is None else lengths[base:][codes]
        return found

    def written(self, start: int, stop: int) -> memoryview:
        """The texts of the rows from *start* to *stop*, one after the other."""
        return text_bytes(self._taken(start, stop)).data

    def texts(self) -> pa.Array:
        """The text of each row."""
        import numpy as np
        import pyarrow as pa

        taken = self._taken(0, self.rows)
        edges = np.ascontiguousarray(text_edges(taken)[:: len(self.places)])
        return pa.Array.from_buffers(taken.type, self.rows, [None, pa.py_buffer(edges), taken.buffers()[2]])

    def _taken(self, start: int, stop: int) -> pa.Array:
        """The texts of all pieces, row after row: they are laid one behind the other, and that is all."""
        import numpy as np
        import pyarrow as pa

        chosen = np.empty((stop - start, len(self.places)), np.int32)
        for place, (codes, base) in enumerate(self.places):
            if codes is None:
                chosen[:, place] = base
            else:
                np.add(codes[start:stop], np.int32(base), out=chosen[:, place], casting="unsafe")
        return texts_at(self.known, pa.array(chosen.reshape(-1)))


def cuts(sizes: NDArray[np.int64], bytes_max: int) -> list[int]:
    """Where rows of these *sizes* are cut in pieces of about so many bytes, their end included."""
    import numpy as np

    steps = np.diff(np.cumsum(sizes) // bytes_max)
    return [*(np.flatnonzero(steps) + 1).tolist(), len(sizes)]


def text_bytes(texts: pa.Array) -> NDArray[np.uint8]:
    """The bytes of all *texts*, large strings, one after the other as they lie in memory."""
    import numpy as np

    data = texts.buffers()[2]
    if data is None or not len(texts):
        return np.empty(0, np.uint8)
    ends = text_edges(texts)
    return np.frombuffer(data, np.uint8)[ends[0] : ends[-1]]


def text_edges(texts: pa.Array) -> NDArray[np.int64]:
    """Where each of *texts* begins in their buffer, and where the last one ends."""
    import numpy as np

    return np.frombuffer(texts.buffers()[1], np.int64)[texts.offset : texts.offset + len(texts) + 1]
