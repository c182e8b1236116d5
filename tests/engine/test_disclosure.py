"""What was published once is answered again, what was refused stays refused, and nothing else is told."""

from __future__ import annotations

import json

import pytest

from chat import Toolset
from engine import EngineError, FactLedger, materialize, open_snapshot, save_snapshot
from engine.disclosure import Disclosure
from engine.disclosure_profile import withhold


def rows_of(counts, **more):
    """Rows of each (uf, status): `{("SP", "aberto"): 12}`."""
    pairs = [pair for pair, count in counts.items() for _ in range(count)]
    days = [f"2026-{1 + at % 3:02d}-{1 + at % 28:02d}" for at in range(len(pairs))]
    return [
        {"uf": uf, "status": status, "data": day, "valor": 100 + 7 * at, **more}
        for at, ((uf, status), day) in enumerate(zip(pairs, days, strict=True))
    ]


SALES = {
    ("SP", "aberto"): 12,
    ("SP", "pago"): 20,
    ("RJ", "aberto"): 8,
    ("RJ", "pago"): 9,
    ("MG", "pago"): 3,
    ("ES", "aberto"): 1,
}


@pytest.fixture(scope="module")
def sales():
    return materialize({"vendas": rows_of(SALES)})


def tools_of(snapshot, k=5, **options):
    return Toolset(snapshot, disclosure=Disclosure(k), **options)


def where(field, op, value=None):
    return {"field": field, "op": op, "value": value}


def aggregate(tools, verb, field=None, filters=None):
    return tools.call("sulfite_aggregate_data", {"verb": verb, "field": field, "filter": filters}).answer


@pytest.mark.parametrize(
    ("filters", "rows"),
    [
        pytest.param(where("uf", "=", "SP"), 32, id="a named value"),
        pytest.param(where("uf", "!=", "SP"), 21, id="all but a named value"),
        pytest.param(where("uf", "=", "MG"), None, id="a small value"),
        pytest.param(where("uf", "=", "RJ"), None, id="the value that joined it"),
        pytest.param(where("uf", "=", "XX"), None, id="no value"),
        pytest.param(where("uf", "in", ["SP", "MG"]), None, id="a list with a small value"),
        pytest.param(where("uf", "starts_with", "S"), None, id="a start, of a field with small values"),
        pytest.param(where("status", "starts_with", "a"), 21, id="a start, of a field without"),
        pytest.param(where("valor", ">", 300), None, id="a bound among single values"),
        pytest.param(where("valor", ">", 0), None, id="a bound below all of them"),
        pytest.param(where("data", ">=", "2026-02"), 35, id="whole months"),
        pytest.param(where("data", "between", ["2026-01", "2026-02"]), 36, id="two months"),
        pytest.param(where("data", ">=", "2026-02-10"), None, id="a part of a month"),
        pytest.param(where("data", "=", "2026"), 53, id="a year"),
        pytest.param(where("data", "=", "2027"), None, id="a year without rows"),
        pytest.param(where("uf", "is_null"), None, id="no nulls"),
        pytest.param({"and": [where("uf", "=", "SP"), where("status", "=", "aberto")]}, 12, id="two fields"),
        pytest.param(
            {"or": [where("uf", "=", "SP"), where("valor", "=", 100)]}, None, id="one part is small"
        ),
    ],
)
def test_a_filter_tells_apart_only_what_has_a_name(filters, rows):
    # MG and ES have four rows together, so that RJ, the next smallest, goes with them.
    with tools_of(materialize({"vendas": rows_of(SALES)})) as tools:
        answer = aggregate(tools, "COUNT", filters=filters)
    assert answer["rows"] == answer["result"] == rows if rows is None else int(str(answer["result"])) == rows


@pytest.mark.parametrize("language", ["pt", "en", "es"])
def test_a_small_value_is_answered_as_one_that_does_not_occur(sales, language):
    with tools_of(sales, language=language) as tools:
        replies = [
            json.dumps(aggregate(tools, "SUM", "valor", where("uf", "=", value))).replace(value, "?")
            for value in ("MG", "ES", "RJ", "XX")
        ]
    assert len(set(replies)) == 1
    assert '"rows": null' in replies[0]


