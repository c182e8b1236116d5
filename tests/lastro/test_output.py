"""Results go where they should, whole or not at all, and nothing else is harmed."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lastro import cli
from lastro.output import OutputError, say, write_result

CSV = b"status;valor\naberto;2,50\npago;3,50\npago;1,00\n"


@pytest.fixture
def vendas(tmp_path: Path) -> Path:
    path = tmp_path / "vendas.csv"
    path.write_bytes(CSV)
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ("context", "{file}", "--out", "{file}"),
        ("context", "v={file}", "--snapshot", "{file}"),
        ("context", "{file}", "--out", "{link}"),
        ("inspect", "{file}", "--html", "{file}"),
    ],
    ids=["out", "snapshot", "by a link", "html"],
)
def test_what_is_read_is_not_written_over(vendas, capfd, arguments):
    link = vendas.with_name("link.txt")
    link.symlink_to(vendas)
    assert cli.main([word.format(file=vendas, link=link) for word in arguments]) == 2
    assert "would be lost" in capfd.readouterr().err
    assert vendas.read_bytes() == CSV
    assert sorted(path.name for path in vendas.parent.iterdir()) == ["link.txt", "vendas.csv"]


def test_a_pipe_is_written_to_and_stays_one(vendas):
    pipe = vendas.with_name("pipe")
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    assert cli.main(["context", str(vendas), "--out", str(pipe)]) == 0
    reader.join(10)
    assert read[0].startswith(b"## REPORT SCHEMA\n")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_pipe_is_no_place_for_a_snapshot(vendas, capfd):
    pipe = vendas.with_name("pipe")
    os.mkfifo(pipe)
    assert cli.main(["context", str(vendas), "--snapshot", str(pipe)]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert sorted(path.name for path in vendas.parent.iterdir()) == ["pipe", "vendas.csv"]


def test_a_link_stays_one(tmp_path):
    (tmp_path / "there").mkdir()
    link = tmp_path / "out.txt"
    link.symlink_to(tmp_path / "there" / "real.txt")
    write_result("ação\n", str(link))
    assert link.is_symlink()
    assert (tmp_path / "there" / "real.txt").read_bytes() == "ação\n".encode()


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    before = os.umask(0o027)
    try:
        write_result("x", str(tmp_path / "out.txt"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) == 0o640


@pytest.mark.parametrize("place", ["", "folder", "none/out.txt", "file/out.txt", "/", "x" * 300, "a\0b"])
def test_where_nothing_can_be_written_nothing_is_left(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").write_text("")
    with pytest.raises(OutputError, match=r"^cannot write "):
        write_result("x", place)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
    assert not os.listdir("folder")


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.is_char_device(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize(
    "command", [("context", "{file}"), ("inspect", "{file}"), ("context", "--json-schema")]
)
def test_a_full_disk_behind_standard_output_is_one_sentence(vendas, command):
    with FULL.open("wb") as full:
        status, err = run([word.format(file=vendas) for word in command], stdout=full)
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith("lastro: Standard output cannot be written (")


def test_standard_output_that_is_closed_is_one_sentence(vendas):
    for command in ("context", "inspect"):
        status, err = run([command, str(vendas)], before=lambda: os.close(1))
        assert (status, err) == (
            2,
            "lastro: Standard output is closed: let it go somewhere, or name a file.\n",
        )


def test_an_error_does_not_go_to_standard_output(capfd, monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    say("lastro: nobody hears this.")
    assert capfd.readouterr().out == ""


def test_what_is_said_stays_on_its_line(capfd):
    say("lastro: There is no file a\n\x1b[31mb.")
    assert capfd.readouterr().err == "lastro: There is no file a\\u000a\\u001b[31mb.\n"


def run(arguments: list[str], **settings) -> tuple[int, str]:
    """The exit status and standard error of the command in a process of its own."""
    before = settings.pop("before", None)
    done = subprocess.run(
        [sys.executable, "-m", "lastro", *arguments],
        cwd=Path(__file__).parent.parent.parent,
        stderr=subprocess.PIPE,
        preexec_fn=before,
        check=False,
        timeout=60,
        **settings,
    )
    return done.returncode, done.stderr.decode()
