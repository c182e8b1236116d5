"""Writes what a tool answered in a sentence or two, with its facts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from chat.offline.describe import condition_text
from chat.offline.figures import value_text
from chat.offline.reading import Reading
from chat.sentences import sentence
from chat.tools.wire import Number
from engine.notes import LANGUAGES, Language, note
from engine.profile import FieldProfile, Profile

_others = re.compile(r"\(other ([0-9]+)\)").fullmatch
VALUE_SENTENCES: Mapping[str, str] = {
    "SUM": "offline_value_SUM",
    "AVG": "offline_value_AVG",
    "COUNT": "offline_value_COUNT",
    "MIN": "offline_value_MIN",
    "MAX": "offline_value_MAX",
    "DISTINCT": "offline_value_DISTINCT",
    "MEDIAN": "offline_value_MEDIAN",
    "STDDEV": "offline_value_STDDEV",
    "SHARE": "offline_value_SHARE",
}
DAY_SENTENCES: Mapping[str, str] = {"MIN": "offline_first_day", "MAX": "offline_last_day"}
_UNITLESS = frozenset({"COUNT", "DISTINCT"})


def read_answer(text: str) -> Mapping[str, Any] | None:
    """A tool's answer, its numbers with their digits; None where *text* is none."""
    try:
        found = json.loads(text, parse_float=Number, parse_int=Number)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def write_answer(reading: Reading, text: str, profile: Profile, language: Language) -> str:
    """The answer *text* of the tool that *reading* asked, for a reader."""
    answer = read_answer(text)
    if answer is None:
        return text
    parts = " ".join(_Writer(reading, answer, profile, language).parts())
    return parts.replace("\n ", "\n")  # what follows a list begins a line


