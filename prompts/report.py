"""Writes what a report is called and which filters were applied (spec 9): the first sections of a data context."""

from __future__ import annotations

from engine.numbers import UNITS
from engine.profile import AppliedFilter, Profile, ReportInfo
from prompts.formats import inert, json_text, line_text, name_text

ALL = "(all)"
"""What stands where nothing was chosen; a chosen text with parentheses is quoted."""
CANONICAL_TYPES = frozenset({"number", "date", "datetime", "boolean"})
"""Of these the values are written by the engine, not by whoever chose them."""


def report_sections(profile: Profile, *, citations: bool = False) -> list[str]:
    """REPORT INFO, where there is a definition, and APPLIED FILTERS, where it declares parameters."""
    sections = []
    if profile.info is not None:
        sections.append(_info(profile.info, citations))
    if profile.filters:
        lines = [_filter_line(one, citations) for one in profile.filters]
        sections.append("\n".join(["## APPLIED FILTERS", *lines]))
    return sections


def _info(info: ReportInfo, citations: bool) -> str:
    lines = ["## REPORT INFO", f"- Name: {line_text(info.name, citations=citations)}", f"- ID: {info.id}"]
    if info.description:
        lines.append(f"- Description: {line_text(info.description, citations=citations)}")
    return "\n".join(lines)


def _filter_line(one: AppliedFilter, citations: bool) -> str:
    values = ", ".join(_value_text(value, one.type, citations) for value in one.values) or ALL
    note = f" ({one.note})" if one.note else ""
    return f"- **{_label_text(one.label or one.id, citations)}** (`{one.id}`, {one.type}): {values}{note}"


def _label_text(label: str, citations: bool) -> str:
    # An asterisk would end the bold print.
    return json_text(label, citations=citations) if "*" in label else name_text(label, citations=citations)


def _value_text(value: str, kind: str, citations: bool) -> str:
    if kind in CANONICAL_TYPES:
        return inert(value, citations=citations)
    return name_text(value, citations=citations)


def unit_text(unit: str) -> str:
    """A currency as it stands, or the unit that the report declares, made inert."""
    return unit if unit in UNITS else name_text(unit)


def aggregate_text(value: str | None, *, citations: bool = False) -> str:
    """The value of a report aggregate: a number or date as it stands, `null` where there is none."""
    if value is None:
        return "null"
    if value.removeprefix("-").replace(".", "", 1).isdigit() and value.isascii():
        return value
    return json_text(value, citations=citations) if value == "null" else name_text(value, citations=citations)
