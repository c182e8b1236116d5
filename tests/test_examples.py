"""The example reports are what their generator writes, and are consistent in themselves."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
DATA = sorted(
    path
    for path in EXAMPLES.rglob("*")
    if path.suffix in {".csv", ".json"} and not path.name.endswith(".report.json")
)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    subprocess.run([sys.executable, EXAMPLES / "generate.py", folder], check=True)
    return folder


def records(name):
    return json.loads((EXAMPLES / "danfe" / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.name)
def test_committed_bytes_are_the_written_ones(written, path):
    assert path.read_bytes() == (written / path.relative_to(EXAMPLES)).read_bytes()


def test_every_written_file_is_committed(written):
    assert [path.relative_to(EXAMPLES) for path in DATA] == sorted(
        path.relative_to(written) for path in written.rglob("*") if path.is_file()
    )


def test_items_and_instalments_add_up_to_the_invoice():
    total = Decimal(records("header")[0]["valor_total"])
    assert sum((Decimal(item["vProd"]) for item in records("itens")), Decimal(0)) == total
    assert sum((Decimal(item["vDup"]) for item in records("duplicatas")), Decimal(0)) == total
    for item in records("itens"):
        assert Decimal(item["qCom"]) * Decimal(item["vUnCom"]) == Decimal(item["vProd"])


def test_the_stub_repeats_the_header_in_another_order():
    (stub,), (header,) = records("canhoto"), records("header")
    assert stub == header
    assert list(stub) != list(header)


CNPJ_WEIGHTS = ("543298765432", "6543298765432")
KEY_WEIGHTS = "4329876543298765432987654329876543298765432"


@pytest.mark.parametrize(
    ("field", "weights"),
    [
        pytest.param("emitente_cnpj", CNPJ_WEIGHTS, id="issuer"),
        pytest.param("destinatario_cnpj", CNPJ_WEIGHTS, id="recipient"),
        pytest.param("chave", (KEY_WEIGHTS,), id="access key"),
    ],
)
def test_check_digits_are_valid(field, weights):
    document = records("header")[0][field]
    for row in weights:
        rest = sum(int(digit) * int(weight) for digit, weight in zip(document, row, strict=False)) % 11
        assert int(document[len(row)]) == (0 if rest < 2 else 11 - rest)
    assert len(document) == len(weights[-1]) + 1


def test_the_access_key_holds_the_invoice():
    (header,) = records("header")
    key = header["chave"]
    assert key[6:20] == header["emitente_cnpj"]
    assert (key[22:25], key[25:34]) == (header["serie"], header["numero"])


def test_some_cells_are_empty():
    with (EXAMPLES / "financeiro" / "vendas.csv").open(encoding="utf-8", newline="") as file:
        sales = list(csv.DictReader(file, delimiter=";"))
    with (EXAMPLES / "financeiro" / "pagamentos.csv").open(encoding="utf-8", newline="") as file:
        payments = list(csv.DictReader(file, delimiter=";"))
    assert 0 < sum(not sale["valor_total"] for sale in sales) < 10
    assert 0 < sum(not payment["fornecedor"] for payment in payments) < 10
