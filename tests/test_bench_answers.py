"""The tables of the benchmark mean the same in every format, and an answer counts only where it stands."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from hashlib import sha256

import pytest

from benchmarks import answers
from benchmarks.answer_questions import KINDS, Question, ask, average, rows_where, total
from benchmarks.answer_tables import SHAPES, Column, Table, answer_tables
from benchmarks.answer_texts import (
    WrongAnswer,
    context_facts,
    stands_in_context,
    stands_in_rows,
    stands_in_toon,
)
from benchmarks.beside_peers import answers_figures
from benchmarks.peer_environments import NotInstalled, Tool
from benchmarks.toon import toon_table

NO_TOKENIZER = NotInstalled(Tool("tokens", "a tokenizer", ("t==1",)), "no wheel")
SMALL_MAX = 500

TEXT = """## REPORT SCHEMA

### vendas (3 rows)
Fields: uf (text, values: SP|RJ), valor (number), data (date)
Summary: valor SUM=60.5 AVG=30.25 MIN=20 MAX=40.5 NULLS=1 | data MIN=2025-01-02 MAX=2025-02-01 | uf: SP=2, "a, b=1"=1, \
(null)=1 | valor by uf: SP=40.5, "a, b=1"=20, (null)=0 | valor by month(data): 2025-01=20, 2025-02=40.5 | \
valor by cliente (top 5 of 57): X=9, Y=8, Z=7, A=6, B=5, (null)=4, (other 52)=3 | not shown: valor by q, valor by z
"""


def column(name, kind, cells):
    numbers = [Decimal(cell) if kind == "amount" and cell is not None else cell for cell in cells]
    return Column(name, kind, tuple(numbers), tuple("" if cell is None else cell for cell in cells))


TABLE = Table(
    "vendas",
    (
        column("uf", "text", ["SP", "SP", "RJ"]),
        column("valor", "amount", ["40.5", None, "20"]),
        column("data", "date", ["2025-01-02", "2025-02-01", "2025-02-01"]),
    ),
)


@pytest.fixture(scope="module")
def tables():
    return answer_tables(SMALL_MAX)


def test_twenty_tables_from_ten_to_ten_thousand_rows():
    sizes = [rows for _, _, rows in SHAPES]
    assert (len(sizes), min(sizes), max(sizes)) == (20, 10, 10_000)
    assert len({name for name, _, _ in SHAPES}) == 20


def test_the_same_bytes_on_every_python(tables):
    digest = sha256("".join(table.as_csv() for table in tables[:4]).encode()).hexdigest()
    assert digest[:16] == "f013e2d91380c3fd"


def test_csv_and_json_hold_the_same_cells(tables):
    for table in tables:
        rows = list(csv.DictReader(io.StringIO(table.as_csv()), delimiter=";"))
        records = json.loads(table.as_json(), parse_float=Decimal, parse_int=Decimal)
        assert len(rows) == len(records) == table.rows
        for one in table.columns:
            assert [row[one.name] for row in rows] == list(one.written)
            assert [record[one.name] for record in records] == list(one.cells)


def test_toon_has_a_line_a_row(tables):
    for table in tables:
        head, *lines = table.as_toon().splitlines()
        assert head == f"{table.name}[{table.rows}]{{{','.join(one.name for one in table.columns)}}}:"
        assert len(lines) == table.rows


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        *(
            (text, f'"{text}"')
            for text in ("", "true", "null", "05", "-1", "1.5", "1e5", " a", "a:b", "a,b", "-", "x[1]")
        ),
        *((text, text) for text in ("Pix", "é", "a#b", "1,5".replace(",", ";"), "R$ 5", "2025-01-02")),
        ('q"q', '"q\\"q"'),
        ("a\\b", '"a\\\\b"'),
        ("l\nm", '"l\\nm"'),
        (None, "null"),
        (Decimal("1.50"), "1.5"),
        (Decimal("-0.00"), "0"),
        (Decimal("1E+3"), "1000"),
    ],
)
def test_toon_cells(cell, written):
    assert toon_table("t", ["a b"], [[cell]]) == f't[1]{{"a b"}}:\n  {written}\n'


def test_questions_are_about_what_is_there(tables):
    for table in tables:
        asked = ask(table)
        assert 10 <= len(asked) <= 32
        assert {question.kind for question in asked} <= set(KINDS)
        assert all(question.answer for question in asked)


def test_answers_are_right():
    found = {(one.verb, one.field, one.where): one.answer for one in ask(TABLE)}
    assert found["SUM", "valor", ()] == ("60.5",)
    assert found["AVG", "valor", ()] == ("30.25",)
    assert found["SUM", "valor", (("uf", "SP"),)] == ("40.5",)
    assert found["SUM", "valor", (("month(data)", "2025-02"),)] == ("20",)
    assert found["COUNT", "uf", (("uf", "SP"),)] == ("2",)
    assert found["NULLS", "valor", ()] == ("1",)
    assert found["MAX", "data", ()] == ("2025-02-01",)
    (top,) = (one for one in ask(TABLE) if one.verb == "TOP")
    assert top.answer == ("SP", "40.5", "RJ", "20")


def test_averages_round_half_even_to_the_decimals_of_the_column():
    assert average([Decimal("0.01"), Decimal("0.02")]) == "0.02"
    assert average([Decimal("0.03"), Decimal("0.02"), None]) == "0.02"
    assert average([Decimal("1.000"), Decimal("2.001")]) == "1.5"
    assert total([Decimal("0.1")] * 10) == 1


def test_a_summary_is_read_back():
    facts = context_facts(TEXT)
    assert facts["ROWS",] == ("3",)
    assert facts["SUM", "valor"] == ("60.5",)
    assert facts["MAX", "data"] == ("2025-02-01",)
    assert facts["NULLS", "valor"] == facts["NULLS", "uf"] == ("1",)
    assert facts["COUNT", "uf", "uf", "a, b=1"] == ("1",)
    assert facts["SUM", "valor", "uf", "(null)"] == ("0",)
    assert facts["SUM", "valor", "month(data)", "2025-02"] == ("40.5",)
    assert facts["TOP", "valor", "cliente"] == ("X", "9", "Y", "8", "Z", "7", "A", "6", "B", "5")
    assert facts["DISTINCT", "cliente"] == ("57",)
    assert not [key for key in facts if "q" in key or "z" in key]


@pytest.mark.parametrize(
    ("question", "in_context", "in_rows"),
    [
        pytest.param(Question("", "ROWS", answer=("3",)), True, False, id="rows"),
        pytest.param(Question("", "SUM", "valor", answer=("60.5",)), True, False, id="total"),
        pytest.param(Question("", "MAX", "valor", answer=("40.5",)), True, True, id="an extreme is a cell"),
        pytest.param(
            Question("", "SUM", "valor", (("uf", "RJ"),), answer=("20",)),
            False,
            True,
            id="a group of one row",
        ),
        pytest.param(
            Question("", "SUM", "valor", (("uf", "SP"),), answer=("40.5",)), True, False, id="a group of two"
        ),
        pytest.param(
            Question("", "COUNT", "uf", (("uf", "RJ"),), answer=("1",)),
            False,
            False,
            id="counting is arithmetic",
        ),
        pytest.param(
            Question("", "TOP", "valor", by="uf", answer=("SP", "40.5")), True, False, id="a ranking"
        ),
    ],
)
def test_where_an_answer_stands(question, in_context, in_rows):
    cut = TEXT + "\n## REPORT DATA (1 of 3 rows)\n--- vendas (1 of 3 rows, evenly spaced sample) ---\n"
    assert stands_in_context(question, cut, TABLE) is in_context
    assert stands_in_context(question, TEXT, TABLE) is (in_context or in_rows)
    assert stands_in_rows(question, TABLE) is in_rows
    assert stands_in_toon(question, TABLE) is (in_rows or question.verb == "ROWS")


def test_a_wrong_number_ends_the_run():
    with pytest.raises(WrongAnswer, match=r"vendas: .*60\.5.* is written for"):
        stands_in_context(Question("", "SUM", "valor", answer=("60.4",)), TEXT, TABLE)


def test_conditions_hold_together():
    assert rows_where(TABLE, [("uf", "SP"), ("month(data)", "2025-02")]) == [1]
    assert rows_where(TABLE, [("year(data)", "2025")]) == [0, 1, 2]


def test_small_tables_from_end_to_end(tmp_path):
    results = answers.run(tmp_path, NO_TOKENIZER, rows_max=36)
    assert [result.rows for result in results] == [10, 24, 36]
    for result in results:
        assert result.counted is None
        assert result.answered["context"]["all"] > result.answered["CSV"]["all"]
        assert result.estimated["JSON"] > result.estimated["TOON"]
    figures = answers_figures(results, NO_TOKENIZER)
    assert "estimated tokens" in figures
    assert "a tokenizer could not be installed: no wheel." in figures
