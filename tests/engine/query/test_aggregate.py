"""Aggregates are exact, the same from statistics, memory, streams and stored files, and refuse what means nothing."""

from __future__ import annotations

from decimal import Decimal
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasources.filters import Condition
from engine.band import type_band
from engine.exceptions import QueryError
from engine.profile import profile_bands
from engine.query.aggregate import measure_all
from engine.query.questions import Aggregate
from engine.snapshot import Snapshot
from engine.snapshot_file import open_snapshot, save_snapshot
from tests.engine.random_bands import random_band, random_cuts
from tests.engine.small import raw_band
from tests.engine.streams import streamed

COLUMNS: dict[str, list[str | None]] = {
    "uf": ["SP", "RJ", "SP", None, "MG"],
    "valor": ["1,10", "2,25", "-0,05", None, "3,00"],
    "aliquota": ["5", "7", None, "7", "7"],
    "preco": ["1,005", "2,000", "3,000", "4,000", "5,000"],
    "ano": ["2024", "2025", "2026", "2026", "2026"],
    "codigo": ["7", "8", "9", "10", "11"],
    "dia": ["13/01/2026", "14/02/2026", None, "15/01/2026", "01/12/2025"],
    "quando": [
        *("2026-01-01T10:00:00.5-03:00", "2026-01-01T10:00:00Z", "2026-01-01T10:00:00.25Z"),
        *(None, "2026-01-01T10:00:00-03:00"),
    ],
    "ok": ["true", "false", "true", None, "true"],
}


def snapshot_of(*raws):
    bands = tuple(type_band(raw) for raw in raws)
    return Snapshot(bands, profile_bands(bands))


SMALL = snapshot_of(raw_band({**COLUMNS}, "vendas", style="br", locale="pt-BR"))
IN_SP = Condition(field="uf", op="=", value="SP")
NOWHERE = Condition(field="uf", op="=", value="AC")


def asked(verb, field=None, where=None, decimals=None, snapshot=SMALL):
    (found,) = measure_all(snapshot, [Aggregate("vendas", verb, field, where)])
    return found.text(decimals)


@pytest.mark.parametrize(
    ("verb", "field", "where", "decimals", "expected"),
    [
        pytest.param("COUNT", None, None, None, "5", id="rows"),
        pytest.param("COUNT", None, IN_SP, None, "2", id="rows of a filter"),
        pytest.param("COUNT", "valor", None, None, "4", id="cells"),
        pytest.param("COUNT", "uf", None, None, "4", id="texts"),
        pytest.param("COUNT", None, NOWHERE, None, "0", id="no rows"),
        pytest.param("COUNT", None, None, 2, "5.00", id="rows with decimals"),
        pytest.param("SUM", "valor", None, None, "6.30", id="sum"),
        pytest.param("SUM", "valor", IN_SP, None, "1.05", id="sum of a filter"),
        pytest.param("SUM", "valor", None, 0, "6", id="no decimals"),
        pytest.param("SUM", "valor", IN_SP, 1, "1.0", id="half to even"),
        pytest.param("SUM", "valor", None, 4, "6.3000", id="more decimals"),
        pytest.param("SUM", "valor", NOWHERE, None, None, id="sum of nothing"),
        pytest.param("AVG", "valor", None, None, "1.58", id="average, half to even"),
        pytest.param("AVG", "valor", None, 3, "1.575", id="average with decimals"),
        pytest.param("AVG", "aliquota", None, None, "6.50", id="average of whole numbers"),
        pytest.param("AVG", "preco", None, None, "3.001", id="average of a rate"),
        pytest.param("AVG", "valor", IN_SP, None, "0.52", id="average of a filter, half to even"),
        pytest.param("MIN", "valor", None, None, "-0.05", id="least"),
        pytest.param("MAX", "valor", IN_SP, None, "1.10", id="greatest of a filter"),
        pytest.param("MIN", "ano", None, None, "2024", id="first year"),
        pytest.param("MAX", "codigo", IN_SP, None, "9", id="last id"),
        pytest.param("MIN", "dia", None, None, "2025-12-01", id="first day"),
        pytest.param("MAX", "dia", IN_SP, None, "2026-01-13", id="last day of a filter"),
        pytest.param("MIN", "uf", None, None, "MG", id="first text"),
        pytest.param("MAX", "uf", IN_SP, None, "SP", id="last text"),
        pytest.param(
            "MIN", "quando", None, None, "2026-01-01T10:00:00-03:00", id="first moment, then by text"
        ),
        pytest.param("MAX", "quando", IN_SP, None, "2026-01-01T10:00:00.5-03:00", id="last moment"),
        pytest.param("MAX", "dia", NOWHERE, 2, None, id="last day of nothing"),
    ],
)
def test_values(verb, field, where, decimals, expected):
    assert asked(verb, field, where, decimals) == expected


