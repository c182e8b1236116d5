"""
Compares our facts with plain ones, row by row from the CSV file: `python -m benchmarks.check`.

What is fast and wrong is no result. The plain side uses nothing of ours: `csv`, `Decimal`, and what is known
of the data.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from pathlib import Path

from benchmarks.files import FOLDER, NotWritten, TableFiles, ensure_table
from benchmarks.measure import run_process
from benchmarks.peers import DATES, ENUMERATIONS, MEASURES, NUMBERS, peer_command

CHECKED_ROWS_MAX = 100_000
SHOWN_MAX = 10

Facts = Mapping[tuple[str, ...], str]
"""
`("valor_total", "sum")`, `("rows", "status", "aberto")`, `("valor_total", "status", "aberto")`: to each its
number or, for `min` and `max` of dates, its day.
"""

AVERAGE_DECIMALS: Mapping[str, int] = {"margem": 4}
"""An average has the decimals of its column, and at least 2."""
NULL = "(null)"


def plain_facts(path: Path) -> Facts:
    """Every fact of the data context, from the CSV file *path*, by rows."""
    numbers: dict[str, list[Decimal]] = defaultdict(list)
    nulls: dict[str, int] = dict.fromkeys(NUMBERS, 0)
    days: dict[str, set[str]] = {name: set() for name in DATES}
    groups: dict[tuple[str, ...], Decimal] = defaultdict(Decimal)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter=";"):
            keys = [(name, row[name] or NULL) for name in ENUMERATIONS]
            periods = [(f"month({name})", row[name][:7] or NULL) for name in DATES]
            for key in keys:
                groups["rows", *key] += 1
            for name in DATES:
                days[name].update([row[name][:10]] if row[name] else [])
            for name in NUMBERS:
                value = _amount(row[name])
                if value is None:
                    nulls[name] += 1
                else:
                    numbers[name].append(value)
                if name in MEASURES:
                    for key in (*keys, *periods):
                        groups[name, *key] += value or 0
    facts = {key: _number(value) for key, value in groups.items()}
    for name, values in numbers.items():
        total = sum(values, Decimal(0))
        facts[name, "min"], facts[name, "max"] = _number(min(values)), _number(max(values))
        facts[name, "nulls"] = str(nulls[name])
        facts[name, "avg"] = _average(total, len(values), AVERAGE_DECIMALS.get(name, 2))
        if name in MEASURES:
            facts[name, "sum"] = _number(total)
    for name, found in days.items():
        facts[name, "min"], facts[name, "max"] = min(found), max(found)
    return facts


def our_facts(path: Path) -> Facts:
    """The same facts, as the data context of *path* has them."""
    from engine import materialize, profile_snapshot

    (band,) = profile_snapshot(materialize([path], complete=False)).bands
    facts: dict[tuple[str, ...], str] = {}
    for field in band.fields:
        read = _number if field.type == "number" else str
        for verb in ("sum", "avg", "min", "max"):
            value = getattr(field, verb)
            if value is not None:
                facts[field.name, verb] = read(value)
        if field.type == "number":
            facts[field.name, "nulls"] = str(field.nulls)
        for one in field.values or ():
            facts["rows", field.name, NULL if one.value is None else one.value] = str(one.count)
    for group in band.groups:
        by = f"{group.period}({group.by})" if group.period else group.by
        for part in group.parts:
            facts[group.measure, by, NULL if part.value is None else part.value] = _number(part.sum)
    return facts


def paired_facts(path: Path) -> Facts:
    """The same facts by DuckDB, one query for each enumeration and number; it keeps no exact averages."""
    listed = json.loads(run_process(peer_command("pair_queries", path)).output)
    return {
        tuple(NULL if part is None else str(part) for part in key): value
        if key[0] in DATES
        else _number(value)
        for *key, value in listed
    }


def differences(found: Facts, expected: Facts) -> list[str]:
    """What is not equal, one line each."""
    return [
        f"{' '.join(key)}: {found.get(key, 'missing')} instead of {expected.get(key, 'nothing')}"
        for key in sorted(found.keys() | expected.keys())
        if found.get(key) != expected.get(key)
    ]


def compare(files: TableFiles) -> Iterable[tuple[str, int, list[str]]]:
    """Each side that is compared with the plain facts: its name, how many facts, and its differences."""
    plain = plain_facts(files.csv)
    exact = {key: value for key, value in plain.items() if key[1] != "avg"}
    sides: list[tuple[str, Callable[[Path], Facts], Path, Facts]] = [
        ("lastro, CSV", our_facts, files.csv, plain),
        ("lastro, Parquet", our_facts, files.parquet, plain),
        ("DuckDB, a query a pair", paired_facts, files.parquet, exact),
    ]
    for name, facts_of, path, expected in sides:
        yield name, len(expected), differences(facts_of(path), expected)


def check_command(rows: int, folder: Path) -> list[str]:
    """The command that checks as many of *rows* as plain Python has patience for."""
    return [
        sys.executable,
        "-m",
        "benchmarks.check",
        f"--rows={min(rows, CHECKED_ROWS_MAX)}",
        f"--folder={folder}",
    ]


def _amount(text: str) -> Decimal | None:
    """`1234.5`, `1.234,50`, `R$ 1.234,50` or `(1.234,50)`."""
    if not text:
        return None
    sign = "-" if text.startswith("(") else ""
    digits = text.strip("()").removeprefix("R$ ")
    return Decimal(sign + (digits.replace(".", "").replace(",", ".") if "," in digits else digits))


def _number(value: object) -> str:
    """Equal numbers as equal text."""
    number = Decimal(str(value))
    return format(number.normalize() if number else Decimal(0), "f")


def _average(total: Decimal, cells: int, decimals: int) -> str:
    with localcontext(prec=60):
        return _number((total / cells).quantize(Decimal(10) ** -decimals, rounding=ROUND_HALF_EVEN))


def main() -> int:
    """Print what was compared; 1 when something differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.check", description=__doc__)
    parser.add_argument("--rows", type=int, default=CHECKED_ROWS_MAX)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    asked = parser.parse_args()
    failed = False
    try:
        files = ensure_table(asked.folder, asked.rows)
    except NotWritten as error:
        print(error, file=sys.stderr)
        return 1
    for name, facts, found in compare(files):
        failed = failed or bool(found)
        said = f"{len(found)} of {facts} facts differ" if found else f"all {facts:,} facts equal"
        print(f"{name}: {said} (plain Python over {asked.rows:,} rows)")
        print("".join(f"  {line}\n" for line in found[:SHOWN_MAX]), end="")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
