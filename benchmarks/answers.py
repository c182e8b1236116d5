"""Counts the tokens of each table's data context beside CSV, JSON and TOON, and what can be read off each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.answer_questions import KINDS, Question, ask
from benchmarks.answer_tables import Table, answer_tables
from benchmarks.answer_texts import stands_in_context, stands_in_rows, stands_in_toon
from benchmarks.figures import markdown
from benchmarks.measure import run_process
from benchmarks.peer_environments import Environment, NotInstalled
from benchmarks.peers import context_command
from prompts.budget import count_tokens

FORMATS = ("context", "CSV", "JSON", "TOON")
OF_ALL = "all"


@dataclass(frozen=True, slots=True)
class TableAnswers:
    """One table in the four formats."""

    name: str
    rows: int
    columns: int
    questions: int
    estimated: Mapping[str, int]
    """Tokens by format, as the engine estimates them."""
    counted: Mapping[str, int] | None
    """Tokens by format, by o200k_base; None where the tokenizer is missing."""
    answered: Mapping[str, Mapping[str, int]]
    """By format and kind of question, how many answers stand there; `all` is the sum."""
    asked: Mapping[str, int]
    """How many questions of each kind there are."""


def run(
    folder: Path, tokenizer: Environment | NotInstalled, rows_max: int | None = None
) -> list[TableAnswers]:
    """Every table of at most *rows_max* rows; raises WrongAnswer when a context says something else than is so."""
    texts = folder / "answers"
    texts.mkdir(parents=True, exist_ok=True)
    results = []
    for table in answer_tables(rows_max):
        files = write_formats(table, texts)
        results.append(_answers(table, files, tokenizer))
    return results


def write_formats(table: Table, folder: Path) -> Mapping[str, Path]:
    """The table in each format, each in a file; the context is what the command prints of the CSV."""
    files = {
        "context": folder / f"{table.name}.txt",
        "CSV": folder / f"{table.name}.csv",
        "JSON": folder / f"{table.name}.json",
        "TOON": folder / f"{table.name}.toon",
    }
    files["CSV"].write_text(table.as_csv(), encoding="utf-8")
    files["JSON"].write_text(table.as_json(), encoding="utf-8")
    files["TOON"].write_text(table.as_toon(), encoding="utf-8")
    files["context"].write_text(run_process(context_command(files["CSV"])).output, encoding="utf-8")
    return files


def _answers(table: Table, files: Mapping[str, Path], tokenizer: Environment | NotInstalled) -> TableAnswers:
    texts = {name: path.read_text(encoding="utf-8") for name, path in files.items()}
    questions = ask(table)
    standing = {
        "context": [one for one in questions if stands_in_context(one, texts["context"], table)],
        "CSV": [one for one in questions if stands_in_rows(one, table)],
        "JSON": [one for one in questions if stands_in_rows(one, table)],
        "TOON": [one for one in questions if stands_in_toon(one, table)],
    }
    return TableAnswers(
        table.name,
        table.rows,
        len(table.columns),
        len(questions),
        {name: count_tokens(text) for name, text in texts.items()},
        _counted(files, tokenizer),
        {name: _by_kind(found) for name, found in standing.items()},
        _by_kind(questions),
    )


def _counted(files: Mapping[str, Path], tokenizer: Environment | NotInstalled) -> Mapping[str, int] | None:
    if isinstance(tokenizer, NotInstalled):
        return None
    command = [str(tokenizer.python), "-m", "benchmarks.peer_tools", "tokens", *map(str, files.values())]
    return dict(zip(files, json.loads(run_process(command).output), strict=True))


def _by_kind(questions: Sequence[Question]) -> Mapping[str, int]:
    return {OF_ALL: len(questions), **Counter(question.kind for question in questions)}


def tables_table(results: Sequence[TableAnswers]) -> str:
    """One line a table, and one for all: tokens and shares of each format."""
    unit = "tokens" if all(result.counted for result in results) else "estimated tokens"
    headings = ["table", "rows", *(f"{name}: {unit}" for name in FORMATS)]
    headings += ["questions", *(f"{name}: answered" for name in FORMATS)]
    lines = [
        [
            result.name,
            f"{result.rows:,}",
            *(f"{_tokens(result)[name]:,}" for name in FORMATS),
            str(result.questions),
            *(_share(result.answered[name][OF_ALL], result.questions) for name in FORMATS),
        ]
        for result in results
    ]
    asked = sum(result.questions for result in results)
    lines.append(
        [
            "all",
            f"{sum(result.rows for result in results):,}",
            *(f"{sum(_tokens(result)[name] for result in results):,}" for name in FORMATS),
            str(asked),
            *(_share(sum(result.answered[name][OF_ALL] for result in results), asked) for name in FORMATS),
        ]
    )
    return markdown(headings, lines, numbers_from=1)


def kinds_table(results: Sequence[TableAnswers]) -> str:
    """One line a kind of question: the share of each format over all tables."""
    lines = []
    for kind in KINDS:
        asked = sum(result.asked.get(kind, 0) for result in results)
        if asked:
            found = [sum(result.answered[name].get(kind, 0) for result in results) for name in FORMATS]
            lines.append([kind, str(asked), *(_share(number, asked) for number in found)])
    return markdown(["what is asked", "questions", *FORMATS], lines, numbers_from=1)


def _tokens(result: TableAnswers) -> Mapping[str, int]:
    return result.counted or result.estimated


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}"