class _Writer:
    """One answer, in one language."""

    def __init__(
        self, reading: Reading, answer: Mapping[str, Any], profile: Profile, language: Language
    ) -> None:
        self._reading = reading
        self._answer = answer
        self._profile = profile
        self._language = language
        self._is_tied = False

    def parts(self) -> Iterator[str]:
        """The sentences, one after the other."""
        result, told = self._answer.get("result"), self._note()
        if result is None or self._answer.get("rows") == "0":
            if self._reading.stated is not None and self._reading.stated.value is not None:
                yield self._stated()
            else:
                yield told or self._say("offline_no_result")
                if not told or result is not None:
                    yield self._say("offline_no_rows", band=self._reading.band)
            yield from self._filters()
            return
        match self._reading.tool:
            case "sulfite_aggregate_data":
                yield self._value(result)
            case "sulfite_group_by":
                yield self._groups(result)
            case "sulfite_compare":
                yield self._comparison(result)
        yield from self._where()
        if self._reading.without_nulls:
            yield self._say("offline_without_nulls", field=self._reading.without_nulls)
        if told:
            yield told
        yield from self._filters()

    # ---- what was found ----

    def _value(self, result: Any) -> str:
        if self._reading.stated is not None:
            return self._stated()
        return self._say(
            self._value_sentence(),
            field=self._reading.field or "",
            band=self._reading.band,
            value=self._figure(result),
            source=self._source(self._answer.get("fact"), self._answer.get("rows")),
        )

    def _value_sentence(self) -> str:
        """Days are early and late, not small and great."""
        verb, name = self._reading.verb, self._reading.field
        if verb in DAY_SENTENCES and name is not None:
            field = self._profile.band(self._reading.band).field(name)
            if field.type in ("date", "datetime"):
                return DAY_SENTENCES[verb]
        return VALUE_SENTENCES[verb]

    def _stated(self) -> str:
        """What the report states is told as it states it, whatever the rows add up to."""
        stated = self._reading.stated
        assert stated is not None
        assert stated.value is not None
        result = self._answer.get("result")
        is_same = isinstance(result, Number) and Decimal(result) == Decimal(stated.value)
        rows = self._answer.get("rows") if stated.rows is None else Number(stated.rows)
        return self._say(
            "offline_stated",
            id=stated.id,
            value=self._figure(Number(stated.value)),
            source=self._source(self._answer.get("fact") if is_same else None, rows),
        )

    def _groups(self, groups: list[Mapping[str, Any]]) -> str:
        shown = [one for one in groups if not (isinstance(one["group"], str) and _others(one["group"]))]
        what = {"band": self._reading.band, **self._what()}
        counts = self._reading.verb == "COUNT"
        if self._reading.top == 1 and len(shown) == 1 and not self._is_tied:
            (one,) = shown
            ascends = '"order":"asc"' in self._reading.arguments
            if ascends:
                code = "offline_last_rows" if counts else "offline_last"
            else:
                code = "offline_first_rows" if counts else "offline_first"
            return self._say(code, **what, **self._group(one))
        by = ", ".join(self._reading.by)
        code = "offline_groups_rows" if counts else "offline_groups"
        listed = [
            "{number}. {group}: {value} ({source})".format(number=number, **self._group(one))
            for number, one in enumerate(shown, 1)
        ]
        return "\n".join([self._say(code, **what, by=by), *listed]) + "\n"

    def _group(self, one: Mapping[str, Any]) -> dict[str, str]:
        keys = one["group"] if isinstance(one["group"], list) else [one["group"]]
        named = [
            self._say("offline_nameless") if key is None else value_text(key, None, "en") for key in keys
        ]
        return {
            "group": " / ".join(named),
            "value": self._figure(one["value"]),
            "source": self._source(one.get("fact"), one.get("rows")),
        }

    def _comparison(self, result: Mapping[str, Any]) -> str:
        parts = []
        for side in ("a", "b"):
            one = result[side]
            value = self._figure(one["value"])
            source = self._source(one.get("fact"), one.get("rows"))
            parts.append(f"{condition_text(one.get('filter'))}: {value} ({source})")
        for name, code in (("difference", "offline_difference"), ("growth", "offline_growth")):
            one = result[name]
            if one["value"] is not None:
                unit = "%" if name == "growth" else None
                value = value_text(one["value"], unit, self._language) if unit else self._figure(one["value"])
                parts.append(self._say(code, value=value, source=one.get("fact") or "-"))
        head = self._say(
            "offline_compared_rows" if self._reading.verb == "COUNT" else "offline_compared",
            band=self._reading.band,
            **self._what(),
        )
        remarks = [
            f"{condition_text(result[side].get('filter'))}: {remark}"
            for side in ("a", "b")
            if (remark := result[side].get("note"))
        ]
        return " ".join([f"{head} {'; '.join(parts)}.", *remarks])

    # ---- what belongs to it ----

    def _what(self) -> dict[str, str]:
        verb = note(f"verb_{self._reading.verb}", self._language)
        return {"verb": verb, "field": self._reading.field or ""}

    def _figure(self, value: object) -> str:
        if value is None:
            return self._say("offline_nameless")
        return value_text(value, self._unit(), self._language)

    def _unit(self) -> str | None:
        if self._reading.verb == "SHARE":
            return "%"
        if self._reading.verb in _UNITLESS or self._reading.field is None:
            return None
        field: FieldProfile = self._profile.band(self._reading.band).field(self._reading.field)
        return field.unit

    def _source(self, fact: object, rows: object) -> str:
        """The fact that says it, and of how many rows it is."""
        count = ""
        if isinstance(rows, Number):
            number = value_text(rows, None, self._language)
            count = self._say("offline_one_row") if rows == "1" else self._say("offline_rows", count=number)
        return ", ".join(part for part in (str(fact or ""), count) if part)

    def _where(self) -> Iterator[str]:
        where = self._answer.get("filter")
        text = condition_text(where, self._reading.by if self._reading.without_nulls else ())
        if text and self._reading.stated is None:
            yield f"{self._say('offline_where')} {text}."

    def _filters(self) -> Iterator[str]:
        chosen = [f"{one.label or one.id} = {one.text}" for one in self._profile.filters if one.values]
        if chosen:
            yield f"{self._say('offline_report_filters')} {'; '.join(chosen)}."

    def _note(self) -> str:
        """The tool's note, without what it says of groups that are not told here."""
        told = str(self._answer.get("note") or "")
        groups = self._answer.get("result")
        for language in LANGUAGES:
            pattern = re.escape(note("ties", language, count="@", value="@")).replace("@", ".+?")
            self._is_tied = self._is_tied or re.search(pattern, told) is not None
        if isinstance(groups, list):
            for one in groups:
                match = _others(one["group"]) if isinstance(one["group"], str) else None
                if match is not None:
                    for language in LANGUAGES:
                        code = "other_group" if match[1] == "1" else "other_groups"
                        told = told.replace(note(code, language, count=match[1]), "")
        return " ".join(told.split())

    def _say(self, code: str, **values: object) -> str:
        return sentence(code, self._language, **values)
