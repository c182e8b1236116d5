"""Personal data inside longer text become the pseudonyms that they have in a column of their own."""

from __future__ import annotations

import re

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from datasources.arrow_types import python_values
from datasources.mask_key import MaskKey
from datasources.masks import mask_values
from datasources.pii import CANDIDATE, CANDIDATE_BYTES_MIN, find_in_text
from datasources.text_masks import TextMask

KEY = MaskKey.derive(bytes(range(32)), "acme")
CPF = mask_values(["11144477735"], "cpf", KEY)[0]
CNPJ = mask_values(["11222333000181"], "cnpj", KEY)[0]
ANA = mask_values(["ana@x.com"], "email", KEY)[0]
PHONE = mask_values(["11987654321"], "phone", KEY)[0]

TEXTS = [
    ("falar com Ana, CPF 111.444.777-35, ana@x.com", f"falar com Ana, CPF {CPF}, {ANA}"),
    ("cliente 11144477735 ligou", f"cliente {CPF} ligou"),
    ("CNPJ 11.222.333/0001-81; tel (11) 98765-4321", f"CNPJ {CNPJ}; tel {PHONE}"),
    ("cpf １１１．444\u200b．777–35", f"cpf {CPF}"),
    ('["ana@x.com","ok"]', f'["{ANA}","ok"]'),
    ("ANA@X.COM", ANA),
    ("pedido 12345, 3 caixas", "pedido 12345, 3 caixas"),
    ("nota 111.444.777-36", "nota 111.444.777-36"),
    ("35265654918769639250527691493758031972291213", "35265654918769639250527691493758031972291213"),
    ("2025-01-20T10:30:00.000Z", "2025-01-20T10:30:00.000Z"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_what_stands_inside_a_text_is_masked(text, expected):
    assert TextMask(["um texto", text], KEY)([text, None, 7]) == [expected, None, 7]


def as_views(cells):
    return pa.chunked_array(
        [pl.Series(cells, dtype=pl.String).to_arrow(compat_level=pl.CompatLevel.newest())]
    )


LAYOUTS = {
    "views": as_views,
    "large": lambda cells: pa.chunked_array([pa.array(cells, pa.large_string())]),
    "string": lambda cells: pa.chunked_array(
        [pa.array(cells[:4], pa.string()), pa.array(cells[4:], pa.string())]
    ),
    "dictionary": lambda cells: pa.chunked_array([pa.array(cells, pa.large_string()).dictionary_encode()]),
    "nothing": lambda cells: pa.chunked_array([], pa.large_string()),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_arrow_column_keeps_its_layout(layout):
    cells = [text for text, _ in TEXTS] + [None, TEXTS[0][0]]
    column = LAYOUTS[layout](cells)
    found = TextMask([text for text, _ in TEXTS], KEY).column(column)
    assert found.type == column.type
    expected = [expected for _, expected in TEXTS] + [None, TEXTS[0][1]]
    assert python_values(found) == (expected if len(column) else [])


@pytest.mark.parametrize("layout", ["views", "large"])
def test_a_column_without_personal_data_is_not_copied(layout):
    column = LAYOUTS[layout](["ok", "12,50", "R$ 1.234.567,89", "05/03/2026", None])
    assert TextMask(["ok"], KEY).column(column) is column


NUMBERS = [f"{number}" for number in range(11_144_477_700, 11_144_477_770)]


def test_bare_digits_of_a_column_of_numbers_are_numbers():
    assert any(find_in_text(number) for number in NUMBERS)
    assert TextMask(NUMBERS, KEY)(NUMBERS) == NUMBERS
    # What is written as a document is one, and so is what is called one.
    mask = TextMask(NUMBERS, KEY)
    assert mask(["111.444.777-35", "CPF: 11144477735"]) == [CPF, f"CPF: {CPF}"]


def test_numbers_in_texts_are_personal_data_unless_most_of_their_length_are_not():
    orders = [f"Pedido {number} de hoje" for number in NUMBERS]
    assert TextMask(orders, KEY)(orders) == orders
    assert TextMask(orders, KEY)(["cpf 11144477735"]) == [f"cpf {CPF}"]
    people = ["cliente 11144477735", "cliente 52998224725", "pedido 11144477736"]
    assert TextMask(people, KEY)(people)[0] == f"cliente {CPF}"


def test_what_means_nothing_in_a_source_still_means_nothing():
    assert TextMask(["um texto"], KEY, ("cpf 111.444.777-35",))(["cpf 111.444.777-35"]) == [
        "cpf 111.444.777-35"
    ]


PIECES = st.one_of(
    st.sampled_from(
        [
            "111.444.777-35", "11144477735", "11.222.333/0001-81", "12ABC34501DE35", "ana@x.com", "(11) 98765-4321",
            "+55 11 98765-4321", "+351 912 345 678", "tel: 3333-4444", "fone 33334444", "98765-4321", "cnpj", "\u200b",
            "１１１", "\u00a0", "0xx11 3333-4444", " ", ",", "é", "(0xx11)", "a", "1", "-", ".", "ª", "²",
        ]
    ),
    st.text(st.characters(), max_size=6),
    st.text("0123456789 .-/()+@aZ", max_size=20),
)  # fmt: skip


@given(st.lists(PIECES, max_size=6).map("".join))
@example("tel.: 3333-4444")
@example("０１２.３４５.６７８－９０")
def test_no_finding_is_without_a_candidate(text):
    if find_in_text(text):
        assert re.search(CANDIDATE, text)
        assert len(text.encode("utf-8", "replace")) >= CANDIDATE_BYTES_MIN
        if text.isprintable():
            assert pl.Series([text]).str.contains(CANDIDATE)[0]


@given(st.lists(st.lists(PIECES, max_size=4).map("".join).filter(str.isprintable), max_size=6))
def test_lists_and_streams_are_masked_alike(texts):
    mask = TextMask(texts, KEY)
    assert python_values(TextMask(texts, KEY).column(LAYOUTS["large"](texts))) == mask(texts)
