"""Servers that others wrote, for the tests: on loopback, with an end of their own, and ended by their process id."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

START_SECONDS = 60
LIFE_SECONDS = 300

address_in = re.compile(r"listening on (http://127\.0\.0\.1:[0-9]+)").search


def absent(message: str) -> NoReturn:
    """Fail in CI, and skip elsewhere with the reason."""
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


@contextmanager
def running(command: Sequence[str], more: Mapping[str, str]) -> Iterator[str]:
    """The address on which *command* says that it listens, with *more* in its environment."""
    # `timeout` ends the server even where the tests are killed.
    bounded = ["timeout", "--kill-after=5", str(LIFE_SECONDS), *command]
    with tempfile.TemporaryDirectory(prefix="lastro-peer-") as folder:
        log = Path(folder) / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                bounded, stdout=output, stderr=output, stdin=subprocess.DEVNULL, env=os.environ | more
            )
        try:
            yield _wait(process, log)
        finally:
            process.terminate()
            process.wait(10)


def _wait(process: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        if found := address_in(log.read_text(errors="replace")):
            return found[1]
        time.sleep(0.05)
    pytest.fail(f"the server did not start: {log.read_text(errors='replace')[-2000:]}")
