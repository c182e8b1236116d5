"""
Writes the example reports: the same bytes on every run, every Python and every system.

    python examples/generate.py [FOLDER]
    python examples/generate.py --database FILE

The second form writes only the SQLite database of the dashboard, whose bytes depend on the version of SQLite, so
that it is made where it is needed and never committed.

All names, documents and values are invented. Only `Random.random()` is drawn from, since it alone keeps
its sequence between versions of Python.
"""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import TypeVar

SEED = 20260630
FIRST_DAY = date(2026, 1, 2)
DAYS = 180
"""The reports cover the first half of 2026."""

SALES = 180
STATUS = ("faturado",) * 31 + ("aberto",) * 7 + ("cancelado",) * 2
CST = ("000",) * 5 + ("060",) * 3 + ("020",) * 2
REGION_OF_SELLER = {
    "Antônia Brandão": "Norte",
    "Caio Magalhães": "Sul",
    "Débora Fagundes": "Sul",
    "Inês Quaresma": "Leste",
    "Jônatas Vidigal": "Oeste",
    "Lívia Sampaio": "Leste",
    "Otávio Guimarães": "Sul",
    "Zulmira Conceição": "Norte",
}
CUSTOMER_KINDS = ("Mercado", "Padaria", "Farmácia", "Oficina", "Livraria")
CUSTOMER_NAMES = (
    "Açaizeiro",
    "Boa Maré",
    "Cambuci",
    "Estação Velha",
    "Ladeira",
    "Pé de Serra",
    "São Gil",
    "Três Pontes",
)

PAYMENTS = 205
SUPPLIERS = (
    *("Gráfica Jatobá",) * 3,
    *("Transportes Curió",) * 6,
    *("Energia Vale Fundo",) * 2,
    *("Limpeza & Zelo",) * 4,
    *("Embalagens Piúva",) * 5,
    *("Telecom Sabiá-Norte",) * 2,
)
METHODS = ("Pix",) * 5 + ("boleto",) * 4 + ("TED",) * 2 + ("cartão",)

PERSONAL_SALES = 140
PEOPLE = 60
"""Customers of the report with access rules; CPFs of so low a number belong to nobody."""
VIEWERS: dict[str, dict[str, object]] = {
    "vendedora": {
        "id": "ana",
        "workspace": "sulfite",
        "roles": ["vendas"],
        "attributes": {"regioes": ["Sul"]},
    },
    "fiscal": {
        "id": "bruno",
        "workspace": "sulfite",
        "roles": ["fiscal"],
        "attributes": {"regioes": ["Norte", "Leste"]},
    },
    "diretora": {
        "id": "clara",
        "workspace": "sulfite",
        "roles": ["diretoria"],
        "attributes": {"regioes": ["Norte", "Sul", "Leste", "Oeste"]},
    },
}
"""Who asks for it."""

ITEMS = (
    # code, product, NCM, CFOP, CST, unit, quantity, unit price
    ("0007", "Caderno espiral 96 folhas", "48202000", "5102", "000", "UN", "120", "8.4500"),
    ("0015", "Caneta esferográfica azul", "96081000", "5102", "000", "CX", "18", "31.2000"),
    ("0016", "Caneta esferográfica preta", "96081000", "5102", "000", "CX", "12", "31.2000"),
    ("0042", "Lápis grafite nº 2", "96091000", "5102", "000", "CX", "25", "14.7600"),
    ("0108", "Grampo 26/6 galvanizado", "83052000", "5102", "020", "CX", "40", "4.3850"),
    ("0110", "Grampeador de mesa", "84729040", "5102", "020", "UN", "9", "46.9000"),
    ("0233", "Envelope pardo 24 x 34 cm", "48171000", "5102", "000", "PC", "15", "27.5500"),
    ("0240", "Cola em bastão 20 g", "35061090", "5102", "000", "UN", "64", "3.1875"),
    ("0301", "Café torrado e moído 500 g", "09012100", "5405", "060", "PC", "36", "19.8000"),
    ("0302", "Açúcar refinado 1 kg", "17019900", "5405", "060", "PC", "24", "4.9500"),
    ("0977", "Cadeira giratória <diretor>", "94013090", "5102", "000", "UN", "4", "689.0000"),
    ("1004", "Mesa de reunião 2,40 m", "94033000", "5102", "000", "UN", "1", "1458.3000"),
)
STATE, MODEL, SERIES, INVOICE, EMISSION, CODE = "41", "55", "002", "000018427", "1", "73405918"
# No company has nine thousand branches, so neither number can be anybody's.
ISSUER, RECIPIENT = "849071539104", "617338029207"
DUE_DATES = (date(2026, 6, 17), date(2026, 7, 17), date(2026, 8, 17))

QUARTERS = {"2026-T1": ("01", "02", "03"), "2026-T2": ("04", "05", "06")}
TABLES = {
    "vendas": {
        "numero": "TEXT",
        "data": "DATE",
        "status": "TEXT",
        "vendedor": "TEXT",
        "regiao": "TEXT",
        "cliente": "TEXT",
        "valor_total": "REAL",
        "margem_bruta": "REAL",
        "cst": "TEXT",
    },
    "pagamentos": {
        "numero": "TEXT",
        "fornecedor": "TEXT",
        "data": "DATE",
        "valor": "REAL",
        "dias_atraso": "INTEGER",
        "forma": "TEXT",
    },
}
"""The tables of the dashboard's database, with the types that their columns are declared with."""

