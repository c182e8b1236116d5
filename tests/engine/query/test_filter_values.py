"""A value is read as its field reads its cells, however people write it, and what is none of them is said."""

from __future__ import annotations

from decimal import Decimal

import pytest

from datasources.filters import Condition
from engine.exceptions import QueryError
from tests.engine.query.test_filters import found


@pytest.mark.parametrize(
    ("field", "op", "value", "count"),
    [
        pytest.param("valor", "=", "1.234,50", 1, id="Brazilian number"),
        pytest.param("valor", "=", "1234.5", 1, id="number with a point"),
        pytest.param("valor", "=", "R$ 10,00", 2, id="currency"),
        pytest.param("valor", ">", "10.000", 1, id="thousands, as the column has them"),
        pytest.param("valor", "=", Decimal("0.005"), 0, id="more decimals than the column"),
        pytest.param("valor", "!=", Decimal("0.005"), 11, id="more decimals, negated"),
        pytest.param("valor", ">=", Decimal("0.005"), 9, id="more decimals, from"),
        pytest.param("valor", "<", Decimal("0.005"), 2, id="more decimals, below"),
        pytest.param("valor", "<", 10**60, 11, id="past every number"),
        pytest.param("dia", "=", "05/04/2026", 2, id="Brazilian day"),
        pytest.param("dia", "=", "2026-04-05", 2, id="ISO day"),
        pytest.param("dia", "=", "2026-04-05T00:00:00.000Z", 2, id="day at midnight"),
        pytest.param("dia", "=", "2026-04", 5, id="month"),
        pytest.param("dia", "=", "2026-Q2", 7, id="quarter"),
        pytest.param("quando", "=", "2026-Q2", 8, id="moments of a quarter"),
        pytest.param("dia", "=", "2026-W14", 3, id="week, from Monday to Sunday"),
        pytest.param("dia", "<", "2026-W01", 1, id="before a week that begins in the year before: 2024"),
        pytest.param("dia", "=", "04/2026", 5, id="Brazilian month"),
        pytest.param("dia", "=", "2026", 9, id="year"),
        pytest.param("dia", "=", 2026, 9, id="year as a number"),
        pytest.param("dia", "!=", "2026", 2, id="not in a year"),
        pytest.param("dia", ">", "2026-04", 2, id="after a month"),
        pytest.param("dia", ">=", "2026-04", 7, id="from a month"),
        pytest.param("dia", "<", "2026", 2, id="before a year"),
        pytest.param("dia", "<=", "2026-02", 4, id="to the end of February"),
        pytest.param("dia", "between", ("2026-01", "2026-04-05"), 5, id="from a month to a day"),
        pytest.param("dia", "in", ("2024", "2026-05"), 2, id="a year or a month"),
        pytest.param("quando", "=", "2026-04-05", 5, id="moments of a day"),
        pytest.param("quando", "=", "2026-04-05T10:00", 1, id="moment"),
        pytest.param("quando", "=", "2026-04-05 10:00:00,5", 1, id="moment with a fraction"),
        pytest.param("quando", ">", "2026-04-05T10:00:00", 5, id="after a moment"),
        pytest.param("quando", "<=", "2025", 2, id="to the end of a year"),
        pytest.param("ok", "=", "sim", 6, id="boolean in words"),
        pytest.param("ok", "!=", 0, 6, id="boolean as a number"),
        pytest.param("nome", "=", 60, 0, id="a number is not the code with a zero"),
        pytest.param("nome", "=", " Sul ", 1, id="white space is not compared"),
        pytest.param("nome", "in", (), 0, id="none of nothing"),
        pytest.param("nome", "not_in", (), 11, id="all that are there"),
        pytest.param("nome", "!=", "Sul", 10, id="nulls fit nothing"),
    ],
)  # fmt: skip
def test_values_are_read_as_the_field_reads_its_cells(field, op, value, count):
    assert found(Condition(field=field, op=op, value=value)) == count


@pytest.mark.parametrize(
    ("field", "op", "value", "message"),
    [
        pytest.param(
            "valor",
            "=",
            "abc",
            "“valor” is a number, and “abc” is not one: write 1234.5 or 1.234,50.",
            id="word",
        ),
        pytest.param(
            "valor",
            "=",
            True,
            "“valor” is a number, and “true” is not one: write 1234.5 or 1.234,50.",
            id="bool",
        ),
        pytest.param(
            "valor",
            "=",
            "12%",
            "“valor” is in plain numbers, and “12%” is not: give the number alone.",
            id="%",
        ),
        pytest.param(
            "pequeno",
            "=",
            "1.234",
            "In “1.234” the “.” could mean thousands or decimals: write the number plainly, as 1234 or 1.2340.",
            id="ambiguous",
        ),
        pytest.param(
            "dia",
            "=",
            "31/02/2026",
            "“dia” is a date, and “31/02/2026” is not one: write 2026-04-05, 05/04/2026, 2026-04 or 2026.",
            id="no day",
        ),
        pytest.param(
            "dia",
            ">",
            "2026-04-05T10:00",
            "“dia” is a date, and “2026-04-05T10:00” is not one: write 2026-04-05, 05/04/2026, 2026-04 or 2026.",
            id="time",
        ),
        pytest.param(
            "dia",
            "contains",
            "2026",
            "contains needs a text, and “dia” is a date: use = or between.",
            id="part",
        ),
        pytest.param("ok", ">", True, "“ok” is true or false, which have no order: use =.", id="order"),
        pytest.param(
            "ok", "=", "talvez", "“ok” is a boolean, and “talvez” is not one: give true or false.", id="maybe"
        ),
    ],
)
def test_what_cannot_be_compared_is_said(field, op, value, message):
    with pytest.raises(QueryError) as raised:
        found(Condition(field=field, op=op, value=value))
    assert raised.value.message == message
