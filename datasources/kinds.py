"""Tells what kind of data a file holds: by its first bytes, then its name, then its text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Literal

from datasources.compression import GZIP_MAGIC, ZSTD_MAGIC, open_plain
from datasources.encoding import PADDING
from datasources.endings import COMPRESSED_NAMES, DATA_NAMES, JSON_NAMES, TEXT_NAMES
from datasources.exceptions import SourceUnreadable
from datasources.options import ReadOptions

Kind = Literal["parquet", "arrow", "workbook", "json", "text"]

HEAD_BYTES = 4096
JSON_START = re.compile(r'\s*(\{\s*(["}]|\Z)|\[\s*([\[{"\]\-\d]|null|true|false|NaN|-?Infinity|\Z))')
"""How JSON begins; a header such as `[id];[valor]` does not."""
LIKELY_JSON = re.compile(r'\s*(\[\s*\{\s*["}]|\{\s*"(?:[^"\\]|\\.)*"\s*:)')
"""How JSON begins and a text table does not, whatever the name says."""

MAGIC: tuple[tuple[bytes, Kind], ...] = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"FEA1", "arrow"),
    (b"\xff\xff\xff\xff", "arrow"),
)
EXPORT = "export its table as CSV, Excel or Parquet"
FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (b"PARE", "an encrypted Parquet file", "decrypt it first"),
    (b"%PDF", "a PDF document", EXPORT),
    (b"SQLite format 3\0", "a SQLite database", EXPORT),
    (b"\x89PNG", "a PNG image", "give the data that it shows"),
    (b"\xff\xd8\xff", "a JPEG image", "give the data that it shows"),
    (b"GIF8", "a GIF image", "give the data that it shows"),
    (b"RIFF", "a media file", "give a table"),
    (b"II*\0", "a TIFF image", "give the data that it shows"),
    (b"MM\0*", "a TIFF image", "give the data that it shows"),
    (b"{\\rtf", "an RTF document", EXPORT),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it and give the files in it"),
    (b"Rar!", "a RAR archive", "unpack it and give the files in it"),
    (b"BZh", "a bzip2 file", "unpack it, or pack it with gzip"),
    (b"\xfd7zXZ\0", "an xz file", "unpack it, or pack it with gzip"),
    (b"\x04\x22\x4d\x18", "an lz4 file", "unpack it, or pack it with gzip"),
    (b"ORC", "an ORC file", "write it as Parquet"),
    (b"Obj\x01", "an Avro file", "write it as Parquet"),
    (b"\x89HDF", "an HDF5 file", "write it as Parquet"),
    (b"\x93NUMPY", "a NumPy file", "write it as Parquet"),
    (b"\x80\x04\x95", "a Python pickle, which may run code,", "write it as Parquet"),
    (b"\x80\x05\x95", "a Python pickle, which may run code,", "write it as Parquet"),
    (b"\x7fELF", "a program", "give a table"),
    (b"MZ\x90", "a program", "give a table"),
)
MARKUP = (b"<?xml", b"<!doctype", b"<html", b"<svg", b"<nfeproc", b"<nfe")
OLE_MAGIC = b"\xd0\xcf\x11\xe0"
ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")


def kind_of(path: Path, options: ReadOptions) -> Kind:
    """
    Find the kind of *path*, looking into gz and zstd files.

    Raises SourceUnreadable for an empty file and for what is no table, saying what it is and what to do.
    """
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    name = path.name.lower()
    if options.visible is not None and (declared := _declared_kind(name, options)):
        return declared
    if head.startswith((GZIP_MAGIC, ZSTD_MAGIC)):
        with open_plain(path, options) as inflated:
            head = inflated.read(HEAD_BYTES)
        name = name.removesuffix(Path(name).suffix) if name.endswith(COMPRESSED_NAMES) else name
        kind = _kind_of_head(path, head, name)
        if kind in ("parquet", "arrow", "workbook"):
            raise _refused(path, f"a compressed {kind} file", "unpack it first")
        return kind
    return _kind_of_head(path, head, name)


def _declared_kind(name: str, options: ReadOptions) -> Kind | None:
    """The kind of a file for a viewer: its head may be rows that they may not see, which have no say in it."""
    plain = Path(name)
    suffix = Path(plain.stem).suffix if plain.suffix in COMPRESSED_NAMES else plain.suffix
    if suffix in JSON_NAMES:
        return "json"
    return "text" if suffix in TEXT_NAMES or (options.delimiter and suffix not in DATA_NAMES) else None


def _kind_of_head(path: Path, head: bytes, name: str) -> Kind:
    if not head.strip():
        raise SourceUnreadable(f"{path.name} is empty: give a file with data.", source=str(path))
    for magic, kind in MAGIC:
        if head.startswith(magic):
            return kind
    for magic, what, remedy in FOREIGN:
        if head.startswith(magic):
            raise _refused(path, what, remedy)
    if head[8:12] == b"DUCK":
        raise _refused(path, "a DuckDB database", EXPORT)
    if head.startswith(ZIP_MAGIC):
        return _kind_of_zip(path)
    if head.startswith(OLE_MAGIC):
        return _kind_of_ole(path)
    return _kind_of_text(path, head, name)


def _kind_of_text(path: Path, head: bytes, name: str) -> Kind:
    text = _text_of(head)
    if text is None:
        raise _refused(path, "a binary file of an unknown kind", EXPORT)
    start = text.removeprefix("\ufeff").lstrip()
    if start.lower().encode().startswith(MARKUP) or (
        name.endswith((".xml", ".html", ".htm")) and start[:1] == "<"
    ):
        what = (
            "an HTML page"
            if "<html" in start.lower() or "doctype html" in start.lower()
            else "an XML document"
        )
        raise _refused(path, what, EXPORT)
    suffix = Path(name).suffix
    if suffix in TEXT_NAMES:
        return "json" if LIKELY_JSON.match(start) else "text"
    if JSON_START.match(start):
        return "json"
    return "json" if suffix in JSON_NAMES and _may_be_json(start, len(head)) else "text"


def _text_of(head: bytes) -> str | None:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head[: len(head) // 4 * 4].decode("utf-32" if head[2:4] == b"\0\0" else "utf-16", "replace")
    if b"\0" in head.rstrip(PADDING):
        encoding = json.detect_encoding(head)
        text = head[: len(head) // 4 * 4].decode(encoding, "replace")
        return text if encoding != "utf-8" and JSON_START.match(text) else None
    return head.decode("utf-8", "replace")


def _may_be_json(start: str, size: int) -> bool:
    """Whether a text that begins like no object or array is JSON: a scalar, or a broken document."""
    if start[0] in "{[":
        return True
    if size >= HEAD_BYTES:
        return False
    try:
        json.loads(start)
    except (ValueError, RecursionError):
        return False
    return True


def _kind_of_zip(path: Path) -> Kind:
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            is_short = "mimetype" in names and archive.getinfo("mimetype").file_size < 200
            if is_short and b"opendocument.spreadsheet" in archive.read("mimetype"):
                return "workbook"
    except (zipfile.BadZipFile, ValueError, RuntimeError, NotImplementedError, EOFError) as error:
        raise _refused(path, "a broken zip file or workbook", "get the complete file") from error
    if any(name.lower().startswith("xl/workbook") for name in names):
        return "workbook"
    if any(name.startswith("word/") for name in names):
        raise _refused(path, "a Word document", EXPORT)
    if any(name.startswith("ppt/") for name in names):
        raise _refused(path, "a PowerPoint presentation", EXPORT)
    raise _refused(path, "a zip archive", "unpack it and give the files in it")


def _kind_of_ole(path: Path) -> Kind:
    import mmap

    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data.find("EncryptedPackage".encode("utf-16-le")) >= 0:
            raise _refused(path, "an encrypted Office file", "save it without a password")
        if data.find("Workbook".encode("utf-16-le")) >= 0 or data.find(b"B\0o\0o\0k\0\0\0") >= 0:
            return "workbook"
    raise _refused(path, "an old Office document other than a workbook", EXPORT)


def _refused(path: Path, what: str, remedy: str) -> SourceUnreadable:
    return SourceUnreadable(f"{path.name} is {what}: {remedy}.", source=str(path))
