"""Compressed files are inflated by their magic bytes, within limits."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import zstandard

from datasources.compression import open_plain
from datasources.exceptions import (
    SourceError,
    SourceForbidden,
    SourceNotFound,
    SourceTooLarge,
    SourceUnreadable,
)
from datasources.options import MIB, ReadOptions

TEXT = b"a;b\n" + b"".join(b"%d;x\n" % number for number in range(20_000))


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def written(folder: Path, data: bytes) -> Path:
    path = folder / "table.bin"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "plain"),
    [
        pytest.param(TEXT, TEXT, id="plain"),
        pytest.param(b"", b"", id="empty"),
        pytest.param(gzip.compress(TEXT), TEXT, id="gz"),
        pytest.param(gzip.compress(b""), b"", id="gz of nothing"),
        pytest.param(gzip.compress(b"a\n") + gzip.compress(b"b\n"), b"a\nb\n", id="gz of two members"),
        pytest.param(gzip.compress(b"a\n") + b"\0" * 700, b"a\n", id="gz with padding"),
        pytest.param(zstd(TEXT), TEXT, id="zstd"),
        pytest.param(zstd(b"a\n") + zstd(b"b\n"), b"a\nb\n", id="zstd of two frames"),
    ],
)
def test_the_content_is_what_was_compressed(tmp_path, data, plain):
    with open_plain(written(tmp_path, data), ReadOptions()) as file:
        assert file.read() == plain


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
@pytest.mark.parametrize("keep", [0.3, 0.99])
def test_a_truncated_file_is_refused(tmp_path, compress, keep):
    data = compress(TEXT)
    with pytest.raises(SourceUnreadable, match=r"complete file|broken"):
        open_plain(written(tmp_path, data[: int(len(data) * keep)]), ReadOptions())


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
def test_a_broken_file_is_refused(tmp_path, compress):
    data = bytearray(compress(TEXT))
    data[20:60] = bytes(40)
    with pytest.raises(SourceUnreadable):
        open_plain(written(tmp_path, bytes(data)), ReadOptions())


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
@pytest.mark.parametrize(
    "options", [ReadOptions(inflated_ratio_max=50), ReadOptions(inflated_bytes_max=2 * MIB)]
)
def test_a_bomb_is_refused(tmp_path, compress, options):
    with pytest.raises(SourceTooLarge, match="inflates to more than"):
        open_plain(written(tmp_path, compress(bytes(8 * MIB))), options)


def test_a_file_past_the_limit_is_refused(tmp_path):
    with pytest.raises(SourceTooLarge, match="bytes_max"):
        open_plain(written(tmp_path, TEXT), ReadOptions(bytes_max=10))


@pytest.mark.parametrize(
    ("error", "raised"),
    [(FileNotFoundError, SourceNotFound), (PermissionError, SourceForbidden), (OSError, SourceUnreadable)],
)
def test_errors_of_the_system_are_translated(tmp_path, monkeypatch, error, raised):
    def refuse(*args, **kwargs):
        raise error("no")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(raised) as caught:
        open_plain(tmp_path / "x", ReadOptions())
    assert isinstance(caught.value, SourceError)
    assert isinstance(caught.value.__cause__, error)
