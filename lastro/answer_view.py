"""Shows the answers of tools to a person: a value, a table with bars, or two values side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any

from chat.tools.filters import filter_value
from chat.tools.wire import Number
from lastro.figures import Figures, value_text
from lastro.labels import Labels
from lastro.lined_table import Column, LinedTable
from lastro.look import Line, Look, plain, whole
from lastro.where import where_text

if TYPE_CHECKING:
    from engine.fact import Fact, GroupKey

NULL = "(null)"
Answer = Mapping[str, Any]
"""The answer of a tool, whose keys are those of the wire."""


def aggregate_text(answer: Answer, figures: Figures, labels: Labels, look: Look) -> str:
    """One value, with what it is a value of below."""
    fact = answer["fact"]
    shown = value_text(answer["result"], figures.unit(fact), figures.decimals(fact))
    lines = [whole((shown or labels.no_value, "bold" if shown else "bold yellow"))]
    lines += [plain(""), plain(_title(answer, labels)), *_about(answer, labels), *_notes(answer["note"])]
    return look.render(lines)


def group_by_text(answer: Answer, figures: Figures, labels: Labels, look: Look) -> str:
    """A line for each group, with bars in a terminal."""
    by = ", ".join(answer["by"])
    lines = [plain(f"{_title(answer, labels)} {labels.by} {by}", "bold"), *_about(answer, labels)]
    groups = answer["result"] or ()
    if groups:
        lines += [plain(""), *_group_table(answer, groups, figures, labels).lines(look)]
    return look.render([*lines, *_notes(answer["note"])])


def compare_text(answer: Answer, figures: Figures, labels: Labels, look: Look) -> str:
    """Both values, the difference and the growth."""
    result = answer["result"]
    sides = [result[name] for name in ("a", "b")]
    lines = [
        plain(_title(answer, labels), "bold"),
        plain(f"{labels.band}: {answer['band']}", "dim"),
        plain(""),
    ]
    units = {name: figures.unit(result[name]["fact"]) for name in result}
    decimals = max(figures.decimals(side["fact"]) for side in sides)
    columns = [
        Column("", ("a", "b")),
        Column(labels.filter, [where_text(side["filter"]) for side in sides], "name"),
        _value_column(
            answer["verb"],
            [side["value"] for side in sides],
            units["a"] or units["b"],
            decimals,
            ("bold",) * 2,
        ),
    ]
    if not _counts_rows(answer):
        columns.append(Column(labels.rows, [str(side["rows"]) for side in sides], "number", ("dim",) * 2))
    lines += LinedTable(columns, [_number(side["value"]) for side in sides]).lines(look)
    if any(result[name]["value"] is not None for name in ("difference", "growth")):
        lines.append(plain(""))
    found = {labels.difference: "difference", labels.growth: "growth"}
    width = max(map(len, found))
    for label, name in found.items():
        shown = value_text(result[name]["value"], units[name], decimals if name == "difference" else 0)
        if shown:
            how = "  b - a" if name == "difference" else ""
            lines.append(whole((f"{label.ljust(width)}  ", ""), (shown, "bold"), (how, "dim")))
    notes = [f"{name}: {result[name]['note']}" for name in ("a", "b") if result[name]["note"]]
    return look.render([*lines, *_notes(*notes, answer["note"])])


# ---- parts ----


def title_of(fact: Fact, labels: Labels) -> str:
    """What *fact* is a value of: `SUM of valor by status = faturado`, or what the report itself calls it."""
    if fact.label is not None and fact.field is None and fact.verb != "COUNT":
        return fact.label
    title = f"{fact.verb} {labels.of} {fact.field or labels.rows}"
    groups = [f"{_key_text(key)}" for key in fact.group]
    title += f", {' '.join(groups)}" if groups else ""
    title += f", {where_text(filter_value(fact.where))}" if fact.where is not None else ""
    return f"{fact.label}: {title}" if fact.label is not None else title


def _key_text(key: GroupKey) -> str:
    period = f" ({key.period})" if key.period else ""
    value = f"(other {key.others})" if key.others else name_text(key.value)
    return f"{key.field}{period} = {value}"


def _title(answer: Answer, labels: Labels) -> str:
    return f"{answer['verb']} {labels.of} {answer['field'] or labels.rows}"


def _counts_rows(answer: Answer) -> bool:
    """Whether the values are the rows themselves."""
    return answer["verb"] == "COUNT" and answer["field"] is None


def _about(answer: Answer, labels: Labels) -> list[Line]:
    parts = [f"{labels.band}: {answer['band']}", labels.counted_rows(answer["rows"])]
    if answer.get("period"):
        parts.append(f"{labels.period}: {answer['period']}")
    lines = [plain(", ".join(parts), "dim")]
    if answer["filter"] is not None:
        lines.append(plain(f"{labels.filter}: {where_text(answer['filter'])}", "dim"))
    return lines


def _notes(*notes: str | None) -> list[Line]:
    said = [note for note in notes if note]
    return [plain(""), *(plain(note, "dim") for note in said)] if said else []


def _group_table(answer: Answer, groups: Sequence[Answer], figures: Figures, labels: Labels) -> LinedTable:
    by = answer["by"]
    is_rest = [_is_rest(group, figures) for group in groups]
    names = [_names(group["group"], rest, len(by)) for group, rest in zip(groups, is_rest, strict=True)]
    quiet = ["dim" if rest or name[0] == NULL else "" for name, rest in zip(names, is_rest, strict=True)]
    columns = [
        Column(field, [name[index] for name in names], "name", quiet) for index, field in enumerate(by)
    ]
    unit = next((unit for group in groups if (unit := figures.unit(group["fact"]))), None)
    decimals = max(figures.decimals(group["fact"]) for group in groups)
    values = [group["value"] for group in groups]
    columns.append(_value_column(answer["verb"], values, unit, decimals, ["bold"] * len(groups)))
    if not _counts_rows(answer):
        rows = [str(group["rows"]) for group in groups]
        columns.append(Column(labels.rows, rows, "number", ["dim"] * len(groups)))
    # The rest is many groups: its bar would say nothing beside theirs.
    bars = [None if rest else _number(value) for value, rest in zip(values, is_rest, strict=True)]
    return LinedTable(columns, bars)


def _value_column(
    verb: str, values: Sequence[object], unit: str | None, decimals: int, styles: Sequence[str]
) -> Column:
    head = f"{verb} ({unit})" if unit else verb
    numeric = any(isinstance(value, Number | int) and not isinstance(value, bool) for value in values)
    cells = [value_text(value, None, decimals) or "-" for value in values]
    return Column(head, cells, "number" if numeric else "text", styles)


def _number(value: object) -> Decimal | None:
    return Decimal(value) if isinstance(value, Number) else None


def _is_rest(group: Answer, figures: Figures) -> bool:
    """Whether the group stands for others; its fact tells it from a value that is called the same."""
    fact = figures.fact(group["fact"])
    if fact is not None:
        return any(key.others for key in fact.group)
    return isinstance(group["group"], str) and group["group"].startswith("(other ")


def _names(group: object, is_rest: bool, fields: int) -> list[str]:
    if is_rest:
        return [str(group), *[""] * (fields - 1)]
    return [name_text(one) for one in (group if isinstance(group, list) else [group])]


def name_text(value: object) -> str:
    """A value as it is; in quotes where it would look like nothing, or like a mark of ours."""
    if value is None:
        return NULL
    text = value_text(value, None)
    is_odd = not text or text != text.strip() or text[0] in '("'
    return encode_basestring(text) if is_odd else text
