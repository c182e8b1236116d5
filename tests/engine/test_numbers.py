"""Numbers as people write them, and the one style of a column (spec 2, "Numbers")."""

from __future__ import annotations

from decimal import Decimal
from math import inf
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from datasources.base import Lists, RawBand
from engine import numbers
from engine.band import type_band
from engine.columns import ColumnType, read_cell
from engine.evidence import observe_each
from engine.typing import decide_types
from tests.engine.small import codes, exact_cells, raw_band, typed

READ = [
    # style, cell, value, unit
    ("plain", "1234", "1234", None),
    ("plain", "0", "0", None),
    ("plain", "-0", "0", None),
    ("br", "3.782,27", "3782.27", None),
    ("br", "12,5", "12.5", None),
    ("br", ",00", "0", None),
    ("br", "1.234.567", "1234567", None),
    ("br", "1.000.000,25", "1000000.25", None),
    ("br", "1234567,8", "1234567.8", None),
    ("br", "0,005", "0.005", None),
    ("point", "3454.50", "3454.5", None),
    ("point", "3,782.27", "3782.27", None),
    ("point", ".5", "0.5", None),
    ("point", "1,234,567", "1234567", None),
    ("br", "1.234", "1234", None),
    ("point", "1.234", "1.234", None),
    ("br", "1,234", "1.234", None),
    ("point", "1,234", "1234", None),
    ("br", "1 234,56", "1234.56", None),
    ("br", "1\u00a0234\u00a0567,8", "1234567.8", None),
    ("br", "29\u202f000,50", "29000.5", None),
    ("point", "1'234.56", "1234.56", None),
    ("plain", "1 234", "1234", None),
    ("br", "-12,5", "-12.5", None),
    ("br", "+12,5", "12.5", None),
    ("br", "\u221212,5", "-12.5", None),
    ("br", "12,5-", "-12.5", None),
    ("br", "(12,5)", "-12.5", None),
    ("br", "R$ 1.250,00", "1250", "R$"),
    ("br", "R$1.250,00", "1250", "R$"),
    ("br", "R$ -5,00", "-5", "R$"),
    ("br", "-R$ 5,00", "-5", "R$"),
    ("br", "R$ (53.180,08)", "-53180.08", "R$"),
    ("br", "(R$ 53.180,08)", "-53180.08", "R$"),
    ("point", "US$ 68,486.66", "68486.66", "US$"),
    ("point", "$4.00", "4", "$"),
    ("br", "€ 1.234,50", "1234.5", "€"),
    ("point", "£76,800,000.00", "76800000", "£"),
    ("br", "12,5%", "12.5", "%"),
    ("br", "12,5 %", "12.5", "%"),
    ("br", "-2,25%", "-2.25", "%"),
    ("plain", "100%", "100", "%"),
]


@pytest.mark.parametrize(("style", "cell", "value", "unit"), READ, ids=repr)
def test_a_cell_reads_in_its_style(style, cell, value, unit):
    read = numbers.read_number(cell)
    assert read is not None
    assert Decimal(f"{read.digits}E-{numbers.decimals_in(read, style)}") == Decimal(value)
    assert read.unit == unit


NOT_NUMBERS = [
    "", "-", "abc", "1E5", "2e10", "5E1", "8E467", "0x1F", "1.2.3", "1..2", "1,2,3", "12.34,5.6", "1,23.456",
    "1.23,45,6", "--5", "-(5)", "5 5", "1  234", "R$", "R$ R$ 5", "5 R$", "%", "5%%", "1/2", "NaN", "inf",
    "１２３", "٣", "1_000", "(5", "5)", "0.123.456", "1 23", "1'23", "1\t234",
]  # fmt: skip


@pytest.mark.parametrize("cell", NOT_NUMBERS, ids=repr)
def test_a_text_is_no_number(cell):
    assert numbers.read_number(cell) is None


LEADING = [
    ("060", True),
    ("00012", True),
    ("0", False),
    ("0,5", False),
    ("00,5", True),
    ("-01", True),
    ("007%", True),
]


@pytest.mark.parametrize(("cell", "expected"), LEADING, ids=repr)
def test_a_zero_before_a_digit_makes_a_code(cell, expected):
    read = numbers.read_number(cell)
    assert read is not None
    assert read.leading_zero is expected


