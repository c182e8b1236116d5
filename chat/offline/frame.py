"""Gives the phrases and words of a question their roles: what is computed, of which rows, by which groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from chat.offline.atoms import Amount, Atom, BandName, FieldName, Mark, Period, Stated, Unknown, Value
from chat.offline.book import Book
from chat.offline.phrases import Group, Item, Limit, Span, Top, fold_items, is_mark, period_in
from chat.offline.reading import Doubt
from engine.query.questions import GROUPS_MAX


@dataclass(slots=True)
class Frame:
    """A question of one band, its words in their roles."""

    cost: int
    marks: dict[str, list[Mark]] = field(default_factory=dict)
    bands: list[BandName] = field(default_factory=list)
    measures: list[str] = field(default_factory=list)
    """Fields with numbers that nothing has claimed."""
    labels: list[str] = field(default_factory=list)
    """Fields with texts, codes or the like that nothing has claimed."""
    yes: dict[str, str] = field(default_factory=dict)
    """Those of them that say yes or no and are named by their own word, each with its yes."""
    dates: list[str] = field(default_factory=list)
    """Fields with days that nothing has claimed."""
    period_date: str | None = None
    """The date that a period is said of."""
    values: list[Value] = field(default_factory=list)
    unknown: Unknown | None = None
    unknown_field: str | None = None
    periods: list[Period] = field(default_factory=list)
    is_dated: bool = False
    """Whether a period is said, be it one of two that are compared."""
    spans: list[Span] = field(default_factory=list)
    is_plural: bool = False
    """Whether several values of a field are spoken of."""
    is_vague: bool = False
    """Whether no field but one of words like `valor` is named."""
    is_had: bool = False
    """Whether rows are said to have a measure, as in `com desconto`."""
    limits: list[tuple[Limit, str | None]] = field(default_factory=list)
    """Each with the field that it is said of."""
    groups: list[Group] = field(default_factory=list)
    is_whole_of_top: bool = False
    """Whether a sum of the first groups is asked for: `total dos 3 maiores clientes`."""
    has_loose_value: bool = False
    """Whether a number such as 3 is read as a value, and nothing says of what."""
    is_ranked_by: bool = False
    """Whether a measure stands after a `by`, which is no group."""
    units: list[str] = field(default_factory=list)
    """Periods that are asked for, as in "which month"."""
    top: int | None = None
    is_top_loose: bool = False
    """Whether only a number says it, without a `top`."""
    stated: list[Stated] = field(default_factory=list)
    counted: Item | None = None
    """What follows a `how many`."""
    after_superlative: Item | None = None
    """What follows a `greatest`, if something does."""

    def has(self, *kinds: str) -> bool:
        """Whether there is a mark of one of *kinds*."""
        return any(kind in self.marks for kind in kinds)

    @property
    def verbs(self) -> frozenset[str]:
        """What is to be computed, as far as it is said."""
        return frozenset(mark.name for mark in self.marks.get("verb", ()))


def frame_of(cover: Sequence[Atom], book: Book) -> Frame | Doubt:
    """The roles of the atoms of a *cover*; a doubt where they have none."""
    items: list[Item] = list(cover)
    comparing = any(isinstance(one, Atom) and one.is_mark("compare", "growth") for one in items)
    folded = fold_items(items, comparing)
    if isinstance(folded, Doubt):
        return folded
    frame = Frame(sum(atom.cost for atom in cover))
    kept = _absorb(folded, frame, book)
    for place, item in enumerate(kept):
        # In "how many different customers" it is customers that are counted.
        after = [one for one in kept[place + 1 : place + 3] if not is_mark(one, "distinct")]
        following = after[0] if after else None
        if (
            following is None
            and place
            and is_mark(item, "greatest", "smallest")
            and (name := _field(kept[place - 1]))
            and book.is_number(name)
        ):
            following = kept[place - 1]  # `aluguel mais caro` is the greatest rent
        doubt = _place(item, following, frame, book)
        if doubt is not None:
            return doubt
    return frame


def _absorb(items: list[Item], frame: Frame, book: Book) -> list[Item]:
    """The items without the fields that only say what a value, a period or a limit beside them is of."""
    items = [item for item in items if not is_mark(item, "be")]
    items = [item for place, item in enumerate(items) if not _announces(item, items[place + 1 :])]
    if items and is_mark(items[0], "and"):
        items = items[1:]
    items = [_said_yes(items, place, book) for place in range(len(items))]
    comparing = any(is_mark(item, "compare", "growth", "or") for item in items)
    if comparing:
        items = [
            item
            for place, item in enumerate(items)
            if not (is_mark(item, "and", "to", "between") and _joins(items, place))
        ]
    gone: set[int] = set()
    for place, item in enumerate(items):
        near = [at for at in (place - 1, place + 1) if 0 <= at < len(items) and at not in gone]
        if isinstance(item, Limit):
            said_of = _field_beside(items, near, book, gone)
            frame.limits.append((item, said_of))
            gone.add(place)
        elif isinstance(item, Atom) and isinstance(item.meaning, Value):
            beside = {at for at in near if _field(items[at]) == item.meaning.field}
            if item.meaning.value.isdigit() and len(item.meaning.value) <= 2 and not beside:
                frame.has_loose_value = True
            gone |= beside
        elif isinstance(item, Atom) and isinstance(item.meaning, Unknown):
            fields = [
                at for at in near if (name := _field(items[at])) and book.view.field(name).type == "text"
            ]
            if fields:
                frame.unknown_field = _field(items[fields[0]])
                gone.add(fields[0])
        elif isinstance(item, Span) or period_in(item) is not None:
            dates = [at for at in near if (name := _field(items[at])) and book.is_date(name)]
            if dates:
                frame.period_date = _field(items[dates[0]])
                gone |= set(dates[:1])
    return [item for place, item in enumerate(items) if place not in gone]


def _announces(item: Item, after: Sequence[Item]) -> bool:
    """Whether a word as `dia` only says what follows: `dia 15 de março`."""
    period = period_in(after[0]) if after else None
    return isinstance(item, Atom) and period is not None and item.meaning == Mark("unit", period.kind)


def _said_yes(items: list[Item], place: int, book: Book) -> Item:
    """`Contracts paid`, `reopened tickets`: beside what it is said of, a field of yes and no says yes."""
    item = items[place]
    name = _field(item)
    yes = book.yes_of(name) if name is not None else None
    if not isinstance(item, Atom) or name is None or yes is None or not _is_own(item):
        return item
    before = items[place - 1] if place else None
    after = items[place + 1] if place + 1 < len(items) else None
    is_said = _is_thing(before, book) or (
        isinstance(after, Atom) and after.start == item.end and _is_thing(after, book)
    )
    return Atom(item.start, item.end, Value(name, yes), item.cost) if is_said else item


def _is_own(item: Atom) -> bool:
    return isinstance(item.meaning, FieldName) and item.meaning.is_own


def _is_thing(item: Item | None, book: Book) -> bool:
    """Whether *item* names things that something can be said of."""
    if not isinstance(item, Atom):
        return False
    if isinstance(item.meaning, FieldName):
        return _is_label(item, book) and book.yes_of(item.meaning.field) is None
    return isinstance(item.meaning, BandName) and item.meaning.is_thing


def _joins(items: list[Item], place: int) -> bool:
    """Whether an `and` or a `to` stands before the second of two things that are compared."""
    after = items[place + 1 : place + 3]
    return any(
        isinstance(item, Atom) and isinstance(item.meaning, Value | Period | Unknown) for item in after
    )


def _field(item: Item | None) -> str | None:
    return item.meaning.field if isinstance(item, Atom) and isinstance(item.meaning, FieldName) else None


def _field_beside(items: list[Item], near: list[int], book: Book, gone: set[int]) -> str | None:
    numeric = [at for at in near if (name := _field(items[at])) and book.is_number(name)]
    if not numeric:
        return None
    chosen = _field(items[numeric[0]])
    for at in numeric:
        gone |= _run(items, at, chosen)
    return chosen


def _run(items: list[Item], start: int, name: str | None) -> set[int]:
    """The places around *start* where one and the same field is named: `dias` and `atraso`."""
    first = last = start
    while first > 0 and _field(items[first - 1]) == name:
        first -= 1
    while last + 1 < len(items) and _field(items[last + 1]) == name:
        last += 1
    return {at for at in range(first, last + 1) if _field(items[at]) == name}


def _is_label(item: Item | None, book: Book) -> bool:
    name = _field(item)
    return name is not None and not book.is_number(name) and not book.is_date(name)


def _place(item: Item, following: Item | None, frame: Frame, book: Book) -> Doubt | None:
    """Give *item* its role in *frame*."""
    match item:
        case Span():
            frame.spans.append(item)
            frame.is_dated = True
        case Group(field=name) if name is not None and book.is_number(name):
            frame.is_ranked_by = True
            if name not in frame.measures:
                frame.measures.append(name)
        case Group():
            frame.groups.append(item)
        case Top():
            frame.is_whole_of_top = frame.has("verb", "how_much")
            frame.top = item.count
        case Limit():
            raise AssertionError("limits have their place already")
        case Atom():
            return _place_atom(item, following, frame, book)
    return None


def _place_atom(atom: Atom, following: Item | None, frame: Frame, book: Book) -> Doubt | None:
    match atom.meaning:
        case Mark("unit", name):
            frame.units.append(name)
        case Mark("average_number", _):
            counted = _field(following)
            if counted is None or not book.is_number(counted):
                return Doubt("offline_which_average", weight=2)  # of how many, and per what?
            frame.marks.setdefault("verb", []).append(Mark("verb", "AVG"))
        case Mark(kind, _):
            frame.marks.setdefault(kind, []).append(atom.meaning)
            if kind == "how_many" or atom.meaning == Mark("verb", "COUNT"):
                frame.counted = following
            if kind in ("greatest", "smallest"):
                frame.after_superlative = following
        case BandName():
            frame.bands.append(atom.meaning)
        case FieldName(name, is_vague=is_vague, is_plural=is_plural, is_had=is_had):
            frame.is_had = frame.is_had or (is_had and book.is_number(name))
            if _is_own(atom) and (yes := book.yes_of(name)) is not None:
                frame.yes[name] = yes
            frame.is_vague = frame.is_vague or is_vague
            frame.is_plural = frame.is_plural or (is_plural and not book.is_number(name))
            kind_of = (
                frame.measures
                if book.is_number(name)
                else frame.dates
                if book.is_date(name)
                else frame.labels
            )
            if name not in kind_of:
                kind_of.append(name)
        case Value():
            if atom.meaning not in frame.values:
                frame.values.append(atom.meaning)
        case Period():
            frame.periods.append(atom.meaning)
            frame.is_dated = True
        case Stated():
            frame.stated.append(atom.meaning)
        case Unknown():
            frame.unknown = atom.meaning
        case Amount(number, unit, is_whole):
            # `5 maiores`, `maiores 5`, `os 3 vendedores que mais venderam`: else nobody knows what it counts.
            is_beside = is_mark(following, "greatest", "smallest", "least", "most") or _is_label(
                following, book
            )
            if (
                frame.top is not None
                or not is_whole
                or unit
                or not 1 <= number <= GROUPS_MAX
                or not is_beside
            ):
                return Doubt("offline_loose_number")
            frame.top = int(number)
            frame.is_top_loose = True
            frame.is_whole_of_top = frame.has("verb", "how_much")
    return None
