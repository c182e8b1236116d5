from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources import ReadOptions, read_bands
from datasources.base import Lists
from datasources.check_digits import cnpj_check_digits, cpf_check_digits
from datasources.pii import (
    SAMPLE_ROWS,
    Span,
    cpf_of,
    detect,
    find_in_text,
    is_cnpj,
    is_cpf,
    is_email,
    is_phone,
    phone_of,
)
from tests.datasources.real_data import real_file

CPF = [
    ("111.444.777-35", True),
    ("11144477735", True),
    ("111 444 777 35", True),
    ("111.444.777/35", True),
    (" 111.444.777 - 35 ", True),
    ("１１１．４４４．７７７－３５", True),
    ("111\u200b.444.777-35", True),
    ("111.444.777\u201335", True),
    ("111\xa0444\xa0777\xa035", True),
    ("١١١٤٤٤٧٧٧٣٥", True),
    ("000.000.001-91", True),
    ("111.444.777-36", False),
    ("111.444.777-53", False),
    ("111.111.111-11", False),
    ("00000000000", False),
    ("1114447773", False),
    ("111444777350", False),
    ("111,444,777-35", False),
    ("CPF", False),
    ("", False),
]

CNPJ = [
    ("12.ABC.345/01DE-35", True),
    ("12abc34501de35", True),
    ("12ABC345/01DE-35", True),
    ("12.ABC.345 / 01DE - 35", True),
    ("11.222.333/0001-81", True),
    ("11222333000181", True),
    ("11 222 333 0001 81", True),
    ("１１．２２２．３３３／０００１－８１", True),
    ("00.000.000/0001-91", True),
    ("12.ABC.345/01DE-36", False),
    ("11.222.333/0001-18", False),
    ("00000000000000", False),
    ("11111111111111", False),
    ("12.ABC.345/01DE-3A", False),
    ("1122233300018", False),
    ("de uma rua alta 35", False),
    ("", False),
]

EMAIL = [
    ("ana@exemplo.com.br", True),
    ("ANA.Silva+nf@Exemplo.COM", True),
    ("joão@exemplo.com.br", True),
    ("ana @ exemplo.com", True),
    ("ana＠exemplo.com", True),
    ("ana\u200b@exemplo.com", True),
    ("ana@exemplo", False),
    ("@exemplo.com", False),
    ("ana@", False),
    ("5 @ 3.20", False),
    ("ana@exemplo.com e rui@exemplo.com", False),
    ("", False),
]

PHONE = [
    ("(11) 98765-4321", "+5511987654321"),
    ("(11) 3333-4444", "+551133334444"),
    ("11 98765 4321", "+5511987654321"),
    ("11-98765-4321", "+5511987654321"),
    ("11 9 8765-4321", "+5511987654321"),
    ("11987654321", "+5511987654321"),
    ("1133334444", "+551133334444"),
    ("011 3333-4444", "+551133334444"),
    ("(0xx11) 3333-4444", "+551133334444"),
    ("+55 11 98765-4321", "+5511987654321"),
    ("+55 (11) 98765-4321", "+5511987654321"),
    ("5511987654321", "+5511987654321"),
    ("0055 11 98765-4321", "+5511987654321"),
    ("（１１）９８７６５－４３２１", "+5511987654321"),
    ("11\xa098765\u20114321", "+5511987654321"),
    ("55 3333-4444", "+555533334444"),
    ("98765-4321", "987654321"),
    ("3333-4444", "33334444"),
    ("+351 912 345 678", "+351912345678"),
    ("+14155552671", "+14155552671"),
    ("(10) 98765-4321", None),
    ("(11) 1765-4321", None),
    ("2019-2020", None),
    ("20240315", None),
    ("2024-03-15", None),
    ("15/03/2024", None),
    ("01310-100", None),
    ("11.987.654.321", None),
    ("11.987.654.321,00", None),
    ("7891000315507", None),
    ("119876543210", None),
    ("192.168.11.254", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "expected"), CPF)
def test_a_cpf_is_known_by_its_digits(text, expected):
    assert is_cpf(text) is expected


@pytest.mark.parametrize(("text", "expected"), CNPJ)
def test_a_cnpj_is_known_by_its_digits_and_letters(text, expected):
    assert is_cnpj(text) is expected


