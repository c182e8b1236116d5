"""What a report compares with words is text, whichever rows a reader's choice has left."""

from __future__ import annotations

import json

import pytest

from engine import QueryError, process_report
from engine.compared import is_word

ALL = "codigo;valor\nA1;1\n7;2\n8;4\n"
SEVENS = "codigo;valor\n7;2\n8;4\n"
NOTHING = "codigo;valor\n;2\n"


def processed(folder, text, where, *, verb="SUM", field="valor", fields=()):
    from datasources.definition import parse_definition

    (folder / "d.csv").write_text(text)
    aggregate = {"id": "total", "band": "v", "verb": verb, "field": field, "where": where}
    document = {
        "id": "r", "name": "R", "aggregates": [aggregate],
        "datasources": {"d": {"kind": "file", "root": "data", "path": "d.csv", "delimiter": ";"}},
        "bands": [{"name": "v", "datasource": "d", "fields": list(fields)}],
    }  # fmt: skip
    return process_report(parse_definition(json.dumps(document)), roots={"data": folder}).profile


def condition(op, value, field="codigo"):
    return {"field": field, "op": op, "value": value}


@pytest.mark.parametrize(
    ("where", "of_all", "of_sevens"),
    [
        pytest.param(condition("=", "A1"), "1", None, id="="),
        pytest.param(condition("!=", "A1"), "6", "6", id="!="),
        pytest.param(condition("in", ["A1", "7"]), "3", "2", id="in, a word and a number"),
        pytest.param(condition("not_in", ["A1", "7"]), "4", "4", id="not_in"),
        pytest.param(condition("starts_with", "7"), "2", "2", id="starts_with"),
        pytest.param(condition("contains", "A"), "1", None, id="contains"),
        pytest.param(condition("<", "A"), "6", "6", id="order"),
        pytest.param(condition("between", ["7", "Z"]), "7", "6", id="between"),
        pytest.param(condition("=", "007"), None, None, id="leading zeros"),
        pytest.param(condition("=", "1234567890123456"), None, None, id="16 digits"),
        pytest.param({"or": [condition("=", "A1"), condition("=", "7")]}, "3", "2", id="in a tree"),
    ],
)
def test_the_rows_that_are_left_change_no_type(tmp_path, where, of_all, of_sevens):
    for text, expected in ((ALL, of_all), (SEVENS, of_sevens), (NOTHING, None)):
        profile = processed(tmp_path, text, where)
        assert profile.bands[0].fields[0].type == "text"
        assert profile.aggregates[0].value == expected


def test_a_field_that_could_be_something_else_is_a_warning(tmp_path):
    profile = processed(tmp_path, SEVENS, condition("=", "A1"))
    assert [(one.code, one.field) for one in profile.warnings if one.code != "empty_aggregate"] == [
        ("compared_as_text", "codigo")
    ]
    assert "cells read as numbers: declare the type" in profile.warnings[0].message
    assert processed(tmp_path, ALL, condition("=", "A1")).warnings == ()


@pytest.mark.parametrize(
    ("text", "where", "options", "expected"),
    [
        pytest.param(SEVENS, condition("=", "7"), {}, "number", id="compared with a number"),
        pytest.param("codigo;valor\n05/04/2026;2\n", condition(">", "2026-03"), {}, "date", id="with a month"),
        pytest.param("codigo;valor\ntrue;2\n", condition("=", "sim"), {}, "boolean", id="with a boolean"),
        pytest.param(
            SEVENS, condition("=", "7"), {"fields": [{"name": "codigo", "type": "text"}]}, "text", id="declared"
        ),
        pytest.param(
            "codigo;valor\n0,5;2\n", condition("is_null", False), {}, "number", id="asked only whether it is empty"
        ),
    ],
)  # fmt: skip
def test_a_field_that_is_compared_with_its_own_kind_keeps_its_type(tmp_path, text, where, options, expected):
    assert processed(tmp_path, text, where, **options).bands[0].fields[0].type == expected


@pytest.mark.parametrize(
    ("text", "where", "options", "said"),
    [
        pytest.param(
            SEVENS, condition("=", "2026-01-02"), {},
            ["The aggregate total: “codigo” is a number", "Or declare the type of “codigo” in the fields"],
            id="a number compared with a date",
        ),
        pytest.param(
            SEVENS, condition("=", "sim"), {}, ["Or declare the type of “codigo”"], id="with what reads as a boolean"
        ),
        pytest.param(SEVENS, condition("=", "x", "valor"), {}, ["“valor” is a number"], id="a field that is summed"),
        pytest.param(
            SEVENS, condition("=", "x"), {"fields": [{"name": "codigo", "type": "number"}]},
            ["“codigo” is a number, and “x” is not one"], id="declared",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_decided_names_the_aggregate(tmp_path, text, where, options, said):
    with pytest.raises(QueryError) as raised:
        processed(tmp_path, text, where, **options)
    assert all(part in raised.value.message for part in said)
    assert ("declare the type" in raised.value.message) == ("declare the type" in said[-1])


def test_a_native_column_keeps_its_type():
    from datasources.definition import parse_definition

    document = {
        "id": "r", "name": "R", "bands": [{"name": "v", "datasource": "d"}],
        "datasources": {"d": {"kind": "inline", "records": [{"codigo": 7}, {"codigo": 8}]}},
        "aggregates": [{"id": "n", "band": "v", "verb": "COUNT", "where": condition("=", "A1")}],
    }  # fmt: skip
    with pytest.raises(QueryError, match="The aggregate n: “codigo” is a number"):
        process_report(parse_definition(json.dumps(document)))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("faturado", True), ("", True), ("-", True), ("1E5", True), ("1 2", True), ("00", True), ("1,2,3", True),
        ("0", False), ("-1", False), ("R$ 1,50", False), ("12,5%", False), ("1.234", False), ("123456789012345", False),
        ("2026", False), ("2026-04", False), ("04/2026", False), ("05/04/2026", False), ("20260405", False),
        ("2026-04-05T10:00:00", False), ("true", False), ("S", False), ("não", False), (" 7 ", False),
    ],
)  # fmt: skip
def test_words(value, expected):
    assert is_word(value) is expected
