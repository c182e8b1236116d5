"""Facts of tables that are hard to read: many styles in one column, codes, odd encodings and line ends."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from engine import numbers
from tests.real_facts.access import Fact, Table, add, plain, sum_fact
from tests.real_facts.registers import br_number

ADMISSIONS = "All_admissions_including_place_of_safety_detentions"
MILHO = "milho-safra-2017.csv"


def harvest(table: Table, label: str) -> list[str]:
    """The row of a label: each row has a unit of its own, so its cells stay text."""
    row = table.cells(table.names[0]).index(label)
    cells = (table.cells(name)[row] for name in table.names[1:])
    return [plain(br_number(cell) or Decimal(0)) for cell in cells]


def plain_numbers(table: Table) -> list[Decimal]:
    """The cells of the column `number` that read as plain numbers, were they alone."""
    cells = map(numbers.read_number, table.cells("number"))
    return [Decimal(f"{cell.digits}E-{cell.decimals}") for cell in cells if cell and not cell.unit]


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
    assert table.null_tokens == sum(field.nulls or 0 for field in table.document.fields)
    return table.null_tokens


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


HARD = (
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
        lambda f: [cell for cell in f["*.csv"].cells("number") if cell.strip("+-").lower() in ("nan", "inf")],
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
        lambda f: [f["*.csv"].sum("J-D"), f["*.csv"].rows - f["*.csv"].nulls("J-D")],
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
