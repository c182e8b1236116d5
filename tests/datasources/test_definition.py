"""A definition that is wrong is told where, what was found and what is allowed; a right "
"one keeps every digit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.definition import definition_text, parse_definition, read_definition, schema_text
from datasources.definition_problems import _FORMS
from datasources.exceptions import DefinitionError, SourceNotFound, SourceUnreadable

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "report_definition.md").read_text("utf-8")
EXAMPLE = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)[0]

BASE: dict[str, Any] = {
    "id": "r",
    "name": "R",
    "parameters": [{"id": "a", "type": "text"}],
    "datasources": {"x": {"kind": "inline", "records": [{"n": 1}]}},
    "bands": [{"name": "v", "datasource": "x"}],
}


def band(**keys: object) -> dict[str, object]:
    return {"bands": [{"name": "v", "datasource": "x", **keys}]}


def aggregate(**keys: object) -> dict[str, object]:
    return {"aggregates": [{"id": "t", "band": "v", "verb": "SUM", "field": "n", **keys}]}


def problems_of(document: str | bytes) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        parse_definition(document, source="r.report.json")
    assert caught.value.message.startswith("r.report.json is not valid: ")
    texts = [str(problem) for problem in caught.value.problems]
    for text in texts:
        assert not re.search(r"pydantic|https?:|Input should|Field required|valid string|tuple", text), text
        assert text.endswith((".", "?"))
        assert len(text) < 400
    return texts


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param(
            {"id": "../x"},
            [
                'id: found "../x"; allowed are letters, digits, _, . and -, a letter or digit first, 100 '
                "at most."
            ],
            id="id that is a path",
        ),
        pytest.param(
            {"id": "a\n"},
            [
                'id: found "a\\n"; allowed are letters, digits, _, . and -, a letter or digit first, 100 '
                "at most."
            ],
            id="id with a line break",
        ),
        pytest.param({"nme": "x"}, ["nme: is not a known key here; did you mean name?"], id="unknown key"),
        pytest.param({"public": "yes"}, ['public: found "yes"; allowed is true or false.'], id="boolean"),
        pytest.param({"format": 2}, ["format: found 2; allowed is 1."], id="format"),
        pytest.param(
            {"locale": "br asil"},
            ['locale: found "br asil"; allowed is a code such as pt-BR or en-US.'],
            id="locale",
        ),
        pytest.param({"name": ""}, ["name: is empty; at least one character is needed."], id="empty name"),
        pytest.param(
            {"name": "n" * 201}, ["name: has 201 characters; allowed are at most 200."], id="long name"
        ),
        pytest.param(
            {"page": {"margin_top": 101}},
            ["page.margin_top: found 101; allowed is at most 100."],
            id="margin",
        ),
        pytest.param({"bands": []}, ["bands: is empty; at least one entry is needed."], id="no bands"),
        pytest.param(
            {"bands": {"v": 1}}, ['bands: found {"v": 1}; allowed is a list.'], id="bands as object"
        ),
        pytest.param(
            {"datasources": {"x": {"kind": "ftp"}}},
            ['datasources.x.kind: found "ftp"; allowed are file, inline, memory and sql.'],
            id="kind of source",
        ),
        pytest.param(
            {"datasources": {"x": {}}},
            ["datasources.x.kind: is missing; allowed are file, inline, memory and sql."],
            id="no kind of source",
        ),
        pytest.param(
            {"datasources": {"x": {"kind": "sql", "conection": "c"}}},
            [
                "datasources.x.connection: is missing, and required.",
                "datasources.x.query: is missing, and required.",
                "datasources.x.conection: is not a known key here; did you mean connection?",
            ],
            id="keys of a source",
        ),
        pytest.param(
            {"datasources": {"x y": {"kind": "memory", "name": "m"}}},
            [
                'datasources["x y"]: found "x y"; allowed are letters, digits and _, no digit first, 64 '
                "at most."
            ],
            id="name of a source",
        ),
        pytest.param(
            band(fields=[{"name": "n", "type": "numeric"}]),
            [
                'bands[0].fields[0].type: found "numeric"; allowed are text, number, date, datetime and '
                "boolean."
            ],
            id="type of a field",
        ),
        pytest.param(
            band(elements=[{"type": "text", "text": 5, "x": -1, "color": "red"}, {"type": "sparkline"}]),
            [
                "bands[0].elements[0].x: found -1; allowed is at least 0.",
                'bands[0].elements[0].color: found "red"; allowed are # and six hexadecimal digits, such '
                "as #1A2B3C.",
                "bands[0].elements[0].text: found 5; allowed is a text.",
                'bands[0].elements[1].type: found "sparkline"; allowed are text, field, table, barcode '
                "and chart.",
            ],
            id="elements",
        ),
        pytest.param(
            band(elements=[{"type": "text", "text": "a", "texto": 1}]),
            ["bands[0].elements[0].texto: is not a known key here; did you mean text?"],
            id="key of an element",
        ),
        pytest.param(
            {
                "parameters": [
                    {"id": "1a", "type": "text"},
                    {"id": "b", "type": "select"},
                    {"id": "c", "type": "text", "default_Value": 1},
                ]
            },
            [
                'parameters[0].id: found "1a"; allowed are letters, digits and _, no digit first, 64 at '
                "most.",
                "parameters[1]: a parameter of type select needs options.",
                "parameters[2].default_Value: is not a known key here; did you mean defaultValue?",
            ],
            id="parameters",
        ),
        pytest.param(
            {
                "parameters": [
                    {"id": "a", "type": "date", "defaultValue": "amanhã"},
                    {"id": "a", "type": "select", "options": ["x", "", "x"], "defaultValue": "y"},
                ]
            },
            [
                'parameters[1].id: found "a", which parameters[0] is too; each needs a name of its own.',
                'parameters[0].defaultValue: the default is "amanhã": send a date, such as 2026-01-31 or '
                "31/01/2026.",
                'parameters[1].options[2]: found "x", which parameters[1].options[0] is too; each needs a '
                "text of its own.",
                "parameters[1].options[1]: found an empty text, which means unset; leave it out.",
                'parameters[1].defaultValue: the default is "y", which is not an option: allowed are x,  and x.',
            ],
            id="parameters against themselves",
        ),
        pytest.param(
            {"bands": [{"name": "v", "datasource": "x"}, {"name": "v", "datasource": "y"}]},
            [
                'bands[1].name: found "v", which bands[0] is too; each needs a name of its own.',
                'bands[1].datasource: found "y": allowed is x.',
            ],
            id="bands against the rest",
        ),
        pytest.param(
            band(fields=[{"name": "n"}, {"name": "n", "type": "date", "role": "measure"}]),
            [
                'bands[0].fields[1].name: found "n", which bands[0].fields[0] is too; each needs a name '
                "of its own.",
                'bands[0].fields[1].role: found "measure" of a field of type date; that is a role of '
                "numbers.",
            ],
            id="fields against each other",
        ),
        pytest.param(
            {
                "bands": [
                    {
                        "name": "v",
                        "elements": [{"type": "text", "text": "a"}, {"type": "field", "field": "n"}],
                    }
                ]
            },
            ["bands[0].elements[1]: the band has no datasource, so it has no fields; give it a datasource."],
            id="a field of no datasource",
        ),
        pytest.param(
            aggregate(band="vv"),
            ['aggregates[0].band: found "vv": did you mean v?'],
            id="band of an aggregate",
        ),
        pytest.param(
            aggregate(verb="MEDIAN"),
            ['aggregates[0].verb: found "MEDIAN"; allowed are SUM, AVG, COUNT, MIN and MAX.'],
            id="verb",
        ),
        pytest.param(
            aggregate(field=None), ["aggregates[0]: SUM needs a field."], id="aggregate without field"
        ),
        pytest.param(
            aggregate(
                where={
                    "and": [
                        {"field": "n", "op": "like", "value": 1},
                        {"or": [{"field": "n", "op": "in", "value": 3}]},
                    ]
                }
            ),
            [
                'aggregates[0].where.and[0].op: found "like"; allowed are =, !=, >, >=, <, <=, in, '
                "not_in, between, contains, starts_with and is_null.",
                "aggregates[0].where.and[1].or[0]: in takes a list.",
            ],
            id="conditions of a filter",
        ),
        pytest.param(
            aggregate(where={"field": "n", "op": "=", "value": {}}),
            [
                "aggregates[0].where.value: found {}; allowed is a text, a number, true or false, or a "
                "list of them."
            ],
            id="value of a condition",
        ),
        pytest.param(
            aggregate(where={"field": "n", "op": "in", "value": [1, [2]]}),
            [
                "aggregates[0].where.value: found [1, [2]]; allowed is a text, a number, true or false, "
                "or a list of them."
            ],
            id="values of a condition",
        ),
        pytest.param(
            aggregate(where=5),
            ["aggregates[0].where: found 5; allowed is an object."],
            id="filter that is none",
        ),
        pytest.param(
            aggregate(where={"and": [], "or": []}),
            [
                "aggregates[0].where.and: is empty; at least one entry is needed.",
                "aggregates[0].where.or: is not a known key here; allowed is and.",
            ],
            id="filter of two kinds",
        ),
        pytest.param(
            {"datasources": {"x": {"kind": "sql", "connection": "c", "query": "SELECT {{b}}"}}},
            ["datasources.x.query: found {{b}}: allowed is a."],
            id="placeholder",
        ),
    ],
)
def test_messages(changes, expected):
    assert problems_of(json.dumps(BASE | changes)) == expected


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("{", "it is not well-formed JSON at line 1, column 2"),
        ("[]", "found []; allowed is an object."),
        ('{"id": "a", "id": "b"}', 'the key "id" stands twice in one object.'),
        ('{"id": NaN}', "NaN is not a number in JSON."),
        ("[" * 5_000, "it is nested more than 100 levels deep."),
        ("[" * 150 + "]" * 150, "it is nested more than 100 levels deep."),
        ('{"id": ' + "1" * 5_000 + "}", "id: found 1111"),
        (b"\xff\xfe", "it is not UTF-8: save it as UTF-8."),
        ("{}", "id: is missing, and required."),
    ],
    ids=["cut", "list", "twice", "NaN", "deep and cut", "deep", "digits", "bytes", "empty"],
)
def test_what_is_no_definition_at_all(document, expected):
    assert problems_of(document)[0].startswith(expected)


def test_a_message_says_some_and_the_error_has_all():
    bands = [{"name": f"b{number}", "datasource": "y"} for number in range(9)]
    with pytest.raises(DefinitionError, match=r"… and 4 more\.$") as caught:
        parse_definition(json.dumps(BASE | {"bands": bands}))
    assert len(caught.value.problems) == 9


def test_every_pattern_of_the_models_has_words():
    def patterns(node: Any) -> Iterator[str]:
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            if key == "pattern" and isinstance(value, str):
                yield value
            elif key == "patternProperties":
                yield from value
            if isinstance(value, dict | list):
                yield from patterns(value)

    decimal = {one for one in patterns(json.loads(schema_text())) if one.startswith("^(?!")}
    assert set(patterns(json.loads(schema_text()))) - decimal == set(_FORMS)


def test_published_schema_is_that_of_the_models():
    assert (DOCS / "report.schema.json").read_text("utf-8") == schema_text()


def test_the_example_of_the_page_is_valid_and_has_the_published_shape():
    definition = parse_definition(EXAMPLE)
    jsonschema.validate(json.loads(EXAMPLE), json.loads(schema_text()))
    text = definition_text(definition)
    jsonschema.validate(json.loads(text), json.loads(schema_text()))
    assert json.loads(text) == json.loads(EXAMPLE)


def test_numbers_keep_every_digit():
    written = '{"n": 12345678901234567890.120, "m": 0.1, "k": 12345678901234567890}'
    text = json.dumps(BASE).replace('{"n": 1}', written)
    definition = parse_definition(text)
    assert written in definition_text(definition)
    (record,) = definition.datasources["x"].records  # type: ignore[union-attr]
    assert record["n"] == Decimal("12345678901234567890.120")


@pytest.mark.parametrize(
    ("number", "found"),
    [
        pytest.param("1e999", "1E+999", id="exponent"),
        pytest.param("1e38", "1E+38", id="39 digits by an exponent"),
        pytest.param("1e-39", "1E-39", id="39 decimals"),
        pytest.param("1.5e9999999999999999999999", "Infinity", id="exponent past all bounds"),
        pytest.param("9" * 20 + "." + "9" * 19, "9" * 20 + ".", id="46 digits"),
        pytest.param("1" * 5_000, "1" * 40 + "…", id="integer of thousands of digits"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("record", "path"), [('{"n": X}', "[0].n"), ('{"a b": [{"n": [1, X]}]}', '[0]["a b"][0].n[1]')]
)
def test_a_number_that_no_column_holds_is_refused_where_it_stands(number, found, record, path):
    (said,) = problems_of(json.dumps(BASE).replace('{"n": 1}', record.replace("X", number)))
    assert said.startswith(f"datasources.x.records{path}: found {found}")
    assert said.endswith("write it as a text, or with fewer digits.")


@pytest.mark.parametrize(
    "number",
    ["1e37", "-1.5e-37", "0e99999", "-0.0", "0." + "1" * 38, "9" * 38 + ".000", "9" * 3_000, "1." + "0" * 60],
)
def test_a_number_that_a_column_holds_is_taken(number):
    parse_definition(json.dumps(BASE).replace('{"n": 1}', f'{{"n": {number}}}'))


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(-(10**18), 10**18, places=9)
    | st.decimals(-1, 1, places=30)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.lists(
        st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), JSON_VALUES, max_size=4),
        max_size=4,
    )
)
def test_what_is_written_reads_back_the_same(records):
    definition = parse_definition(json.dumps(BASE))
    source = definition.datasources["x"].model_copy(update={"records": tuple(records)})
    changed = definition.model_copy(update={"datasources": {"x": source}})
    text = definition_text(changed)
    again = parse_definition(text)
    assert again == changed
    assert definition_text(again) == text


@given(JSON_VALUES)
def test_whatever_stands_somewhere_is_read_or_refused(value):
    for key in ("id", "parameters", "datasources", "bands", "aggregates", "page"):
        document = json.dumps(BASE | {key: value}, default=str)
        with suppress(DefinitionError):
            parse_definition(document)


def test_a_file_is_read_and_named(tmp_path):
    path = tmp_path / "r.report.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(BASE).encode())
    assert read_definition(path).id == "r"
    path.write_text("{}")
    with pytest.raises(DefinitionError, match=r"^r\.report\.json is not valid: id"):
        read_definition(path)


@pytest.mark.parametrize(
    ("name", "error"),
    [("none.report.json", SourceNotFound), (".", SourceNotFound), ("x" * 300, SourceUnreadable)],
    ids=["none", "folder", "long"],
)
def test_a_file_that_is_none(tmp_path, name, error):
    with pytest.raises(error):
        read_definition(tmp_path / name)


def test_an_element_has_a_finite_size():
    document = {
        "id": "r",
        "name": "R",
        "datasources": {"s": {"kind": "inline", "records": [{"a": 1}]}},
        "bands": [
            {"name": "b", "datasource": "s", "elements": [{"type": "field", "field": "a", "width": 1}]}
        ],
    }
    text = json.dumps(document).replace('"width": 1', '"width": 1e999')
    with pytest.raises(DefinitionError, match=r"bands\[0\]\.elements\[0\]\S*width"):
        parse_definition(text)
