"""A file that is rewritten, cut or removed after it was opened gives an error of ours, never rows of two versions."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from datasources import ReadOptions, SourceChanged, read_bands
from datasources.csv_stream import TextStream
from datasources.file_version import FileVersion
from datasources.parquet_stream import ParquetStream

ROWS = 30_000


def write_csv(path: Path, add: int = 0) -> Path:
    path.write_text("nome;valor\n" + "".join(f"n{row % 90};{10_000 + row + add},50\n" for row in range(ROWS)))
    return path


def write_parquet(path: Path, add: int = 0) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [f"n{row % 90}" for row in range(ROWS)]
    pq.write_table(
        pa.table({"nome": names, "valor": [row + add for row in range(ROWS)]}), path, row_group_size=ROWS // 4
    )
    return path


WRITERS = {"csv": write_csv, "parquet": write_parquet}
STREAMS = {"csv": TextStream, "parquet": ParquetStream}


def opened(path: Path):
    (band,) = read_bands([str(path)], ReadOptions(small_bytes=1))
    if path.suffix == ".parquet":  # a small one is read at once
        from datasources.parquet import _open_stream

        return _open_stream([path], "dados", ReadOptions())[0]
    assert isinstance(band.cells, STREAMS[path.suffix[1:]])
    return band.cells


def rewrite(path: Path) -> None:
    WRITERS[path.suffix[1:]](path, 1)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"n1;1,50\n")


def touch(path: Path) -> None:
    """Of the same size: all that can be told is when."""
    found = path.stat()
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + 1))


READINGS: dict[str, Callable[..., object]] = {
    "sample": lambda stream: stream.sample(),
    "parts": lambda stream: [read() for read in stream.parts([0, 1])],
    "take": lambda stream: stream.take([3, ROWS - 1]),
}


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("change", [rewrite, cut, grow, touch])
@pytest.mark.parametrize("kind", WRITERS)
def test_a_file_that_changes_between_two_readings(tmp_path, kind, change, reading):
    path = WRITERS[kind](tmp_path / f"vendas.{kind}")
    stream = opened(path)
    READINGS[reading](stream)
    change(path)
    with pytest.raises(
        SourceChanged, match=rf"^vendas\.{kind} has changed since it was opened: open it again\.$"
    ):
        READINGS[reading](stream)


@pytest.mark.parametrize("change", [rewrite, grow, touch])
@pytest.mark.parametrize("kind", WRITERS)
def test_a_file_that_changes_between_two_parts(tmp_path, kind, change):
    path = WRITERS[kind](tmp_path / f"vendas.{kind}")
    stream = opened(path)

    def read_on() -> None:
        for read in stream.parts([0, 1]):
            read()
            change(path)
        stream.take([0])

    with pytest.raises(SourceChanged):
        read_on()


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@pytest.mark.parametrize("block", [1, 3, 5])
def test_a_text_file_that_is_cut_while_it_is_opened(tmp_path, monkeypatch, encoding, block):
    path = tmp_path / "vendas.csv"
    path.write_text("nome;valor\n" + "".join(f"é{row};{row},50\n" for row in range(60_000)), encoding)
    blocks, read = count(1), os.pread

    def cut_and_read(*given: int) -> bytes:
        if next(blocks) == block:
            cut(path)
        return read(*given)

    monkeypatch.setattr(os, "pread", cut_and_read)
    with pytest.raises(
        SourceChanged, match=r"^vendas\.csv has changed since it was opened: open it again\.$"
    ):
        opened(path)


def test_a_removed_text_file_is_still_read_and_a_removed_parquet_file_is_not(tmp_path):
    text, parquet = write_csv(tmp_path / "a.csv"), write_parquet(tmp_path / "b.parquet")
    kept, lost = opened(text), opened(parquet)
    text.unlink()
    parquet.unlink()
    assert kept.take([1]).to_pylist() == [{"0": "n1", "1": "10001,50"}]
    with pytest.raises(SourceChanged, match=r"^b\.parquet was removed after it had been opened"):
        lost.take([1])


def test_a_text_file_that_is_replaced_is_read_as_it_was(tmp_path):
    path = write_csv(tmp_path / "a.csv")
    stream = opened(path)
    write_csv(tmp_path / "other.csv", 5).replace(path)
    assert stream.take([0]).to_pylist() == [{"0": "n0", "1": "10000,50"}]


def test_a_parquet_file_that_is_replaced_is_another(tmp_path):
    path = write_parquet(tmp_path / "a.parquet")
    stream = opened(path)
    write_parquet(tmp_path / "other.parquet", 5).replace(path)
    with pytest.raises(SourceChanged):
        stream.take([0])


def test_what_is_read_while_the_file_changes_is_not_given(tmp_path):
    path = write_csv(tmp_path / "a.csv")
    version = FileVersion(path)
    with pytest.raises(SourceChanged), version.held():
        grow(path)

    def read_half() -> None:
        with FileVersion(path).held():
            cut(path)
            raise ValueError("half a row")

    with pytest.raises(SourceChanged) as raised:
        read_half()
    assert isinstance(raised.value.__cause__, ValueError)
    with pytest.raises(ValueError, match="something else"), FileVersion(path).held():
        raise ValueError("something else")
