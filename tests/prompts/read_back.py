"""Reads a data context back into names, values and rows, by the rules of the spec alone: a witness for its writer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TEXT = r'"(?:[^"\\]|\\.)*"|[^"|,:=<\'`\[\](){}\n]+'
_heading = re.compile(rf"### ({_TEXT}|) \(([\d]+) rows?(?:, of which [^)]*)?\)").fullmatch
_field = re.compile(
    rf"({_TEXT}|) \((text|number|date|datetime|boolean)([^()\"]*(?:\"(?:[^\"\\]|\\.)*\"[^()\"]*)*)\)"
)
_rows_heading = re.compile(rf"--- ({_TEXT}|)(?: \(\d[^()]*\))? ---").fullmatch
_filter = re.compile(r"- \*\*(\"(?:[^\"\\]|\\.)*\"|[^*]*)\*\* \(`([^`]*)`, (\w+)\): (.*)").fullmatch


@dataclass
class Table:
    """One band as a reader of the prompt sees it."""

    name: str
    count: int
    fields: list[tuple[str, str, list[str] | None]] = field(default_factory=list)
    """(name, type, its values)."""
    rows: list[dict[str, object]] = field(default_factory=list)


@dataclass
class Read:
    """All that a reader finds."""

    info: dict[str, str]
    filters: list[tuple[str, str, list[str]]]
    """(label, id, values)."""
    tables: list[Table]
    aggregates: dict[str, str]


def unquoted(text: str) -> str:
    """A name or value: a JSON string, or bare with what cannot be seen spelt out."""
    if text.startswith('"'):
        return str(json.loads(text))
    return re.sub(r"(?:\\u[0-9a-f]{4})+", lambda match: str(json.loads(f'"{match.group()}"')), text)


def split_list(text: str, mark: str) -> list[str]:
    """The parts of *text* between *mark*s that stand in no JSON string."""
    parts = re.findall(rf'(?:"(?:[^"\\]|\\.)*"|[^"{mark}])+', text)
    return [unquoted(part.strip() if mark == "," else part) for part in parts]


def read_context(text: str) -> Read:
    """What stands in *text*; raises AssertionError for a line that is none of the spec's."""
    found = Read({}, [], [], {})
    sections = _sections(text)
    for heading, lines in sections:
        match heading.split(" (")[0]:
            case "## REPORT INFO":
                for line in lines:
                    key, _, value = line.removeprefix("- ").partition(": ")
                    found.info[key] = unquoted(value) if key != "ID" else value
            case "## APPLIED FILTERS":
                for line in lines:
                    label, name, _, values = _found(_filter(line), line).groups()
                    listed = [] if values == "(all)" else split_list(values, ",")
                    found.filters.append((unquoted(label), name, listed))
            case "## REPORT SCHEMA":
                _read_schema(lines, found.tables)
            case "## REPORT AGGREGATES":
                for line in lines:
                    name, value = _found(re.fullmatch(rf"- ({_TEXT}): (.*)", line), line).groups()
                    found.aggregates[unquoted(name)] = unquoted(value)
            case "## REPORT DATA":
                _read_rows(lines, found.tables)
            case _:
                raise AssertionError(f"no section of ours: {heading!r}")
    return found


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    heading, lines = "", list[str]()
    for line in text.split("\n"):
        if line.startswith("## "):
            if heading:
                yield heading, lines
            heading, lines = line, []
        elif line:
            lines.append(line)
    yield heading, lines


def _found(match: re.Match[str] | None, line: str) -> re.Match[str]:
    assert match is not None, f"no line of ours: {line!r}"
    return match


def _read_schema(lines: list[str], tables: list[Table]) -> None:
    for line in lines:
        if line.startswith("### "):
            name, count = _found(_heading(line), line).groups()
            tables.append(Table(unquoted(name), int(count)))
        elif line.startswith("Fields: "):
            position = len("Fields: ")
            while position < len(line):
                match = _found(_field.match(line, position), line[position:])
                name, kind, more = match.groups()
                _, says, values = more.partition(" values: ")
                tables[-1].fields.append((unquoted(name), kind, split_list(values, "|") if says else None))
                position = match.end()
                assert line[position : position + 2] in (", ", ""), line[position:]
                position += 2
        else:
            assert line.startswith(("Summary: ", "not shown, ")), f"no line of ours: {line!r}"


def _read_rows(lines: list[str], tables: list[Table]) -> None:
    names = iter(tables)
    table = None
    for line in lines:
        if line.startswith("--- "):
            name = unquoted(_found(_rows_heading(line), line).group(1))
            table = next(one for one in names if one.name == name)
        else:
            assert table is not None, "a row before its band"
            assert line.startswith("{"), f"no line of ours: {line!r}"
            table.rows.append(json.loads(line))
