"""The commands of the benchmarks refuse what cannot be done before they measure, and end cleanly."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import arguments
from benchmarks.files import NotWritten, write_table

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        pytest.param(arguments.rows, "many", id="rows that are no number"),
        pytest.param(arguments.rows, "999", id="too few rows"),
        pytest.param(arguments.rows, "-5000", id="rows below nothing"),
        pytest.param(arguments.times, "0", id="no run at all"),
        pytest.param(arguments.seconds, "nan", id="seconds that never end"),
        pytest.param(arguments.seconds, "inf", id="seconds without an end"),
        pytest.param(arguments.seconds, "-1", id="seconds before now"),
        pytest.param(arguments.folder, "{}/file/below", id="a folder below a file"),
        pytest.param(arguments.folder, "{}/file", id="a file for a folder"),
        pytest.param(arguments.new_file, "{}/missing/out.json", id="a file in no folder"),
        pytest.param(arguments.new_file, "{}", id="a folder for a file"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, kind, text):
    (tmp_path / "file").touch()
    with pytest.raises(argparse.ArgumentTypeError):
        kind(text.format(tmp_path))


def test_what_can_be_is_taken(tmp_path):
    assert arguments.rows("1000") == 1000
    assert arguments.seconds("0.5") == 0.5
    assert arguments.folder(str(tmp_path / "a" / "b")).is_dir()
    assert arguments.new_file(str(tmp_path / "out.json")) == tmp_path / "out.json"


@pytest.mark.parametrize("module", ["benchmarks", "benchmarks.very_large", "benchmarks.beside_peers"])
def test_a_command_says_in_a_line_what_it_cannot_do(tmp_path, module):
    command = [sys.executable, "-m", module, "--rows=2000", f"--out={tmp_path}/missing/out.json"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert run.stderr.splitlines()[-1].startswith(f"python -m {module}: error: argument --out: ")
    assert "Traceback" not in run.stderr


def test_a_table_that_cannot_be_written_is_an_error_of_ours(tmp_path, capfd):
    (tmp_path / "file").touch()
    with pytest.raises(NotWritten, match=r"The table of 1,000 rows could not be written"):
        write_table(tmp_path / "file", 1_000)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_all_that_was_begun(tmp_path, number):
    command = [sys.executable, "-m", "benchmarks.very_large", "--rows=3000000", f"--folder={tmp_path}"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        begun = process.stderr.readline()
        process.send_signal(number)
        said = process.stderr.read()
    assert begun == "writing 300,000 rows …\n"
    assert said == "interrupted: what was written for this run is removed.\n"
    assert process.returncode == arguments.EXIT_INTERRUPTED
    assert list(tmp_path.iterdir()) == []
