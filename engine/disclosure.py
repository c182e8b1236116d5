"""
Remembers which sets of rows numbers were published of, so that no further one gives away fewer than k rows.

One `Disclosure` is of one viewer and one snapshot. Whoever serves a viewer keeps it, for all of their conversations:
what is told in two of them can be put together by the reader, and so must be counted together here. It depends on
which rows are in which set and never on what is measured of them, so that a refusal says nothing of a value.

It does say that rows are there: of no rows nothing is withheld, so that a reader may tell a combination of values that
does not occur from one of a few rows, by asking for it together with a large set.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol

from engine.exceptions import EngineError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.snapshot import Snapshot

    Labels = NDArray[np.integer[Any]]
    """The block that each row is in; -1 for none."""

K_MIN = 2
ROWS = -1
"""The numbers of rows; the sums of a measure go by its position."""
ATOMS_MAX = 2**20
LISTS_MAX = 1_000
"""Lists of blocks that are remembered of one band: what goes past is refused."""
TABLE_MAX = 2**25
"""So many pairs of an atom and a block are told apart by a table; more of them by sorting."""
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Blocks:
    """Disjoint sets of rows, of each of which a number is to be published."""

    labels: Labels
    numbers: frozenset[int]
    """What is published of them: `ROWS`, and measures by position."""

    @property
    def count(self) -> int:
        """How many sets there may be."""
        return int(self.labels.max(initial=-1)) + 1


class Maps(Protocol):
    """Maps from blocks to fewer blocks, each no finer than the one before it."""

    def __len__(self) -> int:
        """How many there are."""

    def __getitem__(self, step: int, /) -> NDArray[np.int32]:
        """What each block becomes part of."""


@dataclass(frozen=True, slots=True)
class _Atoms:
    """The sets of rows that no published block tells apart."""

    of_rows: NDArray[np.int32]
    """The atom of each row."""
    sizes: NDArray[np.int64]
    codes: NDArray[np.int32]
    """The block of each atom, a column a list."""

    @classmethod
    def of_band(cls, rows: int) -> _Atoms:
        """Of a band of which only the number of rows is known."""
        import numpy as np

        return cls(np.zeros(rows, np.int32), np.array([rows], np.int64), np.zeros((1, 1), np.int32))

    def refined(self, labels: Labels) -> _Atoms:
        """The atoms of one list more."""
        import numpy as np

        blocks = int(labels.max(initial=-1)) + 2
        pairs = self.of_rows.astype(np.int64) * blocks
        pairs += labels
        pairs += 1
        if len(self.sizes) * blocks <= TABLE_MAX:
            is_used = np.zeros(len(self.sizes) * blocks, np.bool_)
            is_used[pairs] = True
            used = np.flatnonzero(is_used)
            places = np.cumsum(is_used, dtype=np.int32)
            places -= 1
            of_rows = places[pairs]
        else:
            used, found = np.unique(pairs, return_inverse=True)
            of_rows = found.astype(np.int32)
        column = (used % blocks - 1).astype(np.int32)[:, None]
        codes = np.asfortranarray(np.hstack([self.codes[used // blocks], column]))
        return _Atoms(of_rows, np.bincount(of_rows, minlength=len(used)).astype(np.int64), codes)


@dataclass(slots=True)
class BandDisclosure:
    """What was published of one band."""

    k: int
    atoms: _Atoms
    numbers: list[frozenset[int]] = field(default_factory=lambda: [frozenset({ROWS})])
    """Of each list of blocks, what was published."""
    settled: dict[str, int | None] = field(default_factory=dict)
    """What was decided, by question: the same question is answered in the same way."""

    def admit(
        self,
        question: str,
        blocks: Callable[[], Sequence[Blocks]],
        coarser: Maps | None = None,
    ) -> int | None:
        """
        Whether numbers of *blocks* may be published; if so, they count as published from now on.

        With *coarser*, maps from block to block from the finest to the coarsest, gives the first that may be:
        what is known of finer blocks is known of coarser ones, so that it is searched by halves. None where
        nothing may be published. *question* names what is asked.
        """
        if question not in self.settled:
            self.settled[question] = self._decide(blocks(), coarser)
        return self.settled[question]

    def _decide(self, blocks: Sequence[Blocks], coarser: Maps | None) -> int | None:
        import numpy as np

        if len(self.numbers) + len(blocks) > LISTS_MAX:
            return None
        atoms = self.atoms
        for one in blocks:
            atoms = atoms.refined(one.labels)
            if len(atoms.sizes) > ATOMS_MAX:
                return None
        numbers = [*self.numbers, *(one.numbers for one in blocks)]
        known = len(self.numbers)
        maps = coarser or [np.arange(max([1, *(one.count for one in blocks)]), dtype=np.int32)]

        def trial(step: int) -> _Atoms | None:
            mapped = [
                _in_order(np.where(codes < 0, -1, maps[step][codes])) for codes in atoms.codes[:, known:].T
            ]
            codes = np.asfortranarray(np.column_stack([atoms.codes[:, :known], *mapped]))
            tried = _Atoms(atoms.of_rows, atoms.sizes, codes)
            new = sorted(_new_numbers(codes, numbers, known))
            return tried if all(self._is_safe(tried, numbers, one) for one in new) else None

        step, found = _first_that_holds(trial, len(maps))
        if found is not None:
            self._publish(found, numbers)
        return step if found is not None else None

    def _is_safe(self, atoms: _Atoms, numbers: Sequence[frozenset[int]], number: int) -> bool:
        from engine.disclosure_algebra import is_safe

        chosen = [at for at, one in enumerate(numbers) if number in one]
        return is_safe(atoms.codes[:, chosen], atoms.sizes, self.k)

    def _publish(self, atoms: _Atoms, numbers: list[frozenset[int]]) -> None:
        """Keep *atoms* without lists that say nothing more, and as few as there are now."""
        import numpy as np

        from engine.disclosure_algebra import merged_atoms

        kept: dict[bytes, int] = {}
        columns: list[int] = []
        merged: list[frozenset[int]] = []
        for at, one in enumerate(numbers):
            column = np.ascontiguousarray(atoms.codes[:, at]).tobytes()
            if column in kept:
                merged[kept[column]] |= one
            else:
                kept[column] = len(merged)
                columns.append(at)
                merged.append(one)
        codes = atoms.codes[:, columns]
        first, sizes, patterns = merged_atoms(codes, atoms.sizes, np.arange(len(codes)))
        if len(first) < len(codes):
            of_atoms: NDArray[np.int32] = patterns.astype(np.int32)
            self.atoms = _Atoms(of_atoms[atoms.of_rows], sizes, codes[first])
        else:
            self.atoms = _Atoms(atoms.of_rows, atoms.sizes, codes)
        self.numbers = merged


def _in_order(codes: NDArray[Any]) -> NDArray[np.int32]:
    """The same blocks, numbered in the order in which they come."""
    import numpy as np

    used, first, places = np.unique(codes, return_index=True, return_inverse=True)
    ranks = np.empty(len(used), np.int32)
    order = np.argsort(np.where(used < 0, -1, first))
    ranks[order] = np.arange(len(used), dtype=np.int32) - int(used[0] < 0)
    found: NDArray[np.int32] = ranks[places]
    return found


def _new_numbers(codes: NDArray[np.int32], numbers: Sequence[frozenset[int]], known: int) -> frozenset[int]:
    """What is published of blocks from the column *known* on that was not published of the same ones before."""
    before: dict[bytes, frozenset[int]] = {}
    new = frozenset[int]()
    for at, one in enumerate(numbers):
        key = codes[:, at].tobytes()
        if at >= known:
            new |= one - before.get(key, frozenset())
        before[key] = before.get(key, frozenset()) | one
    return new


def _first_that_holds(trial: Callable[[int], _Atoms | None], count: int) -> tuple[int, _Atoms | None]:
    """The first step at which *trial* gives something, where all steps behind one that does do so too."""
    found = trial(0)
    if found is not None or count == 1:
        return 0, found
    low, high = 0, count - 1  # low does not hold
    found = trial(high)
    while found is not None and high - low > 1:
        middle = (low + high) // 2
        tried = trial(middle)
        if tried is None:
            low = middle
        else:
            high, found = middle, tried
    return high, found


class Disclosure:
    """
    What was published to one viewer of one snapshot, under groups of at least *k* rows.

    Several threads and conversations may share it; each question is settled before the next one is looked at. Only
    numbers that the program itself hands out are counted: what else a service shows of the rows is not.
    """

    def __init__(self, k: int) -> None:
        """Nothing is published yet; EngineError where *k* is less than 2."""
        if type(k) is not int or k < K_MIN:
            raise EngineError(
                f"A small group has fewer than k rows, and k is {k!r}: give a whole number of 2 or more."
            )
        self.k = k
        self.lock = RLock()
        self.kept: dict[object, Any] = {}
        """What answers have found out and need again: it follows from the snapshot, and is not stored."""
        self._bands: dict[int, BandDisclosure] = {}
        self._shape: list[list[object]] | None = None

    def of_band(self, snapshot: Snapshot, index: int) -> BandDisclosure:
        """What was published of the band at *index*; EngineError where *snapshot* is not the one it is about."""
        with self.lock:
            shape = _shape_of(snapshot)
            if self._shape is None:
                self._shape = shape
            if self._shape != shape:
                raise EngineError(
                    "What was published is of another snapshot: begin a Disclosure of its own for each."
                )
            if index not in self._bands:
                self._bands[index] = BandDisclosure(self.k, _Atoms.of_band(snapshot.bands[index].rows))
            return self._bands[index]

    def to_bytes(self) -> bytes:
        """What was published, for `from_bytes`; it is as confidential as the rows themselves."""
        from io import BytesIO

        import numpy as np

        with self.lock:
            bands = {
                str(index): {"numbers": [sorted(one) for one in band.numbers], "settled": band.settled}
                for index, band in self._bands.items()
            }
            head = {"format": FORMAT, "k": self.k, "shape": self._shape, "bands": bands}
            arrays: dict[str, NDArray[Any]] = {"head": np.frombuffer(json.dumps(head).encode(), np.uint8)}
            for index, band in self._bands.items():
                arrays |= {f"rows{index}": band.atoms.of_rows, f"codes{index}": band.atoms.codes}
            written = BytesIO()
            np.savez_compressed(written, **arrays)  # type: ignore[arg-type]  # its other options are no arrays
        return written.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Disclosure:
        """The Disclosure that `to_bytes` wrote; EngineError where *data* are damaged."""
        from io import BytesIO
        from zipfile import BadZipFile
        from zlib import error as ZlibError

        import numpy as np

        try:
            with np.load(BytesIO(data), allow_pickle=False) as found:
                head = json.loads(found["head"].tobytes())
                if head["format"] != FORMAT:
                    raise ValueError(f"format {head['format']!r}")
                disclosure = cls(head["k"])
                disclosure._shape = head["shape"]
                for index, band in head["bands"].items():
                    of_rows, codes = found[f"rows{index}"], found[f"codes{index}"]
                    sizes = np.bincount(of_rows, minlength=len(codes)).astype(np.int64)
                    atoms = _Atoms(of_rows.astype(np.int32), sizes, codes.astype(np.int32))
                    if len(sizes) != len(codes) or codes.shape[1] != len(band["numbers"]):
                        raise ValueError("its lists")
                    numbers = [frozenset(one) for one in band["numbers"]]
                    disclosure._bands[int(index)] = BandDisclosure(head["k"], atoms, numbers, band["settled"])
                return disclosure
        except (
            ValueError,
            KeyError,
            TypeError,
            IndexError,
            OSError,
            EOFError,
            BadZipFile,
            ZlibError,
        ) as error:
            raise EngineError(
                f"What was published is damaged ({str(error)[:100]}): answer nothing more, or begin with new data."
            ) from error


def _shape_of(snapshot: Snapshot) -> list[list[object]]:
    bands = [[one.name, one.rows, *(column.name for column in one.columns)] for one in snapshot.bands]
    return [[snapshot.id], *bands]
