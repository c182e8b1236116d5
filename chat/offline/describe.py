"""Says a reading and a filter in a few words, so that a reader can tell one from another."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from chat.offline.reading import Reading
from chat.sentences import sentence
from engine.notes import Language, note


def short_name(reading: Reading, language: Language) -> str:
    """What a reading asks: `soma de valor_total / regiao (vendas: status = aberto)`."""
    if reading.stated is not None:
        return reading.stated.id
    verb = note(f"verb_{reading.verb}", language)
    what = sentence("offline_verb_of", language, verb=verb, field=reading.field) if reading.field else verb
    by = f" / {', '.join(reading.by)}" if reading.by else ""
    where = condition_text(json.loads(reading.arguments).get("filter"))
    return f"{what}{by} ({reading.band}{f': {where}' if where else ''})"


def condition_text(where: Any, without: tuple[str, ...] = ()) -> str:
    """A filter as a person reads it, `status = aberto, data = 2026-04`; not that *without* has a value."""
    if not isinstance(where, Mapping):
        return ""
    for key, mark in (("and", ", "), ("or", " | ")):
        if key in where:
            return mark.join(text for one in where[key] if (text := condition_text(one, without)))
    field, op, value = where["field"], where["op"], where.get("value")
    if op == "is_null":
        return "" if field in without else f"{field} {op} {str(value).lower()}"
    shown = " – ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{field} {op} {shown}"
