"""Other tools are installed as listed, run within a limit, and judged by what they print."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.beside_peers import correctness_figures, times_figures
from benchmarks.check import Facts
from benchmarks.correctness import RIGHT, TRAPS, ToolReading, Trap, judge, kind_of, our_reading, text_extremes
from benchmarks.figures import markdown, write_figures
from benchmarks.measure import MeasureError, QuietGate, Rounds
from benchmarks.peer_environments import Environment, Tool, ensure_environments, install_reason, listed_tools
from benchmarks.peer_times import OURS, Timing, measure_sides
from benchmarks.peer_tools import (
    COMMANDS,
    PROGRAMS,
    csvstat_reading,
    frictionless_reading,
    reading_command,
    reading_of,
    timed_command,
)
from benchmarks.table import NoPlace

TRUTH: Facts = {
    ("cst", "min"): "000",
    ("cst", "max"): "090",
    ("valor_total", "min"): "3.8",
    ("valor_total", "max"): "1028.16",
    ("valor_total", "avg"): "776.75",
    ("valor_total", "sum"): "2330.25",
    ("data_emissao", "min"): "2025-01-01",
    ("data_emissao", "max"): "2026-04-25",
}
CODES, MONEY, DAYS = (
    Trap("", column, kind)  # type: ignore[arg-type]
    for column, kind in (("cst", "text"), ("valor_total", "number"), ("data_emissao", "date"))
)


def test_every_tool_has_one_exact_version_and_a_way_to_run():
    tools = listed_tools()
    for tool in tools.values():
        assert all(package.count("==") == 1 and package[-1].isdigit() for package in tool.packages)
        assert tool.version
    assert set(tools) - {"tokens"} == PROGRAMS.keys() | COMMANDS.keys()


def test_commands_run_in_the_environment_of_their_tool():
    for tool in listed_tools().values():
        environment = Environment(tool, Path("environments") / tool.name)
        for command in (
            timed_command(environment, Path("a.csv")),
            reading_command(environment, Path("a.csv")),
        ):
            assert Path(command[0]).parent.parent == environment.folder
            assert "a.csv" in command


def test_an_environment_is_built_once_for_its_packages(tmp_path):
    # The installer is asked for nothing: there is no package, and so nothing is looked up.
    tool = Tool("none", "nothing", ())
    environment = Environment(tool, tmp_path / "environments" / "none")
    environment.folder.mkdir(parents=True)
    (environment.folder / "packages.txt").write_text(sys.version, encoding="utf-8")
    assert ensure_environments([tool], tmp_path) == {"none": environment}
    assert [path.name for path in environment.folder.iterdir()] == ["packages.txt"]


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        pytest.param("WARNING: x\nERROR: no wheel\n", "no wheel", id="the error"),
        pytest.param("ERROR: first\nERROR: last", "last", id="the last of several"),
        pytest.param("killed", "killed", id="no error named"),
        pytest.param("", "the installer gave no reason", id="silence"),
        pytest.param("ERROR: none at https://a.example/b", "none at  … ", id="no addresses"),
    ],
)
def test_a_missing_tool_has_a_reason(messages, reason):
    assert install_reason(messages) == reason


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        *((word, "text") for word in ("VARCHAR", "String", "str", "Text", "string", "Categorical")),
        *(
            (word, "number")
            for word in ("BIGNUM", "Int64", "object of integer", "Numeric", "Number", "float64")
        ),
        *((word, "date") for word in ("TIMESTAMP WITH TIME ZONE", "datetime", "DateTime", "date")),
        *((word, "other") for word in ("Boolean", "Unsupported", "object of mixed")),
    ],
)
def test_words_for_types_are_sorted(word, kind):
    assert kind_of(word) == kind


@pytest.mark.parametrize(
    ("trap", "said", "outcome"),
    [
        pytest.param(CODES, {"type": "VARCHAR", "min": "000"}, RIGHT, id="codes"),
        pytest.param(CODES, {"type": "string", "min": "3"}, RIGHT, id="a length is no text"),
        pytest.param(CODES, {"type": "int", "min": "0"}, "taken for a number, digits lost", id="zeros lost"),
        pytest.param(
            CODES, {"type": "BIGNUM", "min": "000"}, "taken for a number, digits kept", id="digits kept"
        ),
        pytest.param(CODES, {"type": "integer"}, "taken for a number", id="no numbers printed"),
        pytest.param(CODES, {"error": "ComputeError: x"}, "fails: ComputeError", id="an error"),
        pytest.param(CODES, {}, "not shown", id="nothing said"),
        pytest.param(MONEY, {"type": "str", "min": "1.028,16"}, "left as text", id="money as text"),
        pytest.param(MONEY, {"type": "Number", "min": "3.80", "mean": "776.7512"}, RIGHT, id="rounded mean"),
        pytest.param(
            MONEY, {"type": "Number", "max": "1.02816"}, "max is 1.02816, not 1028.16", id="misread"
        ),
        pytest.param(MONEY, {"type": "Number", "sum": "2330.251"}, "sum is 2330.251, not 2330.25", id="sums"),
        pytest.param(MONEY, {"type": "Number", "min": "x"}, "min is x, not 3.8", id="no number"),
        pytest.param(MONEY, {"type": "Boolean"}, "taken for something else", id="another type"),
        pytest.param(DAYS, {"type": "DateTime", "min": "2025-01-01T00:00:00+00:00"}, RIGHT, id="midnight"),
        pytest.param(
            DAYS,
            {"type": "TIMESTAMP", "min": "2024-12-31 21:00:00-03"},
            "min is 2024-12-31 21:00:00-03, not 2025-01-01",
            id="a day moved",
        ),
    ],
)
def test_verdicts(trap, said, outcome):
    assert judge(trap, said, TRUTH).outcome == outcome


def test_outputs_are_read():
    fields = {"schema": {"fields": [{"name": "cst", "type": "integer"}]}}
    assert frictionless_reading(json.dumps(fields)) == {"cst": {"type": "integer"}}
    columns = [{"column_name": "v", "type": "Number", "min": 1.5, "sum": None, "unique": 3}]
    assert csvstat_reading(json.dumps(columns)) == {"v": {"type": "Number", "min": "1.5"}}
    assert reading_of("duckdb", 'hello\n{"v": {"type": "VARCHAR"}}') == {"v": {"type": "VARCHAR"}}
    ours = {"bands": [{"fields": [{"name": "v", "type": "number", "avg": "1.5", "min": None}]}]}
    assert our_reading(json.dumps(ours)) == {"v": {"type": "number", "mean": "1.5"}}


def test_the_extremes_of_texts(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("cst;chave_nfe\n060;2\n000;1\n", encoding="utf-8")
    assert text_extremes(file)["cst", "min"] == "000"
    assert text_extremes(file)["chave_nfe", "max"] == "2"


def python(code):
    return [sys.executable, "-S", "-c", code]


def test_sides_take_turns_and_those_that_fail_or_take_too_long_have_a_reason():
    sides = {
        OURS: python("pass"),
        "quick": python("pass"),
        "endless": python("import time; time.sleep(60)"),
        "broken": python("raise SystemExit('no such column')"),
    }
    measured = measure_sides(sides, 2, 1.0, QuietGate(0))
    ours, quick = measured[OURS], measured["quick"]
    assert isinstance(ours, Rounds)
    assert isinstance(quick, Rounds)
    assert [len(ours.runs[OURS]), len(quick.runs["quick"])] == [2, 2]
    assert quick.runs.keys() == {"quick", OURS}
    assert measured["endless"] == "not done after 1 s"
    assert measured["broken"] == "fails: no such column"


def test_our_own_failure_ends_the_run():
    with pytest.raises(MeasureError, match="lastro context did not end"):
        measure_sides({OURS: python("raise SystemExit('bad')")}, 1, 5.0, QuietGate(0))


def test_the_tables_name_what_is_missing():
    timings = [
        Timing("lastro context", "0.1", 1000, 0.5, 40e6, runs=3),
        Timing("slow", "2", 1000, reason="not done after 180 s"),
    ]
    assert times_figures(timings).splitlines()[2:] == [
        "| lastro context | 0.1 | 500 ms |  | 40.0 MB | 3 |",
        "| slow | 2 | not done after 180 s |  |  |  |",
    ]
    figures = correctness_figures([ToolReading("gone", reason="not installed: no wheel")])
    assert figures.splitlines()[-1].startswith("| gone | not installed: no wheel |")
    assert figures.splitlines()[-1].endswith(f"| 0 of {len(TRAPS)} |")


def test_figures_have_marked_places(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("a\n<!-- figures of x -->\nold\n<!-- end of figures -->\nb\n", encoding="utf-8")
    write_figures(readme, "x", markdown(["n"], [["a|b\\1"]], numbers_from=0))
    assert readme.read_text(encoding="utf-8") == (
        "a\n<!-- figures of x -->\n\n| n |\n| ---: |\n| a\\|b\\1 |\n\n<!-- end of figures -->\nb\n"
    )
    with pytest.raises(NoPlace, match="no place for figures of y"):
        write_figures(readme, "y", "")
