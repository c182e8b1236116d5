"""
Finds out whether a code has a word of fewer than k rows: an exact search, by arithmetic modulo a prime.

A word is a number for each atom, and has the rows of the atoms in which it is not zero. What cannot be settled within
`BUDGET` counts as such a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

PRIME = 2**31 - 1
"""A product of two residues fits into 64 bits."""
SEED = 20_240_229
"""The same question is decided in the same way every time."""
BUDGET = 40_000_000
"""Pairs of atoms that are compared."""
CHUNK = 2_000_000


def has_no_light_word(words: Ints, rows: Ints, k: int, random: np.random.Generator) -> bool:
    """Whether no combination of *words* but zero has fewer than *k* rows; False where that is not known."""

    while True:
        words, _ = _reduced(words)
        if not len(words):
            return True
        words, rows = _without_parallels(words, rows)
        large = rows >= k
        if not large.any():
            break
        words = _product(_left_null(words[:, large]), words[:, ~large])
        rows = rows[~large]
    words, pivots = _reduced(words)
    if _lightest(words, rows) < k:
        return False
    if len(words) == 1:
        return True
    if _cost(rows, k) <= BUDGET:
        return not _has_light_dependents(_null_sample(words, pivots, k, random), rows, k)
    return _is_heavy_in_bases(words, rows, k)


def _lightest(words: Ints, rows: Ints) -> int:
    return int(((words != 0) * rows).sum(axis=1).min())


def _reduced(words: Ints, order: Ints | None = None) -> tuple[Ints, list[int]]:
    """A basis of the same words, each alone in having its pivot, and the pivots, the first possible ones of *order*."""
    import numpy as np

    words = words.copy()
    pivots: list[int] = []
    columns = np.arange(words.shape[1]) if order is None else order
    while len(pivots) < len(words) and len(columns):
        done = len(pivots)
        possible = words[done:, columns].max(axis=0) > 0  # residues are not negative
        at = int(possible.argmax())
        if not possible[at]:
            break
        column, columns = int(columns[at]), columns[at + 1 :]
        row = done + int((words[done:, column] != 0).argmax())
        words[[done, row]] = words[[row, done]]
        words[done] = words[done] * pow(int(words[done, column]), -1, PRIME) % PRIME
        others = np.flatnonzero(words[:, column])
        others = others[others != done]
        words[others] = (words[others] - words[others, column][:, None] * words[done]) % PRIME
        pivots.append(column)
    return words[: len(pivots)], pivots


def _without_parallels(words: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Atoms in which all words have the same ratios go together, as one; those of no word are left out."""
    import numpy as np

    inside = words.any(axis=0)
    words, rows = words[:, inside], rows[inside]
    first = (words != 0).argmax(axis=0)
    leads = words[first, np.arange(words.shape[1])]
    scaled = words * _inverses(leads) % PRIME
    # As with patterns, columns that differ have the same random sum once in 2**64.
    weights = np.random.default_rng(SEED).integers(1, 2**63, len(scaled), np.int64) | 1
    _, kept, groups = np.unique(weights @ scaled, return_index=True, return_inverse=True)
    return scaled[:, kept], np.bincount(groups, rows, len(kept)).astype(np.int64)


def _inverses(values: Ints) -> Ints:
    import numpy as np

    unique, places = np.unique(values, return_inverse=True)
    inverses = np.array([pow(int(value), -1, PRIME) for value in unique], np.int64)
    found: Ints = inverses[places]
    return found


def _left_null(words: Ints) -> Ints:
    """A basis of the combinations of *words* that are zero everywhere."""
    import numpy as np

    count = len(words)
    together = np.hstack([words, np.eye(count, dtype=np.int64)])
    reduced, pivots = _reduced(together)
    rank = sum(pivot < words.shape[1] for pivot in pivots)
    return reduced[rank:, words.shape[1] :]


def _product(left: Ints, right: Ints) -> Ints:
    """The product of two matrices, whose entries are halved so that sums of products fit into 64 bits."""
    high, low = right >> 16, right & 0xFFFF
    found: Ints = ((left @ high % PRIME) * 65_536 + left @ low) % PRIME
    return found