@pytest.mark.parametrize(
    ("verb", "field", "message"),
    [
        pytest.param(
            "SUM",
            "ano",
            "“ano” is a year, so its sum makes no sense: use COUNT, DISTINCT, MIN or MAX",
            id="year",
        ),
        pytest.param("AVG", "codigo", "“codigo” is an id, so its average makes no sense: use COUNT", id="id"),
        pytest.param(
            "SUM", "aliquota", "“aliquota” is a percentage, so its sum makes no sense: use AVG", id="%"
        ),
        pytest.param(
            "SUM", "preco", "“preco” is a rate, so its sum makes no sense: use AVG, MIN or MAX", id="rate"
        ),
        pytest.param(
            "SUM", "uf", "SUM needs a number, and “uf” is a text: use COUNT, DISTINCT, MIN or MAX.", id="text"
        ),
        pytest.param(
            "AVG",
            "dia",
            "AVG needs a number, and “dia” is a date: use COUNT, DISTINCT, MIN or MAX.",
            id="date",
        ),
        pytest.param(
            "MAX", "ok", "“ok” is true or false, which have no MAX: use COUNT with a filter.", id="boolean"
        ),
        pytest.param("SUM", None, "SUM needs a field: name one.", id="no field"),
        pytest.param(
            "SUM", "orçamento", 'Field "orçamento" does not exist. Available fields: uf, valor, ', id="name"
        ),
    ],
)
def test_what_means_nothing_is_refused(verb, field, message):
    with pytest.raises(QueryError) as raised:
        asked(verb, field)
    assert raised.value.message.startswith(message)


def test_an_unknown_band_is_answered_with_those_that_there_are():
    with pytest.raises(QueryError, match=r'^Band "x" does not exist\. Available bands: vendas\.$'):
        measure_all(SMALL, [Aggregate("x", "COUNT")])


def test_an_unknown_field_of_a_filter_is_refused_before_anything_is_computed():
    with pytest.raises(QueryError, match='Field "x" does not exist'):
        asked("COUNT", None, Condition(field="x", op="is_null"))


def test_a_merged_band_answers_to_either_name():
    from engine.dedup import merge_duplicates

    raws = [raw_band({"valor": ["1", "2"]}, name) for name in ("canhoto", "header")]
    bands = merge_duplicates([type_band(raw) for raw in raws])
    snapshot = Snapshot(bands, profile_bands(bands))
    for name in ("canhoto", "header", "canhoto+header"):
        (found,) = measure_all(snapshot, [Aggregate(name, "SUM", "valor")])
        assert found.text() == "3"


def everything(band):
    """Every question that a band has an answer to, without a filter and with one that finds all rows."""
    for column, statistics in zip(band.columns, band.statistics.fields, strict=True):
        verbs = ["COUNT"]
        verbs += ["MIN", "MAX"] if column.type != "boolean" else []
        verbs += ["AVG"] if statistics.role in ("measure", "%", "rate") else []
        verbs += ["SUM"] if statistics.role == "measure" else []
        for verb in verbs:
            yield verb, column.name


@given(st.integers(0, 2**32))
@settings(max_examples=25)
def test_statistics_memory_streams_and_files_agree(seed):
    random = Random(seed)
    while True:
        raw = random_band(random)
        try:
            stream = streamed(raw, random_cuts(random, raw.rows), 40)
            break
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            continue
    here, there = snapshot_of(raw), snapshot_of(stream)
    (band,) = here.bands
    first = band.columns[0].name
    always = [None, Condition(field=first, op="is_null"), Condition(field=first, op="is_null", value=False)]
    questions = [Aggregate("b", verb, field, where) for verb, field in everything(band) for where in always]
    answers = [answer.text() for answer in measure_all(here, questions)]
    assert [answer.text() for answer in measure_all(there, questions)] == answers
    # The rows with and without a first cell are all rows.
    for index in range(0, len(questions), 3):
        if questions[index].verb == "COUNT":
            whole, *parts = [int(answer or 0) for answer in answers[index : index + 3]]
            assert whole == sum(parts)


