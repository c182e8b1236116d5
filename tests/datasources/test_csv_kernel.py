"""What a kernel says of the bytes of a CSV file is what the plain path says, or nothing."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from datasources import csv_kernel as kernel
from datasources.compiled import address, kernels_of
from datasources.csv_scan import measure, measure_compiled
from datasources.csv_stream import TextStream, stream_text
from datasources.encoding import MARGIN, Utf8File
from datasources.options import ReadOptions
from tests.kernels import running


@pytest.fixture(autouse=True, scope="module")
def _compiled():
    with running("compiled"):
        yield


def call(name: str, data: bytes, *arguments: object) -> int:
    kernels = kernels_of(kernel.__name__)
    assert kernels is not None
    padded = np.frombuffer(data + b"\xff" * MARGIN, np.uint8)
    return kernels[name](address(padded), len(data), *arguments)


def is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False


TEXTS = st.text(min_size=0, max_size=90).map(str.encode)
DAMAGED = st.builds(
    lambda text, at, byte: text[:at] + byte + text[at + 1 :], TEXTS, st.integers(0, 90), st.binary(max_size=2)
)


@given(TEXTS | DAMAGED | st.binary(max_size=90))
@example(b"")
@example(b"a" * 63 + "é".encode())
@example(b"a" * 63 + b"\xc3")
@example(b"a" * 62 + b"\xe2\x82")
@example(b"\xed\xa0\x80")
@example(b"\xf4\x90\x80\x80")
@example(b"\xf0\x8f\xbf\xbf")
@example(b"\xe0\x9f\xbf")
@example(b"\xc1\xbf")
@example(b"a\0b")
def test_what_is_utf8(data):
    assert call("valid_utf8", data) == is_text(data)


class Text(Utf8File):
    """A text in memory, where the system would read a file."""

    __slots__ = ()

    def padded(self, start, stop, room=None):
        self.file.seek(start)
        return np.frombuffer(bytearray(self.file.read(stop - start) + bytes(MARGIN)), np.uint8)


PIECES = ["a", "1", ";", ";", "\n", "\n", "\r\n", "\r", " ", "é", "\u00a0", "a;b;c\n", "x" * 59, "x" * 62]
QUOTED = [
    '"',
    '"a"',
    '";"',
    '"\n"',
    '"b;b";',
    ';"c"\r\n',
    '""',
    ';""',
    '"d""d"',
    '"é"',
    '" ";',
    '"a";"";""\n',
]


@given(
    data=st.lists(st.sampled_from(PIECES) | st.sampled_from(QUOTED)).map("".join).map(str.encode),
    width=st.integers(2, 3),
    before=st.integers(0, 600),
)
@example(data=b"a;b\n" * 900, width=2, before=5)
@example(data=b"a;" + b"x" * 59 + b"\r\n\r", width=2, before=0)
@example(data=b"a;" + b"x" * 61 + b"\r\n", width=2, before=0)
@example(data=b"a;" + b"x" * 61 + b"\ra\n", width=2, before=0)
@example(data=b"a;" + b"x" * 61 + b'"b"\n', width=2, before=0)
@example(data=b"a;" + b"x" * 60 + b';"b"\n', width=3, before=0)
@example(data=b'a;"' + b"x" * 60 + b'"\n', width=2, before=0)
@example(data=b'a;"' + b"x" * 60 + b'"b\n', width=2, before=0)
@example(data=b'a;"' + b"x" * 59 + b'"""\n', width=2, before=0)
@example(data=b'"a\nb";c\nd;e\n"f', width=2, before=255)
def test_a_stretch_measures_the_same(data, width, before):
    text = Text(BytesIO(data), 0, len(data) + 1)  # as if more followed
    found = measure_compiled(text, 0, len(data), width, ord(";"), before)
    plain = measure(data, width, ord(";"), before)
    # What is cut off at the end may be too much for the kernel; others may not.
    assert found == plain or (found is None and plain is not None and plain.stop < len(data))
    if b'"' in data:
        assert measure_compiled(text, 0, len(data), width, ord(";"), before, bare=True) is None


def test_the_last_line_may_have_no_end():
    data = b"a;b\nc;d"
    found = measure_compiled(Text(BytesIO(data), 0, len(data)), 0, len(data), 2, ord(";"))
    assert found == measure(data + b"\n", 2, ord(";"))


def parts_of(path: Path, encoded: set[int]) -> list[list[object]]:
    cells = stream_text(path.open("rb"), "t", ReadOptions(delimiter=";"), 500).cells
    assert isinstance(cells, TextStream)
    tables = [part() for part in cells.parts([0, 2, 1], encoded)]
    return [[cell or None for table in tables for cell in table.column(at).to_pylist()] for at in range(3)]


CELLS = st.sampled_from(
    [
        *["", "a", "é", "1", "12345678", "123456789", "1234567890123", "1234567890124", "x" * 70],
        *["2025-05-17T00:00:00.000Z", "2025-05-18T00:00:00.000Z"],
        *['""', '"q"', '"a;b"', '"l1\nl2"', '"with ""quotes"""'],
    ]
)


@pytest.mark.parametrize("encoded", [set(), {0, 1, 2}, {1}], ids=["views", "codes", "both"])
@given(
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=40),
    end=st.sampled_from(["\n", "\r\n"]),
    last=st.booleans(),
)
def test_cells_are_the_same(tmp_path_factory, encoded, rows, end, last):
    path = tmp_path_factory.getbasetemp() / "cells.csv"
    lines = ["x;y;z", *(";".join(row) for row in rows)]
    path.write_bytes((end.join(lines) + end * last).encode())
    found = parts_of(path, encoded)
    with running("plain"):
        assert found == parts_of(path, encoded)


def test_many_blocks_of_rows_and_values(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;y;z\n" + "".join(f"{i};v{i % 300};{i % 7}\n" for i in range(20_000)))
    whole = [
        [str(i) for i in range(20_000)],
        [str(i % 7) for i in range(20_000)],
        [f"v{i % 300}" for i in range(20_000)],
    ]
    cells = stream_text(path.open("rb"), "t", ReadOptions()).cells
    assert isinstance(cells, TextStream)
    (part,) = cells.parts([0, 2, 1], {0, 1, 2})
    # The first column has more values than the kernel counts, so that another way is taken.
    assert [column.to_pylist() for column in part().columns] == whole


def test_memory_is_lent_again_only_when_nothing_of_it_is_left(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;y\n" + "".join(f"value {i};{'w' * 20}{i}\n" for i in range(5_000)))
    cells = stream_text(path.open("rb"), "t", ReadOptions(), 500).cells
    assert isinstance(cells, TextStream)
    column = [part().column(1) for part in cells.parts([0, 1])]
    kept = [text for one in column for text in one.slice(100).to_pylist()]
    assert sorted(kept) == sorted(text for one in column for text in one.to_pylist()[100:])
    assert [text for one in column for text in one.to_pylist()] == ["w" * 20 + str(i) for i in range(5_000)]
