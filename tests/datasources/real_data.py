"""Where the real files are; tests of them are skipped without them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("LASTRO_REAL_DATA", Path(__file__).parents[3] / "shared" / "data" / "real"))


def real_file(name: str) -> Path:
    """The real file *name*, or a skipped test."""
    path = ROOT / name
    if not path.exists():
        pytest.skip(f"the real file {name} is not here")
    return path
