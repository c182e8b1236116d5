"""
Finds out whether the answer to a question stands in a text, to be read off without arithmetic.

In a data context it stands where its number is written for just that field, group and period: the line `### name` and
the parts of `Summary:` are read back for it, by a reader that knows nothing of how they were made.

Rows (CSV, JSON, TOON, and a context that shows every row) have it where it is a cell of the column that was asked
for: an extreme, and whatever is asked of a single row. Comparing cells, and picking rows by their values, is not
held to be arithmetic, however many there are; adding, averaging and counting is. TOON also states its number of rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from benchmarks.answer_questions import Question, rows_where
from benchmarks.answer_tables import Table
from benchmarks.toon import Cell

Facts = Mapping[tuple[str, ...], tuple[str, ...]]
"""`("SUM", "valor")`, `("SUM", "valor", "status", "aberto")`, `("TOP", "valor", "status")`: to each what is written."""

HEAD = re.compile(r"### (?P<name>\S+) \((?P<rows>\d+) rows?\)")
SHOWN = re.compile(r"--- \S+ \(\d+ of \d+ rows")
STATISTICS = re.compile(r"(?P<field>[^\s:]+)(?P<numbers>(?: (?:SUM|AVG|MIN|MAX|NULLS)=\S+)+)")
LIST = re.compile(r"(?P<what>[^:]+?)(?: \(top \d+ of (?P<distinct>\d+)\))?: (?P<items>.+)")
ITEM = re.compile(r'(?P<value>"(?:[^"\\]|\\.)*"|\([a-z]+(?: \d+)?\)|[^=,]+)=(?P<number>-?[\d.]+)(?:, |$)')
NO_VALUE = ("(null)", "(other ")


class WrongAnswer(Exception):
    """A text gives another answer than plain Python."""


def context_facts(text: str) -> Facts:
    """Every number of the summary of a context of one band, by what it is said to be a number of."""
    (head,) = HEAD.finditer(text)
    facts: dict[tuple[str, ...], tuple[str, ...]] = {("ROWS",): (head["rows"],)}
    for line in text.splitlines():
        if line.startswith("Summary: "):
            for part in line.removeprefix("Summary: ").split(" | "):
                facts.update(_facts_of(part))
    return facts


def _facts_of(part: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    if part.startswith("not shown: "):
        return
    if statistics := STATISTICS.fullmatch(part):
        for verb, number in re.findall(r" ([A-Z]+)=(\S+)", statistics["numbers"]):
            yield (verb, statistics["field"]), (number,)
    elif listed := LIST.fullmatch(part):
        items = [(_unquoted(item["value"]), item["number"]) for item in ITEM.finditer(listed["items"])]
        field, _, by = listed["what"].partition(" by ")
        for value, number in items:
            if not by and value == "(null)":
                yield ("NULLS", field), (number,)
            key = ("SUM", field, by, value) if by else ("COUNT", field, field, value)
            yield key, (number,)
        if by:
            ranked = [item for item in items if not item[0].startswith(NO_VALUE)]
            yield ("TOP", field, by), tuple(part for item in ranked for part in item)
        if listed["distinct"]:
            yield ("DISTINCT", by), (listed["distinct"],)


def _unquoted(value: str) -> str:
    return str(json.loads(value)) if value.startswith('"') else value


def stands_in_context(question: Question, text: str, table: Table) -> bool:
    """Whether the answer stands in the summary, or in the rows if all are shown; raises WrongAnswer."""
    found = context_facts(text).get(_key(question))
    if found is not None:
        if found[: len(question.answer)] != question.answer:
            raise WrongAnswer(f"{table.name}: {found} is written for {question}.")
        return True
    return not SHOWN.search(text) and stands_in_rows(question, table)


def _key(question: Question) -> tuple[str, ...]:
    if question.verb == "ROWS":
        return ("ROWS",)
    by = (question.by,) if question.by else tuple(part for pair in question.where for part in pair)
    return (question.verb, question.field, *by)


def stands_in_rows(question: Question, table: Table) -> bool:
    """Whether the answer is a cell of the rows, which all stand in the text."""
    cells = {column.name: column.cells for column in table.columns}
    match question.verb:
        case "MIN" | "MAX":
            return True
        case "SUM" | "AVG":
            return len(rows_where(table, question.where)) == 1
        case "TOP":
            return _is_unique(cells[question.by])
        case _:
            return False


def _is_unique(cells: tuple[Cell, ...]) -> bool:
    return len(set(cells)) == len(cells)


def stands_in_toon(question: Question, table: Table) -> bool:
    """The same for TOON, whose header gives the number of rows."""
    return question.verb == "ROWS" or stands_in_rows(question, table)
