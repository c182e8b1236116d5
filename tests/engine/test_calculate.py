"""Calculations are exact, say what they come from, and are small whatever is asked."""

from __future__ import annotations

import random
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import QueryError
from engine.calculate import OPERANDS, Operation, calculate
from engine.fact import Fact, GroupKey
from engine.fact_ledger import FactLedger
from engine.notes import LANGUAGES

FACTS = (
    Fact("389210", "number", "SUM", "vendas", "valor", "R$", (GroupKey("status", "faturado"),)),
    Fact("423891.5", "number", "SUM", "vendas", "valor", "R$"),
    Fact("180", "number", "COUNT", "vendas"),
    Fact("2026-06-30", "date", "MAX", "vendas", "data"),
    Fact("0", "number", "NULLS", "vendas", "valor"),
    Fact("180", "number", "COUNT", "itens"),
    Fact("12.5", "number", "AVG", "vendas", "margem", "%"),
    Fact("-200", "number", "SUM", "caixa", "saldo", "R$"),
    Fact("1" * 61, "number", "SUM", "vendas", "enorme"),
)


def ledger():
    return FactLedger(FACTS)


def run(*steps, facts=None):
    """Each step is an op, its operands, and perhaps `decimals`."""
    return calculate([operation(*step) for step in steps], ledger() if facts is None else facts)


def operation(op, operands):
    named = {name: value for name, value in operands.items() if name != "decimals"}
    return Operation(op, named, operands.get("decimals"))


def one(op, **operands):
    (found,) = run((op, operands))
    return found


RESULTS = [
    pytest.param("sum", {"values": ["F1", "F2"]}, "813101.5", "R$", False, id="sum"),
    pytest.param("sum", {"values": ["0.1", Decimal("0.2")]}, "0.3", None, False, id="sum is decimal"),
    pytest.param("sum", {"values": ["F1", 10]}, "389220", "R$", False, id="a unit and none"),
    pytest.param(
        "difference", {"minuend": "F2", "subtrahend": "F1"}, "34681.5", "R$", False, id="difference"
    ),
    pytest.param("product", {"values": ["F1", 3]}, "1167630", "R$", False, id="product"),
    pytest.param("product", {"values": ["0,5", "0,2"]}, "0.1", None, False, id="product of decimals"),
    pytest.param("product", {"values": [0, "0,2"]}, "0", None, False, id="product with 0"),
    pytest.param("average", {"values": ["F1", "F2"]}, "406550.75", "R$", False, id="average"),
    pytest.param("average", {"values": [1, 0, 0]}, "0.33", None, True, id="average, two decimals"),
    pytest.param(
        "average", {"values": ["0.0005", 0, 0]}, "0.0002", None, True, id="average, its own decimals"
    ),
    pytest.param("average", {"values": ["0.05", "0.06"]}, "0.06", None, True, id="half to even, up"),
    pytest.param("average", {"values": ["0.06", "0.07"]}, "0.06", None, True, id="half to even, down"),
    pytest.param("ratio", {"numerator": "F2", "denominator": "F3"}, "2354.952778", "R$", True, id="ratio"),
    pytest.param(
        "ratio", {"numerator": "F1", "denominator": "F2"}, "0.918183", None, True, id="ratio of money"
    ),
    pytest.param("ratio", {"numerator": 6, "denominator": -3}, "-2", None, False, id="negative divisor"),
    pytest.param("percentage", {"part": "F1", "whole": "F2"}, "91.82", "%", True, id="percentage"),
    pytest.param("growth", {"initial": "F1", "final": "F2"}, "8.91", "%", True, id="growth"),
    pytest.param("growth", {"initial": 80, "final": 60}, "-25", "%", False, id="negative growth"),
    pytest.param("growth", {"initial": "F8", "final": -100}, "50", "%", False, id="of a negative initial"),
    pytest.param(
        "compound", {"initial": 1000, "rate": "1,5%", "periods": 12}, "1195.62", None, True, id="compound"
    ),
    pytest.param(
        "compound", {"initial": "F1", "rate": 5, "periods": 0}, "389210", "R$", False, id="no periods"
    ),
    pytest.param("compound", {"initial": 5, "rate": -100, "periods": 3}, "0", None, False, id="all is lost"),
    pytest.param(
        "ratio", {"numerator": 2, "denominator": 3, "decimals": 0}, "1", None, True, id="no decimals"
    ),
    pytest.param(
        "ratio", {"numerator": 2, "denominator": 3, "decimals": 12}, "0.666666666667", None, True, id="many"
    ),
    pytest.param("sum", {"values": ["F2"], "decimals": 0}, "423892", "R$", True, id="a rounded sum"),
]


