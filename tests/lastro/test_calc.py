"""`lastro calc` reads numbers as people write them, calculates exactly, and knows the facts of files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.calculate import OPERANDS
from engine.exceptions import QueryError
from lastro import cli
from lastro.calc_words import read_operations
from lastro.exceptions import WordsError

VENDAS = str(Path(__file__).parents[2] / "examples" / "financeiro" / "vendas.csv")


def run(capfd, *words: str) -> tuple[int, str, str]:
    status = cli.main(["calc", *words])
    out, err = capfd.readouterr()
    return status, out, err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sum", "10,5", "20"], [{"op": "sum", "values": ["10,5", "20"]}]),
        (["sum 1.234,50 R$ 5,15"], [{"op": "sum", "values": ["1.234,50", "R$ 5,15"]}]),
        (["sum", "R$", "5", "- US$ 3"], [{"op": "sum", "values": ["R$ 5", "- US$ 3"]}]),
        (["sum", "1 234,56"], [{"op": "sum", "values": ["1 234,56"]}]),
        (["Growth", "100", "120"], [{"op": "growth", "initial": "100", "final": "120"}]),
        (["growth", "final=120", "100"], [{"op": "growth", "final": "120", "initial": "100"}]),
        (
            ["ratio", "numerator=R$ 1", "3", "decimals=4"],
            [{"op": "ratio", "numerator": "R$ 1", "denominator": "3", "decimals": 4}],
        ),
        (
            ["sum 1 2", "percentage", "#1", "whole=F2", "sum"],
            [
                {"op": "sum", "values": ["1", "2"]},
                {"op": "percentage", "part": "#1", "whole": "F2"},
                {"op": "sum"},
            ],
        ),
        (["sum", "values=1", "2"], [{"op": "sum", "values": ["1", "2"]}]),
        (["growth initial=R$ 5,15 final=R$ 6"], [{"op": "growth", "initial": "R$ 5,15", "final": "R$ 6"}]),
    ],
)
def test_operations_are_read(words, expected):
    assert read_operations(words) == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["soma", "1"], "“soma” is not an operation. There are: sum, average"),
        (["sum", "1.234", "1"], "“1.234” may mean 1234 or 1.2340: write it so, or say with --locale"),
        (["sum", "1,234"], "“1,234” may mean 1234 or 1.2340"),
        (["rato", "1"], "Did you mean ratio?"),
        (["growth", "1", "2", "3"], "growth takes initial and final, and “3” is one too many"),
        (["growth", "initial=1", "initial=2"], "growth takes one initial, and it is given twice"),
        (["growth", "of=1"], "growth takes no “of”. It takes: initial, final, decimals."),
    ],
)
def test_what_cannot_be_read_is_said(words, message):
    with pytest.raises((WordsError, QueryError), match=re.escape(message)):
        read_operations(words)


@pytest.mark.parametrize(
    ("locale", "written", "expected"),
    [
        ("pt-BR", "1.234", "1234"),
        ("pt-BR", "R$ 1.234", "R$ 1234"),
        ("pt-BR", "1,234", "1.2340"),
        ("en", "1.234", "1.2340"),
        ("en", "-1,234", "-1234"),
        (None, "1.234,50", "1.234,50"),
        (None, "0.234", "0.234"),
        (None, "12.3456", "12.3456"),
        (None, "F123", "F123"),
    ],
)
def test_a_locale_tells_thousands_from_decimals(locale, written, expected):
    (operation,) = read_operations(["sum", written], locale)
    assert operation["values"] == [expected]


@given(st.lists(st.text(max_size=6) | st.sampled_from([*OPERANDS, "R$", "initial=1", "#1", "decimals=x"])))
def test_any_words_are_operations_or_refused(words):
    try:
        operations = read_operations(words)
    except (WordsError, QueryError):
        return
    assert all(one["op"] in OPERANDS for one in operations)


@pytest.mark.parametrize(
    ("words", "first_line"),
    [
        (["sum", "10,5", "20", "R$ 30"], "R$ 60.50"),
        (["sum", "-5,15", "-R$3", "(50,10)"], "R$ -58.25"),
        (["growth", "initial=100", "final=120"], "20%"),
        (["ratio", "1", "3", "decimals=4"], "0.3333  (rounded)"),
        (["ratio", "1", "0"], "no value"),
        (['{"operations": [{"op": "sum", "values": [0.1, 0.2]}]}'], "0.3"),
    ],
)
def test_the_result_comes_first(capfd, words, first_line):
    status, out, err = run(capfd, *words)
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == first_line


def test_several_operations(capfd, golden):
    status, out, _ = run(capfd, "sum", "10", "20", "percentage", "#1", "300", "ratio", "#2", "0")
    assert status == 0
    golden("answers/calc.txt", out)


def test_facts_of_files(capfd):
    status, out, _ = run(capfd, "--from", VENDAS)
    assert status == 0
    lines = out.splitlines()
    assert re.fullmatch(r"  F2  674628\.14 +SUM of valor_total +vendas", lines[2])
    assert "F13  146         COUNT of rows, status = faturado" in out
    _, out, _ = run(capfd, "--from", VENDAS, "percentage", "F3", "F2")
    assert out == "0.57%  (rounded)\npercentage: part 3855.02 (F3), whole 674628.14 (F2)\n"
    _, out, _ = run(capfd, "--from", VENDAS, "--json")
    assert json.loads(out)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "There is nothing to calculate"),
        (["sum"], "Operation 1: sum needs values."),
        (["sum", "F1"], "Operation 1: there is no fact F1"),
        (["growth", "of=1", "--lang", "pt"], "Operação 1: growth não aceita “of”."),
        (["{"], "The arguments are not a JSON object"),
        (["--from", "no.csv", "sum", "1"], "There is no file no.csv"),
    ],
)
def test_what_cannot_be_calculated_is_said(capfd, words, message):
    status, out, err = run(capfd, *words)
    assert (status, out) == (2, "")
    assert err.startswith(f"lastro: {message}")


def test_programs_get_the_answer_of_the_tool(capfd):
    status, out, _ = run(capfd, "sum", "1,5", "2", "--json")
    assert (status, json.loads(out)["results"][0]["result"]) == (0, 3.5)
    status, out, err = run(capfd, "sum", "abc", "--json")
    assert (status, err) == (2, "")
    assert json.loads(out)["results"] is None
