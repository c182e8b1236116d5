"""What a question was understood to be: a call of a tool, a value to look for, or a doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from chat.tools.wire import Value as Wire
from chat.tools.wire import write
from engine.profile import ReportAggregate

Condition = dict[str, Any]
"""A condition as a tool takes it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The one question that was understood."""

    tool: Literal["sulfite_aggregate_data", "sulfite_group_by", "sulfite_compare"]
    arguments: str
    """JSON, in which equal questions are equal texts."""
    band: str
    verb: str
    field: str | None = None
    by: tuple[str, ...] = ()
    top: int | None = None
    stated: ReportAggregate | None = None
    """What the report itself states as the answer; it is authoritative."""
    without_nulls: str | None = None
    """The field whose rows without a value are left out, since they have no name."""
    cost: int = 0
    """How far the words are from the names of the report."""

    @property
    def key(self) -> tuple[str, str | None]:
        """What it asks, by which two readings are one."""
        return self.arguments, self.stated.id if self.stated else None


@dataclass(frozen=True, slots=True)
class Search:
    """Words that may be a value which the profile does not list: they are looked for first."""

    query: str

    @property
    def arguments(self) -> str:
        """As the tool takes them."""
        return arguments_text({"query": self.query})


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a question is not answered: a sentence of the catalogue and its values."""

    code: str
    names: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()
    """What it may mean, where it may mean several things."""
    weight: int = 0
    """Of several doubts the heaviest is told: it is nearest to an answer."""


INCOMPLETE = Doubt("offline_incomplete")
"""All words are known, and they are no question."""


def arguments_text(arguments: dict[str, Wire]) -> str:
    """*arguments* as JSON, without those that are not given."""
    return write({key: value for key, value in arguments.items() if value is not None})