STYLES = [
    # cells, options, style, decided by, whether it is assumed
    pytest.param(["1.234", "3.782,27"], {}, "br", "cells", False, id="1.1 an unambiguous cell decides"),
    pytest.param(
        ["1,234", "3,782.27"], {"style": "br"}, "point", "cells", False, id="1.1 against the source"
    ),
    pytest.param(
        ["1.234", "1 234,5"], {}, "br", "cells", False, id="1.1 a spaced cell with a comma is for br"
    ),
    pytest.param(["1,234", "1 234.5"], {}, "point", "cells", False, id="1.1 and with a point for point"),
    pytest.param(["1.234"], {"locale": "pt-BR"}, "br", "locale", False, id="1.2 the locale pt-BR"),
    pytest.param(["1.234", "5000"], {"locale": "en"}, "point", "locale", False, id="1.2 the locale en"),
    pytest.param(
        ["1.234", "5000"], {"style": "br"}, "point", "plain", True, id="1.3 ungrouped thousands, a point"
    ),
    pytest.param(["1,234", "5000"], {}, "br", "plain", True, id="1.3 ungrouped thousands, a comma"),
    pytest.param(["1.234", "5.678", "9"], {}, "br", "groups", True, id="1.5 only short plain cells, points"),
    pytest.param(
        ["1,234", "5,678", "9"], {}, "point", "groups", True, id="1.5 only short plain cells, commas"
    ),
    pytest.param(["1.234", "9"], {}, "point", "source", True, id="1.5 needs two ambiguous cells"),
    pytest.param(["1.234", "5.678"], {}, "point", "source", True, id="1.5 needs a plain cell"),
    pytest.param(["1.234", "5.678"], {"style": "br"}, "br", "source", True, id="1.6 semicolons are br"),
    pytest.param(["1 234", "5 678"], {}, "plain", 0, False, id="spaces alone are neutral"),
]


@pytest.mark.parametrize(("cells", "options", "style", "decider", "assumed"), STYLES)
def test_the_first_rule_that_speaks_decides(cells, options, style, decider, assumed):
    column, _, band = typed(cells, **options)
    assert column.coercion is not None
    assert (column.style, column.coercion.evidence.get("decided_by", decider)) == (style, decider)
    assert column.coercion.assumed is assumed
    assert codes(band.warnings) == ["assumed_style"] * assumed


def test_other_columns_of_one_style_decide():
    band = type_band(raw_band({"a": ["1.234", "5.678"], "b": ["1,5", "2,25"]}))
    assert [column.style for column in band.columns] == ["br", "br"]
    assert exact_cells(band, 0) == [1234, 5678]


def test_other_columns_of_two_styles_do_not_decide():
    band = type_band(raw_band({"a": ["1.234", "5.678"], "b": ["1,5", "2,25"], "c": ["1.5", "2.25"]}))
    assert band.columns[0].coercion is not None
    assert band.columns[0].coercion.evidence["decided_by"] == "source"


def test_an_assumption_names_the_column_the_reading_and_the_other_one():
    _, _, band = typed(["1.234", "5.678"], name="peso")
    (warning,) = band.warnings
    assert (warning.field, warning.count) == ("peso", 2)
    assert "“peso”" in warning.message
    assert "decimals (style point)" in warning.message
    assert "style br" in warning.message


STAY_TEXT = [
    pytest.param(["3,5", "3.5"], "two_styles", ["two_styles"], id="1 both styles in one column"),
    pytest.param(["060", "12"], "leading_zero", [], id="2 leading zeros"),
    pytest.param(["1234567890123456", "1"], "long_digits", [], id="3 more than 15 digits"),
    pytest.param(
        ["1.234.567.890.123.456,00", "1,00"], "long_digits", [], id="3 grouped, more than 15 digits"
    ),
    pytest.param(["12%", "13"], "mixed_percent", ["mixed_percent"], id="6 some with %, some without"),
    pytest.param(["12%", "R$ 13"], "mixed_percent", ["mixed_percent"], id="6 percent and currency"),
    pytest.param(["R$ 12", "US$ 13"], "two_currencies", ["two_currencies"], id="6 two currencies"),
]


@pytest.mark.parametrize(("cells", "decider", "warned"), STAY_TEXT)
def test_a_column_of_numbers_stays_text(cells, decider, warned):
    column, values, band = typed(cells)
    assert (column.type, values) == ("text", cells)
    assert column.coercion is not None
    assert column.coercion.evidence["decided_by"] == decider
    assert codes(band.warnings) == warned


FIFTEEN = [
    pytest.param(["123456789012345"], ["123456789012345"], id="15 digits are a number"),
    pytest.param(["999999999999,99"], ["999999999999.99"], id="decimals do not count"),
    pytest.param(["9.999.999.999.999,99"], ["9999999999999.99"], id="no cent is lost"),
]


@pytest.mark.parametrize(("cells", "values"), FIFTEEN)
def test_long_numbers_are_exact(cells, values):
    assert typed(cells)[1] == [Decimal(value) for value in values]