def test_no_bound_finds_a_single_value():
    # Were a bound answered wherever enough rows are on both sides, the answers would change at the rows' own values.
    with tools_of(materialize({"vendas": rows_of(SALES)})) as tools:
        replies = {
            json.dumps(aggregate(tools, "COUNT", filters=where("valor", op, 100 + at))).replace(
                str(100 + at), "?"
            )
            for at in range(60)
            for op in (">", "<=")
        }
    assert len(replies) == 2  # one an operator


def test_the_last_part_is_refused_since_it_would_give_the_rest_away(sales):
    # In SP and RJ together 20 are open, and 21 everywhere: the one of ES would be known.
    with tools_of(
        materialize({"vendas": rows_of({("A", "x"): 10, ("B", "x"): 9, ("A", "y"): 8, ("B", "y"): 2})})
    ) as tools:
        assert aggregate(tools, "COUNT", filters=where("g", "=", 1))["result"] is None
        pair = {"and": [where("uf", "=", "B"), where("status", "=", "x")]}
        assert aggregate(tools, "SUM", "valor", pair)["result"] is None
        assert tools.ledger.find("9") == ()


def test_the_order_of_questions_decides_what_is_refused_and_never_what_was_answered():
    data = materialize({"vendas": rows_of({("A", "x"): 8, ("A", "y"): 3, ("B", "x"): 3, ("B", "y"): 8})})
    first = {"and": [where("uf", "=", "A"), where("status", "=", "x")]}
    second = {"or": [where("uf", "=", "A"), where("status", "=", "x")]}
    with tools_of(data) as tools:
        before = [aggregate(tools, "SUM", "valor", one) for one in (first, second, first, second)]
    assert before[:2] == before[2:]


def test_groups_add_up_and_the_small_ones_have_no_name(sales):
    with tools_of(sales) as tools:
        answer = tools.call("sulfite_group_by", {"by": "uf", "verb": "SUM", "field": "valor"}).answer
        facts = [tools.ledger.get(one["fact"]) for one in answer["result"]]
        assert FactLedger.from_json(tools.ledger.to_json()).get(facts[1].id) == facts[1]
    assert [(one["group"], one["rows"]) for one in answer["result"]] == [("SP", 32), ("(withheld)", 21)]
    assert "MG" not in json.dumps(answer)
    assert facts[1].group[0].withheld


@pytest.mark.parametrize("verb", ["MIN", "MAX", "MEDIAN", "DISTINCT"])
def test_groups_by_the_values_of_rows_stand_in_the_order_of_their_names(verb):
    rows = [
        {"g": g, "valor": cell}
        for g, cells in {"b": [1] * 9, "a": [7] * 6 + [3] * 6, "c": range(9)}.items()
        for cell in cells
    ]
    with tools_of(materialize({"b": rows})) as tools:
        answer = tools.call("sulfite_group_by", {"by": "g", "verb": verb, "field": "valor"}).answer
    groups = [
        (one["group"], None if one["value"] is None else float(str(one["value"]))) for one in answer["result"]
    ]
    shown = {"MIN": 3, "MAX": 7, "MEDIAN": None, "DISTINCT": 2}[verb]
    assert groups == [("a", shown), ("b", 1), ("c", None)]


def test_what_is_searched_for_has_a_name(sales):
    with tools_of(sales) as tools:
        found = {
            query: [
                hit["value"] for hit in tools.call("sulfite_search_values", {"query": query}).answer["result"]
            ]
            for query in ("SP", "RJ", "MG", "pago")
        }
        near = aggregate(tools, "COUNT", filters=where("status", "=", "pagos"))["note"]
    assert found == {"SP": ["SP"], "RJ": [], "MG": [], "pago": ["pago"]}
    assert "pago" in near


