"""The nouns of a profile in which small groups are withheld: what is left, and what it does not tell."""

from __future__ import annotations

from dataclasses import dataclass

from engine.profile import BandProfile, FieldProfile, GroupProfile, Profile


@dataclass(frozen=True, slots=True)
class WithheldField(FieldProfile):
    """A field of which only some facts are told; `nulls` is 0 where their number is withheld."""

    withheld: tuple[str, ...] = ()
    """Verbs of statistics that are withheld: `SUM`, `AVG`, `MIN`, `MAX`, `NULLS`."""
    rest: int | None = None
    """Rows of the values that have no name, where there are some."""

    @property
    def is_constant(self) -> bool:
        """Whether all cells are known to hold the same number or date."""
        return self.min == self.max and not {"MIN", "MAX"} & set(self.withheld)

    @property
    def is_identity(self) -> bool:
        """Whether there is no value to count: each that has a name repeats."""
        return not self.values


@dataclass(frozen=True, slots=True)
class WithheldGroup(GroupProfile):
    """A list of sums by group, without those that have no name."""

    unnamed: str | None = None
    """The sum of all groups without a name, where there are some."""

    @property
    def numbers(self) -> int:
        """How many numbers the list prints."""
        return len(self.parts) + (self.rest is not None) + (self.unnamed is not None)


@dataclass(frozen=True, slots=True)
class WithheldBand(BandProfile):
    """A band of which only some facts are told; of one with too few rows, none, and `rows` is 0."""

    k: int = 0
    """A group of fewer rows is small."""
    is_few: bool = False
    """Whether the whole band has fewer rows."""
    lists: tuple[GroupProfile, ...] = ()
    """Lists of sums that are withheld, without their parts."""


@dataclass(frozen=True, slots=True)
class WithheldProfile(Profile):
    """What a viewer may read of a report in which groups of fewer than *k* rows must not show; rows travel never."""

    k: int = 0
    unstated: frozenset[str] = frozenset()
    """The report's own aggregates that are withheld, by id."""
