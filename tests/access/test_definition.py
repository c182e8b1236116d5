"""What access rules have wrong is said when their report is checked, with its path."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import engine
from datasources.definition import definition_text, parse_definition, schema_text
from datasources.exceptions import DefinitionError
from lastro.cli import main

RESTRITO = Path(__file__).parents[2] / "examples" / "restrito"
TEXT = {
    "kind": "file", "root": "data", "path": "v.csv", "encoding": "utf-8", "delimiter": ";", "header": True,
    "totals": "none",
}  # fmt: skip
FIELDS = [
    {"name": "uf"},
    {"name": "valor", "type": "number"},
    {"name": "ativo", "type": "boolean"},
    {"name": "cpf", "pii": "cpf"},
]
BASE = {
    "id": "r",
    "name": "R",
    "datasources": {"d": TEXT, "j": {"kind": "inline", "records": []}},
    "bands": [
        {"name": "b", "datasource": "d", "fields": FIELDS},
        {"name": "j", "datasource": "j", "fields": [{"name": "uf"}]},
        {"name": "fixo"},
    ],
}


def row(where, band="b"):
    return {"rows": [{"band": band, "where": where}]}


def column(**keys):
    return {"band": "b", "field": "uf", "action": "hide", **keys}


IS_SOUTH = {"field": "uf", "op": "=", "value": "RS"}


@pytest.mark.parametrize(
    ("access", "expected"),
    [
        pytest.param(
            {"rows": [*row(IS_SOUTH)["rows"], *row({"field": "uf", "op": "is_null"})["rows"]]},
            'access.rows[1].band: found "b", which access.rows[0] is about too; join the two by "and".',
            id="two row rules",
        ),
        pytest.param(
            {"columns": [column(), column(field="UF\u200b", action="mask")]},
            'access.columns[1].field: found "UF\u200b", which access.columns[0] is about too; a field is hidden, or'
            " masked in one way.",
            id="hide and mask",
        ),
        pytest.param(
            {"columns": [column(field="cpf", action="mask", mask="name")]},
            'access.columns[0].mask: found "name", and the field is declared cpf; it is masked in one way.',
            id="two masks",
        ),
        pytest.param(
            {"columns": [column(mask="cpf")]},
            "access.columns[0]: a field that is hidden has no mask: take mask out, or say action mask.",
            id="a mask of nothing",
        ),
        pytest.param(
            row(IS_SOUTH, "bb"), 'access.rows[0].band: found "bb": did you mean b?', id="no such band"
        ),
        pytest.param(
            {"columns": [column(band="fixo")]},
            'access.columns[0].band: found "fixo", a band without a datasource; it has no rows.',
            id="a band without rows",
        ),
        pytest.param(
            row({"field": "sigla", "op": "=", "value": "RS"}, "j"),
            "access.rows[0].where: “sigla” is not declared, and records name no columns; declare the field in its"
            " band.",
            id="a field of records",
        ),
        pytest.param(
            row({"field": "uf", "op": ">", "value": "RS"}),
            "access.rows[0].where: “uf” has no declared type, and texts have no order that is meant; declare the type"
            " in its band.",
            id="order of texts",
        ),
        pytest.param(
            row({"field": "valor", "op": "contains", "value": {"viewer": "x"}}),
            "access.rows[0].where: contains looks into texts, and “valor” is declared number.",
            id="into numbers",
        ),
        pytest.param(
            row({"field": "ativo", "op": ">", "value": True}),
            "access.rows[0].where: “ativo” is declared boolean, and > needs an order.",
            id="order of booleans",
        ),
        pytest.param(
            row({"and": [{"field": "uf", "op": "in", "value": {"viwer": "ufs"}}]}),
            'access.rows[0].where.and[0].value: found {"viwer": "ufs"}; allowed is a text, a number, true or false, or'
            ' a list of them, or {"viewer": …} with the name of an attribute.',
            id="no attribute",
        ),
        pytest.param(
            row({"field": "uf", "op": "is_null", "value": {"viewer": "x"}}),
            "access.rows[0].where: is_null takes no value, or false for the opposite.",
            id="null of an attribute",
        ),
        pytest.param(
            row({"field": "uf", "op": "in", "value": "RS"}),
            "access.rows[0].where: in takes a list.",
            id="no list",
        ),
        pytest.param(
            row({"or": []}), "access.rows[0].where.or: is empty; at least one entry is needed.", id="empty"
        ),
        pytest.param(
            {"columns": [column(action="hid")]},
            'access.columns[0].action: found "hid"; allowed are hide and mask.',
            id="action",
        ),
        pytest.param(
            {"colums": []}, "access.colums: is not a known key here; did you mean columns?", id="key"
        ),
        pytest.param(
            {"small_groups": 1}, "access.small_groups: found 1; allowed is at least 2.", id="groups of one"
        ),
        pytest.param(
            {"columns": [column(except_roles=[7])]},
            "access.columns[0].except_roles[0]: found 7; allowed is a text.",
            id="roles",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_path(access, expected):
    with pytest.raises(DefinitionError) as caught:
        parse_definition(json.dumps(BASE | {"access": access}))
    assert [str(problem) for problem in caught.value.problems] == [expected]


def test_too_many_conditions():
    with pytest.raises(DefinitionError, match="at most 50 conditions"):
        parse_definition(json.dumps(BASE | {"access": row({"and": [IS_SOUTH] * 50})}))


def test_rules_are_written_as_they_are_read():
    text = (RESTRITO / "restrito.report.json").read_text("utf-8")
    definition = parse_definition(text)
    written = definition_text(definition)
    assert parse_definition(written) == definition
    assert json.loads(written) == json.loads(text)
    jsonschema.validate(json.loads(text), json.loads(schema_text()))


def test_an_aggregate_over_what_is_not_seen_is_null_whatever_the_data(tmp_path):
    from datasources.access import Viewer
    from datasources.mask_key import MaskKey
    from engine import process_report

    def total(name, **keys):
        return {"id": name, "band": "b", "verb": "SUM", "field": "valor", **keys}

    document = BASE | {
        "aggregates": [
            total("aberto"),
            total("oculto", field="salario"),
            total("quase", field="SALARIO\u200b"),
            total("filtrado", where={"field": "cpf", "op": "=", "value": "111.444.777-35"}),
        ],
        "access": {"columns": [{"band": "b", "field": "salario", "action": "hide", "except_roles": ["rh"]}]},
    }
    definition = parse_definition(json.dumps(document))
    key = MaskKey.derive(b"0123456789abcdef0123456789abcdef", "w1")
    for salary in ("10", "muito", ""):
        (tmp_path / "v.csv").write_text(f"uf;valor;ativo;cpf;salario\nRS;7;sim;111.444.777-35;{salary}\n")
        profile = process_report(
            definition, roots={"data": tmp_path}, viewer=Viewer("ana", "w1"), key=key
        ).profile
        assert [(one.id, one.value, one.field) for one in profile.aggregates] == [
            ("aberto", "7", "valor"), ("oculto", None, None), ("quase", None, None), ("filtrado", None, None),
        ]  # fmt: skip
        assert [(one.code, one.band, one.field) for one in profile.warnings] == [
            ("withheld_aggregate", "b", None)
        ] * 3


# ---- the command ----


def run(capsys, *words):
    status = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return status, out, err


def asked(viewer="vendedora"):
    return ("--viewer", RESTRITO / "viewers" / f"{viewer}.json", "--mask-secret", RESTRITO / "segredo.txt")


def test_the_command_shows_what_a_viewer_may_see(capsys):
    status, out, _ = run(capsys, "context", RESTRITO / "restrito.report.json", *asked())
    assert status == 0
    assert "### metas (1 row)" in out
    assert "Norte" not in out
    assert "comissao" not in out.partition("## REPORT AGGREGATES")[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param((), "has access rules: say for which viewer", id="nobody"),
        pytest.param(asked()[:2], "give the key of the workspace's masks", id="no secret"),
        pytest.param(asked()[2:], "--mask-secret goes with --viewer", id="a secret for nobody"),
    ],
)
def test_the_command_says_what_is_missing(capsys, words, said):
    status, out, err = run(capsys, "context", RESTRITO / "restrito.report.json", *words)
    assert (status, out) == (2, "")
    assert said in err


def test_a_viewer_goes_with_a_report(capsys):
    status, _, err = run(capsys, "context", RESTRITO / "vendas.csv", *asked())
    assert status == 2
    assert "--viewer goes with the definition of a report" in err


def test_a_small_report_with_rules_needs_no_library_of_tables(tmp_path):
    program = (
        "import sys; from pathlib import Path; from lastro.cli import main; main(sys.argv[1:]);"
        "print([name for name in ('duckdb', 'polars', 'pyarrow', 'numpy') if name in sys.modules])"
    )
    words = ["context", RESTRITO / "restrito.report.json", *asked(), "--out", tmp_path / "c.txt"]
    found = subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        cwd=Path(engine.__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "[]"
