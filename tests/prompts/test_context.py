"""The data context, rule by rule (spec 3 to 9)."""

from __future__ import annotations

import json
from itertools import pairwise
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.base import RawBand
from engine import materialize, profile_snapshot, take_excerpt
from prompts import BudgetTooSmall, count_tokens, render_data_context
from prompts.draft import ContextDraft
from tests.engine.small import raw_band

VENDAS = {
    "status": ["pago", "aberto", "pago"],
    "valor": ["10,50", "20", "-"],
    "dia": ["01/02/2026", "03/03/2026", ""],
}


def context(*raws: RawBand, rows: int = 100, **options) -> str:
    snapshot = materialize(list(raws))
    return render_data_context(profile_snapshot(snapshot), take_excerpt(snapshot, rows), **options)


def lines(*raws: RawBand, **options) -> dict[str, str]:
    """The fields and the summary of the first band."""
    found = context(*raws, section="schema", **options).splitlines()
    return dict(line.split(": ", 1) for line in found if line.startswith(("Fields: ", "Summary: ")))


def test_sections_are_in_order_with_one_empty_line_between_and_one_line_break_at_the_end():
    total = {"uf": ["a", "b", "Total"], "valor": ["10", "20", "30"]}
    text = context(raw_band(total, "t"), raw_band(VENDAS, "vendas", style="br"))
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## REPORT SCHEMA", "## REPORT AGGREGATES", "## REPORT DATA (5 of 5 rows)"]
    assert text.endswith("}\n")
    assert "\n\n\n" not in text
    for heading in headings[1:]:
        assert f"\n\n{heading}\n" in text


def test_a_section_alone():
    schema = context(raw_band(VENDAS, style="br"), section="schema")
    data = context(raw_band(VENDAS, style="br"), section="data")
    assert f"{schema}\n{data}" == context(raw_band(VENDAS, style="br"))


def test_fields_show_type_role_currency_and_values_in_this_order():
    columns = {
        "t": ["x", "y", "y"],
        "v": ["1,50", "2,00", "3"],
        "m": ["5%", "7%", "9%"],
        "preco": ["R$ 5", "R$ 6", "R$ 7"],
        "CFOP": ["5102", "5102", "5405"],
        "ok": ["true", "false", "true"],
    }
    assert lines(raw_band(columns, style="br"))["Fields"] == (
        "t (text, values: y|x), v (number), m (number, %), preco (number, rate, R$), "
        "CFOP (number, id, values: 5102|5405), ok (boolean, values: true|false)"
    )


def test_a_summary_goes_from_numbers_to_periods():
    assert lines(raw_band(VENDAS, style="br", locale="pt-BR"))["Summary"].split(" | ") == [
        "valor SUM=30.5 AVG=15.25 MIN=10.5 MAX=20 NULLS=1",
        "dia MIN=2026-02-01 MAX=2026-03-03",
        "status: pago=2, aberto=1",
        "valor by status: aberto=20, pago=10.5",
        "valor by month(dia): 2026-02=10.5, 2026-03=20, (null)=0",
    ]


LEFT_OUT = [
    pytest.param({"v": ["5", "5"], "k": ["a", "a"]}, id="constant numbers and single values"),
    pytest.param({"d": ["2026-01-01", "2026-01-01"]}, id="constant dates"),
    pytest.param({"k": ["a", "b"], "v": ["5", "5"]}, id="identities"),
    pytest.param({"k": ["a"], "v": ["5"]}, id="single rows"),
    pytest.param({"k": [], "v": []}, id="no rows"),
    pytest.param({"obs": [f"text {n}" for n in range(30)]}, id="text of many values"),
]


@pytest.mark.parametrize("columns", LEFT_OUT)
def test_what_says_nothing_is_not_summarised(columns):
    assert "Summary" not in lines(raw_band(columns))


def test_an_identity_is_no_axis():
    summary = lines(raw_band({"k": ["a", "b"], "v": ["5", "6"]}))["Summary"]
    assert summary == "v SUM=11 AVG=5.5 MIN=5 MAX=6"


HEADINGS = [
    pytest.param([], "### b (0 rows)", "--- b ---", id="empty"),
    pytest.param(["x"], "### b (1 row)", "--- b ---", id="one"),
    pytest.param(["x"] * 2, "### b (2 rows)", "--- b ---", id="two"),
    pytest.param(["x"] * 9, "### b (9 rows)", "--- b (4 of 9 rows, evenly spaced sample) ---", id="cut"),
]