@pytest.mark.parametrize(("op", "operands", "value", "unit", "rounded"), RESULTS)
def test_an_operation_gives(op, operands, value, unit, rounded):
    found = one(op, **operands)
    assert (found.value, found.unit, found.rounded) == (value, unit, rounded)
    assert found.fact is not None
    assert (found.fact.value, found.fact.unit, found.fact.verb) == (value, unit, op.upper())


WRITTEN = [
    pytest.param("1.234,56", "1234.56", None, id="Brazilian"),
    pytest.param("R$ 5,15", "5.15", "R$", id="money"),
    pytest.param("12,5%", "12.5", "%", id="percent"),
    pytest.param("3.454", "3.454", None, id="one point is decimal"),
    pytest.param("1.234.567", "1234567", None, id="two groups"),
    pytest.param("1,234.50", "1234.5", None, id="point"),
    pytest.param("1 234,50", "1234.5", None, id="spaced"),
    pytest.param("(5,00)", "-5", None, id="parentheses"),
    pytest.param("−7", "-7", None, id="minus sign"),
    pytest.param(" 7.50 ", "7.5", None, id="blanks"),
    pytest.param(-7, "-7", None, id="whole"),
    pytest.param(Decimal("1E+30"), "1" + "0" * 30, None, id="exponent"),
    pytest.param(Decimal("-0.00"), "0", None, id="no negative zero"),
]


@pytest.mark.parametrize(("written", "value", "unit"), WRITTEN)
def test_a_number_reads_as_people_write_it(written, value, unit):
    (operand,) = calculate([Operation("sum", {"values": [written]})], FactLedger())[0].operands
    assert (operand.value, operand.unit, operand.is_bound) == (value, unit, False)


NO_NUMBERS = [
    # What a program that evaluates would fall for.
    *("9**9**9", "9**3000000", "1<<10**10", "'a'*10**9", "(((((1)))))", "-----1", "1e999999", "1E5", "1/0"),
    *("0.1+0.2", "__import__('os').system('ls')", "nan", "NaN", "inf", "-Infinity", "sNaN", "1_000", "0x10"),
    *(
        "１２３",
        "٣",
        "²",
        "",
        " ",
        "%",
        "R$",
        "1,2,3",
        "1.2.3",
        "--1",
        "060",
        "F",
        "F0",
        "#",
        "1\x002",
    ),
    *(Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), True, 0.5, {}, b"1"),
]


@pytest.mark.parametrize("given", NO_NUMBERS, ids=repr)
def test_what_is_no_number_is_refused(given):
    with pytest.raises(QueryError) as raised:
        one("sum", values=[given])
    assert raised.value.code == "calc_no_number"


