"""Templates know the name of a declared parameter and nothing else."""

from __future__ import annotations

import pytest

from datasources.elements import ReportDefinition
from datasources.exceptions import DefinitionError
from datasources.placeholders import check, names_in

PARAMETERS = [
    {"id": "a", "type": "text"},
    {"id": "regiao", "type": "select", "options": ["Norte", "Sul"], "required": True},
    {"id": "ano", "type": "select", "options": ["2025", "2026"], "defaultValue": "2026"},
    {"id": "solta", "type": "select", "options": ["x"]},
    {"id": "lista", "type": "multiselect", "options": ["x", "y"], "required": True},
    {"id": "funda", "type": "select", "options": ["ok", "../etc"], "required": True},
    {"id": "oculta", "type": "select", "options": [".ssh"], "required": True},
    {"id": "padrao", "type": "select", "options": ["*"], "required": True},
    {"id": "disco", "type": "select", "options": ["C:"], "required": True},
]


def definition(source: dict[str, object]) -> ReportDefinition:
    return ReportDefinition.model_validate(
        {
            "id": "r",
            "name": "R",
            "parameters": PARAMETERS,
            "datasources": {"x": source},
            "bands": [{"name": "x", "datasource": "x"}],
        }
    )


def query(text: str) -> ReportDefinition:
    return definition({"kind": "sql", "connection": "c", "query": text})


def path(text: str) -> ReportDefinition:
    return definition({"kind": "file", "root": "dados", "path": text})


def test_names_come_in_order_of_appearance():
    assert names_in("{{b}} {{ a }} {{b}} {{1}} {a} {{a.b}}") == ("b", "a", "b")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "SELECT * FROM t WHERE a = {{a}} AND b = '{{ a }}' OR c LIKE '%{{a}}%'",
        "SELECT '{\"x\": 1}', '100%', '$1', '#', '{ % }'",
        "SELECT ARRAY[{{a}},{{a}}]",
    ],
)
def test_queries_with_declared_names_pass(text):
    check(query(text))


ATTACKS = [
    "{{a.b}}",
    "{{a['b']}}",
    "{{a()}}",
    "{{a|safe}}",
    "{{a + 1}}",
    "{{7*7}}",
    "{{}}",
    "{{ }}",
    "{{''.__class__}}",
    "{{config}}",
    "{{b}}",
    "{{A}}",
    "{{ã}}",
    "{{a b}}",
    "{{{a}}}",
    "{{{{a}}}}",
    "{{a}}}",
    "{{{a}}",
    "{{a}}}}",
    "{{a",
    "a}}",
    "{{{{a}}",
    "{{a{{a}}}}",
    "{% if a %}x{% endif %}",
    "{%a%}",
    "${a}",
    "${{a}}",
    "${jndi:ldap://x/y}",
    "{{a}} {{a!r}}",
    "{{__import__('os')}}",
    "{{" + "a" * 65 + "}}",
]


@pytest.mark.parametrize("text", ATTACKS)
def test_everything_else_that_looks_like_a_template_is_refused(text):
    for place, attacked in (("query", query(f"SELECT {text}")), ("path", path(text))):
        with pytest.raises(DefinitionError) as caught:
            check(attacked)
        assert caught.value.problems[0].path == f"datasources.x.{place}"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        pytest.param(
            {"description": "desde {{a}}"},
            'description: found "{{a}}"; parameters are replaced in',
            id="text",
        ),
        pytest.param(
            {"name": "{% if a %}"}, 'name: found "{% if a %}"; parameters are replaced in', id="name"
        ),
        pytest.param(
            {
                "aggregates": [
                    {
                        "id": "total",
                        "band": "b",
                        "verb": "COUNT",
                        "where": {"and": [{"field": "dia", "op": ">=", "value": "{{a}}"}]},
                    }
                ]
            },
            'aggregates[0].where.and[0].value: found "{{a}}"; parameters are replaced in paths and queries only: '
            "compare with the parameter in the query of the datasource.",
            id="where",
        ),
    ],
)
def test_a_template_where_nothing_is_replaced_is_refused(change, problem):
    document = {**query("SELECT {{a}}").model_dump(by_alias=True, exclude_none=True), **change}
    document["bands"] = [{"name": "b", "datasource": "x", "fields": []}]
    with pytest.raises(DefinitionError) as caught:
        check(ReportDefinition.model_validate(document))
    assert str(caught.value.problems[0]).startswith(problem)


def test_cells_of_inline_records_are_data():
    document = {
        "id": "r",
        "name": "R",
        "datasources": {"x": {"kind": "inline", "records": [{"a": "{{a}}"}]}},
        "bands": [{"name": "b", "datasource": "x"}],
    }
    check(ReportDefinition.model_validate(document))


def test_an_unknown_name_is_told_the_nearest():
    with pytest.raises(DefinitionError, match=r"found {{regiaoo}}: did you mean regiao\?"):
        check(query("SELECT {{regiaoo}}"))


@pytest.mark.parametrize(
    "text", ["vendas.csv", "a/b/c.csv", "{{regiao}}/vendas.csv", "{{ ano }}/{{regiao}}", "a b/ç.csv"]
)
def test_paths_below_the_root_pass(text):
    check(path(text))


@pytest.mark.parametrize(
    "text",
    [
        "../x",
        "a/../../x",
        "a/./b",
        "/etc/passwd",
        "//host/x",
        "a//b",
        "a/",
        "..",
        "~/x",
        "C:/x",
        "c:x",
        "a\\..\\x",
        "http://host/x",
        "a\x00b",
        "a\nb",
        "{{a}}/x",
        "{{solta}}/x",
        "{{lista}}/x",
        "{{funda}}/x",
        "{{oculta}}/x",
        "{{padrao}}/x",
        "{{disco}}/x",
        "x-{{regiao}}/y",
        "{{regiao}}.csv",
        "{{regiao}}{{ano}}",
    ],
)
def test_paths_that_could_lead_elsewhere_are_refused(text):
    with pytest.raises(DefinitionError) as caught:
        check(path(text))
    assert {problem.path for problem in caught.value.problems} == {"datasources.x.path"}


def test_other_sources_have_no_templates():
    check(definition({"kind": "inline", "records": [{"a": "{{x}} {% y %}"}]}))
