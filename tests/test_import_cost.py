"""Importing a folder loads no library that a small report can do without."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HEAVY = ("polars", "duckdb", "pyarrow", "numpy", "pandas", "pydantic", "jinja2", "rich")
PROGRAM = f"""
import importlib, json, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))
"""


def heavy_modules_after(*names: str) -> list[str]:
    """The heavy libraries that a fresh interpreter has loaded after importing *names*."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, *names], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return list(json.loads(run.stdout))


@pytest.mark.parametrize("name", ["datasources", "engine", "prompts", "lastro", "lastro.cli"])
def test_import_loads_no_heavy_library(name):
    assert heavy_modules_after(name) == []


def test_a_heavy_library_would_be_seen():
    assert heavy_modules_after("datasources", "rich") == ["rich"]
