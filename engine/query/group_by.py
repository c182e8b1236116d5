"""
Computes one exact value for each group of a band's rows, the first ones by name and the others as one group more.

Groups of equal value stand in order of their names. The rows without a value are a group too, named last, and the
rest is measured like any group: so the rows of an answer add up to those that its filter finds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.exceptions import QueryError
from engine.fact import PeriodName
from engine.notes import Note
from engine.query.grouping import GroupAnswer, Grouping
from engine.query.grouping_key import DATES
from engine.query.questions import BY_MAX, GROUPS_MAX, GroupBy, Verb
from engine.query.session import QuerySession, one_request
from engine.query.target import Target, find_target
from engine.query.verbs import verb_term

if TYPE_CHECKING:
    from datasources.filters import Filter


@dataclass(frozen=True, slots=True)
class GroupByAnswer:
    """The answer to a GroupBy: groups in order, then the null group, then the rest."""

    band: str
    by: tuple[str, ...]
    verb: Verb
    field: str | None
    period: PeriodName | None
    where: Filter | None
    rows: int | None
    """Rows that the filter finds; None where that is withheld."""
    groups: tuple[GroupAnswer, ...]
    notes: tuple[Note, ...] = ()

    @classmethod
    def to(
        cls,
        question: GroupBy,
        band: str,
        rows: int | None,
        groups: tuple[GroupAnswer, ...],
        notes: tuple[Note, ...],
    ) -> GroupByAnswer:
        """What answers *question*, which says the rest itself."""
        return cls(
            band,
            question.by,
            question.verb,
            question.field,
            question.period,
            question.where,
            rows,
            groups,
            notes,
        )


@one_request
def group_by(session: QuerySession, question: GroupBy) -> GroupByAnswer:
    """The answer to *question*; raises QueryError where the data have none, saying what to ask instead."""
    from engine.query.absent import notes_of_filter

    _check_shape(question)
    target = find_target(session.snapshot, question)
    _check_period(question, target)
    if session.disclosure is not None:
        from engine.disclosure_groups import withheld_group_by

        return withheld_group_by(session, question, session.disclosure)
    groups: tuple[GroupAnswer, ...] = ()
    notes: tuple[Note, ...] = ()
    if target.band.columns:
        with session.ask(target.index, target.fields) as opened:
            groups, notes = Grouping(session, question, target, opened).answer()
    rows = sum(group.rows for group in groups)
    if not rows:
        notes = (Note("no_rows" if question.where else "no_rows_at_all", verb=verb_term(question.verb)),)
    notes = (*notes, *notes_of_filter(session, target, rows))
    return GroupByAnswer.to(question, target.band.name, rows, groups if rows else (), notes)


def _check_shape(question: GroupBy) -> None:
    if not 1 <= len(question.by) <= BY_MAX:
        raise QueryError("by_count", count=len(question.by))
    if len(set(question.by)) < len(question.by):
        raise QueryError("same_field_twice", field=question.by[0])
    if question.top is not None and not 1 <= question.top <= GROUPS_MAX:
        raise QueryError("top_range", most=GROUPS_MAX)


def _check_period(question: GroupBy, target: Target) -> None:
    if question.period is None or not target.band.columns:
        return
    dated = [name for name in question.by if target.band.columns[target.band_position(name)].type in DATES]
    if not dated and not any(target.is_without_cells(target.band_position(name)) for name in question.by):
        raise QueryError("period_needs_date", names=question.by)
    if len(dated) > 1:
        raise QueryError("two_dates", names=tuple(dated))
