from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.check_digits import cnpj_check_digits, cpf_check_digits
from datasources.exceptions import MaskError
from datasources.mask_key import MaskKey
from datasources.mask_payloads import MaskKind
from datasources.masks import mask_text, mask_values, unmask
from datasources.pii import detect, find_in_text
from datasources.visible_text import folded

SECRET = bytes(range(32))
KEY = MaskKey.derive(SECRET, "acme")
KINDS: tuple[MaskKind, ...] = get_args(MaskKind)

UNMASKED = [
    ("cpf", "111.444.777-35", "cpf", "11144477735"),
    ("cpf", "11144477735", "cpf", "11144477735"),
    ("cpf", " 111\xa0444\u200b777 35", "cpf", "11144477735"),
    ("cpf", "100000118.0", "cpf", "00100000118"),
    ("cpf", "11.222.333/0001-81", "cnpj", "11222333000181"),
    ("cpf", "111.444.777-36", "other", "111.444.777-36"),
    ("cpf", "Não  Informado", "other", "não informado"),
    ("cpf", "-", "other", "-"),
    ("cnpj", "12.abc.345/01de-35", "cnpj", "12ABC34501DE35"),
    ("cnpj", "191000191", "other", "191000191"),
    ("cnpj", "00.000.000/0001-91", "cnpj", "00000000000191"),
    ("cnpj", "111.444.777-35", "cpf", "11144477735"),
    ("email", "Ana.Silva@Exemplo.com", "email", "ana.silva@exemplo.com"),
    ("email", "ana＠exemplo.com", "email", "ana@exemplo.com"),
    ("email", "ana arroba exemplo", "other", "ana arroba exemplo"),
    ("phone", "(11) 98765-4321", "phone", "+5511987654321"),
    ("phone", "+55 11 98765-4321", "phone", "+5511987654321"),
    ("phone", "33334444", "phone", "33334444"),
    ("phone", "987654321", "phone", "987654321"),
    ("phone", "+351 912 345 678", "phone", "+351912345678"),
    ("phone", "ramal 12", "other", "ramal 12"),
    ("name", "  Maria  DA Silva ", "name", "maria da silva"),
    ("name", "JOSE\u0301", "name", "josé"),
    ("name", "Ｊｏｓé", "name", "josé"),
    ("name", "株式会社", "name", "株式会社"),
    ("name", "\ud800?", "name", "\ud800?"),
    ("name", "a" * 1_000, "name", "a" * 1_000),
    ("other", "qualquer coisa", "other", "qualquer coisa"),
]


@pytest.mark.parametrize(("kind", "value", "told", "expected"), UNMASKED)
def test_a_pseudonym_tells_its_kind_and_the_key_what_it_stands_for(kind, value, told, expected):
    (pseudonym,) = mask_values([value], kind, KEY)
    assert pseudonym.startswith(f"{told}-")
    assert unmask(pseudonym, KEY) == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", ["", " ", "\xa0\u200b"])
def test_nothing_stays_nothing(kind, value):
    assert mask_values([value], kind, KEY) == [""]


@pytest.mark.parametrize(
    ("kind", "writings"),
    [
        (
            "cpf",
            ["111.444.777-35", "11144477735", "111 444 777 35", "１１１４４４７７７３５", "11144477735.0"],
        ),
        ("cnpj", ["12.ABC.345/01DE-35", "12abc34501de35"]),
        ("email", ["Ana@Exemplo.com", "ana@exemplo.com", " ana @exemplo.com"]),
        ("phone", ["+55 (11) 98765-4321", "11987654321", "5511987654321", "011 98765 4321"]),
        ("name", ["Maria da Silva", "MARIA  DA SILVA", "Maria\xa0da Silva\u200b"]),
    ],
)
def test_all_writings_of_a_value_share_a_pseudonym(kind, writings):
    assert len(set(mask_values(writings, kind, KEY))) == 1


def test_the_order_is_kept():
    values = ["111.444.777-35", "", "000.000.001-91"]
    assert mask_values(values, "cpf", KEY) == [mask_values([value], "cpf", KEY)[0] for value in values]


@pytest.mark.parametrize(
    ("kind", "value", "length"),
    [
        ("cpf", "111.444.777-35", 32),
        ("cnpj", "12.ABC.345/01DE-35", 37),
        ("phone", "(11) 98765-4321", 38),
        ("name", "Ana", 41),
        ("name", "Maria Aparecida dos Santos", 57),
        ("name", "João Conceição da Silva", 57),
        ("email", "maria.santos@exemplo.com.br", 58),
    ],
)
def test_pseudonyms_are_short_enough_to_stay_whole_in_a_list_of_values(kind, value, length):
    assert len(mask_values([value], kind, KEY)[0]) == length
    assert length <= 60


# What is written differently and read differently stands for something else, whatever it is.

