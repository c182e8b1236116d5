"""Both stores keep the same definitions the same way, whole or not at all, and say what is wrong with them."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from datasources.definition import definition_text, parse_definition
from datasources.elements import ReportDefinition
from datasources.exceptions import (
    DefinitionError,
    DefinitionNotFound,
    SourceError,
    SourceForbidden,
    SourceNotFound,
    SourceUnreadable,
)
from datasources.repository import FolderRepository, Repository, SqliteRepository, open_repository

ROOT = Path(__file__).parents[2]


def definition(report_id: str, name: str = "R") -> ReportDefinition:
    document = {
        "id": report_id,
        "name": name,
        "datasources": {"x": {"kind": "memory", "name": "x"}},
        "bands": [{"name": "x", "datasource": "x"}],
    }
    return parse_definition(json.dumps(document))


@pytest.fixture(params=["folder", "sqlite"])
def repository(request, tmp_path) -> Repository:
    return open_repository(tmp_path if request.param == "folder" else tmp_path / "reports.sqlite")


def test_what_is_saved_is_kept(repository):
    assert repository.entries() == ()
    repository.save(definition("b", "Segundo"))
    repository.save(definition("a.1", "Primeiro — ação"))
    assert [(one.id, one.problems) for one in repository.entries()] == [("a.1", ()), ("b", ())]
    assert repository.get("a.1") == definition("a.1", "Primeiro — ação")


def test_saving_again_replaces(repository):
    repository.save(definition("a", "velho"))
    place = repository.save(definition("a", "novo"))
    assert [(one.place, one.definition.name) for one in repository.entries()] == [(place, "novo")]


def test_two_who_save_a_new_report_at_once_both_can(repository):
    from concurrent.futures import ThreadPoolExecutor
    from threading import Barrier

    start = Barrier(4, timeout=10)

    def save(report_id: str) -> str:
        start.wait()
        place: str = repository.save(definition(report_id))
        return place

    with ThreadPoolExecutor(4) as threads:
        for number in range(15):
            assert len(set(threads.map(save, [f"r{number}"] * 4))) == 1
    assert len(repository.entries()) == 15


@pytest.mark.parametrize("asked", ["finaceiro", "FINANCEIRO"])
def test_an_unknown_id_is_told_the_nearest(repository, asked):
    repository.save(definition("financeiro"))
    with pytest.raises(DefinitionNotFound, match=f'There is no report "{asked}": did you mean financeiro\\?'):
        repository.get(asked)


@pytest.mark.parametrize("asked", ["", "../a", "a/../a", "a\x00", "x" * 5_000, "' OR 1=1 --", "*"])
def test_a_strange_id_is_only_unknown(repository, asked):
    repository.save(definition("a"))
    with pytest.raises(DefinitionNotFound):
        repository.get(asked)


def test_nothing_invalid_is_saved(repository):
    good = definition("a")
    repository.save(good)
    band = good.bands[0].model_copy(update={"datasource": "y"})
    for wrong in ({"bands": (band,)}, {"id": "../../a"}, {"name": 5}):
        with pytest.raises(DefinitionError):
            repository.save(good.model_copy(update=wrong))
    assert [one.definition for one in repository.entries()] == [good]


def test_a_document_is_the_same_in_both_stores(tmp_path):
    folder, database = FolderRepository(tmp_path), SqliteRepository(tmp_path / "r.db")
    for one in (folder, database):
        one.save(definition("a"))
    with sqlite3.connect(tmp_path / "r.db") as connection:
        ((document,),) = connection.execute("SELECT document FROM reports").fetchall()
    connection.close()
    assert document == (tmp_path / "a.report.json").read_text("utf-8") == definition_text(definition("a"))


def test_an_id_comes_from_inside_the_file(tmp_path):
    path = tmp_path / "outro nome.report.json"
    path.write_text(definition_text(definition("a", "velho")))
    repository = FolderRepository(tmp_path)
    assert repository.get("a").name == "velho"
    assert repository.save(definition("a", "novo")) == path.name
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_two_files_of_one_id_are_an_error_and_the_rest_is_served(tmp_path):
    for name in ("x", "y"):
        (tmp_path / f"{name}.report.json").write_text(definition_text(definition("a")))
    repository = FolderRepository(tmp_path)
    repository.save(definition("b"))
    for act in (lambda: repository.get("a"), lambda: repository.save(definition("a"))):
        with pytest.raises(DefinitionError, match=r'x\.report\.json and y\.report\.json all have the id "a"'):
            act()
    assert [(one.place, bool(one.definition)) for one in repository.entries()] == [
        ("x.report.json", False),
        ("y.report.json", False),
        ("b.report.json", True),
    ]
    assert "which y.report.json has too" in str(repository.entries()[0].problems[0])


def test_a_broken_file_is_listed_and_hides_no_other(tmp_path):
    (tmp_path / "broken.report.json").write_text('{"id": ')
    (tmp_path / "wrong.report.json").write_text('{"id": "w", "name": "W"}')
    (tmp_path / "folder.report.json").mkdir()
    (tmp_path / "notes.json").write_text("{}")
    os.mkfifo(tmp_path / "pipe.report.json")
    repository = FolderRepository(tmp_path)
    repository.save(definition("a"))
    assert [(one.id, len(one.problems)) for one in repository.entries()] == [
        ("a", 0),
        ("broken", 1),
        ("w", 2),
    ]
    assert repository.get("a").id == "a"
    with pytest.raises(DefinitionError, match="not well-formed JSON at line 1"):
        repository.get("broken")
    with pytest.raises(DefinitionError, match="bands: is missing"):
        repository.get("w")


@pytest.mark.parametrize(
    "content", [definition_text(definition("other")), "{", ""], ids=["other id", "broken", "empty"]
)
def test_a_file_of_another_report_is_not_written_over(tmp_path, content):
    path = tmp_path / "a.report.json"
    path.write_text(content)
    with pytest.raises(DefinitionError, match=r"^a is not valid: id: the file a\.report\.json"):
        FolderRepository(tmp_path).save(definition("a"))
    assert path.read_text() == content


def test_a_link_and_the_rights_of_a_file_stay(tmp_path):
    (tmp_path / "there").mkdir()
    real = tmp_path / "there" / "real.json"
    real.write_text(definition_text(definition("a")))
    real.chmod(0o640)
    (tmp_path / "a.report.json").symlink_to(real)
    FolderRepository(tmp_path).save(definition("a", "novo"))
    assert (tmp_path / "a.report.json").is_symlink()
    assert '"novo"' in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640


def test_what_a_dead_process_left_is_removed_after_a_day(tmp_path):
    names = [f".ffffffff-1-00000000000{number}.lastro-tmp" for number in (1, 2)]  # of another machine
    old, new = (tmp_path / name for name in names)
    for path in (old, new):
        path.touch()
    os.utime(old, (time.time() - 100_000,) * 2)
    FolderRepository(tmp_path).save(definition("a"))
    assert (old.exists(), new.exists()) == (False, True)


WRITER = """
import sys
from pathlib import Path
from datasources.definition import parse_definition
from datasources.repository import open_repository
repository = open_repository(Path(sys.argv[1]))
two = [repository.get("a").model_copy(update={"description": text * 200_000}) for text in "xy"]
print("ready", flush=True)
while True:
    for one in two:
        repository.save(one)
