"""Whatever happens to writer, disk or file: a snapshot is whole, or an error says that it is not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from datasources import durable
from engine import SnapshotNotSaved, save_snapshot
from tests.engine.snapshot_faults import MUTATIONS, REFUSED, TORN, UNEXPECTED, WHOLE, version

ROOT = Path(__file__).parent.parent.parent
KILLS = 50

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="harms by fork, signal and resource limit")


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.engine.snapshot_faults", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def counted(program: subprocess.Popen[str]) -> dict[int, int]:
    out, err = program.communicate(timeout=120)
    assert program.returncode == 0, err
    return {int(code): count for code, count in json.loads(out).items()}


def test_kill_leaves_one_of_the_versions(tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    programs = [start("kill", "save_snapshot", folder, KILLS, seed) for seed, folder in enumerate(folders)]
    assert [counted(program) for program in programs] == [{WHOLE: KILLS}] * 2
    for folder in folders:
        durable.sweep(folder)
        left = sorted(path.suffix for path in folder.iterdir())
        assert left in ([".duckdb", ".json"], [".duckdb", ".duckdb", ".json"])


@pytest.mark.parametrize("variant", ["pointer_first", "in_place"])
def test_a_writer_without_these_precautions_is_caught(tmp_path, variant):
    found = counted(start("kill", variant, tmp_path, 40, 0))
    assert found.get(REFUSED, 0) + found.get(TORN, 0) == 1
    assert UNEXPECTED not in found


def test_a_full_disk_leaves_what_was_there(tmp_path):
    found = counted(start("fill", tmp_path))
    assert found.keys() == {WHOLE, REFUSED}


def test_a_damaged_file_gives_an_error_or_what_was_saved(tmp_path):
    found = counted(start("damage", tmp_path))
    assert found.keys() == {WHOLE, REFUSED}
    assert sum(found.values()) == MUTATIONS
    assert found[REFUSED] > MUTATIONS / 2


def test_temporary_files_of_the_dead_are_swept(tmp_path):
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    host = durable._HOST
    folder = tmp_path / f".{host}-{int(dead.stdout)}-0123456789ab.lastro-tmp.tmp"
    folder.mkdir()
    (folder / "spilled").touch()
    gone = [
        folder.name,
        f".{host}-{int(dead.stdout)}-0123456789ab.lastro-tmp",
        f".{host}-{int(dead.stdout)}-0123456789ab.lastro-tmp.wal",
    ]
    kept = [f".{host}-1-0123456789ab.lastro-tmp", ".00000000-1-0123456789ab.lastro-tmp", ".notes.lastro-tmp"]
    for name in (*gone, *kept):
        (tmp_path / name).touch()
    save_snapshot(version(1), tmp_path / "vendas.json")
    left = {path.name for path in tmp_path.iterdir()}
    assert left.isdisjoint(gone)
    assert left.issuperset(kept)


def test_an_own_temporary_file_is_kept_while_it_is_written(tmp_path):
    with durable.temporary_beside(tmp_path / "x") as temporary:
        temporary.touch()
        assert durable.sweep(tmp_path) == ()
        assert temporary.exists()
    assert not temporary.exists()


def test_a_failed_save_says_what_to_do(tmp_path):
    blocked = tmp_path / "file"
    blocked.touch()
    with pytest.raises(SnapshotNotSaved, match="make room there or choose another folder"):
        save_snapshot(version(1), blocked / "vendas.json")
