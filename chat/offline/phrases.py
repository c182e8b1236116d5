"""Puts atoms side by side to phrases: a limit, a span of days, a group, a top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from chat.offline.atoms import Amount, Atom, BandName, FieldName, Mark, Period, Unknown, Value
from chat.offline.periods import YEARS
from chat.offline.reading import Doubt
from engine.query.questions import GROUPS_MAX

Side = Literal["since", "until", "before", "after"]


@dataclass(frozen=True, slots=True)
class Limit:
    """`above 10`, `between 10 and 20`."""

    op: str
    amounts: tuple[Amount, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """`since April`, `from April to June`."""

    side: Side | None
    periods: tuple[Period, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """`by region`, `each month`: a field, or a period of the band's date."""

    field: str | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Top:
    """`top 5`."""

    count: int


Item = Atom | Limit | Span | Group | Top


def fold_items(items: list[Item], comparing: bool) -> list[Item] | Doubt:
    """The items with what belongs together put together."""
    result: list[Item] = []
    at = 0
    while at < len(items):
        limit = _limit(items, at)
        if limit is not None:
            item, end = limit
            follower = items[end] if end < len(items) else None
            if result and is_mark(result[-1], "be", "and"):
                return Doubt("offline_no_condition")
            if isinstance(follower, Atom) and isinstance(follower.meaning, BandName):
                return Doubt("offline_no_condition")  # so many rows of a group
            result.append(item)
            at = end
            continue
        found = _span(items, at, comparing) or _group(items, at) or _top(items, at)
        if found is not None:
            more, at = found
            result += more
            continue
        result.append(items[at])
        at += 1
    return result


def is_mark(item: Item | None, *kinds: str) -> bool:
    """Whether *item* is a word of the language of one of *kinds*."""
    return isinstance(item, Atom) and item.is_mark(*kinds)


def _get(items: Sequence[Item], at: int) -> Item | None:
    return items[at] if 0 <= at < len(items) else None


def _amount(item: Item | None) -> Amount | None:
    return item.meaning if isinstance(item, Atom) and isinstance(item.meaning, Amount) else None


def period_in(item: Item | None) -> Period | None:
    """The period that *item* is, if it is one."""
    return item.meaning if isinstance(item, Atom) and isinstance(item.meaning, Period) else None


def _mark(item: Item | None) -> Mark | None:
    return item.meaning if isinstance(item, Atom) and isinstance(item.meaning, Mark) else None


def _limit(items: Sequence[Item], at: int) -> tuple[Limit, int] | None:
    mark = _mark(items[at])
    first = _amount(_get(items, at + 1))
    if mark is None or first is None:
        return None
    if (
        mark.kind == "cmp"
        and mark.name in (">=", "<=")
        and first.unit is None
        and first.is_whole
        and _may_be_year(first)
    ):
        return None  # "from 2026 on"
    if mark.kind == "cmp":
        return Limit(mark.name, (first,)), at + 2
    second = _amount(_get(items, at + 3))
    if mark.kind == "between" and is_mark(_get(items, at + 2), "and", "to") and second is not None:
        return Limit("between", (first, second)), at + 4
    return None


def _may_be_year(amount: Amount) -> bool:
    return YEARS[0] <= amount.number <= YEARS[1]


def _span(items: Sequence[Item], at: int, comparing: bool) -> tuple[list[Item], int] | None:
    """A span of days; of two periods that are compared only the words between them go."""
    opener = _mark(items[at])
    if opener is not None and opener.kind in ("between", "from", "side"):
        first = period_in(_get(items, at + 1))
        second = period_in(_get(items, at + 3))
        joined = _get(items, at + 2)
        is_from = opener.kind == "from" or (opener.kind == "side" and opener.name == "since")
        fits = (opener.kind == "between" and is_mark(joined, "and", "to")) or (
            is_from
            and (
                is_mark(joined, "to") or (is_mark(joined, "side") and _mark(joined) == Mark("side", "until"))
            )
        )
        if first is not None and second is not None and fits:
            pair = [items[at + 1], items[at + 3]]
            return (pair if comparing else [Span(None, (first, second))]), at + 4
        if first is not None and opener.kind == "side":
            return [Span(opener.name, (first,))], at + 2  # type: ignore[arg-type]
        return None
    first, second = period_in(items[at]), period_in(_get(items, at + 2))
    if (
        first is not None
        and second is not None
        and is_mark(_get(items, at + 1), "to", "and", "or", "compare")
    ):
        if comparing or is_mark(_get(items, at + 1), "or"):
            return [
                items[at],
                *([items[at + 1]] if is_mark(items[at + 1], "or", "compare") else []),
                items[at + 2],
            ], at + 3
        if is_mark(items[at + 1], "to"):
            return [Span(None, (first, second))], at + 3
    return None


def _group(items: Sequence[Item], at: int) -> tuple[list[Item], int] | None:
    if is_mark(items[at], "per_unit"):
        mark = _mark(items[at])
        assert mark is not None
        return [Group(unit=mark.name)], at + 1
    if not is_mark(items[at], "by", "each"):
        return None
    after = at + 2 if is_mark(_get(items, at + 1), "each") else at + 1
    item = _get(items, after)
    if isinstance(item, Atom) and item.is_mark("amount", "verb"):
        return [item], after + 1  # ranked by value
    if isinstance(item, Atom) and isinstance(item.meaning, BandName):
        # `top 3 clientes por vendas` ranks by them; `por venda` otherwise means each row.
        return [Atom(item.start, item.start, Mark("by_band")), item], after + 1
    if is_mark(item, "unit"):
        mark = _mark(item)
        assert mark is not None
        return [Group(unit=mark.name)], after + 1
    if isinstance(item, Atom) and isinstance(item.meaning, FieldName):
        if item.meaning.is_event or item.meaning.is_kind:
            return None  # by order: its days are not meant; by room: and not by their types
        groups: list[Item] = [Group(field=item.meaning.field)]
        second = _get(items, after + 2)
        if is_mark(_get(items, after + 1), "and", "to", "by") and isinstance(second, Atom):
            if isinstance(second.meaning, FieldName):
                return [*groups, Group(field=second.meaning.field)], after + 3
            if second.is_mark("unit") and isinstance(second.meaning, Mark):
                return [*groups, Group(unit=second.meaning.name)], after + 3
        return groups, after + 1
    if isinstance(item, Atom) and isinstance(item.meaning, Value | Unknown | Period):
        return [item], after + 1  # paid by card
    return None


def _top(items: Sequence[Item], at: int) -> tuple[list[Item], int] | None:
    amount = _amount(_get(items, at + 1))
    if (
        is_mark(items[at], "top")
        and amount is not None
        and amount.is_whole
        and 1 <= amount.number <= GROUPS_MAX
    ):
        return [Top(int(amount.number))], at + 2
    return None
