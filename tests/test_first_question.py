"""
A first question to a stored snapshot loads what it needs and nothing else: a process may ask one and end.

Each module that is named here once took its share of that process's time.
"""

from __future__ import annotations

import json
import subprocess
import sys

import duckdb
import pytest

from engine import duckdb_core, materialize, save_snapshot
from tests.test_import_cost import ROOT

NOT_LOADED = frozenset(
    {
        # Libraries that read files, compute facts or print. Of DuckDB its core alone is needed.
        *("duckdb", "pandas", "rich", "polars", "pyarrow", "numpy", "rapidfuzz", "sqlglot", "jinja2"),
        # What types bands, fills tables and writes files.
        *("engine.band", "engine.plain", "engine.typing", "prompts.context"),
        *("datasources.durable", "engine.query.filled", "engine.snapshot_hash"),
        *("engine.snapshot_write", "engine.typed_parts", "logging"),
        # What answers other questions.
        *("engine.query.group_by", "engine.query.search", "engine.query.word_index", "engine.json_lines"),
    }
)
CONDITION = {"field": "status", "op": "=", "value": "faturado"}
SUM = {"verb": "SUM", "field": "valor", "filter": CONDITION}
PROGRAMS = {
    "engine": f"""
from datasources.filters import Condition
from engine import Aggregate, QuerySession, aggregate, open_snapshot
with QuerySession(open_snapshot(stored)) as session:
    question = Aggregate(None, "SUM", "valor", Condition(**{CONDITION!r}))
    print(aggregate(session, question).fact.value)
""",
    "tool": f"""
from chat import Toolset
from engine import open_snapshot
with Toolset(open_snapshot(stored)) as tools:
    print(tools.call("sulfite_aggregate_data", {json.dumps(SUM)!r}).text)
""",
    "command": """
from lastro.cli import main
main(["aggregate", stored, "--verb", "SUM", "--field", "valor", "--where", "status = faturado"])
""",
}


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The pointer to a stored snapshot."""
    rows = [{"status": "faturado", "valor": "10,50"}, {"status": "aberto", "valor": "7,25"}]
    pointer = tmp_path_factory.mktemp("stored") / "vendas.snapshot"
    save_snapshot(materialize({"vendas": rows}), pointer)
    return pointer


def run_fresh(program: str, stored) -> tuple[list[str], set[str]]:
    """What a fresh interpreter prints, and the modules that it has at its end."""
    run = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; stored = sys.argv[1]\n{program}\nprint(*sys.modules)",
            stored,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    *printed, modules = run.stdout.splitlines()
    return printed, set(modules.split())


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_first_question_loads_nothing_that_it_does_not_use(program, stored):
    printed, modules = run_fresh(PROGRAMS[program], stored)
    assert "10.5" in printed[0]
    assert "_duckdb" in modules  # it did ask the file
    assert sorted(modules & NOT_LOADED) == []


def test_the_whole_of_duckdb_comes_with_what_gives_arrow(stored):
    _, modules = run_fresh("from engine import verify_snapshot; print(verify_snapshot(stored))", stored)
    assert "duckdb" in modules


def test_an_answer_needs_no_more_of_duckdb_than_its_core():
    # One and the same, so that whoever loads the package later catches the same errors.
    for name in set(duckdb_core.__all__) - {"with_arrow"}:
        assert getattr(duckdb_core, name) is getattr(duckdb, name)