T = TypeVar("T")


def main(folder: Path) -> None:
    """Write every example under *folder*."""
    for name, text in example_files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def example_files() -> dict[str, str]:
    """The text of every example by its path."""
    sales, payments = _sales(Random(SEED)), _payments(Random(SEED + 1))
    return {
        "financeiro/vendas.csv": sales,
        "financeiro/pagamentos.csv": payments,
        **{
            f"financeiro/trimestres/{quarter}/{name}.csv": _quarter(text, months)
            for quarter, months in QUARTERS.items()
            for name, text in (("vendas", sales), ("pagamentos", payments))
        },
        **{f"danfe/{name}.json": _json(records) for name, records in _invoice().items()},
        "restrito/vendas.csv": _personal_sales(Random(SEED + 2)),
        "restrito/metas.csv": _targets(Random(SEED + 3)),
        **{f"restrito/viewers/{name}.json": _json(viewer) for name, viewer in VIEWERS.items()},
    }


def write_database(path: Path) -> None:
    """Write the sales and payments of `financeiro` as tables of a new SQLite database, typed as a program would."""
    path.unlink(missing_ok=True)
    files = example_files()
    with closing(sqlite3.connect(path)) as database, database:
        for name, columns in TABLES.items():
            rows = list(csv.DictReader(io.StringIO(files[f"financeiro/{name}.csv"]), delimiter=";"))
            kinds = ", ".join(f"{column} {kind}" for column, kind in columns.items())
            database.execute(f"CREATE TABLE {name} ({kinds})")
            database.executemany(
                f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})",
                [[_stored(row[column], kind) for column, kind in columns.items()] for row in rows],
            )


def _stored(cell: str, kind: str) -> str | float | int | None:
    """A cell of a CSV file as the database keeps it."""
    if not cell:
        return None
    match kind:
        case "REAL":
            return float(cell.strip("R$ %").replace(".", "").replace(",", "."))
        case "INTEGER":
            return int(cell)
        case "DATE":
            day = cell[:10]
            return f"{day[6:]}-{day[3:5]}-{day[:2]}" if "/" in day else day
    return cell


def _quarter(text: str, months: tuple[str, ...]) -> str:
    """The header, and the rows of some months."""
    header, *rows = csv.reader(io.StringIO(text), delimiter=";")
    day = header.index("data")
    return _csv(header, [row for row in rows if _stored(row[day], "DATE")[5:7] in months])  # type: ignore[index]


def _sales(rng: Random) -> str:
    header = (
        "numero",
        "data",
        "status",
        "vendedor",
        "regiao",
        "cliente",
        "valor_total",
        "margem_bruta",
        "cst",
    )
    days = sorted(_below(rng, DAYS) for _ in range(SALES))
    customers = [f"{kind} {name}" for kind in CUSTOMER_KINDS for name in CUSTOMER_NAMES]
    rows = []
    for number, day in enumerate(days, start=1):
        status, seller = _pick(rng, STATUS), _pick(rng, tuple(REGION_OF_SELLER))
        # A budget that is still open may have no price yet.
        priced = status != "aberto" or rng.random() > 1 / 8
        rows.append(
            (
                f"VD-{number:03}",
                f"{FIRST_DAY + timedelta(days=day):%d/%m/%Y}",
                status,
                seller,
                REGION_OF_SELLER[seller],
                _pick(rng, customers),
                _brazilian(_skewed(rng, 87_30, 17_400_00)) if priced else "",
                f"{_brazilian(60 + _below(rng, 380), places=1)}%" if priced else "",
                _pick(rng, CST),
            )
        )
    return _csv(header, rows)


def _payments(rng: Random) -> str:
    header = ("numero", "fornecedor", "data", "valor", "dias_atraso", "forma")
    days = sorted(_below(rng, DAYS) for _ in range(PAYMENTS))
    rows = []
    for number, day in enumerate(days, start=1):
        supplier = "" if rng.random() < 1 / 60 else _pick(rng, SUPPLIERS)
        late = rng.random() < 1 / 4
        rows.append(
            (
                f"PAG-{number:03}",
                supplier,
                f"{FIRST_DAY + timedelta(days=day)}T00:00:00.000Z",
                f"R$ {_brazilian(_skewed(rng, 12_50, 8_960_00))}",
                str(1 + _below(rng, 28) if late else 0),
                _pick(rng, METHODS),
            )
        )
    return _csv(header, rows)


