"""Every precomputed fact of a band: statistics, group sums, periods and leaders (spec 5)."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest

from tests.engine.small import band_profile, field_profile, raw_band

SALES = {
    "loja": ["Sul", "Norte", "", "Sul", "Norte"],
    "valor": ["10,50", "20", "1", "-", "30,25"],
    "qtd": ["1", "2", "3", "4", ""],
}


def groups(columns, by):
    """measure → (kind, parts, rest) of the lists by a field."""
    found = band_profile(raw_band(columns, style="br")).groups
    return {
        group.measure: (group.kind, [(part.value, part.sum) for part in group.parts], group.rest)
        for group in found
        if group.by == by
    }


def test_statistics_do_not_count_nulls():
    field = field_profile(SALES["valor"], "valor", style="br")
    assert (field.sum, field.avg, field.min, field.max, field.nulls, field.distinct) == (
        "61.75",
        "15.44",
        "1",
        "30.25",
        1,
        4,
    )


def test_a_column_without_a_number_has_no_statistics():
    field = field_profile(["", None, " "], "valor")
    assert (field.type, field.sum, field.min, field.nulls, field.distinct) == ("text", None, None, 3, 0)


def test_group_sums_are_ordered_by_sum_and_add_up():
    kind, parts, rest = groups(SALES, "loja")["valor"]
    assert (kind, rest) == ("enum", None)
    assert parts == [("Norte", "50.25"), ("Sul", "10.5"), (None, "1")]
    assert sum(Decimal(total) for _, total in parts) == Decimal("61.75")


def test_equal_sums_are_ordered_by_value():
    assert groups({"k": ["b", "a", "b", "a"], "v": ["1", "2", "3", "2"]}, "k")["v"][1] == [
        ("a", "4"),
        ("b", "4"),
    ]


def test_a_group_without_a_number_is_zero():
    assert groups({"k": ["a", "b", "a"], "v": ["1", "-", "2"]}, "k")["v"][1] == [("a", "3"), ("b", "0")]


def test_lists_go_by_enumeration_then_measure_in_column_order():
    columns = {"v": ["1", "2", "2"], "a": ["x", "y", "y"], "w": ["3", "5", "7"], "b": ["p", "p", "q"]}
    found = band_profile(raw_band(columns)).groups
    assert [(group.measure, group.by) for group in found] == [("v", "a"), ("w", "a"), ("v", "b"), ("w", "b")]


def test_rates_percentages_and_codes_are_not_summed():
    columns = {"k": ["a", "b"], "preco": ["1", "2"], "taxa": ["1", "2"], "id": ["1", "2"], "v": ["1", "2"]}
    assert {group.measure for group in band_profile(raw_band(columns)).groups} == {"v"}


def test_codes_years_and_parts_are_axes():
    columns = {"cfop": ["5102", "5405", "5102"], "ano": ["2024", "2025", "2025"], "v": ["1", "2", "4"]}
    assert groups(columns, "cfop")["v"][1] == [("5102", "5"), ("5405", "2")]
    assert groups(columns, "ano")["v"][1] == [("2025", "6"), ("2024", "1")]


# ------------------------------------------------------------------ periods


def months(count: int) -> list[str]:
    """The first of so many months from January 2020 on."""
    return [f"{2020 + number // 12}-{number % 12 + 1:02d}-01" for number in range(count)]


def days(count: int, start: date = date(2026, 6, 1)) -> list[str]:
    """So many days."""
    return [str(start + timedelta(number)) for number in range(count)]


def years(count: int) -> list[str]:
    """New Year's Day and Easter of so many years."""
    return [f"{1990 + number}-{month}-01" for number in range(count) for month in ("01", "04")]


PERIODS = [
    pytest.param(["2026-06-01"] * 3, None, id="one day"),
    pytest.param(days(2), "day", id="two days"),
    pytest.param(days(20), "day", id="twenty days of a month"),
    pytest.param(days(21), None, id="twenty-one days of a month"),
    pytest.param(days(2, date(2026, 6, 30)), "month", id="two days of two months"),
    pytest.param(months(2), "month", id="two months"),
    pytest.param(months(24), "month", id="twenty-four months"),
    pytest.param(months(25), "year", id="twenty-five months"),
    pytest.param(years(20), "year", id="twenty years"),
    pytest.param(years(21), None, id="twenty-one years"),
    pytest.param([f"{day}T10:30:00" for day in months(3)], "month", id="datetimes"),
]


@pytest.mark.parametrize(("dates", "period"), PERIODS)
def test_a_date_column_is_summed_by(dates, period):
    found = band_profile(raw_band({"d": dates, "v": ["7"] * len(dates)})).groups
    assert [group.period for group in found if group.by == "d"] == ([period] if period else [])


def test_periods_are_in_time_order_nulls_last():
    columns = {"d": ["2026-02-10", "", "2026-01-31", "2026-02-01"], "v": ["1", "2", "4", "8"]}
    assert groups(columns, "d")["v"] == ("period", [("2026-01", "4"), ("2026-02", "9"), (None, "2")], None)


# ------------------------------------------------------------------ leaders


def suppliers(distinct: int, rows: int) -> dict[str, list[str]]:
    """So many suppliers in so many rows; the n-th of them sells for n."""
    cells = [f"f{number % distinct:04d}" for number in range(rows)]
    return {"fornecedor": cells, "valor": [str(int(cell[1:])) for cell in cells]}


LEADERS = [
    pytest.param(20, 60, "enum", id="20 distinct are an enumeration"),
    pytest.param(21, 42, "top", id="21 of 42 rows"),
    pytest.param(21, 41, None, id="more than half as many as rows"),
    pytest.param(1_000, 2_000, "top", id="1,000 distinct"),
    pytest.param(1_001, 2_002, None, id="1,001 distinct"),
]


@pytest.mark.parametrize(("distinct", "rows", "kind"), LEADERS)
def test_a_text_column_has_leaders(distinct, rows, kind):
    found = groups(suppliers(distinct, rows), "fornecedor")
    assert [entry[0] for entry in found.values()] == ([kind] if kind else [])


def test_leaders_are_five_the_nulls_and_the_rest():
    columns = suppliers(22, 44)
    columns["fornecedor"].append("")
    columns["valor"].append("1000")
    kind, parts, rest = groups(columns, "fornecedor")["valor"]
    assert kind == "top"
    assert parts == [
        ("f0021", "42"),
        ("f0020", "40"),
        ("f0019", "38"),
        ("f0018", "36"),
        ("f0017", "34"),
        (None, "1000"),
    ]
    assert rest is not None
    assert (rest.values, rest.sum) == (17, str(2 * sum(range(17))))


# ------------------------------------------------------------------ doubles


def test_sums_of_doubles_are_correctly_rounded_in_any_order():
    cells = [1e16, 1 / 3, -1e16, 2 / 3]
    forward, backward = field_profile(cells, "v"), field_profile(cells[::-1], "v")
    assert forward == backward
    assert forward.sum == "1"


def test_a_repeated_double_is_added_as_often_as_it_stands_there():
    field = field_profile([1 / 3] * 3 + [1e-12], "v")
    assert field.sum == "1.000000000001"
