"""
Runs one of the peers on a CSV file, within its own environment: `python -m benchmarks.peer_tools NAME FILE`.

With `--reading` it prints what the tool says of each column: its own word for the type, and the numbers that it
gives. Nothing is imported here that an environment could lack.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.peer_environments import Environment
from benchmarks.peers import describe, summarize

Reading: TypeAlias = dict[str, dict[str, str]]
"""To each column what a tool says: `type`, `min`, `max`, `mean`, `sum`, or `error`; all as the tool prints it."""
FACTS = ("type", "min", "max", "mean", "sum")

# The libraries have no types here, since no environment has them all: what they give is `Any`.


def read_duckdb(file: str) -> Reading:
    """What `SUMMARIZE` says."""
    source = f"SUMMARIZE SELECT * FROM read_csv('{file}', delim=';')"
    rows: Any = import_module("duckdb").connect().execute(source).fetchall()
    return {
        name: _said({"type": kind, "min": low, "max": high, "mean": mean})
        for name, kind, low, high, _, mean, *_ in rows
    }


def read_polars(file: str) -> Reading:
    """What `describe` says; a column whose type makes reading fail is read as text, and keeps the error."""
    pl = import_module("polars")
    failed: dict[str, str] = {}
    frame = None
    while frame is None:
        try:
            frame = pl.read_csv(file, separator=";", schema_overrides=dict.fromkeys(failed, pl.String))
        except pl.exceptions.ComputeError as error:
            name = _named_column(str(error))
            if not name or name in failed:
                raise
            failed[name] = f"ComputeError: {error}".splitlines()[0]
    described = frame.describe()
    rows = {row["statistic"]: row for row in described.to_dicts()}
    said = {
        name: _said({"type": str(kind)} | {fact: rows[fact][name] for fact in ("min", "max", "mean")})
        for name, kind in frame.schema.items()
    }
    return said | {name: {"error": error} for name, error in failed.items()}


def describe_pandas(file: str) -> object:
    """The obvious program."""
    return import_module("pandas").read_csv(file, sep=";").describe(include="all")


def read_pandas(file: str) -> Reading:
    """What `dtypes` and `describe` say; `object` alone says nothing, so that pandas is asked of what."""
    pandas = import_module("pandas")
    frame = pandas.read_csv(file, sep=";")
    described = frame.describe(include="all")

    def word(name: str, kind: object) -> str:
        is_mute = str(kind) == "object"
        return f"object of {pandas.api.types.infer_dtype(frame[name])}" if is_mute else str(kind)

    return {
        name: _said(
            {"type": word(name, kind)}
            | {fact: described[name].get(fact) for fact in ("min", "max", "mean") if fact in described.index}
        )
        for name, kind in frame.dtypes.items()
    }


def profile_ydata(file: str) -> Any:
    """The report that it calls minimal, as JSON."""
    frame = import_module("pandas").read_csv(file, sep=";")
    return import_module("ydata_profiling").ProfileReport(frame, minimal=True, progress_bar=False).to_json()


def read_ydata(file: str) -> Reading:
    """What the variables of the report say."""
    return {name: _said(facts) for name, facts in json.loads(profile_ydata(file))["variables"].items()}


def profile_dataprofiler(file: str) -> Any:
    """Its profile without the labels, which need a model; of the rest everything is as it comes."""
    library: Any = import_module("dataprofiler")
    options = library.ProfilerOptions()
    options.set({"data_labeler.is_enabled": False})
    return library.Profiler(library.Data(file), options=options).report(
        report_options={"output_format": "serializable"}
    )


def read_dataprofiler(file: str) -> Reading:
    """What the statistics of the profile say."""
    return {
        column["column_name"]: _said({"type": column["data_type"], **column["statistics"]})
        for column in profile_dataprofiler(file)["data_stats"]
    }


def _said(facts: Mapping[str, object]) -> dict[str, str]:
    """What is there of the facts that are compared."""
    return {name: str(facts[name]) for name in FACTS if _is_given(facts.get(name))}


def _is_given(value: Any) -> bool:
    return value is not None and value == value  # noqa: PLR0124 - a missing number of pandas differs from itself


def _named_column(message: str) -> str:
    """The column that an error of polars names: `… at column 'chave_nfe' …`."""
    return message.partition("at column '")[2].partition("'")[0]


PROGRAMS: Mapping[str, tuple[Callable[[str], object], Callable[[str], Reading]]] = {
    "duckdb": (summarize, read_duckdb),
    "polars": (describe, read_polars),
    "pandas": (describe_pandas, read_pandas),
    "ydata": (profile_ydata, read_ydata),
    "dataprofiler": (profile_dataprofiler, read_dataprofiler),
}
"""The tools that are libraries: what is timed, and what is read."""


def frictionless_reading(printed: str) -> Reading:
    """The output of `frictionless describe --stats --json`: types alone, its statistics are of the file."""
    return {field["name"]: _said(field) for field in json.loads(printed)["schema"]["fields"]}


def csvstat_reading(printed: str) -> Reading:
    """The output of `csvstat --json`."""
    return {column["column_name"]: _said(column) for column in json.loads(printed)}


COMMANDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], Callable[[str], Reading]]] = {
    "frictionless": (("frictionless", "describe", "--stats"), ("--json",), frictionless_reading),
    "csvstat": (("csvstat", "-d", ";"), ("--json",), csvstat_reading),
}
"""The tools that are commands: what is timed, what is added to read it by code, and how."""


def timed_command(environment: Environment, file: Path) -> list[str]:
    """What is measured of a tool."""
    name = environment.tool.name
    if name not in COMMANDS:
        return [str(environment.python), "-m", "benchmarks.peer_tools", name, str(file)]
    (script, *arguments), _, _ = COMMANDS[name]
    return [str(environment.script(script)), *arguments, str(file)]


def reading_command(environment: Environment, file: Path) -> list[str]:
    """What prints how a tool reads each column."""
    if environment.tool.name not in COMMANDS:
        return [*timed_command(environment, file), "--reading"]
    return [*timed_command(environment, file), *COMMANDS[environment.tool.name][1]]


def reading_of(name: str, printed: str) -> Reading:
    """What `reading_command` printed."""
    if name in COMMANDS:
        return COMMANDS[name][2](printed)
    # Some libraries print before we do.
    reading: Reading = json.loads(printed.splitlines()[-1])
    return reading


def count_o200k(files: Sequence[str]) -> list[int]:
    """The tokens of each of *files* by the encoding o200k_base."""
    tokenizer: Any = import_module("rs_bpe.bpe").openai.o200k_base()
    return [tokenizer.count(Path(file).read_text(encoding="utf-8")) for file in files]


def main(arguments: Sequence[str]) -> None:
    """Run what the arguments name."""
    match arguments:
        case ["tokens", *files]:
            print(json.dumps(count_o200k(files)))
        case [name, file]:
            PROGRAMS[name][0](file)
        case [name, file, "--reading"]:
            print(json.dumps(PROGRAMS[name][1](file)))


if __name__ == "__main__":
    main(sys.argv[1:])