@pytest.mark.parametrize(("text", "expected"), EMAIL)
def test_an_address_is_known_by_its_form(text, expected):
    assert is_email(text) is expected


@pytest.mark.parametrize(("text", "expected"), PHONE)
def test_a_telephone_is_known_by_area_code_and_length(text, expected):
    assert phone_of(text) == expected
    assert is_phone(text) is (expected is not None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("191", None),
        ("100000019", None),
        ("5252525252", None),
        ("11144477735.0", "11144477735"),
        (f"12345678{cpf_check_digits('012345678')}", "012345678" + cpf_check_digits("012345678")),
    ],
)
def test_a_cpf_that_was_stored_as_a_number_is_known_in_its_column_only(text, expected):
    assert cpf_of(text, known=True) == expected
    assert cpf_of(text) is None


roots = st.text("0123456789", min_size=9, max_size=9)
codes = st.text("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=12, max_size=12)


@given(roots)
def test_every_nine_digits_make_one_cpf(root):
    valid = [root + f"{check:02}" for check in range(100) if is_cpf(root + f"{check:02}")]
    assert valid == ([] if len(set(root)) == 1 else [root + cpf_check_digits(root)])


@given(codes)
def test_every_twelve_characters_make_one_cnpj(root):
    valid = [root + f"{check:02}" for check in range(100) if is_cnpj(root + f"{check:02}")]
    assert valid == ([] if root == "0" * 12 else [root + cnpj_check_digits(root)])


@given(st.text())
def test_no_text_is_too_odd_to_be_looked_at(text):
    for asked in (is_cpf, is_cnpj, is_email, is_phone):
        assert asked(text) in (True, False)
    ends = [0, *(span.end for span in find_in_text(text))]
    starts = [*(span.start for span in find_in_text(text)), len(text)]
    assert all(end <= start for end, start in zip(ends, starts, strict=True))


# Columns


def _numbers(digits: int, count: int = 500, seed: int = 7) -> list[str]:
    drawn = random.Random(seed)
    return [f"{drawn.randrange(10 ** (digits - 1), 10**digits)}" for _ in range(count)]


def _cpfs(count: int = 200) -> list[str]:
    return [root + cpf_check_digits(root) for root in _numbers(9, count)]


def _cnpjs(count: int = 200) -> list[str]:
    return [root + cnpj_check_digits(root) for root in _numbers(12, count)]


def _landlines(count: int) -> list[str]:
    return [f"113{number}" for number in _numbers(7, count)]


def _dotted(cpf: str) -> str:
    return f"{cpf[:3]}.{cpf[3:6]}.{cpf[6:9]}-{cpf[9:]}"


DETECTED = [
    pytest.param(_cpfs(), "cpf", id="bare"),
    pytest.param(list(map(_dotted, _cpfs())), "cpf", id="punctuated"),
    pytest.param([*map(_dotted, _cpfs(60)), *(f"isento {n}" for n in range(50))], "cpf", id="45 percent others"),
    pytest.param([*_cpfs(40), *_numbers(11, 60)], "cpf", id="60 percent mistyped"),
    pytest.param([_dotted(n) for n in _numbers(11)], "cpf", id="punctuated, all invented"),
    pytest.param([n.lstrip("0") + ".0" for n in _cpfs()], "cpf", id="written by a program as numbers"),
    pytest.param([f"CPF: {_dotted(n)}" for n in _cpfs()], "cpf", id="with a label"),
    pytest.param(["11144477735"], "cpf", id="a single value"),
    pytest.param(_cnpjs(), "cnpj", id="cnpj"),
    pytest.param(["12.ABC.345/01DE-35", "", " "], "cnpj", id="cnpj with letters"),
    pytest.param([*_cnpjs(60), *_cpfs(40)], "cnpj", id="cnpj or cpf, one column"),
    pytest.param([f"cliente{n}@exemplo.com.br" for n in range(50)], "email", id="email"),
    pytest.param(["ana@exemplo.com; rui@exemplo.com", "eva@exemplo.com"], "email", id="two addresses in a cell"),
    pytest.param([f"(11) 9{n}-4321" for n in _numbers(4)], "phone", id="mobile"),
    pytest.param([f"119{n}" for n in _numbers(8)], "phone", id="bare mobile"),
    pytest.param([*_landlines(80), "(11) 98765-4321"], None, id="bare landlines prove little"),
    pytest.param([*_landlines(80), *(f"119{n}" for n in _numbers(8, 20))], "phone", id="both"),
    pytest.param([f"(11) 3{n}" for n in _numbers(7)], "phone", id="landline"),
    pytest.param([*_cpfs(2 * SAMPLE_ROWS + 1), "x"], "cpf", id="long and clear"),
    pytest.param(
        [text for cpf in _cpfs(2 * SAMPLE_ROWS) for text in (cpf, f"x{cpf}", cpf[:9] + "00")],
        "cpf",
        id="long and mixed",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("values", "expected"), DETECTED)
def test_a_column_of_personal_data_is_seen_in_any_order(values, expected):
    assert detect(values) == expected
    assert detect(random.Random(1).sample(values, len(values))) == expected


ORDINARY = [
    pytest.param(_numbers(10), id="10 digits"),
    pytest.param(_numbers(11), id="11 digits"),
    pytest.param(_numbers(12), id="12 digits"),
    pytest.param(_numbers(14), id="14 digits"),
    pytest.param(_numbers(44), id="NF-e keys"),
    pytest.param([f"789{n}" for n in _numbers(10)], id="GTIN"),
    pytest.param([f"1789{n}" for n in _numbers(10)], id="GTIN-14"),
    pytest.param([f"{n[:5]}-{n[5:]}" for n in _numbers(8)], id="CEP"),
    pytest.param([f"{1_640_995_200 + 3600 * n}" for n in range(500)], id="seconds since 1970"),
    pytest.param([f"{1_640_995_200_000 + 3600 * n}" for n in range(500)], id="milliseconds since 1970"),
    pytest.param([f"{y}-{y + 1}" for y in range(1990, 2026)], id="spans of years"),
    pytest.param([f"2024{m:02}{d:02}" for m in range(1, 13) for d in range(1, 29)], id="compact dates"),
    pytest.param([f"{d:02}/{m:02}/2024 11:30" for m in range(1, 13) for d in range(1, 29)], id="times"),
    pytest.param([f"{n[:2]}.{n[2:5]}.{n[5:8]}.{n[8:]},00" for n in _numbers(11)], id="money"),
    pytest.param([f"{n[:2]}.{n[2:5]}.{n[5:8]}.{n[8:]}" for n in _numbers(11)], id="grouped thousands"),
    pytest.param([f"PED-{n}" for n in _numbers(8)], id="orders"),
    pytest.param([f"{n[:7]}-{n[7:9]}.2024.8.26.{n[9:]}" for n in _numbers(13)], id="court cases"),
    pytest.param(["***.444.777-**", "***.123.456-**"], id="withheld already"),
    pytest.param(["Maria da Silva", "José", "de uma rua alta 35"], id="names"),
    pytest.param([], id="none"),
    pytest.param(["", "  "], id="empty"),
]


@pytest.mark.parametrize("values", ORDINARY)
def test_ordinary_codes_are_not_personal(values):
    assert detect(values) is None


@pytest.mark.parametrize(
    ("values", "name", "expected"),
    [
        (["33334444", "987654321"], "TEL_RESP", "phone"),
        (["33334444", "987654321"], "telefoneContato", "phone"),
        (["33334444", "987654321"], "hotel", None),
        (_numbers(11), "CPF do titular", "cpf"),
        (_numbers(11), "pedido", None),
        (_numbers(6), "cpf", None),
    ],
)
def test_the_name_of_a_column_proves_what_its_values_look_like(values, name, expected):
    assert detect(values, name) == expected


REAL = {
    "ans-operadoras/Relatorio_cadop.csv": {
        "CNPJ": "cnpj", "Telefone": "phone", "Fax": "phone", "Endereço eletrônico": "email"
    },
    "camara-ceap/reimbursements_sample.csv": {"cnpj_cpf": "cnpj"},
    "cvm-cad-cia-aberta/cad_cia_aberta.csv": {
        "CNPJ_CIA": "cnpj", "TEL": "phone", "FAX": "phone", "EMAIL": "email", "TEL_RESP": "phone",
        "FAX_RESP": "phone", "EMAIL_RESP": "email", "CNPJ_AUDITOR": "cnpj",
    },
    "ibama-autuacoes/autuacao-amazonas-2010-pag2.csv": {"cnpjcpf": "cnpj"},
    "transparencia-despesas/Despesas_Empenho.csv": {"Código Favorecido": "cnpj"},
    "transparencia-despesas/Despesas_ItemEmpenho.csv": {},
    "tse-bens-candidatos/bem_candidato_2022_BR.csv": {},
    "receita-cnpj/Estabelecimentos0.csv": {},
    "istat-codes/musei.csv": {},
    "hmrc-over25k-2011/over25k-transparency.csv": {},
    "b3-mercado/NegociosBalcao.csv": {},
    "tabnet-sih-valor/A160324189_28_143_208.csv": {},
}  # fmt: skip


@pytest.mark.parametrize("file", REAL)
def test_of_real_columns_only_the_personal_ones_are_seen(file):
    (band,) = read_bands([str(real_file(file))], ReadOptions())
    assert isinstance(band.cells, Lists)
    distinct = [list(dict.fromkeys(str(cell) for cell in cells if cell)) for cells in band.cells.columns]
    kinds = {name: detect(values, name) for name, values in zip(band.columns, distinct, strict=True)}
    assert {name: kind for name, kind in kinds.items() if kind} == REAL[file]


# Longer text

FOUND = [
    ("CPF 111.444.777-35 do titular", [("111.444.777-35", "cpf")]),
    ("cpf11144477735, ok", [("11144477735", "cpf")]),
    ("titular111.444.777-35", [("111.444.777-35", "cpf")]),
    ("pedido 11144477736", []),
    ("CNPJ:12.ABC.345/01DE-35.", [("12.ABC.345/01DE-35", "cnpj")]),
    ("cpf １１１．４４４．７７７－３５ aqui", [("１１１．４４４．７７７－３５", "cpf")]),
    ("é 111\u200b444\u200b777\u200b35!", [("111\u200b444\u200b777\u200b35", "cpf")]),
    ("<ana@exemplo.com>, rui@exemplo.com.br.", [("ana@exemplo.com", "email"), ("rui@exemplo.com.br", "email")]),
    ("11987654321@exemplo.com", [("11987654321@exemplo.com", "email")]),
    ("(11) 98765-4321 / 11 3333-4444", [("(11) 98765-4321", "phone"), ("11 3333-4444", "phone")]),
    ("ligar 98765-4321", [("98765-4321", "phone")]),
    ("tel. 33334444", [("33334444", "phone")]),
    ("Fone: 1133334444", [("1133334444", "phone")]),
    ("nota 1133334444", []),
    ("safra 2019-2020", []),
    ("em 11 2019-2020", []),
    ("R$ 11.987.654.321,00 e 38929353900,57", []),
    ("chave 35190711222333000181550010000000011000000019", []),
    ("+123-456-7890\n63", [("+123-456-7890", "phone")]),
    ("123 111.444.777-35", [("111.444.777-35", "cpf")]),
    ("sem nada", []),
    ("", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FOUND)
def test_personal_data_inside_a_text_are_found_where_they_stand(text, expected):
    assert [(text[span.start : span.end], span.kind) for span in find_in_text(text)] == expected


@given(st.text(alphabet=" .,;:aé\u200b\n", max_size=30), st.text(alphabet=" ,;:é\n", max_size=30), roots)
def test_a_cpf_is_found_between_any_words(before, after, root):
    cpf = root + cpf_check_digits(root)
    if len(set(root)) > 1:
        assert Span(len(before), len(before) + 11, "cpf") in find_in_text(before + cpf + after)


HOSTILE = [
    "1" * 100_000, "a@" * 50_000, "1 " * 50_000, "111." * 25_000, "a" * 100_000, "a." * 50_000, "a-" * 50_000 + "@",
    "a@a." * 25_000, "(11" * 33_000, "11 9" * 25_000, "tel " * 25_000, "+1 " * 33_000, "12.abc." * 14_000,
    "111.444.777-3 " * 7_000, "１" * 100_000, "cnpj" * 25_000, " " * 100_000, "\u200b" * 100_000, "+5511 9" * 14_000,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:8])
def test_no_text_takes_long(text):
    started = time.process_time()
    find_in_text(text)
    detect([text])
    for asked in (is_cpf, is_cnpj, is_email, is_phone):
        asked(text)
    assert time.process_time() - started < 2