REFUSED = [
    pytest.param("calc_too_long", "sum", {"values": ["1" * 61]}, id="61 digits"),
    pytest.param("calc_too_long", "sum", {"values": ["1" * 1_000_000]}, id="a long text"),
    pytest.param("calc_too_long", "sum", {"values": ["(" * 5_000]}, id="parentheses"),
    pytest.param("calc_too_long", "sum", {"values": ["-" * 100_000]}, id="signs"),
    pytest.param("calc_too_long", "sum", {"values": [10**60]}, id="a large whole number"),
    pytest.param("calc_too_long", "sum", {"values": [-(10**100_000)]}, id="a huge whole number"),
    pytest.param("calc_too_long", "sum", {"values": [Decimal("1e999999")]}, id="a huge exponent"),
    pytest.param("calc_too_long", "sum", {"values": [Decimal("1e-31")]}, id="a tiny exponent"),
    pytest.param("calc_too_long", "sum", {"values": [f"0,{'0' * 30}1"]}, id="many decimals"),
    pytest.param("calc_too_long", "sum", {"values": ["F9"]}, id="a long fact"),
    pytest.param("calc_two_readings", "sum", {"values": ["1,234"]}, id="one comma"),
    pytest.param("calc_unknown_fact", "sum", {"values": ["F99"]}, id="unknown fact"),
    pytest.param("calc_fact_no_number", "sum", {"values": ["F4"]}, id="a date"),
    pytest.param("calc_unknown_result", "sum", {"values": ["#1"]}, id="its own result"),
    pytest.param("calc_unknown_result", "sum", {"values": ["#0"]}, id="#0"),
    pytest.param("calc_unknown_op", "eval", {"values": [1]}, id="unknown operation"),
    pytest.param("calc_unknown_operand", "sum", {"values": [1], "x": 2}, id="unknown operand"),
    pytest.param("calc_missing_operand", "ratio", {"numerator": 1}, id="missing operand"),
    pytest.param("calc_missing_operand", "ratio", {"numerator": 1, "denominator": None}, id="null operand"),
    pytest.param("calc_missing_operand", "sum", {}, id="no values"),
    pytest.param("calc_missing_operand", "sum", {"values": []}, id="empty values"),
    pytest.param("calc_list_needed", "sum", {"values": "F1"}, id="a list is needed"),
    pytest.param("calc_one_needed", "ratio", {"numerator": [1], "denominator": 2}, id="no list is needed"),
    pytest.param("calc_too_many_values", "sum", {"values": [1] * 101}, id="101 values"),
    pytest.param("calc_decimals", "sum", {"values": [1], "decimals": 13}, id="13 decimals"),
    pytest.param("calc_decimals", "sum", {"values": [1], "decimals": True}, id="decimals of true"),
    pytest.param("calc_periods", "compound", {"initial": 1, "rate": 1, "periods": 1001}, id="1001 periods"),
    pytest.param("calc_periods", "compound", {"initial": 1, "rate": 1, "periods": "1,5"}, id="half a period"),
    pytest.param("calc_periods", "compound", {"initial": 1, "rate": 1, "periods": -1}, id="-1 periods"),
    pytest.param(
        "calc_rate",
        "compound",
        {"initial": 1, "rate": f"0.{'0' * 20}1", "periods": 1},
        id="decimals of a rate",
    ),
    pytest.param(
        "calc_result_too_long", "compound", {"initial": 1, "rate": 900, "periods": 1000}, id="1e1000"
    ),
    pytest.param("calc_result_too_long", "product", {"values": [10**59] * 3}, id="a large product"),
    pytest.param("calc_result_too_long", "product", {"values": [Decimal("1e-30")] * 5}, id="a tiny product"),
]


@pytest.mark.parametrize(("code", "op", "operands"), REFUSED)
def test_what_cannot_be_calculated_is_refused_in_every_language(code, op, operands):
    with pytest.raises(QueryError) as raised:
        one(op, **operands)
    assert raised.value.code == code
    texts = {raised.value.text(language) for language in LANGUAGES}
    assert len(texts) == len(LANGUAGES)


@pytest.mark.parametrize(
    ("count", "code"), [(0, "calc_no_operations"), (21, "calc_too_many_operations")], ids=["none", "21"]
)
def test_a_call_has_a_number_of_operations(count, code):
    with pytest.raises(QueryError) as raised:
        run(*[("sum", {"values": [1]})] * count)
    assert raised.value.code == code


def test_a_refusal_says_which_operation():
    with pytest.raises(QueryError) as raised:
        run(("sum", {"values": [1]}), ("ratio", {"numerator": 1}))
    assert raised.value.message == "Operation 2: ratio needs denominator."


