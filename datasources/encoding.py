"""Turns the bytes of a text file into text, whatever encoding they are in (spec 0.1)."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from datasources.base import DataWarning, counted
from datasources.compiled import CSV_KERNEL, address, kernels_of
from datasources.exceptions import SourceOptionError, SourceUnreadable
from datasources.temporary import temporary_copy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
WINDOWS_1252 = "windows-1252"
NO_FILE_ENCODINGS = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"})
"""Text encodings to Python, but of names and literals: no file is written in them."""
# Five bytes have no character in Windows-1252; files that hold them mean the control character of latin-1.
WINDOWS_1252_TABLE = "".join(
    bytes([byte]).decode("cp1252", "ignore") or bytes([byte]).decode("latin-1") for byte in range(256)
)
PADDING = b"\0\x1a"
"""NUL and Ctrl-Z at the very end of a file are what old systems pad their blocks with, not data."""
TEXT_CONTROLS = b"\t\n\v\f\r\x1b"
CONTROLS = bytes(byte for byte in (*range(32), 127) if byte not in TEXT_CONTROLS)
CONTROL_SHARE_MAX = 0.1
HEAD_BYTES = 64 * 1024
BLOCK_BYTES = 1024 * 1024
BLOCKS_WAITING = 64
MARGIN = 128
"""Kernels read some bytes past the end of a text."""
Bytes = Any
"""Of Python, or of NumPy where a kernel reads them."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """How the bytes of a file are to be read."""

    name: str
    """A name that `bytes.decode` knows, or `windows-1252`: the lenient one with latin-1 in its holes."""
    mark_bytes: int = 0
    """Length of the byte-order mark, which is no text."""


@dataclass(frozen=True, slots=True)
class Utf8File:
    """A file whose bytes from `start` on are valid UTF-8."""

    file: BinaryIO
    start: int
    size: int
    warnings: tuple[DataWarning, ...] = ()

    def read(self, start: int, stop: int) -> bytes:
        """The bytes between two offsets; does not move the file's position, so threads may share it."""
        wanted = min(stop, self.size) - start
        data = os.pread(self.file.fileno(), wanted, start)
        while len(data) < wanted:
            # One call gives at most 2 GiB, and a file that shrank gives nothing.
            more = os.pread(self.file.fileno(), wanted - len(data), start + len(data))
            if not more:
                raise _shorter()
            data += more
        return data

    def padded(self, start: int, stop: int, room: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """The bytes between two offsets for a kernel, which may read `MARGIN` more; in *room* where that is given."""
        import numpy as np

        size = min(stop, self.size) - start
        data = np.empty(size + MARGIN, np.uint8) if room is None else room[: size + MARGIN]
        data[size:] = 0
        left = data.data[:size]
        while left:
            got = os.preadv(self.file.fileno(), [left], start)
            if not got:
                raise _shorter()
            left, start = left[got:], start + got
        return data


def decode(data: bytes, declared: str | None, band: str) -> tuple[str, tuple[DataWarning, ...]]:
    """
    The text of a whole file in memory (spec 0.1).

    Raises `SourceUnreadable` for binary data and `SourceOptionError` for an unknown *declared* encoding.
    """
    encoding = declared_encoding(declared, data[:4]) or marked_encoding(data[:4])
    padding: tuple[DataWarning, ...] = ()
    if not may_hold_nul(encoding):
        padding = padding_warnings(len(data) - len(data.rstrip(PADDING)), band)
        data = data.rstrip(PADDING) if padding else data
        refuse_binary(data[:HEAD_BYTES], b"\0" in data)
    body = data[encoding.mark_bytes :] if encoding else data
    name = encoding.name if encoding else "utf-8"
    if name != WINDOWS_1252:
        try:
            return body.decode(name), padding
        except UnicodeDecodeError:
            pass
    if encoding is None:
        name = _lenient_name(_count_sequences([body]))
    parts = list(_decode_blocks([body], name))
    replaced = sum(count for _, count in parts)
    return "".join(text for text, _ in parts), padding + replacement_warnings(replaced, name, band)


def utf8_text(data: bytes) -> str:
    """The text of bytes that were found to be UTF-8 before; `SourceUnreadable` if they no longer are."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise SourceUnreadable(
            "The file changed while it was read; read it again when it is complete."
        ) from error


def to_utf8(file: BinaryIO, declared: str | None, band: str) -> Utf8File:
    """
    The same file if it is valid UTF-8, else an anonymous temporary copy that is; in constant memory.

    Raises as `decode`.
    """
    size = os.fstat(file.fileno()).st_size
    plain = Utf8File(file, 0, size)
    head = plain.read(0, HEAD_BYTES)
    encoding = declared_encoding(declared, head) or marked_encoding(head)
    nul_allowed = may_hold_nul(encoding)
    padding: tuple[DataWarning, ...] = ()
    if not nul_allowed:
        padded, size = size, _without_padding(plain)
        padding = padding_warnings(padded - size, band)
        plain = Utf8File(file, 0, size)
        refuse_binary(head[:size], has_nul=False)
    start = encoding.mark_bytes if encoding else 0
    if (encoding is None or encoding.name == "utf-8") and _all_valid_utf8(plain, start, band):
        return Utf8File(file, start, size, padding)
    if not nul_allowed and any(b"\0" in block for block in _blocks(plain, 0)):
        refuse_binary(head, has_nul=True)
    if encoding is None:
        encoding = Encoding(_lenient_name(_count_sequences(_blocks(plain, 0))))
    copy = _transcode(plain, encoding, band)
    return Utf8File(copy.file, 0, copy.size, padding + copy.warnings)


def declared_encoding(declared: str | None, head: bytes) -> Encoding | None:
    """What the caller said, with the mark that *head* starts with; `SourceOptionError` if unknown."""
    if declared is None:
        return None
    try:
        codec = codecs.lookup(declared)
    except (LookupError, ValueError) as error:
        raise _unknown_encoding(declared) from error
    if not getattr(codec, "_is_text_encoding", True) or codec.name in NO_FILE_ENCODINGS:
        raise _unknown_encoding(declared)
    name = codec.name.removesuffix("-sig")
    if name == "cp1252":
        name = WINDOWS_1252
    for mark, marked in BYTE_ORDER_MARKS:
        if head.startswith(mark) and name in (marked, marked[:6]):
            return Encoding(marked, len(mark))
    return Encoding(name)


def marked_encoding(head: bytes) -> Encoding | None:
    """What the byte-order mark says."""
    for mark, name in BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return Encoding(name, len(mark))
    return None


def may_hold_nul(encoding: Encoding | None) -> bool:
    """Whether NUL bytes are part of this encoding's text."""
    return encoding is not None and encoding.name.startswith(("utf-16", "utf-32"))


def refuse_binary(head: bytes, has_nul: bool) -> None:
    """Raise `SourceUnreadable` for what is no text: NUL bytes, or many control characters."""
    if has_nul or b"\0" in head:
        raise SourceUnreadable(
            "The file looks binary (it holds NUL bytes); give a text file, or declare the encoding if it is "
            "UTF-16 without a byte-order mark."
        )
    controls = len(head) - len(head.translate(None, CONTROLS))
    if controls > len(head) * CONTROL_SHARE_MAX:
        raise SourceUnreadable(
            "The file looks binary (it is full of control characters); give a text file, or the right file "
            "ending for its kind."
        )


def replacement_warnings(replaced: int, name: str, band: str) -> tuple[DataWarning, ...]:
    """The warning for bytes that became U+FFFD."""
    if not replaced:
        return ()
    message = (
        f"{counted(replaced, 'sequence of bytes is', 'sequences of bytes are')} not valid {name} and "
        f"{'was' if replaced == 1 else 'were'} read as U+FFFD."
    )
    return (DataWarning("invalid_encoding", message, band, None, replaced),)


def padding_warnings(padding: int, band: str) -> tuple[DataWarning, ...]:
    """The warning for bytes at the end of the file that only fill it up."""
    if not padding:
        return ()
    found = counted(padding, "NUL or Ctrl-Z byte", "NUL or Ctrl-Z bytes")
    message = f"{found} at the end of the file {'was' if padding == 1 else 'were'} taken for padding."
    return (DataWarning("padding", message, band, None, padding),)


def _without_padding(file: Utf8File) -> int:
    """Where the text of *file* ends, and only padding follows."""
    for stop in range(file.size, 0, -BLOCK_BYTES):
        start = max(0, stop - BLOCK_BYTES)
        if text := file.read(start, stop).rstrip(PADDING):
            return start + len(text)
    return 0


def _shorter() -> SourceUnreadable:
    return SourceUnreadable("The file became shorter while it was read; read it again when it is complete.")


def _unknown_encoding(declared: str) -> SourceOptionError:
    return SourceOptionError(f"There is no text encoding {declared!r}; name one such as utf-8 or latin-1.")


def _lenient_name(counts: tuple[int, int]) -> str:
    valid, invalid = counts
    return "utf-8" if valid > invalid else WINDOWS_1252


def _count_sequences(blocks: list[bytes] | Iterator[bytes]) -> tuple[int, int]:
    """How many multi-byte sequences are valid UTF-8, and how many are not."""
    valid = invalid = 0
    for text, replaced in _decode_blocks(blocks, "utf-8"):
        invalid += replaced
        valid += len(text) - len(text.encode("ascii", "ignore")) - replaced
    return valid, invalid


def _decode_blocks(blocks: list[bytes] | Iterator[bytes], name: str) -> Iterator[tuple[str, int]]:
    """Decode block by block, with the number of replacements in each."""
    if name == WINDOWS_1252:
        for block in blocks:
            yield codecs.charmap_decode(block, "strict", WINDOWS_1252_TABLE)[0], 0
        return
    decoder = codecs.getincrementaldecoder(name)
    # A file may hold U+FFFD of its own: the difference of the two decoders is what was replaced here.
    replacing, ignoring = decoder("replace"), decoder("ignore")
    for block in blocks:
        yield _both(replacing.decode(block), ignoring.decode(block))
    yield _both(replacing.decode(b"", True), ignoring.decode(b"", True))


def _both(replaced: str, ignored: str) -> tuple[str, int]:
    return replaced, replaced.count("\ufffd") - ignored.count("\ufffd")


def _blocks(file: Utf8File, start: int) -> Iterator[bytes]:
    for offset in range(start, file.size, BLOCK_BYTES):
        yield file.read(offset, offset + BLOCK_BYTES)


def _transcode(plain: Utf8File, encoding: Encoding, band: str) -> Utf8File:
    replaced = size = 0
    with temporary_copy("The text in UTF-8") as copy:
        for text, count in _decode_blocks(_blocks(plain, encoding.mark_bytes), encoding.name):
            # A lone surrogate of UTF-16 has no UTF-8.
            size += copy.write(text.encode("utf-8", "replace"))
            replaced += count
    return Utf8File(copy, 0, size, replacement_warnings(replaced, encoding.name, band))


def _all_valid_utf8(file: Utf8File, start: int, band: str) -> bool:
    """Whether the whole file is UTF-8 without NUL; checked by Arrow in two threads, which is memory-fast."""
    from datasources import work
    from datasources.concurrently import threads

    kernels = kernels_of(CSV_KERNEL)

    def valid(offset: int) -> bool:
        # Each block starts and ends before a byte that begins a character: four more bytes show where.
        stop = min(offset + BLOCK_BYTES + 4, file.size)
        data: Bytes = file.read(offset, stop) if kernels is None else file.padded(offset, stop)
        size = stop - offset
        first = 0 if offset == start else _next_character(data, 0)
        last = _next_character(data, BLOCK_BYTES) if size > BLOCK_BYTES else size
        if kernels is not None:
            return kernels["valid_utf8"](address(data) + first, last - first) == 1
        return _valid_utf8(data, first, last)

    starts = range(start, file.size, BLOCK_BYTES)
    with work.stage("checking", band, file.size - start), threads(2) as pool:
        # Some blocks at a time: what waits for a thread takes memory as well.
        for some in range(0, len(starts), BLOCKS_WAITING):
            waiting = starts[some : some + BLOCKS_WAITING]
            if not all(pool.map(valid, waiting)):
                return False
            work.tell("bytes", min(len(waiting) * BLOCK_BYTES, file.size - waiting[0]))
    return True


def _next_character(data: Bytes, offset: int) -> int:
    for position in range(offset, min(offset + 4, len(data))):
        if data[position] & 0xC0 != 0x80:
            return position
    return offset


def _valid_utf8(data: Bytes, first: int, last: int) -> bool:
    import pyarrow as pa

    if b"\0" in data:
        return False
    offsets = pa.py_buffer(first.to_bytes(8, "little") + last.to_bytes(8, "little"))
    cell = pa.Array.from_buffers(pa.large_binary(), 1, [None, offsets, pa.py_buffer(data)])
    try:
        cell.cast(pa.large_string())
    except pa.ArrowInvalid:
        return False
    return True
