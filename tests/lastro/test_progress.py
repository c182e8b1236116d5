"""What a terminal shows of long work, and how an interrupt ends it: real processes, a real pseudo-terminal."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from select import select
from threading import Thread
from types import SimpleNamespace

import pytest

from datasources import work
from lastro import progress
from tests.test_import_cost import ROOT

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")

PROMISED_S = 0.5
ATTEMPTS = 4
"""On a busy machine a process may wait that long for a core: it is enough that it can keep the promise."""
TIMEOUT_S = 60
HURRIED = (
    "import lastro.progress as shown; shown.DELAY_S, shown.REFRESH_S = 0.05, 0.02\n"
    "from lastro.__main__ import start; start()"
)
"""The command, with a bar that appears sooner, so that a smaller file will do."""
CALM = "from lastro.__main__ import start; start()"


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """70 MB of text: a few hundred thousand rows, in several parts."""
    path = tmp_path_factory.mktemp("progress") / "vendas.csv"
    rows = (
        f"VD-{row:08};{row % 28 + 1:02}/05/2026;Cliente {row * 7919 % 50_000:05} Comércio Ltda;"
        f"{row % 9_000},{row % 100:02};R$ {row % 700},50;{'aberto' if row % 3 else 'pago'}\n"
        for row in range(20_000)
    )
    block = "".join(rows)
    with path.open("w", encoding="utf-8") as file:
        file.write("numero;data;cliente;valor;frete;status\n")
        for _ in range(45):
            file.write(block)
    return path


@dataclass
class Ended:
    status: int
    seen: str
    """All that the terminal was told."""
    after_s: float
    """How long it took after the interrupt."""


def run_in_terminal(
    *words: object, folder: Path, program: str = HURRIED, interrupt_at: str | None = None, **environment: str
) -> Ended:
    """Run the command with standard error in a terminal; interrupt it when that shows *interrupt_at*."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120", "TMPDIR": str(folder), **environment},
        start_new_session=True,
    )
    os.close(theirs)
    seen, sent_at, began = b"", 0.0, time.monotonic()
    try:
        while process.poll() is None or select([ours], [], [], 0)[0]:
            if select([ours], [], [], 0.01)[0]:
                try:
                    more = os.read(ours, 65_536)
                except OSError:  # the other side is closed
                    break
                seen += more
            if interrupt_at is not None and not sent_at and interrupt_at.encode() in seen:
                sent_at = time.monotonic()
                process.send_signal(signal.SIGINT)
            assert time.monotonic() - began < TIMEOUT_S, seen[-500:]
        status = process.wait(TIMEOUT_S)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return Ended(status, seen.decode(), time.monotonic() - sent_at)


def left(shown: str) -> str:
    """What is left on the terminal when lines that were taken away are gone."""
    rows: list[str] = [""]
    for part in re.split(r"(\x1b\[\d*[A-Za-z]|\x1b\[\?25[lh]|\r\n|\r|\x1b\[[\d;]*m)", shown):
        match part:
            case "\r\n":
                rows.append("")
            case "\x1b[1A":
                rows.pop()
            case "\x1b[2K":
                rows[-1] = ""
            case _ if not part.startswith(("\x1b", "\r")):
                rows[-1] += part
    return "\n".join(rows).strip()


# ---- the bar ----


def test_a_terminal_is_shown_how_far_each_stage_has_come(large, tmp_path):
    ended = run_in_terminal("context", large, folder=tmp_path)
    assert ended.status == 0
    # Which stages last long enough to be seen depends on the machine; the pass is the longest.
    assert re.search(r"vendas: reading .*[\d,]+ of 900,000 rows, \d\.\d\d of 0\.0\d GB.* left", ended.seen)
    assert ended.seen.rindex("\x1b[?25h") > ended.seen.rindex("\x1b[?25l")  # the cursor is back
    assert "rows" not in left(ended.seen)