def test_a_stored_snapshot_gives_the_same(tmp_path):
    opened = open_snapshot(save_snapshot(SMALL, tmp_path / "p.json"))
    questions = [
        Aggregate("vendas", verb, field, where)
        for verb, field in everything(SMALL.bands[0])
        for where in (None, IN_SP)
    ]
    expected = [answer.text() for answer in measure_all(SMALL, questions)]
    assert [answer.text() for answer in measure_all(opened, questions)] == expected


ALL = Condition(field="x", op="is_null", value=False)


@pytest.mark.parametrize("count", [3, 4_000])
def test_wide_decimals_are_summed_exactly_past_38_digits(count):
    cells = [Decimal(f"{9 * 10**36 + number}.5") for number in range(count)]
    snapshot = snapshot_of(raw_band({"x": cells, "g": [1] * count}, "vendas", origin="typed"))
    assert snapshot.bands[0].columns[0].type == "number"
    assert (
        asked("SUM", "x", ALL, snapshot=snapshot)
        == f"{sum(int(cell) for cell in cells) + count // 2}.{5 * (count % 2)}"
    )


def test_negative_wide_decimals_are_summed_exactly():
    cells = [Decimal("-12345678901234567890.5"), Decimal("0.1"), Decimal("-0.7")]
    snapshot = snapshot_of(raw_band({"x": cells}, "vendas", origin="typed"))
    assert asked("SUM", "x", ALL, snapshot=snapshot) == "-12345678901234567891.1"


def test_doubles_are_summed_without_regard_to_their_order():
    cells = [1e300, 1 / 3, -1e300, 0.1, 1e-300] * 50
    snapshot = snapshot_of(raw_band({"x": cells}, "vendas", origin="typed"))
    assert snapshot.bands[0].columns[0].double
    assert (
        asked("SUM", "x", ALL, snapshot=snapshot)
        == asked("SUM", "x", snapshot=snapshot)
        == "21.6666666666667"
    )
    assert asked("SUM", "x", ALL, 2, snapshot=snapshot) == "21.67"
    assert asked("MAX", "x", ALL, snapshot=snapshot) == "1" + "0" * 300


def test_the_connection_is_locked():
    import duckdb

    from engine.query.connection import open_table

    with open_table(SMALL.bands[0], SMALL.profile.bands[0], [0, 1]) as table:
        for statement in (
            "SELECT * FROM read_csv('x.csv')",
            "SET enable_external_access = true",
            "INSTALL httpfs",
        ):
            with pytest.raises(duckdb.Error):
                table.connection.execute(statement)
        assert [column.name for column in table.columns] == ["uf", "valor"]


def test_deviations_of_long_decimals_do_not_overflow():
    cells = [Decimal("1234567.123456"), Decimal("2.5"), Decimal("-23.550520341")]
    snapshot = snapshot_of(raw_band({"x": cells, "g": [1, 1, 1]}, "vendas", origin="typed"))
    assert asked("STDDEV", "x", ALL, snapshot=snapshot) == "712783.737940787"


@pytest.mark.parametrize("op", ["in", "not_in"])
@pytest.mark.parametrize("field", ["uf", "valor", "dia", "codigo", "ok"])
def test_long_lists_find_what_short_ones_do(op, field):
    values = {
        "uf": ("SP", "MG"),
        "valor": ("1,10", "3,00"),
        "dia": ("13/01/2026", "2025-12"),
        "codigo": (7, 9),
        "ok": (True, True),
    }[field]
    filler = {"uf": "x{}", "valor": "9{},5", "dia": "2031-01-{:02d}", "codigo": "77{}", "ok": "false"}[field]
    more = tuple(filler.format(number + 1) for number in range(25)) if field != "ok" else (True,) * 25
    short, long = (Condition(field=field, op=op, value=one) for one in (values, (*values, *more)))
    assert asked("COUNT", None, long) == asked("COUNT", None, short)