DOCUMENTS = [
    pytest.param("cpf", "12345678909", "text", id="CPF of 11"),
    pytest.param("nr_cnpj", "12345678000195", "text", id="CNPJ of 14"),
    pytest.param("CEP", "70836900", "text", id="CEP of 8"),
    pytest.param("codigo gtin", "7891234567895", "text", id="GTIN of 13"),
    pytest.param("EAN", "78912345", "text", id="EAN of 8"),
    pytest.param("ean", "7891234", "number", id="EAN of 7 is none"),
    pytest.param("cep", "7083690", "number", id="CEP that lost its zero"),
    pytest.param("x", "12345678909", "number", id="no name token"),
]


@pytest.mark.parametrize(("name", "cell", "kind"), DOCUMENTS)
def test_a_document_is_known_by_name_and_length(name, cell, kind):
    assert typed([cell, cell], name=name)[0].type == kind


def test_a_document_with_another_length_among_its_cells_is_none():
    assert typed(["12345678909", "123"], name="cpf")[0].type == "number"


UNITS = [
    pytest.param(["R$ 5,00", "6,00"], "R$", ["5", "6"], id="one currency, others without"),
    pytest.param(["12,5%", "-3%"], "%", ["12.5", "-3"], id="percent is the number before the sign"),
    pytest.param(["5", "6"], None, ["5", "6"], id="none"),
]


@pytest.mark.parametrize(("cells", "unit", "values"), UNITS)
def test_a_column_has_the_unit_of_its_cells(cells, unit, values):
    column, found, _ = typed(cells)
    assert (column.type, column.unit, found) == ("number", unit, [Decimal(value) for value in values])


SCALES = [
    pytest.param(["1,5", "2,25", "3"], 2, id="the most decimals written"),
    pytest.param(["1,50", "2"], 2, id="trailing zeros count"),
    pytest.param(["1.234", "5.678"], 3, id="ambiguous cells as decimals"),
    pytest.param([0.1, 2.25], 2, id="native floats by their shortest text"),
    pytest.param([3.0, 4.0], 0, id="whole floats"),
    pytest.param([Decimal("1.500"), Decimal("2.000")], 3, id="native decimals keep theirs"),
    pytest.param([7, 8], 0, id="integers"),
]


@pytest.mark.parametrize(("cells", "scale"), SCALES)
def test_the_scale_of_a_column(cells, scale):
    column, _, _ = typed(cells)
    assert (column.scale, column.double) == (scale, False)


DOUBLES = [
    pytest.param([1 / 3, 0.5], [], id="a float of more than nine decimals"),
    pytest.param([1e40, 0.5], ["not_decimal"], id="a float too large for 38 digits"),
]


@pytest.mark.parametrize(("cells", "warned"), DOUBLES)
def test_other_floats_stay_double(cells, warned):
    column, values, band = typed(cells)
    assert (column.double, values) == (True, cells)
    assert codes(band.warnings) == warned


def test_native_integers_of_more_than_15_digits_are_text():
    column, values, _ = typed([76561198002414961, 1])
    assert (column.type, values) == ("text", ["76561198002414961", "1"])


NATIVE = [
    (5, 5, 0),
    (-5, -5, 0),
    (0.5, 5, 1),
    (1e3, 1000, 0),
    (-2.25, -225, 2),
    (Decimal("1.50"), 150, 2),
    (0.0, 0, 0),
]


@pytest.mark.parametrize(("value", "digits", "decimals"), NATIVE, ids=repr)
def test_a_native_number_is_exact(value, digits, decimals):
    cell = numbers.read_native(value)
    assert cell is not None
    assert (cell.digits, cell.decimals) == (digits, decimals)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), float("-inf"), Decimal("NaN"), Decimal("Infinity")]
)
def test_what_is_not_finite_is_no_number(value):
    assert numbers.read_native(value) is None


# ------------------------------------------------------------------ properties


def grouped(integer: str, mark: str) -> str:
    """Digits in groups of three."""
    return f"{int(integer):,}".replace(",", mark)


def in_style(value: Decimal, scale: int, style: str, *, groups: bool) -> str:
    """A number as a person of that style writes it."""
    sign = "-" if value < 0 else ""
    whole, _, decimals = f"{abs(value):.{scale}f}".partition(".")
    mark, group = {"br": (",", "."), "point": (".", ","), "spaced": (",", "\u202f")}[style]
    return sign + (grouped(whole, group) if groups else whole) + (mark + decimals if scale else "")


VALUES = st.lists(st.integers(-(10**11), 10**11), min_size=1, max_size=8)


@given(VALUES, st.sampled_from([1, 2, 4]), st.sampled_from(["br", "point", "spaced"]), st.booleans())
def test_numbers_survive_every_style(integers, scale, style, groups):
    values = [Decimal(f"{integer}E-{scale}") for integer in integers]
    cells = [in_style(value, scale, style, groups=groups) for value in values]
    column, found, _ = typed(cells)
    assert (column.type, column.scale, found) == ("number", scale, values)


