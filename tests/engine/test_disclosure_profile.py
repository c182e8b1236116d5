"""The data context under small groups: totals, lists without small groups, what is left out by name, and no rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import materialize, profile_snapshot, take_excerpt
from engine.disclosure import Disclosure
from engine.disclosure_profile import withhold
from engine.fact_ledger import FactLedger
from engine.profile import ReportAggregate
from prompts import render_data_context
from tests.engine.test_disclosure import SALES, rows_of


def context(snapshot, k=5, **options):
    return render_data_context(withhold(snapshot, Disclosure(k)), take_excerpt(snapshot), **options)


def test_the_context_names_what_it_leaves_out():
    assert context(materialize({"vendas": rows_of(SALES)})) == (
        "## REPORT SCHEMA\n"
        "\n"
        "### vendas (53 rows)\n"
        "Fields: uf (text, values: SP|(withheld)), status (text, values: pago|aberto), data (date), valor (number)\n"
        "Summary: valor SUM=14946 AVG=282 | uf: SP=32, (withheld)=21 | status: pago=32, aberto=21"
        " | valor by uf: SP=6672, (withheld)=8274"
        " | valor by status: pago=10032, aberto=4914"
        " | valor by month(data): 2026-01=5013, 2026-02=5139, 2026-03=4794"
        " | not shown: data MIN, data MAX, valor MIN, valor MAX (small groups)\n"
        "\n"
        "## REPORT DATA\n"
        "No rows: groups of fewer than 5 rows are withheld.\n"
    )


def test_of_a_band_with_few_rows_only_that_is_told():
    snapshot = materialize({"vendas": rows_of({("SP", "pago"): 4}), "outros": rows_of({("RJ", "pago"): 9})})
    text = context(snapshot)
    assert (
        "### vendas (fewer than 5 rows)\nFields: uf (text), status (text), data (date), valor (number)\n"
        in text
    )
    assert "### outros (9 rows)" in text
    facts = FactLedger.of_profile(withhold(snapshot, Disclosure(5)))
    assert {fact.band for fact in facts} == {"outros"}


def test_no_row_travels_whatever_excerpt_is_given():
    snapshot = materialize({"vendas": rows_of(SALES, segredo="canario")})
    for section in ("all", "data"):
        assert "2026-01-01" not in context(snapshot, section=section)


def test_single_cells_do_not_stand_in_warnings():
    snapshot = materialize(
        {"b": [{"x": f"{at},5", "nome": "a"} for at in range(20)] + [{"x": "canario", "nome": "A"}]}
    )
    assert any("canario" in one.sample for one in snapshot.profile.warnings)
    profile = withhold(snapshot, Disclosure(5))
    assert profile.warnings
    assert not any("canario" in one.message or one.sample or one.count for one in profile.warnings)


@pytest.mark.parametrize(
    ("stated", "shown"),
    [
        pytest.param(ReportAggregate("t", "14946", "SUM", "vendas", "valor"), "- t: 14946", id="a total"),
        pytest.param(
            ReportAggregate("t", "3", "COUNT", "vendas", None, '{"field":"uf","op":"=","value":"MG"}', 3),
            "- t: (withheld)",
            id="a small group",
        ),
        pytest.param(
            ReportAggregate("t", "464", "MAX", "vendas", "valor"), "- t: (withheld)", id="a single row"
        ),
        pytest.param(
            ReportAggregate("t", "99", None, None, None), "- t: (withheld)", id="of nobody knows what"
        ),
    ],
)
def test_what_the_report_states_is_withheld_alike(stated, shown):
    snapshot = materialize({"vendas": rows_of(SALES)})
    snapshot = replace(snapshot, profile=replace(profile_snapshot(snapshot), aggregates=(stated,)))
    assert f"## REPORT AGGREGATES\n{shown}\n" in context(snapshot)


def test_the_same_disclosure_gives_the_same_profile():
    snapshot, disclosure = materialize({"vendas": rows_of(SALES)}), Disclosure(5)
    first = withhold(snapshot, disclosure)
    assert withhold(snapshot, disclosure) is first
    assert withhold(snapshot, Disclosure.from_bytes(disclosure.to_bytes())) == first
