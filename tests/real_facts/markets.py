"""Facts of Brazilian markets: the central bank's series and rates, the stock exchange."""

from __future__ import annotations

from decimal import Decimal

from tests.real_facts.access import Fact, Table, add, day_month_year, filled, plain

PORTFOLIO = "GetTheoricalPortfolio.json"
DIVIDENDS = "GetListedCashDividends.json"
ARROW_TYPES = {str: "large_string", int: "int64", float: "double"}
"""The type that cells of a column came in → the type that the file declares."""


def of_year(table: Table, year: str) -> list[Decimal]:
    """The values of one year of a time series."""
    pairs = zip(table.cells("data"), table.cells("valor"), strict=True)
    return [value for day, value in pairs if day.startswith(year)]


def compounded(table: Table, year: str) -> str:
    """Twelve monthly rates as the yearly one, in percent."""
    factor = Decimal(1)
    for value in of_year(table, year):
        factor *= 1 + value / 100
    return plain(((factor - 1) * 100).quantize(Decimal("0.0001")))


def series(name: str, heading: str) -> tuple[Fact, ...]:
    """The facts that both series of the central bank have."""
    file = f"bcdata.sgs.{name}.csv"
    folder = "bcb-sgs"
    not_first = f"{name}: dates whose day is not 01 (none: month and day cannot be told apart by range)"
    return (
        Fact(
            folder, f"{heading}: rows, sum of valor", "json", lambda f: [f[file].rows, f[file].sum("valor")]
        ),
        Fact(folder, f"{name}: min and max", "json", lambda f: f[file].bounds("valor")),
        Fact(folder, f"{name}: first and last data as ISO dates", "json", lambda f: f[file].bounds("data")),
        Fact(folder, not_first, "json", lambda f: f[file].evidence("data", "day_over_12")),
        Fact(folder, f"{name}: sum of 2024", "snapshot", lambda f: add([*of_year(f[file], "2024")])),
    )


def portfolio_fact(name: str) -> Fact:
    """A number of which the shares add up to what the header says."""
    return Fact(
        "b3-mercado",
        f"portfolio: sum of {name}; header says",
        "json",
        lambda f: [f[f"{PORTFOLIO}:results"].sum(name), f[PORTFOLIO].sum(f"header.{name}")],
    )


def is_plain_day(table: Table) -> bool:
    """Whether a column with times is a date all the same, and equal to the column of dates beside it."""
    days = table.cells("lastDatePriorEx") == table.cells("lastDateTimePriorEx")
    return days and table.field("lastDateTimePriorEx").type == "date"


MARKETS = (
    *series("433", "433 (IPCA, % a month)"),
    *series("3698", "3698 (US$ monthly mean)"),
    Fact("bcb-sgs", "433: compounded 2024, %", "snapshot", lambda f: compounded(f["*.433.csv"], "2024")),
    Fact(
        "bcb-sgs",
        "433: negative months",
        "snapshot",
        lambda f: [
            day_month_year(day)
            for day, value in zip(f["*.433.csv"].cells("data"), f["*.433.csv"].cells("valor"), strict=True)
            if value < 0
        ],
    ),
    Fact("b3-mercado", "portfolio: rows", "json", lambda f: f[f"{PORTFOLIO}:results"].rows),
    *(portfolio_fact(name) for name in ("theoricalQty", "part")),
    Fact("b3-mercado", "portfolio: header.reductor", "json", lambda f: f[PORTFOLIO].sum("header.reductor")),
    Fact(
        "b3-mercado",
        "dividends: rows, sum of valueCash",
        "json",
        lambda f: [f[f"{DIVIDENDS}:results"].rows, f[f"{DIVIDENDS}:results"].sum("valueCash")],
    ),
    Fact(
        "b3-mercado",
        "dividends: sum of valueCash by corporateAction",
        "json",
        lambda f: f[f"{DIVIDENDS}:results"].groups("valueCash", "corporateAction"),
    ),
    Fact(
        "b3-mercado",
        "dividends: lastDateTimePriorEx all at midnight and equal to lastDatePriorEx",
        "snapshot",
        lambda f: is_plain_day(f[f"{DIVIDENDS}:results"]),
    ),
    Fact(
        "b3-mercado",
        "trades: rows, sum of Quantidade and Volume Financeiro R$",
        "json",
        lambda f: [
            f["*.csv"].rows,
            f["*.csv"].sum("Quantidade Negociada"),
            f["*.csv"].sum("Volume Financeiro R$"),
        ],
    ),
    Fact(
        "b3-mercado",
        "trades: volume by Emissor",
        "json",
        lambda f: f["*.csv"].groups("Volume Financeiro R$", "Emissor"),
    ),
    Fact(
        "b3-mercado",
        "CDI: taxa, indice",
        "json",
        lambda f: [f["CDIIDI.json"].field("taxa").max, f["CDIIDI.json"].sum("indice")],
    ),
    Fact("bcb-taxas-parquet", "rows x columns", "json", lambda f: f["*.parquet"].shape),
    Fact(
        "bcb-taxas-parquet",
        "column types",
        "source",
        lambda f: {name: ARROW_TYPES[type(f["*.parquet"].source(name)[0])] for name in f["*.parquet"].names},
    ),
    Fact(
        "bcb-taxas-parquet",
        "sum of TaxaJurosAoAno (from the shortest decimal of each double)",
        "snapshot",
        lambda f: add(f["*.parquet"].cells("TaxaJurosAoAno")),
    ),
    Fact(
        "bcb-taxas-parquet",
        "sum of TaxaJurosAoMes",
        "snapshot",
        lambda f: add(f["*.parquet"].cells("TaxaJurosAoMes")),
    ),
    Fact(
        "bcb-taxas-parquet",
        "cnpj8 with a leading zero",
        "json",
        lambda f: f["*.parquet"].evidence("cnpj8", "leading_zero"),
    ),
    Fact(
        "bcb-taxas-parquet",
        "rows by InstituicaoFinanceira, top 4",
        "json",
        lambda f: f["*.parquet"].counts("InstituicaoFinanceira", 4),
    ),
    Fact(
        "bcb-taxas-parquet",
        "first and last anoMes",
        "snapshot",
        lambda f: [bound(filled(f["*.parquet"].cells("anoMes"))) for bound in (min, max)],
    ),
)
