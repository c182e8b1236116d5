"""
Decides whether numbers that were published of sets of rows determine one of fewer than k rows.

What is published of *blocks* (sums, counts) determines every linear combination of them. Rows of the same blocks are
an *atom*, and a number of fewer than k rows is known as soon as a combination of blocks is other than zero only in
atoms that have fewer than k rows together. So the least such combination is looked for, as one looks for the least
word of a linear code, modulo a prime. What cannot be settled within the bounds below counts as determined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.disclosure_words import PRIME, SEED, has_no_light_word

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.int32]
    Ints = NDArray[np.int64]

COEFFICIENT_MAX = 2**18
"""Of random combinations: 8,192 products of one with a residue can be added up in 64 bits."""
BLOCKS_MAX = 4_096
WORDS_MAX = 2**23
"""Combinations without large atoms, times the atoms that they touch."""
WORDS_FEW = 2**19
"""Of more of them it is first tried whether there are k bases, which needs no words."""


def is_safe(codes: Codes, rows: Ints, k: int) -> bool:
    """
    Whether no combination of blocks is known of fewer than *k* rows.

    Each column of *codes* is a list of disjoint blocks: an atom is in the block of that number, or with -1 in none.
    *rows* are those of each atom.
    """
    import numpy as np

    small = rows < k
    if not small.any():
        return True
    blocks, count = _numbered(codes)
    if count > BLOCKS_MAX:
        return False
    random = np.random.default_rng(SEED)
    large = blocks[np.flatnonzero(~small)[np.argsort(-rows[~small], kind="stable")]]
    exposed = np.flatnonzero(small)
    silent = np.eye(count, count + 1, dtype=np.int64)
    # The largest are mostly enough to see that no combination is left.
    for most in (4 * count, len(large)):
        silent, _ = _annihilator(silent, large[:most], random)
        exposed = exposed[_touched(silent, blocks[exposed], random)]
        if not len(exposed):
            return True
    exposed, weights, _ = merged_atoms(codes, rows, exposed)
    size = len(exposed) * len(silent)
    if size > WORDS_FEW and _has_bases(silent, blocks[exposed], weights, k, random):
        return True
    if size > WORDS_MAX:
        return False
    return has_no_light_word(_columns(silent, blocks[exposed]), weights, k, random)


def merged_atoms(codes: Codes, rows: Ints, chosen: Ints) -> tuple[Ints, Ints, Ints]:
    """Of the *chosen* atoms the first of each pattern of blocks, the rows of the pattern, and each atom's pattern."""
    import numpy as np

    # Patterns that differ have the same random sum once in 2**64: sorting whole patterns would take most of the time.
    weights = np.random.default_rng(SEED).integers(1, 2**63, (codes.shape[1], 2), np.int64) | 1
    sums = np.zeros(len(chosen), np.int64)
    for at in range(codes.shape[1]):
        column = codes[chosen, at]
        sums += column * weights[at, 0] + (column < 0) * weights[at, 1]
    _, first, patterns = np.unique(sums, return_index=True, return_inverse=True)
    return chosen[first], np.bincount(patterns, rows[chosen], len(first)).astype(np.int64), patterns


def _numbered(codes: Codes) -> tuple[Ints, int]:
    """The number of each atom's block in each list, all lists counted through; no block is the last number."""
    import numpy as np

    numbers = np.empty(codes.shape, np.int64, order="F")
    count = 0
    for at in range(codes.shape[1]):
        shifted = codes[:, at] + 1
        is_used = np.bincount(shifted) > 0
        is_used[0] = False
        places = np.cumsum(is_used) + (count - 1)
        places[0] = -1
        numbers[:, at] = places[shifted]
        count += int(is_used.sum())
    numbers[numbers < 0] = count
    return numbers, count


def _columns(combinations: Ints, blocks: Ints) -> Ints:
    """What each of *combinations* of blocks is in each atom."""
    import numpy as np

    by_block = np.ascontiguousarray(combinations.T)
    found = np.zeros((len(blocks), len(combinations)), np.int64)
    for at in range(blocks.shape[1]):
        found += by_block[blocks[:, at]]
    found %= PRIME
    return found.T


def _mixed(combinations: Ints, random: np.random.Generator) -> Ints:
    """Three random combinations of *combinations*: where all are zero, these are."""
    weights = random.integers(1, COEFFICIENT_MAX, (3, len(combinations)))
    mixed: Ints = weights @ combinations % PRIME
    return mixed


def _touched(combinations: Ints, blocks: Ints, random: np.random.Generator) -> NDArray[np.bool_]:
    """The atoms in which some of *combinations* is not zero."""
    values = _columns(_mixed(combinations, random), blocks)
    found: NDArray[np.bool_] = values.max(axis=0, initial=0) > 0
    return found


def _annihilator(basis: Ints, blocks: Ints, random: np.random.Generator) -> tuple[Ints, list[int]]:
    """
    A basis of the combinations of *basis* that are zero in all atoms, and the atoms that decide so.

    The last column is that of no block.
    """
    import numpy as np

    basis = basis.copy()
    deciding: list[int] = []
    while len(basis) and len(blocks):
        hits = np.flatnonzero(_touched(basis, blocks, random))[: len(basis)]
        if not len(hits):
            break
        for hit in hits.tolist():
            values = basis[:, blocks[hit]].sum(axis=1) % PRIME
            touched = np.flatnonzero(values)
            if len(touched):
                pivot, others = touched[0], touched[1:]
                factors = values[others] * pow(int(values[pivot]), -1, PRIME) % PRIME
                basis[others] = (basis[others] - factors[:, None] * basis[pivot]) % PRIME
                basis = np.delete(basis, pivot, axis=0)
                deciding.append(hit)
    return basis, deciding


def _has_bases(silent: Ints, blocks: Ints, rows: Ints, k: int, random: np.random.Generator) -> bool:
    """
    Whether there are *k* sets of atoms, each row in one of them, by each of which a combination is told from zero.

    A combination that is not zero then has a row in each of them.
    """
    import numpy as np

    room = rows.copy()
    for _ in range(k):
        order = np.lexsort((random.random(len(room)), -room))
        order = order[room[order] > 0]
        left, start = silent, 0
        # Some of them are mostly enough, and looking at all of them takes most of the time.
        for end in (16 * len(silent), len(order)):
            left, deciding = _annihilator(left, blocks[order[start:end]], random)
            room[order[start:end][deciding]] -= 1
            start = end
            if not _touched(left, blocks, random).any():
                break
        else:
            return False
    return True
