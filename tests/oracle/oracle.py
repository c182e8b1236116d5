"""The facts of one table as `lastro context --json` gives them, computed row by row with csv and decimal."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from tests.oracle import cells
from tests.oracle.cells import EXACT, Moment
from tests.oracle.columns import Column, Value, decide_columns

TOTAL_LABELS = {"total", "totais", "total geral", "soma", "subtotal"}
CATEGORICAL_ROLES = ("id", "year", "part")

Row = list[str | None]
Decide = Callable[[tuple[int, ...]], list[Column]]
"""The columns of a band as the rows at some positions say."""


def oracle(name: str, records: Sequence[Sequence[str]], delimiter: str, locale: str | None) -> dict[str, Any]:
    """The bands and aggregates of *records*, the header first, and the warnings that the spec names."""
    clean = [[cells.strip(cell) or None for cell in record] for record in records]
    header, rows, headless = split_header(table_of([record for record in clean if any(record)]))
    width = max(map(len, [header, *rows]))
    names = column_names([*header, *[None] * (width - len(header))])
    rows = [[*row, *[None] * (width - len(row))] for row in rows]
    style = "br" if delimiter == ";" else "point"

    @cache
    def decide(chosen: tuple[int, ...]) -> list[Column]:
        return decide_columns(
            names, [[rows[row][at] for row in chosen] for at in range(width)], locale, style
        )

    labelled = labelled_totals(rows, decide)
    rest = tuple(at for at in range(len(rows)) if at not in labelled)
    stated = [one for at in labelled for one in stated_sums(rows[at], decide(rest))]
    for at in (len(rows) - 1, 0):
        found = unlabelled_total(at, rows, rest, decide) if at in rest else None
        if found:
            stated += found
            rest = tuple(one for one in rest if one != at)
            break
    columns = decide(rest)
    band = {
        "name": name,
        "rows": len(rest),
        "fields": [field(column) for column in columns],
        "groups": groups(columns, len(rest)),
    }
    codes = {(column.name, code) for column in columns for code in column.codes}
    return {
        "bands": [band],
        "aggregates": [{"id": f"total.{name}.{one.column.name}", "value": one.text} for one in stated],
        "codes": codes | ({(None, "no_header")} if headless else set()),
    }


def table_of(records: list[Row]) -> list[Row]:
    """The records of the table, without the notes above and below it (spec 0.3; one header level)."""
    filled = [sum(cell is not None for cell in record) for record in records]
    widths = Counter(len(record) for record, count in zip(records, filled, strict=True) if count >= 2)
    if not widths:
        return records
    width = max(widths, key=lambda one: widths[one])
    body = [len(record) == width and count >= 2 for record, count in zip(records, filled, strict=True)]
    start = body.index(True)
    for at in range(start + 1, len(records)):
        alone = filled[at] == 1 and records[at][0] is not None and (width != 2 or len(records[at]) != 2)
        if alone and 2 * sum(body[at + 1 :]) <= len(records) - at - 1:
            return records[start:at]
    return records[start:]


def split_header(records: list[Row]) -> tuple[Row, list[Row], bool]:
    """The header and the rows below it; whether the header is a row itself (spec 0.3)."""
    first = records[0]
    if any(cell is not None and is_data(cell) for cell in first):
        return [f"column_{position}" for position in range(1, len(first) + 1)], records, True
    return first, records[1:], False


def is_data(cell: str) -> bool:
    """Whether no column would be called so."""
    if cell.isascii() and cell.isdigit():
        return len(cell) >= 5 or (cell[0] == "0" and len(cell) > 1)
    number = cells.number_cell(cell)
    dated = cells.ISO.fullmatch(cell) or cells.PARTS.fullmatch(cell)
    return dated is not None or (number is not None and bool({*".,"} & {*number.digits}))


def column_names(header: Sequence[str | None]) -> list[str]:
    """A name for every column, and no name twice (spec 1.3)."""
    result: list[str] = []
    for position, name in enumerate(header, start=1):
        wanted = unique = name or f"column_{position}"
        number = 1
        while unique in result or (unique != name and unique in header):
            number += 1
            unique = f"{wanted}_{number}"
        result.append(unique)
    return result


# Total rows (spec 0.4)


def has_date(row: Row, columns: Sequence[Column]) -> bool:
    dated = [cell for cell, column in zip(row, columns, strict=True) if column.type in ("date", "datetime")]
    return any(cell is not None and not is_empty_date(cell) for cell in dated)


def is_empty_date(cell: str) -> bool:
    return cells.is_null_token(cell) or cell in cells.DATE_NULL_TOKENS


class Stated(NamedTuple):
    """What a total row says of a measure."""

    column: Column
    value: Decimal

    @property
    def text(self) -> str:
        """With all the decimals of the column (spec 6), or more if they were written."""
        return f"{self.value:.{max(self.column.scale, -int(self.value.as_tuple().exponent))}f}"


def labelled_totals(rows: Sequence[Row], decide: Decide) -> list[int]:
    """The first and last row, if they are called a total and there is something to add up."""
    edges = sorted({0, len(rows) - 1}) if len(rows) > 2 else []
    labelled = [at for at in edges if fold(next(filter(is_word, filter(None, rows[at])), "")) in TOTAL_LABELS]
    others = tuple(at for at in range(len(rows)) if at not in labelled)
    if (
        not labelled
        or len(others) < 2
        or not any(total(column.values) for column in measures_of(decide(others)))
    ):
        return []
    return labelled


def unlabelled_total(
    at: int, rows: Sequence[Row], rest: tuple[int, ...], decide: Decide
) -> list[Stated] | None:
    """
    The row *at*, if every measure in it is the sum of the others, and these are two or the only one.

    A measure is one in the rows without this one, or else in all of them.
    """
    others = tuple(one for one in rest if one != at)
    if len(others) < 2:
        return None
    for seen, times in ((others, 1), (rest, 2)):
        columns = decide(seen)
        stated = stated_sums(rows[at], columns)
        equal = all(EXACT.multiply(one.value, times) == total(one.column.values) for one in stated)
        # An only measure may equal the others by chance, but no total has a date of its own.
        only = len(measures_of(columns)) == 1 and not has_date(rows[at], decide(rest))
        if equal and any(one.value for one in stated) and (len(stated) >= 2 or only):
            return stated
    return None


def stated_sums(row: Row, columns: Sequence[Column]) -> list[Stated]:
    read = [
        (column, column.reader.read(cell)) for column, cell in zip(columns, row, strict=True) if column.reader
    ]
    return [Stated(column, value) for column, value in read if column.role == "measure" and value is not None]


def measures_of(columns: Iterable[Column]) -> list[Column]:
    return [column for column in columns if column.role == "measure"]


def is_word(cell: str) -> bool:
    dated = cells.ISO.fullmatch(cell) or cells.PARTS.fullmatch(cell)
    return cells.number_cell(cell) is None and dated is None and not cells.is_null_token(cell)


def fold(text: str) -> str:
    bare = unicodedata.normalize("NFKD", text)
    return "".join(one for one in bare if not unicodedata.combining(one)).lower()


# Facts (spec 5)


def total(values: Iterable[Value]) -> Decimal:
    """The exact sum; what is null adds nothing."""
    result = Decimal(0)
    for value in values:
        if isinstance(value, Decimal):
            result = EXACT.add(result, value)
    return result


def number_text(value: Decimal) -> str:
    """In full, trailing zeros dropped, `-0` as `0`."""
    text = f"{value:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def average_text(values: Sequence[Value], scale: int) -> str:
    """Rounded half-even to max(2, scale) decimals from the exact sum."""
    places = max(2, scale)
    scaled = round(Fraction(total(values)) / len(values) * 10**places)
    return number_text(EXACT.scaleb(Decimal(scaled), -places))


def value_text(value: Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case Decimal():
            return number_text(value)
        case _:
            return str(value)


def is_categorical(column: Column) -> bool:
    return column.type in ("text", "boolean") or column.role in CATEGORICAL_ROLES


def enumeration(column: Column) -> list[dict[str, Any]] | None:
    """Values by count, then by code point; nulls last (spec 3)."""
    counts = Counter(value_text(value) for value in column.filled)
    if not is_categorical(column) or not 1 <= len(counts) <= 20:
        return None
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    result: list[dict[str, Any]] = [{"value": value, "count": count} for value, count in ordered]
    nulls = len(column.values) - len(column.filled)
    return result + ([{"value": None, "count": nulls}] if nulls else [])


def field(column: Column) -> dict[str, Any]:
    """One column of the document."""
    filled = column.filled
    distinct = len({canonical(column, value) for value in filled})
    result: dict[str, Any] = {
        "name": column.name,
        "type": column.type,
        "role": column.role,
        "unit": column.unit,
        "nulls": len(column.values) - len(filled),
        "distinct": distinct if distinct <= 1000 else None,
        "values": enumeration(column),
        "sum": None,
        "avg": None,
        "min": None,
        "max": None,
    }
    if distinct > 1000:
        result["distinct_over"] = 1000
    if column.role in ("measure", "%", "rate"):
        result["avg"] = average_text(filled, column.scale)
    if column.role == "measure":
        result["sum"] = number_text(total(filled))
    if column.type == "number" and column.role != "id":
        numbers = [value for value in filled if isinstance(value, Decimal)]
        result["min"], result["max"] = number_text(min(numbers)), number_text(max(numbers))
    if column.type in ("date", "datetime"):
        moments = sorted((value for value in filled if isinstance(value, Moment)), key=lambda one: one.order)
        result["min"], result["max"] = canonical(column, moments[0]), canonical(column, moments[-1])
    return result


def canonical(column: Column, value: Value) -> str:
    if isinstance(value, Moment):
        return value.day.isoformat() if column.type == "date" else value.text
    return value_text(value)


# Groups (spec 5.4 to 5.6)


def groups(columns: Sequence[Column], rows: int) -> list[dict[str, Any]]:
    """Sums by enumerations, then by periods, then by leaders."""
    measures = [column for column in columns if column.role == "measure"]
    result = []
    for by in columns:
        if is_categorical(by) and 2 <= len({*by.filled}) <= 20:
            keys = [None if value is None else value_text(value) for value in by.values]
            result += [enum_group(measure, by.name, keys) for measure in measures]
    for by in columns:
        length = period_length(by)
        if length is not None:
            keys = [
                value.day.isoformat()[:length] if isinstance(value, Moment) else None for value in by.values
            ]
            result += [period_group(measure, by.name, keys) for measure in measures]
    for by in columns:
        distinct = len({*by.filled})
        if by.type == "text" and 21 <= distinct <= 1000 and 2 * distinct <= rows:
            keys = [None if value is None else str(value) for value in by.values]
            result += [top_group(measure, by.name, keys) for measure in measures]
    return result


def sums_by_key(measure: Column, keys: Sequence[str | None]) -> dict[str | None, Decimal]:
    sums: dict[str | None, Decimal] = {}
    for key, value in zip(keys, measure.values, strict=True):
        sums[key] = EXACT.add(sums.get(key, Decimal(0)), value if isinstance(value, Decimal) else Decimal(0))
    return sums


def parts(sums: dict[str | None, Decimal], ordered: Iterable[str]) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = [{"value": key, "sum": number_text(sums[key])} for key in ordered]
    return result + ([{"value": None, "sum": number_text(sums[None])}] if None in sums else [])


def by_sum(sums: dict[str | None, Decimal]) -> list[str]:
    named = [key for key in sums if key is not None]
    return sorted(named, key=lambda key: (-Fraction(sums[key]), key))


def enum_group(measure: Column, by: str, keys: Sequence[str | None]) -> dict[str, Any]:
    sums = sums_by_key(measure, keys)
    return {"measure": measure.name, "by": by, "kind": "enum", "parts": parts(sums, by_sum(sums))}


def period_group(measure: Column, by: str, keys: Sequence[str | None]) -> dict[str, Any]:
    sums = sums_by_key(measure, keys)
    in_time = sorted(key for key in sums if key is not None)
    return {"measure": measure.name, "by": by, "kind": "period", "parts": parts(sums, in_time)}


def top_group(measure: Column, by: str, keys: Sequence[str | None]) -> dict[str, Any]:
    sums = sums_by_key(measure, keys)
    ordered = by_sum(sums)
    rest = total(sums[key] for key in ordered[5:])
    return {
        "measure": measure.name,
        "by": by,
        "kind": "top",
        "parts": parts(sums, ordered[:5]),
        "rest": {"values": len(ordered) - 5, "sum": number_text(rest)},
    }


def period_length(column: Column) -> int | None:
    """The length of a period's text: `2026`, `2026-01` or `2026-01-02`; None if no period fits."""
    days = {value.day.isoformat() for value in column.filled if isinstance(value, Moment)}
    months, years = {day[:7] for day in days}, {day[:4] for day in days}
    if 2 <= len(months) <= 24:
        return 7
    if len(months) > 24 and len(years) <= 20:
        return 4
    if len(months) == 1 and 2 <= len(days) <= 20:
        return 10
    return None
