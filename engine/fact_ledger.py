"""Holds the facts that travelled in one conversation: numbers them, finds them by value, and is kept as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from decimal import Decimal
from operator import attrgetter
from threading import RLock
from typing import TYPE_CHECKING

from engine.fact import Fact

if TYPE_CHECKING:
    from engine.profile import Profile

_Key = tuple[object, str | None]
"""A fact without what may differ between two accounts of one value, and its filter as text."""

_is_id = re.compile(r"F[1-9][0-9]{0,8}").fullmatch
_plain_number = re.compile(r"-?[0-9]{1,400}(?:\.[0-9]{1,400})?").fullmatch


class FactLedger:
    """
    Facts in the order in which they travelled, as `F1`, `F2`, …

    It may be used by several threads. The same facts in the same order have the same ids, whatever snapshot
    they are of.
    """

    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        self._lock = RLock()
        self._facts: list[Fact] = []
        self._by_key: dict[_Key, list[Fact]] = {}
        self._by_value: dict[Decimal | str, list[Fact]] = {}
        self.add_all(facts)

    @classmethod
    def of_profile(cls, profile: Profile, snapshot_id: str | None = None) -> FactLedger:
        """The ledger of a conversation that begins with the data context of *profile*."""
        from engine.profile_facts import profile_facts

        return cls(profile_facts(profile, snapshot_id))

    def add(self, fact: Fact) -> Fact:
        """
        *fact* with its id; where an equal one is there already, that one.

        Facts are equal when all but their ids are; rows that one of the two accounts did not count make no
        difference.
        """
        key = _key(fact)
        with self._lock:
            for one in self._by_key.get(key, ()):
                if one.rows == fact.rows or one.rows is None or fact.rows is None:
                    return one
            added = replace(fact, id=f"F{len(self._facts) + 1}")
            self._facts.append(added)
            self._by_key.setdefault(key, []).append(added)
            self._by_value.setdefault(_value(added), []).append(added)
            return added

    def add_all(self, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        """What `add` gives for each of *facts*; no other thread's facts come between them."""
        with self._lock:
            return tuple([self.add(fact) for fact in facts])

    def get(self, fact_id: str) -> Fact | None:
        """The fact *fact_id*, or None."""
        if not _is_id(fact_id):
            return None
        position = int(fact_id[1:]) - 1
        with self._lock:
            return self._facts[position] if position < len(self._facts) else None

    def find(self, value: Decimal | str) -> tuple[Fact, ...]:
        """
        The facts of exactly *value*, in order: 12.50 finds 12.5.

        A text finds dates, texts and booleans written so, and a plain number as text finds numbers too.
        """
        keys: list[Decimal | str] = [value]
        if isinstance(value, str) and _plain_number(value):
            keys.append(Decimal(value))
        elif isinstance(value, Decimal) and not value.is_finite():
            return ()
        with self._lock:
            found = [fact for key in keys for fact in self._by_value.get(key, ())]
        return tuple(sorted(found, key=_number_of)) if len(keys) > 1 else tuple(found)

    def __iter__(self) -> Iterator[Fact]:
        with self._lock:
            facts = tuple(self._facts)
        return iter(facts)

    def __len__(self) -> int:
        with self._lock:
            return len(self._facts)

    def to_json(self) -> str:
        """The ledger as one line of JSON, in ASCII."""
        from engine.ledger_document import write_facts

        return write_facts(tuple(self))

    @classmethod
    def from_json(cls, text: str) -> FactLedger:
        """The ledger that `to_json` wrote; raises EngineError where *text* is damaged or of a newer Lastro."""
        from engine.ledger_document import damaged, read_facts

        facts = read_facts(text)
        ledger = cls(facts)
        if tuple(ledger) != facts:
            raise damaged("its facts are not numbered F1, F2, … each once")
        return ledger


_all_but = attrgetter(*[one.name for one in fields(Fact) if one.name not in ("id", "rows", "where")])


def _key(fact: Fact) -> _Key:
    if fact.where is None:
        return _all_but(fact), None
    # As objects, filters that compare with `true` and with 1 are equal.
    from engine.filter_json import filter_json

    return _all_but(fact), filter_json(fact.where)


def _value(fact: Fact) -> Decimal | str:
    number = fact.number
    return fact.value if number is None else number


def _number_of(fact: Fact) -> int:
    return int(fact.id[1:])
