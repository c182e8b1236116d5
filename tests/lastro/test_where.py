"""Conditions are read as people write them, and what cannot be read is said with its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from datasources.filters import Filter
from lastro.where import WhereError, is_where, read_all, read_where, where_text


@pytest.mark.parametrize(
    ("text", "field", "op", "value"),
    [
        ("status = faturado", "status", "=", "faturado"),
        ("status=faturado", "status", "=", "faturado"),
        ("  valor>=1.234,50 ", "valor", ">=", "1.234,50"),
        ("valor total <> 5", "valor total", "!=", "5"),
        ("valor ≠ -5", "valor", "!=", "-5"),
        ("valor == (50,10)", "valor", "=", "(50,10)"),
        ("valor ≤ R$ 5,15", "valor", "<=", "R$ 5,15"),
        ("data < 05/04/2026", "data", "<", "05/04/2026"),
        ('"a = b" > "c ""d"""', "a = b", ">", 'c "d"'),
        ("`in` in 'x'", "in", "in", ["x"]),
        ("in = x", "in", "=", "x"),
        ("“data in loco” = “ x ”", "data in loco", "=", " x "),
        ("status in (aberto, cancelado)", "status", "in", ["aberto", "cancelado"]),
        ("status IN aberto,cancelado", "status", "in", ["aberto", "cancelado"]),
        ("status in(aberto)", "status", "in", ["aberto"]),
        ("valor in 1,5, 2,5", "valor", "in", ["1,5", "2,5"]),
        ("valor in 1,5; 2", "valor", "in", ["1,5", "2"]),
        ("nome not in (d'Ávila, l'Oréal)", "nome", "not_in", ["d'Ávila", "l'Oréal"]),
        ('nome not_in ("a, b"; c)', "nome", "not_in", ["a, b", "c"]),
        ('nome in "a","b"', "nome", "in", ["a", "b"]),
        ("data between 05/04/2026 and 2026-04-30", "data", "between", ["05/04/2026", "2026-04-30"]),
        ('nome BETWEEN "a and b" AND c', "nome", "between", ["a and b", "c"]),
        ("nome contains São João and filhos", "nome", "contains", "São João and filhos"),
        ("nome contains a = b", "nome", "contains", "a = b"),
        ("nome starts with d'", "nome", "starts_with", "d'"),
        ("nome starts_with x", "nome", "starts_with", "x"),
        ('nome = "null"', "nome", "=", "null"),
    ],
)
def test_a_condition_is_read(text, field, op, value):
    assert read_where(text) == {"field": field, "op": op, "value": value}


def test_nulls_have_operators_of_their_own():
    assert read_where("nome is null") == {"field": "nome", "op": "is_null"}
    assert read_where("nome IS  NOT null") == {"field": "nome", "op": "is_null", "value": False}


def test_a_tree_is_json():
    tree = '{"or": [{"field": "a", "op": "=", "value": 1}, {"field": "b", "op": "is_null"}]}'
    assert read_where(tree) == {
        "or": [{"field": "a", "op": "=", "value": 1}, {"field": "b", "op": "is_null"}]
    }
    assert where_text(read_where(tree)) == "a = 1 or b is null"
    assert where_text({"and": [read_where(tree), read_where("c = x")]}) == "(a = 1 or b is null) and c = x"


def test_several_must_all_fit():
    a, b = {"field": "a", "op": "=", "value": "1"}, {"field": "b", "op": "is_null"}
    assert read_all([]) is None
    assert read_all(["a = 1"]) == a
    assert read_all(["a = 1", "b is null"]) == {"and": [a, b]}


