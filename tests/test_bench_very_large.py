"""What the benchmark of a hundred million rows writes is gone afterwards, whatever happens meanwhile."""

from __future__ import annotations

import pytest

from benchmarks.files import table_files
from benchmarks.very_large import lack_of_room, written_for_now

ROWS = 1_000


def test_too_little_room_is_said_before_anything_is_written(tmp_path):
    assert lack_of_room(tmp_path, ROWS) is None
    message = lack_of_room(tmp_path, 10**12)
    assert message is not None
    assert message.startswith("1,000,000,000,000 rows need 400000 GB of free disk")


def test_a_file_is_removed_also_when_its_use_is_interrupted(tmp_path):
    def interrupted() -> None:
        with written_for_now("parquet", ROWS, tmp_path) as file:
            assert [path.name for path in tmp_path.iterdir()] == [file.name]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_there_stays(tmp_path):
    file = table_files(tmp_path, ROWS).csv
    file.write_text("kept", encoding="utf-8")
    with written_for_now("csv", ROWS, tmp_path) as given:
        assert given == file
    assert file.read_text(encoding="utf-8") == "kept"
