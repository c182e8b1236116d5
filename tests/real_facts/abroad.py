"""Facts of tables from other countries, of nested JSON, and of files made to be hard."""

from __future__ import annotations

import json
import re
from collections import Counter
from decimal import Decimal
from typing import Any

from engine import numbers
from engine.cleaning import NULL_TOKENS
from tests.real_facts.access import Fact, Folder, Table, add, add_by, plain, sum_fact
from tests.real_facts.registers import br_number, negatives

CUSTOMERS, ORDERS = "northwind.json:Customers", "northwind.json:Orders"
ADMISSIONS = "All_admissions_including_place_of_safety_detentions"
PROGRAMMES = slice(3, 8)
MILHO = "milho-safra-2017.csv"


def freight_by_country(folder: Folder) -> dict[Any, str]:
    """The orders' freight by the country of their customer, which `_parent` leads to."""
    countries = folder[CUSTOMERS].cells("Country")
    keys = [countries[int(parent) - 1] for parent in folder[ORDERS].cells("_parent")]
    return add_by(keys, folder[ORDERS].cells("Freight"), 4)


def order_lines(table: Table) -> list[list[str]]:
    """The table that a template keeps as JSON in a cell."""
    pairs = zip(table.cells("name"), table.cells("content"), strict=True)
    lines: list[list[str]] = json.loads(next(content for name, content in pairs if name == "orders"))
    return lines


def longest_text(*tables: Table) -> int:
    """Characters of the longest text of some bands, as read: the snapshot's cells are stripped."""
    return max(len(cell) for table in tables for cell in table.all_source() if isinstance(cell, str))


def harvest(table: Table, label: str) -> list[str]:
    """The row of a label: each row has a unit of its own, so its cells stay text."""
    row = table.cells(table.names[0]).index(label)
    cells = (table.cells(name)[row] for name in table.names[1:])
    return [plain(br_number(cell) or Decimal(0)) for cell in cells]


def plain_numbers(table: Table) -> list[Decimal]:
    """The cells of the column `number` that read as plain numbers, were they alone."""
    cells = map(numbers.read_number, table.cells("number"))
    return [Decimal(f"{cell.digits}E-{cell.decimals}") for cell in cells if cell and not cell.unit]


def not_adding_up(table: Table) -> list[str]:
    """States whose programmes do not add up to the column TOTAL."""
    programmes = zip(*(table.cells(name) for name in table.names[PROGRAMMES]), strict=True)
    rows = zip(table.cells("State Name"), table.cells("TOTAL"), programmes, strict=True)
    return [state for state, total, parts in rows if sum(parts) != total]


def revenue_agrees(table: Table) -> str:
    """Rows where rate times price is the third column, to four decimals."""
    triples = zip(*(table.cells(name) for name in ("Occupancy rate", "Average Price", "RevPAR")), strict=True)
    right = sum(abs(rate * price - revenue) < Decimal("0.0001") for rate, price, revenue in triples)
    return f"{right} of {table.rows}"


def leading_zeros(cells: list[str]) -> int:
    """Cells with a digit after a leading zero."""
    return sum(bool(re.match(r"0\d", cell)) for cell in cells)


def rebuilt(table: Table) -> int:
    """Rows of which the three partial codes make the whole one."""
    parts = zip(*(table.cells(f"codice_{name}") for name in ("regione", "provincia", "comune")), strict=True)
    return sum("".join(codes) == whole for codes, whole in zip(parts, table.cells("comune"), strict=True))


def with_comma(table: Table, name: str) -> list[int | str]:
    """How many cells are written with a thousands comma, and the sum of those."""
    found = [typed for cell, typed in zip(table.source(name), table.cells(name), strict=True) if "," in cell]
    return [len(found), add(found)]


def decimal_columns(table: Table, style: str) -> list[str]:
    """The columns of numbers that are read in one style."""
    return table.named(
        lambda field: field.type == "number" and field.coercion and field.coercion.style == style
    )


def asterisks(table: Table) -> int:
    """Cells of typed columns that hold asterisks, all of them null."""
    assert table.null_tokens == sum(field.nulls for field in table.document.fields)
    return table.null_tokens


