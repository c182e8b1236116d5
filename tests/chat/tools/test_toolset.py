"""Whatever a model sends, it gets an answer: exact, in the shape of the seed, and in the reader's language."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.tools.toolset import TOOL_NAMES, Toolset, tool_named
from engine import materialize
from engine.band import type_band
from engine.profile import profile_bands
from engine.snapshot import Snapshot
from tests.engine.small import raw_band

COLUMNS: dict[str, list[str | None]] = {
    "vendedor": ["Ana", "Bruno", "Ana", "Caio", None],
    "numero": ["V-1", "V-2", "V-3", "V-4", "V-5"],
    "produto": ["a", "b", "c", "</dados>", "e"],
    "valor": ["100,00", "50,50", "200,00", "150,00", None],
    "ativo": ["true", "false", "true", "true", "true"],
}
BANDS = (type_band(raw_band(COLUMNS, "vendas", style="br", locale="pt-BR")),)
SNAPSHOT = Snapshot(BANDS, profile_bands(BANDS))


@pytest.fixture
def tools():
    with Toolset(SNAPSHOT) as opened:
        yield opened


def read(reply):
    return json.loads(reply.text, parse_float=Decimal)


def test_a_value_comes_in_the_shape_of_the_seed_with_its_fact(tools):
    reply = tools.call("sulfite_aggregate_data", '{"verb": "sum", "field": "valor"}')
    assert reply.text == (
        '{"verb":"SUM","field":"valor","result":500.5,"note":"One of the 5 rows has no value in “valor” and is'
        ' left out.","band":"vendas","filter":null,"rows":5,"fact":"F2"}'
    )
    assert tools.ledger.get("F2").verb == "SUM"


def test_facts_go_on_where_those_of_the_profile_end_in_the_order_of_the_requests(tools):
    before = len(tools.ledger)
    questions = [
        {"verb": verb, "field": "valor", "filter": {"field": "vendedor", "op": "=", "value": "Ana"}}
        for verb in ("SUM", "AVG", "SUM")
    ]
    facts = [tools.call("sulfite_aggregate_data", question).answer["fact"] for question in questions]
    # The third asks what the first has answered.
    assert facts == [f"F{before + 1}", f"F{before + 2}", f"F{before + 1}"]


def test_a_closed_toolset_refuses_with_a_note():
    tools = Toolset(SNAPSHOT, language="pt")
    assert not tools.call("sulfite_aggregate_data", {"verb": "COUNT"}).is_refused
    tools.close()
    tools.close()
    reply = tools.call("sulfite_aggregate_data", {"verb": "COUNT"})
    assert reply.is_refused
    assert "encerrada" in str(reply.answer["note"])


def test_groups_are_values_of_their_own_kind(tools):
    answer = read(tools.call("sulfite_group_by", {"by": "ativo", "verb": "SUM", "field": "valor"}))
    assert [(group["group"], group["value"]) for group in answer["result"]] == [
        (True, Decimal("450")),
        (False, Decimal("50.5")),
    ]
    answer = read(tools.call("sulfite_group_by", {"by": ["vendedor", "ativo"], "verb": "COUNT", "top": 1}))
    assert [(group["group"], group["rows"]) for group in answer["result"]] == [
        (["Ana", True], 2),
        ("(other 3)", 3),
    ]


def test_a_difference_names_the_facts_it_comes_from(tools):
    a, b = ({"field": "vendedor", "op": "=", "value": name} for name in ("Ana", "Bruno"))
    answer = tools.call("sulfite_compare", {"verb": "SUM", "field": "valor", "a": a, "b": b}).answer
    result = answer["result"]
    assert result["difference"]["value"] == "-249.5"
    fact = tools.ledger.get(result["difference"]["fact"])
    assert fact.sources == (result["a"]["fact"], result["b"]["fact"])


def test_a_calculation_is_bound_to_the_facts_that_it_means(tools):
    operations = [
        {"op": "percentage", "part": "F2", "whole": 1000},
        {"op": "sum", "values": ["#1", 500.50, "5,15"]},
    ]
    answer = read(tools.call("calculate", json.dumps({"operations": operations})))
    first, second = answer["results"]
    assert first["result"] == Decimal("50.05")
    assert first["operands"][1] == {"name": "whole", "value": 1000, "unbound": True}
    assert second["result"] == Decimal("555.7")
    assert second["operands"][1]["fact"] == "F2"
    assert tools.ledger.get(first["fact"]).sources == ("F2",)


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        pytest.param('{"verb": "SUM"', "The arguments are not a JSON object: send one.", id="cut"),
        pytest.param("[]", "The arguments are not a JSON object: send one.", id="list"),
        pytest.param('{"verb": NaN}', "The arguments are not a JSON object: send one.", id="NaN"),
        pytest.param("[" * 50_000, "The arguments are not a JSON object: send one.", id="deep"),
        pytest.param('{"verb": 1e99999999999999999999}', "The arguments are not a JSON object: send one.", id="power"),
        pytest.param("9" * 5_000, "The arguments are not a JSON object: send one.", id="digits"),
        pytest.param('{"a": "' + "x" * 100_000, "The arguments have more than 100000 characters", id="long"),
        pytest.param('{"verb": "SUM", "verb": "AVG"}', 'The key "verb" stands twice', id="twice"),
        pytest.param("", '"verb" is missing: give it.', id="empty"),
        pytest.param('{"verb": "TOTAL"}', '"verb" is one of: SUM, AVG, COUNT, MIN, MAX,', id="verb"),
        pytest.param('{"verb": 7}', '"verb" is one of: SUM, AVG', id="number for a verb"),
        pytest.param('{"verb": "SUM", "campo": "x"}', '"campo" is not an argument here. Arguments: verb,', id="key"),
        pytest.param('{"verb": "SUM", "field": 7}', '"field" cannot be used: a text is needed.', id="kind"),
        pytest.param(
            '{"verb": "SUM", "field": "valor", "filter": {"vendedor": "Ana"}}',
            '"filter" is not a filter: send one like {"field": "status", "op": "=", "value": "faturado"}',
            id="filter of pairs",
        ),
        pytest.param(
            '{"verb": "SUM", "field": "valor", "filter": {"and": [{"field": "vendedor", "op": "like"}]}}',
            '"filter.and[0].op" is one of: =, !=, >, >=, <, <=, in,',
            id="op",
        ),
        pytest.param(
            '{"verb": "SUM", "field": "valor", "filter": {"and": [], "field": "x"}}',
            '"filter.and" is a list of filters, and stands alone:',
            id="group",
        ),
        pytest.param(
            '{"verb": "SUM", "field": "valor", "filter": {"field": "vendedor", "op": "in", "value": "Ana"}}',
            '"filter": in takes a list of values.',
            id="one value",
        ),
        pytest.param(
            '{"verb": "SUM", "field": "valor", "filter": ' + '{"and": [' * 60 + "]}" * 60 + "}",
            "The filter has more than 50 conditions and groups",
            id="deep filter",
        ),
        pytest.param(
            '{"verb": "SUM", "field": "valor", "filter": {"field": "valor", "op": ">", "value": 1e400}}',
            "No row matches the filter",
            id="a large number",
        ),
        pytest.param(
            '{"verb": "COUNT", "filter": {"field": "valor", "op": "=", "value": 1e999999999}}',
            '"filter": the number has more than 400 digits.',
            id="a number of a gigabyte",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(tools, arguments, note):
    reply = tools.call("sulfite_aggregate_data", arguments)
    answer = json.loads(reply.text)
    assert answer["result"] is None
    assert answer["note"].startswith(note)


@pytest.mark.parametrize(
    ("language", "note"),
    [
        ("pt", 'O campo "valr" não existe. Campos disponíveis: vendedor, numero, produto, valor, ativo.'),
        ("es", 'El campo "valr" no existe. Campos disponibles: vendedor, numero, produto, valor, ativo.'),
    ],
)
def test_notes_are_in_the_language_of_the_setting(language, note):
    with Toolset(SNAPSHOT, language=language) as tools:
        answer = tools.call("sulfite_aggregate_data", {"verb": "SUM", "field": "valr"}).answer
    assert str(answer["note"]).startswith(note)


@pytest.mark.parametrize("name", TOOL_NAMES)
def test_each_tool_has_the_name_it_goes_by(name):
    tool = tool_named(name)
    assert tool is not None
    assert tool.name == name


def test_a_number_of_nobodys_does_not_become_a_fact_of_the_data(tools):
    first = tools.call("calculate", {"operations": [{"op": "sum", "values": ["987654,32"]}]}).answer
    (result,) = first["results"]
    again = {"operations": [{"op": "percentage", "part": "987654,32", "whole": "F2"}]}
    ((part, _),) = [one["operands"] for one in tools.call("calculate", again).answer["results"]]
    assert part == {"name": "part", "value": "987654.32", "unbound": True}
    by_id = {"operations": [{"op": "sum", "values": [result["fact"]]}]}
    ((operand,),) = [one["operands"] for one in tools.call("calculate", by_id).answer["results"]]
    assert operand["unbound"] is True


def test_what_was_rounded_on_the_way_is_said(tools):
    operations = [{"op": "ratio", "numerator": 1, "denominator": 3}, {"op": "product", "values": ["#1", 3]}]
    first, second = tools.call("calculate", {"operations": operations}).answer["results"]
    assert (first["rounded"], second["rounded"], second["result"]) == (True, True, "0.999999")


@pytest.mark.parametrize(
    ("operand", "note"),
    [
        (None, '"operations[0].values[0]" is not a number, the id of a fact'),
        (True, '"operations[0].values[0]" is not a number, the id of a fact'),
        ([1], '"operations[0].values[0]" is not a number, the id of a fact'),
        ("1_000", "Operation 1: in values, “1_000” is not a number."),
        ("1e3", "Operation 1: in values, “1e3” is not a number."),
        ("007", "Operation 1: in values, “007” is not a number."),
    ],
)
def test_what_is_no_operand_is_refused(tools, operand, note):
    answer = tools.call("calculate", {"operations": [{"op": "sum", "values": [operand]}]}).answer
    assert str(answer["note"]).startswith(note)


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        ({"by": "vendedor", "verb": "COUNT", "top": 0}, "top is a whole number from 1 to 200."),
        ({"by": "vendedor", "verb": "COUNT", "top": 201}, "top is a whole number from 1 to 200."),
        (
            {"by": ["vendedor", "numero", "ativo"], "verb": "COUNT"},
            "One or two fields to group by are needed, and 3",
        ),
        ({"by": [], "verb": "COUNT"}, "One or two fields to group by are needed, and 0"),
    ],
)
def test_bounds_are_said(tools, arguments, note):
    assert str(tools.call("sulfite_group_by", arguments).answer["note"]).startswith(note)


def test_a_tool_that_is_not_there_is_answered_with_those_that_are(tools):
    reply = tools.call("run_sql", "{}")
    assert reply.is_refused
    assert str(reply.answer["note"]).startswith('There is no tool "run_sql". Tools: sulfite_aggregate_data, ')


def test_nothing_of_the_data_can_close_a_fence(tools):
    for name, arguments in (
        ("sulfite_group_by", {"by": "produto", "verb": "COUNT"}),
        ("sulfite_search_values", {"query": "</dados>"}),
        ("sulfite_aggregate_data", {"verb": "SUM", "field": "</dados>"}),
    ):
        text = tools.call(name, arguments).text
        assert "</dados>" not in text
        assert "\\u003c/dados>" in text


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
shaped = st.fixed_dictionaries(
    {},
    optional={
        name: st.sampled_from(["SUM", "valor", "vendas", "vendedor", "month"]) | anything
        for name in (
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
        )
    },
)


@given(st.sampled_from(TOOL_NAMES), anything | shaped)
@settings(max_examples=300)
def test_whatever_is_sent_is_answered(name, arguments):
    with Toolset(SNAPSHOT) as tools:
        answer = json.loads(tools.call(name, json.dumps(arguments)).text)
    assert isinstance(answer, dict)


@pytest.mark.parametrize("definition", Toolset.definitions(), ids=lambda one: one["name"])
def test_a_definition_is_a_schema_in_which_each_argument_is_described(definition):
    from jsonschema import Draft202012Validator

    schema = definition["parameters"]
    Draft202012Validator.check_schema(schema)
    assert all(part["description"] for part in schema["properties"].values())
    assert "$ref" not in json.dumps(schema)
    assert '"null"' not in json.dumps(schema)


def test_all_definitions_cost_a_model_little():
    from prompts import count_tokens

    assert count_tokens(json.dumps(Toolset.definitions(), ensure_ascii=False)) < 2_800


def test_what_runs_is_stopped_from_another_thread_and_the_next_question_is_answered():
    rows = [{"g": f"g{row}", "x": row / 7} for row in range(40_000)]
    with Toolset(materialize({"m": rows}), language="pt") as tools, ThreadPoolExecutor(1) as pool:
        count = {"verb": "COUNT"}
        tools.call("sulfite_aggregate_data", count)

        def ask():
            while not (
                reply := tools.call("sulfite_group_by", {"by": "g", "verb": "STDDEV", "field": "x"})
            ).is_refused:
                pass
            return reply

        asked = pool.submit(ask)
        for _ in range(2_000):
            if asked.done():
                break
            tools.stop()
            time.sleep(0.005)
        assert asked.result(timeout=10).answer["note"].startswith("A consulta foi interrompida")
        assert not tools.call("sulfite_aggregate_data", count).is_refused
