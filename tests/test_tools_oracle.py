"""The tools answer what a second, plain reading of random reports answers, or refuse for the same reason."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from chat import Toolset
from datasources import ReadOptions
from datasources.base import RawBand
from datasources.load import read_bands
from datasources.memory import bands_from
from engine import Snapshot, dates, materialize, open_snapshot, save_snapshot
from engine.band import type_band
from engine.dedup import merge_duplicates
from engine.profile import profile_bands
from engine.query import comparisons, filters, grouping_key
from engine.query.clause import Clause
from engine.query.measured import Measured
from tests.engine.streams import streamed
from tests.oracle.tools_amounts import Num
from tests.oracle.tools_answers import REASONS, expected
from tests.oracle.tools_calls import (
    HOSTILE_VALUES,
    PERIODS,
    TEXT_OPS,
    VERBS,
    Call,
    call,
    condition,
    json_of,
    value,
    where,
)
from tests.oracle.tools_kinds import HOSTILE_NAMES
from tests.oracle.tools_rows import conditions
from tests.oracle.tools_tables import World, world

CALLS = int(os.environ.get("LASTRO_ORACLE_CALLS", "4000"))
"""How many calls all reports together are asked."""
CHARS_MAX = 100_000
WORLDS = 150
TOGETHER = 15
"""Reports in one test: few enough that workers share the load."""

INTERNAL = (
    re.compile(r"\b[ckv]\d+\b"),
    re.compile(r"DECIMAL\(|VARCHAR|SELECT |INSERT|GROUP BY|\bCAST\b|\bgrouped\b|count\("),
    re.compile(r"duckdb|polars|pydantic|arrow|Traceback|Exception|\w+ Error", re.IGNORECASE),
    re.compile(r"function-|validator|\w\[_|\{\w+\}|\bNone\b|\bTrue\b|\bFalse\b"),
)
"""What no sentence may say, unless the report or the question says it."""


def snapshot_of(one: World, folder: Path) -> Snapshot:
    return materialize(one.materials(folder), options=ReadOptions(delimiter=";"))


def parsed(text: str) -> Any:
    return json.loads(text, parse_float=Num, parse_int=Num)


def written(where: Any) -> Any:
    """A filter as its answer has it."""
    match where:
        case dict():
            return {key: written(one) for key, one in where.items() if (key, one) != ("value", None)}
        case list():
            return [written(one) for one in where]
        case bool() | None | str():
            return where
        case Decimal():
            return Num(format(where, "f"))
    return Num(str(where))


def without_facts(answer: Any) -> Any:
    match answer:
        case dict():
            return {key: without_facts(one) for key, one in answer.items() if key not in ("fact", "note")}
        case list():
            return [without_facts(one) for one in answer]
    return answer


def with_filters_written(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {
            key: written(one) if key == "filter" else with_filters_written(one) for key, one in answer.items()
        }
    return [with_filters_written(one) for one in answer] if isinstance(answer, list) else answer


def facts_of(answer: Any) -> Iterator[tuple[Any, Any]]:
    """Each value of an answer with the id of its fact."""
    match answer:
        case dict():
            if "fact" in answer:
                yield answer.get("value", answer.get("result")), answer["fact"]
            for one in answer.values():
                yield from facts_of(one)
        case list():
            for one in answer:
                yield from facts_of(one)


def notes_of(answer: Any) -> Iterator[str]:
    match answer:
        case dict():
            if isinstance(answer.get("note"), str):
                yield answer["note"]
            for one in answer.values():
                yield from notes_of(one)
        case list():
            for one in answer:
                yield from notes_of(one)


def fault(one: World, asked: Call, tools: Toolset) -> str | None:
    """What is wrong with the answer to *asked*; None where it is the oracle's."""
    reply = tools.call(asked.tool, asked.text)
    answer = parsed(reply.text)
    reply.text.encode()
    if "<" in reply.text or re.search(r"[\0-\x1f]", reply.text):
        return f"not inert: {reply.text[:300]}"
    for note in notes_of(answer):
        if leaked := leak(note, asked, one):
            return f"says {leaked!r}: {note[:300]}"
    if asked.is_malformed:
        return None if reply.is_refused and answer["result"] is None and answer["note"] else "not refused"
    assert asked.given is not None
    is_long = len(asked.text) > CHARS_MAX
    theirs = {"too_long"} if is_long else expected(one, asked.tool, asked.given)
    if isinstance(theirs, set):
        if not reply.is_refused:
            return f"refused: {theirs}; said: {reply.text[:300]}"
        if answer["result"] is None and any(re.search(REASONS[why], answer["note"], re.S) for why in theirs):
            return None
        return f"refused: {theirs}; said: {answer['note'][:300]}"
    mine = without_facts(answer)
    if reply.is_refused or mine != with_filters_written(theirs.answer):
        return f"expected: {theirs.answer}\n     got: {reply.text[:3000]}"
    note = answer["note"] or ""
    unsaid = [one for one in theirs.says if not re.search(one, note, re.S)]
    if unsaid or (theirs.is_silent and note):
        return f"expected to say: {theirs.says}; said: {note[:300]}"
    for said, fact in facts_of(answer):
        known = None if fact is None else tools.ledger.get(fact)
        if (said is None) != (fact is None) or (known is not None and str(known.value) != shown(said)):
            return f"fact {fact} is {known}, and not {said!r}"
    return None


