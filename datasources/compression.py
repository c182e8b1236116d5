"""Opens a file as plain bytes: what is compressed is inflated into an anonymous temporary file (spec 0.2)."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from datasources.exceptions import SourceForbidden, SourceNotFound, SourceTooLarge, SourceUnreadable
from datasources.options import MIB, ReadOptions
from datasources.temporary import temporary_copy

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
BLOCK_BYTES = MIB
# zlib inflates at most a thousandfold, so what is read never grows past 64 MiB before it is checked.
INPUT_BYTES = 64 * 1024


def open_plain(path: Path, options: ReadOptions) -> BinaryIO:
    """
    Open *path* for reading; a gz or zstd file (by its magic bytes, not its name) is inflated.

    The inflated copy has no name, so it is gone when closed, even by a kill. Raises `SourceNotFound`,
    `SourceForbidden`, `SourceTooLarge` past a limit of *options*, `SourceUnreadable` when truncated or broken,
    and `SourceError` when there is no room for the copy.
    """
    file = _open(path)
    try:
        size = os.fstat(file.fileno()).st_size
        if size > options.bytes_max:
            raise SourceTooLarge(
                f"{path.name} has {size} bytes, more than the limit of {options.bytes_max} (bytes_max).",
                source=str(path),
            )
        magic = file.read(4)
        file.seek(0)
        if magic[:2] == GZIP_MAGIC:
            return _inflated(file, _gzip_blocks(file, path), path, size, options)
        if magic == ZSTD_MAGIC:
            return _inflated(file, _zstd_blocks(file, path), path, size, options)
    except BaseException:
        file.close()
        raise
    return file


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError as error:
        raise SourceNotFound(f"There is no file {path.name}; check the path.", source=str(path)) from error
    except PermissionError as error:
        raise SourceForbidden(
            f"{path.name} may not be read; ask for the permission.", source=str(path)
        ) from error
    except OSError as error:
        raise SourceUnreadable(
            f"{path.name} cannot be opened ({error.strerror}).", source=str(path)
        ) from error


def _inflated(
    file: BinaryIO, blocks: Iterator[bytes], path: Path, size: int, options: ReadOptions
) -> BinaryIO:
    inflated = 0
    with temporary_copy(path.name) as copy:
        for block in blocks:
            inflated += len(block)
            _check_limits(path, size, inflated, options)
            copy.write(block)
    file.close()
    return copy


def _check_limits(path: Path, size: int, inflated: int, options: ReadOptions) -> None:
    if inflated > options.inflated_bytes_max:
        raise SourceTooLarge(
            f"{path.name} inflates to more than {options.inflated_bytes_max} bytes (inflated_bytes_max).",
            source=str(path),
        )
    if inflated > MIB and inflated > size * options.inflated_ratio_max:
        raise SourceTooLarge(
            f"{path.name} inflates to more than {options.inflated_ratio_max} times its size "
            "(inflated_ratio_max), which looks like a decompression bomb.",
            source=str(path),
        )


def _gzip_blocks(file: BinaryIO, path: Path) -> Iterator[bytes]:
    """The inflated bytes of all members, in blocks of bounded size."""
    data = file.read(INPUT_BYTES)
    while data:
        member = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        while True:
            try:
                block = member.decompress(data, BLOCK_BYTES)
            except zlib.error as error:
                raise SourceUnreadable(
                    f"{path.name} is a broken gz file; get it again.", source=str(path)
                ) from error
            if block:
                yield block
            if member.eof:
                data = member.unused_data
                break
            data = member.unconsumed_tail or file.read(INPUT_BYTES)
            if not data and not block:
                raise _truncated(path)
        # Some writers pad the last member with zeros.
        data = (data or file.read(INPUT_BYTES)).lstrip(b"\0")
        while not data and (more := file.read(INPUT_BYTES)):
            data = more.lstrip(b"\0")


def _zstd_blocks(file: BinaryIO, path: Path) -> Iterator[bytes]:
    import pyarrow as pa

    try:
        with pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd") as stream:
            while block := stream.read(BLOCK_BYTES):
                yield block
    except OSError as error:
        if "truncated" in str(error).lower():
            raise _truncated(path) from error
        raise SourceUnreadable(
            f"{path.name} is a broken zstd file; get it again.", source=str(path)
        ) from error


def _truncated(path: Path) -> SourceUnreadable:
    return SourceUnreadable(
        f"{path.name} ends in the middle of its compressed data; get the complete file.", source=str(path)
    )
