"""A filter finds the rows that plain Python finds, whatever is in its values, and says what it cannot compare."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from datasources.filters import AllOf, AnyOf, Condition, Filter
from engine.band import type_band
from engine.cleaning import strip
from engine.exceptions import QueryError
from engine.profile import profile_bands
from engine.query.aggregate import measure_all
from engine.query.connection import open_table
from engine.query.filters import compile_filter
from engine.query.questions import Aggregate
from engine.snapshot import Snapshot
from tests.engine.small import raw_band

HOSTILE = (
    "' OR 1=1 --",
    '"; DROP TABLE band; --',
    "%",
    "_",
    "\\",
    "Sul'",
    "c0",
    "?",
    "$1",
    "NULL",
    "a\0b",
    "\ud800",
    "{{regiao}}",
    "${x}",
    "Ação 日本 \U0001f600",
    "1; SELECT * FROM read_csv('/etc/passwd')",
    "x" * 10_000,
)

COLUMNS = {
    "nome": [
        "Sul",
        "sul",
        "' OR 1=1 --",
        "%",
        "_",
        "\\",
        "c0",
        "NULL",
        None,
        "Ação 日本 \U0001f600",
        "060",
        "Sul'",
    ],
    'x"; DROP TABLE band; --': ["a", "b", "a\0b", "?", None, "$1", "a", "{{regiao}}", "c", "d", "e", "f"],
    "valor": [
        "1.234,50",
        "0,00",
        "-3,10",
        "10,00",
        None,
        "99.999,99",
        "10,00",
        "0,01",
        "7,00",
        "5,50",
        "2,00",
        "3,00",
    ],
    "dia": [
        *("05/04/2026", "13/04/2026", "31/12/2025", "01/01/2026", None, "30/04/2026"),
        *("01/05/2026", "29/02/2024", "05/04/2026", "28/02/2026", "15/06/2026", "01/04/2026"),
    ],
    "quando": [
        *(
            "2026-04-05T10:00:00",
            "2026-04-05T10:00:00.500",
            None,
            "2026-04-05T00:00:00",
            "2026-04-06 01:02:03",
        ),
        *("2025-12-31T23:59:59", "2026-01-01T00:00:00", "2026-04-05T10:00:01", "2026-04-05T09:59:59.999"),
        *("2026-05-01T00:00:00", "2024-02-29T12:00:00", "2026-04-30T23:59:59"),
    ],
    "ok": ["true", "false", None, "true", "true", "false", "false", None, "true", "true", "false", "true"],
    "pequeno": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "1", "2", None],
}
TEXT, HOSTILE_NAME = "nome", 'x"; DROP TABLE band; --'


@cache
def snapshot():
    raw = raw_band(COLUMNS, "vendas", style="br", locale="pt-BR")
    band = type_band(raw)
    return Snapshot((band,), profile_bands((band,)))


def rows():
    (band,) = snapshot().bands
    names = [column.name for column in band.columns]
    for row in band.take(range(band.rows)):
        cells = dict(zip(names, row, strict=True))
        for column in band.columns:
            if column.type == "number" and cells[column.name] is not None:
                cells[column.name] = Decimal(cells[column.name]).scaleb(-column.scale)
        yield cells


def test_the_columns_are_of_the_types_that_the_tests_mean():
    types = [column.type for column in snapshot().bands[0].columns]
    assert types == ["text", "text", "number", "date", "datetime", "boolean", "number"]


def found(where):
    (measured,) = measure_all(snapshot(), [Aggregate("vendas", "COUNT", None, where)])
    return measured.cells


# ---- the same in plain Python ----

CONVERT: dict[str, Callable[[Any], Any]] = {
    "nome": str,
    HOSTILE_NAME: str,
    "valor": Decimal,
    "pequeno": Decimal,
    "ok": bool,
    "dia": lambda value: value,
    "quando": lambda value: value,
}


def holds(where, row):
    match where:
        case AllOf():
            return all(holds(one, row) for one in where.all_of)
        case AnyOf():
            return any(holds(one, row) for one in where.any_of)
    cell, value, op = row[where.field], where.value, where.op
    if op == "is_null":
        return (cell is None) == (value is not False)
    if cell is None:
        return False
    if op == "contains":
        return value in cell
    if op == "starts_with":
        return cell.startswith(value)
    many = [CONVERT[where.field](one) for one in value] if isinstance(value, tuple) else []
    match op:
        case "in":
            return cell in many
        case "not_in":
            return cell not in many
        case "between":
            return many[0] <= cell <= many[1]
    one = CONVERT[where.field](value)
    return {
        "=": cell == one, "!=": cell != one, ">": cell > one, ">=": cell >= one, "<": cell < one, "<=": cell <= one
    }[op]  # fmt: skip


texts = st.one_of(
    st.sampled_from(HOSTILE), st.sampled_from([one for one in COLUMNS["nome"] if one]), st.text(max_size=5)
).filter(lambda text: text and text == strip(text))
numbers = st.one_of(
    st.integers(-(10**45), 10**45),
    st.integers(-20, 20),
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**6), max_value=10**6, places=4),
    st.sampled_from(
        [Decimal("1234.5"), Decimal("1E-400"), Decimal("-1E+400"), Decimal("0.005"), Decimal("-3.1")]
    ),
)
days = st.dates(date(2023, 1, 1), date(2027, 1, 1)).map(str)
moments = st.sampled_from([f"{one.replace(' ', 'T')}" for one in COLUMNS["quando"] if one and "." not in one])


def conditions(field, values, ops):
    def of(op):
        if op == "is_null":
            return st.builds(
                Condition, field=st.just(field), op=st.just(op), value=st.sampled_from([None, True, False])
            )
        if op == "between":
            value = st.tuples(values, values)
        elif op in ("in", "not_in"):
            value = st.lists(values, max_size=4).map(tuple)
        else:
            value = values
        return st.builds(Condition, field=st.just(field), op=st.just(op), value=value)

    return st.sampled_from(ops).flatmap(of)


ORDERED = ("=", "!=", ">", ">=", "<", "<=", "in", "not_in", "between", "is_null")
condition = st.one_of(
    conditions("nome", texts, (*ORDERED, "contains", "starts_with")),
    conditions(HOSTILE_NAME, texts, (*ORDERED, "contains", "starts_with")),
    conditions("valor", numbers, ORDERED),
    conditions("pequeno", numbers, ORDERED),
    conditions("dia", days, ORDERED),
    conditions("quando", moments, ORDERED),
    conditions("ok", st.booleans(), ("=", "!=", "in", "not_in", "is_null")),
)
filters = st.recursive(
    condition,
    lambda inner: st.lists(inner, min_size=1, max_size=3).flatmap(
        lambda parts: st.sampled_from([AllOf(**{"and": tuple(parts)}), AnyOf(**{"or": tuple(parts)})])
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def table():
    band = snapshot().bands[0]
    with open_table(band, snapshot().profile.bands[0], range(len(band.columns))) as opened:
        yield opened


@given(where=filters)
@settings(max_examples=200)
def test_a_filter_finds_what_plain_python_finds(table, where):
    clause = compile_filter(where, table.columns)
    found_rows = table.connection.execute(
        f"SELECT c0, c1 FROM {table.name} WHERE {clause.sql}", clause.values
    ).fetchall()
    assert found_rows == [(row["nome"], row[HOSTILE_NAME]) for row in rows() if holds(where, row)]


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("op", ["=", "!=", "<", ">=", "contains", "starts_with"])
def test_a_hostile_value_is_only_a_value(op, value):
    where = Condition(field=TEXT, op=op, value=value)
    clause = compile_filter(where, snapshot().bands[0].columns)
    assert value not in clause.sql or value in ("c0", "?", "_")
    assert found(where) == sum(holds(where, row) for row in rows())


@pytest.mark.parametrize("name", [HOSTILE_NAME, "c0", "nome; --", "*", "", " nome"])
def test_a_hostile_field_is_only_a_name(name):
    where = Condition.model_construct(field=name, op="is_null", value=None)
    if name == HOSTILE_NAME:
        assert found(where) == 1
        return
    with pytest.raises(QueryError) as raised:
        found(where)
    message = raised.value.message.removesuffix(' Did you mean "nome"?')
    assert message == (
        f'Field "{name}" does not exist. Available fields: nome, {HOSTILE_NAME}, valor, dia, quando, ok, pequeno.'
    )


def test_the_fields_that_are_named_have_an_end():
    columns = {f"campo {number}": ["1"] for number in range(80)}
    band = type_band(raw_band(columns))
    with pytest.raises(QueryError, match=r"campo 49 and 30 more\.$"):
        compile_filter(Condition(field="x", op="is_null"), band.columns)


def test_a_tree_of_json_is_compiled_in_its_shape():
    where = TypeAdapter(Filter).validate_python(
        {
            "and": [
                {"field": "nome", "op": "=", "value": "Sul"},
                {"or": [{"field": "ok", "op": "is_null"}] * 2},
            ]
        }
    )
    clause = compile_filter(where, snapshot().bands[0].columns)
    assert (clause.sql, clause.values) == ("(c0 = ? AND (c5 IS NULL OR c5 IS NULL))", ["Sul"])