@pytest.mark.parametrize(
    ("text", "at", "problem"),
    [
        ("status", 7, "no operator follows"),
        ("status is faturado", 19, "no operator follows"),
        ("", 1, "no operator follows"),
        (" = 5", 2, "no field stands before the operator"),
        ('"status" x = 5', 9, "only the operator may follow the quoted field"),
        ("valor > ", 9, "a value is missing"),
        ("valor > = 5", 9, "a value that begins with “=” stands in quotes"),
        ("nome = null", 8, "a null is found with “is null”"),
        ("nome is null x", 14, "nothing may follow “null”"),
        ('nome = "a', 8, 'the quote " is not closed'),
        ('nome = "a" b', 11, "nothing may follow the quoted value"),
        ("status = a and valor > 5", 12, "one condition ends here"),
        ("status in (a, b", 11, "the bracket ( is not closed"),
        ("status in ()", 12, "a value is missing"),
        ("status in (a, , b)", 15, "a value is missing"),
        ("valor in 1,5", 11, "the comma may stand between two values or in one number"),
        ("valor in (10,20,30)", 13, "the comma may stand between two values or in one number"),
        ("data between 2026-04", 14, "“between” takes two values with “and” between them"),
        ("data between 1 and 2 and 3", 14, "“between” takes two values with “and” between them"),
        (' {"or": ', 2, "this is not a JSON object"),
    ],
)
def test_what_cannot_be_read_is_said(text, at, problem):
    with pytest.raises(WhereError) as raised:
        read_where(text)
    assert f"In “{text}”, at character {at}: {problem}" in str(raised.value)
    assert "Write it like this: '" in str(raised.value)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "In “valor > ”, at character 9: a value is missing. Write it like this: 'status = faturado'."),
        ("pt", "Em “valor > ”, no caractere 9: falta um valor. Escreva assim: 'status = faturado'."),
        ("es", "En “valor > ”, en el carácter 9: falta un valor. Escríbalo así: 'status = faturado'."),
    ],
)
def test_it_is_said_in_the_language_of_the_answer(language, said):
    with pytest.raises(WhereError) as raised:
        read_all(["status = faturado", "valor > "], language)
    assert str(raised.value) == raised.value.text(language) == said


def test_what_was_written_is_repeated_in_full():
    long = f"nome contem {'x' * 200}"
    with pytest.raises(WhereError, match=long):
        read_where(long)


@pytest.mark.parametrize("text", ["2026-03", "05/04/2026", "2026", "regiao Sul"])
def test_a_value_alone_is_no_condition(text):
    assert not is_where(text)
    assert is_where(f"data = {text}")


# Texts in which the marks of the grammar are frequent.
TEXTS = st.text(st.sampled_from("ab 'nAnd\"“”`;,()=<>!1.{}or"), min_size=1, max_size=12) | st.sampled_from(
    ["null", "x not", "in", "a in b", "is null", "a and b = c", "{}", "\x1b", "日本", " "]
)
VALUES = st.just("") | TEXTS
OPS = st.sampled_from(["=", "!=", ">", ">=", "<", "<=", "contains", "starts_with"])
CONDITIONS = st.one_of(
    st.fixed_dictionaries({"field": TEXTS, "op": OPS, "value": VALUES}),
    st.fixed_dictionaries(
        {
            "field": TEXTS,
            "op": st.sampled_from(["in", "not_in"]),
            "value": st.lists(VALUES, min_size=1, max_size=4),
        }
    ),
    st.fixed_dictionaries(
        {"field": TEXTS, "op": st.just("between"), "value": st.lists(VALUES, min_size=2, max_size=2)}
    ),
    st.fixed_dictionaries({"field": TEXTS, "op": st.just("is_null")}),
    st.fixed_dictionaries({"field": TEXTS, "op": st.just("is_null"), "value": st.just(False)}),
)
FILTERS: TypeAdapter[Filter] = TypeAdapter(Filter)


@given(CONDITIONS)
def test_what_is_written_reads_back_as_the_same(condition):
    assert read_where(where_text(condition)) == condition


@given(TEXTS)
def test_any_text_is_a_filter_or_refused(text):
    try:
        read = read_where(text)
    except WhereError:
        return
    if not text.lstrip().startswith("{"):
        FILTERS.validate_python(read)