@pytest.mark.parametrize(
    ("cells", "verb", "result"),
    [
        pytest.param([5] * 6 + [9] * 6 + list(range(20, 28)), "MIN", "5", id="as many as k have the least"),
        pytest.param([5] * 6 + [9] * 6 + list(range(20, 28)), "MAX", None, id="one has the greatest"),
        pytest.param([5] * 6 + [9] * 12 + [20] * 6, "MEDIAN", "9", id="as many as k have the middle"),
        pytest.param([5] * 8 + [9] * 8, "MEDIAN", None, id="the middle is between two"),
        pytest.param([5] * 18 + [9] * 2, "MIN", None, id="all but two have the least"),
        pytest.param([5] * 10 + [9] * 10, "DISTINCT", "2", id="each value has as many as k"),
        pytest.param([5] * 10 + [9] * 9 + [7], "DISTINCT", None, id="one value has not"),
        pytest.param([1, 2, 3, 4, *[None] * 16], "SUM", None, id="cells fewer than k"),
        pytest.param([*range(18), None, None], "SUM", "153", id="a sum says nothing of nulls"),
        pytest.param([*range(18), None, None], "AVG", None, id="an average beside it would count them"),
        pytest.param([*range(14), *[None] * 6], "AVG", "6.50", id="enough nulls"),
    ],
)
def test_a_value_is_shown_where_it_tells_of_k_rows(cells, verb, result):
    data = materialize({"b": [{"g": "a", "valor": cell} for cell in cells]})
    with tools_of(data) as tools:
        found = aggregate(tools, verb, "valor")["result"]
    assert (found if found is None else float(str(found))) == (result if result is None else float(result))


def test_two_conversations_are_one_reader(sales):
    disclosure = Disclosure(5)
    pairs = [{"and": [where("uf", "=", "SP"), where("status", "=", one)]} for one in ("aberto", "pago")]
    with Toolset(sales, disclosure=disclosure) as one, Toolset(sales, disclosure=disclosure) as other:
        first = [aggregate(one, "COUNT", filters=pair)["result"] for pair in pairs]
        second = [aggregate(other, "COUNT", filters=pair)["result"] for pair in reversed(pairs)]
    assert first == second[::-1]


def test_what_was_published_is_kept_as_bytes(sales):
    disclosure = Disclosure(5)
    with Toolset(sales, disclosure=disclosure) as tools:
        before = [aggregate(tools, "COUNT", filters=where("uf", op, "SP")) for op in ("=", "!=")]
    again = Disclosure.from_bytes(disclosure.to_bytes())
    assert again.to_bytes() == disclosure.to_bytes()
    with Toolset(sales, disclosure=again, ledger=FactLedger()) as tools:
        after = [aggregate(tools, "COUNT", filters=where("uf", op, "SP")) for op in ("=", "!=")]
    assert [one["result"] for one in before] == [one["result"] for one in after]
    assert again.to_bytes() == disclosure.to_bytes()


@pytest.mark.parametrize("cut", [0, 10, 200, -1])
def test_damaged_bytes_are_refused(sales, cut):
    disclosure = Disclosure(5)
    withhold(sales, disclosure)
    with pytest.raises(EngineError, match="damaged"):
        Disclosure.from_bytes(disclosure.to_bytes()[:cut])


def test_another_snapshot_needs_another_disclosure(sales):
    disclosure = Disclosure(5)
    withhold(sales, disclosure)
    other = materialize({"vendas": rows_of({**SALES, ("SP", "novo"): 1})})
    with (
        Toolset(other, disclosure=disclosure, ledger=FactLedger()) as tools,
        pytest.raises(EngineError, match="another"),
    ):
        aggregate(tools, "COUNT", filters=where("uf", "=", "SP"))


@pytest.mark.parametrize("k", [0, 1, -5, True, "5", 2.5])
def test_k_is_a_whole_number_of_two_or_more(k):
    with pytest.raises(EngineError, match="k is"):
        Disclosure(k)


def test_a_stored_snapshot_is_answered_as_one_in_memory(sales, tmp_path):
    save_snapshot(sales, tmp_path / "vendas.snapshot")
    stored = open_snapshot(tmp_path / "vendas.snapshot")
    asked = [where("uf", "=", "SP"), where("data", ">=", "2026-02"), where("uf", "=", "MG")]
    answers = []
    for snapshot in (sales, stored):
        with tools_of(snapshot) as tools:
            answers.append([aggregate(tools, "SUM", "valor", one) for one in asked])
    assert answers[0] == answers[1]
