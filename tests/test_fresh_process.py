"""Every command works on a stored snapshot in a process that has loaded nothing before, as a person starts it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine import materialize, save_snapshot

ROOT = Path(__file__).parent.parent
ROWS = 60_000
"""So many that texts are stored as codes, and that whole columns are exported."""


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    lines = (f"{'ab'[n % 2]},{n}.5,2026-0{n % 9 + 1}-01,{n % 97 / 7!r}\n" for n in range(ROWS))
    (folder / "vendas.csv").write_text("status,valor,dia,taxa\n" + "".join(lines), encoding="utf-8")
    save_snapshot(materialize([folder / "vendas.csv"]), folder / "vendas.snapshot")
    return folder / "vendas.snapshot"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param(["context", "{}", "--rows", "2"], f"### vendas ({ROWS:,} rows)".replace(",", ""), id="context"),
        pytest.param(["context", "{}", "--json"], '"name":"vendas"', id="JSON"),
        pytest.param(["inspect", "{}"], "vendas", id="inspect"),
        pytest.param(["aggregate", "{}", "--verb", "SUM", "--field", "valor"], "1800000000", id="a sum"),
        pytest.param(["aggregate", "{}", "--verb", "MEDIAN", "--field", "taxa"], "6.8", id="a median of doubles"),
        pytest.param(
            ["group-by", "{}", "--by", "status", "--verb", "AVG", "--field", "taxa"], "vendas", id="averages of doubles"
        ),
        pytest.param(["search", "vend", "{}"], "vendas", id="search"),
        pytest.param(["compare", "{}", "--verb", "COUNT", "--a", "2026-01", "--b", "2026-02"], "b - a", id="compare"),
        pytest.param(["calc", "sum", "F1", "1", "--from", "{}"], str(ROWS + 1), id="calc"),
        pytest.param(["export", "{}"], '{"status":"a","valor":0.5,"dia":"2026-01-01","taxa":0}\n', id="export"),
        pytest.param(["ask", "qual o total de valor?", "{}"], "1.800.000.000", id="ask"),
    ],
)  # fmt: skip
def test_a_command_of_its_own_process(stored, words, expected):
    run = subprocess.run(
        [sys.executable, "-m", "lastro", *(word.format(stored) for word in words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in run.stderr
    assert (run.returncode, expected in run.stdout) == (0, True), run.stderr or run.stdout[:2_000]


def test_what_is_registered_for_the_end_runs_and_what_is_printed_is_whole():
    """The command does not take its libraries apart at the end; nothing else is lost by that."""
    program = (
        "import atexit, sys; atexit.register(print, 'the end'); sys.argv = ['lastro', 'context', '--json-schema'];"
        "from lastro.__main__ import start; start()"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    schema, end = run.stdout[:-8], run.stdout[-8:]
    assert (json.loads(schema)["type"], end, run.stderr) == ("object", "the end\n", "")