@pytest.mark.parametrize(("cells", "schema", "data"), HEADINGS)
def test_bands_have_headings(cells, schema, data):
    text = context(raw_band({"t": cells}), rows=4).splitlines()
    assert schema in text
    assert data in text
    assert (
        f"## REPORT DATA ({min(len(cells), 4)} of {len(cells)} {'row' if len(cells) == 1 else 'rows'})"
        in text
    )


def test_merged_bands_have_one_copy():
    text = context(raw_band(VENDAS, "canhoto"), raw_band(VENDAS, "header"))
    assert text.count("### ") == 1
    assert "### canhoto+header (3 rows)" in text
    assert "\n--- canhoto+header ---\n" in text


# ------------------------------------------------------------------ budgets


def test_group_sums_past_the_budget_of_numbers_are_named_and_later_ones_still_tried():
    columns = {
        "v": ["1", "2", "4", "8"],
        "a": ["x", "y", "z", "x"],
        "b": ["p", "q", "q", "p"],
        "c": ["i", "j", "k", "j"],
    }
    parts = lines(raw_band(columns), group_numbers_max=5)["Summary"].split(" | ")
    assert parts[-3:] == [
        "v by a: x=9, z=4, y=2",
        "v by b: p=9, q=6",
        "not shown: v by c (ask sulfite_group_by)",
    ]
    parts = lines(raw_band(columns), group_numbers_max=2)["Summary"].split(" | ")
    assert parts[-2:] == ["v by b: p=9, q=6", "not shown: v by a, v by c (ask sulfite_group_by)"]


def test_a_leader_list_counts_its_five_its_nulls_and_its_rest():
    columns = {
        "f": [*(f"f{n:02d}" for n in range(21)), *(f"f{n:02d}" for n in range(21)), ""],
        "v": ["1"] * 42 + ["2"],
    }
    assert "not shown: v by f" in lines(raw_band(columns), group_numbers_max=6)["Summary"]
    assert lines(raw_band(columns), group_numbers_max=7)["Summary"].endswith(
        "v by f (top 5 of 21): f00=2, f01=2, f02=2, f03=2, f04=2, (null)=2, (other 16)=32"
    )


MANY = {
    "status": [f"s{n % 12:02d}" for n in range(48)],
    "f": [f"f{n % 24:02d}" for n in range(48)],
    "valor": [str(n * n) for n in range(48)],
    "dia": [f"2026-{n % 5 + 1:02d}-10" for n in range(48)],
}


def test_a_token_budget_leaves_out_rows_then_lists_and_names_them():
    whole = context(raw_band(MANY, "vendas (2026)"))
    smaller = context(raw_band(MANY, "vendas (2026)"), max_tokens=300)
    assert count_tokens(smaller) <= 300 < count_tokens(whole)
    assert "not shown, to fit the token budget: 45 rows" in smaller.splitlines()
    (named,) = [
        line for line in smaller.splitlines() if line.startswith('not shown, to fit the token budget: "')
    ]
    assert named.startswith('not shown, to fit the token budget: "vendas (2026)": ')
    assert "valor by f" in named


@given(
    st.lists(st.integers(0, 4).map(lambda kind: list(MANY)[kind % len(MANY)]), min_size=1, max_size=5),
    st.sampled_from(["", "ção \u2028 ", "a very long name of a column "]),
    st.integers(20, 600),
)
def test_lists_that_are_left_out_together_are_those_left_out_one_by_one(kinds, prefix, allowed):
    band = raw_band({f"{prefix}{kind} {index}": MANY[kind] for index, kind in enumerate(kinds)}, "b\u2028")

    def fitted() -> str | tuple[int, int]:
        try:
            return context(band, rows=4, max_tokens=allowed)
        except BudgetTooSmall as error:
            return error.needed, error.allowed

    with pytest.MonkeyPatch.context() as patched:
        # Where each list might save everything, none is skipped.
        patched.setattr(ContextDraft, "saved_bytes", lambda _, plan: [10**9] * len(plan.lists))
        one_by_one = fitted()
    assert fitted() == one_by_one


