"""A report is processed with what its reader chose: its name, filters and aggregates stand beside the facts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import engine
from datasources.definition import parse_definition
from datasources.exceptions import ParameterError, SourceNotFound
from engine import QueryError, ReportAggregate, ReportInfo, open_snapshot, process_report, save_snapshot

ROWS = [
    {"uf": "SP", "valor": "1.200,50", "aliquota": "5,0", "dia": "13/01/2026"},
    {"uf": "RJ", "valor": "10,00", "aliquota": "7,5", "dia": "14/01/2026"},
    {"uf": "SP", "valor": "x", "aliquota": "6,0", "dia": "15/02/2026"},
]
PARAMETERS = [
    {"id": "inicio", "label": "Início", "type": "date", "defaultValue": "01/01/2026"},
    {"id": "uf", "type": "multiselect", "options": ["SP", "RJ"]},
    {"id": "nota", "type": "text"},
]
FIELDS = [{"name": "valor", "type": "number", "unit": "R$"}]


def definition(aggregates=(), fields=FIELDS, records=ROWS, **others):
    return parse_definition(
        json.dumps(
            {
                "id": "r",
                "name": "Relatório",
                "description": "De teste.",
                "locale": "pt-BR",
                "parameters": PARAMETERS,
                "datasources": {"d": {"kind": "inline", "records": records}},
                "bands": [{"name": "vendas", "datasource": "d", "fields": list(fields)}],
                "aggregates": list(aggregates),
                **others,
            }
        )
    )


def aggregates_of(*elements, **options):
    return stated(process_report(definition(elements, **options)).profile.aggregates)


def stated(aggregates):
    """What the aggregates say, without what they are about."""
    return tuple(ReportAggregate(one.id, one.value) for one in aggregates)


def total(**others):
    return {"id": "total", "band": "vendas", "verb": "SUM", "field": "valor", **others}


def test_the_profile_says_what_the_report_is_and_what_was_chosen():
    profile = process_report(definition(), {"uf": ["RJ", "SP"], "nota": ""}).profile
    assert profile.info == ReportInfo("Relatório", "r", "De teste.")
    assert [(one.label, one.id, one.type, one.text, one.note) for one in profile.filters] == [
        ("Início", "inicio", "date", "2026-01-01", "default"),
        (None, "uf", "multiselect", "SP, RJ", None),
        (None, "nota", "text", "(all)", None),
    ]


def test_aggregates_are_computed_over_the_full_data_and_stand_in_order():
    found = aggregates_of(
        total(),
        total(id="sp", where={"field": "uf", "op": "=", "value": "SP"}, decimals=0),
        {"id": "linhas", "band": "vendas", "verb": "COUNT"},
        {"id": "media", "band": "vendas", "verb": "AVG", "field": "aliquota"},
        {"id": "ultimo", "band": "vendas", "verb": "MAX", "field": "dia"},
    )
    assert found == (
        ReportAggregate("total", "1210.50"),
        ReportAggregate("sp", "1200"),
        ReportAggregate("linhas", "3"),
        ReportAggregate("media", "6.17"),
        ReportAggregate("ultimo", "2026-02-15"),
    )


def test_an_aggregate_without_cells_is_null_with_a_warning():
    made = definition([total(where={"field": "uf", "op": "=", "value": "AC"})])
    profile = process_report(made).profile
    assert stated(profile.aggregates) == (ReportAggregate("total", None),)
    (warning,) = [one for one in profile.warnings if one.code == "empty_aggregate"]
    assert (warning.band, warning.field) == ("vendas", "valor")
    assert warning.message == "The aggregate total has no cells to take the SUM of, and is null."


@pytest.mark.parametrize(
    ("element", "message"),
    [
        pytest.param(
            total(field="aliquota"),
            "The aggregate total: “aliquota” is a percentage, so its sum makes no sense: use AVG, MIN or MAX, "
            "or declare its role.",
            id="rate",
        ),
        pytest.param(
            total(field="valr"),
            'The aggregate total: Field "valr" does not exist. Available fields: uf, valor, aliquota, dia.'
            ' Did you mean "valor"?',
            id="field",
        ),
        pytest.param(
            total(where={"field": "UF", "op": "=", "value": "SP"}),
            'The aggregate total: Field "UF" does not exist. Available fields: uf, valor, aliquota, dia.'
            ' Did you mean "uf"?',
            id="field of a filter",
        ),
        pytest.param(
            total(where={"field": "dia", "op": "=", "value": "7"}),
            "The aggregate total: “dia” is a date, and “7” is not one: write 2026-04-05, 05/04/2026, 2026-04 or 2026."
            " Or declare the type of “dia” in the fields of the band vendas.",
            id="value",
        ),
    ],
)
def test_an_aggregate_that_the_data_do_not_allow_is_named(element, message):
    with pytest.raises(QueryError) as raised:
        aggregates_of(element)
    assert raised.value.message == message


def test_a_declared_role_lets_a_sum_be_taken():
    fields = [*FIELDS, {"name": "aliquota", "role": "measure"}]
    assert aggregates_of(total(field="aliquota"), fields=fields) == (ReportAggregate("total", "18.5"),)


def test_what_a_declared_type_leaves_out_is_a_warning():
    warnings = process_report(definition()).profile.warnings
    assert [(one.code, one.band, one.field, one.count, one.sample) for one in warnings] == [
        ("declared_mismatch", "vendas", "valor", 1, ("x",)),
        ("idle_parameter", None, None, None, ("2026-01-01",)),
    ]


def test_report_aggregates_stand_before_the_total_rows_of_the_data(tmp_path):
    (tmp_path / "v.csv").write_text("uf;valor\nSP;1,50\nRJ;2,50\nTotal;4,00\n")
    made = definition([total()], datasources={"d": {"kind": "file", "root": "data", "path": "v.csv"}})
    profile = process_report(made, roots={"data": tmp_path}).profile
    assert [(one.id, one.value) for one in profile.aggregates] == [
        ("total", "4.00"),
        ("total.vendas.valor", "4.00"),
    ]


def test_a_merged_band_answers_to_its_own_name():
    made = definition(
        [total(id="a", band="um"), total(id="b", band="dois")],
        bands=[{"name": name, "datasource": "d", "fields": FIELDS} for name in ("um", "dois")],
    )
    snapshot = process_report(made)
    assert [band.name for band in snapshot.bands] == ["um+dois"]
    assert [one.value for one in snapshot.profile.aggregates] == ["1210.50", "1210.50"]


def test_parameters_are_checked_before_anything_is_read():
    made = definition(datasources={"d": {"kind": "memory", "name": "q"}})
    with pytest.raises(ParameterError, match="regiao"):
        process_report(made, {"regiao": "Sul"})
    with pytest.raises(SourceNotFound, match=r"^The datasource d could not be read: "):
        process_report(made)


def test_frames_are_handed_in_by_name():
    made = definition([total()], datasources={"d": {"kind": "memory", "name": "q"}})
    snapshot = process_report(made, frames={"q": ROWS})
    assert stated(snapshot.profile.aggregates) == aggregates_of(total())


def test_the_same_report_and_values_have_the_same_id_and_facts():
    one, two = process_report(definition([total()])), process_report(definition([total()]))
    assert engine.snapshot_id(one) == engine.snapshot_id(two)
    assert one.profile == two.profile


def test_a_stored_snapshot_keeps_what_the_report_says(tmp_path):
    snapshot = process_report(
        definition([total(), total(id="nada", where={"field": "uf", "op": "=", "value": "AC"})]),
        {"uf": "SP,RJ"},
    )
    opened = open_snapshot(save_snapshot(snapshot, tmp_path / "r.json"))
    assert opened.profile == snapshot.profile
    assert [field.label for field in opened.profile.bands[0].fields] == [None] * 4


def test_a_small_report_without_filters_needs_no_database():
    program = (
        "import json, sys; from datasources.definition import parse_definition; from engine import process_report;"
        "process_report(parse_definition(sys.argv[1]));"
        "print([name for name in ('duckdb', 'polars', 'pyarrow', 'numpy', 'sqlglot') if name in sys.modules])"
    )
    document = {
        "id": "r",
        "name": "R",
        "datasources": {"d": {"kind": "inline", "records": [{"valor": "1,50"}]}},
        "bands": [{"name": "vendas", "datasource": "d"}],
        "aggregates": [total()],
    }
    run = subprocess.run(
        [sys.executable, "-c", program, json.dumps(document)],
        cwd=Path(engine.__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("records", [[], [{"x": None}, {"x": None}]], ids=["no rows", "no cells"])
def test_what_a_reader_chose_may_leave_nothing_to_sum(records):
    """An empty period is no mistake of the report: its sum is null, with a warning."""
    document = {
        "id": "r",
        "name": "R",
        "datasources": {"s": {"kind": "inline", "records": records}},
        "bands": [{"name": "b", "datasource": "s"}],
        "aggregates": [
            {"id": "total", "band": "b", "verb": "SUM", "field": "x"},
            {"id": "rows", "band": "b", "verb": "COUNT"},
        ],
    }
    profile = process_report(parse_definition(json.dumps(document)), {}).profile
    assert [(one.id, one.value) for one in profile.aggregates] == [
        ("total", None),
        ("rows", str(len(records))),
    ]
    assert [one.code for one in profile.warnings] == ["empty_aggregate"]