roots = st.text("0123456789", min_size=9, max_size=9).filter(lambda root: len(set(root)) > 1)
cpfs = roots.map(lambda root: root + cpf_check_digits(root))
codes = st.text("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=12, max_size=12)
cnpjs = codes.filter(lambda root: root != "0" * 12).map(lambda root: root + cnpj_check_digits(root))
texts = st.text(st.characters(), max_size=60)
cells = st.one_of(cpfs, cnpjs, texts, texts.map(lambda text: f"{text}@exemplo.com"))
kinds = st.sampled_from(KINDS)


@given(cpfs)
def test_every_cpf_comes_back(cpf):
    assert unmask(mask_values([cpf], "cpf", KEY)[0], KEY) == cpf


@given(cnpjs)
def test_every_cnpj_comes_back(cnpj):
    assert unmask(mask_values([cnpj], "cnpj", KEY)[0], KEY) == cnpj


@given(texts)
def test_every_name_comes_back_folded(text):
    (pseudonym,) = mask_values([text], "name", KEY)
    assert (unmask(pseudonym, KEY) if pseudonym else "") == folded(text)


@given(st.lists(cells), kinds)
def test_two_pseudonyms_are_equal_exactly_if_what_they_stand_for_is(values, kind):
    pseudonyms = [each for each in mask_values(values, kind, KEY) if each]
    meant = [(each.partition("-")[0], unmask(each, KEY)) for each in pseudonyms]
    assert len(set(pseudonyms)) == len(set(meant))


@given(st.lists(cells, max_size=4), kinds)
def test_pseudonyms_are_plain_words_that_show_nothing(values, kind):
    pseudonyms = mask_values(values, kind, KEY)
    for value, pseudonym in zip(values, pseudonyms, strict=True):
        assert re.fullmatch(r"(?:(?:cpf|cnpj|email|phone|name|other)-[A-Za-z0-9_-]{28,})?", pseudonym)
        assert len(value) < 4 or value not in pseudonym.partition("-")[2]
        assert find_in_text(pseudonym) == ()
    assert detect(pseudonyms, "cpf") is None


@given(st.lists(cells, max_size=4), kinds)
def test_a_pseudonym_is_the_same_every_time(values, kind):
    again = MaskKey.derive(SECRET, "acme")
    assert mask_values(values, kind, KEY) == mask_values(values, kind, again)


@pytest.mark.parametrize("other", [MaskKey.derive(SECRET, "acme2"), MaskKey.derive(SECRET[::-1], "acme")])
def test_another_workspace_or_secret_shares_nothing(other):
    values = ["111.444.777-35", "000.000.001-91"]
    ours, theirs = mask_values(values, "cpf", KEY), mask_values(values, "cpf", other)
    assert not set(ours) & set(theirs)
    assert other.fingerprint != KEY.fingerprint
    for pseudonym in ours:
        with pytest.raises(MaskError, match="under another key"):
            unmask(pseudonym, other)


PSEUDONYM = mask_values(["111.444.777-35"], "cpf", KEY)[0]


@pytest.mark.parametrize("position", range(len("cpf-"), len(PSEUDONYM)))
def test_an_altered_pseudonym_is_refused(position):
    altered = "A" if PSEUDONYM[position] != "A" else "B"
    with pytest.raises(MaskError, match="altered"):
        unmask(PSEUDONYM[:position] + altered + PSEUDONYM[position + 1 :], KEY)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "cpf-",
        "111.444.777-35",
        PSEUDONYM[:-1],
        PSEUDONYM[:-4],
        PSEUDONYM + "AAAA",
        PSEUDONYM + "\n",
        PSEUDONYM.upper(),
        PSEUDONYM.replace("cpf", "phone"),
        PSEUDONYM.replace("cpf", "name"),
        PSEUDONYM.replace("cpf", "rg"),
        "cpf-" + "é" * 28,
    ],
)
def test_what_is_no_pseudonym_is_refused(text):
    with pytest.raises(MaskError):
        unmask(text, KEY)


@given(texts)
def test_no_text_makes_another_error(text):
    with pytest.raises(MaskError):
        unmask(text, KEY)


def test_texts_are_masked_where_the_data_stand():
    text = "Ana (ana@exemplo.com), CPF １１１.444.777-35, tel. 33334444."
    (address,) = mask_values(["ana@exemplo.com"], "email", KEY)
    (cpf,) = mask_values(["11144477735"], "cpf", KEY)
    (phone,) = mask_values(["33334444"], "phone", KEY)
    expected = f"Ana ({address}), CPF {cpf}, tel. {phone}."
    assert mask_text(text, find_in_text(text), KEY) == expected
    assert [mask_text(one, find_in_text(one), KEY) for one in (text, "nada", "")] == [expected, "nada", ""]


@given(st.lists(cells, max_size=5).map(" ; ".join))
def test_what_was_found_in_a_text_is_not_found_again(text):
    spans = find_in_text(text)
    masked = mask_text(text, spans, KEY)
    assert masked.count("-") >= len(spans)
    assert not any(text[span.start : span.end] in masked for span in spans)


# Keys


def test_a_key_does_not_show_itself():
    assert repr(KEY) == f"MaskKey(fingerprint='{KEY.fingerprint}')"
    assert MaskKey.derive(SECRET, "acme") == KEY


@pytest.mark.parametrize(
    ("secret", "workspace", "said"),
    [(SECRET[:31], "acme", "31 bytes"), (b"", "acme", "0 bytes"), (SECRET, "", "no id")],
)
def test_a_guessable_secret_or_no_workspace_is_refused(secret, workspace, said):
    with pytest.raises(MaskError, match=said):
        MaskKey.derive(secret, workspace)