def shown(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def leak(note: str, asked: Call, one: World) -> str | None:
    given = [asked.tool, asked.text, str(asked.given), *(name for band in one.bands for name in band.names)]
    given += [column.name for band in one.bands for column in band.columns]
    for pattern in INTERNAL:
        for match in pattern.finditer(note):
            text = match.group()
            if any(text in each for each in given):
                continue
            cells = (str(cell) for band in one.bands for column in band.columns for cell in column.cells)
            if not any(text in cell for cell in cells):
                return text
    return None


def calls_of(seed: int, count: int) -> tuple[World, list[Call]]:
    random = Random(f"calls {seed}")
    one = world(seed)
    return one, [call(random, one) for _ in range(count)]


def faults(seeds: range, count: int, folder: Path) -> Iterator[str]:
    """What is wrong with the answers to *count* calls of each report."""
    for seed in seeds:
        one, calls = calls_of(seed, count)
        with Toolset(snapshot_of(one, folder)) as tools:
            for at, asked in enumerate(calls):
                wrong = fault(one, asked, tools)
                if wrong is not None:
                    yield f"call {at} of report {seed}: {asked.tool} {asked.text[:2000]}\n{wrong}"


# ---- the same answers ----


@pytest.mark.parametrize("first", range(0, WORLDS, TOGETHER))
def test_tools_and_oracle_agree(first, tmp_path):
    found = list(faults(range(first, first + TOGETHER), max(1, CALLS // WORLDS), tmp_path))
    assert not found, "\n\n".join(found[:3])


def test_calls_meet_every_rule():
    """Calls that never have a certain verb, operator or refusal would agree on it without a word."""
    met: Counter[str] = Counter()
    for seed in range(WORLDS):
        one, calls = calls_of(seed, 30)
        for asked in calls:
            if asked.given is None:
                continue
            theirs = expected(one, asked.tool, asked.given)
            if isinstance(theirs, set):
                met.update(theirs)
                continue
            has_value = theirs.answer["result"] is not None
            met.update([f"{asked.tool} {asked.given['verb'].upper()} {has_value}"])
            met.update([f"{asked.given.get('period')} {asked.given.get('order')}"] if has_value else [])
            met.update(theirs.says if has_value else [])
            for name in ("filter", "a", "b"):
                where = asked.given.get(name)
                met.update(each["op"] for each in conditions(None if isinstance(where, str) else where))
    tools = ("sulfite_aggregate_data", "sulfite_group_by", "sulfite_compare")
    wanted = {f"{tool} {verb} {has}" for tool in tools for verb in VERBS for has in (True, False)}
    wanted -= {f"sulfite_compare {verb} False" for verb in VERBS}
    wanted |= {*TEXT_OPS, *REASONS.keys() - {"too_long", "no_text"}}
    wanted |= {f"{period} {order}" for period in (*PERIODS, None) for order in (None, "asc", "desc", "group")}
    assert wanted - met.keys() == set()
    assert any("groups or more" in one and "?!" not in one for one in met)


# ---- what holds of any answer ----


@pytest.mark.parametrize("first", [0, 50, 100])
def test_groups_add_up_and_the_first_are_not_the_last(first, tmp_path):
    for seed in range(first, first + 12):
        one, random = world(seed), Random(f"sums {seed}")
        band = random.choice(one.bands)
        measures = [
            column.name for column in band.columns if column.role == "measure" and not column.is_double
        ]
        with Toolset(snapshot_of(one, tmp_path)) as tools:

            def ask(tool, given, tools=tools, random=random):
                return parsed(tools.call(tool, json_of(given, random)).text)

            for _ in range(4):
                by = random.sample([column.name for column in band.columns], random.choice((1, 1, 2)))
                verb = random.choice(("SUM", "COUNT")) if measures else "COUNT"
                given = {"verb": verb, "band": band.name, "filter": condition(random, band)}
                if verb == "SUM":
                    given["field"] = random.choice(measures)
                whole = ask("sulfite_aggregate_data", given)
                listed = {
                    order: ask("sulfite_group_by", {**given, "by": by, "top": 5, "order": order})
                    for order in ("desc", "asc")
                }
                for answer in listed.values():
                    groups = answer["result"] or []
                    assert sum(int(each["rows"]) for each in groups) == int(answer.get("rows", 0))
                    values = [Decimal(each["value"]) for each in groups if each["value"] is not None]
                    if whole["result"] is not None:
                        assert sum(map(Fraction, values)) == Fraction(whole["result"])
                first_and_last_differ(listed)


def first_and_last_differ(listed):
    """Of ten groups or more the five greatest and the five least are others, unless a tie is said."""
    if any(answer["result"] is None for answer in listed.values()):
        return
    named = [
        {json.dumps(each["group"]) for each in answer["result"][:5] if each["value"] is not None}
        for answer in listed.values()
    ]
    rest = [each["group"] for each in listed["desc"]["result"] if str(each["group"]).startswith("(other")]
    if len(named[0]) < 5 or not rest or int(rest[0][7:-1]) < 5 or len(named[1]) < 5:
        return
    if named[0] & named[1]:
        assert all("groups or more have the value" in answer["note"] for answer in listed.values())


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_memory_streams_and_files_give_the_same_bytes(first, tmp_path):
    compared = 0
    for seed in range(first, first + 6):
        one, calls = calls_of(seed, 15)
        raws = raw_bands(one, tmp_path)
        try:
            parts = [streamed(raw, tuple(range(7, raw.rows, 7)), 5) for raw in raws]
        except (pa.ArrowInvalid, pa.ArrowTypeError):  # cells of several types are no stream
            continue
        here, there = snapshot_of_raws(raws), snapshot_of_raws(parts)
        kept = open_snapshot(save_snapshot(here, tmp_path / f"{seed}.json"))
        with Toolset(here) as memory, Toolset(there) as stream, Toolset(kept) as stored:
            for asked in calls:
                said = memory.call(asked.tool, asked.text).text
                assert [tools.call(asked.tool, asked.text).text for tools in (stream, stored)] == [said, said]
                compared += 1
    assert compared


def raw_bands(one: World, folder: Path) -> list[RawBand]:
    bands: list[RawBand] = []
    for name, source in one.materials(folder).items():
        if isinstance(source, Path):
            bands += read_bands([str(source)], ReadOptions(delimiter=";"))
        else:
            source.pop("quando")  # Arrow has one offset for all moments of a column
            bands += bands_from(source, name)
    return bands


def snapshot_of_raws(raws: Sequence[RawBand]) -> Snapshot:
    bands = merge_duplicates([type_band(raw) for raw in raws])
    return Snapshot(bands, profile_bands(bands))


@pytest.mark.parametrize("language", ["pt", "es"])
def test_whatever_is_sent_to_whatever_tool_is_answered(language, tmp_path):
    """In every language, with any value in any place."""
    names = [one["name"] for one in Toolset.definitions()]
    for seed in range(8):
        one, random = world(seed), Random(f"noise {seed}")
        with Toolset(snapshot_of(one, tmp_path), language=language) as tools:
            for _ in range(40):
                given = noise(random, one)
                name = random.choice((*names, *names, *HOSTILE_NAMES))
                asked = Call(name, given, json_of(given, random))
                reply = tools.call(name, asked.text)
                answer = parsed(reply.text)
                assert reply.is_refused or "note" in answer or "results" in answer
                assert [leak(note, asked, one) for note in notes_of(answer) if leak(note, asked, one)] == []
                assert not re.search(r"[<\0-\x1f]", reply.text)


def noise(random: Random, one: World) -> dict[str, Any]:
    """Arguments of any tool with values of any shape."""
    band = random.choice(one.bands)
    column = random.choice(band.columns)

    def anything(depth: int = 0) -> Any:
        plain = (column.name, band.name, value(random, column), random.choice(HOSTILE_VALUES), None, True, 7)
        if depth < 3 and random.random() < 0.3:
            return random.choice(([anything(depth + 1)], {random.choice(ARGUMENTS): anything(depth + 1)}))
        return random.choice((*plain, Decimal("1.5"), "F1", "#1", "SUM", where(random, band)))

    given = {name: anything() for name in random.sample(ARGUMENTS, random.randint(1, 4))}
    if random.random() < 0.5:
        given["query"] = random.choice((str(value(random, column)), *HOSTILE_VALUES))
    if random.random() < 0.5:
        operands = random.sample(("values", "minuend", "subtrahend", "part", "whole", "initial", "final"), 3)
        operation = {"op": random.choice(("sum", "difference", "percentage", "growth", "ratio", "x"))}
        given["operations"] = [operation | {name: anything() for name in operands}]
    return given


ARGUMENTS = (
    "verb",
    "field",
    "band",
    "filter",
    "by",
    "top",
    "order",
    "period",
    "a",
    "b",
    "query",
    "operations",
    "x",
)


# ---- what the comparison is worth ----


def greater_or_equal_is_greater(patch):
    patch.setitem(comparisons._SQL_OPS, ">=", ">")


def nulls_differ(patch):
    right = filters._compile_condition

    def compiled(condition, columns):
        clause = right(condition, columns)
        if condition.op != "!=":
            return clause
        cell = f"c{filters.position_of(condition.field, columns)}"
        return Clause(f"({clause.sql} OR {cell} IS NULL)", clause.values)

    patch.setattr(filters, "_compile_condition", compiled)


def contains_ignores_case(patch):
    right = comparisons.text_function
    patch.setattr(
        filters, "text_function", lambda cell, name, text: right(f"lower({cell})", name, text.lower())
    )


def any_of_is_all_of(patch):
    right = Clause.joined
    patch.setattr(Clause, "joined", classmethod(lambda cls, clauses, word: right(clauses, "AND")))


def a_month_ends_on_its_28th(patch):
    patch.setattr(dates, "last_day", lambda year, month: 28)


def quarters_are_years(patch):
    patch.setitem(grouping_key._STARTS, "quarter", grouping_key._STARTS["year"])


def averages_are_over_all_rows(patch):
    right = Measured._average
    patch.setattr(
        Measured,
        "_average",
        lambda self, column, decimals: right(replace(self, cells=self.rows), column, decimals),
    )


@pytest.mark.parametrize(
    "broken",
    [
        greater_or_equal_is_greater,
        nulls_differ,
        contains_ignores_case,
        any_of_is_all_of,
        a_month_ends_on_its_28th,
        quarters_are_years,
        averages_are_over_all_rows,
    ],
)
def test_what_is_broken_is_found(broken, monkeypatch, tmp_path):
    broken(monkeypatch)
    assert next(faults(range(60), 20, tmp_path), None) is not None
