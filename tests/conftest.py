"""What all tests share: the profiles of Hypothesis, and golden files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

GOLDEN = Path(__file__).parent / "golden"

# Two shared cores make any deadline a coin toss. In CI the same examples run every time, so that a change
# fails for what it did; at home each run looks at new ones.
settings.register_profile("local", deadline=None, max_examples=60)
settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flag that rewrites golden files."""
    parser.addoption("--update-golden", action="store_true", help="write golden files instead of comparing")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str | Path, str], None]:
    """
    Compare a text with a file, byte for byte: `golden("inspect/vendas.txt", text)`.

    The path is below `tests/golden`. With `--update-golden` the file is written instead; read the difference
    before it is committed.
    """
    update = request.config.getoption("--update-golden")

    def compare(path: str | Path, text: str) -> None:
        file = GOLDEN / path
        if update:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
            return
        if not file.exists():
            pytest.fail(f"There is no golden file {path}: run with --update-golden, read it and commit it.")
        assert text == file.read_bytes().decode()

    return compare