def _personal_sales(rng: Random) -> str:
    """Sales with what nobody but a few may see: documents, addresses and commissions."""
    rows = []
    for number in range(PERSONAL_SALES):
        seller = _pick(rng, tuple(REGION_OF_SELLER))
        customer = _below(rng, PEOPLE)
        cents = _skewed(rng, 2_000, 900_000)
        rows.append(
            [
                (FIRST_DAY + timedelta(number * DAYS // PERSONAL_SALES)).strftime("%d/%m/%Y"),
                REGION_OF_SELLER[seller],
                seller,
                _cpf(f"{customer + 101:09}"),
                f"cliente{customer:02}@example.com" if rng.random() < 0.9 else "",
                _brazilian(cents),
                _brazilian(cents * (3 + _below(rng, 4)) // 100),
            ]
        )
    header = ("data", "regiao", "vendedor", "cpf", "contato", "valor", "comissao")
    return _csv(header, rows)


def _targets(rng: Random) -> str:
    """The target of each region, and a last row that adds them up."""
    targets = {
        region: 1_000_000 + 50_000 * _below(rng, 40) for region in sorted(set(REGION_OF_SELLER.values()))
    }
    rows = [[region, _brazilian(cents)] for region, cents in targets.items()]
    return _csv(("regiao", "meta"), [*rows, ["Total", _brazilian(sum(targets.values()))]])


def _invoice() -> dict[str, list[dict[str, str]]]:
    """An NF-e as its four bands; the stub (canhoto) repeats the header, as on the printed page."""
    issuer, recipient = _cnpj(ISSUER), _cnpj(RECIPIENT)
    issued = date(2026, 5, 18)
    items = [
        {
            "cProd": code,
            "xProd": product,
            "NCM": ncm,
            "CFOP": cfop,
            "CST": cst,
            "uCom": unit,
            "qCom": f"{quantity}.000",
            "vUnCom": price,
            "vProd": str((int(quantity) * Decimal(price)).quantize(Decimal("0.01"))),
        }
        for code, product, ncm, cfop, cst, unit, quantity, price in ITEMS
    ]
    total = sum((Decimal(item["vProd"]) for item in items), Decimal(0))
    header = {
        "chave": _access_key(f"{STATE}{issued:%y%m}{issuer}{MODEL}{SERIES}{INVOICE}{EMISSION}{CODE}"),
        "numero": INVOICE,
        "serie": SERIES,
        "natureza_operacao": "Venda de mercadoria",
        "emissao": f"{issued}T00:00:00.000Z",
        "emitente": "Papelaria Serra do Umbu Ltda",
        "emitente_cnpj": issuer,
        "destinatario": "Escola Técnica Beira-Umbu",
        "destinatario_cnpj": recipient,
        "valor_total": str(total),
    }
    stub_order = (
        *("emitente", "emitente_cnpj", "destinatario", "destinatario_cnpj", "numero", "serie"),
        *("emissao", "valor_total", "natureza_operacao", "chave"),
    )
    return {
        "canhoto": [{field: header[field] for field in stub_order}],
        "header": [header],
        "itens": items,
        "duplicatas": _instalments(total),
    }


def _instalments(total: Decimal) -> list[dict[str, str]]:
    """Equal parts of *total*; the cents that do not divide go to the first."""
    part = (total / len(DUE_DATES)).quantize(Decimal("0.01"), rounding="ROUND_DOWN")
    first = total - part * (len(DUE_DATES) - 1)
    return [
        {"nDup": f"{number:03}", "dVenc": str(due), "vDup": str(first if number == 1 else part)}
        for number, due in enumerate(DUE_DATES, start=1)
    ]


def _cpf(digits: str) -> str:
    """*digits* (9) with the two check digits of a CPF, as it is written."""
    for weight in (10, 11):
        total = sum(int(digit) * (weight - place) for place, digit in enumerate(digits))
        digits += str(total * 10 % 11 % 10)
    return f"{digits[:3]}.{digits[3:6]}.{digits[6:9]}-{digits[9:]}"


def _cnpj(digits: str) -> str:
    """*digits* (12) with the two check digits of a CNPJ."""
    for _ in range(2):
        digits += str(_check_digit(digits))
    return digits


def _access_key(digits: str) -> str:
    """*digits* (43) with the check digit of an NF-e access key."""
    return digits + str(_check_digit(digits))


def _check_digit(digits: str) -> int:
    """Modulo 11 with the weights 2, 3, … 9, 2, … from the right, as CNPJ and access key both have it."""
    total = sum(int(digit) * (2 + place % 8) for place, digit in enumerate(reversed(digits)))
    rest = total % 11
    return 0 if rest < 2 else 11 - rest


def _below(rng: Random, end: int) -> int:
    return int(rng.random() * end)


def _pick(rng: Random, values: Sequence[T]) -> T:
    return values[_below(rng, len(values))]


def _skewed(rng: Random, low: int, high: int) -> int:
    """Cents between *low* and *high*, mostly small, as amounts are."""
    part = rng.random()
    return low + int((high - low) * (part * part * part))


def _brazilian(units: int, places: int = 2) -> str:
    """*units* of the last decimal place as a Brazilian number: 378227 is `3.782,27`."""
    whole, decimals = divmod(units, 10**places)
    return f"{whole:,}".replace(",", ".") + f",{decimals:0{places}}"


def _csv(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def _json(records: Sequence[Mapping[str, object]] | Mapping[str, object]) -> str:
    return json.dumps(records, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--database"]:
        write_database(Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
