"""What a reader chose becomes values in declared order; everything that is wrong is said at once."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from datasources.elements import ReportDefinition
from datasources.exceptions import DefinitionError, ParameterError
from datasources.parameters import resolve

PARAMETERS: list[dict[str, object]] = [
    {
        "id": "dataInicio",
        "label": "Data Início",
        "type": "date",
        "required": True,
        "defaultValue": "01/01/2026",
    },
    {"id": "cliente", "type": "text", "required": True},
    {"id": "regiao", "label": "Região", "type": "select", "options": ["Norte", "Sul"], "required": True},
    {"id": "minimo", "type": "number", "defaultValue": 10.5},
    {"id": "status", "type": "multiselect", "options": ["aberto", "pago"]},
]


def definition(*parameters: dict[str, object], locale: str | None = None) -> ReportDefinition:
    return ReportDefinition.model_validate(
        {
            "id": "r",
            "name": "R",
            "locale": locale,
            "parameters": list(parameters),
            "datasources": {"x": {"kind": "memory", "name": "x"}},
            "bands": [{"name": "x", "datasource": "x"}],
        }
    )


def test_values_come_in_declared_order_with_where_they_come_from():
    values = resolve(
        definition(*PARAMETERS), {"status": "pago,aberto", "regiao": "Sul", "cliente": "Ana", "minimo": ""}
    )
    assert [(one.parameter.id, one.value, one.text, one.source) for one in values] == [
        ("dataInicio", date(2026, 1, 1), "2026-01-01", "default"),
        ("cliente", "Ana", "Ana", "given"),
        ("regiao", "Sul", "Sul", "given"),
        ("minimo", Decimal("10.5"), "10.5", "default"),
        ("status", ("aberto", "pago"), "aberto, pago", "given"),
    ]
    assert values["status"].value == ("aberto", "pago")
    assert len(values) == 5


def test_an_optional_one_without_default_is_unset():
    values = resolve(definition({"id": "a", "type": "text"}), {"a": None})
    assert (values["a"].value, values["a"].text, values["a"].source) == (None, "", "unset")


@pytest.mark.parametrize("sent", ["false", 0, False])
def test_false_and_zero_are_values(sent):
    values = resolve(
        definition({"id": "a", "type": "boolean", "defaultValue": True, "required": True}), {"a": sent}
    )
    assert (values["a"].value, values["a"].source) == (False, "given")


def test_everything_that_is_wrong_is_said_at_once():
    with pytest.raises(ParameterError) as caught:
        resolve(definition(*PARAMETERS), {"Regiao": "Sul", "minimo": "muito", "x": 1, "status": "pagos"})
    assert [(problem.path, problem.message) for problem in caught.value.problems] == [
        ("Regiao", 'There is no parameter "Regiao": did you mean regiao?'),
        ("x", 'There is no parameter "x": allowed are dataInicio, cliente, regiao, minimo and status.'),
        ("cliente", "cliente is required: give it a value."),
        ("regiao", "regiao (Região) is required: give it a value."),
        ("minimo", 'minimo is "muito": send a number, such as 1234.5 or 1.234,50.'),
        ("status", 'status is "pagos", which is not an option: did you mean pago?'),
    ]
    assert all(problem.message in caught.value.message for problem in caught.value.problems)


def test_a_report_without_parameters_takes_none():
    assert len(resolve(definition(), {})) == 0
    with pytest.raises(ParameterError, match="takes none"):
        resolve(definition(), {"a": 1})


def test_the_locale_of_the_report_decides():
    number: dict[str, object] = {"id": "a", "type": "number"}
    assert resolve(definition(number, locale="pt-BR"), {"a": "1.234"})["a"].value == 1234
    with pytest.raises(ParameterError, match="declare the report's locale"):
        resolve(definition(number), {"a": "1.234"})


def test_a_default_of_another_type_is_the_definitions_fault():
    wrong = definition({"id": "a", "type": "date", "defaultValue": "sempre"})
    with pytest.raises(DefinitionError, match=r"parameters\[0\]\.defaultValue: the default is \"sempre\""):
        resolve(wrong, {})


def test_a_long_value_is_not_repeated():
    with pytest.raises(ParameterError) as caught:
        resolve(definition({"id": "a", "type": "number"}), {"a": "x" * 5_000})
    assert len(caught.value.message) < 200