def test_thousands_of_lists_are_left_out_without_writing_a_text_for_each(monkeypatch):
    columns = {f"status {index}": list("aab") for index in range(2_000)}
    plans = []
    count_bytes = ContextDraft.count_bytes

    def counted(self, plan):
        plans.append(plan)
        return count_bytes(self, plan)

    monkeypatch.setattr(ContextDraft, "count_bytes", counted)
    whole = count_tokens(context(raw_band(columns), section="schema"))
    context(raw_band(columns), section="schema", max_tokens=whole * 9 // 10)
    assert len(plans) < 20


def test_long_lists_of_values_go_last_and_the_statistics_stay():
    with pytest.raises(BudgetTooSmall) as caught:
        context(raw_band(MANY), max_tokens=1)
    smallest = context(raw_band(MANY), max_tokens=caught.value.needed)
    assert count_tokens(smallest) == caught.value.needed
    assert "status (text), f (text), valor (number)" in smallest
    assert (
        "Summary: valor SUM=35720 AVG=744.17 MIN=0 MAX=2209 | dia MIN=2026-01-10 MAX=2026-05-10\n" in smallest
    )
    assert "values of status" in smallest


@given(st.integers(250, 1500), st.integers(0, 60))
def test_a_context_is_never_larger_than_its_budget(tokens, rows):
    assert count_tokens(context(raw_band(MANY), rows=rows, max_tokens=tokens)) <= tokens


def test_a_larger_budget_never_shows_less():
    sizes = [len(context(raw_band(MANY), max_tokens=tokens)) for tokens in range(300, 1400, 50)]
    assert all(small <= large for small, large in pairwise(sizes))


# ------------------------------------------------------------------ untrusted text

HOSTILE = st.text(
    st.one_of(st.sampled_from('<>[]"\\#-|\n\r\u2028\u202e:=,'), st.characters(exclude_categories=["Cs"])),
    max_size=30,
)
KNOWN_STARTS = ("## REPORT ", "### ", "Fields: ", "Summary: ", "--- ", "{", "- ", "not shown, ")


@given(
    st.lists(HOSTILE, min_size=1, max_size=4, unique_by=str.strip),
    st.lists(HOSTILE, min_size=1, max_size=4),
    HOSTILE,
)
def test_nothing_from_data_starts_a_line_or_closes_a_fence(names, cells, band):
    raw = raw_band(dict.fromkeys(names, cells), band, origin="records")
    for citations in (False, True):
        text = context(raw, citations=citations)
        assert "<" not in text
        assert all(line == "" or line.startswith(KNOWN_STARTS) for line in text.splitlines())
        assert len([line for line in text.splitlines() if line.startswith("## ")]) == 2
        for line in text.splitlines():
            if line.startswith("{"):
                json.loads(line)
        if citations:
            assert "[" not in text


def one_by_one(plan, draft, max_tokens):
    """The budget as the rule says it: each plan is written and counted."""
    while count_tokens(draft.write(plan)) > max_tokens:
        smaller = plan.smaller()
        if smaller is None:
            raise BudgetTooSmall.by(count_tokens(draft.write(plan)), max_tokens)
        plan = smaller
    return draft.write(plan)


words = st.one_of(st.none(), st.sampled_from(["a", "é<", "um valor bem mais longo", "x" * 70, "y" * 700]))
numbers = st.one_of(st.none(), st.decimals(-1000, 100000, places=2).map(str))
days = st.one_of(st.none(), st.dates().map(str))


@given(
    st.lists(st.lists(st.tuples(words, words, numbers, days), max_size=40), min_size=1, max_size=3),
    st.integers(0, 100),
    st.integers(0, 100),
    st.sampled_from(["all", "schema", "data"]),
    st.booleans(),
)
def test_what_is_skipped_changes_no_byte(bands, rows, percent, section, citations):
    names = ("nome", "situação", "valor", "dia")
    raws = [
        raw_band(
            dict(zip(names, map(list, zip(*cells, strict=True)), strict=True)) if cells else {"a": []},
            f"b{i}",
        )
        for i, cells in enumerate(bands)
    ]
    whole = count_tokens(context(*raws, rows=rows, section=section, citations=citations))

    def fitted() -> str:
        allowed = whole * percent // 100
        try:
            return context(*raws, rows=rows, section=section, citations=citations, max_tokens=allowed)
        except BudgetTooSmall as error:
            return str(error)

    quick = fitted()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("prompts.context.fit", one_by_one)
        assert fitted() == quick


def test_a_small_budget_for_many_rows_is_quick():
    snapshot = materialize([raw_band({"v": [f"{i},5" for i in range(40_000)]}, style="br")])
    start = perf_counter()
    render_data_context(profile_snapshot(snapshot), take_excerpt(snapshot, 40_000), max_tokens=500)
    # One by one it takes minutes.
    assert perf_counter() - start < 5


def test_a_small_budget_for_many_lists_is_quick():
    columns = {f"uf{i}": ["sp", "rj", "rj"] for i in range(600)}
    snapshot = materialize([raw_band(columns, f"b{i}") for i in range(5)])
    start = perf_counter()
    with pytest.raises(BudgetTooSmall):
        render_data_context(profile_snapshot(snapshot), take_excerpt(snapshot), max_tokens=500)
    assert perf_counter() - start < 5
