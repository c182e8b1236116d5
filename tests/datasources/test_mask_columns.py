"""A long column has the pseudonyms that its values have alone, however they are written."""

from __future__ import annotations

from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources import masks
from datasources.check_digits import cnpj_check_digits, cpf_check_digits
from datasources.mask_columns import mask_column
from datasources.mask_key import MaskKey
from datasources.mask_payloads import TELLERS, MaskKind
from datasources.masks import mask_values, unmask

KEY = MaskKey.derive(bytes(range(32)), "acme")
KINDS: tuple[MaskKind, ...] = get_args(MaskKind)
LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ODD = "abc XYZ 09éÉß-.@_'çÇ  \t\u00a0\u200b\ufb01Ⅷ１ı\u0301\u2028\n\x1c?ª²—😀"


def a_cpf(random: Random) -> str:
    root = f"{random.randrange(10 ** random.choice((8, 9))):09d}"
    digits = root + cpf_check_digits(root)
    if random.random() < 0.2:
        digits = digits[:-1] + random.choice("0123456789")
    dotted = f"{digits[:3]}.{digits[3:6]}.{digits[6:9]}-{digits[9:]}"
    return random.choice(
        (digits, dotted, dotted, digits.lstrip("0"), f"{digits.lstrip('0')}.0", f" {digits}\u200b")
    )


def a_cnpj(random: Random) -> str:
    root = "".join(random.choice(LETTERS if random.random() < 0.2 else LETTERS[:10]) for _ in range(12))
    code = root + cnpj_check_digits(root)
    if random.random() < 0.2:
        code = code[:-1] + random.choice("0123456789")
    dotted = f"{code[:2]}.{code[2:5]}.{code[5:8]}/{code[8:12]}-{code[12:]}"
    return random.choice((code, dotted, dotted, code.lower()))


def a_phone(random: Random) -> str:
    area, number = f"{random.randrange(100):02}", f"{random.choice('9923')}{random.randrange(10**8):08}"
    marked = f"{number[:5]}-{number[5:]}"
    return random.choice(
        (
            f"({area}) {marked}",
            f"({area}){marked}",
            f"{area} {marked}",
            area + number,
            number,
            f"55{area}{number}",
        )
    )


def a_text(random: Random) -> str:
    match random.randrange(4):
        case 0:
            return "".join(random.choice(ODD) for _ in range(random.randrange(40)))
        case 1:
            return "".join(random.choice("abcdefgh ÁÉíÇ .0123") for _ in range(random.randrange(60)))
        case 2:
            at = random.choice(("@", "＠", " @ "))
            return (
                f"Ana.{random.randrange(99)}{at}{random.choice(('Exemplo.com', 'a.b', 'x.com.br ', 'é.com'))}"
            )
    return f"Cliente {random.randrange(10 ** random.choice((2, 6, 11, 14)))}"


def alone(values, kind):
    return [mask_values([value], kind, KEY)[0] for value in values]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_a_column_has_the_pseudonyms_of_its_values(seed, kind):
    random = Random(seed)
    values = [random.choice((a_cpf, a_cnpj, a_phone, a_text, a_text))(random) for _ in range(200)]
    if seed % 2:
        values = [value for value in values if value.isprintable()]
    assert mask_column(values, kind, KEY) == alone(values, kind)


@given(st.lists(st.text(st.characters(), max_size=50), max_size=5), st.sampled_from(KINDS))
def test_whatever_is_in_it(values, kind):
    assert mask_column(values, kind, KEY) == alone(values, kind)


@given(st.lists(st.text("abcdefghij áé.@-0123456789", max_size=40), max_size=5), st.sampled_from(KINDS))
def test_whatever_is_in_it_of_usual_characters(values, kind):
    assert mask_column(values, kind, KEY) == alone(values, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_no_column(kind):
    assert mask_column([], kind, KEY) == []
    assert mask_column(["", " "], kind, KEY) == ["", ""]


@pytest.mark.parametrize("length", [1, 14, 15, 16, 17, 30, 31, 32, 33, 64])
@pytest.mark.parametrize("letter", ["a", "ä", "p", "@"])
def test_texts_of_every_length(length, letter):
    # Six bits a character: whether the last byte of a step is filled depends on the last character.
    values = [letter * length]
    assert mask_column(values, "name", KEY) == alone(values, "name")


def test_many_values_are_sealed_as_a_column(monkeypatch):
    monkeypatch.setattr(masks, "COLUMN_VALUES_MIN", 3)
    values = ["Ana Lima", "ana  lima", "Rui", ""]
    found = mask_values(values, "name", KEY)
    assert found == alone(values, "name")
    assert [unmask(one, KEY) for one in found[:3]] == ["ana lima", "ana lima", "rui"]
    assert set(TELLERS) == set(KINDS)
