"""The facts of a profile are the numbers and dates that its data context prints outside rows, in the same order."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import pytest

from datasources.connections import load_connections
from datasources.definition import read_definition
from datasources.filters import Condition
from engine import materialize, process_report, profile_snapshot, take_excerpt
from engine.fact import Fact, GroupKey
from engine.fact_ledger import FactLedger
from engine.profile import Profile, ReportAggregate
from engine.profile_facts import profile_facts
from prompts import render_data_context
from tests.engine.small import profile_of, raw_band

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SPECIFICATION = ROOT.parent / "shared" / "spec" / "examples"
OURS = ROOT / "tests" / "golden" / "context"


# ---- what the text says, read without the engine ----


class Printed(NamedTuple):
    """A value that the text prints, and what it says that it is of."""

    value: str
    verb: str
    band: str | None
    field: str | None = None
    group: str | None = None
    """As printed: a value, `(null)` or `(other 3)`."""
    by: str | None = None
    period: str | None = None


QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def parts_of(pattern: str, text: str) -> tuple[str, ...]:
    match = re.fullmatch(pattern, text)
    assert match is not None, text
    return match.groups()


class Text:
    """A line in which each quoted name is one character, so that no mark inside it is seen."""

    def __init__(self, line: str) -> None:
        self.quoted: list[str] = []
        self.line = QUOTED.sub(self.hide, line)

    def hide(self, match: re.Match[str]) -> str:
        self.quoted.append(json.loads(match.group()))
        return chr(0xE000 + len(self.quoted) - 1)

    def show(self, text: str) -> str:
        return "".join(
            self.quoted[ord(mark) - 0xE000] if "\ue000" <= mark <= "\uf8ff" else mark for mark in text
        )


def printed(context: str) -> Iterator[Printed]:
    """Everything that stands in the schema and the aggregates of *context*."""
    band = section = ""
    for line in context.splitlines():
        text = Text(line)
        if line.startswith("## "):
            section = line
        elif section == "## REPORT SCHEMA" and line.startswith("### "):
            name, rows = parts_of(r"### (.+) \(([0-9]+) rows?\)", text.line)
            band = text.show(name)
            yield Printed(rows, "COUNT", band)
        elif section == "## REPORT SCHEMA" and line.startswith("Summary: "):
            for part in text.line.removeprefix("Summary: ").split(" | "):
                for found in of_part(part, band):
                    shown = {name: text.show(value) for name, value in found._asdict().items() if value}
                    yield found._replace(**shown)
        elif section == "## REPORT AGGREGATES" and line:
            name, value = parts_of(r"- ([^:]+): (.+)", text.line)
            if value != "null":
                yield Printed(text.show(value), "", None, text.show(name))


def of_part(part: str, band: str) -> Iterator[Printed]:
    if part.startswith("not shown: "):
        return
    if ": " not in part:
        field, statistics = parts_of(r"(.*?)((?: [A-Z]+=\S+)+)", part)
        for verb, value in re.findall(r" ([A-Z]+)=(\S+)", statistics):
            yield Printed(value, verb, band, field)
        return
    label, listed = part.split(": ", 1)
    for item in listed.split(", "):
        group, value = item.rsplit("=", 1)
        if " by " not in label:
            yield Printed(value, "COUNT", band, None, group, label)
            continue
        field, by = label.rsplit(" by ", 1)
        by = re.sub(r" \(top [0-9]+ of [0-9]+\)$", "", by)
        period = re.fullmatch(r"(day|month|year)\((.+)\)", by)
        yield Printed(value, "SUM", band, field, group, *(period.group(2, 1) if period else (by, None)))


def said_by(fact: Fact) -> Printed:
    """The fact as the text would say it."""
    if fact.label is not None:
        return Printed(fact.value, "", None, fact.label)
    if not fact.group:
        return Printed(fact.value, fact.verb, fact.band, fact.field)
    (key,) = fact.group
    group = f"(other {key.others})" if key.others else "(null)" if key.value is None else key.value
    return Printed(fact.value, fact.verb, fact.band, fact.field, group, key.field, key.period)


def is_same(said: Printed, shown: Printed) -> bool:
    is_equal = said.value == shown.value or Decimal(said.value) == Decimal(shown.value)
    group, start = said.group or "", shown.group or ""
    if start.endswith("…"):  # a long value is cut
        is_equal = is_equal and group.startswith(start[:-1])
        said = said._replace(group=shown.group)
    return is_equal and said[1:] == shown[1:]


def assert_facts_are_printed(profile: Profile, context: str, **options) -> None:
    said = [said_by(fact) for fact in profile_facts(profile, **options)]
    shown = list(printed(context))
    assert len(said) == len(shown)
    assert [(one, other) for one, other in zip(said, shown, strict=True) if not is_same(one, other)] == []


def context_of(snapshot, **options):
    return render_data_context(profile_snapshot(snapshot), take_excerpt(snapshot, 3), **options)


# ---- whole reports ----

FILES = [
    pytest.param(SPECIFICATION / "financeiro", ["vendas.csv", "pagamentos.csv"], id="financeiro"),
    pytest.param(SPECIFICATION / "danfe", ["canhoto.json", "header.json", "itens.json"], id="danfe"),
    pytest.param(SPECIFICATION / "armadilhas", ["lancamentos.csv"], id="armadilhas"),
    pytest.param(OURS / "mercado", ["vendas.csv", "devolucoes.csv"], id="mercado"),
    pytest.param(OURS / "nota", ["canhoto.json", "header.json", "itens.json"], id="nota"),
    pytest.param(OURS / "entregas", ["entregas.csv"], id="entregas"),
    pytest.param(EXAMPLES / "financeiro", ["vendas.csv", "pagamentos.csv"], id="our financeiro"),
    pytest.param(
        EXAMPLES / "danfe", ["canhoto.json", "header.json", "itens.json", "duplicatas.json"], id="our danfe"
    ),
]


@pytest.mark.parametrize(("folder", "files"), FILES)
def test_the_facts_of_files_are_what_their_context_prints(folder, files):
    if not folder.exists():
        pytest.skip(f"{folder.name} is not here")
    snapshot = materialize([folder / file for file in files])
    assert_facts_are_printed(snapshot.profile, context_of(snapshot))


def test_a_smaller_budget_of_numbers_leaves_out_the_same():
    snapshot = materialize([OURS / "entregas" / "entregas.csv"])
    for numbers_max in (0, 14, 40):
        context = context_of(snapshot, group_numbers_max=numbers_max)
        assert_facts_are_printed(snapshot.profile, context, group_numbers_max=numbers_max)


@pytest.fixture(scope="module")
def connections(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dashboard")
    (folder / "connections.toml").write_bytes((EXAMPLES / "dashboard" / "connections.toml").read_bytes())
    runpy.run_path(str(EXAMPLES / "generate.py"))["write_database"](folder / "vendas.sqlite")
    return load_connections(folder / "connections.toml")


@pytest.mark.parametrize("name", ["financeiro", "dashboard"])
def test_the_facts_of_a_report_are_what_its_context_prints(name, connections):
    folder = EXAMPLES / name
    (path,) = folder.glob("*.report.json")
    definition = read_definition(path)
    snapshot = process_report(definition, roots={"data": folder}, connections=connections)
    assert_facts_are_printed(snapshot.profile, context_of(snapshot))
    labelled = {fact.label: fact for fact in profile_facts(snapshot.profile) if fact.label}
    for element in definition.aggregates:
        fact = labelled[element.id]
        assert (fact.verb, fact.band, fact.field) == (element.verb, element.band, element.field)
        assert fact.where == element.where
        assert fact.rows is not None


# ---- what a fact knows ----

SALES = {
    "status": ["pago", "aberto", "pago", ""],
    "valor": ["R$ 10,50", "R$ 20", "-", "R$ 1"],
    "dia": ["01/02/2026", "03/03/2026", "", "03/03/2026"],
}


def test_each_fact_says_what_it_is_of():
    found = profile_facts(profile_of(raw_band(SALES, "vendas", style="br")), "ab12")
    assert {(fact.band, fact.snapshot, fact.where, fact.id) for fact in found} == {
        ("vendas", "ab12", None, "")
    }
    assert {fact.kind for fact in found if fact.field == "dia"} == {"date"}
    assert {fact.kind for fact in found if fact.field != "dia"} == {"number"}

    def of(field, value, period=None):
        return (GroupKey(field, value, period),)

    said = [(fact.verb, fact.field, fact.value, fact.unit, fact.rows, fact.group) for fact in found]
    assert said == [
        ("COUNT", None, "4", None, 4, ()),
        ("SUM", "valor", "31.5", "R$", 4, ()),
        ("AVG", "valor", "10.5", "R$", 4, ()),
        ("MIN", "valor", "1", "R$", 4, ()),
        ("MAX", "valor", "20", "R$", 4, ()),
        ("NULLS", "valor", "1", None, 4, ()),
        ("MIN", "dia", "2026-02-01", None, 4, ()),
        ("MAX", "dia", "2026-03-03", None, 4, ()),
        ("COUNT", None, "2", None, 2, of("status", "pago")),
        ("COUNT", None, "1", None, 1, of("status", "aberto")),
        ("COUNT", None, "1", None, 1, of("status", None)),
        ("SUM", "valor", "20", "R$", 1, of("status", "aberto")),
        ("SUM", "valor", "10.5", "R$", 2, of("status", "pago")),
        ("SUM", "valor", "1", "R$", 1, of("status", None)),
        ("SUM", "valor", "10.5", "R$", None, of("dia", "2026-02", "month")),
        ("SUM", "valor", "21", "R$", None, of("dia", "2026-03", "month")),
        ("SUM", "valor", "0", "R$", None, of("dia", None, "month")),
    ]


def test_the_rest_of_a_list_says_how_many_groups_it_stands_for():
    names = [f"nome {number:02d}" for number in range(22)] * 2
    facts = profile_facts(
        profile_of(raw_band({"nome": names, "v": [str(index * index) for index in range(44)]}, "b"))
    )
    (rest,) = [fact for fact in facts if fact.group and fact.group[0].others]
    assert rest.group == (GroupKey("nome", None, None, 17),)
    assert (rest.verb, rest.field, rest.rows) == ("SUM", "v", None)


def test_a_single_row_and_an_empty_band_have_their_row_count_alone():
    single = raw_band({"v": ["1"], "k": ["a"]}, "single")
    empty = raw_band({"v": [], "k": []}, "empty")
    assert [(fact.verb, fact.value, fact.band) for fact in profile_facts(profile_of(single, empty))] == [
        ("COUNT", "1", "single"),
        ("COUNT", "0", "empty"),
    ]


def test_a_total_row_is_a_fact_that_need_not_be_the_sum():
    total = {"uf": ["a", "b", "Total"], "valor": ["R$ 10,00", "R$ 20,00", "R$ 31,00"]}
    fact = profile_facts(profile_of(raw_band(total, "t", style="br")))[-1]
    assert fact == Fact("31", "number", "TOTAL", "t", "valor", "R$", label="total.t.valor")


def with_aggregate(**about):
    profile = profile_of(raw_band(SALES, "vendas", style="br"))
    return profile_facts(replace(profile, aggregates=(ReportAggregate("a", **about),)))[-1]


AGGREGATES = [
    pytest.param(
        {"value": "31.50", "verb": "SUM", "band": "vendas", "field": "valor"},
        ("31.5", "number", "R$"),
        id="sum",
    ),
    pytest.param(
        {"value": "3.0", "verb": "COUNT", "band": "vendas", "field": "valor"},
        ("3", "number", None),
        id="count",
    ),
    pytest.param(
        {"value": "2026-03-03", "verb": "MAX", "band": "vendas", "field": "dia"},
        ("2026-03-03", "date", None),
        id="date",
    ),
    pytest.param(
        {"value": "7", "verb": "MAX", "band": "vendas", "field": "status"}, ("7", "text", None), id="text"
    ),
    pytest.param({"value": "31.50"}, ("31.5", "number", None), id="a number of nothing known"),
    pytest.param({"value": "12,5"}, ("12,5", "text", None), id="a text of nothing known"),
    pytest.param(
        {"value": "1.0", "verb": "MIN", "band": "x", "field": "y"}, ("1", "number", None), id="another band"
    ),
]


@pytest.mark.parametrize(("about", "expected"), AGGREGATES)
def test_an_aggregate_is_a_fact(about, expected):
    fact = with_aggregate(**about)
    assert (fact.value, fact.kind, fact.unit) == expected
    assert (fact.label, fact.verb) == ("a", about.get("verb", "AGGREGATE"))


def test_an_aggregate_keeps_its_filter_and_has_no_fact_without_a_value():
    where = '{"field":"valor","op":">","value":{"decimal":"1.50"}}'
    fact = with_aggregate(value="30.5", verb="SUM", band="vendas", field="valor", where=where, rows=2)
    assert fact.where == Condition(field="valor", op=">", value=Decimal("1.50"))
    assert fact.rows == 2
    assert with_aggregate(value=None, verb="SUM", band="vendas", field="valor").label is None


def test_a_merged_band_has_one_name():
    columns = {"k": ["a", "b"], "v": ["1", "2"]}
    profile = profile_of(raw_band(columns, "canhoto"), raw_band(columns, "header"))
    profile = replace(profile, aggregates=(ReportAggregate("a", "3", "SUM", "header", "v"),))
    assert {fact.band for fact in profile_facts(profile)} == {"canhoto+header"}


def test_a_ledger_begins_with_them():
    profile = profile_of(raw_band(SALES, "vendas", style="br"))
    ledger = FactLedger.of_profile(profile, "ab12")
    facts = profile_facts(profile, "ab12")
    assert tuple(ledger) == tuple(replace(fact, id=f"F{number}") for number, fact in enumerate(facts, 1))
    assert [fact.id for fact in ledger.find(Decimal("31.50"))] == ["F2"]
