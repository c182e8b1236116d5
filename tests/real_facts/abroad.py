"""Facts of tables from other countries, and of nested JSON."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from typing import Any

from tests.real_facts.access import Fact, Folder, Table, add, add_by
from tests.real_facts.registers import negatives

CUSTOMERS = "northwind.json:Customers"
ORDERS = "northwind.json:Orders"
PROGRAMMES = slice(3, 8)


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
)
