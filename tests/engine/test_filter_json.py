"""A filter survives JSON: what was a decimal, a whole number, a text or true is that again."""

from __future__ import annotations

from decimal import Decimal

import pytest

from datasources.filters import AllOf, Condition
from engine.filter_json import filter_json, read_filter_json

TEN = Condition(field="valor", op=">", value=Decimal("10.50"))
FILTERS = [
    pytest.param(TEN, '{"field":"valor","op":">","value":{"decimal":"10.50"}}', id="decimal"),
    pytest.param(
        Condition(field="k", op="in", value=(1, "1", True, Decimal("1"))),
        '{"field":"k","op":"in","value":[1,"1",true,{"decimal":"1"}]}',
        id="four ones",
    ),
    pytest.param(Condition(field="k", op="is_null"), '{"field":"k","op":"is_null"}', id="no value"),
    pytest.param(
        Condition(field="k", op="is_null", value=False),
        '{"field":"k","op":"is_null","value":false}',
        id="false",
    ),
    pytest.param(
        AllOf.model_validate({"and": [{"or": [Condition(field="ã", op="=", value="")]}]}),
        '{"and":[{"or":[{"field":"\\u00e3","op":"=","value":""}]}]}',
        id="groups",
    ),
]


@pytest.mark.parametrize(("where", "text"), FILTERS)
def test_a_filter_survives_json(where, text):
    assert filter_json(where) == text
    back = read_filter_json(text)
    assert back == where
    assert filter_json(back) == text


@pytest.mark.parametrize("text", ["", "1", "{}", '{"field":"k"}', '{"field":"k","op":"=","value":1.5e400}'])
def test_what_is_no_filter_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 - of JSON or of Pydantic, whose words are theirs
        read_filter_json(text)