@pytest.mark.parametrize(
    ("environment", "program"),
    [
        pytest.param({"NO_PROGRESS": "1"}, HURRIED, id="by a variable"),
        pytest.param({"TERM": "dumb"}, HURRIED, id="where nothing can be taken back"),
    ],
)
def test_who_wants_no_bar_gets_none(large, tmp_path, environment, program):
    ended = run_in_terminal("context", large, folder=tmp_path, program=program, **environment)
    assert (ended.status, left(ended.seen)) == (0, "")
    assert "\x1b" not in ended.seen


def test_what_is_done_at_once_shows_nothing(tmp_path):
    small = tmp_path / "small.csv"
    small.write_text("id;valor\n1;10,50\n2;7,25\n", encoding="utf-8")
    ended = run_in_terminal("context", small, folder=tmp_path, program=CALM)
    assert (ended.status, ended.seen) == (0, "")


def test_a_pipe_is_told_nothing(large):
    run = subprocess.run(
        [sys.executable, "-c", HURRIED, "context", large], cwd=ROOT, capture_output=True, check=True
    )
    assert run.stderr == b""


# ---- interrupts ----


@pytest.mark.parametrize(
    ("words", "at"),
    [
        pytest.param(["context"], "reading", id="in a pass"),
        pytest.param(["save", "-o", "kept.snapshot"], "pass 2", id="while rows are stored"),
        pytest.param(["export", "-o", "rows.jsonl"], "pass 2", id="while rows are written"),
        pytest.param(
            ["aggregate", "--verb", "SUM", "--field", "valor", "--where", "status = pago"],
            "pass 2",
            id="while rows are kept for asking",
        ),
    ],
)
def test_an_interrupt_ends_long_work_soon_and_leaves_nothing(large, tmp_path, words, at):
    command, *options = words
    if "-o" in options:
        options = [options[0], tmp_path / options[1]]
    fastest = float("inf")
    for _ in range(ATTEMPTS):
        ended = run_in_terminal(command, large, *options, folder=tmp_path, interrupt_at=at)
        assert ended.status == 130
        assert left(ended.seen) == "lastro: interrupted."
        assert list(tmp_path.iterdir()) == []
        fastest = min(fastest, ended.after_s)
        if fastest < PROMISED_S:
            break
    assert fastest < PROMISED_S


@pytest.mark.parametrize("module", ["argparse", "datasources.exceptions", "lastro.cli"])
def test_an_interrupt_while_the_command_starts_says_nothing(tmp_path, module):
    # -X importtime writes a line for each module that was imported: we interrupt at the one given.
    process = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "lastro", "context", tmp_path / "none.csv"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert process.stderr is not None
    with process, process.stderr as lines:
        for line in lines:
            if line.rstrip().endswith(f" {module}"):
                process.send_signal(signal.SIGINT)
                break
        said = [line for line in lines if not line.startswith("import time:")]
    assert process.returncode == 130
    assert said in ([], ["lastro: interrupted.\n"])


@pytest.mark.parametrize("step", ["update", "refresh", "stop"])
def test_a_reading_that_was_left_may_end_while_the_bar_is_drawn(step, monkeypatch):
    """Where garbage is collected nobody knows: it may be in the thread that draws or hides the bar."""
    stage = work.Stage("reading", "v", 100)
    display = progress.Display(io.StringIO())

    class Bar:
        """In the place of rich's."""

        task_ids = (0,)
        console = SimpleNamespace(show_cursor=lambda: None)

        def __getattr__(self, name):
            return lambda *_, **__: display.end(stage) if name == step else None

    monkeypatch.setattr(progress, "_bar", lambda terminal: Bar())
    monkeypatch.setattr(progress, "DELAY_S", 0)
    monkeypatch.setattr(progress, "REFRESH_S", 0.01)

    def show():
        display.begin(stage)
        time.sleep(0.1)
        display.end(stage)
        display.close()

    thread = Thread(target=show, daemon=True)
    thread.start()
    thread.join(5)
    assert not thread.is_alive()