def _null_sample(words: Ints, pivots: list[int], k: int, random: np.random.Generator) -> Ints:
    """
    Random vectors that all *words* are orthogonal to, one row an atom.

    They are datasets with the same published numbers: a word of a few atoms makes the rows of these dependent, and
    what is independent in all such datasets is so, but for a chance of one in 2**31, in these.
    """
    import numpy as np

    count = words.shape[1]
    free = np.setdiff1d(np.arange(count), pivots)
    sample = np.zeros((count, max(k, 3)), np.int64)
    sample[free] = random.integers(0, PRIME, (len(free), sample.shape[1]))
    sample[pivots] = -_product(words[:, free], sample[free]) % PRIME
    return sample


def _cost(rows: Ints, k: int) -> int:
    """About how many pairs `_has_light_dependents` compares."""
    sets, chosen = 1, 1
    light = int((rows <= k - 3).sum())
    for size in range(1, k - 2):
        chosen = chosen * max(light - size + 1, 0) // size
        sets += chosen
    return sets * len(rows) ** 2


def _has_light_dependents(vectors: Ints, rows: Ints, k: int) -> bool:
    """Whether some of *vectors*, of fewer than *k* rows together, are linearly dependent."""
    import numpy as np

    if not vectors.any(axis=1).all():
        return True
    order = np.argsort(-rows, kind="stable")  # heavy ones leave room for few others
    nodes = vectors[order][None]
    rows = rows[order]
    weights, lasts = np.zeros(1, np.int64), np.full(1, -1, np.int64)
    while len(nodes):
        if _has_light_pair(nodes, rows, weights, lasts, k):
            return True
        at, chosen = np.nonzero(
            (np.arange(len(rows)) > lasts[:, None]) & (weights[:, None] + rows[None] <= k - 3)
        )
        if not len(at):
            return False
        nodes = _modulo(nodes, at, chosen)
        weights, lasts = weights[at] + rows[chosen], chosen.astype(np.int64)
    return False


def _modulo(nodes: Ints, at: Ints, chosen: Ints) -> Ints:
    """The vectors of each node *at* modulo its vector *chosen*: with one coordinate less."""
    import numpy as np

    step = max(CHUNK // (nodes.shape[1] * nodes.shape[2]), 1)
    parts = []
    for start in range(0, len(at), step):
        vectors = nodes[at[start : start + step]]
        pivots = vectors[np.arange(len(vectors)), chosen[start : start + step]][:, None]
        parts.append((vectors[:, :, 1:] * pivots[:, :, :1] - pivots[:, :, 1:] * vectors[:, :, :1]) % PRIME)
    return np.concatenate(parts)


def _has_light_pair(nodes: Ints, rows: Ints, weights: Ints, lasts: Ints, k: int) -> bool:
    """Whether in some node two vectors behind the last one chosen are parallel, and light enough."""
    import numpy as np

    count = len(rows)
    first, second = np.triu_indices(count, 1)
    pairs = rows[first] + rows[second]
    step = max(CHUNK // max(len(first), 1), 1)
    for start in range(0, len(nodes), step):
        some = slice(start, start + step)
        light = weights[some, None] + pairs[None] < k
        light &= first[None] > lasts[some, None]
        node, pair = np.nonzero(light)
        a, b = nodes[some, :, 0], nodes[some, :, 1]
        left, right = first[pair], second[pair]
        minors = (a[node, left] * b[node, right] - a[node, right] * b[node, left]) % PRIME
        if not minors.all():
            return True
    return False


def _is_heavy_in_bases(words: Ints, rows: Ints, k: int) -> bool:
    """
    Whether no word is light, by bases that share no row; False also where there are not enough of them.

    A word of fewer than *k* rows has at most one atom in common with one of more than (k - 1) / 2 such bases, and so
    is one of the words that this basis gives.
    """
    import numpy as np

    room = rows.copy()
    for _ in range((k - 1) // 2 + 1):
        order = np.argsort(-room, kind="stable")
        basis, pivots = _reduced(words, order[room[order] > 0])
        if len(basis) < len(words) or _lightest(basis, rows) < k:
            return False
        room[pivots] -= 1
    return True
