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
from benchmarks.measure import Run, cpu, peak, run_rounds
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


REPEAT_COLD_MIN = 15
"""A start is short, and its time uneven."""
COLD: Mapping[str, str] = {
    "engine": "a first question of a new process: to the engine",
    "tool": "a first question of a new process: to a tool, as JSON",
    "command": "a first question of a new process: lastro aggregate",
    "open": "a new process in which DuckDB answers without a file",
    "nothing": "a new process that does nothing",
}
SELECT_1 = "import duckdb; print(duckdb.connect().execute('SELECT 1').fetchall())"
BY_ENGINE = """
import sys
from datasources.filters import Condition
from engine import Aggregate, QuerySession, aggregate, open_snapshot
where = Condition(field="status", op="=", value="faturado")
with QuerySession(open_snapshot(sys.argv[1])) as session:
    print(aggregate(session, Aggregate(None, "SUM", "valor_total", where)).fact)
"""
BY_TOOL = """
import sys
from chat import Toolset
from engine import open_snapshot
with Toolset(open_snapshot(sys.argv[1])) as tools:
    print(tools.call("sulfite_aggregate_data", sys.argv[2]).text)
"""
BY_SQL = """
import sys, duckdb
with duckdb.connect(sys.argv[1], read_only=True) as connection:
    print(connection.execute(sys.argv[2], ["faturado"]).fetchall())
"""
"""The same answer of the same stored file by whoever knows how it is laid out, with nothing of Lastro."""


def run(options: Options) -> list[Result]:
    """Warm calls within one process, and first questions of processes that begin with nothing."""
    return [*_warm(options), *_cold(options)]


def _warm(options: Options) -> list[Result]:
    pointer = ensure_snapshot(options.folder, options.rows)
    file = ensure_table(options.folder, options.rows).parquet
    sides = {
        "calls": _command("calls", pointer),
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
    return results


def _cold(options: Options) -> list[Result]:
    pointer = ensure_snapshot(options.folder, options.rows)
    condition = "status = faturado"
    asked = [str(pointer), "--verb", "SUM", "--field", "valor_total", "--where", condition]
    sides = {
        "engine": [sys.executable, "-c", BY_ENGINE, str(pointer)],
        "tool": [sys.executable, "-c", BY_TOOL, str(pointer), json.dumps(SUM)],
        "command": [sys.executable, "-m", "lastro", "aggregate", *asked],
        "sql": [sys.executable, "-c", BY_SQL, *_sum_by_sql(pointer)],
        "open": [sys.executable, "-c", SELECT_1],
        "nothing": [sys.executable, "-c", "pass"],
    }
    rounds = run_rounds(sides, max(options.repeat, REPEAT_COLD_MIN), options.gate)
    by_sql = Quantity(rounds.median("sql"), "s")
    return [
        Result(
            label,
            Quantity(rounds.median(side), "s"),
            "import duckdb, open the same file, SELECT sum(…)",
            by_sql,
            rounds.ratio(side, "sql"),
            "its time",
            target=Target("at most", 0.15, "s", FULL_ROWS) if side == "tool" else None,
            rows=options.rows,
            foreign=rounds.foreign,
            further={"cpu_s": rounds.median(side, cpu), "peak_bytes": rounds.median(side, peak)},
        )
        for side, label in COLD.items()
    ]


def _sum_by_sql(pointer: Path) -> tuple[str, str]:
    """The file of the stored table, and the statement that asks it."""
    from engine import open_snapshot
    from engine.stored_band import StoredBand

    (band,) = open_snapshot(pointer).bands
    assert isinstance(band, StoredBand)
    names = [column.name for column in band.columns]
    amount, status = (f"c{names.index(name)}" for name in ("valor_total", "status"))
    return str(band.file.path), f"SELECT sum({amount}), count(*) FROM {band.table} WHERE {status} = ?"


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
        case ["file", table]:
            time_file(Path(table))
