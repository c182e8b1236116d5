"""The labelled questions are what their README says, and their answers are those of plain Python and of the tools."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from chat import Toolset
from tests.chat.questions.expected import bands_of, expected
from tests.chat.questions.harvest.generate import harvest_files
from tests.chat.questions.reports import HERE, REPORTS, process, renames_of

Record = Mapping[str, Any]

RECORDS: list[Record] = [
    json.loads(line) for line in (HERE / "questions.jsonl").read_text("utf-8").splitlines()
]
ANSWERABLE = [record for record in RECORDS if record["answerable"]]
UNANSWERABLE = [record for record in RECORDS if not record["answerable"]]
RENAMED = [record for record in RECORDS if record["renamed"]]
KEYS = ["id", "report", "renamed", "language", "question", "answerable", "why", "reading", "expected"]
WHY = {
    *("ambiguous", "incomplete", "double", "unknown_field", "unknown_value", "hidden", "outside_period"),
    *("relative_period", "cause", "forecast", "opinion", "off_topic", "change", "injection", "sql", "rows"),
    *("inexpressible", "meaningless", "trap_number"),
}


def labelled(records: list[Record]) -> list[Any]:
    return [pytest.param(record, id=record["id"]) for record in records]


# ---- the set ----


def test_half_of_the_questions_have_an_answer_and_most_are_portuguese():
    assert Counter((record["answerable"], record["language"]) for record in RECORDS) == {
        (True, "pt"): 36,
        (True, "en"): 24,
        (False, "pt"): 36,
        (False, "en"): 24,
    }


def test_records_are_complete_and_told_apart():
    assert all(list(record) == KEYS for record in RECORDS)
    assert [record["id"] for record in RECORDS] == [f"q{number:03}" for number in range(1, len(RECORDS) + 1)]
    assert len({(record["report"], record["question"]) for record in RECORDS}) == len(RECORDS)


def test_every_report_has_questions_of_both_kinds_and_the_one_outside_the_examples_a_quarter():
    reports = Counter((record["report"], record["answerable"]) for record in RECORDS)
    assert set(reports) == {(report, answerable) for report in REPORTS for answerable in (True, False)}
    assert reports["cooperativa", True] >= 15
    assert reports["cooperativa", False] >= 15


def test_what_has_no_answer_says_why_and_what_has_one_how_it_is_read():
    assert {record["why"] for record in UNANSWERABLE} == WHY
    assert all(record["reading"] is None and record["expected"] is None for record in UNANSWERABLE)
    assert all(record["why"] is None and record["reading"] for record in ANSWERABLE)


def test_all_kinds_of_answers_are_asked_for():
    verbs = Counter(record["expected"]["verb"] for record in ANSWERABLE)
    assert set(verbs) == {"SUM", "AVG", "COUNT", "DISTINCT", "MIN", "MAX", "SHARE"}
    shapes = Counter(list(record["expected"])[-1] for record in ANSWERABLE)
    assert shapes["value"] >= 30
    assert shapes["groups"] >= 10
    assert shapes["difference"] >= 6


# ---- the answers ----


@pytest.mark.parametrize("record", labelled(ANSWERABLE))
def test_answers_are_those_of_plain_python(record):
    assert record["expected"] == expected(record["report"], record["reading"])


@pytest.mark.parametrize("record", labelled([record for record in ANSWERABLE if "top" in record["reading"]]))
def test_who_is_listed_is_decided_by_values_alone(record):
    reading = record["reading"]
    every = expected(record["report"], {key: value for key, value in reading.items() if key != "top"})[
        "groups"
    ]
    assert isinstance(every, list)
    values = [value for _, value in every[: reading["top"] + 1]]
    assert len(set(values)) == reading["top"] + 1


# ---- the same from the engine, whatever the columns are called ----


@pytest.fixture(scope="module")
def open_tools(tmp_path_factory) -> Iterator[Any]:
    opened: dict[tuple[str, bool], Toolset] = {}

    def open_once(report: str, renamed: bool) -> Toolset:
        if (report, renamed) not in opened:
            opened[report, renamed] = Toolset(process(report, tmp_path_factory.mktemp(report), renamed))
        return opened[report, renamed]

    yield open_once
    for tools in opened.values():
        tools.close()


def call_of(reading: Record, names: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    """The tool and its arguments that have the meaning of *reading*."""

    def condition(field: str, op: str, value: Any) -> dict[str, Any]:
        return {"field": names.get(field, field), "op": op, "value": value}

    def all_of(where: list[list[Any]]) -> dict[str, Any]:
        return {"and": [condition(*one) for one in where]}

    arguments = {key: reading[key] for key in ("verb", "band", "period", "top", "order") if key in reading}
    for key in ("field", "by"):
        if key in reading:
            arguments[key] = names.get(reading[key], reading[key])
    if "where" in reading:
        arguments["filter"] = all_of(reading["where"])
    if "a" in reading:
        return "sulfite_compare", arguments | {side: all_of(reading[side]) for side in ("a", "b")}
    return ("sulfite_group_by" if "by" in reading else "sulfite_aggregate_data"), arguments


def answer_of(tools: Toolset, reading: Record, names: Mapping[str, str]) -> dict[str, Any]:
    """What the tools answer, in the shape of the labels."""
    reply = tools.call(*call_of(reading, names))
    assert not reply.is_refused, reply.text
    answer = json.loads(reply.text, parse_float=str, parse_int=str)
    found, result = {"verb": answer["verb"], "band": answer["band"]}, answer["result"]
    if "a" in reading:
        return found | {key: result[key]["value"] for key in ("a", "b", "difference")}
    if "by" in reading:
        return found | {"groups": [[one["group"], one["value"]] for one in result][: reading.get("top")]}
    return found | {"value": result}


@pytest.mark.parametrize("renamed", [False, True], ids=["as they are", "renamed"])
@pytest.mark.parametrize("record", labelled(ANSWERABLE))
def test_the_tools_give_the_same_answers(open_tools, record, renamed):
    reading, report = record["reading"], record["report"]
    names = renames_of(report)[reading["band"]] if renamed else {}
    assert answer_of(open_tools(report, renamed), reading, names) == record["expected"]


@pytest.mark.parametrize("report", REPORTS)
def test_a_renamed_report_differs_in_the_names_of_columns_alone(open_tools, report):
    before, after = (
        open_tools(report, renamed).conversation.session.snapshot.profile for renamed in (False, True)
    )
    for old, new in zip(before.bands, after.bands, strict=True):
        names = renames_of(report)[old.name.split("+")[0]]
        assert [names.get(one.name, one.name) for one in old.fields] == [one.name for one in new.fields]
        assert not {one.name for one in new.fields} & set(names)
        facts = [
            [(one.type, one.role, one.unit, one.sum, one.min, one.max, one.values) for one in band.fields]
            for band in (old, new)
        ]
        assert facts[0] == facts[1]
    assert [(one.id, one.value) for one in before.aggregates] == [
        (one.id, one.value) for one in after.aggregates
    ]


def test_questions_that_stand_after_renaming_name_no_old_column():
    assert len([record for record in RENAMED if record["answerable"]]) >= 30
    for record in RENAMED:
        words = f" {' '.join(re.findall('[a-z0-9]+', without_accents(record['question'])))} "
        old = {name for names in renames_of(record["report"]).values() for name in names}
        named = {
            name for name in old if re.search(rf" {without_accents(name).replace('_', ' ')}(s|es)? ", words)
        }
        assert not named, record


def without_accents(text: str) -> str:
    return "".join(
        one for one in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(one)
    )


# ---- the report outside the examples ----


def test_the_files_of_the_cooperative_are_what_their_script_writes():
    for name, text in harvest_files().items():
        assert (HERE / "harvest" / name).read_bytes().decode() == text
    assert 60 <= sum(len(rows) for rows in bands_of("cooperativa").values()) <= 150


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("peso_bruto_kg", "valor", id="weight and value lead to different members"),
        pytest.param("peso_liquido_kg", "valor", id="and so does net weight"),
    ],
)
def test_a_wrong_measure_would_be_noticed(first, second):
    winners = [
        expected(
            "cooperativa", {"band": "entregas", "verb": "SUM", "field": field, "by": "cooperado", "top": 1}
        )
        for field in (first, second)
    ]
    assert winners[0] != winners[1]