ABROAD = (
    Fact(
        "jasper-northwind",
        "JSON: customers, orders (nested under each customer)",
        "json",
        lambda f: [f[CUSTOMERS].rows, f[ORDERS].rows],
    ),
    Fact("jasper-northwind", "JSON: sum of Freight", "json", lambda f: f[ORDERS].sum("Freight")),
    Fact(
        "jasper-northwind",
        "JSON: orders without ShippedDate",
        "json",
        lambda f: f[ORDERS].field("ShippedDate").nulls,
    ),
    Fact("jasper-northwind", "Freight by Country, top 4", "snapshot", freight_by_country),
    Fact(
        "jasper-northwind",
        "PostalCode kinds in the JSON",
        "source",
        lambda f: Counter(type(cell).__name__ for cell in f[CUSTOMERS].source("PostalCode")),
    ),
    Fact("pdfme-invoice", "elements by type", "json", lambda f: f["*.json:schemas.value"].counts("type")),
    Fact(
        "pdfme-invoice",
        "rows of the table 'orders' (JSON inside a string inside JSON)",
        "snapshot",
        lambda f: order_lines(f["*.json:schemas.value"]),
    ),
    Fact(
        "pdfme-invoice",
        "sum of quantity times price, with strings as numbers",
        "snapshot",
        lambda f: add(
            [Decimal(line[1]) * Decimal(line[2]) for line in order_lines(f["*.json:schemas.value"])]
        ),
    ),
    Fact(
        "pdfme-invoice",
        "longest string in the file",
        "source",
        lambda f: longest_text(f["*.json:schemas.value"], f["*.json:staticSchema"]),
    ),
    Fact("moj-spend-2011", "rows", "json", lambda f: f["*.csv"].rows),
    Fact(
        "moj-spend-2011",
        "sum of AMOUNT (pound sign, comma is thousands)",
        "json",
        lambda f: f["*.csv"].sum("AMOUNT"),
    ),
    Fact("moj-spend-2011", "sum by ENTITY", "json", lambda f: f["*.csv"].groups("AMOUNT", "ENTITY")),
    Fact("moj-spend-2011", "min and max of AMOUNT", "json", lambda f: f["*.csv"].bounds("AMOUNT")),
    Fact(
        "moj-spend-2011",
        "header with a space at its end",
        "json",
        # A name is stripped (spec 1.3), so it is found again with the space that it lost.
        lambda f: [f"{name} " for name in f["*.csv"].names if name == "EXPENSE AREA"],
    ),
    Fact(
        "moj-spend-2011",
        "repeated TRANSACTION_NUMBER",
        "json",
        lambda f: f["*.csv"].rows - (f["*.csv"].field("TRANSACTION_NUMBER").distinct or 0),
    ),
    Fact("hmrc-over25k-2011", "rows", "json", lambda f: f["*.csv"].rows),
    Fact("hmrc-over25k-2011", "sum of Amount", "json", lambda f: f["*.csv"].sum("Amount")),
    Fact(
        "hmrc-over25k-2011",
        "negative rows and their sum",
        "snapshot",
        lambda f: negatives(f["*.csv"].cells("Amount")),
    ),
    Fact(
        "hmrc-over25k-2011",
        "sum by Expense area, top 3",
        "json",
        lambda f: f["*.csv"].groups("Amount", "Expense area", 3),
    ),
    Fact(
        "hmrc-over25k-2011",
        "dates with a day above 12 (so dd/mm/yyyy), and without",
        "json",
        lambda f: [
            f["*.csv"].evidence("Date", "day_over_12"),
            f["*.csv"].rows - int(f["*.csv"].evidence("Date", "day_over_12")),
        ],
    ),
    Fact(
        "hmrc-over25k-2011",
        "constant columns",
        "json",
        lambda f: f["*.csv"].named(lambda field: field.distinct == 1),
    ),
    Fact(
        "csvkit-edu-fy09",
        "states and territories, columns (the last has no name and no value)",
        "json",
        lambda f: f["*.csv"].shape,
    ),
    Fact(
        "csvkit-edu-fy09",
        "sum of TOTAL (comma is thousands: 12,426 is 12426)",
        "json",
        lambda f: f["*.csv"].sum("TOTAL"),
    ),
    Fact(
        "csvkit-edu-fy09",
        "sum of the first five programmes",
        "json",
        lambda f: add([Decimal(f["*.csv"].sum(name) or 0) for name in f["*.csv"].names[PROGRAMMES]]),
    ),
    Fact(
        "csvkit-edu-fy09",
        "cells of TOTAL that would read as n.nnn with a decimal comma",
        "json",
        lambda f: f["*.csv"].evidence("TOTAL", "comma"),
    ),
    Fact(
        "csvkit-edu-fy09",
        "Code with a leading zero",
        "json",
        lambda f: f["*.csv"].evidence("Code", "leading_zero"),
    ),
    Fact(
        "csvkit-edu-fy09",
        "rows whose programmes do not add up to TOTAL",
        "snapshot",
        lambda f: not_adding_up(f["*.csv"]),
    ),
    Fact("frictionless-numbers", "rows, columns", "json", lambda f: f["*.csv"].shape),
    Fact(
        "frictionless-numbers",
        "values of the column number",
        "source",
        lambda f: f["*.csv"].source("number"),
    ),
    Fact(
        "frictionless-numbers",
        "plain finite numbers and their sum",
        "snapshot",
        lambda f: [len(plain_numbers(f["*.csv"])), add([*plain_numbers(f["*.csv"])])],
    ),
    Fact(
        "frictionless-numbers",
        "in scientific notation and their sum",
        "snapshot",
        lambda f: scientific(f["*.csv"].cells("number")),
    ),
    Fact(
        "frictionless-numbers",
        "NaN and infinities (no JSON numbers)",
        "snapshot",
        lambda f: [cell for cell in f["*.csv"].cells("number") if cell in NULL_TOKENS],
    ),
    Fact("brussels-hotels", "rows, columns", "json", lambda f: f["*.csv"].shape),
    Fact(
        "brussels-hotels",
        "sum of Occupancy rate and Average Price",
        "snapshot",
        lambda f: [f["*.csv"].sum("Occupancy rate"), add(f["*.csv"].cells("Average Price"))],
    ),
    Fact(
        "brussels-hotels",
        "rows where rate times price is RevPAR to 4 decimals",
        "snapshot",
        lambda f: revenue_agrees(f["*.csv"]),
    ),
    Fact("brussels-hotels", "rows by Classement", "json", lambda f: f["*.csv"].counts("Classement")),
    Fact(
        "brussels-hotels",
        "distinct Date (dd-mm-yy), dates whose first part is not 01",
        "snapshot",
        lambda f: [
            f["*.csv"].field("Date").distinct,
            sum(not cell.startswith("01-") for cell in f["*.csv"].cells("Date")),
        ],
    ),
    Fact(
        "brussels-hotels",
        "Average Price values with 3 decimals or fewer",
        "source",
        lambda f: sum(len(cell.partition(",")[2]) <= 3 for cell in f["*.csv"].source("Average Price")),
    ),
    Fact("istat-codes", "comuni: rows", "json", lambda f: f["comuni.csv"].rows),
    Fact(
        "istat-codes",
        "comuni: leading zeros in comune, codice_regione, codice_provincia, codice_comune",
        "json",
        lambda f: [f["comuni.csv"].evidence(name, "leading_zero") for name in f["comuni.csv"].names[:4]],
    ),
    Fact(
        "istat-codes",
        "comuni: rows where regione+provincia+comune rebuild the code",
        "snapshot",
        lambda f: rebuilt(f["comuni.csv"]),
    ),
    Fact(
        "istat-codes",
        "musei: 23.824 visitors with Italian points",
        "snapshot",
        lambda f: [
            plain(br_number(f["musei.csv"].cells(year)[0]) or Decimal(0)) for year in ("2011", "2010")
        ],
    ),
    Fact(
        "istat-codes",
        "musei: second row",
        "snapshot",
        lambda f: [f["musei.csv"].cells(name)[1] for name in f["musei.csv"].names],
    ),
    Fact("nhs-utf16le", "rows x columns", "json", lambda f: f["*.csv"].shape),
    *(
        sum_fact("nhs-utf16le", f"sum of {name}", "*.csv", name)
        for name in (ADMISSIONS, "Total_patients_31st_march")
    ),
    Fact(
        "nhs-utf16le",
        "cells of it written with a thousands comma, and their sum",
        "source",
        lambda f: with_comma(f["*.csv"], ADMISSIONS),
    ),
    Fact(
        "nhs-utf16le",
        "Organisation_classification trimmed",
        "json",
        lambda f: f["*.csv"].counts("Organisation_classification"),
    ),
    Fact(
        "nhs-utf16le",
        "Organisation_code that reads as scientific notation (8E467 overflows to infinity)",
        "snapshot",
        lambda f: sorted(
            cell for cell in f["*.csv"].cells("Organisation_code") if re.fullmatch(r"\d+E\d+", cell)
        ),
    ),
    Fact(
        "nhs-utf16le",
        "longest padding at the end of a cell",
        "source",
        lambda f: max(len(cell) - len(cell.rstrip()) for cell in f["*.csv"].all_source()),
    ),
    Fact(
        "nhs-utf16le",
        "other columns that hold a thousands comma",
        "json",
        lambda f: f["*.csv"].named(lambda field: field.coercion and field.coercion.evidence.get("comma")),
    ),
    Fact(
        "nasa-glb-cr",
        "records (carriage return alone ends a line), years",
        "json",
        lambda f: [
            len(f["*.csv"].document.notes) + f["*.csv"].warned("blank_records") + 1 + f["*.csv"].rows,
            f["*.csv"].rows,
        ],
    ),
    Fact("nasa-glb-cr", "cells made of asterisks (missing)", "json", lambda f: asterisks(f["*.csv"])),
    Fact("nasa-glb-cr", "sum of Jan", "json", lambda f: f["*.csv"].sum("Jan")),
    Fact(
        "nasa-glb-cr",
        "sum and count of J-D without missing",
        "json",
        lambda f: [f["*.csv"].sum("J-D"), f["*.csv"].rows - f["*.csv"].field("J-D").nulls],
    ),
    Fact(
        "nasa-glb-cr", "negative Jan", "snapshot", lambda f: sum(cell < 0 for cell in f["*.csv"].cells("Jan"))
    ),
    Fact("opencoesione-mixed", "rows x columns", "json", lambda f: f["*.csv"].shape),
    Fact(
        "opencoesione-mixed",
        "columns with a decimal comma, with a decimal point (same file)",
        "json",
        lambda f: [len(decimal_columns(f["*.csv"], "br")), decimal_columns(f["*.csv"], "point")],
    ),
    Fact(
        "opencoesione-mixed",
        "sum of TOT_PAGAMENTI (comma)",
        "json",
        lambda f: f["*.csv"].sum("TOT_PAGAMENTI"),
    ),
    Fact(
        "opencoesione-mixed",
        "sum of PROGRAMMATO_INDICATORE_1 (point)",
        "json",
        lambda f: f["*.csv"].sum("PROGRAMMATO_INDICATORE_1"),
    ),
    Fact(
        "opencoesione-mixed",
        "OC_COD_SLL has codes of 1, 3 and 4 digits",
        "json",
        lambda f: sorted(map(str, f["*.csv"].counts("OC_COD_SLL"))),
    ),
    Fact(
        "opencoesione-mixed",
        "dates as yyyymmdd, no separator",
        "snapshot",
        lambda f: dates_without_separator(f["*.csv"]),
    ),
    Fact(
        "opencoesione-mixed",
        "columns empty in every row",
        "json",
        lambda f: f["*.csv"].named(lambda field: field.nulls == f["*.csv"].rows),
    ),
    Fact("imea-milho-safra", "records, columns", "json", lambda f: [f[MILHO].rows + 1, len(f[MILHO].names)]),
    Fact(
        "imea-milho-safra",
        "Área 16/17 (ha), the points are thousands",
        "snapshot",
        lambda f: harvest(f[MILHO], "Área 16/17 (ha)"),
    ),
    Fact(
        "imea-milho-safra",
        "sum of the seven regions; column Mato Grosso says",
        "snapshot",
        lambda f: [
            add([Decimal(area) for area in harvest(f[MILHO], "Área 16/17 (ha)")[:-1]]),
            harvest(f[MILHO], "Área 16/17 (ha)")[-1],
        ],
    ),
    Fact("imea-milho-safra", "18-ago-17 as percent", "snapshot", lambda f: harvest(f[MILHO], "18-ago-17")),
    Fact(
        "imea-milho-safra",
        "cells with %, cells with p.p.",
        "source",
        lambda f: [sum(cell.endswith(unit) for cell in f[MILHO].all_source()) for unit in ("%", "p.p.")],
    ),
    Fact("rows-all-field-types", "rows", "json", lambda f: f["*.csv"].rows),
    Fact(
        "rows-all-field-types",
        "sum of integer_column over the 6 rows with a number",
        "json",
        lambda f: f["*.csv"].sum("integer_column"),
    ),
    Fact("rows-all-field-types", "sum of float_column", "json", lambda f: f["*.csv"].sum("float_column")),
    Fact(
        "rows-all-field-types",
        "sum of percent_column, in percent points",
        "snapshot",
        lambda f: add(f["*.csv"].cells("percent_column")),
    ),
    Fact(
        "rows-all-field-types",
        "the last row holds only marks for nothing",
        "source",
        lambda f: marks_for_nothing(f["*.csv"]),
    ),
    Fact(
        "rows-all-field-types",
        "spellings of true and false in bool_column",
        "json",
        lambda f: {value or "": count for value, count in f["*.csv"].counts("bool_column").items()},
    ),
)


def scientific(cells: list[str]) -> list[Any]:
    """The cells with an exponent, which stay text, and what they would add up to."""
    found = [cell for cell in cells if re.fullmatch(r"[-\d.]+[eE][-+]?\d+", cell)]
    return [found, add([Decimal(cell) for cell in found])]


def marks_for_nothing(table: Table) -> list[str]:
    """The last row as written; typed, all of it is null."""
    assert all(table.cells(name)[-1] is None for name in table.names)
    return [table.source(name)[-1] for name in table.names]


def dates_without_separator(table: Table) -> list[str]:
    """The first three dates of a column as the file writes them."""
    days = table.cells("OC_DATA_INIZIO_PROGETTO")[:3]
    return [day.replace("-", "") for day in days]