@given(VALUES, st.sampled_from(["br", "point"]))
def test_thousands_are_read_in_the_declared_locale(integers, style):
    # A first or last row that is the sum of the others is no row (spec 0.4).
    assume(len(integers) < 3 or sum(integers) not in (2 * integers[0], 2 * integers[-1]))
    cells = [in_style(Decimal(integer), 0, style, groups=True) for integer in integers]
    assert typed(cells, locale={"br": "pt-BR", "point": "en-US"}[style])[1] == integers


@given(st.lists(st.text("0123456789.,-+%()R$ '", max_size=9), min_size=1, max_size=6), st.integers(0, 6))
def test_evidence_adds_up_however_the_cells_are_split(cells, cut):
    cells = [cell.strip() or "0" for cell in cells]
    whole, first, second = (
        [observe_each({cell: 1}, "x") for cell in part] for part in (cells, cells[:cut], cells[cut:])
    )

    def verdict(*parts):
        total = observe_each({}, "x")
        for part in parts:
            for one in part:
                total.merge(one)
        return decide_types(RawBand("b", ("x",), Lists(([],), 0), "text", "br"), [total])

    assert verdict(second, first) == verdict(whole)


LONG = [
    pytest.param(["0." + "9" * 5000, "1,5"], "text", id="decimals and a comma"),
    pytest.param(["0." + "9" * 5000, "1.5"], "number", id="decimals"),
    pytest.param(["-" + "9" * 5000, "1"], "text", id="negative"),
    pytest.param(["9" * 5000 + ".5", "1.5"], "text", id="before the mark"),
    pytest.param([10**5000, -(10**5000), 1], "text", id="native"),
    pytest.param([10**5000, 1.5], "text", id="native, with a fraction beside it"),
    pytest.param([10**5000, "x"], "text", id="native, with a text beside it"),
]


@pytest.mark.parametrize(("cells", "expected"), LONG)
def test_numbers_of_thousands_of_digits_are_read(cells, expected):
    """Python refuses to turn so many digits into an integer, or back."""
    assert typed(cells)[0].type == expected


TIE = "1.00000000000000011102230246251565404236316680908203125"
"""Half-way between one and the double above it."""
SMALLEST = f"{Decimal.from_float(5e-324):f}"

NEAREST = [
    pytest.param(TIE + "0" * 2000, 1.0, id="half-way, to even"),
    pytest.param(TIE + "0" * 2000 + "1", 1.0000000000000002, id="more than half-way, far behind"),
    pytest.param("0" * 900 + "5.5", 5.5, id="zeros ahead"),
    pytest.param("0." + "0" * 3_000_000 + "5", 0.0, id="smaller than any"),
    pytest.param(SMALLEST, 5e-324, id="the smallest"),
    pytest.param(SMALLEST + "9" * 2000, 5e-324, id="the smallest, and more"),
    pytest.param("1" + "0" * 308 + ".5", 1e308, id="309 digits"),
    pytest.param("-1" + "0" * 309 + ".5", None, id="past all doubles"),
    pytest.param("1" * 3_000_000 + ".5", None, id="far past all doubles"),
]


@pytest.mark.parametrize(("cell", "expected"), NEAREST)
def test_a_cell_of_any_length_is_its_nearest_double(cell, expected):
    column = ColumnType("x", "number", double=True, style="point")
    assert read_cell(cell, column) == expected


@given(
    st.integers(0, 10**320),
    st.integers(0, 1100),
    st.text("0123456789", min_size=1, max_size=1200),
)
def test_the_double_of_a_long_number_is_the_nearest(whole, zeros, digits):
    text = f"{whole}.{'0' * zeros}{digits}"
    nearest = float(text)
    column = ColumnType("x", "number", double=True, style="point")
    assert read_cell(text, column) == (None if nearest == inf else nearest)


MILLIONS = [
    pytest.param("1" * 3_000_000, 3_000_000, id="plain"),
    pytest.param("0" * 3_000_000, 3_000_000, id="zeros"),
    pytest.param("(R$ " + "1" * 3_000_000 + ",5)", 3_000_000, id="money"),
    pytest.param("0," + "0" * 3_000_000 + "5", 1, id="decimals"),
]


@pytest.mark.parametrize(("cell", "integer_digits"), MILLIONS)
def test_a_cell_of_millions_of_digits_takes_no_time(cell, integer_digits):
    start = process_time()
    found = numbers.read_number(cell)
    assert found is not None
    assert found.integer_digits == integer_digits
    assert process_time() - start < 0.5
    assert found.digits.bit_length() < 5_000
