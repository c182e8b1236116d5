"""Facts of Brazilian tables of amounts: assets, budgets, health, agriculture, municipalities."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

from tests.real_facts.access import Fact, Folder, Table, add, add_by, day_month_year, plain, sum_fact

TSE = "bem_candidato_2022_BR.csv"
EMPENHO = "Despesas_Empenho.csv"
ITEM = "Despesas_ItemEmpenho.csv"
VALUE = "Valor do Empenho Convertido pra R$"


def leading_zero_codes(table: Table) -> list[str]:
    """The columns of plain digits that are text since some cell starts with a zero."""
    return table.named(
        lambda field: (
            field.type == "text"
            and field.coercion
            and field.coercion.evidence.get("plain") == table.rows
            and field.coercion.evidence.get("leading_zero")
        )
    )


def items_that_add_up(folder: Folder) -> str:
    """How many commitments have items that add up to their own value."""
    items = add_by(folder[ITEM].cells("Id Empenho"), folder[ITEM].cells("Valor Atual"))
    commitments = zip(folder[EMPENHO].cells("Id Empenho"), folder[EMPENHO].cells(VALUE), strict=True)
    right = sum(items[key] == plain(value) for key, value in commitments)
    return f"{right} of {folder[EMPENHO].rows}"


def titles_and_notes(table: Table) -> list[int]:
    """How many notes stand before the one that names the source, and how many records from it on."""
    first = next(index for index, note in enumerate(table.document.notes) if note.startswith("Fonte"))
    return [first, len(table.document.notes) - first + table.warned("blank_records")]


def not_adding_up(table: Table) -> int:
    """Measures of which the total row says something else than the sum."""
    return sum(one.sum is not None and one.sum != table.total(one.name) for one in table.document.fields)


def records(table: Table, headers: int, totals: int = 0) -> int:
    """All records of the file: notes, blank ones, headers, rows and total rows."""
    return len(table.document.notes) + table.warned("blank_records") + headers + table.rows + totals


def largest_and_smallest(table: Table) -> list[str]:
    """The states of most and of fewest people."""
    pairs = zip(table.cells("Ano 2020"), table.cells("Brasil e Unidade da Federação"), strict=True)
    ordered = sorted(pairs, reverse=True)
    return [ordered[0][1], ordered[-1][1]]


BRAZIL = (
    Fact("tse-bens-candidatos", "rows x columns", "json", lambda f: f[TSE].shape),
    Fact("tse-bens-candidatos", "sum of VR_BEM_CANDIDATO", "json", lambda f: f[TSE].sum("VR_BEM_CANDIDATO")),
    Fact(
        "tse-bens-candidatos",
        "min and max of VR_BEM_CANDIDATO",
        "json",
        lambda f: f[TSE].bounds("VR_BEM_CANDIDATO"),
    ),
    Fact(
        "tse-bens-candidatos",
        "cells of VR_BEM_CANDIDATO that are 0,00",
        "snapshot",
        lambda f: f[TSE].cells("VR_BEM_CANDIDATO").count(0),
    ),
    Fact(
        "tse-bens-candidatos",
        "largest five sums by DS_TIPO_BEM_CANDIDATO",
        "json",
        lambda f: f[TSE].groups("VR_BEM_CANDIDATO", "DS_TIPO_BEM_CANDIDATO", 5),
    ),
    Fact(
        "tse-bens-candidatos",
        "distinct DS_TIPO_BEM_CANDIDATO and SQ_CANDIDATO",
        "json",
        lambda f: [f[TSE].field(name).distinct for name in ("DS_TIPO_BEM_CANDIDATO", "SQ_CANDIDATO")],
    ),
    Fact(
        "tse-bens-candidatos",
        "rows by DT_ULTIMA_ATUALIZACAO (dd/mm/yyyy)",
        "snapshot",
        lambda f: Counter(map(day_month_year, f[TSE].cells("DT_ULTIMA_ATUALIZACAO"))),
    ),
    Fact(
        "tse-bens-candidatos",
        "columns with one single value",
        "json",
        lambda f: f[TSE].named(lambda field: field.distinct == 1),
    ),
    Fact("transparencia-despesas", "Empenho: rows x columns", "json", lambda f: f[EMPENHO].shape),
    Fact("transparencia-despesas", f"Empenho: sum of {VALUE}", "json", lambda f: f[EMPENHO].sum(VALUE)),
    Fact(
        "transparencia-despesas",
        "Empenho: sum by Órgão Superior",
        "json",
        lambda f: f[EMPENHO].groups(VALUE, "Órgão Superior"),
    ),
    Fact(
        "transparencia-despesas",
        "Empenho: columns whose cells are all digits and some start with 0 (stay text)",
        "json",
        lambda f: leading_zero_codes(f[EMPENHO]),
    ),
    Fact(
        "transparencia-despesas",
        "Empenho: distinct Código Ação (digits and letters mixed)",
        "json",
        lambda f: sorted(map(str, f[EMPENHO].counts("Código Ação"))),
    ),
    Fact("transparencia-despesas", "ItemEmpenho: rows x columns", "json", lambda f: f[ITEM].shape),
    Fact(
        "transparencia-despesas",
        "ItemEmpenho: sum of Valor Atual (five decimals in the file)",
        "json",
        lambda f: f[ITEM].sum("Valor Atual"),
    ),
    Fact(
        "transparencia-despesas",
        "empenhos whose items add up to their own value",
        "snapshot",
        items_that_add_up,
    ),
    Fact(
        "tabnet-sih-valor",
        "title lines above the header, notes below the last row",
        "json",
        lambda f: titles_and_notes(f["*.csv"]),
    ),
    Fact(
        "tabnet-sih-valor",
        "states, columns (label + months + Total)",
        "json",
        lambda f: f["*.csv"].shape,
    ),
    Fact(
        "tabnet-sih-valor",
        "cells that are '-' (no value, not zero)",
        "json",
        lambda f: f["*.csv"].null_tokens,
    ),
    Fact(
        "tabnet-sih-valor",
        "sum of column Total over the 27 states; row Total says",
        "json",
        lambda f: [f["*.csv"].sum("Total"), f["*.csv"].total("Total")],
    ),
    Fact(
        "tabnet-sih-valor",
        "sum of 2020/Jul over the 27 states",
        "json",
        lambda f: f["*.csv"].sum("2020/Jul"),
    ),
    Fact(
        "tabnet-sih-valor",
        "largest three states by column Total",
        "snapshot",
        lambda f: add_by(f["*.csv"].cells("Unidade da Federação"), f["*.csv"].cells("Total"), 3),
    ),
    Fact(
        "tabnet-sih-valor",
        "columns whose 27 states do not add up to the row Total",
        "json",
        lambda f: not_adding_up(f["*.csv"]),
    ),
    Fact("tabnet-hanseniase", "years, columns", "json", lambda f: f["*.csv"].shape),
    Fact(
        "tabnet-hanseniase",
        "lines after the table",
        "json",
        lambda f: [note[:40] for note in f["*.csv"].document.notes],
    ),
    Fact(
        "tabnet-hanseniase",
        "sum of Total without the Total row; the Total row says",
        "json",
        lambda f: [f["*.csv"].sum("Total"), f["*.csv"].total("Total")],
    ),
    Fact(
        "tabnet-hanseniase",
        "sum of Total if the Total row is kept by mistake",
        "json",
        lambda f: add([Decimal(f["*.csv"].sum("Total") or 0), Decimal(f["*.csv"].total("Total"))]),
    ),
    Fact("tabnet-hanseniase", "sum of Dez without the Total row", "json", lambda f: f["*.csv"].sum("Dez")),
    Fact("tabnet-hanseniase", "cells that are '-'", "json", lambda f: f["*.csv"].null_tokens),
    Fact(
        "tabnet-hanseniase",
        "first label (not a year)",
        "snapshot",
        lambda f: f["*.csv"].cells("Ano Diagnóstico")[0],
    ),
    Fact(
        "ibge-sidra-6579",
        "records in the whole file, records of the table",
        "json",
        lambda f: [
            records(f["*.csv"], headers=2, totals=1),
            f["*.csv"].rows + f["*.csv"].warned("total_row"),
        ],
    ),
    Fact(
        "ibge-sidra-6579",
        "header lines that repeat the first column name",
        "json",
        lambda f: len(f["*.csv"].names[1].split()),
    ),
    Fact(
        "ibge-sidra-6579",
        "sum over the 27 states; the row Brasil says",
        "json",
        lambda f: [f["*.csv"].sum("Ano 2020"), f["*.csv"].total("Ano 2020")],
    ),
    Fact(
        "ibge-sidra-6579",
        "sum if the row Brasil is added too",
        "json",
        lambda f: add([Decimal(f["*.csv"].sum("Ano 2020") or 0), Decimal(f["*.csv"].total("Ano 2020"))]),
    ),
    Fact(
        "ibge-sidra-6579",
        "largest and smallest state",
        "snapshot",
        lambda f: largest_and_smallest(f["*.csv"]),
    ),
    Fact(
        "ibge-pam-valor",
        "records, municipalities",
        "json",
        lambda f: [records(f["*.csv"], headers=2), f["*.csv"].rows],
    ),
    *(sum_fact("ibge-pam-valor", f"sum of {year}", "*.csv", f"Ano {year}") for year in (2014, 2015, 2016)),
    Fact(
        "ibge-pam-valor",
        "cells that are '-' and '...'",
        "source",
        lambda f: [f["*.csv"].all_source().count(token) for token in ("-", "...")],
    ),
    Fact(
        "ibge-pam-valor",
        "sum of 2016 by state",
        "snapshot",
        lambda f: add_by(
            [re.findall(r"\(([A-Z]{2})\)$", name)[0] for name in f["*.csv"].cells("Município")],
            f["*.csv"].cells("Ano 2016"),
            4,
        ),
    ),
    Fact("mg-municipios", "areas: rows", "json", lambda f: f["areas*"].rows),
    Fact(
        "mg-municipios",
        "areas: sum of area_mun_2010 (km2, comma is the decimal mark)",
        "json",
        lambda f: f["areas*"].sum("area_mun_2010"),
    ),
    Fact("mg-municipios", "areas: min and max", "json", lambda f: f["areas*"].bounds("area_mun_2010")),
    Fact(
        "mg-municipios",
        "areas: cells with exactly three decimals (look like thousands)",
        "source",
        lambda f: sum(bool(re.search(r",\d{3}$", cell)) for cell in f["areas*"].source("area_mun_2010")),
    ),
    Fact(
        "mg-municipios",
        "ideb: rows, cells '-'",
        "json",
        lambda f: [f["ideb*"].rows, f["ideb*"].evidence("IDEB", "null_tokens")],
    ),
    Fact(
        "mg-municipios",
        "ideb: sum and count of IDEB",
        "json",
        lambda f: [f["ideb*"].sum("IDEB"), f["ideb*"].rows - f["ideb*"].nulls("IDEB")],
    ),
    Fact("mg-municipios", "ideb: rows by ano", "json", lambda f: f["ideb*"].counts("ano")),
)
