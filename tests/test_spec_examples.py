"""The data context of whole reports, byte for byte: the specification's examples, and three of our own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import materialize, profile_snapshot, take_excerpt
from prompts import render_data_context
from tests.conftest import GOLDEN

PROJECT = Path(__file__).parents[1]
SPECIFICATION = PROJECT.parent / "shared" / "spec" / "examples"
OURS = GOLDEN / "context"

SPECIFIED = [
    pytest.param("financeiro", ["vendas.csv", "pagamentos.csv"], 20, id="financeiro"),
    pytest.param("danfe", ["canhoto.json", "header.json", "itens.json"], 100, id="danfe"),
    pytest.param("armadilhas", ["lancamentos.csv"], 100, id="armadilhas"),
]


def context(folder: Path, files: list[str], rows: int, **options) -> str:
    """The data context of *files*, each a band named after its file."""
    snapshot = materialize([folder / file for file in files])
    return render_data_context(profile_snapshot(snapshot), take_excerpt(snapshot, rows), **options)


@pytest.mark.parametrize(("name", "files", "rows"), SPECIFIED)
def test_an_example_of_the_specification_comes_out_byte_for_byte(name, files, rows):
    expected = SPECIFICATION / name / "expected.txt"
    if not expected.exists():
        pytest.skip(f"the specification's example {name} is not here")
    assert context(SPECIFICATION / name, files, rows).encode() == expected.read_bytes()


CONTEXTS = [
    # Money, dates, percent, leading zeros, a title, a total row and a note around the table; an empty band.
    pytest.param("mercado", "context", ["vendas.csv", "devolucoes.csv"], {"rows": 5}, id="mercado"),
    # Bands that repeat each other, single rows, unit prices, native booleans, codes with E, hostile cells.
    pytest.param("nota", "context", ["canhoto.json", "header.json", "itens.json"], {}, id="nota"),
    # Leaders, periods by year and by day, and what a budget of numbers leaves out.
    pytest.param("entregas", "context", ["entregas.csv"], {"rows": 4}, id="entregas"),
    pytest.param(
        "entregas",
        "few_numbers",
        ["entregas.csv"],
        {"rows": 0, "section": "schema", "group_numbers_max": 14},
        id="entregas with few numbers",
    ),
    # What a budget of tokens leaves out, least important first.
    pytest.param(
        "entregas", "few_tokens", ["entregas.csv"], {"rows": 44, "max_tokens": 430}, id="entregas, few tokens"
    ),
    pytest.param(
        "entregas",
        "fewer_tokens",
        ["entregas.csv"],
        {"rows": 44, "max_tokens": 340},
        id="entregas, fewer tokens",
    ),
    # Where rows carry citation ids, `[` is escaped too.
    pytest.param(
        "nota", "citations", ["itens.json"], {"section": "data", "citations": True}, id="nota with citations"
    ),
]


@pytest.mark.parametrize(("name", "golden_name", "files", "options"), CONTEXTS)
def test_an_example_of_ours_comes_out_byte_for_byte(name, golden_name, files, options, golden):
    golden(
        f"context/{name}/{golden_name}.txt", context(OURS / name, files, options.pop("rows", 100), **options)
    )


@pytest.mark.parametrize(
    ("hash_seed", "threads"),
    [pytest.param("0", "1", id="one thread"), pytest.param("4711", "2", id="two threads")],
)
def test_a_fresh_process_prints_the_same_bytes(hash_seed, threads):
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "POLARS_MAX_THREADS": threads}
    command = [sys.executable, "-m", "lastro", "context", str(OURS / "entregas/entregas.csv"), "--rows", "4"]
    printed = subprocess.run(command, capture_output=True, check=True, cwd=PROJECT, env=environment).stdout
    assert printed == (OURS / "entregas" / "context.txt").read_bytes()
