"""A band in memory and the same band as a stream, cut anywhere, have the same types, facts and warnings (spec 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from random import Random

import pyarrow as pa
import pytest

from datasources.base import Cell, RawBand
from engine import batch, plain
from engine.columns import ColumnType
from engine.facts import scaled_text
from engine.statistics import BandStatistics
from tests.engine.small import codes, raw_band
from tests.engine.streams import CutStream, streamed

CUTS: list[tuple[int, ...]] = [(), (1,), (700,), (100, 101, 900)]


def analysed(raw: RawBand, cuts: tuple[int, ...]) -> tuple[tuple[ColumnType, ...], BandStatistics]:
    """What both paths say of *raw*, which must be the same."""
    listed = plain.analyse(raw)
    columns, statistics, warnings = batch.analyse(streamed(raw, cuts))
    assert columns == listed.columns
    assert statistics == listed.statistics
    assert warnings == listed.warnings
    return columns, statistics


NATIVE_DECIMALS = [
    pytest.param(["0.123456789012345678"] * 3, 18, "0.370370367037037034", id="eighteen decimals"),
    pytest.param(["0." + "7" * 38, "0." + "2" * 38], 38, "0." + "9" * 38, id="nothing before the mark"),
    pytest.param(["0.00", "0.00"], 2, "0", id="zeros keep theirs"),
]


@pytest.mark.parametrize("cuts", CUTS[:2], ids=str)
@pytest.mark.parametrize(("texts", "scale", "total"), NATIVE_DECIMALS)
def test_native_decimals_keep_their_scale(texts, scale, total, cuts):
    columns, statistics = analysed(raw_band({"valor": list(map(Decimal, texts))}), cuts)
    assert (columns[0].scale, columns[0].double) == (scale, False)
    assert scaled_text(int(statistics.fields[0].total or 0), scale) == total


@pytest.mark.parametrize("cuts", CUTS, ids=str)
@pytest.mark.parametrize(("digits", "scale"), [(17, 18), (24, 18), (36, 10), (38, 2)])
def test_many_wide_decimals_are_summed_exactly(digits, scale, cuts):
    random = Random(digits)
    whole = [random.randrange(-(10**digits), 10**digits) for _ in range(1_500)]
    cells = [Decimal(f"{one}E-{scale}") for one in whole]
    raw = raw_band({"uf": ["SP", "RJ", "MG"] * 500, "valor": cells})
    table = pa.table({"0": raw.cells.columns[0], "1": pa.array(cells, pa.decimal128(38, scale))})  # type: ignore[union-attr]
    listed = plain.analyse(raw)
    columns, statistics, warnings = batch.analyse(replace(raw, cells=CutStream(table, cuts)))
    assert (columns, statistics, warnings) == (listed.columns, listed.statistics, listed.warnings)
    assert statistics.fields[1].total == sum(whole)
    assert sorted(next(iter(statistics.sums.values())).values()) == sorted(
        sum(whole[at::3]) for at in range(3)
    )


_random = Random(1)
MANY = [_random.random() for _ in range(1_500)]
FLOATS: Mapping[str, tuple[list[Cell], tuple[str, bool, list[str]]]] = {
    "none fits 38 digits": ([1e308 * one for one in MANY], ("number", True, ["not_decimal"])),
    "one does not fit 38 digits": ([*MANY, 1e300], ("number", True, ["not_decimal"])),
    "its decimals alone make it double": ([*MANY, 1e30], ("number", True, [])),
    "nine decimals and 38 digits": (
        [*(round(one, 5) for one in MANY), 1e35],
        ("number", True, ["not_decimal"]),
    ),
    "the smallest": ([one * 1e-300 for one in MANY], ("number", True, [])),
    "whole, of more than 15 digits": ([index * 1e13 + 2e16 for index in range(1_500)], ("number", False, [])),
    "whole, of 21 digits": ([round(one, 9) * 1e20 + 1e20 for one in MANY], ("number", False, [])),
    "few of more than 15 digits": ([1e17, 2.5] * 600, ("number", False, [])),
    "infinite": (
        [*(index * 1e14 for index in range(1_500)), float("-inf")],
        ("number", False, ["not_finite"]),
    ),
    "17 digits": ([round(one * 1e8, 8) for one in MANY], ("number", False, [])),
}


@pytest.mark.parametrize("cuts", CUTS, ids=str)
@pytest.mark.parametrize(("cells", "expected"), FLOATS.values(), ids=FLOATS.keys())
def test_native_floating_point(cells, expected, cuts):
    """Native floating point is a number, whole or not (spec 2: only native *integers* may be keys)."""
    raw = raw_band({"valor": cells})
    columns, _ = analysed(raw, cuts)
    warned = codes(plain.analyse(raw).warnings)
    assert (columns[0].type, columns[0].double, warned) == expected


@pytest.mark.parametrize("cells", [[10**16 + one for one in range(1_500)], [*range(1_500), 10**17]], ids=len)
def test_native_integers_that_are_keys_speak_as_natives(cells):
    columns, _ = analysed(raw_band({"valor": cells}), (700,))
    assert columns[0].type == "text"
    assert columns[0].coercion is not None
    assert columns[0].coercion.evidence == {"native": len(cells), "decided_by": "long_digits"}


SPELLINGS = [
    "{},5",
    "{},50",
    "R$ {},5",
    "R${},50",
    "{},500",
    "R$  {},5",
    "R$  {},50",
    "+{},5",
    "+{},50",
    "+{},500",
]
FEW: Mapping[str, tuple[list[Cell], int | None]] = {
    "zeros behind": ([f"{one},5{'0' * (half > 0)}" for half in range(2) for one in range(800)], 800),
    "a currency here and there": (
        [form.format(one) for form in ("R$ {},5", "{},5") for one in range(600)],
        600,
    ),
    "more texts than are counted": ([form.format(one) for form in SPELLINGS for one in range(1_000)], 1_000),
    "one value more": ([form.format(one) for form in SPELLINGS for one in range(1_001)], None),
    "a null token": ([*(f"{one},5" for one in range(1_000)), "-"], 1_000),
    "one double": ([f"0,{'1' * 40}{one:04}" for one in range(1_500)], 1),
    "times written in two ways": (
        [f"2024-01-01{mark}10:{one // 60:02}:{one % 60:02}" for mark in " T" for one in range(900)],
        900,
    ),
    "times and a null token": (
        [*(f"2024-01-01 10:{one // 60:02}:{one % 60:02}" for one in range(1_000)), "N/A"],
        1_000,
    ),
    "keys of a few years, and asterisks": (
        [f"{2000 + index % 5}" if index % 2 else "*" * (2 + index // 2) for index in range(4_000)],
        5,
    ),
}


@pytest.mark.parametrize("cuts", [(), (700,)], ids=str)
@pytest.mark.parametrize(("cells", "distinct"), FEW.values(), ids=FEW.keys())
def test_distinct_values_are_counted_however_many_texts_they_have(cells, distinct, cuts):
    """Exact up to 1,000 (spec 5); thousands of texts may be a few values."""
    counter = [f"{index % 900},5" for index in range(len(cells))]
    _, statistics = analysed(raw_band({"ano": cells, "valor": counter}), cuts)
    counts = statistics.fields[0].counts
    assert (None if counts is None else len(counts)) == distinct


def test_an_infinity_is_null_in_a_text_column_too():
    """As the warning says (spec 1.1)."""
    raw = raw_band({"valor": ["a", "b", float("-inf"), float("nan"), 2.5]})
    listed = plain.analyse(raw)
    assert listed.values[0] == ["a", "b", None, None, "2.5"]
    assert (listed.statistics.fields[0].nulls, codes(listed.warnings)) == (2, ["not_finite"])
