"""A condition as SQL: what follows WHERE, with the values for its question marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

NEVER = "FALSE"
"""What fits no row."""

Bound = str | float | bool | list[str]


@dataclass(slots=True)
class Clause:
    """What follows WHERE, and the values for its question marks."""

    sql: str
    values: list[Bound] = field(default_factory=list)

    @classmethod
    def joined(cls, clauses: Sequence[Clause], word: str) -> Clause:
        """The *clauses* with AND or OR between them."""
        if len(clauses) == 1:
            return clauses[0]
        return cls(
            "(" + f" {word} ".join(one.sql for one in clauses) + ")",
            [value for one in clauses for value in one.values],
        )
