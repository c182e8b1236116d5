"""Knows what the fields of a band are good for: which is its amount, its date, and who acts in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from chat.offline.atoms import View
from chat.offline.lexicon import subjects
from chat.offline.names import tokens_of
from chat.offline.reading import Doubt
from engine.names import fold, name_tokens
from engine.profile import FieldProfile
from engine.roles import AVERAGED, RATE_TOKENS, SUMMABLE
from engine.shown_figures import MONEY

_YES = frozenset({"s", "sim", "y", "yes", "true", "verdadeiro"})
_NO = frozenset({"n", "nao", "no", "false", "falso"})


@dataclass(frozen=True, slots=True)
class Book:
    """What can be asked of one band."""

    view: View

    @property
    def fields(self) -> tuple[FieldProfile, ...]:
        """Its fields."""
        return self.view.band.fields

    def is_number(self, name: str) -> bool:
        """Whether the field *name* holds numbers that are more than labels."""
        field = self.view.field(name)
        return field.type == "number" and field.role in AVERAGED

    def is_date(self, name: str) -> bool:
        """Whether the field *name* holds days or moments."""
        return self.view.field(name).type in ("date", "datetime")

    def has_names(self, name: str) -> bool:
        """Whether the values of the field *name* are things that can be counted, and not yes or no, or a year."""
        field = self.view.field(name)
        return (field.type == "text" and self.yes_of(name) is None) or field.role == "id"

    def yes_of(self, name: str) -> str | None:
        """The value of the field *name* that says yes, where it says nothing but yes and no."""
        field = self.view.field(name)
        if field.type not in ("text", "boolean"):
            return None
        told = {fold(one.value).lower(): one.value for one in field.values or () if one.value is not None}
        yes = [value for word, value in told.items() if word in _YES]
        return yes[0] if len(yes) == 1 and told.keys() <= _YES | _NO else None

    def is_row(self, name: str) -> bool:
        """Whether each row has a value of its own in the field *name*, so that it names what a row is."""
        field = self.view.field(name)
        is_name = field.type == "text" or field.role == "id"
        return is_name and field.nulls == 0 and field.distinct == self.view.band.rows > 1

    @property
    def is_of_money(self) -> bool:
        """Whether its name says that each row is an amount of money."""
        keys = frozenset().union(*(token.keys for token in tokens_of(self.view.band.name)))
        return bool({key[1:] for key in keys if key.startswith("@")} & subjects().money)

    # ---- what is added up ----

    def additive(self) -> tuple[str, ...]:
        """The fields that can be added up; of several rows that all hold the same, nothing is to be known."""
        is_short = self.view.band.rows == 1
        return tuple(
            one.name for one in self.fields if is_additive(one) and (is_short or not one.is_constant)
        )

    def money(self) -> tuple[str, ...]:
        """Those of them that hold money: by their currency or, where no field has one, by their name."""
        additive = self.additive()
        currency = tuple(name for name in additive if is_currency(self.view.field(name).unit))
        if currency:
            return currency
        plain = [name for name in additive if self.view.field(name).unit is None]
        return tuple(name for name in plain if subjects_of_field(self.view.field(name)) & subjects().amounts)

    def main(self, *, is_money: bool) -> str | Doubt:
        """The one field that is meant where none is named; *is_money* where only an amount of money can be."""
        additive = self.additive()
        if len(additive) == 1:
            return additive[0]
        money = self.money()
        if not is_money or not money:
            code = "offline_which_field" if additive else "offline_no_measure"
            return Doubt(code, additive or (self.view.band.name,), weight=2)
        if len(money) == 1:
            return money[0]
        stated = {
            one.field
            for one in self.view.aggregates
            if one.verb == "SUM" and one.where is None and one.field in money and self._is_of_band(one.id)
        }
        if len(stated) == 1 and (found := next(iter(stated))) is not None:
            return found
        return Doubt("offline_which_field", money, weight=2)

    def quantities(self) -> tuple[str, ...]:
        """The fields that count or weigh what the rows are about."""
        return tuple(
            name
            for name in self.additive()
            if name not in self.money() and subjects_of_field(self.view.field(name)) & subjects().quantities
        )

    def _is_of_band(self, aggregate: str) -> bool:
        """Whether a statement is called a total of the band, and nothing more."""
        band = frozenset().union(*(token.keys for token in tokens_of(self.view.band.name)))
        tokens = [token for token in tokens_of(aggregate) if "@total" not in token.keys]
        return bool(tokens) and all(token.keys & band for token in tokens)

    # ---- dates and people ----

    def dates(self) -> tuple[str, ...]:
        """The fields that hold days or moments."""
        return tuple(one.name for one in self.fields if one.type in ("date", "datetime"))

    def the_date(self) -> str | Doubt:
        """The only date."""
        dates = self.dates()
        if len(dates) == 1:
            return dates[0]
        if dates:
            return Doubt("offline_which_date", dates, weight=2)
        return Doubt("offline_no_date", (self.view.band.name,), weight=2)

    def span(self, name: str) -> tuple[date, date] | None:
        """The first and the last day of the date *name*; None where they are not told."""
        field = self.view.field(name)
        if not field.min or not field.max:
            return None
        try:
            return date.fromisoformat(field.min[:10]), date.fromisoformat(field.max[:10])
        except ValueError:
            return None

    def agents(self, about: frozenset[str]) -> tuple[str, ...]:
        """The fields that tell who did what the subjects *about* say."""
        who = frozenset().union(*(subjects().agents.get(subject, frozenset()) for subject in about))
        return tuple(one.name for one in self.fields if one.type == "text" and subjects_of_field(one) & who)

    def people(self) -> tuple[str, ...]:
        """The fields that tell who did something, whatever it is."""
        return self.agents(frozenset(subjects().agents))


def subjects_of_field(field: FieldProfile) -> frozenset[str]:
    """What the words of a field's name and label are about."""
    tokens = [*tokens_of(field.name), *tokens_of(field.label or "")]
    return frozenset(key[1:] for token in tokens for key in token.keys if key.startswith("@"))


def is_additive(field: FieldProfile) -> bool:
    """Whether a field can be added up: costs of one unit cannot, whatever else their name says."""
    return (
        field.type == "number" and field.role in SUMMABLE and not set(name_tokens(field.name)) & RATE_TOKENS
    )


def is_currency(unit: str | None) -> bool:
    """Whether *unit* is one of money."""
    return unit is not None and (unit in MONEY or (len(unit) == 3 and unit.isupper()))
