"""How long a tool takes to answer from a stored snapshot, beside the same question to DuckDB over the file."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.files import ensure_snapshot, ensure_table
from benchmarks.measure import Run, peak, run_rounds
from benchmarks.peers import MEASURES
from benchmarks.question import FULL_ROWS, Options, Quantity, Result, Target

if TYPE_CHECKING:
    from chat import Toolset

CALLS = 15
FILTER = {"field": "status", "op": "=", "value": "faturado"}
SUM = {"verb": "SUM", "field": "valor_total", "filter": FILTER}
QUESTIONS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "sum": ("sulfite_aggregate_data", SUM),
    "range": (
        "sulfite_aggregate_data",
        {**SUM, "filter": {"field": "valor_total", "op": ">", "value": "1.000,00"}},
    ),
    "client": (
        "sulfite_aggregate_data",
        {**SUM, "filter": {"field": "cliente", "op": "starts_with", "value": "Cliente 00042"}},
    ),
    "top": ("sulfite_group_by", {**SUM, "by": "vendedor", "top": 5}),
    "clients": ("sulfite_group_by", {**SUM, "by": "cliente", "top": 10, "filter": None}),
    "months": ("sulfite_group_by", {**SUM, "by": "data_emissao", "period": "month"}),
    "average": ("sulfite_group_by", {**SUM, "by": ["uf", "canal"], "verb": "AVG", "top": 5}),
}
LABELS: Mapping[str, str] = {
    "sum": "a sum of the rows of one status",
    "range": "a sum of the rows over an amount",
    "client": "a sum of the rows of one client",
    "top": "the five first sellers of one status",
    "clients": "the ten first of 50,000 clients",
    "months": "the months of one status",
    "average": "the five first averages of two fields",
}
ON_THE_FILE: Mapping[str, str] = {
    "sum": "SELECT sum({amount}) FROM {file} WHERE status = 'faturado'",
    "top": "SELECT vendedor, sum({amount}) AS s FROM {file} WHERE status = 'faturado' "
    "GROUP BY 1 ORDER BY 2 DESC LIMIT 5",
}
"""The same in SQL over the Parquet file, which reads the money of each row anew."""


def run(options: Options) -> list[Result]:
    """Warm calls within one process, and one call of a process that begins with nothing."""
    pointer = ensure_snapshot(options.folder, options.rows)
    file = ensure_table(options.folder, options.rows).parquet
    sides = {
        "calls": _command("calls", pointer),
        "first": _command("first", pointer),
        "file": _command("file", file),
    }
    rounds = run_rounds(sides, options.repeat, options.gate)
    calls, on_file = rounds.runs["calls"], rounds.runs["file"]

    def taken(runs: Sequence[Run], name: str) -> float:
        return median(run.reported(name) for run in runs)

    results = []
    for name, label in LABELS.items():
        has_peer = name in ON_THE_FILE
        results.append(
            Result(
                f"tool call: {label}",
                Quantity(taken(calls, name), "s"),
                "DuckDB on the Parquet file" if has_peer else None,
                Quantity(taken(on_file, name), "s") if has_peer else None,
                rounds.ratio("file", "calls", partial(_reported, name)) if has_peer else None,
                "as fast" if has_peer else "",
                target=Target("at most", 0.02, "s", FULL_ROWS) if name == "sum" else None,
                rows=options.rows,
                foreign=rounds.foreign,
            )
        )
    first = Result(
        "tool call: the first one of a new process",
        Quantity(rounds.median("first"), "s"),
        target=Target("at most", 0.15, "s", FULL_ROWS),
        rows=options.rows,
        foreign=rounds.foreign,
        further={"peak_bytes": rounds.median("first", peak)},
    )
    return [*results, first]


def _reported(name: str, run: Run) -> float:
    return run.reported(name)


def _command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "benchmarks.tool_calls", *map(str, arguments)]


def _toolset(pointer: Path) -> Toolset:
    from chat import Toolset
    from engine import open_snapshot

    return Toolset(open_snapshot(pointer))


def _median_s(call: Callable[[], object]) -> float:
    call()
    times = []
    for _ in range(CALLS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return median(times)


def time_calls(pointer: Path) -> None:
    """Ask each question some times, and print the median of each."""
    with _toolset(pointer) as tools:
        for tool, arguments in QUESTIONS.values():
            assert not tools.call(tool, arguments).is_refused
        print(
            json.dumps(
                {
                    name: _median_s(partial(tools.call, tool, arguments))
                    for name, (tool, arguments) in QUESTIONS.items()
                }
            )
        )


def ask_first(pointer: Path) -> None:
    """Ask one question."""
    tool, arguments = QUESTIONS["sum"]
    with _toolset(pointer) as tools:
        print(tools.call(tool, arguments).text)


def time_file(file: Path) -> None:
    """Ask the file itself."""
    import duckdb

    connection = duckdb.connect()
    amount = MEASURES["valor_total"]

    def asked(query: str) -> object:
        return connection.execute(query.format(amount=amount, file=f"'{file}'")).fetchall()

    print(json.dumps({name: _median_s(partial(asked, query)) for name, query in ON_THE_FILE.items()}))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["calls", stored]:
            time_calls(Path(stored))
        case ["first", stored]:
            ask_first(Path(stored))
        case ["file", table]:
            time_file(Path(table))