NOTES = [
    pytest.param("ratio", {"numerator": 1, "denominator": "F5"}, ["calc_division_by_zero"], id="ratio"),
    pytest.param("percentage", {"part": 0, "whole": "0,00"}, ["calc_division_by_zero"], id="percentage"),
    pytest.param("growth", {"initial": 0, "final": 5}, ["calc_division_by_zero"], id="growth"),
    pytest.param("growth", {"initial": "F8", "final": 5}, ["calc_negative_initial"], id="negative initial"),
    pytest.param("sum", {"values": ["F1", "F7"]}, ["calc_units_differ"], id="sum of units"),
    pytest.param(
        "ratio", {"numerator": "F1", "denominator": "US$ 2"}, ["calc_units_differ"], id="currencies"
    ),
    pytest.param(
        "percentage", {"part": "US$ 5", "whole": "F2"}, ["calc_units_differ"], id="share of another"
    ),
    pytest.param("product", {"values": ["F1", "12,5%"]}, ["calc_percent_factor"], id="a percentage times"),
    pytest.param(
        "compound",
        {"initial": "F1", "rate": "R$ 5", "periods": 1},
        ["calc_unit_left_out"],
        id="rate of money",
    ),
    pytest.param("compound", {"initial": "F1", "rate": "F7", "periods": 1}, [], id="rate"),
    pytest.param("product", {"values": ["F1", "F2"]}, [], id="money times money"),
]


@pytest.mark.parametrize(("op", "operands", "codes"), NOTES)
def test_a_note_says(op, operands, codes):
    found = one(op, **operands)
    assert [one.code for one in found.notes] == codes
    assert (found.value is None) == ("calc_division_by_zero" in codes) == (found.fact is None)
    for said in found.notes:
        assert len({said.text(language) for language in LANGUAGES}) == len(LANGUAGES)


def test_results_of_earlier_operations_are_operands():
    found = run(
        ("difference", {"minuend": "F2", "subtrahend": "F1"}),
        ("percentage", {"part": "#1", "whole": "F2"}),
        ("ratio", {"numerator": 1, "denominator": 0}),
        ("sum", {"values": ["#2", "#3"]}),
    )
    assert [one.value for one in found] == ["34681.5", "8.18", None, None]
    assert found[1].operands[0].result == 1
    assert found[1].fact.sources == ("F2", "F1")
    assert found[1].is_bound
    assert [one.code for one in found[3].notes] == ["calc_no_operand"]
    assert found[3].notes[0].values["result"] == "#3"


BOUND = [
    pytest.param(Decimal("423891.50"), "F2", (), id="the one fact of its value"),
    pytest.param("R$ 423.891,50", "F2", (), id="as people write it"),
    pytest.param("f2", "F2", (), id="an id"),
    pytest.param(180, None, ("F3", "F6"), id="several facts"),
    pytest.param("12,5%", "F7", (), id="of the same unit"),
    pytest.param("R$ 12,5", None, (), id="of another unit"),
    pytest.param(423891, None, (), id="near is not equal"),
]


@pytest.mark.parametrize(("given", "fact", "candidates"), BOUND)
def test_a_literal_is_bound_to_the_one_fact_that_it_equals(given, fact, candidates):
    found = one("sum", values=[given])
    (operand,) = found.operands
    assert (operand.fact, operand.candidates) == (fact, candidates)
    assert operand.is_bound == found.is_bound == (fact is not None)
    assert found.fact.sources == ((fact,) if fact else ())


def test_of_many_candidates_ten_are_named():
    facts = FactLedger(Fact("7", "number", "COUNT", f"b{index}") for index in range(30))
    (found,) = run(("sum", {"values": [7]}), facts=facts)
    assert found.operands[0].candidates == tuple(f"F{index}" for index in range(1, 11))


def test_a_result_is_of_the_band_that_all_its_facts_are_of():
    assert one("ratio", numerator="F2", denominator="F3").fact.band == "vendas"
    assert one("sum", values=["F3", "F6"]).fact.band is None


def test_the_ledger_adds_a_result_once():
    facts = ledger()
    first, again = (run(("growth", {"initial": "F1", "final": "F2"}), facts=facts)[0] for _ in range(2))
    assert facts.add(first.fact).id == facts.add(again.fact).id == "F10"


# ---- against fractions ----


