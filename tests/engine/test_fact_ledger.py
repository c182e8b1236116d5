"""A ledger numbers facts once, finds them by value, survives JSON, and refuses what was damaged."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.filters import AllOf, Condition
from engine import EngineError, materialize, profile_snapshot
from engine.fact import Fact, GroupKey
from engine.fact_ledger import FactLedger

SUM = Fact("12.5", "number", "SUM", "vendas", "valor", "R$", rows=3)
DAY = Fact("2026-06-30", "date", "MAX", "vendas", "data")
NAME = Fact("12.5", "text", "MAX", "vendas", "versao")
NORTH = Condition(field="uf", op="=", value="N")
BETWEEN = Condition(field="valor", op="between", value=(Decimal("12.50"), 7))
ACTIVE = Condition(field="ativo", op="=", value=True)
OTHERS_OF_WHERE = [
    Condition(field="nota", op="is_null"),
    Condition(field="uf", op="in", value=()),
    Condition(field="uf", op="=", value="\ud800</dados>"),
]
WHERE = AllOf.model_validate({"and": [{"or": [NORTH, BETWEEN]}, ACTIVE, *OTHERS_OF_WHERE]})
RICH = Fact(
    "-0.5",
    "number",
    "GROWTH",
    "vendas",
    None,
    "%",
    (GroupKey("uf", None), GroupKey("data", "2026-04", "month"), GroupKey("k", None, None, 52)),
    WHERE,
    0,
    "ab12",
    ("F1", "F2"),
    "crescimento",
)


def test_facts_are_numbered_in_order_and_equal_ones_once():
    ledger = FactLedger()
    assert ledger.add(SUM).id == "F1"
    assert [fact.id for fact in ledger.add_all([DAY, SUM, NAME, DAY])] == ["F2", "F1", "F3", "F2"]
    assert [fact.id for fact in ledger] == ["F1", "F2", "F3"]
    assert len(ledger) == 3
    assert ledger.add(replace(SUM, id="F99")).id == "F1"


OTHERS = [
    pytest.param({"value": "12.6"}, id="value"),
    pytest.param({"kind": "text"}, id="kind"),
    pytest.param({"verb": "MAX"}, id="verb"),
    pytest.param({"band": "itens"}, id="band"),
    pytest.param({"field": None}, id="field"),
    pytest.param({"unit": None}, id="unit"),
    pytest.param({"group": (GroupKey("uf", "N"),)}, id="group"),
    pytest.param({"where": NORTH}, id="filter"),
    pytest.param({"rows": 4}, id="rows"),
    pytest.param({"snapshot": "cd"}, id="snapshot"),
    pytest.param({"sources": ("F1",)}, id="sources"),
    pytest.param({"label": "total"}, id="label"),
]


@pytest.mark.parametrize("changed", OTHERS)
def test_a_fact_that_differs_in_anything_is_another(changed):
    ledger = FactLedger([SUM])
    assert ledger.add(replace(SUM, **changed)).id == "F2"


def test_rows_that_nobody_counted_make_no_other_fact():
    assert FactLedger([SUM]).add(replace(SUM, rows=None)).id == "F1"
    assert FactLedger([replace(SUM, rows=None)]).add(SUM).id == "F1"


def test_filters_by_true_and_by_one_are_two():
    ledger = FactLedger()
    for value in (True, 1, Decimal("1.0"), "1"):
        ledger.add(replace(SUM, where=Condition(field="k", op="=", value=value)))
    assert len(ledger) == 4


FOUND = [
    pytest.param(Decimal("12.50"), ["F1"], id="a number of equal value"),
    pytest.param(Decimal("12.51"), [], id="no number of that value"),
    pytest.param("12.5", ["F1", "F3"], id="a text, and a number as text"),
    pytest.param("12.50", ["F1"], id="a number as text"),
    pytest.param("2026-06-30", ["F2"], id="a date"),
    pytest.param("x", [], id="nothing"),
    pytest.param(Decimal("NaN"), [], id="no number"),
    pytest.param(Decimal("sNaN"), [], id="a signal"),
    pytest.param(Decimal("Infinity"), [], id="infinity"),
]


@pytest.mark.parametrize(("value", "ids"), FOUND)
def test_facts_are_found_by_value(value, ids):
    assert [fact.id for fact in FactLedger([SUM, DAY, NAME]).find(value)] == ids


def test_facts_are_found_by_id():
    ledger = FactLedger([SUM, DAY])
    assert ledger.get("F2") == replace(DAY, id="F2")
    for none in ("F3", "F0", "F02", "f1", "F", "", "F-1", "F١", "F1\n", "F" + "9" * 5000):
        assert ledger.get(none) is None


# ---- JSON ----


def test_a_ledger_survives_json():
    ledger = FactLedger([SUM, DAY, RICH, NAME, replace(SUM, where=NORTH), replace(DAY, value="")])
    text = ledger.to_json()
    assert text.isascii()
    back = FactLedger.from_json(text)
    assert tuple(back) == tuple(ledger)
    assert back.to_json() == text
    where = repr(next(fact.where for fact in back if fact.where is not None))
    assert "(Decimal('12.50'), 7)" in where
    assert "value=True" in where
    assert back.add(RICH).id == "F3"
    assert FactLedger.from_json(FactLedger().to_json()).add(SUM).id == "F1"


texts = st.text(max_size=8)
conditions = st.builds(
    Condition,
    field=st.text(min_size=1, max_size=5),
    op=st.sampled_from(["=", "!=", "contains"]),
    value=st.booleans() | st.integers() | texts | st.decimals(allow_nan=False, allow_infinity=False),
)
filters = st.recursive(
    conditions,
    lambda inner: st.lists(inner, min_size=1, max_size=2).map(lambda one: AllOf.model_validate({"and": one})),
    max_leaves=4,
)
keys = st.builds(GroupKey, texts, st.none() | texts, st.sampled_from([None, "month"]), st.integers(0, 9))
facts = st.builds(
    Fact,
    value=st.integers(-9, 9).map(str),
    kind=st.sampled_from(["number", "text"]),
    verb=texts,
    band=st.none() | texts,
    field=st.none() | texts,
    unit=st.none() | texts,
    group=st.lists(keys, max_size=2).map(tuple),
    where=st.none() | filters,
    rows=st.none() | st.integers(0, 9),
    label=st.none() | texts,
)


@given(st.lists(facts, max_size=5))
def test_any_ledger_survives_json(found):
    ledger = FactLedger(found)
    back = FactLedger.from_json(ledger.to_json())
    assert tuple(back) == tuple(ledger)
    assert back.to_json() == ledger.to_json()


def document(**changed):
    """A ledger of one fact, with something else in it."""
    fact = {"value": "1", "kind": "number", "verb": "SUM", "id": "F1"} | changed
    return json.dumps({"format": 1, "facts": [{key: value for key, value in fact.items() if value != ...}]})


DAMAGED = [
    pytest.param("", id="empty"),
    pytest.param("null", id="null"),
    pytest.param("[]", id="a list"),
    pytest.param("{}", id="no format"),
    pytest.param('{"format":1}', id="no facts"),
    pytest.param('{"format":1,"facts":{}}', id="facts are no list"),
    pytest.param('{"format":1,"facts":[1]}', id="a fact is a number"),
    pytest.param('{"format":1,"facts":[],"more":1}', id="something more"),
    pytest.param("[" * 100_000, id="deep"),
    pytest.param('{"format":1,"facts":[' + "9" * 10_000 + "]}", id="a huge number"),
    pytest.param(FactLedger([SUM, DAY]).to_json()[:-5], id="cut"),
    pytest.param(FactLedger([SUM, DAY]).to_json().replace('"F2"', '"F1"'), id="an id twice"),
    pytest.param(FactLedger([SUM, DAY]).to_json().replace('"F2"', '"F3"'), id="an id is missing"),
    pytest.param(document(id="1"), id="no id"),
    pytest.param(document(value=1), id="a value that is no text"),
    pytest.param(document(value="1.50"), id="a number that is not canonical"),
    pytest.param(document(value="-0"), id="negative zero"),
    pytest.param(document(value="1e5"), id="an exponent"),
    pytest.param(document(value="NaN"), id="no number"),
    pytest.param(document(value=...), id="no value"),
    pytest.param(document(kind="money"), id="an unknown kind"),
    pytest.param(document(rows=True), id="rows of true"),
    pytest.param(document(rows=-1), id="negative rows"),
    pytest.param(document(rows=1.5), id="half a row"),
    pytest.param(document(unit=1), id="a unit that is no text"),
    pytest.param(document(other="x"), id="an unknown key"),
    pytest.param(document(sources="F1"), id="sources are a text"),
    pytest.param(document(sources=["x"]), id="a source is no id"),
    pytest.param(document(group=[{"field": "a", "period": "decade"}]), id="an unknown period"),
    pytest.param(document(group=[{"value": "a"}]), id="a group without a field"),
    pytest.param(document(group=["a"]), id="a group is a text"),
    pytest.param(document(where={"field": "a", "op": "like", "value": "b"}), id="an unknown operator"),
    pytest.param(document(where={"field": "a", "op": "=", "value": {"decimal": "x"}}), id="no decimal"),
    pytest.param(document(where={"and": [{"field": "a", "op": "is_null"}] * 60}), id="a large filter"),
]


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_ledger_is_refused(text):
    with pytest.raises(EngineError, match="The ledger of facts is damaged"):
        FactLedger.from_json(text)


def test_a_ledger_of_a_newer_lastro_is_refused():
    with pytest.raises(EngineError, match="has format 2 and this Lastro reads format 1"):
        FactLedger.from_json('{"format":2,"facts":[]}')


def test_any_byte_that_is_lost_is_refused_or_makes_another_ledger():
    text = FactLedger([SUM, RICH]).to_json()
    for position in range(len(text)):
        try:
            back = FactLedger.from_json(text[:position] + text[position + 1 :])
        except EngineError:
            continue
        assert len(back) == 2


# ---- many at once ----


def test_threads_number_each_fact_once():
    ledger = FactLedger()
    facts = [Fact(str(index), "number", "SUM") for index in range(200)]

    def add(order):
        return [ledger.add(facts[index]) for index in order]

    orders = [range(200), range(199, -1, -1), *([*range(start, 200), *range(start)] for start in (50, 90))]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(add, orders))
    assert sorted(int(fact.value) for fact in ledger) == list(range(200))
    assert [fact.id for fact in ledger] == [f"F{number}" for number in range(1, 201)]
    for order, answer in zip(orders, answers, strict=True):
        assert [fact.value for fact in answer] == [str(index) for index in order]
        assert all(ledger.get(fact.id) == fact for fact in answer)


def test_the_same_data_have_the_same_ids():
    rows = [{"uf": "SP", "v": 1.5}, {"uf": "RJ", "v": 2.25}, {"uf": "SP", "v": 4}]
    found = set()
    for order in permutations(rows):
        snapshot = materialize({"vendas": list(order)})
        ledger = FactLedger.of_profile(profile_snapshot(snapshot), "ab")
        found.add(ledger.to_json())
    assert len(found) == 1