"""


@pytest.mark.parametrize("name", [".", "r.sqlite"])
def test_a_killed_writer_leaves_a_whole_definition(tmp_path, name):
    repository = open_repository(tmp_path / name)
    repository.save(definition("a"))
    for delay in (0.002, 0.011, 0.027, 0.04):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / name)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        with writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
            time.sleep(delay)
            writer.send_signal(signal.SIGKILL)
        kept = repository.get("a")
        assert kept.description in (None, "x" * 200_000, "y" * 200_000)
        assert len(repository.entries()) == 1


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("none", None, SourceNotFound),
        ("none/r.sqlite", None, SourceNotFound),
        ("r.sqlite", b"not a database, but long enough to be one", SourceUnreadable),
        ("a.report.json", b"{}", SourceUnreadable),
        ("x" * 300, None, SourceUnreadable),
    ],
    ids=["none", "no folder", "no database", "a definition", "long"],
)
def test_what_is_no_repository(tmp_path, name, content, error):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(error):
        open_repository(tmp_path / name)


def test_an_empty_file_is_an_empty_repository(tmp_path):
    path = tmp_path / "r.sqlite"
    path.touch()
    assert open_repository(path).entries() == ()
    open_repository(path).save(definition("a"))
    assert open_repository(path).get("a").id == "a"


def test_listing_creates_no_file(tmp_path):
    assert open_repository(tmp_path / "r.sqlite").entries() == ()
    assert list(tmp_path.iterdir()) == []


def test_a_database_of_something_else(tmp_path):
    path = tmp_path / "r.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE vendas (valor)")
    connection.close()
    with pytest.raises(SourceUnreadable, match="not an SQLite file of reports"):
        open_repository(path).entries()


def test_a_row_that_holds_another_id(tmp_path):
    path = tmp_path / "r.sqlite"
    repository = open_repository(path)
    repository.save(definition("a"))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE reports SET id = 'b'")
    connection.close()
    with pytest.raises(DefinitionError, match='found "a" in the row of "b"'):
        repository.get("b")


def test_a_folder_that_is_gone(tmp_path):
    folder = tmp_path / "r"
    folder.mkdir()
    repository = open_repository(folder)
    folder.rmdir()
    for act in (repository.entries, lambda: repository.get("a"), lambda: repository.save(definition("a"))):
        with pytest.raises(SourceError):
            act()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do everything")
def test_a_folder_without_rights(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(SourceForbidden):
        FolderRepository(tmp_path).save(definition("a"))
    tmp_path.chmod(0o700)