def fraction_of(op, numbers):
    """(the exact result, the decimals of its own; None for exact ones), None where it divides by zero."""
    scale = max(map(decimals_of, numbers))
    values = list(map(Fraction, numbers))
    match op:
        case "sum":
            return sum(values), None
        case "average":
            return sum(values) / len(values), max(2, scale)
        case "product":
            result = Fraction(1)
            for value in values:
                result *= value
            return result, None
        case "difference":
            return values[0] - values[1], None
        case "ratio":
            return (values[0] / values[1], 6) if values[1] else None
        case "percentage":
            return (values[0] / values[1] * 100, 2) if values[1] else None
        case "growth":
            return ((values[1] - values[0]) / abs(values[0]) * 100, 2) if values[0] else None
    return values[0] * (1 + values[1] / 100) ** int(values[2]), max(2, decimals_of(numbers[0]))


def decimals_of(number):
    _, _, decimals = number.partition(".")
    return len(decimals.rstrip("0"))


def random_number(chance):
    digits = chance.choice(
        (0, 1, 7, 100, chance.randrange(10**4), chance.randrange(10**12), chance.randrange(10**25))
    )
    return f"{Decimal(digits * chance.choice((1, 1, -1))).scaleb(-chance.randrange(7)):f}"


def test_three_thousand_random_operations_equal_fractions():
    chance = random.Random(20260704)
    none = FactLedger()
    for _ in range(3_000):
        op = chance.choice(list(OPERANDS))
        names = OPERANDS[op]
        if names == ("values",):
            numbers = [random_number(chance) for _ in range(chance.randint(1, 4))]
            operands = {"values": numbers}
        else:
            numbers = [random_number(chance) for _ in names]
            if op == "compound":
                numbers[1:] = f"{chance.randint(-1500, 1500) / 100:.2f}", str(chance.randrange(40))
            operands = dict(zip(names, numbers, strict=True))
        decimals = chance.choice((None, None, chance.randrange(13)))
        (found,) = calculate([Operation(op, operands, decimals)], none)
        expected = fraction_of(op, numbers)
        if expected is None:
            assert found.value is None
            continue
        exact, own = expected
        places = own if decimals is None else decimals
        rounded = exact if places is None else Fraction(round(exact * 10**places), 10**places)
        value = str(found.value)
        assert Fraction(value) == rounded, (op, numbers, decimals)
        assert found.rounded == (rounded != exact)
        assert "E" not in value
        assert value != "-0"


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**20), max_value=10**20))
def test_a_number_is_the_same_in_every_writing(number):
    plain = f"{number:f}"
    whole, _, decimals = f"{abs(number):,f}".partition(".")
    brazilian = f"{'-' if number < 0 else ''}{whole.replace(',', '.')},{decimals}"
    for written in (number, plain, brazilian, f"R$ {brazilian}"):
        found = calculate([Operation("sum", {"values": [written]})], FactLedger())[0]
        assert Decimal(str(found.value)) == number


@given(st.text(max_size=120) | st.from_regex(r"[-+R$ €%().,0-9eE#F]{1,40}", fullmatch=True))
def test_any_text_is_a_number_or_refused(text):
    value, code = "0", "calc_"
    try:
        value = str(one("sum", values=[text]).value)
    except QueryError as error:
        code = error.code
    assert code.startswith("calc_")
    assert Decimal(value).is_finite()


WORST = [
    pytest.param(
        "compound", {"initial": "9" * 60, "rate": f"0.{'0' * 12}12345677", "periods": 1000}, id="powers"
    ),
    pytest.param(
        "compound", {"initial": 1, "rate": f"-99.{'9' * 19}7", "periods": 1000}, id="negative rates"
    ),
    pytest.param("product", {"values": [f"{'7' * 30}.{'3' * 30}"] * 100, "decimals": 0}, id="products"),
    pytest.param("product", {"values": [f"0.{'3' * 30}"] * 100, "decimals": 12}, id="small products"),
    pytest.param("average", {"values": [f"1{' 234' * 19},5"] * 100}, id="long texts"),
]


@pytest.mark.parametrize(("op", "operands"), WORST)
def test_the_largest_call_takes_no_time(op, operands):
    operations = [operation(op, operands)] * 20
    least = 1.0
    for _ in range(5):
        start = process_time()
        with suppress(QueryError):  # a result may be too long, which is found out last
            calculate(operations, FactLedger())
        least = min(least, process_time() - start)
    assert least < 0.1  # seconds of this process, also on a slow machine
